"""Write the profile of an audit: `./run_all.sh audit MODEL [OPTION ...]` calls this and runs it.

Standard output has the profile's name and what is left for Snakemake, one a line; nothing where
there is nothing to run. What a person reads goes to standard error.
"""

import argparse
import contextlib
import os
import sys
from pathlib import Path

from helpers.audit import classifiers, files, study, texts
from helpers.audit import labels as naming
from tahanuji import data, paths
from tahanuji.errors import InputError, sentence

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
    "encoding": ("NAME", "of the file: utf-8 (default), cp1252, ..."),
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


def prepare(given: argparse.Namespace) -> str:
    """Write all that an audit runs on; its profile's name, nothing where it is done already."""
    folder = Path(os.environ.get("TAHAN_CALLED_FROM") or Path.cwd())
    names = naming.mapping(given.map)
    elsewhere = bool(given.export_texts or given.predictions)
    card = {}
    if elsewhere:
        labels = classifiers.own_labels(given.labels)
    else:
        how = (given.labels, folder, asking(given))
        card = classifiers.card(given.model, naming.kept(names), *how)
        labels = card["labels"]
    audit = study.Study(
        classifiers.name(card.get("model") or given.model, given.name),
        naming.ordered(labels),
        given.quick,
        elsewhere,
    )
    own = own_data(given, folder, names)
    where, there = study.dataset(audit, own, Path(given.data or "embedded").stem)
    if given.export_texts:
        config = study.profile(audit, where, there, Path())
        audit.folder.mkdir(parents=True, exist_ok=True)
        count = texts.export(audit, config, folder / given.export_texts)
        say(
            f"{given.export_texts} has {count} texts (id, text): add a column label, then give the "
            f"same command with --predictions instead of --export-texts."
        )
        return ""
    if given.predictions:
        place = texts.write(
            audit,
            *texts.answered(audit, folder / given.predictions, naming.kept(names), given.label),
        )
    else:
        place = classifiers.write(card, audit.folder)
    config = study.profile(audit, where, there, place)
    study.write(audit, config)
    announce(audit, config)
    return audit.profile


def announce(audit: study.Study, config: dict) -> None:
    """Say beforehand what will run, and what is left out."""
    say(
        f"Audit of {audit.name} ({', '.join(audit.labels)}) on {config['dataset']}, beside "
        f"{', '.join(config['models'][1:]) or 'no other model'}: "
        f"{', '.join(name for name in config['runs'] if name != '01_finetune')}."
    )
    for left in audit.left_out:
        say(f"  {left}")
    say(f"Runs and report: {paths.shown(audit.folder)}")


def say(words: str) -> None:
    """Print for a person."""
    print(words, file=sys.stderr)


def main(words: list[str] | None = None) -> int:
    """The command line; the exit status is 0 done, 2 wrong use."""
    given, rest = parser().parse_known_args(words)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # whatever a user's function prints
            profile = prepare(given)
    except (InputError, OSError) as error:
        say(f"audit: {sentence(error)}")
        return 2
    if profile:
        print("\n".join([profile, *rest]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
