"""The pages of executed notebooks: what is said around each, and which need to be written anew."""

import hashlib
import json
from pathlib import Path

from helpers import layout
from helpers.provenance import read_json
from helpers.report import rendering, runs
from helpers.report.templates import engine, inline, plain, replace, tidy
from tahanuji import fingerprints, paths
from tahanuji.errors import InputError

FILES = {".ipynb", ".csv", ".json"}


def facts(run: runs.Finished) -> dict:
    """Where a run's numbers come from, in words for the pages: its name, page, command, and pairs
    of what is known.
    """
    page = f"pages/{run.name.replace('/', '--')}.html"
    return {
        "name": run.name,
        "model": tidy(run.model),
        "notebook": run.notebook,
        "variant": run.variant,
        "page": page,
        **origin(run.about),
    }


def origin(about: dict) -> dict:
    """The command that repeats a run, and what its provenance.json says, as pairs of words:
    `command, known`.
    """
    versions = [
        f"python {about.get('python', '?')}",
        *(f"{name} {number}" for name, number in about.get("versions", {}).items()),
    ]
    known = [("read", fingerprints.facts(about.get("read"))[:16]), ("commit", commit(about))]
    for part in about.get("data", []):
        known.append(
            (
                "data",
                f"{part['name']} {part.get('split', '')}, {part.get('rows', 0):,} rows, sha256 "
                f"{part['sha256']}",
            )
        )
    known += [
        ("weights", f"{part.get('model_name') or part.get('kind')}, sha256 {part['sha256']}")
        for part in about.get("models", [])
        if "sha256" in part
    ]
    known += [
        ("device", ", ".join(str(about[name]) for name in ("device", "os") if name in about)),
        ("versions", ", ".join(versions)),
    ]
    known += (
        [("took", f"{about['seconds']:g} s, peak memory {about.get('peak_memory_mb', 0):,} MB")]
        if "seconds" in about
        else []
    )
    return {
        "command": tidy(about.get("command", "")),
        "known": [(name, tidy(str(value))) for name, value in known if value],
    }


def commit(about: dict) -> str:
    """The commit that a provenance.json names, short, and whether there was more than it; empty
    where it names none.
    """
    short = str(about.get("commit") or "")[:12]
    return (
        f"{short}, with changes that were not committed" if short and about.get("dirty") else short
    )


def title(executed: Path, name: str) -> tuple[str, str]:
    """Title and question of a notebook: as executed, else as it stands in notebooks/, else its
    name.
    """
    for path in (executed, layout.NOTEBOOKS / f"{name}.ipynb"):
        try:
            found = rendering.title(rendering.read(path))
        except InputError:
            continue
        if found[0]:
            return found
    return name.replace("_", " "), ""


def write(
    run: runs.Finished, mine: dict, others: list[dict], name: str, profile: str, folder: Path
) -> None:
    """Write the page of a run's executed notebook; InputError where that cannot be read.

    `mine` and `others` are the facts of the run and of the other runs of its notebook, `name` the
    notebook's title.
    """
    said = _said(name, profile, run.notebook, run.about, run.folder, f"../../{run.name}") | {
        "run": mine,
        "others": [(_named(one, mine), Path(one["page"]).name) for one in others],
    }
    _renew(run.folder / "executed.ipynb", said, folder / Path(mine["page"]).name)


def write_report(folder: Path, profile: str) -> str | None:
    """Write the page of the report's own notebook, `executed.ipynb` in the report's folder; its
    place, or None where it was not run.
    """
    executed = folder / "executed.ipynb"
    try:
        about = read_json(folder / "provenance.json")
    except (OSError, ValueError):
        about = {}
    said = _said(title(executed, runs.REPORT)[0], profile, runs.REPORT, about, folder, "..") | {
        "run": None,
        "others": [],
    }
    try:
        _renew(executed, said, folder / "pages" / f"{runs.REPORT}.html")
    except InputError:
        return None
    return f"pages/{runs.REPORT}.html"


def _said(name: str, profile: str, notebook: str, about: dict, folder: Path, place: str) -> dict:
    """What a page says around a notebook: titles, files below `folder`, which the page finds at
    `place`, and where the run comes from.
    """
    tables: dict[str, list] = {}
    for path in sorted(folder.glob("tables/*")):
        tables.setdefault(path.stem, []).append((path.suffix[1:], f"{place}/tables/{path.name}"))
    commit = about.get("commit") or "main"
    return {
        "title": inline(name),
        "plain_title": plain(name),
        "profile": profile,
        "source": f"{layout.REPOSITORY}/blob/{commit}/notebooks/{notebook}.ipynb",
        "files": [
            (path.name, f"{place}/{path.name}")
            for path in sorted(folder.iterdir())
            if path.suffix in FILES and path.name != "facts.json"
        ],
        "tables": sorted(tables.items()),
        "figures": rendering.figure_titles(folder),
        "origin": origin(about) if about else None,
    }


def _named(one: dict, mine: dict) -> str:
    return (
        one["model"] if one["variant"] == mine["variant"] else f"{one['model']}, {one['variant']}"
    )


def _renew(executed: Path, said: dict, path: Path) -> None:
    """Write a notebook's page, unless the one that is there was made from the same things by the
    same code.
    """
    if not executed.is_file():
        raise InputError(f"{paths.shown(executed)} is not there; run it again.")
    digest = hashlib.sha256(engine().encode())
    digest.update(executed.read_bytes())
    digest.update(json.dumps(said, sort_keys=True, ensure_ascii=False).encode())
    made_from = digest.hexdigest()
    if (
        path.is_file()
        and f'<meta name="made-from" content="{made_from}">'
        in path.read_text(encoding="utf-8")[:2000]
    ):
        return
    replace(path, rendering.page(rendering.read(executed), said, made_from))
