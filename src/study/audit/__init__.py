"""Anyone's classifier through the whole study: its labels, its texts and the profile that runs
them.
"""
