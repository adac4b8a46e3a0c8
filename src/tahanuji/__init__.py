"""How robust an Indonesian text classifier is, and what makes it stand."""


def __getattr__(name: str):
    """`normalise`, imported when it is first asked for."""
    if name == "normalise":
        from tahanuji.harden.normalise import normalise

        return normalise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
