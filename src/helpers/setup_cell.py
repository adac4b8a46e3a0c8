"""Where the repository is published, and the setup cell of every notebook, which fetches it on
Colab: `python -m helpers.setup_cell` writes the cell into all notebooks after a change here.
"""

import json
import re
from pathlib import Path

from helpers import __version__

REPOSITORY = "https://github.com/tahan-uji/tahan-uji"
TAG = f"v{__version__}"
SOURCE = f"""\
# @title Setup: on Colab, fetch the repository and what it needs; elsewhere, check that it is there
import os
import sys

if "google.colab" in sys.modules:
    if not os.path.isdir("tahan-uji"):
        !git clone --quiet --depth 1 --branch {TAG} {REPOSITORY}
        if not os.path.isdir("tahan-uji"):
            raise ImportError(
                "Colab could not fetch tag {TAG} of {REPOSITORY}: git says why above. "
                "Open the address in a browser; where it is there, run this cell again."
            )
        !sed -n "s/ *# colab//p" tahan-uji/requirements.lock | xargs pip install --quiet
    sys.path.insert(0, os.path.abspath("tahan-uji/src"))
try:
    import helpers  # noqa: F401
except ImportError as error:
    raise ImportError(
        "Colab lacks a package, pip says why above: delete the runtime and start anew."
        if "google.colab" in sys.modules
        else "helpers is not installed for this kernel: run ./run_all.sh --setup, take its .venv."
    ) from error"""


def write(notebooks: Path) -> None:
    """Write the setup cell into every notebook of a folder."""
    lines = ",\n".join(f"    {json.dumps(line)}" for line in SOURCE.splitlines(keepends=True))
    pattern = r'("id": "setup",\n.*?"source": \[\n).*?(\n   \]\n)'
    for path in sorted(notebooks.glob("*.ipynb")):
        text = path.read_text(encoding="utf-8")
        text = re.sub(pattern, lambda found: f"{found[1]}{lines}{found[2]}", text, flags=re.DOTALL)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    from helpers import layout

    write(layout.NOTEBOOKS)
