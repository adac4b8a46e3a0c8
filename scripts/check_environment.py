"""Does this Python have every package that pyproject.toml pins? Standard library only: it runs
before anything is installed.

python scripts/check_environment.py           exit 0, or 1 with what differs
python scripts/check_environment.py --torch   print torch's pin, which is installed first and alone
"""

import importlib.util
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OLDEST, NEWEST = (3, 11), (3, 13)


def pins() -> dict[str, str]:
    """The pinned packages of pyproject.toml: {name: version}."""
    import tomllib

    lines = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "dependencies"
    ]
    return dict(line.split("==") for line in lines)


def problems() -> list[str]:
    """What keeps this Python from running the study, a phrase each."""
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        return [f"Python {sys.version_info[0]}.{sys.version_info[1]} is not between 3.11 and 3.13"]
    found = []
    for name, wanted in pins().items():
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            found.append(f"{name} {wanted} is missing")
            continue
        if version.split("+")[0] != wanted:
            found.append(f"{name} is {version}, not {wanted}")
    helpers = importlib.util.find_spec("helpers")
    if (
        helpers is None
        or not helpers.origin
        or ROOT / "src" not in Path(helpers.origin).resolve().parents
    ):
        found.append("helpers is not installed from this folder")
    return found


if __name__ == "__main__":
    if "--torch" in sys.argv:
        print(f"torch=={pins()['torch']}")
    elif found := problems():
        print("; ".join(found))
        sys.exit(1)
