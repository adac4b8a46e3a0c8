"""The report as one page, `outputs/<profile>/report/index.html`, made from the results with the
templates beside this file. It opens without a server or a network.
"""

import base64
import hashlib
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import itables
import matplotlib.pyplot as plt
from itables.javascript import generate_init_offline_itables_html
from markupsafe import Markup
from PIL import Image

from helpers import figures, layout
from study import images
from study.report import examples, failures, panels, words
from study.report.cells import Cell
from tahanuji import paths
from tahanuji.results import Run

if TYPE_CHECKING:  # the front page, made with the headline numbers, is a page too
    from study.report.report import Report

AHEAD = 2  # words shown before the first changed one, where an example is cut to its line
MOST = 8  # differences of two models that stand open
READABLE = 10  # pixels of the smallest type of a figure
BUNDLE = Path(itables.__file__).parent / "html" / "dt_bundle.js"
ABSOLUTE = re.compile(
    r"(?<![\w.:/~-])/(?:home|Users|root|tmp|var|mnt|media|work|srv|opt|scratch|content|private)"
    r"/(?:[^\s'\"<>,:]*/)?([^\s'\"<>,:/]*)"
)


def write(report: "Report", folder: Path) -> Path:
    """Write index.html, and index.id.html in Indonesian, into the folder of a report, each in one
    step; the path of the first. The same results give the same bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for language, end in words.ENDS.items():
        told = report if language == report.language else report.told_in(language)
        for section in told.sections:
            for name, figure in section.figures.items():
                if not end or section.name == "answer":
                    figures.write(folder, figure, name + end.replace(".", "_"))
                plt.close(figure)
        part = folder / "index.html.part"
        part.write_text(render(told, folder), encoding="utf-8", newline="\n")
        part.replace(folder / f"index{end}.html")
    return folder / "index.html"


def render(report: "Report", folder: Path) -> str:
    """The page of a report whose figures lie in a folder, as HTML."""
    own, library = _scripts()
    kept, each = failures.fitting(report.failing)
    about = shown(report) | {
        "report": report,
        "pictures": pictures(folder, report.language),
        "ends": words.ENDS,
        "cards": cards(folder, words.ENDS[report.language]),
        "examples": examples.by_notebook(report.examples),
        "foremost": examples.foremost(report.examples),
        "bare": examples.bare(report.results, report.examples),
        "failing": failures.words(kept),
        "sample": {"rows": len(kept), "all": kept.attrs.get("all", 0), "each": each},
        "unreadable": kept.attrs.get("problems", {}),
        "runs": [listed(run, folder) for run in report.collected.runs],
        "executed": (folder / "executed.ipynb").is_file(),
        "styles": words.file("page.css"),
        "script": Markup(own),
        "datatables": Markup(library),
        "policy": policy(own, library),
    }
    page = words.environment(report.language, escaped=True).get_template("page.html.j2")
    return tidy(page.render(**about)) + "\n"


def shown(report: "Report") -> dict[str, object]:
    """What the templates of the panels take: families, skills and pairs, and by what they are
    coloured and filtered.
    """
    told, panel = panels.picture(report), panels.Panel.of(report)
    skills = list(panel.groups.values()) if panel else []
    rows = [row for family in told.families for row in family.rows]
    said = {name for row in rows for name in row.said}
    models = list(dict.fromkeys(report.part["model"]))
    compared = panels.pairs(report)
    paired = [name for one in compared for name in (one.first, one.second)]
    return {
        "picture": told,
        "panel": panel,
        "skills": skills,
        "skilled": list(skills[0].right) if skills else [],
        "pairs": compared,
        "compared": [name for name in models if name in {*paired}],
        "AHEAD": AHEAD,
        "MOST": MOST,
        "all_models": models,
        "colours": figures.colours(report.results.models),
        "verdicts": {name: report.words["verdicts"][name] for name in sorted(said)},
        "families": {one.name: one.name for one in told.families},
        "capabilities": {
            name: words.told(report.language, name)
            for name in sorted({row.capability for row in rows})
        },
    }


def pictures(folder: Path, language: str) -> dict[str, dict]:
    """The figures of a report by name, those of a language where there are any."""
    paths_of = {path.stem: path for path in sorted(folder.glob("figures/*.png"))}
    own = {name: paths_of.get(f"{name}_{language}", path) for name, path in paths_of.items()}
    return {name: picture(path) for name, path in own.items()}


def cards(folder: Path, end: str) -> dict[str, str]:
    """The cards beside a report, by model: where each lies."""
    there = sorted(folder.glob(f"card-*/card{end}.html"))
    names = [path.parent.name for path in there]
    return {name.removeprefix("card-"): f"{name}/card{end}.html" for name in names}


def picture(path: Path) -> dict[str, object]:
    """A figure for the page: its bytes with few colours, the title that its file carries for those
    who cannot see it, and the width in pixels below which its smallest type is under 10.
    """
    with Image.open(path) as image:
        title, width = image.info.get("Title", ""), image.size[0]
        inches = width / image.info.get("dpi", (100, 100))[0]
    return {
        "data": base64.b64encode(images.small(path.read_bytes())).decode(),
        "title": title,
        "width": width,
        "least": math.ceil(inches * READABLE * 72 / figures.SMALLEST),
    }


def listed(run: Run, folder: Path) -> dict[str, object]:
    """A finished run in the table of runs: a link to its executed notebook, the command that
    repeats it, data, commit and seconds.
    """
    there = (run.folder / "executed.ipynb").is_file()
    link = f"../{run.name}/executed.ipynb" if there else ""
    seconds = f"{run.about['seconds']:g}" if "seconds" in run.about else ""
    return {
        "name": Cell.of(run.name, href=link),
        "command": str(run.about["command"]),
        "data": run.about["data"],
        "commit": commit(run.about),
        "seconds": seconds,
    }


def commit(about: dict) -> str:
    """The commit that a provenance.json names, short, with `+` where there was more than it; empty
    where it names none.
    """
    short = str(about.get("commit") or "")[:12]
    return f"{short}+" if short and about.get("dirty") else short


def _scripts() -> tuple[str, str]:
    """The page's own script, and itables's with DataTables in it."""
    made = generate_init_offline_itables_html(BUNDLE)
    library = re.search(r"<script>(.*?)</script>", made, re.DOTALL)[1]
    ready = re.search(r"window\.(_itables_\w+) = ", library)[1]
    own = (words.FOLDER / "page.js").read_text(encoding="utf-8").replace("_itables_", ready)
    return own, library


def policy(*scripts: str) -> str:
    """What the page may load: its own styles, images that stand in it and the scripts that do;
    nothing from anywhere else.
    """
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    allowed = f"script-src {hashes} blob:; " if scripts else ""
    return (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; {allowed}"
        f"base-uri 'none'; form-action 'none'"
    )


def tidy(text: str) -> str:
    """A text without folders of the machine it was made on: below outputs/ and the repository
    relative, elsewhere the last part.

    >>> tidy("/opt/models/best and file:///srv/study/outputs/cpu, see https://hub/home/x")
    '…/best and outputs/cpu, see https://hub/home/x'
    """
    text = text.replace("file://", "").replace(f"{layout.outputs()}/", "outputs/")
    text = text.replace(f"{paths.ROOT}/", "")
    text = re.sub(r"(?<![\w.:/~-])/[^\s'\"<>]*/(outputs/)", r"\1", text)
    return ABSOLUTE.sub(r"…/\1", text)
