"""Helpers that the notebooks of Tahan Uji share: text in, predictions, table and figure out."""

import warnings

__version__ = "0.1.0"

# Said by tqdm, with a path of the machine, wherever a library asks for a progress bar in a notebook without widgets.
warnings.filterwarnings("ignore", message="IProgress not found")
