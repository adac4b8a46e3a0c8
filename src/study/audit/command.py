"""An audit: `./run_all.sh audit MODEL [OPTION ...]` writes one card of the classifier and a profile
that names it, then runs that profile as any other. What a person reads goes to standard error.
"""

import argparse
import contextlib
import sys
from pathlib import Path

from helpers import layout
from study import gate, run
from study.audit import classifiers, files, profile, texts
from study.audit import labels as naming
from tahanuji import data, paths, perturb
from tahanuji.errors import InputError
from tahanuji.gate import ready

OPTIONS = {  # name: what stands for its value, and help
    "data": ("FILE", "csv, tsv or jsonl of texts and labels, or a folder with test, train, valid"),
    "text": ("COLUMN", "the column of texts"),
    "label": ("COLUMN", "the column of labels"),
    "map": (
        "NAME=LABEL,...",
        "what names of labels mean, of file and model; NAME=- leaves rows out",
    ),
    "labels": ("LABEL,...", "those of a function, a generative model or a system elsewhere"),
    "prompt": ("NAME", "the wording that asks a generative model, a row of data/prompts"),
    "served": ("NAME", "which model of a server, where it has several"),
    "key": ("VARIABLE", "the environment variable that holds a server's key"),
    "at-once": ("N", "requests to a server at a time, 8 where not given"),
    "encoding": ("NAME", "of the files: utf-8 (default), cp1252, ..."),
    "perturbations": ("NAME,...", "further ones than the study's own, such as slang, laughter"),
    "gate": ("POLICY", "what it must stand: a yaml file, lenient, default or strict"),
    "against": (
        "OLD",
        "an earlier audit, or a classifier, which is audited first: what got worse since",
    ),
    "name": ("NAME", "what the classifier is called in tables"),
    "export-texts": ("FILE", "write all texts of the study for a system elsewhere, and stop"),
    "predictions": ("FILE", "go on with its answers: id and label, or id and p_<label> of each"),
}


def parser() -> argparse.ArgumentParser:
    """The options of an audit."""
    options = argparse.ArgumentParser(prog="./run_all.sh audit", allow_abbrev=False)
    about = (
        "a checkpoint folder, a Hugging Face id, module:function; any name for a system elsewhere"
    )
    options.add_argument("model", metavar="MODEL", help=about)
    for name, (metavar, words) in OPTIONS.items():
        options.add_argument(f"--{name}", default="", metavar=metavar, help=words)
    options.add_argument("--quick", action="store_true", help="a sample of texts, fewer variants")
    about = "run every test, also those that a policy of your own asks nothing of"
    options.add_argument("--whole", action="store_true", help=about)
    about = "try every single typo too: which answers are right and cannot be moved (notebook 19)"
    options.add_argument("--prove", action="store_true", help=about)
    options.add_argument("--alone", action="store_true", help="no other models beside it")
    about = "delete all copies of your texts that the audit of MODEL made, and stop"
    options.add_argument("--forget-texts", action="store_true", help=about)
    return options


def own_data(given: argparse.Namespace, folder: Path, names: dict[str, str]) -> dict:
    """The splits of --data: one file is the test split, a folder has one file per split."""
    if not given.data:
        return {}
    place = folder / given.data
    parts = data.own_files(place) if place.is_dir() else {"test": place}
    if "test" not in parts:
        raise InputError(f"{given.data} holds no test.csv, test.tsv or test.jsonl.")
    read = (given.text, given.label, names, given.encoding or "utf-8")
    return {split: files.load(path, *read) for split, path in parts.items()}


def asking(given: argparse.Namespace) -> dict:
    """How a generative model is asked; InputError for a number of requests that is none."""
    if given.at_once and not (given.at_once.isdigit() and int(given.at_once)):
        raise InputError(f"--at-once takes a number of requests such as 8, not {given.at_once!r}.")
    how = {"prompt": given.prompt, "model": given.served, "key": given.key}
    return how | {"at_once": int(given.at_once or 0)}


def card(given: argparse.Namespace, folder: Path, names: dict[str, str]) -> dict:
    """The content of the classifier's card; of a system elsewhere its labels alone."""
    if given.export_texts or given.predictions:
        return {"labels": classifiers.own_labels(given.labels, naming.kept(names))}
    return classifiers.card(given.model, naming.kept(names), given.labels, folder, asking(given))


def prepare(given: argparse.Namespace) -> str:
    """The name of the profile of an audit, whose card, data and configuration are written; empty
    where texts are exported and nothing is to run.
    """
    if given.forget_texts:
        name = classifiers.name(given.model, given.name)
        say(f"{profile.forget(name)} copies of texts of the audit of {name} are deleted.")
        return ""
    folder = layout.called_from()
    if given.export_texts:
        files.check_folder(folder / given.export_texts)
    names = naming.mapping(given.map)
    policy = gate.asked(given.gate, given.against)
    gate.check_baselines(policy, given.against, classifiers.name(given.model, given.name))
    made = card(given, folder, names)
    audit = profile.Audit(
        classifiers.name(made.get("model") or given.model, given.name),
        naming.ordered(made["labels"]),
        given.quick,
        fixed="kind" not in made,
        alone=given.alone,
        perturbations=", ".join(perturb.names(given.perturbations)),
        prove=given.prove,
        repeats=policy.repeats,
        policy=policy if given.gate not in ("", *ready()) and not given.whole else None,
    )
    profile.check_name(audit, made, given.model)
    own = own_data(given, folder, names)
    where, beside = profile.dataset(audit, own, Path(given.data or "embedded").stem)
    if given.export_texts:
        export(audit, profile.configuration(audit, where, beside, Path()), folder, given)
        return ""
    if given.predictions:
        meanings = classifiers.numbered(given.labels, naming.kept(names))
        how = (meanings, given.label, given.encoding or "utf-8")
        place = texts.write(audit, *texts.answered(audit, folder / given.predictions, *how))
    else:
        place = classifiers.write(made, audit.folder)
    assumed = not given.labels and made.get("kind", "predictions") in ("callable", "predictions")
    say(classifiers.probe(audit.name, place, where, assumed))
    config = profile.configuration(audit, where, beside, place)
    profile.write(audit.folder, config)
    announce(audit, config)
    if own:
        announce_copies(audit, texts.to_read(audit, where))
    return audit.profile


def export(audit: profile.Audit, config: dict, folder: Path, given: argparse.Namespace) -> None:
    """Write the texts of an audit for a system elsewhere, and say how it goes on."""
    audit.folder.mkdir(parents=True, exist_ok=True)
    count = texts.export(audit, config, folder / given.export_texts)
    say(
        f"{given.export_texts} has {count} texts (id, text): add a column label, then give the "
        f"same command with --predictions instead of --export-texts."
    )


def announce(audit: profile.Audit, config: dict) -> None:
    """Say beforehand what will run, and what is left out."""
    say(
        f"Audit of {audit.name} ({', '.join(audit.labels)}) on {config['dataset']}, beside "
        f"{', '.join(config['models'][1:]) or 'no other model'}: "
        f"{', '.join(config['runs'])}."
    )
    for left in audit.said():
        say(f"  {left}")
    say(f"Runs and report: {paths.shown(audit.folder)}")


def announce_copies(audit: profile.Audit, count: int) -> None:
    """Say where a user's own texts lie, and those that tests changed, so many, for him to read."""
    say(
        f"{count} of your texts as tests change them are in "
        f"{paths.shown(audit.folder / texts.TO_READ)}: read them before you trust a verdict."
    )
    say(
        f"Copies of your texts are data-*, {texts.TO_READ} and private/ below "
        f"{paths.shown(audit.folder)}, and what models learn from your train split; "
        f"./run_all.sh audit {audit.name} --forget-texts deletes them."
    )


def say(words: str) -> None:
    """Print for a person."""
    print(words, file=sys.stderr)


def main(words: list[str]) -> int:
    """Prepare an audit and run it; the exit status is that of its runs, or of its gate."""
    given, rest = parser().parse_known_args(words)
    old = older(given) if given.against else None
    with contextlib.redirect_stdout(sys.stderr):  # whatever a user's function prints
        profiles = [prepare(one) for one in (given, old) if one]
    prepared = profiles[0]
    if not prepared:
        return 0
    if given.against:
        gate.check_texts(prepared, given.against)
    statuses = [run.main([one, *rest]) for one in reversed(profiles)]
    if run.asks(rest, (*run.DRY, "--plan")) or not (given.gate or given.against):
        return max(statuses)
    return gate.UNDECIDED if any(statuses) else gate.judge(prepared, given.gate, given.against)


def older(given: argparse.Namespace) -> argparse.Namespace | None:
    """The audit of what --against names where that is a classifier, with the options of the new
    one, which is compared with it; None for an earlier audit or a file of outcomes, and InputError
    for what is none of these.
    """
    if gate.is_earlier(given.against):
        return None
    folder = layout.called_from()
    if not (set("/:") & set(given.against) or (folder / given.against).is_dir()):
        gate.earlier(given.against)  # refuses it
    new = classifiers.name(given.model, given.name)
    name = classifiers.name(given.against, "")
    old = argparse.Namespace(**vars(given))
    old.model, old.predictions = given.against, ""
    old.name = f"{name}-old" if name == new else name
    given.against = old.name
    return old
