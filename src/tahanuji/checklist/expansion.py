"""Templates with slots as cases: seeded, without duplicates, the same in any order of files."""

import hashlib
import itertools
import math
import random
from collections.abc import Iterator

import pandas as pd
from rapidfuzz.distance import Levenshtein

from tahanuji import data
from tahanuji.checklist.reading import SLOT, Suite, group_of
from tahanuji.errors import InputError

SEED = 26092020
CASES = 100  # filled templates of a capability, at least; its written sentences come on top
TRIES = 50  # draws per case that is wanted, before a template counts as used up
SIMILAR = 0.8  # share of the words, by edit distance, from which two texts are near-duplicates
COLUMNS = [
    *("id", "capability", "family", "test_type", "source", "template"),
    *("register", "domain", "expected", "text", "changed"),
]


def expand(suite: Suite, cases: int = CASES, seed: int = SEED) -> pd.DataFrame:
    """The cases of a suite: filled templates and written sentences.

    Every template of a capability gives the same number of cases, the smallest with which the
    capability has at least `cases` of them (a template with few fillings gives what it has). Case
    k of a template depends on the seed and the template's id alone.

    Parameters
    ----------
    suite : Suite
    cases : int
        Filled templates per capability, at least.
    seed : int

    Returns
    -------
    DataFrame
        `id, capability, family, test_type, source, template, register, domain, expected, text,
        changed`; `id` is capability/template/number, `family` the group of its capability,
        `source` templates or sentences, `template` the id of what a case comes from, `changed`
        empty for MFT. `attrs["source"]` names the suite and holds a sha256 over its cases.

    Raises
    ------
    InputError
        For fewer cases than one.

    Examples
    --------
    >>> from tahanuji import checklist
    >>> cases = checklist.expand(checklist.read(), cases=1)
    >>> cases["id"].is_unique, cases["test_type"].nunique()
    (True, 3)
    """
    if cases < 1:
        raise InputError(f"a capability needs one case or more, and {cases} is fewer.")
    parts = []
    for tested in suite.capabilities.itertuples():
        templates = suite.templates[suite.templates["capability"] == tested.capability]
        sentences = suite.sentences[suite.sentences["capability"] == tested.capability]
        filled = _filled(templates, suite, cases, seed)
        written = [_case(row, 1, row.text, row.changed) for row in sentences.itertuples()]
        accepted = [case for case in written if _stays(case, suite)]
        for source, found in (("templates", filled), ("sentences", accepted)):
            parts += [
                {**case, "family": tested.group, "test_type": tested.test_type, "source": source}
                for case in found
            ]
    frame = pd.DataFrame(parts, columns=COLUMNS)
    digest = hashlib.sha256(frame.to_json(orient="values").encode()).hexdigest()
    return data.describe(frame, name="checklist", split="test", sha256=digest, publish_texts=True)


def _filled(templates: pd.DataFrame, suite: Suite, cases: int, seed: int) -> list[dict]:
    """Cases of a capability's templates, round by round until there are enough."""
    streams = [
        [row, fillings(row, suite.fillers, f"{seed}/{row.capability}/{row.id}", cases)]
        for row in templates.itertuples()
        if f"{row.capability}/{row.id}" not in suite.left_out
    ]
    kept, texts = [], set()
    for number in range(1, cases + 1):
        for order, (row, stream) in enumerate(streams):
            filling = next(stream, None)
            if filling is None:
                continue
            both = (fill(row, text, filling) for text in (row.text, row.changed))
            case = _case(row, number, *both)
            if (case["text"], case["changed"]) not in texts and _stays(case, suite):
                texts.add((case["text"], case["changed"]))
                kept.append((order, number, case))
        if len(kept) >= cases:
            break
    return [case for _, _, case in sorted(kept, key=lambda entry: entry[:2])]


def _case(row, number: int, text: str, changed: str) -> dict:
    return {
        "id": f"{row.capability}/{row.id}/{number}",
        "capability": row.capability,
        "template": row.id,
        "register": row.register,
        "domain": row.domain,
        "expected": row.expected,
        "text": text,
        "changed": changed,
    }


def _stays(case: dict, suite: Suite) -> bool:
    """Whether readers accepted a case, and its two versions differ."""
    ids = {case["id"], f"{case['capability']}/{case['template']}"}
    return not ids & suite.left_out and case["text"] != case["changed"]


def fillings(row, fillers: dict[str, list[str]], key: str, most: int) -> Iterator[dict[str, str]]:
    """Distinct fillings of a template's slots, `most` at the most.

    Every slot deals its words like a shuffled pack of cards, so that all are used before one comes
    again; slots that share a list of words (`{food}`, `{food2}`) never hold the same one.
    """
    slots = list(dict.fromkeys(SLOT.findall(f"{row.text} {row.changed}")))
    lists = {slot: fillers[group_of(slot, fillers)] for slot in slots}
    packs = [_dealt(words, f"{key}/{slot}") for slot, words in lists.items()]
    total, seen = math.prod(len(words) for words in lists.values()), set()
    for _ in range(TRIES * most):
        words = tuple(next(pack) for pack in packs)
        if words not in seen:
            seen.add(words)
            filling = dict(zip(slots, words, strict=True))
            if not _repeats(filling, fillers):
                yield filling
        if len(seen) == total:
            return


def _dealt(words: list[str], key: str) -> Iterator[str]:
    rng = random.Random(key)
    while True:
        yield from rng.sample(words, len(words))


def _repeats(filling: dict[str, str], fillers: dict[str, list[str]]) -> bool:
    named = [(group_of(slot, fillers), word) for slot, word in filling.items()]
    return len(set(named)) < len(named)


def fill(row, text: str, filling: dict[str, str]) -> str:
    """A text with its slots filled; a slot that begins it is capitalised, but in colloquial texts.

    >>> from types import SimpleNamespace
    >>> row = SimpleNamespace(register="neutral")
    >>> fill(row, "{food}nya {taste}.", {"food": "nasi", "taste": "enak"})
    'Nasinya enak.'
    """
    filled = SLOT.sub(lambda hit: filling[hit[1]], text)
    if row.register == "colloquial" or not text.lstrip("\"'“‘(").startswith("{"):
        return filled
    start = len(text) - len(text.lstrip("\"'“‘("))
    return filled[:start] + filled[start : start + 1].upper() + filled[start + 1 :]


def near_duplicates(rows: pd.DataFrame, similar: float = SIMILAR) -> pd.DataFrame:
    """Pairs of texts of one capability (`capability, first, second, similarity`): at least such a
    share of the words is alike, one minus their edit distance in words over the length of the
    longer one. Cases of one template are never compared (column `template`).

    >>> rows = pd.DataFrame({"id": ["t1", "t2"], "text": ["x y z w v", "x y z w u"]})
    >>> near_duplicates(rows.assign(capability="a"))["similarity"].tolist()
    [0.8]
    """
    origin = rows["template"] if "template" in rows else rows["id"]
    listed = rows.assign(origin=origin, words=rows["text"].str.lower().str.split())
    pairs = []
    for capability, part in listed.groupby("capability", sort=False):
        for one, two in itertools.combinations(part.itertuples(), 2):
            if one.origin != two.origin:
                value = Levenshtein.normalized_similarity(one.words, two.words)
                if value >= similar:
                    pairs.append((capability, one.id, two.id, round(value, 3)))
    return pd.DataFrame(pairs, columns=["capability", "first", "second", "similarity"])


def sizes(suite: Suite, cases: pd.DataFrame) -> pd.DataFrame:
    """What a suite holds, a row per capability and one for all: `capability, group, test_type,
    templates, sentences, cases, near_duplicate_templates` (templates with a near-duplicate before
    them).
    """
    twins = near_duplicates(suite.templates).drop_duplicates(["capability", "second"])
    counts = {
        "templates": cases[cases["source"] == "templates"]
        .groupby("capability")["template"]
        .nunique(),
        "sentences": cases[cases["source"] == "sentences"].groupby("capability").size(),
        "cases": cases.groupby("capability").size(),
        "near_duplicate_templates": twins.groupby("capability").size(),
    }
    table = suite.capabilities[["capability", "group", "test_type"]].copy()
    for name, count in counts.items():
        table[name] = table["capability"].map(count).fillna(0).astype(int)
    total = {"capability": "all", "group": "", "test_type": "", **table[list(counts)].sum()}
    return pd.concat([table, pd.DataFrame([total])], ignore_index=True)
