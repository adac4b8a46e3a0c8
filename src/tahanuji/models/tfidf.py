"""TF-IDF of word and character n-grams with logistic regression: the classifier that needs no
network and no GPU.
"""

import json
import re
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline

from tahanuji import data, predict
from tahanuji.errors import InputError
from tahanuji.models.config import spec

WORD = re.compile(r"\b\w\w+\b")  # scikit-learn's idea of a word


def second(pair: tuple[str, str]) -> str:
    """The second sentence in lower case; this and the following are what the features of pairs look
    at.
    """
    return pair[1].lower()


def shared(pair: tuple[str, str]) -> str:
    """The words of the second sentence that stand in the first.

    >>> pair = ("Kucing itu tidur.", "Kucing bangun.")
    >>> shared(pair), added(pair)
    ('kucing', 'bangun')
    """
    first_words = set(_words(pair[0]))
    return " ".join(word for word in _words(pair[1]) if word in first_words)


def added(pair: tuple[str, str]) -> str:
    """The words of the second sentence that the first does not have."""
    first_words = set(_words(pair[0]))
    return " ".join(word for word in _words(pair[1]) if word not in first_words)


def dropped(pair: tuple[str, str]) -> str:
    """The words of the first sentence that the second does not have."""
    return added(pair[::-1])


def overlap(pair: tuple[str, str]) -> str:
    """Words for how much of the second sentence stands in the first, how much is new and how long
    it is beside the first.

    >>> overlap(("Kucing itu tidur.", "Kucing bangun."))
    'covered5 added1 length6'
    """
    one, two = _words(pair[0]), _words(pair[1])
    new = len(added(pair).split())
    covered = 10 * (len(two) - new) // max(1, len(two))
    return f"covered{covered} added{min(new, 9)} length{min(9, 10 * len(two) // max(1, len(one)))}"


def _words(text: str) -> list[str]:
    return WORD.findall(text.lower())


VIEWS = {view.__name__: view for view in (second, shared, added, dropped, overlap)}


class Tfidf(predict.Classifier):
    """TF-IDF of word and character n-grams with logistic regression; without a fit it knows nothing
    and answers 1/labels.
    """

    kind = "tfidf"

    def __init__(
        self, labels: list[str], pipeline: Pipeline | None = None, card: dict | None = None
    ):
        super().__init__(labels, card)
        self.pipeline = pipeline

    def predict_proba(self, texts: list[data.Example], precision: str = "fp32") -> np.ndarray:
        """Probabilities (n, labels) in the order of `labels`; `precision` has no effect here.
        InputError for pairs where it learnt texts, or the reverse.
        """
        if self.pipeline is None:
            return np.full((len(texts), len(self.labels)), 1 / len(self.labels), dtype=np.float32)
        result = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        if len(texts):
            self._check(texts)
            columns = [self.labels.index(label) for label in self.pipeline[-1].classes_]
            result[:, columns] = self.pipeline.predict_proba(texts)
        return result

    def _check(self, texts: list[data.Example]) -> None:
        pairs = self.pipeline[0].transformer_list[0][0] in VIEWS
        if any(isinstance(text, str) == pairs for text in texts):
            raise InputError(
                f"this classifier was fine-tuned on "
                f"{'pairs of sentences' if pairs else 'single texts'} and takes nothing else."
            )

    def pieces(self, text: str) -> list[str]:
        """The word n-grams that the model sees of a text (it sees character n-grams too)."""
        return TfidfVectorizer(ngram_range=tuple(spec("tfidf")["word_ngrams"])).build_analyzer()(
            text
        )

    def save(self, folder: Path) -> None:
        """Write the arrays as safetensors and the vocabularies as JSON: no pickle."""
        union, regression = self.pipeline[0], self.pipeline[-1]
        parts = dict(union.transformer_list)
        arrays = {f"idf.{name}": part.idf_ for name, part in parts.items()} | {
            "coef": regression.coef_,
            "intercept": regression.intercept_,
        }
        save_file(
            {name: np.ascontiguousarray(array) for name, array in arrays.items()},
            folder / "model.safetensors",
        )
        about = {
            name: {"settings": part.get_params(), "terms": list(part.get_feature_names_out())}
            for name, part in parts.items()
        }
        content = {"classes": list(regression.classes_), "parts": about}
        (folder / "tfidf.json").write_text(
            json.dumps(content, ensure_ascii=False, default=lambda _: None), encoding="utf-8"
        )

    @classmethod
    def load(cls, folder: Path, labels: list[str], card: dict) -> "Tfidf":
        """The classifier that `save` wrote, its columns in the order of `labels`."""
        content = json.loads((folder / "tfidf.json").read_text(encoding="utf-8"))
        arrays, parts = load_file(folder / "model.safetensors"), []
        for name, about in content["parts"].items():
            kept = {key: about["settings"][key] for key in ("analyzer", "sublinear_tf")} | {
                "ngram_range": tuple(about["settings"]["ngram_range"])
            }
            part = TfidfVectorizer(
                vocabulary={term: number for number, term in enumerate(about["terms"])},
                preprocessor=VIEWS.get(name),
                **kept,
            )
            part.idf_ = arrays[f"idf.{name}"]
            parts.append((name, part))
        regression = LogisticRegression()
        regression.classes_, regression.coef_, regression.intercept_ = (
            np.array(content["classes"]),
            arrays["coef"],
            arrays["intercept"],
        )
        return cls(
            labels, Pipeline([("features", FeatureUnion(parts)), ("regression", regression)]), card
        )


def fitted(entry: dict, examples: list[data.Example]) -> FeatureUnion:
    """`features` that know the examples; a view in which no n-gram stands in `min_df` of them is
    left out. InputError where that leaves nothing.
    """
    parts = [
        (name, part)
        for name, part in features(entry, pairs=not isinstance(examples[0], str)).transformer_list
        if _learns(part, examples)
    ]
    if not parts:
        raise InputError(
            f"there is nothing to learn from {len(examples)} training examples: no word stands in "
            f"{entry['min_df']} of them."
        )
    return FeatureUnion(parts)


def _learns(part: TfidfVectorizer, examples: list[data.Example]) -> bool:
    try:
        part.fit(examples)
    except ValueError as error:  # empty vocabulary, or no terms remain after pruning
        if "vocabulary" in str(error) or "terms remain" in str(error):
            return False
        raise
    return True


def features(entry: dict, pairs: bool = False) -> FeatureUnion:
    """Word and character n-grams after a model's entry in config/models.yaml; for pairs word
    n-grams of every view of `VIEWS`.

    The views say what the sentences share and where they differ, all that a linear model can see of
    their relation. (On IndoNLI the words of the first sentence as a view of their own, and pairs of
    words across the sentences, made it no better.)
    """
    shared_settings = {
        "min_df": entry["min_df"],
        "max_features": entry["max_features"],
        "sublinear_tf": True,
    }
    words = {"ngram_range": tuple(entry["word_ngrams"]), **shared_settings}
    if pairs:
        return FeatureUnion(
            [(name, TfidfVectorizer(preprocessor=view, **words)) for name, view in VIEWS.items()]
        )
    characters = TfidfVectorizer(
        analyzer="char_wb", ngram_range=tuple(entry["character_ngrams"]), **shared_settings
    )
    return FeatureUnion([("words", TfidfVectorizer(**words)), ("characters", characters)])
