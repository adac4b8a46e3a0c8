"""How fast is the code-mixing attack? Against faithful loops over one sentence at a time, paired,
on one machine.

    TAHAN_DATA_MIRROR=... python benchmarks/codemix.py [--sentences 200] [--parts 4] [--runs 3]
    [--languages en] [--rates 0.4] [--translator lexicon+nusax]

A BERT-base-sized classifier with random weights reads SmSA's test sentences; its own answers are
the gold labels, so that every sentence is attacked. The loops do Algorithm 1 of IndoRobusta for a
sentence, a language and a rate at a time: one with the sentence's masked variants in one padded
batch, one with a forward pass for each variant, as the public code has it (`--slowest` adds it).
The sentences come in parts; all ways take a part in turn before the next begins, so that a ratio
compares neighbours in time. With several languages and rates the loops start anew for each, as the
public code does, while `attack_many` measures importance once; and it measures only the words that
have a translation, so that its lead depends on the translator's coverage too.
"""

import argparse
import random
import statistics
import time

import numpy as np
import pandas as pd
import torch
from transformers import BertConfig, BertForSequenceClassification

from helpers import session
from tahanuji import data, perturb, words
from tahanuji.codemix import blend, similarity, translators
from tahanuji.models import transformer
from tahanuji.pretraining import vocabulary

ALPHA, TRIES, SEED = 0.5, 10, 1


class Timed:
    """A translator that adds up the seconds of its look-ups."""

    def __init__(self, translator):
        self.translator, self.name, self.language, self.seconds = (
            translator,
            translator.name,
            translator.language,
            0.0,
        )

    def translate(self, word: str) -> str | None:
        began = time.perf_counter()
        target = self.translator.translate(word)
        self.seconds += time.perf_counter() - began
        return target

    def targets(self, text: str, tokens: list) -> dict[int, str]:
        began = time.perf_counter()
        targets = self.translator.targets(text, tokens)
        self.seconds += time.perf_counter() - began
        return targets


def classifier(texts: list[str], layers: int, width: int) -> transformer.Transformer:
    """A BERT with random weights; its head is made steep, since random weights give nearly the same
    answer to every text.
    """
    torch.manual_seed(1)
    tokenizer = vocabulary.wordpiece(texts, 30_000)
    names = {
        "id2label": dict(enumerate(data.LABELS)),
        "label2id": {label: number for number, label in enumerate(data.LABELS)},
    }
    shape = {
        "num_hidden_layers": layers,
        "hidden_size": width,
        "intermediate_size": 4 * width,
        "num_attention_heads": width // 64,
    }
    model = BertForSequenceClassification(BertConfig(vocab_size=len(tokenizer), **shape, **names))
    with torch.no_grad():
        model.classifier.weight *= 30
    return transformer.Transformer(model, tokenizer, data.LABELS, 512)


@torch.inference_mode()
def plain_predict(made: transformer.Transformer, texts: list[str], together: bool) -> np.ndarray:
    """Probabilities of a few texts: in one padded batch, or by one forward pass each."""
    batches = [texts] if together else [[text] for text in texts]
    inputs = (
        made.tokenizer(batch, return_tensors="pt", padding=True, truncation=True, max_length=512)
        for batch in batches
    )
    return torch.cat([made.model(**one).logits.softmax(-1) for one in inputs]).numpy().astype(float)


def loop(
    made: transformer.Transformer,
    frame: pd.DataFrame,
    translator,
    rate: float,
    alike,
    together: bool,
) -> list[tuple[str, str]]:
    """Outcome and text of every sentence, one after the other."""
    return [
        one_sentence(made, row, translator, rate, alike, together) for row in frame.itertuples()
    ]


def one_sentence(
    made: transformer.Transformer, row, translator, rate: float, alike, together: bool
) -> tuple[str, str]:
    """Algorithm 1 for one sentence; its last prediction is made, as the public code makes it, and
    not needed here.
    """
    whole, some = plain_predict(made, [row.text], together)[0], words.words(row.text)
    label = made.labels.index(row.label)
    if whole.argmax() != label or not some:
        return ("no words" if whole.argmax() == label else "wrong already"), row.text
    variants = [words.replace(row.text, {word: made.tokenizer.mask_token}) for word in some]
    without = plain_predict(made, variants, together)
    turned, number = without.argmax(1), np.arange(len(some))
    scores = (
        whole[label]
        - without[:, label]
        + (turned != label) * (without[number, turned] - whole[turned])
    )
    found = {place: translator.translate(words.key(word.text)) for place, word in enumerate(some)}
    ranked = [
        place for place in np.argsort(-scores.round(6), kind="stable").tolist() if found[place]
    ]
    outcome, text = resampled(row, some, found, ranked, max(1, round(rate * len(some))), alike)
    plain_predict(made, [text], together)
    return outcome, text


def resampled(
    row, some: list[words.Word], found: dict, ranked: list[int], asked: int, alike
) -> tuple[str, str]:
    """The chosen words exchanged, the least important of them drawn anew while the text is too
    unlike the original.
    """
    generator, chosen, rest = (
        random.Random(perturb.key(SEED, row.id)),
        ranked[:asked],
        ranked[asked:],
    )
    for _ in range(TRIES + 1):
        if not chosen:
            break
        text = words.replace(
            row.text, {some[place]: words.cased(some[place].text, found[place]) for place in chosen}
        )
        if alike.scores([row.text], [text])[0] >= ALPHA:
            return "mixed", text
        chosen.remove(max(chosen, key=ranked.index))
        if rest:
            chosen.append(rest.pop(generator.randrange(len(rest))))
    return ("too dissimilar" if ranked else "no translation"), row.text


def ways(
    made: transformer.Transformer, named: list[Timed], rates: list[float], alike, slowest: bool
) -> dict:
    """The functions compared, by name; each takes sentences and gives outcome and text of every
    setting and sentence.
    """

    def batched(frame: pd.DataFrame) -> list[tuple[str, str]]:
        table = blend.attack_many(
            made, frame, named, rates, SEED, similarity=alike, alpha=ALPHA, tries=TRIES
        )
        return list(zip(table["outcome"], table["perturbed"], strict=True))

    def looped(together: bool):
        return lambda frame: [
            pair
            for part in named
            for rate in rates
            for pair in loop(made, frame, part, rate, alike, together)
        ]

    last = {"a sentence at a time, a forward pass per variant": looped(False)} if slowest else {}
    return {
        "codemix.attack_many": batched,
        "a sentence at a time, its variants in one batch": looped(True),
    } | last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (
        ("sentences", 200),
        ("parts", 4),
        ("runs", 3),
        ("layers", 12),
        ("width", 768),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default in (("languages", "en"), ("rates", "0.4"), ("translator", "lexicon+nusax")):
        parser.add_argument(f"--{name}", default=default)
    parser.add_argument("--slowest", action="store_true")
    given = parser.parse_args()
    session.quiet()
    train, frame = data.load("smsa", "train"), data.load("smsa", "test").head(given.sentences)
    made, alike = (
        classifier(list(train["text"]), given.layers, given.width),
        similarity.CharacterTfidf.fit(list(train["text"])),
    )
    frame["label"] = [
        made.labels[number] for number in made.predict_proba(list(frame["text"])).argmax(1)
    ]
    named = [
        Timed(part) for part in translators.all_named(given.translator, given.languages.split(","))
    ]
    seconds, results, looked = {}, {}, {}
    size = -(-len(frame) // given.parts)
    compared = ways(
        made, named, [float(rate) for rate in given.rates.split(",")], alike, given.slowest
    )
    for turn in range(given.runs * given.parts):
        start = turn % given.parts * size
        for name, function in compared.items():
            before, began = sum(part.seconds for part in named), time.perf_counter()
            results.setdefault(name, []).extend(function(frame[start : start + size]))
            seconds.setdefault(name, []).append(time.perf_counter() - began)
            looked.setdefault(name, []).append(sum(part.seconds for part in named) - before)
            print(f"sentences {start} on: {name} {seconds[name][-1]:.1f} s", flush=True)
    report(seconds, results, looked, given.runs)


def report(seconds: dict, results: dict, looked: dict, runs: int) -> None:
    """Seconds a run, paired ratios, the share of time in look-ups and agreement with the batched
    attack, as a Markdown table.
    """
    own = next(iter(seconds))
    outcomes = pd.Series([outcome for outcome, _ in results[own]]).value_counts()
    print(
        f"\n{torch.get_num_threads()} threads, torch {torch.__version__}; "
        f"{', '.join(f'{count} {outcome}' for outcome, count in outcomes.items())}\n"
    )
    print(
        "| way | s a run | times codemix.attack_many, median of parts (range) | share in look-ups "
        "| same outcome and text |"
    )
    print("|---|---|---|---|---|")
    for name, times in seconds.items():
        ratios = [other / mine for other, mine in zip(times, seconds[own], strict=True)]
        spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        share = statistics.median(
            part / whole for part, whole in zip(looked[name], times, strict=True)
        )
        same = sum(one == other for one, other in zip(results[name], results[own], strict=True))
        print(
            f"| {name} | {sum(times) / runs:.1f} | {spread} | {share:.2%} | {same} of "
            f"{len(results[own])} |"
        )


if __name__ == "__main__":
    main()
