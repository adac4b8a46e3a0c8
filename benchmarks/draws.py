"""How far kappa moves from draw to draw of one perturbation on the same texts: the part of its
interval that is the draw's.

    python benchmarks/draws.py CHECKPOINT [--dataset smsa] [--perturbations keyboard,...] [--rate
    0.05] [--draws 24]

The test texts of the data set are perturbed with the seeds 1 to `--draws`; each draw's labels are
compared with those of the clean texts (Cohen's kappa). `CHECKPOINT`: a folder such as
outputs/cpu/tfidf/01_finetune/default/checkpoint/best. Beside it the part of the characters that
changed.
"""

import argparse
import statistics

from sklearn.metrics import cohen_kappa_score

from tahanuji import data, grid, models, perturb
from tahanuji.perturb import units


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoint")
    parser.add_argument("--dataset", default="smsa")
    parser.add_argument(
        "--perturbations", default="keyboard,ocr,spelling,character_typos,realistic_noise"
    )
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--draws", type=int, default=24)
    given = parser.parse_args()
    frame = data.load(given.dataset, "test")
    texts, classifier = (
        frame["text"].tolist(),
        grid.Once(models.load(given.checkpoint, data.labels(given.dataset))),
    )
    clean = classifier.predict_proba(texts).argmax(axis=1)
    print(
        "| perturbation | kappa: mean | standard deviation | range | characters changed "
        "|\n|---|---|---|---|---|"
    )
    for name in given.perturbations.split(","):
        function, kappas, changed = perturb.make(name), [], []
        for seed in range(1, given.draws + 1):
            drawn = perturb.apply(function, frame, given.rate, seed)
            labels = classifier.predict_proba(
                [new or old for old, new in zip(texts, drawn, strict=True)]
            ).argmax(axis=1)
            kappas.append(cohen_kappa_score(clean, labels))
            changed += [
                units.achieved("character", *pair) for pair in zip(texts, drawn, strict=True)
            ]
        mean, spread = statistics.mean(kappas), statistics.stdev(kappas)
        print(
            f"| {name} | {mean:.3f} | {spread:.3f} | {min(kappas):.3f} to {max(kappas):.3f} | "
            f"{statistics.mean(changed):.1%} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
