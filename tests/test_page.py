"""The report as one page, read without a browser: what it shows of made-up runs."""

import base64
import hashlib
import io
import math
import re
import shutil
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import reports
from hypothesis import given
from hypothesis import strategies as st
from pages import FOLDER, GRID, HOSTILE, INSERTION, TYPOS, build, figure, parse, write_runs
from PIL import Image

from helpers import plain, provenance, tables
from study import images
from study.report import (
    cases,
    cells,
    charts,
    decisions,
    differences,
    examples,
    failures,
    hardened,
    page,
    panels,
    report,
    runs,
    views,
    words,
)
from tahanuji import measure
from tahanuji.errors import InputError
from tahanuji.harden import trials
from tahanuji.measure import Estimate
from tahanuji.results import Results

AUDITED = SimpleNamespace(audit={"audited": "mini"})
FOLDED = ("findings", "instruments")
COMMAND = {"kind": "", "model": "MODEL"}


@pytest.fixture(autouse=True)
def outputs(tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    return tmp_path


@pytest.fixture
def index(made_up_page, outputs):
    """The page of the made-up runs, which lie below `outputs` too."""
    write_runs()
    return made_up_page


def collected() -> Results:
    return runs.collect(reports.PROFILE)


# The page


def test_the_parts_come_in_their_order_and_the_navigation_says_their_headings(index):
    root, parts = parse(index), words.strings("en")["parts"]
    assert [one.attributes["id"] for one in root.all("section")] == list(parts)
    heads = [one.text for one in root.all("h2")]
    links = [one.text for one in root.all("nav")[0].all("a")]
    assert heads == links and heads[:3] == [
        "The answer",
        "What costs how much",
        "What to do about it",
    ]
    folded = [name for part in parts.values() for name in part["folded"]]
    folded.remove("defences")  # of which this study has no further run
    assert [one.attributes["id"] for one in root.all("details", class_="more")] == folded
    levels = [int(one.tag[1]) for one in root.all() if re.fullmatch("h[1-6]", one.tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


def test_folders_of_the_machine_stay_out(outputs):
    rows = reports.perturbed("pn", "pn", {"typos 0.3": "np"})
    folder = reports.write("mini", TYPOS, rows)
    reports.change(folder, command=f"python {FOLDER}models/best x.csv")
    text = build(outputs).read_text(encoding="utf-8")
    assert "…/best x.csv" in text and FOLDER not in text


def test_every_element_closes_and_ids_stand_once(index):
    root = parse(index)
    ids = [one.attributes["id"] for one in root.all() if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    links = [one.attributes["href"] for one in root.all("a")]
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    assert all(
        link.startswith(("#", "https://")) or (index.parent / link).is_file() for link in links
    )


def test_nothing_is_loaded_and_only_the_pages_own_scripts_run(index):
    root = parse(index)
    sources = [one.attributes["src"] for one in root.all() if "src" in one.attributes]
    assert sources and all(source.startswith("data:image/png;base64,") for source in sources)
    policy = next(one for one in root.all("meta") if "http-equiv" in one.attributes)
    scripts = ["".join(one.parts) for one in root.all("script")]
    digests = [base64.b64encode(hashlib.sha256(one.encode()).digest()) for one in scripts]
    assert len(scripts) == 2
    assert all(f"'sha256-{one.decode()}'" in policy.attributes["content"] for one in digests)
    assert "default-src 'none'" in policy.attributes["content"]


def test_what_a_screen_reader_needs_is_there(index):
    root = parse(index)
    assert root.all("html")[0].attributes["lang"] == "en"
    assert root.all("a")[0].attributes == {"class": "skip", "href": "#content"}
    alts = [image.attributes["alt"] for image in root.all("img")]
    assert len(alts) > 1 and all(len(alt.split()) > 3 for alt in alts)
    boxes = root.all("div", role="region")
    assert len(boxes) >= 10 and all(one.inside("section") for one in boxes)
    assert all(one.attributes["tabindex"] == "0" and one.attributes["aria-label"] for one in boxes)
    heads = [head for box in boxes for head in box.all("th")]
    assert all(head.attributes.get("scope") for head in heads)


def test_a_family_opens_into_tests_with_verdict_interval_and_a_way_to_examples(index):
    root = parse(index)
    (costs,) = root.all("section", id="costs")
    (family,) = costs.all("details", class_="family")
    (row,) = [one for one in family.all("tr") if "data-said" in one.attributes]
    (link,) = row.all("a")
    place = link.attributes["href"][1:]
    assert (link.text, place) == ("typos: 0.3 per word", examples.anchor(TYPOS, "typos"))
    (example,) = [one for one in row.all("span", class_="said") if one.all("ins")]
    assert example.text.startswith("kalimat")  # beside its name whole, else from near the change
    lines = family.all("summary")[0].all("span", class_="said")
    lines += root.all("figure", class_="families")[0].all("span", class_="said")
    assert len(lines) == 2 and all(
        one.text.startswith("… dari") and one.all("ins") for one in lines
    )
    (target,) = root.all("div", id=place)
    assert target.inside("details") and target.all("ins")
    cells = [cell for cell in row.all("td") if cell.all("svg")]
    assert [cell.attributes["class"] for cell in cells] == ["undecided", "undecided"]
    assert all(cell.text.startswith("?") for cell in cells)
    assert row.attributes["data-said"] == "undecided" and "data-apart" not in row.attributes
    chips = family.all("span", class_="chip undecided")
    assert [chip.all("b")[0].text for chip in chips] == ["tfidf", "mini"]


def test_the_picture_has_a_mark_per_model_on_one_axis(index):
    (picture,) = parse(index).all("figure", class_="families")
    (strip,) = picture.all("svg")
    assert [one.text.split(":")[0] for one in strip.all("title")] == ["tfidf", "mini"]
    said = strip.attributes["aria-label"]
    assert re.fullmatch(r"tfidf \S+ \(\S+ to \S+\), mini \S+ \(\S+ to \S+\)", said)


def skills(*shares: tuple[str, float, float]) -> list[panels.Skill]:
    """Groups of cases: name, the constant answer, and how far below 90% the interval reaches."""
    return [
        panels.Skill(name, "", {"mini": Estimate(0.9, low, 0.95, 100)}, constant)
        for name, constant, low in shares
    ]


@pytest.mark.parametrize("language", words.ENDS)
def test_skills_are_drawn_below_the_families_on_an_axis_of_their_own(monkeypatch, language):
    """One of three hard groups is not shown to beat the constant answer; plain cases count not."""
    every = skills(
        ("plain", 0.95, 0.8), ("negation", 0.8, 0.8), ("use", 0.7, 0.8), ("words", 0, 0.8)
    )
    monkeypatch.setattr(panels, "skills", lambda report: every)
    told = report.Report(Results(reports.PROFILE, []), language=language)
    panel = panels.Panel.of(told)
    assert re.findall(r"\d+", panel.title) == ["1", "3"]
    axis, (mark,) = panel.marks(list(panel.groups)[1])
    assert (axis.place(mark.number.value), axis.margin, axis.ticks[-1]) == (90, 0.8, 1)
    write_runs()
    part = decisions.families(report.of(reports.PROFILE).part)
    made = charts.families(part, 0.1, told.words["families"], language, panel)
    *above, below = made.axes
    assert [one.get_text() for one in below.get_yticklabels()] == list(panel.groups)
    assert below.get_xlim() == (0, 1) and below.get_title("left") == panel.axis
    dashed = [line.get_xdata()[0] for line in below.lines if line.get_linestyle() == "--"]
    assert dashed == [one.constant for one in every]
    shown = [line.get_xdata()[0] for line in below.lines if line.get_marker() == "o"]
    assert shown == [0.9] * 4
    assert plain.title(made).endswith(panel.title)
    alone = charts.families(part, 0.1, told.words["families"], language)
    assert len(alone.axes) == len(above)
    plt.close("all")


def test_the_page_shows_skills_by_group_with_the_constant_answer(outputs, monkeypatch):
    every = skills(("plain", 0.5, 0.8), ("negation", 0.85, 0.8))
    monkeypatch.setattr(panels, "skills", lambda report: every)
    write_runs()
    root = parse(build(outputs))
    (figure,) = root.all("figure", class_="families skilled")
    assert figure.inside("section") and "1 of 1" in figure.attributes["aria-label"]
    strips = figure.all("svg")
    assert [strip.attributes["aria-label"] for strip in strips] == ["mini 90% (80 to 95)"] * 2
    places = [strip.all("line", class_="limit")[0].attributes["x1"] for strip in strips]
    assert places == ["50.0%", "85.0%"]
    (table,) = [one for one in root.all("table", class_="plain tests") if "90%" in one.text]
    assert table.inside("details")  # the numbers are folded


def test_two_models_are_compared_once_with_what_would_have_been_shown(index):
    (models,) = parse(index).all("section", id="models")
    (pair,) = models.all("div", class_="pair")
    assert pair.attributes["data-pair"] == "tfidf|mini"
    assert "would have shown" in pair.text and not models.all("select")


def test_hardening_is_shown_where_a_run_of_it_is_and_else_its_command(index, outputs):
    (part,) = parse(index).all("section", id="hardening")
    assert "./run_all.sh harden" in part.text and not part.all("table")
    folder = outputs / reports.PROFILE / "mini" / TYPOS / "default"
    target = outputs / reports.PROFILE / "mini" / hardened.HARDENED / "default"
    shutil.copytree(folder, target)
    reports.change(target, notebook=hardened.HARDENED)
    (target / "verdicts.csv").unlink()
    texts = {"id": list("abcdefgh"), "cluster": list("abcdefgh"), "family": "typing" + trials.ALL}
    texts |= {"test": "typos", "rate": 0.3, "quantity": trials.ADDED}
    costs = {trials.PLAIN: [1] * 7 + [0], "noise": [0] * 8}
    parts = [pd.DataFrame(texts).assign(group=name, cost=cost) for name, cost in costs.items()]
    about = {"model": "mini", "notebook": hardened.HARDENED, "variant": "default", "seed": 1}
    made = trials.compared(pd.concat(parts, ignore_index=True)).assign(dataset="embedded", **about)
    made.to_csv(target / "metrics.csv", index=False)
    (part,) = parse(build(outputs)).all("section", id="hardening")
    assert "./run_all.sh harden" in part.text
    assert [cell.text for cell in part.all("td")] == ["87.5", "0.0 ↓"]
    assert [cell.text for cell in part.all("th", scope="row")] == ["how people type"]
    (box,) = part.all("div", class_="scroll")
    assert box.all("table", class_="plain") and box.attributes["data-wide"]


def test_of_hardening_with_other_seeds_every_cell_has_the_mean_beside_the_number():
    runs = []
    for seed, wrong in ((1, 3), (2, 1)):  # errors of four texts
        texts = {"id": list("abcd"), "cluster": list("abcd"), "family": "", "test": "unchanged"}
        rows = pd.DataFrame(texts | {"rate": float("nan"), "quantity": trials.CLEAN})
        made = trials.compared(
            rows.assign(group=trials.PLAIN, cost=[1] * wrong + [0] * (4 - wrong))
        )
        about = {"notebook": hardened.HARDENED, "model": "mini", "seed": seed, "repeat": seed > 1}
        about["variant"] = "default"
        runs.append(SimpleNamespace(**about, metrics=made))
    same = {run.seed: run for run in runs}
    results = SimpleNamespace(runs=runs, repeats=lambda: iter([((), same)]))
    (table,) = hardened.tables(results)
    assert table["seeds"] == 2
    assert table["lines"] == [{"name": "unchanged", "cells": [("75.0", "50.0")]}]
    for language, cell in (("en", "75.0 (50.0)"), ("id", "75,0 (50,0)")):
        said = words.text(language, "hardening", tables=[table], aims=[], found=AUDITED, **COMMAND)
        head, _, line = [row for row in said.splitlines() if row.startswith("|")]
        assert "2" in head.split("|")[1] and cell in line  # the number of trainings stands there


def test_defences_over_seeds_have_intervals_over_trainings_and_rows():
    ids = list("abcdefgh")

    def asked(wrong: dict[str, str], others: list[str]) -> pd.DataFrame:
        parts = [
            pd.DataFrame({"id": ids, "test": "typos", "quantity": trials.ADDED}).assign(
                group=name, cost=[int(one in found) for one in ids], family="typing" + trials.ALL
            )
            for name, found in wrong.items()
        ]
        cases = pd.DataFrame({"id": others, "test": "skills", "quantity": trials.FAILS})
        parts += [cases.assign(group=name, cost=1, family="") for name in wrong]
        rows = pd.concat(parts, ignore_index=True)
        return rows.assign(rate=float("nan"), cluster=rows["id"])

    first = asked({trials.PLAIN: "abc", "noise": "a"}, ["x", "y"])
    second = asked({trials.PLAIN: "abcd", "noise": "a"}, ["x", "z"])
    several = {
        seed: SimpleNamespace(seed=seed, predictions=lambda rows=rows: rows)
        for seed, rows in ((1, first), (2, second))
    }
    same = (hardened.HARDENED, "smsa", "mini"), several
    table = hardened.over_seeds(SimpleNamespace(repeats=lambda: iter([same])))
    assert set(table["test"]) == {"typos", "typing" + trials.ALL}  # the cases are not the same
    own = table[(table["test"] == "typos") & (table["defence"] == "noise")].set_index("quantity")
    costs = [[int(one in found) for one in ids] for found in ("a", "a")]
    plain = [[int(one in found) for one in ids] for found in ("abc", "abcd")]
    changes = [
        [a - b for a, b in zip(*pair, strict=True)] for pair in zip(costs, plain, strict=True)
    ]
    ends = {trials.ADDED: costs, trials.ADDED + hardened.LESS: changes}
    for quantity, outcomes in ends.items():
        expected = measure.over_seeds_and_rows(outcomes)
        assert own.loc[quantity, list(expected._fields[:4])].tolist() == pytest.approx(expected[:4])
        assert own.loc[quantity, "seeds"] == 2
    (noise,) = hardened.shown(table).query("defence == 'noise'").to_dict("records")
    assert noise["test"] == "typing" and noise["points"].startswith("+12.5 (")
    assert noise["less undefended"].startswith("-31.2 (")
    alone = SimpleNamespace(repeats=lambda: iter([]))
    assert hardened.over_seeds(alone).empty


def test_the_last_row_of_hardening_says_what_loss_is_ruled_out():
    metrics = pd.DataFrame(
        [
            ("unchanged", float("nan"), name, metric, value, value - 0.009, value + 0.009, 1760)
            for name, change in ((trials.PLAIN, 0.0), ("noise", 0.01), ("clusters", 0.06))
            for metric, value in (("errors", 0.1 + change), ("errors_change", change))
        ],
        columns=measure.COLUMNS,
    )
    about = {"notebook": hardened.HARDENED, "model": "mini", "seed": 1, "repeat": False}
    runs = [SimpleNamespace(**about, variant="default", metrics=metrics)]
    (table,) = hardened.tables(SimpleNamespace(runs=runs, repeats=lambda: iter([])))
    assert table["lines"][-1] == {"name": "loss", "cells": [("–", ""), ("2", ""), ("–", "")]}
    for language, name in (("en", "loss of accuracy"), ("id", "penurunan akurasi")):
        said = words.text(language, "hardening", tables=[table], aims=[], found=AUDITED, **COMMAND)
        assert f"| {name}" in [row for row in said.splitlines() if row.startswith("|")][-1]


def test_what_several_teach_stands_behind_the_defences_under_its_own_name():
    texts = {"id": list("ab"), "cluster": list("ab"), "family": "", "test": "unchanged"}
    rows = pd.DataFrame(texts | {"rate": float("nan"), "quantity": trials.CLEAN})
    parts = [rows.assign(group=name, cost=[1, 0]) for name in (trials.PLAIN, "classifier")]
    about = {"model": "mini", "seed": 1, "repeat": False, "variant": "default"}
    about["metrics"] = trials.compared(pd.concat(parts, ignore_index=True))
    runs = [
        SimpleNamespace(notebook=name, **about) for name in (hardened.TAUGHT, hardened.HARDENED)
    ]
    tables = hardened.tables(SimpleNamespace(runs=runs, repeats=lambda: iter([])))
    assert [one["taught"] for one in tables] == [False, True]
    about = {"aims": [], "found": AUDITED} | COMMAND
    shown = words.text("en", "hardening", tables=tables, **about)
    folded = words.text("en", "defences", tables=tables)
    name = "**mini**, taught by several (`18_classifier`)\n"
    assert "**mini**\n" in shown and name not in shown
    assert name in folded and "**mini**\n" not in folded
    assert "*classifier*: that network, with rare labels answered more often" in folded


def test_a_family_without_a_verdict_names_the_test_that_has_none():
    rows = [("typos", "stands", 0.03), ("slang", "undecided", 0.01), ("contraction", "stands", 0.0)]
    own = pd.DataFrame(rows, columns=["label", "shown", "value"])
    own = own.assign(counted=True, quantity=decisions.ADDED)
    report = SimpleNamespace(language="en", words=words.strings("en"))
    assert panels._told(own, "undecided", report).endswith("1 more wrong in 100 (slang)")
    standing = own[own["shown"] == "stands"]
    assert panels._told(standing, "stands", report).endswith("3 more wrong in 100 (typos)")


def test_the_defence_that_the_command_takes_stands_first():
    texts = {"id": list("ab"), "cluster": list("ab"), "family": "", "test": "unchanged"}
    rows = pd.DataFrame(texts | {"rate": float("nan"), "quantity": trials.CLEAN})

    def run(model: str, variant: str, defence: str) -> SimpleNamespace:
        parts = [rows.assign(group=name, cost=[1, 0]) for name in (trials.PLAIN, defence)]
        metrics = trials.compared(pd.concat(parts, ignore_index=True))
        about = {"model": model, "variant": variant, "seed": 1, "repeat": False}
        return SimpleNamespace(notebook=hardened.HARDENED, metrics=metrics, **about)

    runs = [run("mini", "default", "noise"), run("mini", "wordings", "normaliser+agreement")]
    runs += [run("tfidf", "others", "clusters"), run("tfidf", "default", "noise")]
    tables = hardened.tables(SimpleNamespace(runs=runs, repeats=lambda: iter([])))
    first = {one["model"]: one["defences"][1] for one in tables if one["foremost"]}
    assert first == {"mini": "normaliser+agreement", "tfidf": "noise"}
    assert [one["defences"][1] for one in tables if not one["foremost"]] == ["noise", "clusters"]


def test_of_hardening_with_one_training_no_mean_is_said():
    table = {"model": "mini", "defences": ["noise"], "seeds": 1, "taught": False, "foremost": True}
    table |= {"lines": [{"name": "typing", "cells": [("8.0", "")]}]}
    said = words.text("en", "hardening", tables=[table], aims=[], found=AUDITED, **COMMAND)
    (line,) = [row for row in said.splitlines() if row.startswith("| how people type")]
    assert line.split("|")[2].strip() == "8.0" and "mean" not in said


@pytest.mark.parametrize(("language", "split"), [("en", "validation"), ("id", "validasi")])
def test_hardening_says_beside_its_numbers_why_they_are_not_those_of_the_answer(language, split):
    table = {"model": "mini", "defences": ["noise"], "seeds": 1, "taught": False, "foremost": True}
    table |= {"lines": [{"name": "unchanged", "cells": [("11.0", "")]}]}
    about = {"aims": [], "found": AUDITED} | COMMAND
    said = words.text(language, "hardening", tables=[table], **about)
    assert split in said.split("11")[0]
    assert split not in words.text(language, "hardening", tables=[], **about)


def test_the_defences_of_further_runs_stand_by_themselves():
    about = {"model": "mini", "seeds": 1, "taught": False}
    lines = [{"name": "typing", "cells": [("8.0", "")]}]
    first, other = (
        about | {"defences": [name], "lines": lines, "foremost": name == "noise"}
        for name in ("noise", "clusters")
    )
    for language in words.ENDS:
        shown = words.text(
            language, "hardening", tables=[first, other], aims=[], found=AUDITED, **COMMAND
        )
        folded = words.text(language, "defences", tables=[first, other])
        assert "| noise |" in shown and "*clusters*" not in shown
        assert "| clusters |" in folded and "*noise*" not in folded
        assert not words.text(language, "defences", tables=[first])


def test_tables_of_the_appendix_are_folded_behind_their_captions(index):
    (appendix,) = parse(index).all("details", id="appendix")
    folded = appendix.all("details", class_="folded")
    assert len(folded) > 3 and len(appendix.all("table")) == len(folded)
    assert all(one.all("summary")[0].text == one.all("caption")[0].text for one in folded)


def test_two_builds_are_the_same_bytes(index, outputs):
    first = index.read_bytes()
    assert build(outputs).read_bytes() == first and len(first) < 3_000_000


def test_a_profile_without_runs_says_what_to_do(outputs):
    path = page.write(report.of("embedded"), outputs / "report")
    text = path.read_text(encoding="utf-8")
    assert "./run_all.sh embedded" in text and 'id="failures"' in text


def test_an_unknown_profile_is_an_input_error(outputs):
    with pytest.raises(InputError, match="embedded"):
        report.of("no such profile")


def test_runs_are_listed_with_their_commands_and_what_is_missing_is_said(index, outputs):
    (runs_section,) = parse(index).all("details", id="runs")
    for run in collected().runs:
        assert run.name in runs_section.text
        assert page.tidy(run.about["command"]) in runs_section.text
    (outputs / reports.PROFILE / "mini" / TYPOS / "default/provenance.json").unlink()
    assert "1 unfinished" in parse(build(outputs)).text


# Failures


def test_only_failures_are_listed_though_the_file_holds_flips_that_passed():
    write_runs()
    (run,) = [one for one in collected().runs if one.notebook == GRID]
    listed = pd.read_csv(run.folder / "misclassified.csv")
    assert list(listed["failure"]) == [True, False]
    failed = cases.failures(run)
    assert [(row.id, row.before, row.after) for row in failed.itertuples()] == [
        ("u2", "positive", "negative")
    ]
    assert list(failed["verdict"]) == [cases.INDUCED]
    tables.write(run.folder / "misclassified.csv", listed.drop(columns="failure"))
    assert len(cases.failures(run)) == 1


def test_verdicts_say_what_happened():
    rows = reports.perturbed("pno", "pnn", {"gak": "nnn"})
    reports.write("mini", "04_negation", rows)
    follows = reports.perturbed("p", "p", {"negative": "p"}).assign(expected="neutral|negative")
    reports.write("mini", INSERTION, follows.assign(failure=True, induced=True))
    by_notebook = {run.notebook: cases.failures(run) for run in collected().runs}
    assert list(by_notebook["04_negation"]["verdict"]) == [cases.INDUCED, cases.BEFORE_TOO]
    assert list(by_notebook[INSERTION]["verdict"]) == [cases.UNMOVED]


def test_failing_cases_of_the_checklist_say_how_they_failed():
    folder = reports.write("mini", "12_checklist", reports.plain("pnpp", "nnpp"))
    rows = pd.DataFrame(
        {
            "id": ["a/1", "b/1", "c/1"],
            "test": ["a", "b", "c"],
            "test_type": ["MFT", "INV", "DIR"],
            "expected": ["positive", "same", "up"],
            "text": ["satu", "dua", "tiga"],
            "changed": ["", "dua lagi", "tiga lagi"],
            "label": ["negative", "negative", "positive"],
            "changed_label": ["", "positive", "positive"],
            "failure": True,
            "gold": "positive",
        }
    )
    tables.write(folder / "misclassified.csv", rows)
    (run,) = collected().runs
    failed = cases.failures(run)
    assert list(failed["verdict"]) == [cases.WRONG, *cases.OF_PAIRS.values()]
    assert list(failed["after"]) == ["negative", "positive", "positive"]
    picked = examples.chosen(collected())
    assert set(picked["test"]) == {"a", "b", "c"} and set(picked["notebook"]) == {"12_checklist"}


def test_a_sample_takes_so_many_of_every_test_and_model_and_those_with_texts_first():
    gold = "p" * 30
    for name, publish in (("mini", True), ("tfidf", False)):
        rows = reports.perturbed(gold, gold, {"gak": "n" * 30, "nggak": "n" * 30})
        rows.attrs["source"]["publish_texts"] = publish
        reports.write(name, "04_negation", rows)
    kept = failures.first(failures.every(collected()), 5)
    assert kept.groupby(["model", "test"]).size().tolist() == [5] * 4
    assert kept.attrs["all"] == 120 and set(kept["of"]) == {30}
    assert list(kept["text"] != "") == [True] * 10 + [False] * 10
    assert list(kept["test"][:2]) == ["gak", "nggak"]


def test_texts_that_may_not_be_published_are_not_on_the_page(outputs):
    for model in ("mini", "tfidf"):
        rows = reports.perturbed("pn", "pn", {"typos 0.3": "np"})
        folder = reports.write(model, TYPOS, rows)
        about = provenance.read_json(folder / "provenance.json")
        reports.change(folder, data=[about["data"][0] | {"publish_texts": False}])
    text = build(outputs).read_text(encoding="utf-8")
    assert "kalimat 1" not in text and "<small>u1</small>" in text


def test_a_list_that_is_not_whole_is_named_and_the_rest_is_shown(outputs):
    write_runs()
    path = outputs / reports.PROFILE / "mini" / TYPOS / "default/misclassified.csv"
    path.write_text("id,text\nu1,x\n", encoding="utf-8")
    text = build(outputs).read_text(encoding="utf-8")
    assert f"mini/{TYPOS}/default/misclassified.csv has no column gold" in text
    assert "<td>tfidf</td>" in text or "<td>mini</td>" in text


# Examples


def test_an_example_of_each_kind_with_the_answers_of_all_models():
    write_runs()
    picked = examples.chosen(collected())
    typos = picked[picked["notebook"] == TYPOS]
    assert typos.groupby("id")["model"].apply(set).map(len).tolist() == [2, 2, 2]
    lost = typos.groupby("place")["lost"].any()
    assert lost.tolist() == [True, False, False]
    assert list(typos[typos["lost"]][["id", "model"]].itertuples(index=False)) == [("u2", "mini")]


def test_the_failure_shown_first_is_one_on_which_all_models_go_one_way():
    shared = {"notebook": TYPOS, "test": "typos", "title": "typos", "type": "INV", "changed": "x"}
    shared |= {"expected": "same", "lost": True}
    answers = [("short", "p", "n"), ("short", "n", "p"), ("longer text", "p", "n")]
    answers += [("longer text", "p", "n"), ("tiny", "p", "n")]
    picked = pd.DataFrame(answers, columns=["text", "before", "after"])
    picked = picked.assign(**shared, model=list("ababa"), place=[0, 0, 1, 1, 2])
    assert examples.foremost(picked).cases[0].text == "longer text"
    assert examples.foremost(picked[picked["place"] != 1]).cases[0].text == "short"


def test_perturbations_without_a_text_are_shown_on_the_projects_own():
    rows = reports.perturbed("pn", "pn", {"twitter": "np"})
    rows.attrs["source"]["publish_texts"] = False
    reports.write("mini", GRID, rows)
    picked = examples.chosen(collected())
    assert len(picked) == examples.EACH and not (picked["text"] == picked["changed"]).any()
    assert picked["id"].str.startswith("embedded-").all() and (picked["model"] == "").all()
    ((test,),) = examples.by_notebook(picked).values()
    assert [case.answers for case in test.cases] == [[], [], []]


@pytest.mark.parametrize(
    ("notebook", "test", "added", "gone"),
    [
        ("03_sentence_insertion", "positive", "saya cinta matematika .", ""),
        ("04_negation", "gak", "gak", "tidak"),
        ("05_typos", "typos 0.3", "", ""),
        ("08_code_mixing", "en 0.4", "", ""),
        ("08_code_mixing", "tweets en", "", ""),
        ("16_registers", "informal", "", ""),
    ],
)
def test_every_test_that_can_be_made_of_any_text_has_examples(notebook, test, added, gone):
    rows = reports.perturbed("pn", "pn", {test: "np"})
    rows.attrs["source"]["publish_texts"] = False
    about = {"positive_sentence": added} if notebook.startswith("03") else {}
    reports.write("mini", notebook, rows, **about)
    picked = examples.chosen(collected())
    assert len(picked) == examples.EACH and not (picked["text"] == picked["changed"]).any()
    for row in picked.itertuples():
        assert added in row.changed and gone in row.text
        assert not (added or gone) or row.changed.replace(added, gone).split() == row.text.split()
    ((shown,),) = examples.by_notebook(picked).values()
    assert "_" not in shown.name and " en" not in shown.name


def test_words_that_an_attack_would_take_come_first_among_examples_of_mixing():
    texts = {"text": ["beli roti", "roti enak"], "changed": ["buy roti", "roti tasty"]}
    assert list(examples._harmed(pd.DataFrame(texts))) == [1, 0]


def test_tests_without_a_text_are_listed_where_links_lead():
    rows = reports.perturbed("pn", "pn", {"tweets natural": "np"})
    rows.attrs["source"]["publish_texts"] = False
    reports.write("mini", "08_code_mixing", rows)
    absent = examples.bare(collected(), examples.chosen(collected()))
    place = examples.anchor("08_code_mixing", "tweets natural")
    assert absent == {place: "code mixing: tweets as people mixed them"}


def test_hostile_words_are_shown_and_not_obeyed(outputs):
    write_runs(text=f" {HOSTILE} \x07\u202e")
    path = build(outputs)
    root, text = parse(path), path.read_text(encoding="utf-8")
    assert len(root.all("script")) == 2
    assert "<script>document.title" not in text and "&lt;script&gt;document.title" in text
    assert "\x07" not in text and "[U+0007][U+202E]" in text
    named = {name for one in root.all() for name in one.attributes if name.startswith("on")}
    assert not named


@given(st.text(max_size=60), st.text(max_size=60))
def test_marked_words_are_those_of_both_texts(text, changed):
    html = differences.marked(text, changed)
    kept = [re.sub(f"<{gone}>.*?</{gone}>", "", html, flags=re.DOTALL) for gone in ("ins", "del")]
    bare = [re.sub(r"</?(ins|del)>", " ", one).split() for one in kept]
    assert bare == [str(differences.shown(one)).split() for one in (text, changed)]


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("<b onclick='x()'>a</b>", "&lt;b onclick='x()'&gt;a&lt;/b&gt;"),
        ("[a](javascript:x)", 'href="#harmful-link"'),
        ("*a* **b** **b**", '<em>a</em> <strong id="answer-b">b</strong> <strong>b</strong>'),
        ("***a* b**", '<strong id="answer-a-b"><em>a</em> b</strong>'),
    ],
)
def test_markdown_is_shown_and_not_obeyed(given, made):
    assert made in words.html(given, "answer")


def test_an_interval_lies_on_the_scale_of_its_table():
    ends = [Estimate(-0.2, -0.2, 0.1), Estimate(0.3, 0.0, 0.8)]
    within = cells.scale(ends)
    assert within == (-0.2, pytest.approx(1.0))
    assert cells.places(ends[0], within) == pytest.approx((20.0, 0.0, 0.0, 30.0))
    assert cells.places(ends[1], within) == pytest.approx((20.0, 50.0, 20.0, 100.0))
    assert cells.places(Estimate(0.0, 0.0, 0.0), cells.scale([Estimate(0.0, 0.0, 0.0)])) == ()
    assert cells.places(Estimate.none(), within) == ()


def test_the_first_failure_is_of_a_test_that_leaves_the_label_alone(outputs):
    write_runs()
    insertion = reports.perturbed("pn", "pn", {"negative": "np"})
    reports.write("mini", INSERTION, insertion.assign(expected="negative"))
    (case,) = parse(build(outputs)).all("div", id="answer-example")
    place = case.all("a")[0].attributes["href"]
    assert place == f"#{examples.anchor(TYPOS, 'typos')}" and "✗ lost" in case.text


def test_figures_keep_their_size_and_title_with_fewer_bytes():
    whole = figure("A title")
    made = images.small(whole)
    first, second = (Image.open(io.BytesIO(one)) for one in (whole, made))
    assert first.size == second.size and second.info["Title"] == "A title"
    assert len(made) < len(whole) and images.small(made) == made


def test_words_are_readable_on_every_ground_of_both_schemes():
    css = (words.FOLDER / "page.css").read_text(encoding="utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", css, re.DOTALL)[:2]
    pairs = [("ink", "paper"), ("soft", "paper"), ("link", "paper"), ("gone", "goneback")]
    for scheme in (light, dark):
        colour = dict(re.findall(r"--(\w+): (#\w{6})", scheme))
        for word, ground in (*pairs, ("new", "newback"), ("open", "openback")):
            assert contrast(colour[word], colour[ground]) >= 4.5, (word, ground)


DEUTERANOPIA = [  # Machado, Oliveira and Fernandes (2009), of linear RGB
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
]
XYZ = [(0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)]


def linear(colour: str) -> list[float]:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def product(matrix: list[tuple], vector: list[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def lab(colour: str) -> tuple[float, ...]:
    """CIE L*a*b* of a colour as one without cones for green sees it."""
    seen = [min(max(one, 0), 1) for one in product(DEUTERANOPIA, linear(colour))]
    white = (0.9505, 1.0, 1.089)
    x, y, z = (
        t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
        for t in (one / by for one, by in zip(product(XYZ, seen), white, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def test_withstands_and_breaks_are_told_apart_without_cones_for_green():
    css = (words.FOLDER / "page.css").read_text(encoding="utf-8")
    pairs = [(views.COLOURS["stands"], views.COLOURS["breaks"])]
    for scheme in re.findall(r":root \{(.*?)\}", css, re.DOTALL)[:2]:
        colour = dict(re.findall(r"--(\w+): (#\w{6})", scheme))
        pairs += [(colour["new"], colour["gone"]), (colour["newback"], colour["goneback"])]
    assert len(pairs) == 5
    for first, second in pairs:
        assert math.dist(lab(first), lab(second)) >= 20, (first, second)
    assert math.dist(lab("#e0f1e6"), lab("#fae6df")) < 10  # pale green and red are not


def test_terms_are_explained_where_they_first_stand():
    made = words.explained(words.html("Holm and Holm, `Holm` R", "x"), "en")
    assert made.count("<abbr") == 2 and "<code>Holm</code>" in made
    assert 'title="a correction of p' in made


def test_names_of_code_are_words_on_the_page(index):
    root = parse(index)
    heads = [one.text for one in root.all("th", scope="col")]
    assert heads and not [name for name in heads if "_" in name]
    assert "95% from" in heads
    cells = [one.text for one in root.all("td") if not one.all("code")]
    assert not [text for text in cells if re.search(r"[a-z]_[a-z]|\de-\d\d", text)]


def test_claims_instruments_findings_failures_and_alt_texts_have_names_in_words(outputs):
    write_runs()
    reports.gridded("tfidf", {"insert_adverb": "ppppnnnnop"})
    noisy = {"realistic_noise 0.05": "ppppnnnnop"}
    reports.gridded("tfidf", noisy, name="hate_speech", variant="hate_speech")
    rows = reports.perturbed("p" * 40, "p" * 40, {"informal": "n" * 40}).assign(moved=True)
    rows["id"] = [f"plain_positive/t10/{number}" for number in range(40)]
    for model in ("tfidf", "mini"):
        reports.write(model, "06_formality", rows, judged="INV")
    path = build(outputs)
    alts = {image.attributes["alt"] for image in parse(path).all("img")}
    assert "on hate speech, middle rates: lowest kappa 0.84 (tfidf, typing as on" in " ".join(alts)
    for language, end in words.ENDS.items():
        root = parse(path.with_name(f"index{end}.html"))
        (claims,), (failing,) = root.all("section", id="claims"), root.all("details", id="failures")
        findings, instruments = (root.all("details", id=name)[0] for name in FOLDED)
        cells = failing.all("td") + failing.all("small")  # and not the made-up texts
        told = [*alts, *(one.text for one in (claims, findings, instruments, *cells))]
        assert not [text for text in told if re.search(r"[a-z]_[a-z]|\b\d\d_[a-z]", text)]
        assert words.told(language, "insert adverb") in claims.text
        assert words.told(language, "synonym wordnet") in instruments.text
        assert words.told(language, "formality: informal") in findings.text
        assert "t10/2" in [one.text for one in failing.all("small")]
        shares = [cell.text for cell in findings.all("td") if "%" in cell.text]
        assert {*shares} == {words.number(share, language=language) for share in (0, 1)}


def test_the_first_table_has_intervals_as_titles_and_in_what_is_folded_below(outputs):
    write_runs()
    for model, said in (("tfidf", "ppnno"), ("mini", "pnppn")):
        reports.write(model, "02_conventional_metrics", reports.plain("ppnno", said))
    (answer,) = parse(build(outputs)).all("section", id="answer")
    first = answer.all("div", class_="output")[0].all("table")[0]
    cells = [(cell.text, cell.attributes["title"]) for cell in first.all("td")]
    assert cells == [("100", "100.0 (56.6 to 100.0)"), ("20", "20.0 (3.6 to 62.4)")]
    exact = answer.all("details", id="details")[0].all("table")[0]
    assert [cell.text for cell in exact.all("td")] == [title for _, title in cells]


METHOD = r"Holm|one-sided|on balance|90%|satu sisi|neto|\bnet\b|gross|bruto"


@pytest.mark.parametrize("language", words.ENDS)
def test_what_stands_open_speaks_without_words_of_method(language):
    told = [words.strings(language)["families"]["key"]]
    for name in ("opening", "details", "costs", "models"):
        text = (words.FOLDER / language / f"{name}.md.j2").read_text(encoding="utf-8")
        told.append(re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", text))
    assert not [text for text in told if re.search(METHOD, text)]
    assert "95%" in told[0]


@pytest.mark.parametrize(("language", "speaker"), [("en", "speaker"), ("id", "penutur")])
def test_trust_says_once_who_has_not_rated_in_short_sentences(made_up_page, language, speaker):
    root = parse(made_up_page.with_name(f"index{words.ENDS[language]}.html"))
    said = root.all("section", id="trust")[0].all("div", class_="output")[0].text
    assert said.lower().count(speaker) == 1
    found = report.Report(Results(reports.PROFILE, []), language=language)
    points = found.section("instruments").points
    for name in ("valid", "thin"):
        sentences = points[name].split(". ")
        assert all(len(re.findall(r"\d+", one)) <= 2 and "(" not in one for one in sentences)


def contrast(first: str, second: str) -> float:
    """WCAG's contrast ratio of two colours."""
    bright, dim = sorted(map(luminance, (first, second)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
