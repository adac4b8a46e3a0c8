"""Classifiers hardened in several ways, tried on the same texts: clean ones, changed ones, people's
own wordings and mixtures, attacks, and written cases.

What a defence uses and what it is judged by share no entry of a word list, no capability and no
text: defences use the half `hardening` of the lists, and tests that put in words of a list are
given for either half.
"""

import time
from collections.abc import Callable, Iterable

import pandas as pd

from tahanuji import (
    behaviour,
    checklist,
    data,
    grid,
    measure,
    predict,
    registers,
    training,
)
from tahanuji.codemix import mixing, natural
from tahanuji.codemix import results as mixed
from tahanuji.errors import InputError
from tahanuji.harden import defences, halves
from tahanuji.harden.adversarial import ALPHA, RATE, Half
from tahanuji.instrument import Instrument, instrument

PLAIN = "undefended"
CASES = 40  # of a capability, written ones on top; those of a template are one cluster
HELD = 10  # one of so many training texts chooses the epoch
CLEAN, ADDED, FLIPS, FAILS = "errors", "errors added", "flips", "failures"
ALL = ": all tests"
HOSTILE = f"hostile mixing{ALL}"
SKILLS = {"hardening": "skills, capabilities of templates", "tests": "skills, other capabilities"}
SEEN, UNSEEN = "words of the defences", "other words"
CHANGES = (  # perturbation, rate, options
    ("typos", 0.3, {}),
    ("typos", 1.0, {}),
    ("keyboard", 0.1, {}),
    ("ocr", 0.1, {}),
    ("leetspeak", 0.3, {}),
    ("spelling", 0.1, {}),
    ("realistic_noise", 0.1, {}),
    ("contraction", 1.0, {}),
    ("slang", 1.0, {}),
    ("prefix_dropping", 1.0, {}),
    ("code_mixing", 0.4, {"into": "en"}),
    ("code_mixing", 0.4, {"into": "su"}),
    ("word_case", 1.0, {}),
    ("emoji", 1.0, {}),
    ("laughter", 1.0, {}),
    ("insert_adverb", 1.0, {}),
    ("prejudice", 1.0, {}),
    ("synonym_lexicon", 0.3, {}),
)
KEPT = (
    "group",
    "family",
    "test",
    "rate",
    "id",
    "cluster",
    "gold",
    "clean_label",
    "perturbed_label",
)
KEPT += ("changed", "moved", "flip", "induced", "repaired", "failure", "quantity", "cost")
LISTED = ("contraction", "spelling", "code_mixing", "slang")  # put in words of a list


def slices(train: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training rows to learn from and the tenth of them that chooses the epoch, so that neither the
    validation nor the test split has a part in training.

    >>> rows = data.describe(pd.DataFrame({"id": list("abcdefghij")}), name="own")
    >>> [len(part) for part in slices(rows, 1)]
    [9, 1]
    """
    held = grid.drawn(train, len(train) // HELD, seed)
    kept = train[~train["id"].isin(held["id"])].reset_index(drop=True)
    source = train.attrs["source"]
    parts = (kept, "train"), (held.reset_index(drop=True), "validation")
    return tuple(
        data.describe(part, **{**source, "name": f"{source['name']}, slice for {use}"})
        for part, use in parts
    )


def hardened(job: training.Job, names: str, train, valid, chosen: dict) -> tuple[object, dict]:
    """A classifier trained under defences, and what it cost.

    Parameters
    ----------
    job : training.Job
        The checkpoints go into a folder below its own that is named for the defences.
    names : str
        As `defences.named` takes them; empty: plain training.
    train, valid : DataFrame
        As `slices` gives them.
    chosen : dict
        As `training.settings` gives them.

    Returns
    -------
    tuple
        The classifier, and what the notebook says of its cost: `defence, seconds of training`.

    Raises
    ------
    InputError
        As `defences.fit`.
    """
    own = job.below(names.replace(" ", "_") or PLAIN)
    classifier = defences.fit(names, own, train, valid, chosen)
    seconds = own.facts.get("training_seconds")
    return classifier, {"defence": names or PLAIN, "seconds of training": seconds}


def tests(frame: pd.DataFrame, seed: int) -> dict[Instrument, list]:
    """The changed texts of a frame's rows by instrument, as `behaviour.rows` takes them; of
    instruments that put in words of a list those with words of either half.

    >>> from tahanuji import models
    >>> made = tests(models.examples(3), 1)
    >>> [one.test for one in made if one.perturbation == "contraction"]
    ['contraction, words of the defences', 'contraction, other words']
    """
    made = {}
    for name, rate, options in CHANGES:
        into = f" {options['into']}" if options else ""
        one = instrument(name, rate=rate, test=f"{name.replace('_', ' ')}{into}", **options)
        texts = one.apply(frame, seed)
        if name not in LISTED:
            made[one] = texts
            continue
        pairs = list(zip(data.inputs(frame), texts, strict=True))
        for half, said in zip(halves.HALVES, (SEEN, UNSEEN), strict=True):
            own = instrument(name, rate=rate, test=f"{one.test}, {said}", **options)
            made[own] = [halves.kept(*pair, half) for pair in pairs]
    return made


def rows(classifier, parts: Iterable[Callable]) -> pd.DataFrame:
    """A row per text and test, of all tests.

    Parameters
    ----------
    classifier
        Anything with `labels` and `predict_proba`.
    parts : iterable of callable
        What the functions below make: each takes the classifier and gives such rows.

    Returns
    -------
    DataFrame
        The columns of `behaviour.rows` where a test has them, `family` (of changes, where it has
        one), `quantity` and `cost`, the row's share in it: `errors` of unchanged texts, `errors
        added` (1 induced, -1 repaired) of changed texts with a right label, `flips` of wordings
        without one, `failures` of written cases.
    """
    table = pd.concat([part(classifier) for part in parts], ignore_index=True)
    table["cluster"] = table["cluster"].fillna(table["id"])
    table["family"] = table["family"].fillna("")
    return table.astype({"cost": int})


def timed(function: Callable, *values) -> tuple[object, float]:
    """What a function gives, and the seconds of the processor that it took."""
    began = time.process_time()
    return function(*values), time.process_time() - began


def kept(table: pd.DataFrame) -> pd.DataFrame:
    """What predictions.csv keeps of `rows`: labels and outcomes, no texts and no probabilities."""
    return table[[name for name in KEPT if name in table]]


def unchanged(frame: pd.DataFrame, test: str) -> Callable:
    """The errors on a frame's texts."""

    def asked(classifier) -> pd.DataFrame:
        shares = classifier.predict_proba(data.inputs(frame))
        said = predict.classified(frame, shares, classifier.labels)
        wrong = said["label"] != said["gold"]
        said = said.rename(columns={"label": "perturbed_label"})[["id", "gold", "perturbed_label"]]
        return said.assign(test=test, quantity=CLEAN, failure=wrong, cost=wrong, cluster=said["id"])

    return asked


def changed(frame: pd.DataFrame, texts: dict) -> Callable:
    """The errors that changes add to a frame's texts."""

    def asked(classifier) -> pd.DataFrame:
        table = added(behaviour.rows(classifier, frame, texts))
        return table.assign(family=table["test"].map(of))

    of = {behaviour.named(one).test: family(one) for one in texts}
    return asked


def family(test: Instrument | str) -> str:
    """What a family of changes is called in the tables: `typing: all tests`."""
    name = test.family if isinstance(test, Instrument) else "mixing by people"
    return f"{name}{ALL}"


def added(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of `behaviour.rows` with what they cost."""
    cost = table["induced"].astype(int) - table["repaired"].astype(int)
    return table.assign(quantity=ADDED, cost=cost)


def reworded(name: str, test: str, seed: int) -> Callable:
    """The labels that differ between two wordings of one meaning (`registers.load`)."""
    pairs = registers.load(name)

    def asked(classifier) -> pd.DataFrame:
        table = registers.rows(classifier, pairs, seed)
        table = table[table["test"] == "informal"].assign(test=test, quantity=FLIPS)
        return table.assign(cost=table["flip"]).drop(columns=["by_answer", "induced", "repaired"])

    return asked


def attacked(frame: pd.DataFrame, dataset: str, seed: int, plain) -> Callable:
    """The errors that hostile English adds, with words of either half: texts mixed against the
    undefended classifier (`old`), and against the one that is asked (`fresh`).
    """
    how = {"rate": RATE, "seed": seed, "alpha": ALPHA}
    blend = mixing.named("en", "lexicon", "characters", dataset, plain, **how)
    sides = [
        (Half(blend.translators[0], half), said)
        for half, said in zip(halves.HALVES, (SEEN, UNSEEN), strict=True)
    ]

    def against(classifier, kind: str) -> list[pd.DataFrame]:
        parts = []
        for translator, said in sides:
            blend.translators = [translator]
            test = f"hostile English, {kind}, {said}"
            made = mixed.as_tests(blend.attack(classifier, frame, [how["rate"]]))
            parts.append(made.assign(test=test, rate=float("nan")))
        return parts

    old = {one["test"].iloc[0]: list(one["perturbed"]) for one in against(plain, "old")}

    def asked(classifier) -> pd.DataFrame:
        stale = behaviour.rows(classifier, frame, old)
        fresh = against(classifier, "fresh")
        table = added(pd.concat([stale, *fresh], ignore_index=True))
        return table.assign(family=HOSTILE)

    return asked


def people(dataset: str, seed: int) -> list[Callable]:
    """Texts that people wrote for other ends: reviews and tweets of NusaX that the data set does
    not hold, wordings of STIF-Indonesia and COPAL-ID, and tweets that mix English, beside their
    Indonesian versions.
    """
    own = pd.concat([data.load(dataset, split) for split in data.available(dataset)])
    second, tweets = data.load("nusax_indonesian", "test"), natural.pairs()
    fresh = second[~letters(second["text"]).isin(letters(own["text"]))].reset_index(drop=True)
    fresh.attrs = second.attrs
    return [
        unchanged(fresh, "NusaX, unchanged"),
        reworded("stif", "customers' tweets, informal (STIF)", seed),
        reworded("copal", "colloquial wording (COPAL)", seed),
        changed(tweets, {"English mixed by people": list(tweets["mixed"])}),
    ]


def letters(texts: pd.Series) -> pd.Series:
    """Texts by their letters alone, so that marks and blanks hide no repetition."""
    return texts.str.lower().str.replace(r"\W+", "", regex=True)


def skills() -> Callable:
    """The written cases that fail, of the capabilities that `templates` may train on and of the
    others.
    """
    cases = checklist.expand(checklist.read(), CASES)
    half = cases["capability"].map(halves.of).map(SKILLS)

    def asked(classifier) -> pd.DataFrame:
        answers = checklist.predicted(classifier, cases, "fp32")
        judged = checklist.judge(cases, answers, classifier.labels).assign(half=half)
        judged = judged[judged["counted"].astype(bool)]
        columns = {"test": judged["half"] + ", " + judged["test_type"], "gold": judged["expected"]}
        columns |= {"cluster": judged["capability"] + "/" + judged["template"].astype(str)}
        columns |= {
            "perturbed_label": judged["changed_label"].where(
                judged["changed_label"] != "", judged["label"]
            )
        }
        table = judged[["id", "failure"]].assign(**columns, quantity=FAILS, changed=True)
        return table.assign(cost=table["failure"])

    return asked


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """What every defence costs in every test, and the difference from the undefended classifier.

    Parameters
    ----------
    table : DataFrame
        As `rows` gives them, with `group`, the defence; ids and tests are the same for all.

    Returns
    -------
    DataFrame
        `measure.COLUMNS`, group the defence: of every test and family of changes the metric of its
        quantity (`errors`, `errors_added`, `flips`, `failures`; shares of its rows) and
        `<metric>_change`, the same less that of the undefended classifier; 95% intervals (t over
        clusters).

    Raises
    ------
    InputError
        Where a defence was not asked what the undefended classifier was.
    """
    said = []
    first = table["quantity"] == CLEAN
    parts = [table[first], of_families(table), table[~first]]  # the order of reading
    table = pd.concat(parts, ignore_index=True)
    for (test, rate), part in table.groupby(["test", "rate"], sort=False, dropna=False):
        plain = part[part["group"] == PLAIN].set_index("id")["cost"]
        metric = part["quantity"].iloc[0].replace(" ", "_")
        for name, own in part.groupby("group", sort=False):
            if set(own["id"]) != set(plain.index) or len(own) != len(plain):
                raise InputError(f"{test}: {name} was asked other texts than {PLAIN}.")
            other = plain.loc[own["id"]].to_numpy()
            for end, base in (("", 0 * other), ("_change", other)):
                gap = measure.change_difference(own["cost"].to_numpy(), base, own["cluster"])
                ends = gap["difference"], gap["low"], gap["high"], len(own)
                said.append((test, rate, name, metric + end, *ends))
    return pd.DataFrame(said, columns=measure.COLUMNS)


def of_families(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of all tests of a family and quantity as those of one test, named for the family."""
    own = table[table["family"].fillna("") != ""]
    about = own["test"] + " " + own["rate"].fillna(0).astype(str) + " " + own["id"]
    return own.assign(test=own["family"], rate=float("nan"), id=about)


def table(metrics: pd.DataFrame) -> pd.DataFrame:
    """What `compared` gives for reading, in points of the rows: a row per test and a column per
    defence, with an arrow where the 95% interval of the difference from the undefended classifier
    excludes 0: ↓ fewer errors, flips or failures, ↑ more.
    """
    keys = ["test", "rate", "group"]
    metrics = metrics.assign(test=[measure.title(*key) for key in metrics[keys[:2]].to_numpy()])
    ends = metrics["metric"].str.endswith("_change")
    change = metrics[ends].set_index(["test", "group"])
    arrows = (change["ci_high"] < 0).map({True: " ↓", False: ""})
    arrows += (change["ci_low"] > 0).map({True: " ↑", False: ""})
    own = metrics[~ends].set_index(["test", "group"])
    cells = (100 * own["value"]).map("{:.1f}".format) + arrows
    columns, rows = metrics["group"].unique(), metrics["test"].unique()
    return cells.unstack()[list(columns)].loc[rows].rename_axis(index="test", columns=None)


def summed(metrics: pd.DataFrame) -> list[str]:
    """The tests of a summary: families of changes, and tests that are no change of a text."""
    single = (metrics["metric"] == "errors_added") & ~metrics["test"].str.endswith(ALL)
    return list(metrics.loc[~metrics["test"].isin(metrics.loc[single, "test"]), "test"].unique())


def gains(metrics: pd.DataFrame) -> pd.DataFrame:
    """Per defence: `better` and `worse`, the tests whose difference from the undefended classifier
    excludes 0, of `tests`; and `mean`, the mean over the tests of changed texts of what they cost,
    a share.
    """
    metrics = metrics[~metrics["test"].str.endswith(ALL)]
    own = metrics[metrics["metric"] == "errors_added"]
    change = metrics[metrics["metric"].str.endswith("_change")]
    counts = change.assign(better=change["ci_high"] < 0, worse=change["ci_low"] > 0)
    counts = counts.groupby("group", sort=False).agg(
        better=("better", "sum"), worse=("worse", "sum"), tests=("test", "size")
    )
    return counts.assign(mean=own.groupby("group")["value"].mean())
