"""The report as one page, read without a browser: what it shows of made-up runs and notebooks."""

import base64
import hashlib
import io
import re

import nbformat
import pandas as pd
import pytest
import reports
from hypothesis import given
from hypothesis import strategies as st
from pages import FOLDER, GRID, HOSTILE, INSERTION, TYPOS, build, figure, parse, write_runs
from PIL import Image

from helpers import images, provenance, tables
from helpers.report import cases, differences, examples, failures, fragments, page, runs
from tahanuji.errors import InputError


@pytest.fixture(autouse=True)
def outputs(tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    return tmp_path


@pytest.fixture
def index(outputs):
    """The page of the made-up runs."""
    write_runs()
    return build(outputs)


def collected() -> runs.Collection:
    return runs.collect(reports.PROFILE)


# The page


def test_the_answer_and_the_matrix_come_first_whatever_the_notebooks_order(index):
    sections = [one.attributes["id"] for one in parse(index).all("section")]
    assert sections == ["answer", "matrix", "examples", "failures", "charts", "more", "runs"]
    heads = [one.text for one in parse(index).all("h2")]
    assert heads[:2] == ["The answer", "Every test at a glance"]
    levels = [int(one.tag[1]) for one in parse(index).all() if re.fullmatch("h[1-6]", one.tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


def test_code_title_cell_and_folders_of_the_machine_stay_out(index):
    text = index.read_text(encoding="utf-8")
    assert "secret =" not in text and "99 · Title" not in text
    assert "…/x.csv" in text and FOLDER not in text


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
    assert [image.attributes["alt"] for image in root.all("img")] == ["Mini loses more"]
    assert all(one.attributes.get("scope") and one.text for one in root.all("th"))
    boxes = root.all("div", role="region")
    assert len(boxes) == len(root.all("table")) and all(one.inside("section") for one in boxes)
    assert all(one.attributes["tabindex"] == "0" and one.attributes["aria-label"] for one in boxes)


def test_a_figure_without_a_saved_title_still_has_words(index, outputs):
    (index.parent / "figures/loss.png").unlink()
    (image,) = parse(build(outputs, saved=False)).all("img")
    assert image.attributes["alt"].startswith("Figure")


def test_tests_of_the_matrix_lead_to_their_examples(index):
    root = parse(index)
    (matrix,) = root.all("section", id="matrix")
    (link,) = matrix.all("a")  # the type that has a test's name is none
    place = link.attributes["href"][1:]
    assert (link.text, place) == ("typos: 0.3 per word", examples.anchor(TYPOS, "typos"))
    (target,) = root.all("div", id=place)
    assert target.inside("details") and target.all("ins")


def test_two_builds_are_the_same_bytes(index, outputs):
    first = index.read_bytes()
    assert build(outputs).read_bytes() == first and len(first) < 3_000_000


def test_a_profile_without_runs_or_report_says_what_to_do(outputs):
    text = page.build("embedded").read_text(encoding="utf-8")
    assert "./run_all.sh embedded" in text and 'id="failures"' in text


def test_an_unknown_profile_and_a_broken_report_are_input_errors(outputs):
    with pytest.raises(InputError, match="embedded"):
        page.build("no such profile")
    write_runs()
    (outputs / reports.PROFILE / "report").mkdir()
    (outputs / reports.PROFILE / "report/executed.ipynb").write_text("{")
    with pytest.raises(InputError, match="run it again"):
        page.build(reports.PROFILE)


def test_an_untagged_heading_of_level_two_ends_a_section():
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    shown = [nbformat.v4.new_output("stream", text="x")]
    cells = [
        code(metadata={"tags": ["ranking"]}, outputs=shown),
        text("### Still the ranking"),
        code(outputs=shown),
        text("## Something else"),
        code(outputs=shown),
    ]
    arranged, titles = page.arranged(cells)
    assert list(titles) == ["ranking", "examples", "failures", "more"]
    assert [cell.metadata.section for cell in arranged].count("ranking") == 3


def test_runs_are_listed_with_their_commands_and_what_is_missing_is_said(index, outputs):
    (runs_section,) = parse(index).all("section", id="runs")
    for run in collected().runs:
        assert run.name in runs_section.text
        assert fragments.tidy(run.about["command"]) in runs_section.text
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
    assert 'id="example-12_checklist-a"' in examples.component(collected())


def test_a_sample_takes_so_many_of_every_test_and_model_and_those_with_texts_first():
    gold = "p" * 30
    for name, publish in (("mini", True), ("tfidf", False)):
        rows = reports.perturbed(gold, gold, {"gak": "n" * 30, "nggak": "n" * 30})
        rows.attrs["source"]["publish_texts"] = publish
        reports.write(name, "04_negation", rows)
    kept = failures.sample(collected(), 5)
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
    shown = failures.component(collected())
    assert f"mini/{TYPOS}/default/misclassified.csv has no column gold" in shown
    assert "<td>tfidf</td>" in shown or "<td>mini</td>" in shown


# Examples


def test_an_example_of_each_kind_with_the_answers_of_all_models():
    write_runs()
    picked = examples.chosen(collected())
    typos = picked[picked["notebook"] == TYPOS]
    assert typos.groupby("id")["model"].apply(set).map(len).tolist() == [2, 2, 2]
    lost = typos.groupby("place")["lost"].any()
    assert lost.tolist() == [True, False, False]
    assert list(typos[typos["lost"]][["id", "model"]].itertuples(index=False)) == [("u2", "mini")]


def test_perturbations_without_a_text_are_shown_on_the_projects_own():
    rows = reports.perturbed("pn", "pn", {"twitter": "np"})
    rows.attrs["source"]["publish_texts"] = False
    reports.write("mini", GRID, rows)
    picked = examples.chosen(collected())
    assert len(picked) == examples.EACH and not (picked["text"] == picked["changed"]).any()
    assert picked["id"].str.startswith("embedded-").all() and (picked["model"] == "").all()
    assert examples.component(collected()).count("changed here to show the test") == 3


def test_tests_without_a_text_are_listed_where_links_lead():
    rows = reports.perturbed("pn", "pn", {"gak": "np"})
    rows.attrs["source"]["publish_texts"] = False
    reports.write("mini", "04_negation", rows)
    assert 'id="example-04_negation-gak"' in examples.component(collected())


# Words of others


def test_hostile_words_are_shown_and_not_obeyed(outputs):
    write_runs(text=f" {HOSTILE} \x07\u202e")
    path = build(outputs)
    root, text = parse(path), path.read_text(encoding="utf-8")
    assert len(root.all("script")) == 2 and len(root.all("img")) == 1
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
    ("dirty", "clean"),
    [
        ("<p onclick='x()'>a</p>", "<p>a</p>"),
        ("<a href='javascript:x()'>a</a>", "<a>a</a>"),
        ("<a href='https://a.b/'>a</a>", '<a href="https://a.b/">a</a>'),
        ("<style>td {color: red}</style><b>a", "<b>a</b>"),
        ("<iframe src='x'></iframe><b style='color:red'>a</b>", "<b>a</b>"),
        (f"{FOLDER}runs/x.csv", "…/x.csv"),
    ],
)
def test_html_of_notebooks_is_cleaned(dirty, clean):
    assert fragments.safe(dirty) == clean


def test_tables_of_pandas_say_what_their_cells_are():
    frame = pd.DataFrame({"n": [1, 2]}, index=pd.Index(["a", "b"], name="model"))
    html = fragments.safe(frame.to_html())
    assert html.count("<tr") == 3 and '<th scope="col">model</th>' in html
    assert '<th scope="row">a</th>' in html and '<td class="number">1</td>' in html


def test_tables_of_the_appendix_are_folded_behind_their_captions():
    table = pd.DataFrame({"n": [1]}).style.set_caption("Errata & more").to_html()
    html = str(fragments.folded(fragments.safe(table)))
    assert html.strip().startswith(
        '<details class="folded"><summary>Errata &amp; more</summary><div'
    )
    bare = fragments.safe(pd.DataFrame({"n": [1]}).to_html())
    assert fragments.folded(bare) == bare


def test_bold_words_are_places_and_the_same_words_one():
    html = "<ul><li><strong>Its R.</strong> <strong>R</strong> and <strong>R</strong></li></ul>"
    assert re.findall('<(li|strong) id="([^"]+)"', fragments.placed(html, "answer")) == [
        ("li", "answer-its-r"),
        ("strong", "answer-r"),
    ]


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


def test_a_cell_with_an_interval_draws_it_on_the_scale_of_its_table():
    cells = ["= -20.0 (-20.0 to 10.0) stands", "▲ 30.0 (0.0 to 80.0) breaks", "none"]
    html = fragments.plotted(
        "".join(["<table>", *(f"<td>{one}</td>" for one in cells), "</table>"])
    )
    assert html.count("<svg") == 2
    assert re.findall(r'cx="([\d.]+)%"', html) == ["0.0", "50.0"]
    assert re.findall(r'<line x1="([\d.]+)%" x2="([\d.]+)%"', html) == [
        ("0.0", "30.0"),
        ("20.0", "100.0"),
    ]
    assert set(re.findall(r'tick" x1="([\d.]+)%"', html)) == {"20.0"}
    assert "svg" not in fragments.plotted("<table><td>0.0 (0.0 to 0.0)</td></table>")


def test_words_are_readable_on_every_ground_of_both_schemes():
    css = (page.TEMPLATE / "page.css").read_text(encoding="utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", css, re.DOTALL)[:2]
    pairs = [("ink", "paper"), ("soft", "paper"), ("link", "paper"), ("gone", "goneback")]
    for scheme in (light, dark):
        colour = dict(re.findall(r"--(\w+): (#\w{6})", scheme))
        for word, ground in (*pairs, ("new", "newback"), ("open", "openback")):
            assert contrast(colour[word], colour[ground]) >= 4.5, (word, ground)


def contrast(first: str, second: str) -> float:
    """WCAG's contrast ratio of two colours."""
    bright, dim = sorted(map(luminance, (first, second)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
