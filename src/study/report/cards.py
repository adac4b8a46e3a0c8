"""A card of every model, one screen: how often it is right, what every family of changes costs it,
its worst answers, limits, and how that was measured. As Markdown and as HTML, in every language.
"""

import shutil
import textwrap
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import matplotlib.pyplot as plt
import pandas as pd

from helpers import figures
from study.report import cases, charts, decisions, examples, page, report, words
from study.report.report import Report
from tahanuji import models, paths
from tahanuji.errors import InputError
from tahanuji.measure import Estimate
from tahanuji.results import Results, Run, estimates, select

MOST = 5  # examples of a card
SIZE, WIDTH = (7.2, 5.2), 30  # of its picture, inches, and of the titles in it, letters
PRIVATE = "private"  # the folder of the card that shows a user's own texts


@dataclass(frozen=True)
class Card:
    """The parts of a model's card by name, in Markdown, its worst answers and its picture."""

    model: str
    report: Report
    parts: dict[str, str]
    worst: list[dict]
    picture: Path | None = None


def write(report: Report, folder: Path) -> list[Path]:
    """Write card.md and card.html of every model into `card-<model>` below the folder of a report;
    these folders. Of an audit with a user's texts one more of the audited model, with examples from
    them, into a folder that its user alone may read.
    """
    alike = examples.alike(report.examples)
    places = {folder / f"card-{paths.slug(model)}": model for model in report.results.models}
    for left in {*folder.glob("card-*")} - {*places}:  # of a model that is no longer there
        shutil.rmtree(left)
    for place, model in places.items():
        _written(report, model, place, alike)
    if report.audit.get("own_texts") and report.audit["audited"] in report.results.models:
        (folder / PRIVATE).mkdir(exist_ok=True)
        (folder / PRIVATE).chmod(0o700)
        _written(report, report.audit["audited"], folder / PRIVATE, alike, private=True)
    return list(places)


def _written(report: Report, model: str, place: Path, alike: dict, private: bool = False) -> None:
    place.mkdir(parents=True, exist_ok=True)
    rows = decisions.families(select(report.part, model=model))
    lost = worst(report.results, rows, alike, private).to_dict("records")
    for language, end in words.ENDS.items():
        told = report.told_in(language)
        picture = _drawn(told, model, rows, place / f"families{end}.png")
        parts = words.parts(language, "card", **about(told, model, rows, private))
        card = Card(model, told, parts, _shown(told, lost, alike), picture)
        for kind in ("md", "html"):
            path = place / f"card{end}.{kind}"
            path.write_text(render(card, kind), encoding="utf-8", newline="\n")


def _drawn(report: Report, model: str, rows: pd.DataFrame, path: Path) -> Path | None:
    """The picture of what families of changes cost a model; its path, if there is one."""
    title = report.words["card"]["picture"].replace("{model}", model)
    named = report.words["families"] | {"title": title}
    figure = charts.families(rows, report.margin, named, report.language)
    if figure is None:
        return None
    figure.set_size_inches(*SIZE)
    figure.suptitle(figures.wrapped(figures.title(figure), figure))
    for axes in figure.axes:
        axes.set_title(textwrap.fill(axes.get_title("left"), WIDTH), fontsize=9, loc="left")
    figures.png(path, figure)
    plt.close(figure)
    return path


def render(card: Card, kind: str) -> str:
    """A card as `md` or `html`."""
    styles = words.file("page.css") + words.file("card.css")
    picture = page.picture(card.picture) if card.picture else None
    made = words.environment(card.report.language, escaped=kind == "html")
    said = made.get_template(f"sheet.{kind}.j2").render(
        card=card, picture=picture, styles=styles, ends=words.ENDS, policy=page.policy()
    )
    return page.tidy(said).strip() + "\n"


def about(told: Report, model: str, rows: pd.DataFrame, private: bool = False) -> dict:
    """What the sentences of a card are filled with."""
    results, part = told.results, select(told.part, model=model)
    own = [run for run in results.runs if run.model == model]
    tally = decisions.robustness(select(part, type="INV")).to_dict("records")
    where = {key: words.numbers()["right"][key] for key in ("notebook", "test", "group")}
    plain = results.select(model=model, variant="default", **where)
    used, named = _used(results, own), told.words["texts"]
    right, mute = (select(plain, metric=name) for name in ("accuracy", "unparsable_share"))
    return {
        "model": model,
        "right": next(iter(estimates(right)), None),
        "chance": select(plain, metric="at_chance")["value"].any(),
        "mute": next((one for one in estimates(mute) if one.value > report.MUTE), None),
        "texts": told.texts,
        "tally": tally[0] if tally else None,
        "costly": _costliest(rows),
        "margin": told.margin,
        "audit": told.audit,
        "left_out": told.left_out,
        "private": private,
        "trainings": len({run.parameters["seed"] for run in own}),
        "runs": own,
        "named": told.words["models"].get(model) or models.entries().get(model, {}).get("about"),
        "used": used,
        "learnt": named.get(used.get("dataset"), used.get("dataset")),
        "commits": list(dict.fromkeys(filter(None, (page.commit(run.about) for run in own)))),
        "profile": results.profile,
        **decisions.unclear(part),
    }


def _costliest(rows: pd.DataFrame) -> dict | None:
    """Of some verdicts the one that costs most: errors added, where one has these."""
    added = select(rows, quantity=decisions.ADDED)
    ordered = (added if len(added) else rows).sort_values("value", ascending=False, kind="stable")
    most = ordered[:1]
    for row, one in zip(most.to_dict("records"), estimates(most, "lower", "upper"), strict=True):
        return {"number": one} | {name: row[name] for name in ("label", "family", "quantity")}
    return None


def _used(results: Results, own: list[Run]) -> dict:
    """The weights that most runs of a model tested, as provenance.json names them."""
    named = [run for run in own if run.about.get("models")]
    default = [run for run in named if run.variant == "default" and results.main_task(run)]
    return next((run.about["models"][0] for run in default + named), {})


def worst(
    results: Results, rows: pd.DataFrame, alike: dict = MappingProxyType({}), private: bool = False
) -> pd.DataFrame:
    """The worst answers of a model: of each family of changes, the costliest first, the wrong
    answer with the highest probability that followed a right one; those first that have a text or
    another one in its place. Where there are fewer families than MOST, more of each.

    Parameters
    ----------
    results : Results
    rows : DataFrame
        The verdicts of a model by family (`decisions.families`).
    alike : dict
        Tests, as notebook and name, of which there is a text in place of one that is not shown.
    private : bool
        Whether texts are shown whatever their licence.

    Returns
    -------
    DataFrame
        At most MOST rows: the columns of `cases` with `family` and `label`.
    """
    keys = ["notebook", "variant", "test"]
    named = rows.drop_duplicates(keys)[[*keys, "family", "label", "most"]]
    parts = []
    for run in results.runs:
        if len(of_run := select(named, notebook=run.notebook, variant=run.variant)):
            lost = _lost(run, private) if run.model in set(rows["model"]) else []
            parts += [lost.merge(of_run, on=keys)] if len(lost) else []
    if not parts:
        return pd.DataFrame(columns=[*cases.COLUMNS, "family", "label"])
    whole = pd.concat(parts, ignore_index=True)
    like = [pair in alike for pair in zip(whole["notebook"], whole["test"], strict=True)]
    bare, long = whole["text"] == "", whole["text"].str.len() > examples.LONGEST
    whole = whole.assign(late=bare + long, like=like, draw=whole["id"].map(cases.draw))
    order = {"late": True, "like": False, "sure": False, "draw": True}
    whole = whole.sort_values([*order], ascending=[*order.values()]).drop_duplicates("id")
    whole["nth"] = whole.groupby("family").cumcount()
    return whole.sort_values(["nth", "most"], ascending=[True, False], kind="stable")[:MOST]


def _lost(run: Run, private: bool) -> pd.DataFrame:
    """The cases of a run in which a right answer went wrong, or of texts without a right label the
    answer changed, with the texts that may be shown.
    """
    hidden = private and (run.folder / PRIVATE).is_dir()
    try:
        name = f"{PRIVATE}/misclassified" if hidden else "predictions"
        asked = run.main(cases.cases(run, name, private=hidden))
    except InputError:  # the table of failures names what cannot be read
        return pd.DataFrame()
    right = asked["verdict"].isin([cases.INDUCED, cases.OF_PAIRS["INV"]])
    return asked[right & (asked["before"] != asked["after"])]


def _shown(told: Report, lost: list[dict], alike: dict) -> list[dict]:
    """The worst answers as a card shows them; where a text may not be shown `like` has another one
    that the same test changes, the project's own.
    """
    named = told.words["families"]["names"]
    return [
        row
        | {"sure": Estimate(row["sure"])}
        | {"family": named.get(row["family"], row["family"].replace("_", " "))}
        | {"like": None if row["text"] else alike.get((row["notebook"], row["test"]))}
        for row in lost
    ]
