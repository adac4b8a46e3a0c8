"""The texts that a model is pre-trained on, and those held out: a registered data set's splits, or
a folder of text files.
"""

import fnmatch
import hashlib
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tahanuji import commas, data, downloads
from tahanuji.errors import InputError, unknown

__all__ = ["Corpus", "by_source", "load"]

ENDINGS = (".txt", ".txt.xz")
HELD_OUT = "heldout_"


@dataclass(frozen=True)
class Corpus:
    """Training texts and held-out texts by name.

    Attributes
    ----------
    training : DataFrame
        Columns `text, source`; `attrs["source"]` for provenance.json.
    heldout : dict of str to DataFrame
        The same of every held-out set, by its name.
    """

    training: pd.DataFrame
    heldout: dict[str, pd.DataFrame]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Every frame by name, the training texts first."""
        return {"training": self.training, **self.heldout}


def load(dataset: str, files: str = "", leave_out: str = "") -> Corpus:
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

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        For a folder or file that cannot serve, and for a source that is not there.
    """
    folder = Path(dataset)
    if (
        not folder.is_dir()
        or dataset in downloads.registry()["datasets"]
        or any(folder.glob("train.[ct]sv"))
    ):
        if files or leave_out:
            raise InputError(
                f"files and leave_out choose from a folder of texts, and dataset is {dataset!r}; "
                f"leave them empty."
            )
        return Corpus(_split(dataset, "train"), {"valid": _split(dataset, "valid")})
    named = [(name, path) for path in sorted(folder.iterdir()) if (name := _name(path))]
    file_of = dict(named)
    if len(file_of) < len(named):
        doubled = next(name for name, path in named if file_of[name] != path)
        raise InputError(
            f"{dataset}: {doubled} is there twice, as {doubled}.txt and as {doubled}.txt.xz; take "
            f"one away."
        )
    learned = [name for name in file_of if not name.startswith(HELD_OUT)]
    if not learned:
        raise InputError(
            f"{dataset} holds no .txt or .txt.xz file to learn from; put text there, one sentence "
            f"or paragraph per line."
        )
    if missing := [name for name in commas.words(files) if name not in learned]:
        raise unknown(
            "file",
            missing[0],
            learned,
            f"Endings are left out; {HELD_OUT}*.txt are never learned from.",
        )
    unseen = {name.removeprefix(HELD_OUT): name for name in file_of if name.startswith(HELD_OUT)}
    if not unseen:
        raise InputError(
            f"{dataset} holds no {HELD_OUT}<name>.txt to measure the loss on; move some hundred "
            f"lines of whole documents into one."
        )
    training = _frame(
        folder,
        {name: file_of[name] for name in learned},
        sorted(commas.words(files)) or learned,
        "train",
        commas.words(leave_out),
    )
    return Corpus(
        training, {short: _frame(folder, file_of, [name], name) for short, name in unseen.items()}
    )


def _split(dataset: str, split: str) -> pd.DataFrame:
    frame = data.load(dataset, split)
    texts = data.sentences(data.inputs(frame))
    return data.describe(
        pd.DataFrame({"text": texts, "source": frame.attrs["source"]["name"]}),
        **frame.attrs["source"],
    )


def _name(path: Path) -> str:
    """A text file's name without its ending; "" for anything else, lists of sources included."""
    name = next(
        (path.name.removesuffix(ending) for ending in ENDINGS[::-1] if path.name.endswith(ending)),
        "",
    )
    return "" if name.endswith(".sources") or not path.is_file() else name


def _frame(
    folder: Path,
    file_of: dict[str, Path],
    names: list[str],
    split: str,
    left_out: Sequence[str] = (),
) -> pd.DataFrame:
    """The lines of files that are not blank, with their sources, less those that are left out."""
    parts, digest = [], hashlib.sha256()
    for name in names:
        lines = _lines(file_of[name])
        digest.update("\n".join([name, *lines]).encode())
        listed = next(
            (path for ending in ENDINGS if (path := folder / f"{name}.sources{ending}").is_file()),
            None,
        )
        sources = _lines(listed) if listed else [name] * len(lines)
        if len(sources) != len(lines):
            raise InputError(
                f"{listed.name} has {len(sources):,} lines and {file_of[name].name} "
                f"{len(lines):,}; line by line they belong together."
            )
        parts.append(pd.DataFrame({"text": lines, "source": sources}))
    frame = pd.concat(parts, ignore_index=True)
    frame = frame[frame["text"].str.strip() != ""]
    for pattern in left_out:
        named = [key for key in frame["source"].unique() if fnmatch.fnmatchcase(key, pattern)]
        if not named:
            raise unknown("source", pattern, sorted(set(frame["source"])))
        frame = frame[~frame["source"].isin(named)]
        digest.update(f"\nwithout {sorted(named)}".encode())
    frame = frame.reset_index(drop=True)
    if frame.empty:
        raise InputError(
            f"{', '.join(file_of[name].name for name in names)} in {folder} holds no text."
        )
    about = {
        "name": folder.resolve().name,
        "split": split,
        "files": names,
        "words": int(frame["text"].str.split().str.len().sum()),
    }
    if left_out:
        about["left_out"] = list(left_out)
    return data.describe(frame, **about, sha256=digest.hexdigest(), publish_texts=False)


def _lines(path: Path) -> list[str]:
    """The lines of a text file, compressed or not; only a line feed ends a line, so that files stay
    aligned.
    """
    try:
        raw = path.read_bytes()
        raw = lzma.decompress(raw) if path.suffix == ".xz" else raw
        text = raw.decode("utf-8")
    except lzma.LZMAError as error:
        raise InputError(
            f"{path} cannot be unpacked ({str(error).rstrip('.')}); it is no xz file, or cut off."
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}, line {error.object.count(10, 0, error.start) + 1}: not UTF-8; convert the "
            f"file."
        ) from None
    return [
        line.rstrip("\r") for line in text.removeprefix("\ufeff").removesuffix("\n").split("\n")
    ]


def by_source(corpus: Corpus, folder: str = "") -> pd.DataFrame:
    """Lines and words of the training texts by source, largest first.

    Parameters
    ----------
    corpus : Corpus
        Whose training texts are counted.
    folder : str
        Where a README may say the `repository` and `licence` of sources.

    Returns
    -------
    DataFrame
        A row per source, with `repository` and `licence` where the README says them.
    """
    words = corpus.training["text"].str.split().str.len()
    table = (
        words.groupby(corpus.training["source"])
        .agg(lines="size", words="sum")
        .sort_values(["words", "lines"], ascending=False)
    )
    learned = pd.DataFrame(
        _licences(Path(folder) / "README.md"), columns=["source", "repository", "licence"]
    ).drop_duplicates("source")
    return table.reset_index().merge(learned, how="left", on="source").fillna("")


def _licences(readme: Path) -> Iterator[tuple[str, str, str]]:
    """Source, repository and licence from the Markdown tables of a README whose heads begin with
    `key`, `repository` and `licence`.
    """
    heads = []
    for line in readme.read_text(encoding="utf-8").splitlines() if readme.is_file() else []:
        cells = (
            [cell.strip() for cell in line.strip("| ").split("|")] if line.startswith("|") else []
        )
        row = dict(zip(heads, cells, strict=False))
        if {"key", "repository", "licence"} <= row.keys():
            yield row["key"], row["repository"], row["licence"]
        heads = (heads or [cell.split(" ")[0] for cell in cells]) if cells else []
