"""A user's classifier as a folder with tahan.json, which says where it lies and what its labels
mean.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

from study.audit import labels as naming
from tahanuji import commas, data, lexicons, models, paths, predict
from tahanuji.errors import InputError
from tahanuji.harden import defences

PROBED = 50  # texts that a classifier is asked about before anything runs
NEUTRAL = "neutral"
UNLIKE = {"multi_label_classification": "several labels", "regression": "a number"}  # problem_type
PROBES = ["Makanannya enak.", "Pelayanannya lambat sekali."]


def card(
    model: str, names: dict[str, str], said: str, folder: Path, asking: dict | None = None
) -> dict:
    """What tahan.json will hold for a checkpoint folder, a hub id, `module:function` or a server's
    address; relative paths are of `folder`, `said` are the labels of --labels, and `asking` is how
    a generative model is asked, by the names of `models.prompted`.

    Raises InputError where the classifier cannot be had, has no trained head, or has labels of
    which nobody said what they mean.
    """
    asking = {name: value for name, value in (asking or {}).items() if value}
    labels = own_labels(said, names)
    if re.match(r"https?://", model):
        return of_generative("endpoint", model, labels, asking)
    if strange := sorted(set(asking) - {"prompt"}):
        raise InputError(f"{', '.join(strange)} is for a server's address, and {model!r} is none.")
    place = (folder / model).resolve()
    if not place.is_dir() and is_function(model):
        return of_function(model, names, labels, bool(said), folder)
    if place.is_dir() and (place / models.CARD).is_file():
        return of_checkpoint(place, names, model)
    if not place.is_dir() and ("/" not in model or model.startswith((".", "/"))):
        raise InputError(
            f"there is no classifier {model!r}; give a checkpoint folder, a Hugging Face id "
            f"(owner/name) or module:function."
        )
    source = str(place) if place.is_dir() else model
    if asking or generates(source):
        return of_generative("generative", source, labels, asking) | weights(source)
    return of_network(source, names, model)


def of_checkpoint(place: Path, names: dict[str, str], model: str) -> dict:
    """The card of a checkpoint of the project, behind what its normalise.json says."""
    own, before = models.read_card(place), defences.before(place)
    made = {"kind": "link", "source": str(place), **labelled(own["labels"], names, model)}
    hardened = {"by": "tahanuji.harden.defences:load", "before": before} if before else {}
    return made | hardened | {"sha256": own.get("sha256", "")}


def generates(source: str) -> bool:
    """Whether a folder or hub id holds a causal language model."""
    from tahanuji.models import sources  # loads torch

    return sources.generates(source)


def of_generative(kind: str, source: str, labels: list[str], asking: dict) -> dict:
    """The card of a served model or a causal language model, which is asked about two texts to see
    that it can be.
    """
    made = {"kind": kind, "source": source, "labels": labels, **asking}
    asked = models.prompted(made, made["labels"])
    asked.predict_proba(PROBES)
    own = "model" if kind == "endpoint" else "revision"
    return made | {name: asked.about()[name] for name in ("prompt", own)}


def labelled(raw: list[str], names: dict[str, str], model: str) -> dict:
    """The labels of a card in their order, and what each name of the model means."""
    meanings = naming.of_model(list(map(str, raw)), names, model)
    return {"labels": naming.ordered(list(meanings.values())), "names": meanings}


def of_network(source: str, names: dict[str, str], model: str) -> dict:
    """The card of a Hugging Face sequence classifier, which is loaded to see that it can be."""
    from tahanuji.models import sources  # loads torch

    network, _ = sources.from_source(source)
    kind, count = network.config.problem_type, network.config.num_labels
    if kind in UNLIKE or count < 2:
        raise InputError(
            f"{model} gives {UNLIKE.get(kind, 'a number')} for a text, and an audit is of "
            f"classifiers that give one of two or more labels; wrap it in a function that does."
        )
    named = labelled(list(network.config.id2label.values()), names, model)
    revision = sources.commit(source)
    return {"kind": "link", "source": source, "revision": revision, **named, **weights(source)}


def weights(source: str) -> dict[str, str]:
    """The sha256 of a folder's weights and configuration; of nothing for a hub id."""
    here = Path(source)
    files = sorted(here.glob("*.safetensors")) + [here / "config.json"] if here.is_dir() else []
    return {"sha256": hashlib.sha256("".join(map(data.sha256, files)).encode()).hexdigest()}


def own_labels(said: str, names: dict[str, str]) -> list[str]:
    """The labels that --labels means, else those of sentiment; InputError where two are the same.

    >>> own_labels("negatif, positif", {}), own_labels("0,1", {"0": "negative", "1": "positive"})
    (['negative', 'positive'], ['negative', 'positive'])
    """
    labels = [naming.meant(label, names) for label in commas.words(said)]
    if len(set(labels)) < len(labels):
        raise InputError(f"two labels of --labels {said} mean the same: {', '.join(labels)}.")
    return labels or data.LABELS


def numbered(said: str, names: dict[str, str]) -> dict[str, str]:
    """A map with what the numbers 0, 1, ... of labels mean in the order of --labels, where it names
    words.

    >>> numbered("positif,negatif", {})["1"], numbered("1,0", {}), numbered("", {})
    ('negative', {}, {})
    """
    words = own_labels(said, names) if said else []
    if any(map(data.LABEL_NUMBER.fullmatch, words)):
        return names
    forms = "{}", "label_{}", "label-{}", "label {}", "label{}"
    named = {form.format(at): label for at, label in enumerate(words) for form in forms}
    return named | names


def is_function(model: str) -> bool:
    """Whether this names a Python function.

    >>> is_function("penilai:nilai"), is_function("my work/penilai.py:nilai"), is_function("a/b")
    (True, True, False)
    """
    return bool(re.fullmatch(r"(?:[\w./\\-]+|.+\.py):\w+", model))


def of_function(
    place: str, names: dict[str, str], labels: list[str], numbered: bool, folder: Path
) -> dict:
    """The card of a Python function, which is asked about two texts to see that it answers; its
    numbers are labels where these were named in their order.
    """
    from tahanuji.models import outside

    try:
        answering = outside.function(place, str(folder))
    finally:  # a function that another module lacks is not the user's fault
        file = own_module(place, folder)
    made = {
        "kind": "callable",
        "source": place,
        "folder": str(folder),
        "labels": labels,
        "names": {**lexicons.label_names(), **names},
        "numbered": numbered,
        "sha256": data.sha256(file) if file else "",
    }
    outside.Function(answering, labels, made).predict_proba(PROBES)
    return made


def own_module(place: str, folder: Path) -> Path | None:
    """The file of a function's module, where it has one; InputError where another module of its
    name is imported.
    """
    name = place.rpartition(":")[0]
    path = Path(name) if name.endswith(".py") else Path(*name.split("."))
    if not path.name:  # "." has no file
        return None
    places = folder / path.with_suffix(".py"), folder / path / "__init__.py"
    named = next((file for file in places if file.is_file()), None)
    if path.suffix:
        return named
    file = getattr(sys.modules.get(name), "__file__", None)
    if named and name in sys.modules and not (file and named.samefile(file)):
        raise InputError(
            f"the module {name!r} of {place!r} is that of {file or 'Python itself'}, so that "
            f"{paths.shown(named)} cannot be imported; give your file another name."
        )
    return named or (Path(file) if file else None)


def write(made: dict, folder: Path) -> Path:
    """The folder with a card, named by what the card says: another classifier, another folder."""
    content = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    place = folder / f"model-{hashlib.sha256(content.encode()).hexdigest()[:8]}"
    place.mkdir(parents=True, exist_ok=True)
    (place / models.CARD).write_text(content, encoding="utf-8")
    return place


def probe(name: str, place: Path, dataset: str, assumed: bool) -> str:
    """How often a classifier is right on the first texts, in a sentence, and whether it seems to
    lack a label that was `assumed`; InputError for one that cannot be loaded, that gives no finite
    numbers, or of whose answers none names a label.
    """
    labels, frame = data.labels(dataset), data.load(dataset, "test").head(PROBED)
    said = predict.named(models.load(place, labels).predict_proba(data.inputs(frame)), labels)
    many, mute = len(frame), int((said == predict.UNPARSABLE).sum())
    if mute == many:
        raise InputError(
            f"{name} answers none of the first {many} texts with one of its labels "
            f"({', '.join(labels)}): all are unparsable. Change what it is asked (--prompt), its "
            f"labels (--labels) or what they mean (--map)."
        )
    right = int((said == frame["label"]).sum())
    unclear = f", {mute} answers name no label" if mute else ""
    guess = right * len(labels) < many
    doubt = (
        ": fewer than by guessing; do its labels mean what --map or --labels say?" if guess else "."
    )
    lacking = set(labels) - set(said) == {NEUTRAL} and assumed
    if lacking:
        doubt += f" No answer is {NEUTRAL}; if it has no such label, say --labels "
        doubt += f"{','.join(label for label in labels if label != NEUTRAL)}."
    return (
        f"{name} is right on {right} of the first {many} texts ({right / many:.0%}){unclear}{doubt}"
    )


def name(model: str, given: str) -> str:
    """The name of a classifier in tables: as given, else the last part of its place."""
    chosen = paths.slug(given or re.split(r"[/\\:]", model.rstrip("/\\"))[-1]).strip(".")
    return f"{chosen}-audited" if chosen in models.entries() else chosen
