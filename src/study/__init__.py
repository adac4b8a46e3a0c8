"""A study around its notebooks: what a profile plans and will be able to show, what runs cost,
the process that runs them, their progress, and what becomes of finished ones (published, redrawn).
"""
