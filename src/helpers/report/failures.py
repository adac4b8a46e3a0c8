"""The failing rows of all runs, packed for the page: words once, columns of numbers, changed texts
as what differs from the original.
"""

import json

import pandas as pd
from markupsafe import Markup

from helpers import tables
from helpers.report import runs
from helpers.report.marking import marked, packed, unpacked
from tahanuji.errors import InputError

KINDS = ("wrong", "induced", "wrong before too")
COLUMNS = ("run", "test", "id", "gold", "expected", "clean", "label", "kind", "text", "change")
STATIC = 25  # rows that stand in the page for readers without JavaScript


class Words:
    """Strings (or lists), each kept once, by number."""

    def __init__(self):
        self.numbers: dict = {}

    def number(self, thing) -> int:
        """The thing's number, a new one where it is new; -1 for None."""
        return -1 if thing is None else self.numbers.setdefault(thing, len(self.numbers))


class Failures:
    """All failing rows of a collection's runs: `words` by kind, `columns` of numbers, and what
    could not be read.
    """

    def __init__(self, found: runs.Collection, about: dict[str, dict]):
        self.about = about
        self.words = {name: Words() for name in ("run", "test", "id", "label", "text", "change")}
        self.columns: dict[str, list[int]] = {name: [] for name in COLUMNS}
        self.problems: dict[str, str] = {}
        self.without_texts: set[str] = set()
        models = found.models
        for run in sorted(
            found.runs,
            key=lambda run: (
                not _behavioural(run),
                run.notebook,
                run.variant != "default",
                run.variant,
                models.index(run.model),
            ),
        ):
            try:
                self._add(run, read(run))
            except InputError as error:
                self.problems[run.name] = str(error)

    @property
    def tests(self) -> list[str]:
        """The tests that have failing rows, as `notebook/variant/test`."""
        return list(self.words["test"].numbers)

    def __len__(self) -> int:
        return len(self.columns["run"])

    def _add(self, run: runs.Finished, frame: pd.DataFrame) -> None:
        shows = (
            "text" in frame
            and bool(run.about["data"])
            and all(part.get("publish_texts") for part in run.about["data"])
        )
        if len(frame) and not shows:
            self.without_texts |= {
                part["name"] for part in run.about["data"] if not part.get("publish_texts")
            }
        number = {name: words.number for name, words in self.words.items()}
        mine = number["run"](run.name)
        for test, name, gold, expected, clean, label, kind, text, perturbed in _columns(
            frame, shows
        ):
            original = number["text"](text)
            values = (
                mine,
                number["test"](f"{run.notebook}/{run.variant}/{test}"),
                number["id"](name),
                number["label"](gold),
                -1 if expected in (None, gold) else number["label"](expected),
                number["label"](clean),
                number["label"](label),
                KINDS.index(kind),
                original,
                -1
                if perturbed in (None, text)
                else number["change"]((original, *packed(text, perturbed))),
            )
            for column, value in zip(self.columns.values(), values, strict=True):
                column.append(value)

    def json(self) -> Markup:
        """Everything for the script, as JSON that cannot end its element."""
        words = {name: list(some.numbers) for name, some in self.words.items()}
        runs_ = [
            [self.about[name][key] for key in ("model", "notebook", "variant", "page")]
            for name in words["run"]
        ]
        text = json.dumps(
            {**words, "run": runs_, "kind": KINDS, "rows": self.columns},
            ensure_ascii=False,
            separators=(",", ":"),
        )
        return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))

    def first(self, rows: int = STATIC) -> list[dict]:
        """The first rows, with words for numbers and changes marked."""
        words = {name: list(some.numbers) for name, some in self.words.items()}
        return [
            self._row(words, {name: column[number] for name, column in self.columns.items()})
            for number in range(min(rows, len(self)))
        ]

    def _row(self, words: dict[str, list], row: dict[str, int]) -> dict:
        labels = [*words["label"], None]
        text = words["text"][row["text"]] if row["text"] >= 0 else None
        shown = (
            text
            if row["change"] < 0
            else marked(text, unpacked(text, *words["change"][row["change"]][1:]))
        )
        named = {name: labels[row[name]] for name in ("gold", "expected", "clean", "label")}
        run, test = self.about[words["run"][row["run"]]], words["test"][row["test"]]
        return {
            **named,
            "id": words["id"][row["id"]],
            "kind": KINDS[row["kind"]],
            "run": run,
            "test": test,
            "text": shown,
        }


def read(run: runs.Finished) -> pd.DataFrame:
    """misclassified.csv of a run as strings, with columns `id, test, gold, label, kind` and what
    else it has; InputError where it is not whole.
    """
    path = run.folder / "misclassified.csv"
    kept = (
        pd.read_csv(path, dtype=str, keep_default_na=False)
        if path.is_file() and path.stat().st_size
        else tables.read(path, ["id", "gold"])
    )
    if missing := [name for name in ("id", "gold") if name not in kept]:
        raise InputError(
            f"{run.name}/misclassified.csv has no column {', '.join(missing)}; run its notebook "
            f"again."
        )
    if "perturbed_label" not in kept:
        if "label" not in kept:
            raise InputError(
                f"{run.name}/misclassified.csv has neither a column label nor perturbed_label; run "
                f"its notebook again."
            )
        return kept.assign(test=_titles(kept), kind="wrong")
    was_right = kept.get("clean_label", kept["gold"]) == kept["gold"]
    return kept.assign(
        test=_titles(kept),
        label=kept["perturbed_label"],
        kind=was_right.map({True: "induced", False: "wrong before too"}),
    )


def _titles(kept: pd.DataFrame) -> pd.Series:
    """The tests' names for readers."""
    rate = pd.to_numeric(kept["rate"]) if "rate" in kept else float("nan")
    return runs.titled(kept.assign(rate=rate))["title"]


def _behavioural(run: runs.Finished) -> bool:
    return bool((run.metrics["metric"] == "flip_rate").any())


def _columns(frame: pd.DataFrame, shows: bool):
    names = (
        "test",
        "id",
        "gold",
        "expected",
        "clean_label",
        "label",
        "kind",
        *(("text", "perturbed") if shows else ()),
    )
    columns = [frame[name].tolist() if name in frame else [None] * len(frame) for name in names]
    return zip(*columns, *([] if shows else [[None] * len(frame)] * 2), strict=True)
