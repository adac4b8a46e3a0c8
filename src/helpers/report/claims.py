"""The reference documents' claims beside what the runs of a profile say of them.

A claim is *reproduced* where every model that ran its test shows it, with 95% confidence or a
verdict at the margin; *not reproduced* where every model shows the contrary; *mixed* where one
shows it and another the contrary; *in part* where some models decide it and the others do not;
*open* where none does. Claims are tested one by one, uncorrected.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import pandas as pd
from scipy.stats import mannwhitneyu

from helpers import tables
from helpers.report import codemixing, grid_scores, matrix, published, runs
from helpers.report.findings import listed
from tahanuji import data, measure
from tahanuji.codemix import results
from tahanuji.codemix.translators import LANGUAGES

OUTCOMES = {
    "reproduced": "reproduced by every model that ran their test",
    "reproduced in part": "reproduced by some models, while others cannot tell",
    "mixed": "reproduced by some and contradicted by other models",
    "contradicted in part": "contradicted by some models, while others cannot tell",
    "not reproduced": "contradicted by every model",
    "open": "could not be decided",
}
SURE = 0.05  # the p below which something is shown
LOCAL = ["jv", "su"]  # languages of Indonesia that attacks mix in
OPPOSITE = {"negative": "positive", "positive": "negative"}
PAPER_LOSS = 0.03  # of answers, that IndoRobusta loses on SmSA at R = 0.4
MORE = 0.1  # of the words, by which a larger R has to replace more to say anything
AGREE = 0.8  # kappa from which Romero Alvarado (2023) speaks of a strong agreement
LARGE_MODELS = "needs IndoBERT and mBERT: profile thesis"
Said = tuple[str, bool | None]  # a model's figures in words, and whether they show the claim


@dataclass
class Evidence:
    """What the answers look at: the runs, their verdicts (`matrix.judged`) at a margin, and the
    metrics of default variants.
    """

    found: runs.Collection
    judged: pd.DataFrame
    margin: float
    metrics: pd.DataFrame = field(init=False)

    def __post_init__(self):
        every = self.found.metrics()
        self.metrics = every[(every["variant"] == "default") & (every["group"] == "all")]
        self.judged = self.judged[self.judged["margin"] == self.margin]

    def rows(self, notebook: str, **wanted) -> pd.DataFrame:
        """Metrics of a notebook's whole tests."""
        return tables.select(self.metrics, notebook=notebook, **wanted)

    def models(self, notebook: str) -> list[str]:
        """The models that a notebook was run with."""
        return runs.order(set(self.rows(notebook)["model"]))


def table(found: runs.Collection, judged: pd.DataFrame, margin: float) -> pd.DataFrame:
    """`claim, outcome, models, ours, why, document, place, evidence`, a row per claim; `models`
    names those that the outcome covers where they are fewer than all of the profile.
    """
    evidence = Evidence(found, judged, margin)
    names = {name: about["short"] for name, about in published.documents().items()}
    rows = []
    for claim in data.read_table(published.FOLDER / "claims.csv").itertuples():
        said, why = ANSWERS[claim.answer](evidence)
        ours = "; ".join(f"{model}: {words}" for model, (words, _) in said.items())
        outcome = _outcome([shown for _, shown in said.values()])
        source = (names[claim.document], claim.place, claim.evidence)
        rows.append((claim.claim, outcome, _covered(said, found.models), ours, why, *source))
    columns = ["claim", "outcome", "models", "ours", "why", "document", "place", "evidence"]
    return pd.DataFrame(rows, columns=columns)


def shown(claims: pd.DataFrame) -> pd.DataFrame:
    """The claims as a reader sees them: what covers fewer models names them, evidence its place."""
    some = [f" ({models})" * bool(models) for models in claims["models"]]
    source = " (" + claims["document"] + ", " + claims["place"] + ")"
    return pd.DataFrame(
        {
            "claim": claims["claim"],
            "outcome": claims["outcome"] + some,
            "our runs": claims["ours"],
            "published": claims["evidence"] + source,
            "why": claims["why"],
        }
    )


def _covered(said: dict[str, Said], models: list[str]) -> str:
    """The models that a claim was tested with, in words; empty where they are all there are, or
    none.
    """
    covered = {model for name in said for model in name.split(" and ")}
    return "" if {*models} <= covered or not covered else listed(runs.order(covered))


def sentence(claims: pd.DataFrame) -> str:
    """How many claims come to what, and which models the reproduced ones cover where not all."""
    counts = claims["outcome"].value_counts().reindex(OUTCOMES, fill_value=0)
    whole = next(iter(OUTCOMES))
    fewer = claims.loc[(claims["outcome"] == whole) & (claims["models"] != ""), "models"]
    named = [
        f"{count} by {models} alone, as no other ran it"
        for models, count in fewer.value_counts().items()
    ]
    alone = f" ({', '.join(named)})" * bool(named)
    said = [
        f"{counts[name]} {words}" + alone * (name == whole)
        for name, words in OUTCOMES.items()
        if counts[name]
    ]
    return (
        f"Of {len(claims)} claims of {claims['document'].nunique()} documents: {'; '.join(said)}."
    )


def _outcome(shown: list[bool | None]) -> str:
    decided = {one for one in shown if one is not None}
    if len(decided) != 1:
        return "mixed" if decided else "open"
    whole = ("reproduced", "not reproduced")
    part = ("reproduced in part", "contradicted in part")
    return (part if None in shown else whole)[decided == {False}]


def _share(row) -> str:
    return f"{row['value']:.1%} ({100 * row['ci_low']:.1f} to {100 * row['ci_high']:.1f})"


def _verdicts(evidence: Evidence, notebook: str, tests: tuple[str, ...] = ()) -> dict[str, Said]:
    """Per model whether it stands all tests of a notebook: the one that adds most errors. On
    balance alone, while labels flip, nothing is shown.
    """
    part = tables.select(evidence.judged, notebook=notebook)
    part = tables.select(part, test=tests) if tests else part
    said = {}
    for model, own in part.groupby("model", sort=False):
        worst = own.loc[own["value"].idxmax()]
        words = (
            f"{worst['label']} {tables.points(worst['value'])} points "
            f"({tables.between(worst['lower'], worst['upper'])}), {matrix.shown(worst)}"
        )
        verdicts = {matrix.shown(row) for row in own.itertuples()}
        shown = True if verdicts == {"stands"} else False if "breaks" in verdicts else None
        said[model] = words, shown
    return said


def _apart(higher, lower) -> bool | None:
    """Whether a share lies above another one, below it, or neither, by their intervals."""
    if higher["ci_low"] > lower["ci_high"]:
        return True
    return False if higher["ci_high"] < lower["ci_low"] else None


def _sure(p: float, difference: float) -> bool | None:
    """Whether a claimed difference is shown, its contrary is, or neither."""
    return bool(difference > 0) if p < SURE else None


def better_indobert(evidence: Evidence) -> tuple[dict, str]:
    """IndoBERT against mBERT: only where both were run."""
    scores = evidence.rows("02_conventional_metrics", metric="macro_f1").set_index("model")
    if not {"indobert", "mbert"} <= set(scores.index):
        return {}, LARGE_MODELS
    first, second = scores.loc["indobert"], scores.loc["mbert"]
    words = f"{_share(first)} against {_share(second)}"
    return {"indobert and mbert": (words, _apart(first, second))}, "intervals apart"


def robust_indobert(evidence: Evidence) -> tuple[dict, str]:
    """Which of the two stands more of the tests of Viannisa (2025); open where as many."""
    part = evidence.judged[evidence.judged["notebook"].str[:2].isin(["03", "04", "05", "06"])]
    stood = part[part["verdict"] == "stands"].groupby("model").size()
    if not {"indobert", "mbert"} <= set(part["model"]):
        return {}, LARGE_MODELS
    counts = [int(stood.get(name, 0)) for name in ("indobert", "mbert")]
    words = f"{counts[0]} against {counts[1]} tests stood"
    shown = None if counts[0] == counts[1] else counts[0] > counts[1]
    return {"indobert and mbert": (words, shown)}, "verdicts counted, no test of their number"


def insertion(evidence: Evidence) -> tuple[dict, str]:
    """Texts of one sentiment that turn to the other one, which is added."""
    said = {}
    for run in evidence.found.of("03_sentence_insertion", "default"):
        rows = run.predictions()
        rows = rows[rows["clean_label"] == rows["test"].map(OPPOSITE)]
        if rows.empty:
            continue
        turned = rows["perturbed_label"] == rows["test"]
        counts = turned.groupby(rows["test"]).agg(["sum", "size"])
        bounds = [measure.share(int(one["sum"]), int(one["size"])) for _, one in counts.iterrows()]
        shown = False if all(high < evidence.margin for *_, high in bounds) else None
        shown = True if any(low > evidence.margin for _, low, _ in bounds) else shown
        words = [
            f"{measure.percent(int(one['sum']), int(one['size']))} of {OPPOSITE[test]} texts turn "
            f"{test} with a {test} sentence"
            for test, one in counts.iterrows()
        ]
        said[run.model] = " and ".join(words), shown
    return said, "shown where either sentence turns more than the margin of the verdicts"


def negation(evidence: Evidence) -> tuple[dict, str]:
    return _verdicts(evidence, "04_negation", ("nggak", "gak")), "errors added, with a margin"


def typos(evidence: Evidence) -> tuple[dict, str]:
    return _verdicts(evidence, "05_typos"), "errors added, with a margin"


def typos_hit(evidence: Evidence) -> tuple[dict, str]:
    """Flips of texts with and without a typo in a sentiment word."""
    every = evidence.found.metrics()
    part = tables.select(every, notebook="05_typos", variant="default", metric="flip_rate")
    said = {}
    for model, own in part.groupby("model", sort=False):
        own = own[own["rate"] == own["rate"][(own["rate"] - 0.3).abs().idxmin()]]
        own = own.set_index("group")
        if not {"hit", "spared"} <= set(own.index):
            continue
        counts = [
            number
            for name in ("hit", "spared")
            for number in (round(own.at[name, "value"] * own.at[name, "n"]), int(own.at[name, "n"]))
        ]
        p = measure.unpaired(*counts)
        words = (
            f"{own.at['hit', 'value']:.1%} flip with such a typo, {own.at['spared', 'value']:.1%} "
        )
        more = own.at["hit", "value"] > own.at["spared", "value"]
        said[model] = f"{words}without (p = {p:.2g})", bool(more) if p < 0.05 else None
    return said, "observed: texts with and without such a typo also differ in length"


def formality(evidence: Evidence) -> tuple[dict, str]:
    """Errors that the informal wording adds to the formal one."""
    part = tables.select(evidence.judged, notebook="06_formality", test=["informal"])
    said = {}
    for row in part.drop_duplicates("model").to_dict("records"):
        words = f"{tables.points(row['value'])} points ({100 * row['lower']:.1f} to "
        shown = True if row["lower"] > 0 else False if row["upper"] < 0 else None
        said[row["model"]] = (
            f"{words}{100 * row['upper']:.1f}) of errors by informal wording",
            shown,
        )
    return said, "triplets of our own; the thirty of Viannisa (2025) cannot show a trend"


def probes(evidence: Evidence) -> tuple[dict, str]:
    """Probe sentences labelled as intended before and after fine-tuning."""
    said = {}
    for run in [run for run in evidence.found.of("01_finetune", "default") if not run.repeat]:
        path = run.folder / "probes.csv"
        rows = data.read_table(path) if path.is_file() else pd.DataFrame({"gold": []})
        if len(rows):
            before, after = ((rows[name] == rows["gold"]).sum() for name in ("before", "after"))
            words = f"{before} of {len(rows)} before, {after} after"
            said[run.model] = words, None
    return said, "a handful of sentences shows and does not measure"


def mixing_costs(evidence: Evidence) -> tuple[dict, str]:
    """Accuracy lost to English at R = 0.4."""
    rows = evidence.rows("08_code_mixing", test="en", metric="induced_rate", rate=0.4)
    said = {
        row["model"]: (
            _share(row) + " of all answers turned wrong",
            True if row["ci_low"] > PAPER_LOSS else False if row["ci_high"] < PAPER_LOSS else None,
        )
        for _, row in rows.iterrows()
    }
    return said, "English, against the paper's 3 points; another lexicon and threshold"


def mixing_english(evidence: Evidence) -> tuple[dict, str]:
    """What English costs more than a local language at one dose, paired on the same texts: shown
    where it costs less than all, its contrary where more than one and less than none.
    """
    dosed, said = codemixing.at_dose(evidence.found), {}
    dosed = dosed[dosed["task"].isin(map(codemixing.task_of, evidence.found.datasets))]
    local = tables.select(dosed, test=LOCAL)
    for model, own in local.dropna(subset="difference").groupby("model", sort=False):
        words = [
            f"English minus {LANGUAGES[row.test]} {tables.points(row.difference)} points "
            f"({tables.between(row.low, row.high)})"
            for row in own.itertuples()
        ]
        less, more = own["high"] < 0, own["low"] > 0
        shown = True if less.all() else False if more.any() and not less.any() else None
        said[model] = ", ".join(words), shown
    return (
        said,
        f"{results.DOSE:.0%} of the words really replaced, where the paper compares at one R",
    )


def mixing_rate(evidence: Evidence) -> tuple[dict, str]:
    """Texts that turn wrong up to R = 0.4, against those that do only at 0.8; open where hardly
    more words become foreign at 0.8, so that no harm is left to do.
    """
    said = {}
    doses = evidence.rows("08_code_mixing", test="en", metric="words_replaced_share")
    doses = doses.pivot(index="model", columns="rate", values="value").reindex(columns=[0.4, 0.8])
    for run in evidence.found.of("08_code_mixing", "default"):
        rows = tables.select(run.predictions(), test="en", rate=[0.4, 0.8])
        wide = rows.pivot(index="id", columns="rate", values="induced").astype(bool)
        if len(wide.columns) == 2:
            early, late = wide[0.4], wide[0.8] & ~wide[0.4]
            p = measure.compare(early, late)["p"]
            half, most = doses.loc[run.model]
            words = (
                f"{early.mean():.1%} turn wrong up to 0.4 ({half:.0%} of words replaced), "
                f"{late.mean():.1%} more up to 0.8 ({most:.0%})"
            )
            fair = most - half >= MORE
            shown = _sure(p, early.mean() - late.mean()) if fair else None
            said[run.model] = f"{words}, p = {p:.2g}", shown
    why = "English, exact test over texts; open where R = 0.8 replaces hardly more words than 0.4"
    return said, why


def mixing_importance(evidence: Evidence) -> tuple[dict, str]:
    """The most important words against random ones, on the same texts, English."""
    said = {}
    for run in evidence.found.of("08_code_mixing", "default"):
        rows = tables.select(run.predictions(), test=["en", "en random"], rate=0.4)
        if rows["test"].nunique() == 2:
            row = results.against(rows, [("en", "en random")]).iloc[0]
            words = (
                f"{row['first_rate']:.1%} turn wrong, {row['second_rate']:.1%} with random words"
            )
            said[run.model] = f"{words} (p = {row['p']:.2g})", _sure(row["p"], row["difference"])
    return said, "English, exact test over texts, with the control that the paper lacks"


def _tunings(evidence: Evidence) -> dict[str, pd.DataFrame]:
    rows = codemixing.defended(evidence.found)
    rows = rows[rows["task"].isin(map(codemixing.task_of, evidence.found.datasets))]
    return {name: own.set_index("tuning") for name, own in rows.groupby("model", sort=False)}


def defence(evidence: Evidence) -> tuple[dict, str]:
    """Joint training under fresh attacks."""
    said = {}
    for model, own in _tunings(evidence).items():
        before, after, random = (own.loc[name] for name in ("undefended", "joint", "random"))
        words = f"{before['fresh']:.1f}% right before, {after['fresh']:.1f}% after joint training, "
        shown = True if after["fresh_low"] > before["fresh_high"] else None
        shown = False if after["fresh_high"] < before["fresh_low"] else shown
        said[model] = f"{words}{random['fresh']:.1f}% after random mixing", shown
    return said, "attacks made afresh for the tuned model; random mixing costs no attack"


def defence_ordinary(evidence: Evidence) -> tuple[dict, str]:
    """Joint training on ordinary texts."""
    said = {}
    for model, own in _tunings(evidence).items():
        before, after = own.loc["undefended"], own.loc["joint"]
        low, high = after["original_low"], after["original_high"]
        words = f"{before['original']:.1f}% to {after['original']:.1f}% ({low:.1f} to {high:.1f})"
        spared = after["original_low"] > before["original"] - 100 * evidence.margin
        shown = False if after["original_high"] < before["original_low"] else None
        shown = True if spared else shown
        said[model] = words, shown
    return said, "shown where a loss of the margin of the verdicts is excluded"


def pretraining(evidence: Evidence) -> tuple[dict, str]:
    """The small encoder against the same network with random weights."""
    scores = evidence.rows("02_conventional_metrics", metric="macro_f1").set_index("model")
    if not {"mini", "mini-scratch"} <= set(scores.index):
        return {}, "needs mini and mini-scratch: profile cpu"
    first, second = scores.loc["mini"], scores.loc["mini-scratch"]
    words = f"{_share(first)} against {_share(second)}"
    return {"mini and mini-scratch": (words, _apart(first, second))}, "one task, the default seed"


def _inference(evidence: Evidence, reader: str) -> pd.DataFrame:
    """A reader's accuracy on IndoNLI's splits: a row per model."""
    every = tables.select(evidence.found.metrics(), notebook="11_indonli", test=reader)
    every = every[every["dataset"].str.startswith("indonli") & (every["metric"] == "accuracy")]
    return every.drop_duplicates(["model", "group"]).pivot(index="model", columns="group")


def nli_expert(evidence: Evidence) -> tuple[dict, str]:
    """Accuracy on pairs by experts and by lay people."""
    said, table = {}, _inference(evidence, "pairs")
    if table.empty:
        return {}, "needs notebook 11 on IndoNLI: profile indonli"
    for model, row in table.iterrows():
        lay, expert = row.xs("lay", level="group"), row.xs("expert", level="group")
        said[model] = f"{_share(expert)} against {_share(lay)}", _apart(lay, expert)
    return said, "no premise of an expert pair was trained on; nearly all of the lay ones were"


def nli_hypothesis(evidence: Evidence) -> tuple[dict, str]:
    """TF-IDF of the hypothesis alone against the most frequent label, on lay pairs."""
    alone, most = _inference(evidence, "hypothesis only"), _inference(evidence, "majority")
    if alone.empty:
        return {}, "needs notebook 11 on IndoNLI: profile indonli"
    own, chance = (table.iloc[0].xs("lay", level="group") for table in (alone, most))
    words = f"{_share(own)}; the most frequent label {_share(chance)}"
    said = {"TF-IDF of the hypothesis": (words, _apart(own, chance))}
    return said, "a linear reader; the paper's is IndoBERT"


def _kappas(evidence: Evidence) -> pd.DataFrame:
    """Mean kappa and share of texts changed by model, level and perturbation."""
    cells = grid_scores.cells(evidence.found)
    if cells.empty:
        return cells
    keys = ["model", "level", "perturbation"]
    return cells.groupby(keys)[["kappa", "changed"]].mean().reset_index()


def grid_levels(evidence: Evidence) -> tuple[dict, str]:
    """Kappa by level of the perturbations that change at least half of the texts."""
    table, said = _kappas(evidence), {}
    if table.empty:
        return {}, "needs notebook 07"
    for model, own in table[table["changed"] >= 0.5].groupby("model", sort=False):
        means = own.groupby("level")["kappa"].mean()
        if "character" not in means or len(means) < 2:
            continue
        words = ", ".join(f"{level} {value:.2f}" for level, value in means.items())
        first = own["level"] == "character"
        p = mannwhitneyu(own.loc[first, "kappa"], own.loc[~first, "kappa"]).pvalue
        others = own.loc[~first, "kappa"].mean()
        said[model] = f"kappa {words} (p = {p:.2g})", _sure(p, others - means["character"])
    return said, "rank test of characters against the others, a perturbation a row"


def _kappa_of(evidence: Evidence, names: tuple[str, ...], shows: Callable) -> dict[str, Said]:
    """Kappa of perturbations that change at least half of the texts and that the model can see."""
    rows, said = evidence.rows("07_perturbation_grid", test=names), {}
    for model, own in rows.groupby("model", sort=False):
        shares = own.pivot_table(index="test", columns="metric", values="value")
        kappa = tables.select(own, metric="kappa").set_index("test")
        usable = (shares["changed_share"] >= 0.5) & (shares["moved_share"] > 0)
        unusable = [
            f"{name.replace('_', ' ')} changes {shares.at[name, 'changed_share']:.0%} of the texts"
            + ", which the model does not see" * bool(shares.at[name, "moved_share"] == 0)
            for name in usable.index[~usable]
        ]
        words = [
            f"kappa {row.Index.replace('_', ' ')} {row.value:.2f} ({row.ci_low:.2f} to "
            f"{row.ci_high:.2f})"
            for row in kappa[usable.reindex(kappa.index)].itertuples()
        ]
        shown = shows(kappa) if usable.all() else None
        said[model] = ", ".join(words + unusable), shown
    return said


def grid_harmless(evidence: Evidence) -> tuple[dict, str]:
    """Kappa of at least 0.8 with punctuation and Twitter's marks."""

    def shows(kappa: pd.DataFrame) -> bool | None:
        within = (kappa["ci_low"] >= AGREE).all()
        return bool(within) if within or (kappa["ci_high"] < AGREE).any() else None

    said = _kappa_of(evidence, ("punctuation", "twitter"), shows)
    return said, f"kappa between clean and perturbed answers, {AGREE} or more"


def grid_harmful(evidence: Evidence) -> tuple[dict, str]:
    """Kappa below 0.8 with adverbs and capitals; a model that lower-cases cannot see capitals."""

    def shows(kappa: pd.DataFrame) -> bool | None:
        below = (kappa["ci_high"] < AGREE).all()
        return bool(below) if below or (kappa["ci_low"] >= AGREE).any() else None

    said = _kappa_of(evidence, ("insert_adverb", "word_case"), shows)
    return said, "our adverbs keep the claim (rated); lower-casing models cannot see capitals"


ANSWERS: dict[str, Callable[[Evidence], tuple[dict, str]]] = {
    "better_indobert": better_indobert,
    "robust_indobert": robust_indobert,
    "insertion": insertion,
    "negation": negation,
    "typos": typos,
    "typos_hit": typos_hit,
    "formality": formality,
    "probes": probes,
    "mixing_costs": mixing_costs,
    "mixing_english": mixing_english,
    "mixing_rate": mixing_rate,
    "mixing_importance": mixing_importance,
    "defence": defence,
    "defence_ordinary": defence_ordinary,
    "pretraining": pretraining,
    "nli_expert": nli_expert,
    "nli_hypothesis": nli_hypothesis,
    "grid_levels": grid_levels,
    "grid_harmless": grid_harmless,
    "grid_harmful": grid_harmful,
}
