"""Where the numbers come from: every finished run with the command that repeats it, and what the
profile lacks.
"""

from markupsafe import Markup

from helpers.report import runs
from helpers.report.differences import shown
from helpers.report.fragments import tidy

HEADS = ["Run", "Repeat it with", "Data", "Commit", "Took"]


def component(found: runs.Collection) -> Markup:
    """The finished runs with links to their executed notebooks, as HTML for the page."""
    if not found.runs:
        return Markup(f"<p>No run has finished yet: <code>./run_all.sh {found.profile}</code></p>")
    rows = "".join(_row(run) for run in found.runs)
    heads = "".join(f'<th scope="col">{head}</th>' for head in HEADS)
    return Markup(
        '<div class="scroll" role="region" tabindex="0" aria-label="Finished runs">'
        f'<table class="runs"><caption>Finished runs</caption><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(run: runs.Finished) -> str:
    name = shown(run.name)
    link = f'<a href="../{name}/executed.ipynb">{name}</a>'
    there = (run.folder / "executed.ipynb").is_file()
    data = [
        f"{part['name']} {part.get('split', '')}: {part.get('rows', 0):,} rows, "
        f"sha256 {part['sha256'][:12]}"
        for part in run.about["data"]
    ]
    took = f"{run.about['seconds']:g} s" if "seconds" in run.about else ""
    command = f"<code>{shown(tidy(str(run.about['command'])))}</code>"
    cells = [command, shown("; ".join(data)), shown(commit(run.about)), shown(took)]
    cells = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr><th scope="row">{link if there else name}</th>{cells}</tr>\n'


def commit(about: dict) -> str:
    """The commit that a provenance.json names, short, and whether there was more than it; empty
    where it names none.
    """
    short = str(about.get("commit") or "")[:12]
    return f"{short}, with changes not committed" if short and about.get("dirty") else short
