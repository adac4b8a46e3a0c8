"""What a perturbation changed in a text: stored in few bytes, and marked for reading."""

import html
from functools import lru_cache

from markupsafe import Markup

LONGEST = 300  # words on each side beyond which a change is marked as a whole, not word by word


@lru_cache(maxsize=1 << 16)
def packed(text: str, perturbed: str) -> tuple[int, int, str | None]:
    """A changed text as the words it shares with the original in front and behind, and what stands
    between (None: no word).

    >>> packed("saya tidak suka ini", "saya gak suka ini")
    (1, 2, 'gak')
    """
    old, new = text.split(" "), perturbed.split(" ")
    shorter = min(len(old), len(new))
    head = next((number for number in range(shorter) if old[number] != new[number]), shorter)
    tail = next(
        (number for number in range(shorter - head) if old[-1 - number] != new[-1 - number]),
        shorter - head,
    )
    middle = new[head : len(new) - tail]
    return head, tail, " ".join(middle) if middle else None


def unpacked(text: str, head: int, tail: int, middle: str | None) -> str:
    """The changed text again.

    >>> unpacked("saya tidak suka ini", 1, 2, "gak")
    'saya gak suka ini'
    """
    old = text.split(" ")
    return " ".join(
        [*old[:head], *([] if middle is None else middle.split(" ")), *old[len(old) - tail :]]
    )


def differences(old: list[str], new: list[str]) -> list[tuple[str, list[str]]]:
    """What became of a list of words, as runs of `same`, `del` and `ins`: a longest common
    subsequence, the one that page.js finds too.

    >>> differences("a b c".split(), "a x c".split())
    [('same', ['a']), ('del', ['b']), ('ins', ['x']), ('same', ['c'])]
    """
    if len(old) > LONGEST or len(new) > LONGEST:
        return [("del", old), ("ins", new)]
    length = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            length[i][j] = (
                length[i + 1][j + 1] + 1
                if old[i] == new[j]
                else max(length[i + 1][j], length[i][j + 1])
            )
    found, i, j = [], 0, 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and old[i] == new[j]:
            kind, word, i, j = "same", old[i], i + 1, j + 1
        elif j == len(new) or (i < len(old) and length[i + 1][j] >= length[i][j + 1]):
            kind, word, i = "del", old[i], i + 1
        else:
            kind, word, j = "ins", new[j], j + 1
        if found and found[-1][0] == kind:
            found[-1][1].append(word)
        else:
            found.append((kind, [word]))
    return found


def marked(text: str, perturbed: str) -> Markup:
    """A text with what a perturbation took out and put in marked.

    >>> marked("saya tidak suka", "saya gak suka")
    Markup('saya <del>tidak</del> <ins>gak</ins> suka')
    """
    tags = {"same": "{}", "del": "<del>{}</del>", "ins": "<ins>{}</ins>"}
    parts = [
        tags[kind].format(html.escape(" ".join(words), quote=False))
        for kind, words in differences(text.split(" "), perturbed.split(" "))
    ]
    return Markup(" ".join(parts))
