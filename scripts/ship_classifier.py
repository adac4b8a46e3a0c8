"""Make the shipped model out of a finished run of notebook 18_classifier: calibrated, in half
precision, as ONNX too, with its card.

python scripts/ship_classifier.py RUN [OUT] [--encoder NAME]     OUT: data/models/sentiment
"""

import argparse
from pathlib import Path

from tahanuji import paths, shipping


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("run", type=Path, help="the folder of the run")
    parser.add_argument("out", type=Path, nargs="?", default=paths.DATA / "models" / "sentiment")
    about = "the network that it began as, in config/models.yaml; as in the run where not given"
    parser.add_argument("--encoder", default="", metavar="NAME", help=about)
    given = parser.parse_args()
    print(paths.shown(shipping.ship(given.run, given.out, given.encoder)))


if __name__ == "__main__":
    main()
