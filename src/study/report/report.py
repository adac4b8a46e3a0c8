"""The report of a profile, section by section, for a notebook and for the page."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import pandas as pd
from IPython.display import Markdown, display
from matplotlib.figure import Figure

from helpers import figures, tables
from study.harden import aims
from study.report import (
    appendix,
    charts,
    codemixing,
    decisions,
    evidence,
    examples,
    export,
    failures,
    grids,
    hardened,
    panels,
    runs,
    views,
    words,
)
from study.report.cells import Table
from tahanuji import downloads, measure, models, paths, published, validity
from tahanuji.measure import Estimate
from tahanuji.results import Results, estimates, select

THESIS, CONVENTIONAL = "viannisa2025", "02_conventional_metrics"
COSTLIEST = 2  # tests that an answer names, with a figure for every model
SMALL = 0.05  # of outputs with another right label
MUTE = 0.5  # of answers that name no label, of which a model is said to give none that is readable
NATURAL = 0.9  # of outputs that are a speaker's sentence


@dataclass
class Section:
    """A section: its text as Markdown (where none is given its points, or the template of its
    name), tables, figures, and behind these how to read them, which the page folds; `lead` stands
    above the parts of the text, `points` by name; `folded`: whether its tables are opened one by
    one.
    """

    name: str
    title: str
    text: str | None = None
    tables: list[Table] = field(default_factory=list)
    figures: dict[str, Figure] = field(default_factory=dict)
    lead: str = ""
    points: dict[str, str] | None = None
    folded: bool = False
    legend: str = ""

    @property
    def said(self) -> list[str]:
        """The lead, and the points."""
        return [part for part in (self.lead, *(self.points or {}).values()) if part]


@dataclass(frozen=True, eq=False)
class Report:
    """What the results of a profile decide at a margin, in the words of a language."""

    collected: Results
    margin: float = 0.1
    language: str = "en"
    made: dict[str, Section] = field(default_factory=dict)

    @cached_property
    def config(self) -> dict:
        """The profile's configuration; empty where it has none."""
        return runs.settings(self.collected.profile)

    @cached_property
    def audit(self) -> dict:
        """The profile of an audit; empty for any other."""
        return self.config if "audited" in self.config else {}

    @cached_property
    def results(self) -> Results:
        """The runs that are shown: all but those of controls, which claims alone read."""
        controls = self.config.get("controls", [])
        kept = [run for run in self.collected.runs if run.model not in controls]
        return replace(self.collected, runs=kept)

    @property
    def left_out(self) -> list[str]:
        """What takes no part in an audit, in the report's language if its profile says it so."""
        return self.audit.get(f"left_out_{self.language}", self.audit.get("left_out", []))

    @cached_property
    def compared(self) -> Results:
        """The runs of models that can be compared: of an audit whose other models learnt texts of
        another kind than are tested, the audited one's alone.
        """
        if self.audit.get("compared", True):
            return self.results
        own = [run for run in self.results.runs if run.model == self.audit["audited"]]
        return replace(self.results, runs=own)

    @cached_property
    def own(self) -> pd.DataFrame:
        """The verdicts at the margin of models that can be compared."""
        return self.part[self.part["model"].isin(self.compared.models)]

    @cached_property
    def judged(self) -> pd.DataFrame:
        """The verdicts of all runs at all margins."""
        return decisions.judged(self.collected)

    @cached_property
    def part(self) -> pd.DataFrame:
        """The verdicts at the margin of the runs that are shown."""
        return select(self.judged, margin=self.margin, model=self.results.models)

    @cached_property
    def worst(self) -> pd.DataFrame:
        """The verdicts at the margin, attacks at their worst R."""
        return decisions.at_worst(self.compared, self.own)

    @cached_property
    def between(self) -> pd.DataFrame:
        return self.compared.compare()

    @cached_property
    def moved(self) -> pd.DataFrame:
        return decisions.against_clean(self.results)

    @cached_property
    def claims(self) -> pd.DataFrame:
        judged = select(self.judged, margin=self.margin)
        return evidence.table(evidence.Source(self.collected, judged, self.margin))

    @cached_property
    def ranked(self) -> pd.DataFrame:
        ranked = decisions.ranking(self.compared, self.worst)
        audited = self.audit.get("audited")  # stands first
        return ranked.sort_values("model", key=lambda names: names != audited, kind="stable")

    @cached_property
    def opened(self) -> dict[str, dict[str, Estimate]]:
        """The numbers of the first table (`opening`)."""
        return opening(self)

    @cached_property
    def rated(self) -> pd.DataFrame:
        return validity.table(self.results.language)

    @cached_property
    def agreed(self) -> tuple[float, int]:
        """The share of pairs of readers of one output that agree on its label, and the pairs."""
        return validity.agreed(select(validity.ratings(), language=self.results.language))

    @cached_property
    def drawn(self) -> dict[str, Figure]:
        """The charts, which are in English."""
        return dict(charts.every(self.results, self.grids))

    @cached_property
    def thesis(self) -> Figure:
        """The thesis's table 4.2 beside the runs, drawn."""
        return charts.table_4_2(self.results)

    @cached_property
    def examples(self) -> pd.DataFrame:
        return examples.chosen(self.results)

    @cached_property
    def failing(self) -> pd.DataFrame:
        return failures.every(self.results)

    @cached_property
    def grids(self) -> dict[str, pd.DataFrame]:
        return grids.by_dataset(self.results)

    @cached_property
    def swept(self) -> pd.DataFrame:
        return codemixing.sweep(self.results)

    @cached_property
    def right(self) -> dict[str, dict[str, Estimate]]:
        """The shares right of written cases, by model and group of capabilities."""
        return panels.by_group(self.compared.of(panels.CHECKLIST, "default"))

    @cached_property
    def defended(self) -> list[dict]:
        return hardened.tables(self.results)

    @cached_property
    def beside(self) -> list[Table]:
        """The documents' tables beside the runs."""
        return [*appendix.published(self)]

    @cached_property
    def appended(self) -> list[Table]:
        """The tables that no section but the appendix shows."""
        return [table for table in appendix.every(self) if len(table.frame)]

    @cached_property
    def names(self) -> dict[str, str]:
        """The documents' short names."""
        return {name: about["short"] for name, about in published.documents().items()}

    @property
    def sections(self) -> list[Section]:
        """All sections that a page shows."""
        parts = [one for part in self.parts.values() for one in part["shown"] + part["folded"]]
        return [self.section(name) for name in parts]

    @property
    def parts(self) -> dict[str, dict]:
        """The parts of the page in their order: a title, the sections shown and those folded."""
        every = self.words["parts"]
        return {name: every[name] for name in every if not (self.audit and name == "claims")}

    def section(self, name: str) -> Section:
        """A section, made once."""
        if name not in self.made:
            made = Section(name, self.words["titles"][name])
            SECTIONS[name](self, made)
            if made.text is None:
                pointed = made.points is not None
                made.text = words.listed(made.said) if pointed else self.text(name)
            self.made[name] = made
        return self.made[name]

    @property
    def words(self) -> dict:
        return words.strings(self.language)

    @property
    def texts(self) -> str:
        """What readers call the tested texts: a folder goes by its last part, and those of the
        project by what they are.
        """
        told = {} if self.audit.get("own_texts") else self.words["texts"]
        names = [Path(dataset).name for dataset in self.results.datasets]
        return ", ".join(told.get(name, name) for name in names)

    def text(self, name: str, **values) -> str:
        return words.text(self.language, name, margin=self.margin, found=self, **values)

    def points(self, name: str, **values) -> dict[str, str]:
        return words.points(self.language, name, margin=self.margin, **values)

    def table(
        self,
        name: str,
        frame: pd.DataFrame,
        shown: pd.DataFrame | None = None,
        told: str = "",
        **facts: str,
    ) -> Table:
        """A table with its caption, of its own name if no other is told, filled in."""
        return self.told(Table(name, "", frame, shown, told=told or name, facts=facts))

    def told(self, table: Table) -> Table:
        """A table with its caption in the report's language."""
        if not table.told:
            return table
        facts = {name: words.told(self.language, fact) for name, fact in table.facts.items()}
        return table._replace(caption=self.words["captions"][table.told].format(**facts))

    def told_in(self, language: str) -> "Report":
        """The same decisions in the words of another language, which has those of the answer."""
        other = copy.copy(self)
        vars(other).update(language=language, made={})
        return other

    def show(self, run, *names: str) -> None:
        """Show sections in a notebook, and write their tables and figures into the run's folder."""
        for section in map(self.section, names):
            display(Markdown(section.text))
            for table in section.tables:
                shown = export.save(run, table.frame, table.name, table.caption, table.shown)
                display(views.styled(table.shown) if table.name == "matrix" else shown)
            for name, figure in section.figures.items():
                figures.save(run, figure, name)
            if section.legend:
                display(Markdown(section.legend))

    def save(self, folder: Path) -> None:
        """Write verdicts.csv, model_comparisons.csv, clean_against_perturbed.csv and findings.json,
        the sentences of the report, into a folder.
        """
        frames = {"verdicts": self.judged, "model_comparisons": self.between}
        for name, frame in {**frames, "clean_against_perturbed": self.moved}.items():
            tables.write(folder / f"{name}.csv", frame)
        told = {"": self} | {f" {name}": self.told_in(name) for name in words.LANGUAGES}
        said = {f"Opening{end}": one.section("answer").said for end, one in told.items()}
        said["Answer"] = self.section("details").said
        for end, one in told.items():
            points = one.section("details").points
            said[f"Claims{end}"] = [points["claims"]] if "claims" in points else []
        for name in ("instruments", "findings"):
            said[name.capitalize()] = self.section(name).said
        paths.write_json(folder / "findings.json", said)
        for language in words.LANGUAGES:
            for name, figure in told[f" {language}"].section("answer").figures.items():
                figures.write(folder, figure, f"{name}_{language}")


def answer(report: Report, made: Section) -> None:
    """The answer as a table of plain numbers and a few sentences, and what every family of changes
    costs as a picture.
    """
    results, part, ranked = report.compared, report.own, report.ranked
    said = report.opened
    named = list(said["right"])
    made.lead = _opening_table(report)
    between = select(report.between, first=named, second=named)
    lost = decisions.losses(part, between)
    beyond = decisions.fairness(results, part)["exceeds"]
    made.points = report.points(
        "opening",
        numbers=said,
        models={name: report.words["models"].get(name, _kind(name)) for name in named},
        chance=ranked.loc[ranked["at chance"], "model"].tolist(),
        better=decisions.better(between),
        losses=_losses(lost),
        gained=_gained(lost),
        unreadable=_unreadable(results),
        alike=len(beyond) > 0 and not beyond.any(),
        **_directions(results),
    )
    rows = decisions.families(part)
    wording = report.words["families"]
    skills = panels.Panel.of(report)
    if figure := charts.families(rows, report.margin, wording, report.language, skills):
        made.figures = {"families": figure}


def _opening_table(report: Report, **how) -> str:
    """The first table, `exact` with intervals; nothing where no model has its numbers."""
    told = {model for numbers in report.opened.values() for model in numbers}
    columns = [model for model in report.ranked["model"] if model in told]
    about = {"asked": words.numbers(), "models": columns, "texts": report.texts} | how
    return report.text("opening_table", numbers=report.opened, **about) if columns else ""


def opening(report: Report) -> dict[str, dict[str, Estimate]]:
    """The numbers of the first table by name and model, the model first that is right most
    often; those of models that can be compared and have at least half of what the fullest has.
    """
    of = {"metrics": report.compared.metrics, "verdicts": report.own}
    best = list(report.ranked["model"])
    said, asked = {}, words.numbers()
    for name, where in asked.items():
        named = {key: value for key, value in where.items() if key not in ("of", *words.ABOUT)}
        rows = select(of[where["of"]], **{"variant": "default"} | named)
        for column, wanted in reversed(named.items()):  # of several values the first that is there
            if isinstance(wanted, list):
                at = rows[column].map(wanted.index)
                rows = rows.iloc[at.argsort(kind="stable")]
        rows = rows.drop_duplicates("model")
        bounds = ("lower", "upper") if where["of"] == "verdicts" else ()
        found = dict(zip(rows["model"], estimates(rows, *bounds), strict=True))
        said[name] = {model: found[model] for model in best if model in found}
    told = [said[name] for name, where in asked.items() if not where.get("remedy")]
    counted = {model: sum(model in numbers for numbers in told) for model in best}
    full = {model for model in best if 2 * counted[model] >= max(counted.values())}
    return {
        name: {model: numbers[model] for model in numbers if model in full}
        for name, numbers in said.items()
    }


def details(report: Report, made: Section) -> None:
    """The first table with intervals, which model to deploy, how many families of changes each
    stands, what costs most and little, whether names and groups move more than other words do, and
    in which direction, which claims hold, and what none of it shows.
    """
    results, part = report.compared, report.own
    preference = decisions.preference(report.ranked, part, report.between)
    clean = select(report.between, test="clean", variant="default")["detectable"]
    costs = decisions.costliest(report.worst, COSTLIEST), decisions.unrated(part, COSTLIEST)
    held = decisions.withstood(part)
    registered = downloads.data_sets()
    made.lead = _opening_table(report, exact=True)
    made.points = report.points(
        "details",
        models=list(dict.fromkeys(part["model"])),
        audit=report.audit,
        learnt=_learnt(report),
        apart=[name for name in report.results.models if name not in results.models],
        datasets=[(name, _about(name, registered)) for name in sorted(results.datasets)],
        best=preference.loc[preference["preferred"], "model"].tolist(),
        usable=preference["usable"].any(),
        alone=len(preference) == 1,
        ranked=_ranked(report.ranked[report.ranked["model"].isin(part["model"])]),
        differs=bool(decisions.worse(report.between)),
        detectable=clean.max() if len(clean.dropna()) else None,
        losses=_losses(decisions.losses(part, report.between)),
        tally=decisions.robustness(select(part, type="INV")).to_dict("records"),
        skills=decisions.skills(part).to_dict("records"),
        costs=[_by_test(rows) for rows in costs],
        at_rates=any(_at_rate(rows).any() for rows in costs),
        held=held[held["every"]]["label"].tolist(),
        most=held[held["every"]]["upper"].max(),
        others=_listed(held[~held["every"]].explode("models"), "models", "label"),
        balanced=decisions.balanced(part).to_dict("records"),
        fairness=_fairness(decisions.fairness(results, part)),
        **_directions(results),
        claims={} if report.audit else _claims(report.claims),
        thesis=report.names[THESIS],
        same_texts="smsa" in results.datasets,
        margins=sorted(set(report.judged["margin"])),
        **decisions.unclear(part),
    )


def _unreadable(results: Results) -> dict[str, Estimate]:
    """The share of answers that name no label on unchanged texts, by model, where it is most."""
    rows = results.select(
        metric="unparsable_share", group="all", variant="default", notebook=CONVENTIONAL
    )
    shares = dict(zip(rows["model"], estimates(rows), strict=True))
    return {name: share for name, share in shares.items() if share.value > MUTE}


def _claims(table: pd.DataFrame) -> dict[str, list[str]]:
    """The claims of the thesis by outcome."""
    own = select(table, document=THESIS)
    return {
        name: select(own, outcome=name)["claim"].tolist() for name in evidence.counted(own).index
    }


def _about(name: str, entries: dict) -> str:
    """What a model or data set is, by the first words of its entry."""
    return entries.get(name, {}).get("about", "").split(" (")[0]


def _kind(model: str) -> str:
    """What a model is, in a few words."""
    return _about(model, models.entries()).split(",")[0]


def _ranked(ranked: pd.DataFrame) -> list[dict]:
    accuracies = estimates(ranked, "low", "high", "accuracy")
    rows = zip(ranked["model"], accuracies, ranked["at chance"], strict=True)
    return [dict(zip(("model", "accuracy", "chance"), row, strict=True)) for row in rows]


def _gained(lost: pd.DataFrame) -> dict[str, int]:
    """How many tests cost another model more than each, of `decisions.losses`.

    >>> lost = [("mini", "sentiment", "n", "v", "typos"), ("tfidf", "sentiment", "n", "v", "typos")]
    >>> _gained(pd.DataFrame(lost, columns=["model", "other", "notebook", "variant", "test"]))
    {'sentiment': 1}
    """
    return lost.drop(columns="model").drop_duplicates()["other"].value_counts().to_dict()


def _losses(lost: pd.DataFrame) -> dict[str, list[str]]:
    """The tests that cost each model more than another one, by their names."""
    keys = zip(lost["notebook"], lost["test"], lost["variant"], strict=True)
    return _listed(lost.assign(label=[decisions.label(*key) for key in keys]), "model", "label")


def _listed(rows: pd.DataFrame, by: str, column: str) -> dict[str, list[str]]:
    """The values of a column, each once, by those of another one."""
    own = rows.drop_duplicates([by, column]).groupby(by, sort=False)[column]
    return {name: values.tolist() for name, values in own}


def _by_test(rows: pd.DataFrame) -> dict[str, dict[str, dict]]:
    """The estimates of some verdicts by test and model, with the R of an attack."""
    said: dict[str, dict[str, dict]] = {}
    numbers = estimates(rows, "lower", "upper")
    for row, number, attack in zip(rows.itertuples(), numbers, _at_rate(rows), strict=True):
        one = {"number": number, "rate": row.rate if attack else None}
        said.setdefault(row.label, {})[row.model] = one
    return said


def _at_rate(rows: pd.DataFrame) -> pd.Series:
    """Which verdicts are of code-mixing attacks, at an R."""
    return rows["notebook"].eq(decisions.MIXING) & rows["rate"].notna()


def _fairness(rows: pd.DataFrame) -> list[dict]:
    """Per model the fairness test that moves most, and those beyond other words."""
    said = []
    for model, own in rows.groupby("model", sort=False):
        most = own.loc[own["value"].idxmax()]
        beyond = own.loc[own["exceeds"], "label"].tolist()
        said.append({"model": model, **most[["label", "value", "usual"]], "beyond": beyond})
    return said


def _directions(results: Results) -> dict:
    """Whether directions of groups were measured (`directed`), and the groups that a model reads
    more, or less, negatively than others (`biases`), with the estimate.
    """
    rows = decisions.biases(results)
    named = zip(rows[["model", "test", "group"]].to_dict("records"), estimates(rows), strict=True)
    biases = [row | {"rise": one} for row, one in named]
    return {"directed": decisions.directed(results), "biases": biases}


def matrix(report: Report, made: Section) -> None:
    """Every test by model."""
    if len(report.part):
        links = examples.links(report.part)
        shown = views.matrix(report.part, links, report.language)
        head, learnt = report.words["learnt"]["head"], _learnt(report)
        told = {name: head.format(model=name, texts=texts) for name, texts in learnt.items()}
        shown = shown.rename(columns=told)
        made.tables = [report.table("matrix", report.part, shown)]
        made.legend = report.text("matrix_legend")


def _learnt(report: Report) -> dict[str, str]:
    """What the models beside an audited one learnt, for readers."""
    named = report.words["learnt"]["texts"]
    return {name: named.get(one, one) for name, one in report.audit.get("learnt", {}).items()}


def ranking(report: Report, made: Section) -> None:
    """The models by accuracy, and tests by verdict."""
    if len(report.ranked):
        shown = views.ranking(report.ranked)
        if report.audit:
            learnt = report.ranked["model"].map(_learnt(report))
            learnt = learnt.fillna(report.words["learnt"]["unknown"])
            shown.insert(1, "trained on", list(learnt))
        counted = report.table("verdicts_counted", decisions.counts(report.own))
        made.tables = [report.table("ranking", report.ranked, shown), counted]


def instruments(report: Report, made: Section) -> None:
    """How valid the tests are, and what puts their figures into proportion."""
    rated, results = report.rated, report.results
    agree, pairs = report.agreed
    inv = select(rated, test_type="INV")
    read = inv[inv["n"] > 0]
    good = read[read["current"] & (read["bound"] < SMALL)]
    made.points = report.points(
        "instruments",
        instruments=len(inv),
        good=len(good),
        twice=int(read["twice"].sum()),
        changed=inv.loc[~inv["current"] | (inv["n"] == 0), "instrument"].tolist(),
        weak=read[read["current"] & (read["bound"] >= SMALL)].to_dict("records"),
        meaning=select(rated, test_type="meaning").to_dict("records"),
        unnatural=read[read["grammatical"] < NATURAL].to_dict("records"),
        pairs=pairs,
        agree=agree if pairs else None,
        detectable=measure.detectable_shares(views.FEW, 0.1)[1],
        few=views.FEW,
    )
    made.text = f"{report.text('instruments_about')}\n\n{words.listed(made.said)}"
    frames = {
        "validity": (rated, views.instruments(rated)),
        "proportions": (views.asked(results, report.words["questions"]), None),
        "limited": (views.limited(results), None),
        "at_chance": (views.at_chance(report.compared), None),
    }
    made.tables = [report.table(name, *both) for name, both in frames.items() if len(both[0])]


def shown_examples(report: Report, made: Section) -> None:
    """A text of every notebook; the page has more."""
    if report.results.runs:
        made.tables = [report.table("examples", examples.table(report.examples))]


def shown_failures(report: Report, made: Section) -> None:
    """A failing case of every notebook and model; the page has more."""
    if report.results.runs:
        made.tables = [report.table("failures", failures.table(report.failing))]


def claims(report: Report, made: Section) -> None:
    """What the reference documents claim, and their tables beside the runs; not of an audit."""
    if report.audit:
        made.text = report.words["no_claims"]
        return
    counts = evidence.counted(report.claims)
    made.text = report.text(
        "claims",
        counts=counts.to_dict(),
        claims=len(report.claims),
        documents=report.claims["document"].nunique(),
    )
    shown = views.claims(report.claims, report.collected.models, report.names, report.language)
    frame = views.claimed(report.claims, report.names)
    made.tables = [report.table("claims", frame, shown), *map(report.told, report.beside)]
    made.figures = {"thesis_table_4_2": report.thesis}


def drawn(report: Report, made: Section) -> None:
    """The charts."""
    made.figures = dict(report.drawn)


def findings(report: Report, made: Section) -> None:
    """Models on the same rows, and what texts add errors."""
    pairs = decisions.pairs(report.between, report.own)
    moved = report.moved[report.moved["model"].isin(report.compared.models)]
    adding = decisions.adding(moved, report.own)
    named = zip(adding["notebook"], adding["test"], strict=True)
    names = [decisions.label(*one, "default") if one[1] else "" for one in named]
    adding = adding.assign(test=names)
    made.points = report.points(
        "findings",
        pairs=pairs.to_dict("records"),
        adding=adding.to_dict("records"),
        models=report.compared.models,
    )
    made.tables = [
        report.table("comparisons_counted", pairs, views.pairs(pairs)),
        report.table("errors_added", adding, views.adding(adding)),
    ]


def hardening(report: Report, made: Section) -> None:
    """What a defence changes, where the profile has such a run, and how a classifier is hardened:
    that of an audit as its card names it.
    """
    tested = [report.audit["audited"]] if report.audit else report.compared.models
    broken = aims.broken(report.own, tested)
    card = _card(report.audit)
    kind, model = card.get("kind", ""), card.get("source", "MODEL")
    told = {"kind": kind, "model": paths.shown(model) if kind == "link" else model}
    made.text = report.text("hardening", tables=report.defended, aims=broken, **told)


def defences(report: Report, made: Section) -> None:
    """The tables of defences of further runs."""
    made.text = report.text("defences", tables=report.defended)


def _card(audit: dict) -> dict:
    """The card of the classifier that an audit tested; empty where there is none."""
    named = audit.get("checkpoints", {}).get(audit.get("audited"), "")
    folder = Path(paths.local(named))
    return models.read_card(folder) if named and (folder / models.CARD).is_file() else {}


def tabled(report: Report, made: Section) -> None:
    """What notebook 90 finds in the documents' own figures, then every other table."""
    documents = [] if report.audit else [*appendix.audited(report)]
    made.text = report.text("appendix", audited=documents)
    left = {"errata"} if report.audit else set()
    every = [one for one in report.appended if one.name not in left]
    made.tables = documents + [*map(report.told, every)]
    made.folded = True


def ran(report: Report, made: Section) -> None:
    """The finished runs with the commands that repeat them, and what is lacking."""
    results = report.collected
    lacking = runs.reasons(results.lacking)
    made.text = report.text("runs", left_out=report.left_out, lacking=len(lacking))
    made.tables = [report.table("lacking", lacking)] if len(lacking) else []
    if results.runs:
        models = pd.DataFrame([(run.notebook, run.model) for run in results.runs])
        counted = pd.crosstab(models[0], models[1])[results.models].rename_axis("notebook")
        counted = counted.rename_axis(columns=None).reset_index()
        made.tables += [report.table("runs_counted", counted)]


def worded(report: Report, made: Section) -> None:
    """A section of words alone."""


SECTIONS: dict[str, Callable[[Report, Section], None]] = {
    "answer": answer,
    "details": details,
    "costs": worded,
    "hardening": hardening,
    "defences": defences,
    "skills": worded,
    "models": worded,
    "matrix": matrix,
    "ranking": ranking,
    "instruments": instruments,
    "examples": shown_examples,
    "failures": shown_failures,
    "claims": claims,
    "charts": drawn,
    "findings": findings,
    "trust": worded,
    "terms": worded,
    "limits": worded,
    "appendix": tabled,
    "runs": ran,
}


def of(profile: str, margin: float = 0.1, language: str = "en") -> Report:
    """The report of a profile's finished runs."""
    return Report(runs.collect(profile), margin, language)
