"""What a classifier says of several lists of texts, and what a faster precision costs."""

import numpy as np

__all__ = ["changed_labels", "say_cost", "together"]


def together(
    classifier, columns: dict[str, list], precision: str = "fp32"
) -> dict[str, np.ndarray]:
    """Probabilities for several lists of texts or pairs in one stream, by name."""
    if not columns:
        return {}
    stream = [text for texts in columns.values() for text in texts]
    everything = classifier.predict_proba(stream, precision)
    ends = np.cumsum([len(texts) for texts in columns.values()])
    return dict(zip(columns, np.split(everything, ends[:-1]), strict=True))


def changed_labels(classifier, texts: list, precision: str) -> float:
    """The share of texts whose predicted label differs between `precision` and fp32: what a faster
    precision costs.
    """
    fast = classifier.predict_proba(texts, precision).argmax(1)
    return float((fast != classifier.predict_proba(texts, "fp32").argmax(1)).mean())


def say_cost(classifier, texts: list, precision: str) -> None:
    """Print the share of labels that a precision other than fp32 changes on these texts; nothing
    for fp32.
    """
    if precision != "fp32":
        print(
            f"{precision} changes {changed_labels(classifier, texts, precision):.1%} of "
            f"{len(texts)} labels against fp32."
        )
