"""What the instruments can and cannot show: sentences on the tests themselves, computed from the
readers' ratings and from the runs.
"""

from collections.abc import Iterator

import pandas as pd

from helpers import notebooks, tables
from helpers.report import runs
from helpers.report.findings import few, listed
from tahanuji import measure, perturb
from tahanuji.codemix.translators import LANGUAGES

SMALL = 0.05  # of outputs with another right label
THIN = 30  # changed texts below which a test decides little
INSERTION, FORMALITY, GRID = "03_sentence_insertion", "06_formality", "07_perturbation_grid"
MIXING, REGISTERS = "08_code_mixing", "16_registers"


def sentences(found: runs.Collection, rated: pd.DataFrame, agreed: pd.DataFrame) -> list[str]:
    """All of them, of `validity.table`, `validity.agreement` and a profile's runs."""
    said = [*validity(rated), *agreement(agreed)]
    for part in (insertion, formality, regional, mixing, natural, wordings, thin, blind, chance):
        said += part(found)
    return said


def validity(rated: pd.DataFrame) -> list[str]:
    """Which instruments keep the right label, and which change the meaning."""
    inv, other = (rated[rated["test_type"] == kind] for kind in ("INV", "meaning"))
    read = inv[inv["n"] > 0]
    good = read[read["current"] & (read["bound"] < SMALL)]
    said = [
        f"Of {len(inv)} invariance instruments, {len(good)} change the right label in fewer than "
        f"5% of their outputs (one-sided 95% bounds; {int(read['twice'].sum())} outputs read "
        "twice): these can judge at both margins."
    ]
    weak = read[read["current"] & ~read.index.isin(good.index)]
    if len(old := inv[~inv.index.isin([*good.index, *weak.index])]):
        said.append(
            "Not rated as they are today, and therefore without a verdict: "
            f"{listed([f'*{name}*' for name in old['instrument']])}."
        )
    if len(weak):
        bounds = [f"*{row.instrument}* (at most {row.bound:.1%})" for row in weak.itertuples()]
        said.append(f"A margin of 5 points cannot be judged with {listed(bounds)}.")
    if len(other):
        kept = [f"*{row.instrument}* in {row.same_meaning:.0%}" for row in other.itertuples()]
        said.append(
            f"Some perturbations that ought to keep the meaning seldom do: {listed(kept)} of their "
            "outputs. They stand in a class of their own, and no verdict, comparison, mean or "
            "headline counts them. *prejudice* and *swap_number* change a detail on purpose: they "
            "ask for the same label alone."
        )
    broken = read[read["grammatical"] < 0.9].sort_values("grammatical")
    if len(broken):
        shares = [f"{row.instrument} {row.grammatical:.0%}" for row in broken.itertuples()]
        said.append(
            "A kept label does not make a text natural. Readers take these outputs for a speaker's "
            f"sentence in fewer than nine of ten cases: {few(shares)}."
        )
    return said


def agreement(agreed: pd.DataFrame) -> list[str]:
    """How far readers agree, over all pairs of them."""
    label = agreed[agreed["question"] == "label"]
    if label.empty:
        return []
    same = (label["agree"] * label["n"]).sum() / label["n"].sum()
    return [
        f"Two readers of one output gave the same answer on its label in {same:.1%} of "
        f"{int(label['n'].sum())} cases, over all pairs of readers and samples. They are language "
        "models of one family: agreement and validity are upper bounds until speakers have rated."
    ]


def _values(found: runs.Collection, notebook: str, test: str) -> Iterator[tuple[str, pd.Series]]:
    """Per model the metrics of a whole test of a notebook's default run."""
    for run in found.of(notebook, "default"):
        whole = tables.select(run.metrics, test=test, group="all")
        if len(whole):
            yield run.model, whole.drop_duplicates("metric").set_index("metric")["value"]


def insertion(found: runs.Collection) -> list[str]:
    """What the thesis's failure rate counts."""
    counted = [
        f"{value['failure_rate']:.1%} for {model}, whose answer moved away from praise in "
        f"{value['label_away_share']:.1%} and lost more than 0.1 of its probability in "
        f"{value['wrong_way_share']:.1%}"
        for model, value in _values(found, INSERTION, "positive")
    ]
    return [
        "With praise added, Viannisa (2025) accepts only positive (of negative texts also "
        f"neutral), whatever the answer was before; the failures are {'; '.join(counted)}. The "
        "movement is the test here, and her rate takes no part in verdicts."
    ] * bool(counted)


def formality(found: runs.Collection) -> list[str]:
    """What a small net change hides."""
    counted = [
        f"{value['flip_rate']:.1%} of {model}'s answers (of all texts {value['induced_rate']:.1%} "
        f"become wrong and {value['repaired_rate']:.1%} right, net "
        f"{tables.points(value['failure_rate'] - value['clean_error_rate'])} points)"
        for model, value in _values(found, FORMALITY, "informal")
    ]
    return [
        "A small net change can hide many changed answers. Informal wording changes "
        f"{listed(counted)}. Where errors stay within the margin and flips do not, a test is stood "
        "on balance only."
    ] * bool(counted)


def regional(found: runs.Collection) -> list[str]:
    """Flips of the informal wordings that hold no regional word, beside those of all."""
    said, plain = "", []
    for run in found.of(FORMALITY, "default"):
        flips = tables.select(run.metrics, test="informal", metric="flip_rate").set_index("group")
        if "no regional words" in flips.index:
            without, whole = (flips.loc[group] for group in ("no regional words", "all"))
            said = f"{whole['n'] - without['n']} of {whole['n']} informal wordings hold regional"
            plain.append(f"{without['value']:.1%} of {run.model}'s answers")
    return [
        f"Informal and regional are two things: {said} words. The others change {listed(plain)}."
    ] * bool(plain)


def mixing(found: runs.Collection) -> list[str]:
    """How many words became foreign, and whether the similarity threshold binds."""
    said = []
    for run in found.of(MIXING, "default")[:1]:
        table = tables.select(run.metrics, test=LANGUAGES, group="all")
        main = 0.4 if (table["rate"] == 0.4).any() else table["rate"].max()
        value = table[table["rate"] == main].pivot(index="test", columns="metric", values="value")
        value = value.reindex([name for name in LANGUAGES if name in value.index])
        named, bind = (
            listed([f"{LANGUAGES[name]} {share:.0%}" for name, share in value[column].items()])
            for column in ("words_replaced_share", "threshold_binds_share")
        )
        said += [
            f"At R = {main:g} the attacks really make so many of a text's words foreign: "
            f"{named}. Languages are compared at equal shares, not at equal R.",
            "The threshold of similarity changes which words are exchanged in this share of texts: "
            f"{bind}. Where it does not bind, nothing but R bounds the damage to a text.",
        ]
    return said


def natural(found: runs.Collection) -> list[str]:
    """Gross errors broken and repaired, in tweets as people mix them and by an attack."""
    return [
        f"Natural mixing can break and repair: of {model}'s answers to tweets, English words as "
        f"people use them break {value['induced_rate']:.1%} and repair "
        f"{value['repaired_rate']:.1%}. An attack starts from right answers and can only break "
        "them: it compares with the former figure, not with the difference of the two."
        for model, value in _values(found, MIXING, "tweets natural")
    ]


def wordings(found: runs.Collection) -> list[str]:
    """Flips between two wordings of one text, beside flips between two texts."""
    said = []
    for run in found.of(REGISTERS):
        flips = tables.select(run.metrics, metric="flip_rate", group="all").set_index("test")
        for test, row in flips.drop(index="neighbour", errors="ignore").iterrows():
            said.append(
                f"{run.model} labels the two wordings of {row['value']:.1%} of {row['n']} pairs "
                f"differently ({str(test).replace('_', ' ')}, "
                f"{run.about['parameters']['registers']}), and two unrelated texts of similar "
                f"length in {flips.at['neighbour', 'value']:.1%}."
            )
    return said


def thin(found: runs.Collection) -> list[str]:
    """Perturbations that change too few texts to decide much."""
    counts: dict[str, int] = {}
    for run in found.of(GRID, "default"):
        table = tables.select(run.metrics, metric="changed_share", group="all")
        for row in table.itertuples():
            if perturb.REGISTRY[row.test].test_type == "INV":
                many = round(row.value * row.n)
                counts[row.test] = max(counts.get(row.test, 0), many)
    few_texts = [f"{name} ({many})" for name, many in counts.items() if many < THIN]
    if not few_texts:
        return []
    return [
        f"Some perturbations change few of the texts that the grid draws: {listed(few_texts)}. "
        f"A test of {THIN} texts shows a break only where the true share is "
        f"{measure.detectable_shares(THIN, 0.1)[1]:.0%} or more (margin 10 points, 80% power)."
    ]


def blind(found: runs.Collection) -> list[str]:
    """Perturbations that a model does not see."""
    unseen: dict[str, list[str]] = {}
    for run in found.of(GRID, "default"):
        table = tables.select(run.metrics, group="all")
        value = table.pivot_table("value", "test", "metric", "max")
        for test in value.index[(value["changed_share"] > 0) & (value["moved_share"] == 0)]:
            unseen.setdefault(str(test), []).append(run.model)
    return [
        f"*{test}* changes texts and no probability of {listed(names)}: what a model does not see "
        "counts as neither robust nor broken."
        for test, names in unseen.items()
    ]


def chance(found: runs.Collection) -> list[str]:
    """Models that do no better than chance on a task."""
    rows = found.metrics()
    rows = rows[(rows["metric"] == "at_chance") & (rows["value"] == 1) & (rows["group"] == "all")]
    trainings = {
        notebooks.fine_tuning(),
        *notebooks.needing("trainings"),
    }
    rows = rows[~rows["notebook"].isin(trainings)]
    pairs = rows[["model", "dataset"]].drop_duplicates()
    return [
        f"{model} does no better than chance on {dataset}; it is marked there, and leaves "
        "comparisons."
        for model, dataset in pairs.itertuples(index=False)
    ]
