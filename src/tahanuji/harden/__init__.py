"""What makes a classifier stand: a normaliser in front of it, noise in its training, and how they
are combined (`harden.defences`).

A new defence is one class in a file of its own, with `fit` or `wrap`, and one line of
`defences.DEFENCES`.
"""
