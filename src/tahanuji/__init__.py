"""How robust an Indonesian text classifier is, and what makes it stand."""

__all__ = ["load", "normalise"]


def __getattr__(name: str):
    """`normalise`, `load` and `__version__`, imported when they are first asked for."""
    if name == "normalise":
        from tahanuji.harden.normalise import normalise

        return normalise
    if name == "load":
        from tahanuji.harden.defences import load

        return load
    if name == "__version__":
        from contextlib import suppress
        from importlib.metadata import PackageNotFoundError, version

        with suppress(PackageNotFoundError):  # a copy of the files that nobody installed
            return version("tahanuji")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
