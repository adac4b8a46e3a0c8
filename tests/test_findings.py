"""The finding under a notebook's title: its numbers are those of the run's csv files."""

import json
import re
import shutil

import nbformat
import pandas as pd
import papermill
import pytest
from conftest import ROOT

from helpers import layout
from study import findings, runner
from study.publish import REFERENCE
from study.report import words
from tahanuji.errors import InputError
from tahanuji.lexicons import LEXICONS

TEMPLATES = words.FOLDER / "en" / "notebooks"
FOLDERS = [
    path.parent
    for path in sorted(REFERENCE.glob("*/*/*/executed.ipynb"))
    if "default" in json.loads((path.parent / "provenance.json").read_text(encoding="utf-8"))
]


class Rows:
    """Numbers of a published run, read from its csv files by pandas alone."""

    def __init__(self, folder):
        self.folder = folder

    def frame(self, name: str) -> pd.DataFrame:
        table = pd.read_csv(self.folder / f"{name}.csv")
        return table[table["variant"] == "default"] if "variant" in table else table

    def metrics(self, question: str) -> pd.DataFrame:
        return self.frame("metrics").query(question)

    def share(self, question: str, rest: bool = False) -> list[str]:
        return percent(self.metrics(question).iloc[0][["value", "ci_low", "ci_high"]], rest)

    def added(self, question: str) -> list[str]:
        judged = self.frame("verdicts").query("quantity == 'errors added' and margin == 0.1")
        return points(judged.query(question).iloc[0][["value", "lower", "upper"]])


def percent(numbers, rest: bool = False) -> list[str]:
    value, low, high = map(float, (1 - numbers.iloc[[0, 2, 1]]) if rest else numbers)
    return [f"{round(100 * one, 1) + 0.0:.1f}" for one in (value, low, high)]


def points(numbers) -> list[str]:
    value, *ends = percent(numbers)
    return [f"+{value}" if float(value) > 0 else value, *ends]


def bare(numbers) -> list[str]:
    return [f"{one:.2f}" for one in numbers]


def people(mark: str) -> list[str]:
    counted = pd.read_csv(LEXICONS / "noise_mixture_id.csv", comment="#")
    row = counted.query(f"texts == 'all' and mark == {mark!r}").iloc[0]
    return percent(row[["value", "ci_low", "ci_high"]])


def typos(rows: Rows) -> list[str]:
    said = pd.read_parquet(rows.folder / "predictions.parquet").query("variant == 'default'")
    hit = said.loc[said["rate"].round(3) == 0.3, "achieved"].mean()
    of = "test == 'typos' and rate == 0.3 and group == 'all'"
    told = rows.share(f"{of} and metric == 'flip_rate'") + rows.added(of)
    return [f"{100 * hit:.1f}", *told, *people("noise"), *people("slip")]


def skills(rows: Rows) -> list[str]:
    judged = rows.frame("verdicts").query("type == 'MFT'")["test"].unique().tolist()
    failing = rows.metrics("metric == 'failure_rate' and group == 'all'").query(f"test in {judged}")
    plain = failing["test"].str.startswith("plain_")
    other = failing[~plain & (failing["test"] != "MFT")].sort_values("value")
    shown = [*failing[plain].sort_values("test", ascending=False).index, *other.index[[0, -1]]]
    bounds = failing.loc[shown, ["value", "ci_low", "ci_high"]]
    return [one for _, row in bounds.iterrows() for one in percent(row, rest=True)]


def readers(rows: Rows) -> list[str]:
    right = rows.metrics("metric == 'accuracy'")
    whole = right.query("test == 'pairs'")["group"].drop_duplicates()
    split = whole[~whole.str.contains("two labels|new premises|suite")].iloc[-1]
    there = right.query(f"group == {split!r}").sort_values("value", ascending=False)
    other = there.query("test not in ['pairs', 'overlap and negation']").iloc[:1]
    own, counts = (there.query("test == @name") for name in ("pairs", "overlap and negation"))
    suite = right.query("test == 'pairs' and group == 'the suite'")
    each = pd.concat([own, counts, other, suite])[["value", "ci_low", "ci_high"]]
    return [one for _, row in each.iterrows() for one in percent(row)]


def mixing(rows: Rows) -> list[str]:
    people = "test == 'tweets natural' and group == 'all' and metric == "
    turned = [people + f"'{name}'" for name in ("induced_rate", "repaired_rate")]
    said = [rows.share(one) for one in turned if len(rows.metrics(one))]
    lost = "group == 'all' and rate == 0.4 and metric == 'induced_rate' and test == "
    said += [rows.share(lost + f"'{one}'") for one in ("en", "en random")]
    return sum(said, []) + rows.share("metric == 'induced_rate_at_dose' and test == 'en'")


def defences(rows: Rows) -> list[str]:
    fresh = "test == '{} fresh' and metric == '{}' and group == '{}'"
    asked = [("random", "failure_rate", "all"), ("undefended", "failure_rate", "all")]
    asked += [("random", "clean_error_rate", "en"), ("undefended", "clean_error_rate", "en")]
    asked += [("joint", "failure_rate", "all")]
    return sum((rows.share(fresh.format(*one), rest=True) for one in asked), [])


def hardening(rows: Rows) -> list[str]:
    typing = rows.metrics("test == 'typing: all tests' and metric == 'errors_added'")
    best = typing[typing["group"] != "undefended"].sort_values("value").iloc[0]
    bare = typing[typing["group"] == "undefended"].iloc[0]
    of = f"test == 'unchanged' and group == '{best['group']}' and metric == "
    change = rows.metrics(of + "'errors_change'").iloc[0]
    bounds = ["value", "ci_low", "ci_high"]
    told = points(bare[bounds]) + points(best[bounds])
    return told + rows.share(of + "'errors'") + points(change[bounds])


def shares(*questions: str):
    return lambda rows: sum((rows.share(f"group == 'all' and {one}") for one in questions), [])


NUMBERS = {  # by notebook: what its sentences say, in their order
    "01_finetune": shares(
        "test == 'best' and metric == 'accuracy'",
        "test == 'best' and metric == 'macro_f1'",
        "test == 'last' and metric == 'macro_f1'",
    ),
    "05_typos": typos,
    "06_formality": shares(
        "test == 'formal' and metric == 'failure_rate'",
        "test == 'informal' and metric == 'failure_rate'",
        "test == 'informal' and metric == 'induced_rate'",
        "test == 'informal' and metric == 'repaired_rate'",
    ),
    "08_code_mixing": mixing,
    "09_code_mixing_defence": defences,
    "11_indonli": readers,
    "12_checklist": skills,
    "17_hardening": hardening,
    "16_registers": shares(
        "test == 'informal' and metric == 'flip_rate'",
        "test == 'neighbour' and metric == 'flip_rate'",
    ),
}


def decimals(text: str) -> list[str]:
    return re.findall(r"[+-]?\d+\.\d+", text.replace(",", ""))


def said(folder) -> findings.Finding:
    return findings.of(folder, *findings.about(folder))


def runs(of=None):
    shown = [one for one in FOLDERS if of is None or one.name in of]
    return pytest.mark.parametrize("folder", shown, ids=lambda one: f"{one.parts[-3]}-{one.name}")


@runs(NUMBERS)
def test_the_numbers_are_those_of_the_csv_files(folder):
    assert decimals(said(folder).sentences) == NUMBERS[folder.name](Rows(folder))


@runs({folder.name for folder in FOLDERS} - {*NUMBERS})
def test_every_number_stands_in_a_csv_file(folder):
    """Of the others, most of whose sentences choose, such as what costs most."""
    rows, known = Rows(folder), [people("noise")]
    for name in ("metrics", "verdicts", "marks", "preferred"):
        if (folder / f"{name}.csv").is_file():
            ends = ["lower", "upper"] if name == "verdicts" else ["ci_low", "ci_high"]
            frame = rows.frame(name)[["value", *ends]].apply(pd.to_numeric, errors="coerce")
            known += [make(row) for _, row in frame.iterrows() for make in (percent, points, bare)]
            known += [[one] for one, *_ in known]
    if (folder / "scores.csv").is_file():
        known += [[str(one)] for one in rows.frame("scores").get("learning_rate", ())]
    words = re.sub(r"\*+[^*]+\*+|^\| [^|]+\|", "", said(folder).sentences, flags=re.MULTILINE)
    told = re.findall(r"([+-]?\d+\.\d+)%?(?: \((-?\d+\.\d+) to (-?\d+\.\d+)\))?", words)
    assert told and all([part for part in one if part] in known for one in told)


@runs()
def test_the_cell_of_a_published_notebook_says_the_same_numbers(folder):
    cells = nbformat.read(folder / "executed.ipynb", 4).cells
    shown = [cell for cell in cells if cell["id"] == findings.CELL]
    for cell in shown:  # of runs that are older than the cell there is none
        text = cell.outputs[0]["data"]["text/markdown"]
        assert decimals(text) == decimals(said(folder).sentences)


@runs()
def test_at_most_three_sentences_and_a_figure(folder):
    finding = said(folder)
    told = [line for line in finding.sentences.splitlines() if not line.startswith("|")]
    ends = re.findall(r"[\w)*%][.?!](?=\s|$)", " ".join(told))
    assert 1 <= len(ends) <= 3 and finding.figure
    assert "no examples" not in finding.sentences and "nan" not in finding.sentences


@runs({"05_typos", "08_code_mixing"})
def test_a_sentence_has_at_most_two_numbers(folder):
    """An interval belongs to its number."""
    bare = re.sub(r" \([^()]*\)|notebook \d\d", "", said(folder).sentences)
    assert all(len(re.findall(r"\d+(?:\.\d+)?", line)) <= 2 for line in bare.splitlines())


def test_every_notebook_has_one_template_and_no_other_is_there():
    named = {path.name.removesuffix(".md.j2") for path in TEMPLATES.iterdir()}
    assert named == {path.stem for path in layout.NOTEBOOKS.glob("*.ipynb")}


def test_what_was_not_measured_is_not_said(tmp_path):
    """Not of any notebook does an empty run folder, or one with an empty table, break a run."""
    given = {"model_name": "mini", "dataset": "smsa", "perturbation_rate": 0.3, "word": "tidak"}
    for name in sorted(path.stem for path in layout.NOTEBOOKS.glob("*.ipynb")):
        finding = findings.of(tmp_path, name, given)
        assert finding is None or "natural true" in finding.sentences, name


def test_a_notebook_without_a_template_has_no_finding(tmp_path):
    assert findings.of(tmp_path, "my_own_notebook", {}) is None


@pytest.fixture
def typed(tmp_path):
    """A published run of 05 of which one may change what it likes."""
    folder = tmp_path / "05_typos"
    shutil.copytree(REFERENCE / "embedded" / "tfidf" / "05_typos", folder)
    return folder


def test_it_stands_under_the_title_of_a_notebook_that_was_run_without(typed):
    book = nbformat.read(typed / "executed.ipynb", 4)
    book.cells = [cell for cell in book.cells if cell["id"] != findings.CELL]
    nbformat.write(book, typed / "executed.ipynb")
    assert findings.main([str(typed)]) == 0
    book = nbformat.read(typed / "executed.ipynb", 4)
    nbformat.validate(book)
    assert [cell["id"] for cell in book.cells[:3]] == ["title", "finding", "parameters"]
    text, figure = (output["data"] for output in book.cells[1].outputs)
    assert text["text/markdown"] == text["text/plain"] == said(typed).sentences
    assert len(figure["image/png"]) > 1000 and figure["text/plain"].startswith("tfidf: ")
    again = (typed / "executed.ipynb").read_bytes()
    findings.main([str(typed)])
    assert (typed / "executed.ipynb").read_bytes() == again


def test_it_follows_the_csv_files(typed):
    before = said(typed).sentences
    metrics = pd.read_csv(typed / "metrics.csv")
    metrics.loc[metrics["metric"] == "flip_rate", "value"] = 0.4321
    metrics.to_csv(typed / "metrics.csv", index=False)
    assert "43.2%" in said(typed).sentences and "43.2%" not in before


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no finished run"):
        findings.main([str(tmp_path)])


def test_a_repeat_that_was_published_without_its_notebook_is_refused(typed):
    (typed / "executed.ipynb").unlink()
    with pytest.raises(InputError, match="holds no executed.ipynb to put its finding into"):
        findings.main([str(typed)])


def test_the_runner_fills_it_in(tmp_path, monkeypatch):
    """With a stand-in for papermill, which leaves the files of a published run."""
    published, run = REFERENCE / "embedded" / "tfidf" / "06_formality", tmp_path / "run"

    def executed(notebook, target, *_, **__):
        shutil.copytree(published, run, dirs_exist_ok=True)
        (run / "facts.json").write_text("{}", encoding="utf-8")
        shutil.copyfile(ROOT / notebook, target)

    monkeypatch.setattr(papermill, "execute_notebook", executed)
    runner.run(layout.NOTEBOOKS / "06_formality.ipynb", run, {"model_name": "tfidf"})
    cell = nbformat.read(run / "executed.ipynb", 4).cells[1]
    assert cell["id"] == "finding" and cell.outputs[0]["data"]["text/markdown"].startswith(
        "**tfidf**"
    )
