"""What each test of a profile will be able to show, before anything runs: `./run_all.sh PROFILE
--plan`.

The texts are counted in the data sets, without a model. A test's margins are those of its run, and
its power is 80%: the share of changed texts that is shown to lie below a margin, or above it, and
the least difference from clean that the exact McNemar test finds. Where rows belong together
(templates, premises, items) it is reckoned with the number of such clusters, as if the rows of one
always agreed; a perturbation that leaves texts alone has fewer than those counted.
"""

from collections.abc import Callable

import pandas as pd

from helpers import layout, notebooks, parameters
from study import profiles
from tahanuji import commas, data, measure, paths
from tahanuji.errors import unknown

DISCORDANCE = 0.1  # of clean and perturbed answers, where nothing is known of them yet
TRUTH = 0.02  # a true share that a test should be able to show to be small
Counts = list[tuple[str, int, int]]  # of each kind of test: its name, rows and clusters


def whole(given: dict) -> Counts:
    """The test split, or the part of it that a run draws; pairs cluster by their first sentence."""
    test = data.load(given["dataset"], "test")
    rows = min(given.get("test_rows") or len(test), len(test))
    clusters = test["text"].nunique() if "text_pair" in test else len(test)
    return [("", rows, round(clusters * rows / len(test)))]


def negated(given: dict) -> Counts:
    """The texts of the test split with the negation word."""
    from tahanuji.perturb import negation

    texts = data.load(given["dataset"], "test")["text"]
    rows = sum(negation.contains(text, given["word"]) for text in texts)
    return [("", rows, rows)]


def triplets(given: dict) -> Counts:
    """The triplets of formality."""
    from tahanuji.perturb import formality

    rows = len(formality.load(given["triplets"]))
    return [("", rows, rows)]


def registers(given: dict) -> Counts:
    """The pairs of wordings, and the items that they come from."""
    from tahanuji import registers as wordings

    pairs = wordings.load(given["registers"])
    return [("", len(pairs), pairs["item"].nunique())]


def cases(given: dict) -> Counts:
    """The cases of a median capability of each type, and their templates."""
    from tahanuji import checklist

    expanded = checklist.expand(checklist.read())
    groups = expanded.groupby(["test_type", "capability"])["template"].agg(["size", "nunique"])
    middle = groups.groupby("test_type").median().round().astype(int)
    return [(f"{name}, each capability", *counts) for name, *counts in middle.itertuples()]


def inference(given: dict) -> Counts:
    """The pairs of a median test of the suite of inference, and the sentences they were made of."""
    from tahanuji import nli

    suite = nli.load_suite()
    groups = suite[suite["expected"] != ""].groupby("test")["case"].agg(["size", "nunique"])
    return [("MFT, each test", *groups.median().round().astype(int))]


def tagged(given: dict) -> Counts:
    """The rows of a task of tags or aspects; their spans and cells are clusters of one row."""
    from tahanuji.tagging import corpus

    test = corpus.load(given["dataset"], "test")
    rows = min(given["test_rows"] or len(test), len(test))
    return [("", rows, rows)]


def phenomena(given: dict) -> Counts:
    """The minimal pairs of a median phenomenon."""
    from tahanuji import minimal_pairs

    rows = round(minimal_pairs.load(given["dataset"])["phenomenon"].value_counts().median())
    return [("MFT, each phenomenon", rows, rows)]


TEXTS: dict[str, Callable[[dict], Counts]] = {
    "test": whole,
    "negated": negated,
    "triplets": triplets,
    "registers": registers,
    "cases": cases,
    "inference": inference,
    "tagged": tagged,
    "phenomena": phenomena,
}


def table(profile: str) -> pd.DataFrame:
    """A row per notebook, variant, kind of test and margin: `notebook, variant, tests, texts,
    clusters, margin`, `stands` (shown below the margin where the true share is at most this),
    `breaks` (shown above it where at least this), `difference`; InputError for an unknown profile.
    """
    if not profiles.configuration(profile).is_file():
        raise unknown("profile", profile, parameters.profiles())
    config = paths.read_yaml(profiles.configuration(profile))
    runs = dict.fromkeys((notebook, variant) for _, notebook, variant in profiles.planned(config))
    rows = []
    for notebook, variant in runs:
        source = notebooks.every()[notebook].texts
        if source and "seed_" not in variant:
            given = settings(config, notebook, variant)
            for kind, texts, clusters in TEXTS[source](given):
                for margin in commas.numbers(given["margins"]):
                    named = (notebook, variant, kind, texts, clusters, margin)
                    rows.append((*named, *measure.detectable_shares(clusters, margin)))
    columns = ["notebook", "variant", "tests", "texts", "clusters", "margin", "stands", "breaks"]
    planned = pd.DataFrame(rows, columns=columns)
    least = {n: measure.detectable_difference(n, DISCORDANCE) for n in set(planned["clusters"])}
    return planned.assign(difference=planned["clusters"].map(least))


def settings(config: dict, notebook: str, variant: str) -> dict:
    """The parameters of a run: the notebook's own, with those of the profile and the variant."""
    declared = parameters.declared(layout.NOTEBOOKS / f"{notebook}.ipynb")
    own = {name: parameter.default for name, parameter in declared.items()}
    return own | {"dataset": config["dataset"]} | (config["runs"][notebook][variant] or {})


def printed(planned: pd.DataFrame) -> str:
    """The table for reading, and how many texts each margin needs."""
    shown = planned.assign(
        tests=planned["tests"].where(planned["tests"] != "", "all"),
        margin=[f"{margin:.0%}" for margin in planned["margin"]],
        stands=[worded("at most", share) for share in planned["stands"]],
        breaks=[worded("at least", share) for share in planned["breaks"]],
        difference=[worded("at least", share) for share in planned["difference"]],
    )
    needed = [
        f"To show a share below {margin:.0%} where it is {TRUTH:.0%} takes "
        f"{measure.texts_needed(margin, TRUTH)} texts."
        for margin in sorted(set(planned["margin"]))
        if margin > TRUTH
    ]
    about = (
        "With 80% power and one-sided 95% bounds a test is shown to stand where the true share is "
        "`stands`, and to break where it is `breaks`; `difference` from clean is what the exact "
        f"McNemar test finds where {DISCORDANCE:.0%} of the answers change."
    )
    return "\n".join([shown.to_string(index=False), "", about, *needed])


def worded(side: str, share: float | None) -> str:
    """A share with its side, or `none`."""
    return "none" if pd.isna(share) else f"{side} {share:.1%}"


def main(words: list[str]) -> int:
    """Print what the tests of a profile will be able to show."""
    planned = table(*(words or ["embedded"]))
    print("No test of this profile ends in a verdict." if planned.empty else printed(planned))
    return 0
