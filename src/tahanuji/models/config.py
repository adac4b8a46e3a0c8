"""The entries of config/models.yaml."""

import sys

from tahanuji import paths


def entries() -> dict[str, dict]:
    """The models of config/models.yaml.

    Returns
    -------
    dict of str to dict
        By name: kind, source, revision, colour and training settings.

    Examples
    --------
    >>> entries()["tfidf"]["kind"]
    'tfidf'
    """
    return paths.read_yaml(paths.CONFIG / "models.yaml")


def spec(model_name: str) -> dict:
    """The entry of a model.

    Parameters
    ----------
    model_name : str
        A name of config/models.yaml, a Hugging Face id or a local folder.

    Returns
    -------
    dict
        Its entry and `name`; an id or folder gets the settings of `indobert` with itself as source.

    Examples
    --------
    >>> spec("owner/model")["source"]
    'owner/model'
    """
    listed = entries()
    sys.audit(
        "tahanuji.entry", "config/models.yaml", model_name if model_name in listed else "indobert"
    )
    entry = listed.get(model_name) or {
        **listed["indobert"],
        "about": model_name,
        "source": model_name,
        "revision": None,
    }
    return {"name": model_name, **entry}


def colours() -> dict[str, str]:
    """One colour per model by name, in hex, the same in every figure.

    >>> set(colours()) == set(entries())
    True
    """
    return {name: entry["colour"] for name, entry in entries().items()}


def label_set(names) -> list[str]:
    """Label names in lower case, sorted: what two label sets are compared by."""
    return sorted(str(name).lower() for name in names)
