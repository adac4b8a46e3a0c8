"""Does this Python have every package of requirements.lock? Standard library only: it runs before
anything is installed.

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
    """The versions of requirements.lock by package."""
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return dict(line.split("#")[0].strip().split("==") for line in lines if "==" in line)


def differing(name: str, wanted: str) -> str:
    """What is wrong with an installed package; empty where its version is the wanted one."""
    try:
        version = metadata.version(name).split("+")[0]
    except metadata.PackageNotFoundError:
        return f"{name} {wanted} is missing"
    return "" if version == wanted else f"{name} is {version}, not {wanted}"


def problems() -> list[str]:
    """What keeps this Python from running the study, a phrase each."""
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        return [f"Python {sys.version_info[0]}.{sys.version_info[1]} is not between 3.11 and 3.13"]
    differences = [differing(name, wanted) for name, wanted in pins().items()]
    helpers = importlib.util.find_spec("helpers")
    origin = Path(helpers.origin or "").resolve() if helpers else Path()
    if ROOT / "src" not in origin.parents:
        differences.append("helpers is not installed from this folder")
    return [difference for difference in differences if difference]


if __name__ == "__main__":
    if "--torch" in sys.argv:
        print(f"torch=={pins()['torch']}")
    elif differences := problems():
        print("; ".join(differences))
        sys.exit(1)
