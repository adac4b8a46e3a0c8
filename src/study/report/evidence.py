"""The numbers that a claim is decided by, and what the models of a profile say of every claim.

A statistic makes `tahanuji.claims.EVIDENCE`, a row per model and item; `first` and `second` are the
two sides of a comparison, for the reader.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from scipy.stats import binomtest, mannwhitneyu

from study.report import decisions, grids, indonlu
from tahanuji import data, measure, paths
from tahanuji.claims import EVIDENCE, OUTCOMES, Claim, conditions, meets, outcome, read
from tahanuji.codemix import results as mixing
from tahanuji.codemix.translators import LANGUAGES
from tahanuji.measure import Estimate
from tahanuji.results import Results, estimates, select

FILE = paths.DATA / "published" / "claims.csv"
COLUMNS = [*EVIDENCE, "first", "second"]
FEWEST_TASKS = 6  # of six that all point one way a sign test has p = 0.03, of five 0.06


@dataclass(frozen=True)
class Source:
    """What a statistic looks at: the results, and their verdicts (`decisions.judged`) at a
    margin.
    """

    results: Results
    judged: pd.DataFrame
    margin: float

    def where(self, *texts: str) -> dict:
        """Conditions of a claim; `dataset=main` is that of most runs."""
        chosen = {name: value for text in texts for name, value in conditions(text).items()}
        if chosen.get("dataset") == "main":
            chosen["dataset"] = sorted(self.results.datasets)
        return chosen

    def rows(self, where: dict) -> pd.DataFrame:
        """Metrics of default runs and whole tests, where the conditions name no others."""
        return self.results.select(**({"variant": "default", "group": "all"} | where))


def table(source: Source) -> pd.DataFrame:
    """A row per claim: its fields, `outcome`, `decided` (how many models decide it), `models` that
    ran its test, and `items`, the evidence.
    """
    rows = []
    for claim in read(data.read_table(FILE)):
        items = evidence(claim, source)
        shown = [claim.shows(own, source.margin) for _, own in items.groupby("model", sort=False)]
        models = list(dict.fromkeys(items["model"]))
        rows.append({**vars(claim), "outcome": outcome(shown), "models": models, "items": items})
    return pd.DataFrame(rows)


def counted(claims: pd.DataFrame) -> pd.Series:
    """How many claims come to each outcome, those that none comes to left out."""
    counts = claims["outcome"].value_counts().reindex(OUTCOMES, fill_value=0)
    return counts[counts > 0]


def evidence(claim: Claim, source: Source) -> pd.DataFrame:
    """The numbers of a claim (COLUMNS), model by model in the order of the results."""
    rows = pd.DataFrame(STATISTICS[claim.statistic](claim, source)).reindex(columns=COLUMNS)
    return rows.assign(usable=rows["usable"].fillna(True).astype(bool))


def metric(claim: Claim, source: Source) -> list[dict]:
    """Numbers of metrics.csv, an item per test."""
    where = source.where(claim.selection)
    rows = source.rows(where)
    del where["metric"]
    keys = ["model", "title"]
    numbers = source.rows(where).pivot_table("value", keys, "metric", aggfunc="first")
    return [
        _item(row["model"], row["title"], one)
        | {"usable": meets(claim.provided, numbers.loc[row["model"], row["title"]])}
        for (_, row), one in zip(rows.iterrows(), estimates(rows), strict=True)
    ]


def verdict(claim: Claim, source: Source) -> list[dict]:
    """Verdicts of the matrix."""
    rows = select(source.judged, **source.where(claim.selection))
    return [
        _item(row["model"], row["label"], one) | {"verdict": row["shown"]}
        for (_, row), one in zip(rows.iterrows(), estimates(rows, "lower", "upper"), strict=True)
    ]


def gap(claim: Claim, source: Source) -> list[dict]:
    """The first number less the second; its interval excludes 0 where theirs lie apart. A side
    `as=value` counts without its interval.
    """
    first, second = _sides(claim, source)
    if "model" in source.where(claim.first):  # two models, and not two rows of each
        names = [" and ".join(_models(claim))]
        first, second = (dict(zip(names, side.values(), strict=False)) for side in (first, second))
    return [
        _compared(model, one, other, one.low - other.high, one.high - other.low)
        for model, one in first.items()
        if (other := second.get(model))
    ]


def tasks(claim: Claim, source: Source) -> list[dict]:
    """Mean macro-F1 over the tasks of IndoNLU that two models ran, the first less the second (exact
    sign test over tasks); as `gap` where they are fewer than six, which no sign test decides.
    """
    pair = _models(claim)
    scores = indonlu.macro_f1(source.results).pivot(
        index="task", columns="model", values="macro_f1"
    )
    both = scores.reindex(columns=pair).dropna() / 100
    if len(both) < FEWEST_TASKS:
        return gap(claim, source)
    one, other = (Estimate(both[name].mean(), n=len(both)) for name in pair)
    apart = (both[pair[0]] - both[pair[1]]).loc[lambda less: less != 0]
    ahead = int((apart > 0).sum())
    p = binomtest(ahead, len(apart)).pvalue if len(apart) else 1.0
    about = {"item": f"ahead in {ahead} of {len(both)} tasks,", "p": p}
    return [_compared(" and ".join(pair), one, other) | about]


def _models(claim: Claim) -> list[str]:
    """The two models that a claim compares."""
    return [conditions(side)["model"] for side in (claim.first, claim.second)]


def _sides(claim: Claim, source: Source) -> list[dict[str, Estimate]]:
    """Both sides of a comparison."""
    return [_side(claim, side, source) for side in (claim.first, claim.second)]


def _side(claim: Claim, side: str, source: Source) -> dict[str, Estimate]:
    """One side of a comparison: the first number of every model."""
    where = source.where(claim.selection, side)
    bare = where.pop("as", "") == "value"
    rows = source.rows(where).drop_duplicates("model")
    return {
        model: Estimate(one.value, one.value, one.value, one.n) if bare else one
        for model, one in zip(rows["model"], estimates(rows), strict=True)
        if one
    }


def stood(claim: Claim, source: Source) -> list[dict]:
    """How many tests the first of two models stands more than the second."""
    rows = select(source.judged, **source.where(claim.selection))
    pair = _models(claim)
    if not {*pair} <= {*rows["model"]}:
        return []
    counts = [float(len(select(rows, model=name, verdict=decisions.STANDS))) for name in pair]
    more = counts[0] - counts[1]
    return [_compared(" and ".join(pair), *map(Estimate, counts), more, more)]


def share(claim: Claim, source: Source) -> list[dict]:
    """Of the predictions that fit `first` those that fit `second`, a share per test."""
    items = []
    for run in _default(source, claim):
        rows = run.predictions().query(claim.first, engine="python")
        for test, own in rows.groupby("test"):
            count = len(own.query(claim.second, engine="python"))
            one = Estimate(*measure.share(count, len(own)), len(own))
            items.append(_item(run.model, test, one))
    return items


def unpaired(claim: Claim, source: Source) -> list[dict]:
    """Two shares of different rows (Fisher's exact test)."""
    first, second = _sides(claim, source)
    items = []
    for model, one in first.items():
        if other := second.get(model):
            counts = [number for x in (one, other) for number in (round(x.value * x.n), int(x.n))]
            items.append(_compared(model, one, other) | {"p": measure.unpaired(*counts)})
    return items


def paired(claim: Claim, source: Source) -> list[dict]:
    """Texts that turn wrong under the first and under the second test (exact McNemar test);
    `beyond=first` counts of the second those that the first spares.
    """
    items = []
    sides = [source.where(claim.selection, side) for side in (claim.first, claim.second)]
    beyond = sides[1].pop("beyond", "")
    for run in _default(source, claim):
        rows = run.predictions()
        wrong = [
            select(rows, test=side["test"], rate=side["rate"]).set_index("id")["induced"]
            for side in sides
        ]
        if not all(map(len, wrong)):
            continue
        one, other = (side.astype(bool).reindex(wrong[0].index) for side in wrong)
        other = other & ~one if beyond else other
        pair = [
            Estimate(*measure.share(int(side.sum()), len(side)), len(side)) for side in (one, other)
        ]
        more = _dose(run, sides[1]) - _dose(run, sides[0])
        items.append(
            _compared(run.model, *pair)
            | {
                "p": measure.compare(one, other)["p"],
                "usable": meets(claim.provided, {"words_replaced_share": more}),
            }
        )
    return items


def dose(claim: Claim, source: Source) -> list[dict]:
    """What English costs more than another language where as many words are really replaced."""
    items = []
    for run in _default(source, claim):
        rows = run.predictions()
        rows = select(rows, test=LANGUAGES) if {"replaced", "words"} <= {*rows} else rows.iloc[:0]
        names = [name for name in LANGUAGES if name in set(rows["test"])]
        costs = mixing.equal_dose(rows, names, mixing.DOSE, run.seed) if names else pd.DataFrame()
        for row in select(costs, test=source.where(claim.selection)["test"]).itertuples():
            if pd.notna(row.difference):
                one = Estimate(row.difference, row.low, row.high, row.n)
                items.append(_item(run.model, LANGUAGES[row.test], one))
    return items


def ranks(claim: Claim, source: Source) -> list[dict]:
    """Mean kappa of the other levels less that of the first (rank test of perturbations), of those
    that change at least half of the texts, at rated rates and where the model is above chance.
    """
    runs = [run for run in source.results.of(**source.where(claim.selection)) if not run.repeat]
    cells = grids.cells(runs)
    means = cells.groupby(["model", "level", "perturbation"])[["kappa", "changed"]].mean()
    means = means[means["changed"] >= 0.5].reset_index()
    level, items = conditions(claim.first)["level"], []
    for model in source.results.models:
        own = means[means["model"] == model]
        sides = [own.loc[side, "kappa"] for side in (own["level"] != level, own["level"] == level)]
        if all(map(len, sides)):
            pair = [Estimate(side.mean(), n=len(side)) for side in sides]
            p = mannwhitneyu(*sides[::-1]).pvalue
            items.append(_compared(model, *pair) | {"p": p})
    return items


def probes(claim: Claim, source: Source) -> list[dict]:
    """Probe sentences labelled as intended, after and before fine-tuning."""
    items = []
    for run in _default(source, claim):
        path = run.folder / "probes.csv"
        rows = data.read_table(path) if path.is_file() else pd.DataFrame()
        if len(rows):
            pair = [Estimate((rows[name] == rows["gold"]).mean()) for name in ("before", "after")]
            items.append(_compared(run.model, *pair))
    return items


STATISTICS: dict[str, Callable[[Claim, Source], list[dict]]] = {
    one.__name__: one
    for one in (metric, verdict, gap, tasks, stood, share, unpaired, paired, dose, ranks, probes)
}


def _default(source: Source, claim: Claim) -> list:
    """The default runs of a claim's notebook, in the order of the models."""
    named = source.where(claim.selection)
    return source.results.of(named["notebook"], "default")


def _item(model: str, item: str, one: Estimate) -> dict:
    ends = {"value": one.value, "low": one.low, "high": one.high, "n": one.n}
    return {"model": model, "item": item, **ends}


def _compared(
    model: str,
    first: Estimate,
    second: Estimate,
    low: float = float("nan"),
    high: float = float("nan"),
) -> dict:
    """The evidence of a difference of two numbers."""
    one = Estimate(first.value - second.value, low, high, first.n)
    return _item(model, "", one) | {"first": first, "second": second}


def _dose(run, side: dict) -> float:
    """The share of words that a code-mixing test replaces."""
    asked = {"test": side["test"], "rate": side["rate"], "group": "all"}
    rows = select(run.metrics, metric="words_replaced_share", **asked)
    return rows["value"].iloc[0] if len(rows) else float("nan")
