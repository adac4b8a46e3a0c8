"""How fast is `inference.probabilities`? Against the thesis's predict and transformers' pipeline,
paired, on one machine.

    TAHAN_DATA_MIRROR=... python benchmarks/predict.py [--runs 5] [--texts 500]

A BERT-base-sized classifier with random weights and a WordPiece vocabulary from the training split
reads SmSA's test texts (the embedded corpus where SmSA cannot be had is not a substitute: the
lengths matter). Every round runs all ways in turn; ratios are medians over rounds.
"""

import argparse
import resource
import statistics
import time

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, pipeline

from helpers import session
from tahanuji import data
from tahanuji.models import inference
from tahanuji.pretraining import vocabulary


def thesis_predict(model, tokenizer, texts: list[str]) -> np.ndarray:
    """Viannisa (2025), Listing 3.1 as described in section 3.5: every text padded to the longest,
    one batch, no gradients.
    """
    inputs = tokenizer(texts, return_tensors="pt", padding=True, truncation=True)
    with torch.no_grad():
        return model(**inputs).logits.softmax(-1).numpy()


def timed(function) -> tuple[float, np.ndarray]:
    """Seconds and result of one call."""
    began = time.perf_counter()
    result = function()
    return time.perf_counter() - began, result


def ways(model, tokenizer, texts: list[str]) -> dict:
    """The functions compared, by name."""
    classify = pipeline(
        "text-classification", model=model, tokenizer=tokenizer, device=-1, top_k=None
    )

    def piped() -> np.ndarray:
        answers = classify(texts, batch_size=32, truncation=True, max_length=512)
        return np.array(
            [
                [
                    next(part["score"] for part in answer if part["label"] == label)
                    for label in data.LABELS
                ]
                for answer in answers
            ]
        )

    converted = {name: inference.convert(model, name) for name in ("bf16", "int8")}
    return {
        "tahanuji fp32": lambda: inference.probabilities(model, tokenizer, texts),
        "pipeline(batch_size=32)": piped,
        "tahanuji bf16": lambda: inference.probabilities(converted["bf16"], tokenizer, texts),
        "tahanuji int8": lambda: inference.probabilities(converted["int8"], tokenizer, texts),
        "the thesis's predict": lambda: thesis_predict(model, tokenizer, texts),
    }


def classifier(texts: list[str]):
    """A BERT of base size with random weights, and its tokenizer."""
    torch.manual_seed(1)
    tokenizer = vocabulary.wordpiece(texts, 30_000)
    tokenizer.model_max_length = 512
    names = {
        "id2label": dict(enumerate(data.LABELS)),
        "label2id": {label: number for number, label in enumerate(data.LABELS)},
    }
    return BertForSequenceClassification(
        BertConfig(vocab_size=len(tokenizer), **names)
    ).eval(), tokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--texts", type=int, default=500)
    given = parser.parse_args()
    session.quiet()
    model, tokenizer = classifier(list(data.load("smsa", "train")["text"]))
    texts = list(data.load("smsa", "test")["text"])[: given.texts]
    print(
        f"peak memory that {40 * len(texts):,} more texts add: {growth(tokenizer, texts):.0f} MiB",
        flush=True,
    )
    compared = ways(model, tokenizer, texts)
    inference.probabilities(model, tokenizer, texts[:32])
    seconds, results = {name: [] for name in compared}, {}
    for round_number in range(given.runs):
        for name, function in compared.items():
            took, results[name] = timed(function)
            seconds[name].append(took)
            print(f"round {round_number + 1}: {name} {took:.1f} s", flush=True)
    report(seconds, results)


def growth(tokenizer, texts: list[str], copies: int = 40) -> float:
    """MiB by which the process's peak grows over `copies` times as many distinct texts, read by a
    small model.
    """
    shape = {
        "hidden_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 512,
        "num_labels": 3,
    }
    small = BertForSequenceClassification(BertConfig(vocab_size=len(tokenizer), **shape)).eval()
    inference.probabilities(small, tokenizer, texts)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    inference.probabilities(
        small, tokenizer, [f"{text} {number}" for number in range(copies) for text in texts]
    )
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def report(seconds: dict, results: dict) -> None:
    """Medians, paired ratios and agreement with fp32, as a Markdown table."""
    own, exact = seconds["tahanuji fp32"], results["tahanuji fp32"]
    print(f"\n{torch.get_num_threads()} threads, torch {torch.__version__}\n")
    print("| way | median s | times tahanuji fp32 | labels changed | largest difference |")
    print("|---|---|---|---|---|")
    for name, times in seconds.items():
        ratio = statistics.median(other / mine for other, mine in zip(times, own, strict=True))
        changed = float((results[name].argmax(1) != exact.argmax(1)).mean())
        print(
            f"| {name} | {statistics.median(times):.1f} | {ratio:.2f} | {changed:.1%} | "
            f"{np.abs(results[name] - exact).max():.1e} |"
        )


if __name__ == "__main__":
    main()
