"""The report as one page: outputs/<profile>/report/index.html, which nbconvert makes from the
executed report with the template beside this file. It opens without a server or a network.
"""

import base64
import hashlib
import re
from pathlib import Path

import itables
import nbformat
from itables.javascript import generate_init_offline_itables_html
from markupsafe import Markup
from nbconvert import HTMLExporter
from PIL import Image

from helpers import images, layout
from helpers.report import examples, failures, fragments, provenances, runs
from tahanuji import paths
from tahanuji.errors import InputError

TEMPLATE = Path(__file__).parent / "template"
SECTIONS = {
    "answer": "The answer",
    "matrix": "Every test",
    "ranking": "Ranking",
    "instruments": "Instruments",
    "examples": "Examples",
    "failures": "Failures",
    "claims": "Claims",
    "charts": "Charts",
    "findings": "Findings",
    "methods": "Terms",
    "limits": "Limits",
    "appendix": "Appendix",
}
MORE = "Data"  # cells without a tag
APART = {
    "title",
    "parameters",
    "injected-parameters",
    "setup",
    "start",
    "finish",
}  # cells that a page leaves out
COMPONENTS = {
    "answer": examples.foremost,
    "examples": examples.component,
    "failures": failures.component,
}
EMPTIED = ("examples", "failures")  # whose components stand for what the notebook shows
BUNDLE = Path(itables.__file__).parent / "html" / "dt_bundle.js"


def build(profile: str) -> Path:
    """Write `outputs/<profile>/report/index.html` in one step; its path.

    The same outputs give the same bytes. InputError where there is no such profile, and where its
    report has not run or cannot be read.
    """
    found = runs.collect(profile)
    folder = layout.outputs() / profile / "report"
    folder.mkdir(parents=True, exist_ok=True)
    text = export(executed(folder), found, folder)
    part = folder / "index.html.part"
    part.write_text(text, encoding="utf-8", newline="\n")
    part.replace(folder / "index.html")
    return folder / "index.html"


def executed(folder: Path) -> nbformat.NotebookNode:
    """The executed report in a folder; one without cells where it has not run, so that the page
    says what is missing.
    """
    path = folder / "executed.ipynb"
    if not path.is_file():
        return nbformat.v4.new_notebook()
    try:
        return nbformat.read(path, as_version=4)
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(
            f"{paths.shown(path)} cannot be read as a notebook ({type(error).__name__}); run it "
            f"again."
        ) from None


def export(notebook: nbformat.NotebookNode, found: runs.Collection, folder: Path) -> str:
    """The page of an executed notebook, its folder and the runs that it is about."""
    exporter = HTMLExporter(
        template_name=TEMPLATE.name,
        extra_template_basedirs=[str(TEMPLATE.parent)],
        exclude_input=True,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
    )
    exporter.register_filter("safe", fragments.safe)
    exporter.register_filter("plotted", fragments.plotted)
    exporter.register_filter("placed", fragments.placed)
    exporter.register_filter("folded", fragments.folded)
    script, library = _scripts()
    cells, titles = arranged(notebook.cells)
    _link(cells, examples.places(found))
    _name_figures(cells, folder)
    images.shrink(cells)
    resources = {
        "found": found,
        "titles": titles,
        "components": {name: make(found) for name, make in COMPONENTS.items()},
        "runs": provenances.component(found),
        "styles": Markup((TEMPLATE / "page.css").read_text(encoding="utf-8")),
        "script": Markup(script),
        "datatables": Markup(library),
        "policy": policy(script, library),
    }
    return exporter.from_notebook_node(
        nbformat.v4.new_notebook(cells=cells, metadata=notebook.metadata), resources=resources
    )[0]


def arranged(cells: list) -> tuple[list, dict[str, str]]:
    """The cells that the page shows, section by section in the order of SECTIONS and untagged ones
    last, and the titles of the sections that are there. The first cell of each `opens` it.

    A tagged cell starts a section that lasts to the next tagged one or the next heading of level
    two; a heading directly before it goes with it. Sections of components are there whether the
    notebook has them or not.
    """
    kept = [cell for cell in cells if not _apart(cell)]
    sections: dict[str, list] = {name: [] for name in (*SECTIONS, "more")}
    for name, cell in zip(_sections(kept), kept, strict=True):
        sections[name].append(cell)
    for name in EMPTIED:
        if not sections[name]:
            heading = nbformat.v4.new_markdown_cell(f"## {SECTIONS[name]}", id=f"{name}-heading")
            sections[name] = [heading]
    filled = {name: part for name, part in sections.items() if part}
    for name, part in filled.items():
        for number, cell in enumerate(part):
            cell.metadata = nbformat.NotebookNode(section=name, opens="" if number else name)
            if name in EMPTIED and cell.cell_type == "code":
                cell.outputs = []
        part[-1].metadata.closes = name
        if name != "more" and part[0].cell_type == "markdown":
            part[0].source = re.sub(r"^(## Results\s+)?#{2,6} ", "## ", part[0].source)
    titles = {name: SECTIONS.get(name, MORE) for name in filled}
    return [cell for part in filled.values() for cell in part], titles


def _apart(cell) -> bool:
    tags = set(cell.metadata.get("tags", []))
    silent = cell.cell_type == "code" and not cell.get("outputs") and not tags & set(SECTIONS)
    return silent or bool(({cell.get("id", "")} | tags) & APART) or cell.cell_type == "raw"


def _sections(cells: list) -> list[str]:
    """The section of each cell."""
    own = [
        next((tag for tag in cell.metadata.get("tags", []) if tag in SECTIONS), "")
        for cell in cells
    ]
    before = "more"
    for number, cell in enumerate(cells):
        heading = cell.cell_type == "markdown" and cell.source.startswith("#")
        if heading and not own[number]:
            following = own[number + 1] if number + 1 < len(cells) else ""
            own[number] = following or ("more" if cell.source.startswith("## ") else before)
        own[number] = before = own[number] or before
    return own


def _link(cells: list, places: dict[str, str]) -> None:
    """Let the tests that the matrix names lead to their examples."""
    for cell in cells:
        tables = cell.get("outputs", []) if cell.metadata.section == "matrix" else []
        for data in (output.data for output in tables if "data" in output):
            if "text/html" in data:
                data["text/html"] = fragments.linked(data["text/html"], places)


def _name_figures(cells: list, folder: Path) -> None:
    """Give each figure the title that its saved file carries, whose name its cell says."""
    titles = {path.stem: title(path) for path in sorted(folder.glob("figures/*.png"))}
    for cell in cells:
        named = [title for name, title in titles.items() if f'"{name}"' in cell.source]
        figures = [one for one in cell.get("outputs", []) if "image/png" in one.get("data", {})]
        for number, figure in enumerate(figures):
            alt = named[number] if number < len(named) else ""
            figure.metadata["alt"] = alt or "Figure; the text beside it says what it shows"


def title(path: Path) -> str:
    """The title that the file of a figure carries for those who cannot see it."""
    with Image.open(path) as image:
        return image.info.get("Title", "")


def _scripts() -> tuple[str, str]:
    """The page's own script, and itables's with DataTables in it."""
    made = generate_init_offline_itables_html(BUNDLE)
    library = re.search(r"<script>(.*?)</script>", made, re.DOTALL)[1]
    ready = re.search(r"window\.(_itables_\w+) = ", library)[1]
    own = (TEMPLATE / "page.js").read_text(encoding="utf-8").replace("_itables_", ready)
    return own, library


def policy(*scripts: str) -> str:
    """What the page may load: its own styles, images that stand in it and the scripts that do;
    nothing from anywhere else.
    """
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    return (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {hashes} blob:; "
        f"base-uri 'none'; form-action 'none'"
    )
