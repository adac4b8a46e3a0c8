"""Sites of the report for tests, built from copies of this machine's runs of the default study,
and a strict reader of their HTML.
"""

import json
import os
import shutil
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from helpers import layout
from helpers.report import page

OUTPUTS = layout.outputs().resolve()  # read once: `below` changes TAHAN_OUTPUTS meanwhile
PROFILES = ("embedded",)
VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}
DRAWN = {"circle", "line", "polygon", "polyline"}
BLOCKS = {
    "p",
    "div",
    "ul",
    "ol",
    "dl",
    "table",
    "pre",
    "blockquote",
    "h1",
    "h2",
    "h3",
    "h4",
    "section",
    "article",
    "form",
    "figure",
    "details",
}
NEVER_INSIDE = {"a": {"a", "button"}, "button": {"a", "button", "select", "input"}, "p": BLOCKS}


def need_runs() -> None:
    """Skip the module that is being imported where the default study has not finished here."""
    if not all((OUTPUTS / profile / "report/index.html").is_file() for profile in PROFILES):
        pytest.skip(
            "outputs/embedded/report/index.html is not there (`./run_all.sh` makes it): the "
            "report's page is not tested",
            allow_module_level=True,
        )


def copy(outputs: Path, profile: str, *only: str) -> Path:
    """Copy the finished runs of a profile, or those of them that are named, without checkpoints;
    the profile's folder.
    """
    for run in sorted(
        path for path in (OUTPUTS / profile).glob("*/*/*") if (path / "provenance.json").is_file()
    ):
        name = "/".join(run.parts[-3:])
        if not only or name in only:
            shutil.copytree(
                run,
                outputs / profile / name,
                ignore=shutil.ignore_patterns("checkpoint", "private", "facts.json"),
            )
    return outputs / profile


@contextmanager
def below(outputs: Path):
    """TAHAN_OUTPUTS is `outputs` meanwhile."""
    before = os.environ.get("TAHAN_OUTPUTS")
    os.environ["TAHAN_OUTPUTS"] = str(outputs)
    try:
        yield
    finally:
        if before is None:
            del os.environ["TAHAN_OUTPUTS"]
        else:
            os.environ["TAHAN_OUTPUTS"] = before


def build(outputs: Path, profile: str = "embedded") -> Path:
    """Build the page of a profile below `outputs`; the index's path."""
    with below(outputs):
        return page.build(profile)


def site(outputs: Path, profile: str = "embedded", *only: str) -> Path:
    """Copy runs and build their page; the index's path."""
    copy(outputs, profile, *only)
    return build(outputs, profile)


def files(index: Path) -> list[Path]:
    """The pages of a site."""
    return [index, *sorted(index.parent.glob("pages/*.html"))]


class Element:
    """An element that was read: tag, attributes, parent, children, and the text directly in it."""

    def __init__(self, tag: str, attributes: dict, parent: "Element | None"):
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children: list[Element] = []
        self.parts: list = []

    def all(self, tag: str | None = None, **wanted: str) -> list["Element"]:
        """The elements below this one, of a tag and with attribute values where these are given
        (`class_` for class).
        """
        found = []
        for child in self.children:
            fits = tag in (None, child.tag) and all(
                child.attributes.get(name.rstrip("_").replace("_", "-")) == value
                for name, value in wanted.items()
            )
            found += [child] * fits + child.all(tag, **wanted)
        return found

    @property
    def text(self) -> str:
        return " ".join(
            "".join(
                part if isinstance(part, str) else f" {part.text} " for part in self.parts
            ).split()
        )

    def inside(self, tag: str) -> bool:
        return self.parent is not None and (self.parent.tag == tag or self.parent.inside(tag))


class Strict(HTMLParser):
    """Reads a page and asserts that its elements are well nested."""

    def __init__(self):
        super().__init__()
        self.root = self.open = Element("", {}, None)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        made = Element(tag, dict(attrs), self.open)
        for outer, forbidden in NEVER_INSIDE.items():
            assert not (tag in forbidden and made.inside(outer)), (
                f"<{tag}> inside <{outer}>, line {self.getpos()[0]}"
            )
        self.open.children.append(made)
        self.open.parts.append(made)
        if tag not in VOID:
            self.open = made

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        assert tag in VOID | DRAWN, tag
        self.handle_starttag(tag, attrs)
        if tag in DRAWN:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.tag, f"</{tag}> closes <{self.open.tag}>, line {self.getpos()[0]}"
        self.open = self.open.parent

    def handle_data(self, data: str) -> None:
        self.open.parts.append(data)


def parse(path: Path) -> Element:
    """The elements of a page, strictly nested."""
    reader = Strict()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    assert reader.open is reader.root, f"<{reader.open.tag}> stays open"
    return reader.root


def failing(index: Path) -> dict:
    """The failing rows that an index carries for its script."""
    return json.loads("".join(parse(index).all("script", id="failing")[0].parts))


def expected_rows(profile: Path) -> pd.DataFrame:
    """The failing rows that the runs' csv files hold, as `model, test, id, gold, clean, label,
    kind, text, perturbed`.
    """
    parts = []
    for path in sorted(profile.glob("*/*/*/misclassified.csv")):
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        model = json.loads((path.parent / "provenance.json").read_text(encoding="utf-8"))[
            "parameters"
        ]["model_name"]
        plain = "perturbed_label" not in frame
        names = frame.get("test", "clean")
        if "rate" in frame:
            names = (names + " " + frame["rate"]).str.strip()
        if "group" in frame:
            names += (", " + frame["group"]).where(frame["group"] != "all", "")
        part = pd.DataFrame({"id": frame["id"], "gold": frame["gold"], "model": model})
        part["test"] = f"{path.parent.parent.name}/{path.parent.name}/" + pd.Series(
            names, index=frame.index
        )
        part["label"] = frame["label"] if plain else frame["perturbed_label"]
        part["clean"] = frame["label"] if plain else frame["clean_label"]
        part["kind"] = (
            "wrong"
            if plain
            else (frame["clean_label"] == frame["gold"]).map(
                {True: "induced", False: "wrong before too"}
            )
        )
        part["text"], part["perturbed"] = (
            frame.get("text", ""),
            frame.get("perturbed", frame.get("text", "")),
        )
        parts.append(part)
    return pd.concat(parts, ignore_index=True)
