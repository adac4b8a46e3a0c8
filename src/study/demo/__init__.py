"""A page on which anybody can try a fine-tuned network: `python -m study demo`."""
