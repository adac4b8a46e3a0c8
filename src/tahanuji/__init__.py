"""How robust an Indonesian text classifier is, and what makes it stand."""


def __getattr__(name: str):
    """`normalise` and `load`, imported when they are first asked for."""
    if name == "normalise":
        from tahanuji.harden.normalise import normalise

        return normalise
    if name == "load":
        from tahanuji.harden.defences import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
