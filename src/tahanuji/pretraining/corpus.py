"""The texts that a model is pre-trained on, and those held out: a registered data set's splits, or
a folder of text files.
"""

import fnmatch
import hashlib
import lzma
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tahanuji import commas, data, downloads
from tahanuji.errors import InputError, unknown

__all__ = ["Corpus", "load"]

ENDINGS = (".txt", ".txt.xz")
HELD_OUT = "heldout_"


@dataclass(frozen=True)
class Corpus:
    """Frames of texts with columns `text, source`: those to learn from, those held out, and test
    texts of data sets whose words are counted too.
    """

    training: pd.DataFrame
    heldout: dict[str, pd.DataFrame]
    tested: dict[str, pd.DataFrame]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Every frame by name, the training texts first."""
        return {"training": self.training, **self.heldout, **self.tested}

    def texts(self) -> dict[str, list[str]]:
        """The texts of every frame by name."""
        return {name: list(frame["text"]) for name, frame in self.frames().items()}

    def sources(self, folder: str = "") -> pd.DataFrame:
        """Lines and words of the training texts by source, largest first, with the `repository` and
        `licence` of a source where the README of the folder says them.
        """
        words = self.training["text"].str.split().str.len()
        counts = words.groupby(self.training["source"]).agg(lines="size", words="sum")
        counts = counts.sort_values(["words", "lines"], ascending=False).reset_index()
        columns = ["source", "repository", "licence"]
        said = pd.DataFrame(_licences(Path(folder) / "README.md"), columns=columns)
        return counts.merge(said.drop_duplicates("source"), how="left", on="source").fillna("")


def load(dataset: str, files: str = "", leave_out: str = "", tested: str = "") -> Corpus:
    """The corpus that a parameter `dataset` means.

    Parameters
    ----------
    dataset : str
        A data set's name or folder (see `data.load`): learned from its training split, held out its
        validation split. Or a folder of .txt or .txt.xz files, UTF-8, one sentence or paragraph per
        line: held out its `heldout_<name>.txt`. Beside a file, `<file>.sources.txt` may name each
        line's source.
    files : str
        The files of such a folder to learn from, without their endings, comma-separated (a file
        named twice is read twice; empty: all), in the order of their names.
    leave_out : str
        The sources whose lines are not learned from, comma-separated; `*` stands for any letters.
        Held-out texts stay whole.
    tested : str
        Data sets, comma-separated, whose test texts come along as `<name> test`.

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        For a folder or file that cannot serve, and for a source that is not there.

    Examples
    --------
    >>> {name: len(texts) for name, texts in load("embedded").texts().items()}
    {'training': 1161, 'valid': 200}
    """
    more = {f"{name} test": _split(name, "test") for name in commas.words(tested)}
    if _holds_texts(dataset):
        return _of_folder(Path(dataset), commas.words(files), commas.words(leave_out), more)
    if files or leave_out:
        raise InputError(
            f"files and leave_out choose from a folder of texts, and dataset is {dataset!r}; "
            f"leave them empty."
        )
    return Corpus(_split(dataset, "train"), {"valid": _split(dataset, "valid")}, more)


def _holds_texts(dataset: str) -> bool:
    """Whether `dataset` is a folder of text files and not one of tables."""
    tables = dataset in downloads.registry()["datasets"] or any(Path(dataset).glob("train.[ct]sv"))
    return Path(dataset).is_dir() and not tables


def _split(dataset: str, split: str) -> pd.DataFrame:
    """The sentences of a data set's split."""
    frame = data.load(dataset, split)
    about = frame.attrs["source"]
    texts = pd.DataFrame({"text": data.sentences(data.inputs(frame)), "source": about["name"]})
    return data.describe(texts, **about)


def _of_folder(folder: Path, files: list[str], left_out: list[str], more: dict) -> Corpus:
    """The corpus of a folder of text files."""
    places = _places(folder)
    unseen = [name for name in places if name.startswith(HELD_OUT)]
    learned = [name for name in places if name not in unseen]
    if not learned:
        raise InputError(
            f"{folder} holds no .txt or .txt.xz file to learn from; put text there, one sentence "
            f"or paragraph per line."
        )
    if missing := [name for name in files if name not in learned]:
        hint = f"Endings are left out; {HELD_OUT}*.txt are never learned from."
        raise unknown("file", missing[0], learned, hint)
    if not unseen:
        raise InputError(
            f"{folder} holds no {HELD_OUT}<name>.txt to measure the loss on; move some hundred "
            f"lines of whole documents into one."
        )
    training = _frame(places, sorted(files) or learned, "train", left_out)
    heldout = {name.removeprefix(HELD_OUT): _frame(places, [name], name) for name in unseen}
    return Corpus(training, heldout, more)


def _places(folder: Path) -> dict[str, Path]:
    """The text files of a folder by their names without endings, lists of sources left out."""
    places = {}
    for path in sorted(folder.iterdir()):
        name = path.name.removesuffix(".xz").removesuffix(".txt")
        if not path.name.endswith(ENDINGS) or name.endswith(".sources") or not path.is_file():
            continue
        if name in places:
            raise InputError(
                f"{folder}: {name} is there twice, as {name}.txt and as {name}.txt.xz; take one "
                f"away."
            )
        places[name] = path
    return places


def _frame(
    places: dict[str, Path], names: list[str], split: str, left_out: Iterable[str] = ()
) -> pd.DataFrame:
    """The lines of files that are not blank, with their sources, less those that are left out."""
    parts, digest = [], hashlib.sha256()
    for name in names:
        lines = _lines(places[name])
        digest.update("\n".join([name, *lines]).encode())
        parts.append(pd.DataFrame({"text": lines, "source": _sources(places[name], name, lines)}))
    frame = pd.concat(parts, ignore_index=True)
    frame = frame[frame["text"].str.strip() != ""]
    for pattern in left_out:
        sources = frame["source"].unique()
        if not (named := fnmatch.filter(sources, pattern)):
            raise unknown("source", pattern, sorted(sources))
        frame = frame[~frame["source"].isin(named)]
        digest.update(f"\nwithout {sorted(named)}".encode())
    folder = places[names[0]].parent
    if frame.empty:
        listed = ", ".join(places[name].name for name in names)
        raise InputError(f"{listed} in {folder} holds no text.")
    about = {"name": folder.resolve().name, "split": split, "files": names}
    about["words"] = int(frame["text"].str.split().str.len().sum())
    about |= {"left_out": list(left_out)} if left_out else {}
    frame = frame.reset_index(drop=True)
    return data.describe(frame, **about, sha256=digest.hexdigest(), publish_texts=False)


def _sources(path: Path, name: str, lines: list[str]) -> list[str]:
    """The source of every line of a text file: what `<name>.sources.txt` says, else its name."""
    lists = [path.with_name(f"{name}.sources{ending}") for ending in ENDINGS]
    listed = next(filter(Path.is_file, lists), None)
    if listed is None:
        return [name] * len(lines)
    sources = _lines(listed)
    if len(sources) != len(lines):
        raise InputError(
            f"{listed.name} has {len(sources):,} lines and {path.name} {len(lines):,}; line by "
            f"line they belong together."
        )
    return sources


def _lines(path: Path) -> list[str]:
    """The lines of a text file, compressed or not; only a line feed ends a line, so that files stay
    aligned.
    """
    try:
        raw = path.read_bytes()
        text = (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode("utf-8")
    except lzma.LZMAError as error:
        raise InputError(
            f"{path} cannot be unpacked ({str(error).rstrip('.')}); it is no xz file, or cut off."
        ) from None
    except UnicodeDecodeError as error:
        line = error.object.count(10, 0, error.start) + 1
        raise InputError(f"{path}, line {line}: not UTF-8; convert the file.") from None
    lines = text.removeprefix("\ufeff").removesuffix("\n").split("\n")
    return [line.rstrip("\r") for line in lines]


def _licences(readme: Path) -> Iterator[tuple[str, str, str]]:
    """Source, repository and licence from the Markdown tables of a README whose heads begin with
    `key`, `repository` and `licence`.
    """
    heads = []
    for line in readme.read_text(encoding="utf-8").splitlines() if readme.is_file() else []:
        cells = [cell.strip() for cell in line.strip("| ").split("|")] if line[:1] == "|" else []
        row = dict(zip(heads, cells, strict=False))
        if {"key", "repository", "licence"} <= row.keys():
            yield row["key"], row["repository"], row["licence"]
        heads = (heads or [cell.split(" ")[0] for cell in cells]) if cells else []
