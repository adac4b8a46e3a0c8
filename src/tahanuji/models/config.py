"""The entries of config/models.yaml."""

import sys

import yaml

from tahanuji import paths


def entries() -> dict[str, dict]:
    """The models of config/models.yaml by name."""
    return yaml.safe_load((paths.CONFIG / "models.yaml").read_text(encoding="utf-8"))


def spec(model_name: str) -> dict:
    """The entry of config/models.yaml; a hub id or folder gets the settings of `indobert` with
    itself as source.
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
    """One colour per model, the same in every figure."""
    return {name: entry["colour"] for name, entry in entries().items()}


def label_set(names) -> list[str]:
    """Label names in lower case, sorted: what two label sets are compared by."""
    return sorted(str(name).lower() for name in names)
