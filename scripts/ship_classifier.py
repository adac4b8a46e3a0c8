"""Make the shipped model out of a finished run of notebook 18_classifier: calibrated, in half
precision, as ONNX too, with its card.

python scripts/ship_classifier.py RUN [OUT]     OUT: data/models/sentiment
"""

import argparse
from pathlib import Path

from tahanuji import paths, shipping


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("run", type=Path, help="the folder of the run")
    parser.add_argument("out", type=Path, nargs="?", default=paths.DATA / "models" / "sentiment")
    given = parser.parse_args()
    print(paths.shown(shipping.ship(given.run, given.out)))


if __name__ == "__main__":
    main()
