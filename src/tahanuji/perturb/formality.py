"""Formality triplets: one meaning at three levels, from a file, the thesis's three sets, or a
survey export.
"""

from pathlib import Path

import pandas as pd

from tahanuji import data, downloads, paths
from tahanuji.errors import InputError, absent, extra

with extra("english"):
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer

LEVELS = ["formal", "semi_formal", "informal"]
UNABBREVIATED = "informal_unabbreviated"  # the informal wording with every word spelt out, of some
SPELT_OUT = "informal, without abbreviations"  # the test of that wording
DESCRIPTIONS = ["domain", "dialect"]  # columns that a csv of triplets may have besides
_SENTENCES, _WORDS = PunktSentenceTokenizer(), NLTKWordTokenizer()


def tokenise(text: str) -> str:
    """The text lower-cased with spaces round punctuation, as the thesis prepared its sets
    (Viannisa, 2025, section 3.2.2).

    NLTK's tokenizers, both without downloaded data.

    >>> tokenise("Kopinya enak, lho. Murah juga!")
    'kopinya enak , lho . murah juga !'
    """
    return " ".join(
        word for sentence in _SENTENCES.tokenize(text) for word in _WORDS.tokenize(sentence)
    ).lower()


def load(name: str) -> pd.DataFrame:
    """Triplets as a frame `id, label, formal, semi_formal, informal`, tokenised, with `domain`,
    `dialect` (of the informal sentence; none: no regional words) and `informal_unabbreviated`
    (empty where it was not written) where the file has them.

    `name` is an entry under `formality` in data/registry.yaml (embedded, thesis, thesis_survey), a
    csv with those columns, or a survey export. `attrs["refused"]` names the rows of a survey that
    were left out. Raises InputError where nothing usable remains.
    """
    known = downloads.registry()["formality"]
    if name not in known and not Path(name).is_file():
        raise absent(
            "formality set",
            name,
            known,
            "A csv with the columns id, label, formal, semi_formal, informal, or a survey export, "
            "does as well.",
        )
    entry = downloads.registered("formality", name) or {}
    if "levels" in entry:
        frame, used = (
            from_levels({level: data.locate(place) for level, place in entry["levels"].items()}),
            list(entry["levels"].values()),
        )
        digest = "+".join(data.sha256(data.locate(place))[:16] for place in used)
    else:
        path = data.locate(entry.get("triplets") or entry["survey"]) if entry else Path(name)
        frame, digest = from_file(path), data.sha256(path)
    refused = frame.attrs.get("refused", [])
    publish = bool(entry.get("publish_texts")) if entry else False
    frame = data.describe(
        frame.reset_index(drop=True),
        name=paths.slug(name),
        split="triplets",
        sha256=digest,
        publish_texts=publish,
    )
    frame.attrs["refused"] = refused
    return frame


def from_levels(files: dict[str, Path]) -> pd.DataFrame:
    """Triplets from one labelled file per level, row i of each belonging together; InputError where
    labels or lengths differ.
    """
    parts = {level: data.read_labelled(path, data.LABELS) for level, path in files.items()}
    first = parts[LEVELS[0]]
    for level, part in parts.items():
        if list(part["label"]) != list(first["label"]):
            raise InputError(
                f"the labels of {level} and {LEVELS[0]} differ: their rows do not belong together."
            )
    columns = {level: list(parts[level]["text"]) for level in LEVELS}
    return pd.DataFrame(
        {
            "id": [f"t{number:03d}" for number in range(1, len(first) + 1)],
            "label": first["label"],
            **columns,
        }
    )


def from_file(path: Path) -> pd.DataFrame:
    """Triplets of a csv, tokenised; a Google Forms export is told by its column Timestamp and goes
    through `from_survey`.
    """
    table = data.read_table(path)
    if "Timestamp" in table:
        return from_survey(path)
    if missing := {"id", "label", *LEVELS} - set(table.columns):
        raise InputError(f"{paths.shown(path)} has no column {', '.join(sorted(missing))}.")
    data.refuse(
        table,
        ~table["label"].isin(data.LABELS),
        path,
        f"have a label outside {', '.join(data.LABELS)}",
    )
    data.refuse(
        table,
        table[LEVELS].apply(lambda column: column.str.strip() == "").any(axis=1),
        path,
        "miss a sentence",
    )
    data.refuse(table, table["id"].duplicated(), path, "repeat an id")
    described = [column for column in DESCRIPTIONS if column in table]
    wordings = [column for column in [*LEVELS, UNABBREVIATED] if column in table]
    return table[["id", "label"]].join(table[wordings].map(tokenise)).join(table[described])


def from_survey(path: Path) -> pd.DataFrame:
    """Triplets from a Google Forms export with formal, semi_formal, informal and gold_label (a code
    0, 1, 2 or a label name).

    Rows without a label or without a sentence at one of the levels are left out and named, with
    what they miss, in `attrs["refused"]`; InputError where no row is complete.
    """
    table = data.read_table(path)
    if missing := {"gold_label", *LEVELS} - set(table.columns):
        raise InputError(
            f"{paths.shown(path)} is no survey export: it has no column "
            f"{', '.join(sorted(missing))}."
        )
    table["label"] = table["gold_label"].str.strip().str.lower().replace(data.THESIS_CODES)
    refused, kept = [], []
    for row, cells in table.iterrows():
        lacking = [level for level in LEVELS if not cells[level].strip()] + (
            [] if cells["label"] in data.LABELS else ["gold_label"]
        )
        if lacking:
            refused.append({"row": row, "lacks": ", ".join(lacking)})
        else:
            kept.append(
                {
                    "id": f"row{row:03d}",
                    "label": cells["label"],
                    **{level: tokenise(cells[level]) for level in LEVELS},
                }
            )
    if not kept:
        raise InputError(f"{paths.shown(path)}: no row has a label and a sentence at every level.")
    frame = pd.DataFrame(kept)
    frame.attrs["refused"] = refused
    return frame


def level(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """One level of the triplets as a frame `id, text, label`."""
    return frame[["id", name, "label"]].rename(columns={name: "text"})


def unabbreviated(frame: pd.DataFrame) -> pd.DataFrame:
    """The triplets whose informal wording was also written without abbreviations.

    >>> frame = pd.DataFrame({"id": ["a", "b"], UNABBREVIATED: ["banget", ""]})
    >>> unabbreviated(frame)["id"].tolist()
    ['a']
    """
    return frame[frame[UNABBREVIATED] != ""] if UNABBREVIATED in frame else frame.iloc[:0]


def wording(frame: pd.DataFrame) -> pd.Series:
    """Per triplet id, whether the informal sentence holds regional words: regional words, no
    regional words, or not annotated where the frame has no column `dialect`.

    >>> frame = pd.DataFrame({"id": ["a", "b"], "dialect": ["none", "javanese"]})
    >>> wording(frame).to_dict(), wording(frame[["id"]]).tolist()
    ({'a': 'no regional words', 'b': 'regional words'}, ['not annotated', 'not annotated'])
    """
    if "dialect" not in frame:
        return pd.Series("not annotated", index=frame["id"])
    plain = frame.set_index("id")["dialect"] == "none"
    return plain.map({True: "no regional words", False: "regional words"})
