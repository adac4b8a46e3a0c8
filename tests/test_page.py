"""The report as a page, read without a browser."""

import base64
import json
import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from pages import (
    PROFILES,
    below,
    build,
    copy,
    expected_rows,
    failing,
    files,
    need_runs,
    parse,
    site,
)

from helpers import tables
from helpers.report import curves, grids, headline, marking, page, rendering, runs, templates
from helpers.report.cleaning import clean
from tahanuji.errors import InputError

need_runs()

pytestmark = pytest.mark.long
HOSTILE = (
    "</script><script>alert(1)</script> <img src=x onerror=alert(2)> "
    '& "kutip" \' </td> \u2028 😀 &amp; ]]> <!--'
)
TYPOS, PLAIN = "mini/05_typos/default", "tfidf/02_conventional_metrics/default"


@pytest.fixture(scope="module", params=PROFILES)
def index(request, tmp_path_factory) -> Path:
    """The index of a site made of a profile's finished runs."""
    return site(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture
def small(tmp_path) -> Path:
    """A profile's folder with two runs, not yet built."""
    return copy(tmp_path, "embedded", TYPOS, PLAIN)


def collection(index: Path) -> runs.Collection:
    with below(index.parents[2]):
        return runs.collect(index.parents[1].name)


def edit(path: Path, change) -> None:
    about = json.loads(path.read_text(encoding="utf-8"))
    change(about)
    path.write_text(json.dumps(about, ensure_ascii=False), encoding="utf-8")


# What every page is


def test_every_page_is_well_formed(index):
    assert len(files(index)) == 1 + len(collection(index).runs)
    for path in files(index):
        root = parse(path)
        ids = [element.attributes["id"] for element in root.all() if "id" in element.attributes]
        assert len(ids) == len(set(ids)), path.name
        for element in root.all():
            for name in ("for", "popovertarget", "aria-labelledby"):
                assert set(element.attributes.get(name, "").split()) <= set(ids), (
                    path.name,
                    element.tag,
                    element.attributes,
                )
        levels = [
            int(element.tag[1]) for element in root.all() if re.fullmatch("h[1-6]", element.tag)
        ]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(
            after <= before + 1 for before, after in zip(levels, levels[1:], strict=False)
        ), (path.name, levels)


def test_every_link_leads_somewhere_and_nothing_is_loaded(index):
    ids = {
        path: {element.attributes.get("id") for element in parse(path).all()}
        for path in files(index)
    }
    for path in ids:
        for element in parse(path).all():
            assert element.attributes.get("src", "data:image/").startswith("data:image/")
            href = element.attributes.get("href", "")
            if re.match("[a-z]+:", href):
                assert (
                    element.tag == "a"
                    and href.startswith("https://")
                    or (element.tag, href) == ("link", "data:,")
                )
            elif href:
                name, _, place = href.partition("#")
                target = (path.parent / unquote(name)).resolve() if name else path
                assert target.is_file(), (path.name, href)
                assert not place or place in ids[target], (path.name, href)
        styles = "".join(element.text for element in parse(path).all("style"))
        assert "url(" not in styles and "@import" not in styles
        policy = next(
            element.attributes["content"]
            for element in parse(path).all("meta")
            if element.attributes.get("http-equiv")
        )
        assert policy.startswith(
            "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-"
            if path == index
            else "default-src 'none'"
        )


def test_what_a_screen_reader_and_a_keyboard_need_is_there(index):
    for path in files(index):
        root = parse(path)
        assert root.all("html")[0].attributes["lang"] == "en"
        assert all(root.all(tag) for tag in ("main", "header", "footer", "title"))
        assert root.all("a")[0].attributes == {"class": "skip", "href": "#content"}
        assert all(element.attributes.get("alt", "").strip() for element in root.all("img"))
        assert all(element.attributes.get("scope") for element in root.all("th"))
        assert all(element.text for element in root.all("th"))
        assert all("type" in element.attributes and element.text for element in root.all("button"))
        assert not [
            element
            for element in root.all()
            if any(name.startswith("on") for name in element.attributes)
        ]
        labelled = {element.attributes.get("for") for element in root.all("label")}
        for field in [*root.all("select"), *root.all("input")]:
            assert field.attributes["id"] in labelled or field.inside("label")
    root = parse(index)
    assert all(len(table.all("caption")) == 1 for table in root.all("table"))
    assert all(
        drawing.attributes.get("aria-hidden") or (drawing.all("title") and drawing.all("desc"))
        for drawing in root.all("svg")
    )


def test_pages_speak_of_no_machine(index):
    for path in files(index):
        text = re.sub(r"data:image/[^\"]*", "", path.read_text(encoding="utf-8"))
        assert not re.search(r"(?<![\w.])/(home|root|tmp|work|Users)/\w", text), path.name
        assert "file:" not in text and "localhost" not in text
        assert str(index.parents[2]) not in text


def test_the_index_stays_small(index):
    """With its failing rows, of which the checklist's are two fifths."""
    assert index.stat().st_size < 2_000_000


def test_notebook_pages_are_light_and_fold_their_code(index):
    for path in files(index)[1:]:
        root = parse(path)
        text = re.sub(r"data:image/[^\"]*", "", path.read_text(encoding="utf-8"))
        assert len(text) < 150_000, path.name
        assert (
            not root.all("script")
            and "mathjax" not in text.lower()
            and "require" not in text.replace("requirements", "")
        )
        assert all("open" not in element.attributes for element in root.all("details"))
        assert not re.match("Figure, ", root.all("img")[0].attributes["alt"]), (
            "the figure's own title is its text"
        )
        for image in root.all("img"):
            head = base64.b64decode(image.attributes["src"].partition(",")[2][:64])
            assert head[:4] == b"\x89PNG" and int.from_bytes(head[16:20]) == int(
                image.attributes["width"]
            )


def test_pandas_tables_have_one_row_of_heads(index):
    heads = [
        table.all("thead")[0].all("tr")
        for path in files(index)[1:]
        for table in parse(path).all("table")
        if table.all("thead")
    ]
    assert heads and all(len(rows) == 1 for rows in heads)


# What the index says


def test_headline_numbers_are_those_of_the_report(index):
    shown = headline.table(collection(index))
    table = parse(index).all("table")[0]
    rows = [row for row in table.all("tr") if row.all("th", scope="row")]
    assert [row.all("th")[0].text for row in rows] == [
        name.replace("*", "") for name in shown.index
    ]
    for row, (_, wanted) in zip(rows, shown.iterrows(), strict=True):
        cells = ["".join(button.text for button in cell.all("button")) for cell in row.all("td")]
        assert cells == [
            *(cell.replace("(", "").replace(")", "") for cell in wanted),
            "",
        ]  # the last column is the plot


def test_every_test_of_the_default_runs_and_of_all_data_sets_grids_stands_in_a_table(index):
    found = collection(index)
    metrics = pd.concat(
        [run.main(run.metrics) for run in found.runs],
        ignore_index=True,
    )
    metrics = metrics[metrics["group"] == "all"]
    metrics = metrics[
        [
            row.variant == "default" or row.variant in grids.variants(found, row.notebook)
            for row in metrics.itertuples()
        ]
    ]
    assert set(metrics[metrics["notebook"] == "07_perturbation_grid"]["variant"]) == {
        run.variant for run in found.of("07_perturbation_grid")
    }
    wanted = set()
    for _, part in metrics.groupby("notebook"):
        part = part[part["metric"] == grids.main_metric(part)]
        wanted |= {
            (row.title, "{} {} to {}".format(*numbers(row.metric, row)))
            for row in part.itertuples()
        }
    shown = set()
    for table in parse(index).all("table", class_="grid"):
        for row in [row for row in table.all("tr") if row.all("th", scope="row")]:
            name = next(part for part in row.all("th")[0].parts if isinstance(part, str)).strip()
            shown |= {(name, button.text) for button in row.all("button")}
    assert shown == wanted


def numbers(metric: str, row) -> list[str]:
    """A row's value and interval as tables write them."""
    return [grids.written(metric, number) for number in (row.value, row.ci_low, row.ci_high)]


def test_every_number_says_where_it_comes_from(index):
    found = collection(index)
    root = parse(index)
    sources = {element.attributes["id"]: element for element in root.all("div", class_="source")}
    buttons = [
        button
        for table in root.all("table")
        for button in table.all("button")
        if "popovertarget" in button.attributes
    ]
    assert {button.attributes["popovertarget"] for button in buttons} == set(sources)
    for source in sources.values():
        known = {
            part.all("dt")[0].text: part.all("dd")[0].text for part in source.all("dl")[0].children
        }
        run = next(run for run in found.runs if run.name == known["run"])
        part, metric = known["test, metric"].rsplit(", ", 1)
        row = run.metrics[(run.metrics["title"] == part) & (run.metrics["metric"] == metric)].iloc[
            0
        ]
        shown = source.all("p")[1].text
        value, low, high = numbers(metric, row)
        assert (
            " ".join(shown.replace(" ,", ",").split())
            == f"{value}{' percent' if grids.unit(metric) else ''}, 95% interval {low} to {high}"
        )
        assert known["n, seed"] == f"{row['n']:,}, {row['seed']}"
        assert known["repeat it"] == run.about["command"]
        assert known["commit"].startswith(run.about["commit"][:12])
        assert all(
            part["sha256"] in source.text for part in [*run.about["data"], *run.about["models"]]
        )
        assert (
            f"torch {run.about['versions']['torch']}" in known["versions"]
            and run.about["device"] in known["device"]
        )
        assert f"pages/{run.name.replace('/', '--')}.html" in [
            link.attributes["href"] for link in source.all("a")
        ]


def test_a_number_and_its_failing_rows_agree(index):
    data = failing(index)
    counted = pd.Series(
        [
            (data["test"][test], data["run"][run][0])
            for test, run in zip(data["rows"]["test"], data["rows"]["run"], strict=True)
        ]
    ).value_counts()
    checked = 0
    for source in parse(index).all("div", class_="source"):
        link = next((link for link in source.all("a") if "data-test" in link.attributes), None)
        known = {
            part.all("dt")[0].text: part.all("dd")[0].text for part in source.all("dl")[0].children
        }
        if link and known["test, metric"].endswith(", failure_rate"):
            share, n = (
                float(source.all("p")[1].text.split()[0]) / 100,
                int(known["n, seed"].split(", ")[0].replace(",", "")),
            )
            assert (
                abs(
                    counted[(link.attributes["data-test"], link.attributes["data-model"])]
                    - share * n
                )
                < 0.51
            )
            checked += 1
    assert checked >= 28


def test_all_failing_rows_are_carried_and_come_back(index):
    data, wanted = failing(index), expected_rows(index.parents[1])
    rows = data["rows"]
    found = pd.DataFrame(
        {
            name: [data["id" if name == "id" else "label"][number] for number in rows[name]]
            for name in ("id", "gold", "label")
        }
    )
    found["test"], found["kind"] = (
        [data["test"][number] for number in rows["test"]],
        [data["kind"][number] for number in rows["kind"]],
    )
    found["model"] = [data["run"][number][0] for number in rows["run"]]
    found["text"] = [data["text"][number] if number >= 0 else "" for number in rows["text"]]
    found["perturbed"] = [
        found["text"][row]
        if number < 0
        else marking.unpacked(found["text"][row], *data["change"][number][1:])
        for row, number in enumerate(rows["change"])
    ]
    order = ["model", "test", "id"]
    columns = [*order, "gold", "label", "kind", "text", "perturbed"]
    pd.testing.assert_frame_equal(
        found.sort_values(order)[columns].reset_index(drop=True),
        wanted.sort_values(order)[columns].reset_index(drop=True),
        check_dtype=False,
    )


def test_notebooks_are_listed_with_their_questions(index):
    section = next(
        part for part in parse(index).all("section") if part.attributes["id"] == "notebooks"
    )
    for article, name in zip(
        section.all("article", class_="notebook"), collection(index).notebooks, strict=True
    ):
        cells = json.loads((ROOT / f"notebooks/{name}.ipynb").read_text(encoding="utf-8"))["cells"]
        source = "".join(cells[0]["source"]).replace("*", "").replace("`", "")
        assert article.all("h3")[0].text.replace(" ?", "?") in source
        assert len(article.all("a")) == len(collection(index).of(name))


def test_curves_are_drawn_to_scale(index):
    figure = parse(index).all("figure")[0]
    lines = [
        group for group in figure.all("g") if group.attributes.get("class", "").startswith("line")
    ]
    assert len(lines) == len(collection(index).models)
    for line, run in zip(lines, collection(index).of("05_typos", "default"), strict=True):
        rows = run.metrics[
            (run.metrics["metric"] == "failure_rate") & (run.metrics["group"] == "all")
        ]
        x, y = zip(
            *[
                map(float, pair.split(","))
                for pair in line.all("polyline")[0].attributes["points"].split()
            ],
            strict=True,
        )
        rates = [0.0, *rows["rate"]]
        values = [
            run.metrics.set_index(["title", "metric"]).loc[
                ("typos 0.05", "clean_error_rate"), "value"
            ],
            *rows["value"],
        ]
        for numbers, drawn in ((rates, x), (values, y)):
            scale = (drawn[-1] - drawn[0]) / (numbers[-1] - numbers[0])
            assert all(
                abs(drawn[0] + scale * (number - numbers[0]) - at) < 0.5
                for number, at in zip(numbers, drawn, strict=True)
            )
        assert all(curves.TOP <= at <= curves.HEIGHT - curves.BOTTOM for at in y) and all(
            curves.LEFT <= at <= curves.WIDTH - curves.RIGHT for at in x
        )
        zero = next(text for text in figure.all("text") if text.text == "0")
        scale = (y[-1] - y[0]) / (values[-1] - values[0])
        assert abs(float(zero.attributes["y"]) - (y[0] - scale * values[0])) < 0.7
        assert float(zero.attributes["y"]) == curves.HEIGHT - curves.BOTTOM
        assert f"{values[-1] * 100:.1f} at 100%" in figure.all("desc")[0].text


# Building


def test_two_builds_are_the_same_bytes(tmp_path):
    first, second = site(tmp_path / "a"), site(tmp_path / "b")
    assert [path.read_bytes() for path in files(first)] == [
        path.read_bytes() for path in files(second)
    ]
    build(tmp_path / "a")
    assert [path.read_bytes() for path in files(first)] == [
        path.read_bytes() for path in files(second)
    ]


def test_unchanged_notebooks_are_not_rendered_again(small, monkeypatch):
    index = build(small.parent)
    before = {path: path.read_bytes() for path in files(index)}
    rendered = []
    monkeypatch.setattr(rendering, "page", lambda *words: rendered.append(words) or "<p>new</p>")
    build(small.parent)
    assert not rendered and before == {path: path.read_bytes() for path in files(index)}
    edit(
        small / TYPOS / "executed.ipynb",
        lambda notebook: notebook["cells"][1].update(source="x = 1"),
    )
    build(small.parent)
    assert len(rendered) == 1
    monkeypatch.setattr("helpers.report.notebook_pages.engine", lambda: "other templates")
    build(small.parent)
    assert len(rendered) == 3


def test_pages_of_runs_that_are_gone_go(small):
    index = build(small.parent)
    (index.parent / "pages/x.html.part").write_text("half")
    shutil.rmtree(small / PLAIN)
    build(small.parent)
    assert [path.name for path in sorted((index.parent / "pages").iterdir())] == [
        "mini--05_typos--default.html"
    ]


def test_a_crash_leaves_the_old_index_and_all_it_links(small, monkeypatch):
    index = build(small.parent)
    before = index.read_bytes()
    shutil.rmtree(small / PLAIN)

    def crash(*_):
        raise RuntimeError("power cut")

    monkeypatch.setattr(page, "index", crash)
    with pytest.raises(RuntimeError):
        build(small.parent)
    assert index.read_bytes() == before
    assert len(files(index)) == 3


def test_the_report_notebook_is_linked_when_it_was_run(small):
    index = build(small.parent)
    assert not [
        link for link in parse(index).all("a") if link.attributes["href"] == "pages/99_report.html"
    ]
    shutil.copy(small / TYPOS / "executed.ipynb", index.parent / "executed.ipynb")
    build(small.parent)
    assert [
        link for link in parse(index).all("a") if link.attributes["href"] == "pages/99_report.html"
    ]
    assert parse(index.parent / "pages/99_report.html").all("main")
    (index.parent / "executed.ipynb").unlink()
    build(small.parent)
    assert not (index.parent / "pages/99_report.html").exists()


def test_findings_of_the_report_notebook_are_said(small):
    folder = small / "report"
    folder.mkdir()
    (folder / "findings.json").write_text(
        json.dumps(
            {
                "Models & more": [
                    f"**mini** fails on *nggak* <b>x</b> {number}." for number in range(9)
                ],
                "None": [],
            }
        )
    )
    section = parse(build(small.parent)).all("section", id="findings")[0]
    assert [part.text for part in section.all("li")] == [
        f"mini fails on nggak <b>x</b> {number}." for number in range(9)
    ]
    assert section.all("h3")[0].text == "Models & more" and section.all("details")
    (folder / "findings.json").write_text("[1, 2]")
    root = parse(build(small.parent))
    assert (
        not root.all("section", id="findings")
        and "findings.json cannot be read; run 99_report again." in root.all("aside")[0].text
    )


# Little, broken and hostile outputs


def test_a_profile_without_runs_says_what_to_do(tmp_path):
    index = build(tmp_path)
    root = parse(index)
    assert "No run has finished yet" in root.text and "./run_all.sh embedded" in root.text
    assert "missing runs" in next(note.text for note in root.all("aside"))
    assert not root.all("table") and files(index) == [index]


def test_an_unknown_profile_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="nowhere"):
        build(tmp_path, "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_runs_that_are_not_whole_are_named(small):
    (small / PLAIN / "metrics.csv").write_text("model,slice\n", encoding="utf-8")
    (small / "tfidf/04_negation/default").mkdir(parents=True)
    (small / "tfidf/04_negation/default/error.txt").write_text("no <space> left", encoding="utf-8")
    notes = parse(build(small.parent)).all("aside")[0].text
    assert "1 unreadable run: " in notes and PLAIN in notes
    assert "1 unfinished run: no <space> left" in notes and "tfidf/04_negation/default" in notes


def test_runs_without_notebook_or_failing_rows_are_shown_without(small):
    (small / TYPOS / "executed.ipynb").write_text('{"cells": 3}', encoding="utf-8")
    (small / PLAIN / "executed.ipynb").unlink()
    (small / PLAIN / "misclassified.csv").write_text("id\n1\n", encoding="utf-8")
    index = build(small.parent)
    root = parse(index)
    notes = root.all("aside")[0].text
    assert "cannot be read as a notebook" in notes and "executed.ipynb is not there" in notes
    assert "misclassified.csv has no column gold" in notes
    assert files(index) == [index]
    assert not [link for link in root.all("a") if link.attributes["href"].startswith("pages/")]
    assert "05 · How many typing errors does the model stand?" in root.text


def test_one_model_many_models_and_long_names(tmp_path):
    names = [
        f"a-rather-long-organisation-name/indonesian-roberta-base-sentiment-classifier-{number}"
        for number in range(11)
    ]
    profile = copy(tmp_path, "embedded", TYPOS)
    assert len(parse(build(tmp_path)).all("table", class_="grid")[0].all("th", scope="col")) == 3
    for name in names:
        run = profile / name.replace("/", "--") / "05_typos/default"
        shutil.copytree(profile / TYPOS, run)
        edit(
            run / "provenance.json",
            lambda about, name=name: about["parameters"].update(model_name=name),
        )
        tables.read(run / "metrics.csv", tables.METRICS).assign(model=name).to_csv(
            run / "metrics.csv", index=False
        )
    root = parse(build(tmp_path))
    heads = [
        head.text.replace("\u200b", "")
        for head in root.all("table", class_="grid")[0].all("th", scope="col")
    ]
    assert heads == ["Test", "mini", *sorted(names), "n"]
    assert [box.attributes["id"] for box in root.all("input", type="checkbox")] == [
        f"c1-{number}" for number in range(1, 13)
    ]
    assert all(f"c1-{number}:not(:checked)" in root.all("style")[0].text for number in range(1, 13))


def test_hostile_words_stay_words(small):
    frame = pd.read_csv(small / TYPOS / "misclassified.csv", dtype=str, keep_default_na=False)
    frame.loc[0, ["id", "text", "perturbed", "gold"]] = [
        HOSTILE,
        HOSTILE,
        f"{HOSTILE} lagi",
        HOSTILE,
    ]
    frame.to_csv(small / TYPOS / "misclassified.csv", index=False)
    edit(
        small / TYPOS / "provenance.json",
        lambda about: about.update(command=HOSTILE, device=HOSTILE),
    )
    bad = [
        {"output_type": "display_data", "data": {"text/html": f"<p onclick='x'>{HOSTILE}"}},
        {"output_type": "stream", "text": HOSTILE},
    ]
    cells = [
        {"cell_type": "markdown", "source": f"# {HOSTILE}\n\n## {HOSTILE}"},
        {"cell_type": "code", "source": HOSTILE, "outputs": bad},
    ]
    edit(small / TYPOS / "executed.ipynb", lambda notebook: notebook.update(cells=cells))
    index = build(small.parent)
    assert not set("<>&") & set(parse(index).all("script", id="failing")[0].parts[0])
    data = failing(index)
    assert HOSTILE in data["id"] and HOSTILE in data["text"] and HOSTILE in data["label"]
    for path in files(index):
        root = parse(path)
        assert [script.attributes for script in root.all("script")] == (
            [{"type": "application/json", "id": "failing"}, {}] if path == index else []
        )
        assert not [image for image in root.all("img") if "onerror" in image.attributes]
    assert sum(" ".join(HOSTILE.split()) in cell.text for cell in parse(index).all("dd")) > 5


def test_texts_that_may_not_be_published_are_not(tmp_path):
    profile = copy(tmp_path, "embedded", TYPOS)
    path = profile / TYPOS / "misclassified.csv"
    edit(
        profile / TYPOS / "provenance.json",
        lambda about: [part.update(publish_texts=False) for part in about["data"]],
    )
    pd.read_csv(path).assign(text="rahasia sekali", perturbed="rahasia skali").to_csv(
        path, index=False
    )
    (profile / TYPOS / "private").mkdir()
    pd.read_csv(path).assign(text="rahasia lain").to_csv(
        profile / TYPOS / "private/misclassified.csv", index=False
    )
    index = build(tmp_path)
    assert not any("rahasia" in page.read_text(encoding="utf-8") for page in files(index))
    assert "Rows over embedded show ids only" in parse(index).text


def test_machine_folders_are_cut_from_notebooks_and_provenance(small):
    said = f"Run folder: {small}/mini and /opt/someone/models/best, file:///srv/x/y.csv"
    cells = [
        {
            "cell_type": "code",
            "source": "1",
            "outputs": [{"output_type": "stream", "text": [said, "\n\x1b[31mred\x1b[0m"]}],
        }
    ]
    edit(small / TYPOS / "executed.ipynb", lambda notebook: notebook.update(cells=cells))
    edit(
        small / TYPOS / "provenance.json",
        lambda about: about.update(
            command=f"python -m helpers.runner x.ipynb {small}/mini/a model_name=/opt/someone/mine"
        ),
    )
    index = build(small.parent)
    shown = (
        parse(index.parent / "pages/mini--05_typos--default.html")
        .all("pre", class_="output said")[0]
        .text
    )
    assert shown == "Run folder: outputs/embedded/mini and …/best, …/y.csv red"
    assert "helpers.runner x.ipynb outputs/embedded/mini/a model_name=…/mine" in parse(index).text


@pytest.mark.parametrize(
    ("metric", "values", "shown"),
    [
        ("kappa", (0.614, -0.05), ["0.61", "−0.05"]),
        ("delta_accuracy", (-0.05, 0.013), ["−5.0", "+1.3"]),
        ("accuracy", (0.9, 1.0), ["90.0", "100.0"]),
    ],
)
def test_other_main_metrics_get_their_own_grid(small, metric, values, shown):
    row = {
        "model": "mini",
        "notebook": "05_typos",
        "variant": "default",
        "dataset": "embedded",
        "test": "part",
        "group": "all",
        "metric": metric,
        "ci_low": None,
        "ci_high": None,
        "n": 30,
        "seed": 1,
    }
    frame = pd.DataFrame(
        [
            {**row, "rate": rate, "value": value}
            for rate, value in zip((0.1, 0.2), values, strict=True)
        ]
    )[tables.METRICS]
    frame.to_csv(small / TYPOS / "metrics.csv", index=False)
    root = parse(build(small.parent))
    grid = next(table for table in root.all("table", class_="grid") if "part 0.1" in table.text)
    assert [button.text for button in grid.all("button")] == shown
    assert len(root.all("figure")) == 1, "part 0.1 and part 0.2 are a curve as well"


def test_a_slice_without_examples_says_so(small):
    frame = tables.read(small / TYPOS / "metrics.csv", tables.METRICS)
    frame.loc[
        (frame["test"] == "typos") & (frame["rate"] == 0.3), ["value", "ci_low", "ci_high"]
    ] = None
    frame.loc[(frame["test"] == "typos") & (frame["rate"] == 0.3), "n"] = 0
    frame.to_csv(small / TYPOS / "metrics.csv", index=False)
    root = parse(build(small.parent))
    row = next(row for row in root.all("tr") if row.text.startswith("typos 0.3 "))
    assert row.all("button")[0].text == "no examples"


# The parts

words = st.lists(
    st.sampled_from(["saya", "tidak", "suka", "😀", "", "<b>", "."]), min_size=1, max_size=12
).map(" ".join)


@given(words, words)
def test_a_changed_text_comes_back(text, perturbed):
    assert marking.unpacked(text, *marking.packed(text, perturbed)) == perturbed


@given(words.map(str.split), words.map(str.split))
def test_differences_hold_both_texts_and_share_as_much_as_they_can(old, new):
    found = marking.differences(old, new)
    assert [word for kind, some in found for word in some if kind != "ins"] == old
    assert [word for kind, some in found for word in some if kind != "del"] == new
    assert sum(len(some) for kind, some in found if kind == "same") == longest(old, new)
    assert all(before[0] != after[0] for before, after in zip(found, found[1:], strict=False))


def longest(old: list[str], new: list[str]) -> int:
    row = [0] * (len(new) + 1)
    for word in old:
        above = row
        row = [0]
        for number, other in enumerate(new):
            row.append(above[number] + 1 if word == other else max(above[number + 1], row[number]))
    return row[-1]


@pytest.mark.parametrize(
    ("dirty", "cleaned"),
    [
        ("<img src=http://x/y.png alt='a chart' onerror=x()>", "a chart"),
        (
            "<a href='javascript:x()'>a</a><a href='https://x/?a=1&b=2'>b</a>",
            '<a>a</a><a href="https://x/?a=1&amp;b=2">b</a>',
        ),
        ("<style>p{}</style><script>1</script><iframe src=x></iframe>b", "b"),
        ("<p>a<div>b", "<p>a</p><div>b</div>"),
        ("</div><b>a<i>b</b>c", "<b>a<i>b</i></b>c"),
        ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
        ("<h1>A</h1><h4>B</h4>", '<h2 id="a">A</h2><h4 id="b">B</h4>'),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
    ],
)
def test_html_of_notebooks_is_cleaned(dirty, cleaned):
    assert clean(dirty) == cleaned


def test_cells_of_tables_say_what_they_are():
    table = clean(
        "<table><thead><tr><th></th><th>text</th><th>n</th></tr></thead><tr><th>1</th><td>saya "
        "suka sekali makan</td><td>12.5%</td></tr></table>"
    )
    assert '<td></td><th scope="col">text</th>' in table
    assert (
        '<th scope="row" class="number">1</th><td lang="id">saya suka sekali makan</td><td '
        'class="number">12.5%</td>' in table
    )


def test_words_are_readable_on_every_shade_of_both_schemes():
    css = (templates.WEB / "page.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--([\w]+): (#\w{6})", part))
        for part in re.findall(r":root \{(.*?)\}", css, re.DOTALL)[:2]
    )
    assert set(light) == set(dark) and {f"h{level}" for level in range(1, 11)} <= set(light)
    for scheme in (light, dark):
        for level in range(1, 11):
            assert contrast(scheme["ink"], scheme[f"h{level}"]) >= 4.5
        for front, back in [
            ("ink", "paper"),
            ("soft", "paper"),
            ("soft", "card"),
            ("soft", "tint"),
            ("link", "paper"),
            ("link", "card"),
            ("gone", "goneback"),
        ]:
            assert contrast(scheme[front], scheme[back]) >= 4.5, (front, back)
        for front in ("new", "gone", "word", "string", "count", "comment"):
            assert (
                contrast(scheme[front], scheme["newback" if front == "new" else "tint"]) >= 4.5
            ), front


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(colour: str) -> float:
        shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [
            share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
            for share in shares
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
