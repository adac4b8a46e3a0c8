"""What certificates of a BERT-base-sized network and of the shipped classifier cost, and what edits
of words a linear classifier is certified against.

    TAHAN_DATA_MIRROR=... python benchmarks/certificates.py exhaustive [--texts 3]
    TAHAN_DATA_MIRROR=... python benchmarks/certificates.py shipped [--rows 100] [--kinds typos]
    TAHAN_DATA_MIRROR=... python benchmarks/certificates.py smoothed [--rates 0.8,0.85,0.9,0.95]

`exhaustive`: the single typos of 100 SmSA test texts and how many of them the network can tell
apart, counted by its tokenizer alone; and the processor's seconds for all of a few texts, asked of
random weights, of which none ends early. `shipped`: the processor's seconds of the shipped
classifier, searches that end early among them, and the predictions spared. `smoothed`: of SmSA's
validation texts the share that the smoothed classifier has right under any edits of words, by how
often a word is left out, for `tfidf` and for `tfidf` trained with words left out (`deletion`).
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from predict import classifier

import tahanuji
from helpers import session
from tahanuji import commas, data, grid, training
from tahanuji.harden import defences, normalise
from tahanuji.models.transformer import Transformer
from tahanuji.proof import exhaustive, results, smoothed
from tahanuji.proof.edits import edits

SEED = 26092020
TEXTS = 100
COUNTS = ("edits", "distinct", "asked")  # of right answers, which alone are searched


def told_apart(classifier) -> np.ndarray:
    """Per text how many single typos there are, how many the classifier can tell apart, and how
    many behind the normaliser.
    """
    test, rows = grid.drawn(data.load("smsa", "test"), TEXTS, SEED), []
    for text in test["text"]:
        made = edits(text, "typos")
        keys = [set(exhaustive.view(classifier)([text, *made]))]
        keys.append(set(exhaustive.view(classifier)(list(map(normalise.normalise, [text, *made])))))
        rows.append([len(made), *(len(one) - 1 for one in keys)])
    return np.array(rows)


def timed(classifier, texts: list[str]) -> tuple[int, float]:
    """How many predictions all typos of some texts take where none ends early, and their seconds
    of the processor.
    """
    asked, began = 0, time.process_time()
    for text in texts:
        proof = exhaustive.prove(classifier, text, "typos")
        asked += proof.asked
    return asked, time.process_time() - began


def exhausted(count: int) -> None:
    """Print what a BERT-base-sized network with random weights costs."""
    model, tokenizer = classifier(list(data.load("smsa", "train")["text"]))
    network = Transformer(model, tokenizer, data.LABELS, 512)
    counts = told_apart(network)
    made, distinct, behind = counts.mean(0)
    print(
        f"{TEXTS} texts: {made:.0f} typos each; {distinct:.0f} that the network tells apart, "
        f"{behind:.0f} behind the normaliser",
        flush=True,
    )
    test = grid.drawn(data.load("smsa", "test"), TEXTS, SEED)
    middle = np.argsort(np.abs(counts[:, 1] - distinct))[:count]  # near the mean
    asked, seconds = timed(network, list(test["text"].iloc[middle]))
    each = seconds / asked
    print(
        f"{count} texts, {torch.get_num_threads()} thread(s): {asked} predictions, {seconds:.0f} s"
    )
    for name, one in (("undefended", distinct), ("behind the normaliser", behind)):
        print(f"{TEXTS} texts {name}, none ending early: {TEXTS * one * each / 60:.0f} minutes")
    began, one = time.process_time(), test.iloc[middle[:1]]
    asked = smoothed.rows(network, one, smoothed.Draws(0.85, 1000, SEED))["asked"].sum()
    seconds = time.process_time() - began
    print(f"a text for the smoothed classifier: {asked} predictions, {seconds:.0f} s")


def shipped(rows: int, kinds: list[str]) -> None:
    """Print what all single edits of SmSA's test texts cost the shipped classifier."""
    one = tahanuji.load("sentiment")
    part = grid.drawn(data.load("smsa", "test"), rows, SEED)
    results.single(one, part.head(1), "typos")  # reads the lexicons
    for kind in kinds:
        began = time.process_time()
        table = results.single(one, part, kind)
        seconds = time.process_time() - began
        counts = {name: int(table[name].sum()) for name in ("right", "proved", *COUNTS)}
        print(
            f"{kind}, {len(part)} texts, {torch.get_num_threads()} thread(s): {counts}, "
            f"{1 - counts['asked'] / counts['edits']:.1%} of the edits spared, {seconds:.0f} s",
            flush=True,
        )


def certified(rates: list[float], rows: int, samples: int) -> None:
    """Print a Markdown table of the certified shares by rate and training."""
    train, valid = (data.load("smsa", name) for name in ("train", "valid"))
    part = grid.drawn(valid, rows, SEED)
    print("| trained | left out | right | abstains | one edit | two | three |\n" + "|---" * 7 + "|")
    for names in ("", "deletion"):
        with tempfile.TemporaryDirectory() as folder:
            job = training.Job("tfidf", "smsa", Path(folder), SEED)
            one = defences.fit(names, job, train, valid, training.settings("tfidf"))
        for rate in rates:
            table = smoothed.rows(one, part, smoothed.Draws(rate, samples, SEED))
            shares = results.metrics(table.assign(group=names)).set_index("metric")["value"]
            radii = [f"certified_{name}" for name in results.RADII]
            cells = [f"{100 * shares[name]:.1f}" for name in ("accuracy", "abstained_rate", *radii)]
            print(f"| {names or 'plainly'} | {rate:g} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("exhaustive", "shipped", "smoothed"))
    parser.add_argument("--texts", type=int, default=3, help="asked of the network")
    parser.add_argument("--rates", default="0.8, 0.85, 0.9, 0.95")
    about = "of the split, 0: all; 100 for shipped, else 200"
    parser.add_argument("--rows", type=int, help=about)
    parser.add_argument("--kinds", default="typos", help="of proof/edits.py")
    parser.add_argument("--samples", type=int, default=1000)
    given = parser.parse_args()
    session.quiet()
    if given.what == "exhaustive":
        exhausted(given.texts)
    elif given.what == "shipped":
        shipped(TEXTS if given.rows is None else given.rows, commas.words(given.kinds))
    else:
        rows = 200 if given.rows is None else given.rows
        certified(commas.numbers(given.rates), rows, given.samples)


if __name__ == "__main__":
    main()
