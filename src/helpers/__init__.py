"""Helpers that the notebooks of Tahan Uji share: text in, predictions, table and figure out."""

import os
import warnings

__version__ = "0.2.0"

# Said by tqdm, with a path of the machine, wherever a library asks for a progress bar in a notebook
# without widgets.
warnings.filterwarnings("ignore", message="IProgress not found")

# Read when torch is loaded: threads that wait for one another by spinning make training five times
# slower wherever another process wants a core.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
