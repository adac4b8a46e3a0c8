"""Characters of many texts perturbed at once: they stand in one array, and in every round each text
draws its next place.

The draws are numbers of a counter under the text's own key and not of a generator, so that order,
subset and size of a batch change nothing.
"""

import random
from collections.abc import Callable, Iterable
from itertools import chain
from re import Pattern

import numpy as np

from tahanuji.perturb import places, units

SIZE = 250_000  # characters in one array, about (benchmarks/RESULTS.md)
# The increment, shifts and factors of SplitMix64 (Steele, Lea and Flood, 2014; the constants are
# those of Vigna's splitmix64.c).
_STEP, _FACTORS = 0x9E3779B97F4A7C15, ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_NONE = np.empty(0, np.int64)


def _table(test: Callable[[str], int]) -> bytes:
    """What a test says of each ASCII character, for bytes.translate; 0 for other bytes."""
    return bytes(test(chr(code)) if code < 128 else 0 for code in range(256))


_SHOWN, _ALPHA = _table(lambda sign: not sign.isspace()), _table(str.isalpha)
_SHOWS = np.frombuffer(_SHOWN, bool)
# What every protected token of `places` has: a sign (1), or one of .:;= (2) before something that
# is not white, or xx, xD, XD (3).
_SIGNS = _table(
    lambda sign: 1 if sign in "@#[<_" else 2 if sign in ".:;=" else 3 if sign in "xX" else 0
)


def numbers(keys: np.ndarray, number: int) -> np.ndarray:
    """Of each key (uint64) the number-th output, from 0 on, of a SplitMix64 generator in that
    state, as a fraction from 0 to below 1.
    """
    mixed = keys + np.uint64((number + 1) * _STEP % 2**64)
    for shift, factor in _FACTORS:
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)) * 2.0**-53


def below(sizes: np.ndarray | int, fractions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers below the sizes, drawn evenly by fractions from 0 to below 1, and what is left
    of the fractions for the next choice.

    >>> below(5, np.array([0.0, 0.3, 0.9]))
    (array([0, 1, 4]), array([0. , 0.5, 0.5]))
    """
    scaled = fractions * sizes
    whole = scaled.astype(np.int64)
    return whole, scaled - whole


class Batched:
    """A perturbation of many texts at once, `work(batch) -> texts`, that is called like any other
    too: `(text, rate, rng) -> str | None`.

    `pattern`: which characters it may change, `places.LATIN` or `places.PLAIN`. A single text draws
    its key from the generator, so what it becomes is not what `perturb.apply` makes of it, which
    gives keys itself; and it takes as long as some fifty texts at once.
    """

    def __init__(self, work: Callable[["Batch"], list[str | None]], pattern: Pattern):
        self.work, self.pattern = work, pattern

    def __call__(self, text: str, rate: float, rng: random.Random) -> str | None:
        return self.many([text], rate, [rng.getrandbits(64) if rate else 0])[0]

    def many(self, texts: list[str], rate: float, keys: list[int]) -> list[str | None]:
        """The perturbed texts, None where nothing changed; a text's draws hang on its key (64 bits)
        alone.
        """
        if len(texts) != len(keys):
            raise ValueError(f"{len(texts)} texts and {len(keys)} keys")
        if not units.count(1, rate):
            return [None] * len(texts)
        part = np.cumsum([len(text) + 1 for text in texts]) // SIZE
        bounds = [*np.flatnonzero(np.diff(part, prepend=-1)).tolist(), len(texts)]
        slices = [slice(*pair) for pair in zip(bounds, bounds[1:], strict=False)]
        return list(
            chain.from_iterable(
                self.work(Batch(texts[some], rate, keys[some], self.pattern)) for some in slices
            )
        )


class Batch:
    """Some texts as arrays over all T characters, with a line break after each text.

    `signs` (T,): the ASCII characters as bytes, "?" for others; `codes` (T,): the characters, to be
    changed in place; `free` (T,): whether a character may be changed; `starts` (n + 1,): where the
    texts begin; `wanted` (n,): the units that the rate asks of each text. The line breaks are never
    free, so that the places before and after a free one are always there (before the first one by
    index -1, the last one).
    """

    def __init__(self, texts: list[str], rate: float, keys: list[int], pattern: Pattern):
        joined = "\n".join([*texts, ""])
        plain, raw = joined.isascii(), joined.encode("ascii", "replace")
        self.texts, self.keys, self.signs = (
            texts,
            np.array(keys, np.uint64),
            np.frombuffer(raw, np.uint8),
        )
        self.codes = (
            self.signs.copy()
            if plain
            else np.frombuffer(bytearray(joined.encode("utf-32-le", "surrogatepass")), np.uint32)
        )
        self.starts = np.cumsum([0, *(len(text) + 1 for text in texts)])
        self.beyond = (
            [] if plain else [number for number, text in enumerate(texts) if not text.isascii()]
        )
        self.free = self._mask(
            places.ALLOWED[pattern],
            lambda text: places.free(text, pattern)[:-1],
            {*self.beyond, *self._suspects()},
        )
        shown = np.add.reduceat(
            np.frombuffer(raw.translate(_SHOWN), np.uint8), self.starts[:-1], dtype=np.int64
        )
        shown[self.beyond] = [places.visible(texts[number]) for number in self.beyond]
        self.wanted = np.minimum(
            shown, np.maximum(1, (rate * shown + 0.5).astype(np.int64))
        )  # units.count

    def _mask(
        self, table: bytes, single: Callable[[str], bytes], others: Iterable[int]
    ) -> np.ndarray:
        """For every character whether its byte has a 1 in the table; in some texts, given by
        number, what `single` says of each character.
        """
        mask = bytearray(self.signs.tobytes().translate(table))
        for number in others:
            start = self.starts[number]
            mask[start : start + len(self.texts[number])] = single(self.texts[number])
        return np.frombuffer(mask, bool)

    def _suspects(self) -> list[int]:
        """The texts that may have protected tokens; few have, and `places.free` looks for them in
        these only.
        """
        kinds = np.frombuffer(self.signs.tobytes().translate(_SIGNS), np.uint8)
        at = np.flatnonzero(kinds)
        kind, after = kinds[at], self.signs[at + 1]
        hit = (
            (kind == 1)
            | ((kind == 2) & _SHOWS[after])
            | ((kind == 3) & ((after == ord("x")) | (after == ord("D"))))
        )
        return np.unique(np.searchsorted(self.starts, at[hit], "right") - 1).tolist()

    def alphabetic(self) -> np.ndarray:
        """For every character whether it is a letter of any script."""
        return self._mask(_ALPHA, lambda text: bytes(map(str.isalpha, text)), self.beyond)

    def draw(
        self, sites: np.ndarray, take: Callable[[np.ndarray, np.ndarray], tuple]
    ) -> list[np.ndarray]:
        """Give out the sites (places in order) of each text in random order until it has the units
        that it wants or no site is left.

        In every round `take(place, fraction)` gets the next site of each text that goes on, with a
        fraction for choices of its own; it says which of them made a unit (True: all) and what is
        to be kept of these, arrays that come back joined over all rounds. A text that wants more
        goes on longer with the same draws, so that a higher rate keeps what a lower one did.
        """
        kept = [
            take(_NONE, np.empty(0))[1:]
        ]  # nothing, in arrays of the right types, should no text go on
        rest, bounds, number = sites.copy(), np.searchsorted(sites, self.starts), 0
        base, size, left, keys = bounds[:-1], np.diff(bounds), self.wanted, self.keys
        while (going := (left > 0) & (size > 0)).any():
            if not going.all():
                base, size, left, keys = base[going], size[going], left[going], keys[going]
            at, fraction = below(size, numbers(keys, number))
            place, size, number = rest[base + at], size - 1, number + 1
            rest[base + at] = rest[
                base + size
            ]  # the last site that is left moves up to the one that was drawn
            made, *columns = take(place, fraction)
            left = left - made
            kept.append(columns)
        return [np.concatenate(column) for column in zip(*kept, strict=True)]

    def result(
        self, gone: np.ndarray = _NONE, before: np.ndarray = _NONE, new: np.ndarray = _NONE
    ) -> list[str | None]:
        """The texts that `codes` makes, None for those that are as they were.

        Without the places `gone`, and with the characters `new`, each before the character at its
        place in `before` (several in their order).
        """
        codes, starts = self.codes, self.starts
        if len(gone) or len(new):
            keep = np.ones(len(codes), bool)
            keep[gone] = False
            codes = np.insert(codes, before, new)[np.insert(keep, before, True)]
            starts = (
                starts
                + np.searchsorted(np.sort(before), starts)
                - np.searchsorted(np.sort(gone), starts)
            )
        joined, bounds = (
            codes.tobytes().decode(
                "ascii" if codes.itemsize == 1 else "utf-32-le", "surrogatepass"
            ),
            starts.tolist(),
        )
        texts = [joined[start : end - 1] for start, end in zip(bounds, bounds[1:], strict=False)]
        return [text if text != old else None for text, old in zip(texts, self.texts, strict=True)]
