"""Helpers that the notebooks of Tahan Uji share: text in, predictions, table and figure out."""

__version__ = "0.1.0"
