def __getattr__(name: str):
    if name == "normalise":
        from tahanuji.harden.normalise import normalise

        return normalise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
