"""What all pages share: templates, styles and script, what a page may load, and words made fit for
a page.
"""

import base64
import hashlib
import re
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import jinja2
from markupsafe import Markup

from helpers import layout
from tahanuji import paths

WEB = Path(__file__).parent / "web"
ENVIRONMENT = jinja2.Environment(
    loader=jinja2.FileSystemLoader(WEB),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)
ABSOLUTE = re.compile(
    r"(?<![\w.:/~-])/(?:home|Users|root|tmp|var|mnt|media|work|srv|opt|scratch|content|private)/(?:[^\s'\"<>,:]*/)?([^\s'\"<>,:/]*)"
)


def render(name: str, **words) -> str:
    """A page from a template of web/, with the shared styles."""
    return ENVIRONMENT.get_template(name).render(**words, styles=Markup(_text("page.css")))


@lru_cache
def _text(name: str) -> str:
    return (WEB / name).read_text(encoding="utf-8")


def script() -> Markup:
    """The script of the index."""
    return Markup(_text("page.js"))


def policy(code: str = "") -> str:
    """What a page may load: its own styles, images that stand in it and the one script that does;
    nothing from anywhere else.
    """
    allowed = (
        f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
        if code
        else "'none'"
    )
    return (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {allowed}; "
        f"base-uri 'none'; form-action 'none'"
    )


@lru_cache
def engine() -> str:
    """A hash of the code and templates that make pages, and of nbconvert's version."""
    digest = hashlib.sha256(metadata.version("nbconvert").encode())
    for path in [*sorted(WEB.iterdir()), *sorted(WEB.parent.glob("*.py"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def replace(path: Path, text: str) -> None:
    """Write a page in one step: a reader never meets half of it."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8", newline="\n")
    part.replace(path)


def plain(markdown: str) -> str:
    """A line of Markdown without its marks.

    >>> plain("Is *nggak* `x`?")
    'Is nggak x?'
    """
    return re.sub(r"[*`]", "", markdown)


def inline(markdown: str) -> Markup:
    """A line of Markdown with *emphasis*, which in this project marks Indonesian words, as HTML.

    >>> inline("*tidak* & <b>")
    Markup('<i lang="id">tidak</i> &amp; &lt;b&gt;')
    """
    text = str(Markup.escape(markdown))
    return Markup(re.sub(r"\*\*?([^*]+)\*\*?", r'<i lang="id">\1</i>', text).replace("`", ""))


def sentence(markdown: str) -> Markup:
    """A finding as HTML: **strong** for what it is about, *emphasis* for names of tests and
    Indonesian words.

    >>> sentence("**mini** fails on *negation: gak* & more")
    Markup('<b>mini</b> fails on <i>negation: gak</i> &amp; more')
    """
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", str(Markup.escape(markdown)))
    return Markup(re.sub(r"\*([^*]+)\*", r"<i>\1</i>", text))


def relative(text: str) -> str:
    """A text in which files below outputs/ and the repository are named relative to it."""
    return text.replace(f"{layout.outputs()}/", "outputs/").replace(f"{paths.ROOT}/", "")


def tidy(text: str) -> str:
    """A text without folders of the machine it was made on: below outputs/ and the repository
    relative, elsewhere the last part.

    >>> tidy("/opt/models/best and file:///srv/study/outputs/cpu, see https://hub/home/x")
    '…/best and outputs/cpu, see https://hub/home/x'
    """
    text = relative(text.replace("file://", ""))
    text = re.sub(r"(?<![\w.:/~-])/[^\s'\"<>]*/(outputs/)", r"\1", text)
    return ABSOLUTE.sub(r"…/\1", text)
