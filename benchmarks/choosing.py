"""Whether the words beside a word, or another library, choose its spelling better than the
normaliser does.

    python benchmarks/choosing.py context CORPUS
    python benchmarks/choosing.py tune CORPUS
    python benchmarks/choosing.py libraries

CORPUS: the folder of the files that the word counts were made of, and of the lines held out of
them (texts stay there; only counts are taken, and nothing is written).

`context` lets two scores choose among the spellings that the speller holds for nearly as likely as
its best, at most `NEAR` nats behind: `bigram`, how much more often a word stands beside its
neighbours in the corpus than it would by chance, and `mini`, its probability where the encoder
data/models/mini sees the text without it. `tune` prints, for weights of the two, the words put
right of held-out lines with typos. `libraries` has others in the speller's place, behind the same
lists: symspellpy and wordfreq have to be installed for it (pip install symspellpy wordfreq).

All print the words that are put right and wrongly changed, and the speed of the first reading.
"""

import argparse
import collections
import lzma
import math
import random
import time
from collections.abc import Callable
from pathlib import Path

import normalise
import pandas as pd
from rapidfuzz import process
from rapidfuzz.distance import OSA

from tahanuji import data, words
from tahanuji.harden import vocabulary
from tahanuji.harden.normalise import Normaliser, begins, speller
from tahanuji.harden.speller import Speller
from tahanuji.instrument import instrument
from tahanuji.models import masked

FILES = ("formal.txt.xz", "colloquial.txt.xz", "colloquial_extra.txt.xz")
HELD_OUT = ("heldout_formal.txt", "heldout_colloquial.txt")
NEAR, MOST = 2.0, 3  # nats behind the best, and spellings, that are thought of
WEIGHTS = {"bigram": 0.5, "mini": 0.5}
PRIOR = 20.0  # uses of a word's neighbour that chance is worth
NOISE = (("typos", 0.0), ("typos", 0.3), ("realistic_noise", 0.1))
TEXTS = 600  # drawn of each set
SPLITS = {"embedded": data.SPLITS, "indonli": ("valid", "test")}  # not in the corpus
Gain = Callable[[list[str], int, list[str]], list[float]]


class Ranked(Speller):
    """A speller that gives its best spelling, or one of those that are nearly as likely."""

    def __init__(self, own: Speller):
        self.__dict__.update(own.__dict__)
        self.rank, self.behind = 0, 0.0

    def _best(self, typed, score, lists, costing, least):
        best = super()._best(typed, score, lists, costing, least)
        if not self.rank or (best == typed and typed not in self.frequencies):
            return best
        reached = {typed: score} if typed in self.frequencies else {}
        for word in {word for part in lists for word in part} - {typed}:
            reached[word] = self.frequencies[word] - costing(typed, word, self.costs)
        order = sorted(reached, key=lambda word: (word != best, -reached[word], word))
        near = [word for word in order if reached[word] >= reached[best] - NEAR]
        if self.rank >= len(near):
            return best
        self.behind += reached[best] - reached[near[self.rank]]
        return near[self.rank]


class Choosing(Normaliser):
    """A normaliser in which the words beside a word choose among likely spellings."""

    def __init__(self, gain: Gain, weight: float):
        super().__init__()
        self.gain, self.weight, self.speller = gain, weight, Ranked(self.speller)
        self.likely: dict[str, dict[str, float]] = {}

    def options(self, token: str) -> dict[str, float]:
        """The likely spellings of a token, the best first, with the nats that each is behind it."""
        if token not in self.likely:
            found = {self[token]: 0.0}
            for self.speller.rank in range(1, MOST):
                self.speller.behind = 0.0
                found.setdefault(self._token(token), self.speller.behind)
            self.speller.rank, self.likely[token] = 0, found
        return self.likely[token]

    def text(self, text: str) -> str:
        done, tokens = super().text(text).split(" "), text.split(" ")
        if text.isupper() or len(done) != sum(self[token].count(" ") + 1 for token in tokens):
            return " ".join(done)
        done = [self[token] for token in tokens]
        for place, token in enumerate(tokens):
            options = self.options(token) if token and token.islower() else {}
            if len(options) > 1:
                gains = self.gain(done, place, list(options))
                worth = [
                    self.weight * gain - behind
                    for gain, behind in zip(gains, options.values(), strict=True)
                ]
                done[place] = list(options)[max(range(len(worth)), key=worth.__getitem__)]
        if begins(tokens[0]) and done[0] == tokens[0]:
            done[0] = words.cased(tokens[0], self[tokens[0].lower()])
        return " ".join(done)


def of_neighbours(folder: Path, least: int = 1) -> Gain:
    """How much likelier a word is beside its two neighbours than by chance, in nats; pairs that
    stand less often than `least` are left out.
    """
    known, pairs, single = vocabulary.counts(), collections.Counter(), collections.Counter()
    for name in FILES:
        with lzma.open(folder / name, "rt", encoding="utf-8") as file:
            for line in file:
                keys = [words.key(word.text) for word in words.words(line)]
                single.update(key for key in keys if key in known)
                pairs.update(
                    pair for pair in zip(keys, keys[1:], strict=False) if known.keys() >= {*pair}
                )
    total, held = single.total(), {pair: count for pair, count in pairs.items() if count >= least}
    print(f"{len(pairs):,} pairs, {sum(count > 1 for count in pairs.values()):,} twice and more")

    def ratio(pair: tuple[str, str], given: str) -> float:
        other = pair[0] if given == pair[1] else pair[1]
        chance = single[other] / total
        return math.log((held.get(pair, 0) / chance + PRIOR) / (single[given] + PRIOR))

    def gain(done: list[str], place: int, options: list[str]) -> list[float]:
        left = _word(done[place - 1], -1) if place else ""
        right = _word(done[place + 1], 0) if place + 1 < len(done) else ""
        sums = []
        for option in options:
            first, last = _word(option, 0), _word(option, -1)
            score = ratio((left, first), left) if single[left] and single[first] else 0.0
            score += ratio((last, right), right) if single[right] and single[last] else 0.0
            sums.append(score)
        return sums

    return gain


def _word(token: str, place: int) -> str:
    """The first or last word of a token, in lower case."""
    parts = words.words(token)
    return words.key(parts[place].text) if parts else ""


def of_encoder(name: str = "mini") -> Gain:
    """The log probability of a word's pieces where the rest of the text is seen, less that of its
    frequency.
    """
    network = masked.load(name, ["first", "second"])

    def gain(done: list[str], place: int, options: list[str]) -> list[float]:
        start, rows = len(" ".join([*done[:place], ""])), []
        for number, option in enumerate(options):
            text = " ".join([*done[:place], option, *done[place + 1 :]])
            encoded = network.tokenizer(text, truncation=True, max_length=128)
            own = {encoded.char_to_token(at) for at in range(start, start + len(option))} - {None}
            pieces, of = encoded["input_ids"], encoded.word_ids(0)
            rows += [(number, at, pieces[at], network._shown(pieces, of, at)) for at in sorted(own)]
        sums = [-vocabulary.frequency(_word(option, 0)) for option in options]
        if not rows:
            return sums
        owners, places, wanted, shown = zip(*rows, strict=True)
        shares = network._forward(network.model, list(shown), list(places))
        for row, (owner, piece) in enumerate(zip(owners, wanted, strict=True)):
            sums[owner] += float(shares[row, piece])
        return sums if all(map(math.isfinite, sums)) else [0.0] * len(options)

    return gain


class SymSpell:
    """symspellpy's speller in the place of ours."""

    def __init__(self, counts: dict[str, int], distance: int = 2):
        import symspellpy

        self.own, self.top = symspellpy.SymSpell(distance), symspellpy.Verbosity.TOP
        for word, count in counts.items():
            self.own.create_dictionary_entry(word, count)

    def correct(self, typed: str, stem: float | None = None, name: bool = False) -> str:
        reached = [] if name or stem is not None else self.own.lookup(typed, self.top)
        return reached[0].term if reached else typed


class Nearest:
    """RapidFuzz's search for the nearest word in the place of our speller."""

    def __init__(self, counts: dict[str, int], distance: int = 1):
        self.words, self.distance = sorted(counts, key=counts.get, reverse=True), distance
        self.known = frozenset(counts)

    def correct(self, typed: str, stem: float | None = None, name: bool = False) -> str:
        if name or stem is not None or typed in self.known:
            return typed
        found = process.extractOne(
            typed, self.words, scorer=OSA.distance, score_cutoff=self.distance
        )
        return found[0] if found else typed


def with_speller(own) -> Normaliser:
    """The normaliser with another speller behind its lists."""
    made = Normaliser()
    made.speller = own
    return made


def noisy(texts: list[str], name: str, rate: float) -> list[tuple[str, str]]:
    """Texts with their noisy copies, where these have as many tokens."""
    ids = [f"t{number}" for number in range(len(texts))]
    frame = data.describe(pd.DataFrame({"id": ids, "text": texts}), name="own")
    made = instrument(name, rate=rate).apply(frame, 1) if rate else texts
    pairs = [(clean, new or clean) for clean, new in zip(texts, made, strict=True)]
    return [pair for pair in pairs if pair[0].count(" ") == pair[1].count(" ")]


def mended(read: Callable, pairs: list[tuple[str, str]], all_right: bool = False) -> tuple:
    """Of right words: whether each that the noise hit is put right, and whether each other one is
    changed. Right are words of edited writing that are no informal forms, or all but these.
    """
    known, forms = vocabulary.edited(), vocabulary.informal()
    right, changed = [], []
    for clean, new in pairs:
        wanted, typed, said = clean.split(" "), new.split(" "), read(new).split(" ")
        if len(said) != len(wanted):  # a word became two: by token
            said = [read(token) for token in typed]
        for meant, was, now in zip(wanted, typed, said, strict=True):
            keys = [words.key(word.text) for word in words.words(meant)]
            if keys and all((all_right or key in known) and key not in forms for key in keys):
                right.append(now == meant) if was != meant else changed.append(now != was)
    return right, changed


def speed(made: Normaliser, texts: list[str]) -> str:
    """Texts a second of the processor: at the first reading and at the second."""
    times = []
    for _ in range(2):
        began = time.process_time()
        for text in texts:
            made.text(text)
        times.append(len(texts) / (time.process_time() - began))
    return "; ".join(f"{one:,.0f}" for one in times)


def table(columns: dict[str, Callable[[], Normaliser]], slow: tuple[str, ...] = ()) -> None:
    """Print the table: beside the words put right those gained on the first column and lost."""
    sets = {}
    for name, column, title in normalise.CLEAN:
        texts = {text for split in SPLITS[name] for text in data.load(name, split)[column]}
        drawn = random.Random(1).sample(sorted(texts), TEXTS)
        for noise, rate in NOISE:
            sets[f"{title}, {noise} {rate}"] = noisy(drawn, noise, rate), name == "indonli"
    smsa = [clean for clean, _ in noisy(data.load("smsa", "train")["text"].tolist(), "typos", 0)]
    typed = [new for _, new in noisy(smsa[:TEXTS], "typos", 0.3)]
    first: dict[str, list[bool]] = {}
    told = []
    for title, make in columns.items():
        read, column = make().text, {}
        column |= dict(normalise.rewriting(read))
        column |= {name: said for name, said in normalise.colloquial(read) if "all" in name}
        for name, (pairs, all_right) in sets.items():
            right, changed = mended(read, pairs, all_right)
            base = first.setdefault(name, right)
            gained, lost = (
                sum(one > other for one, other in zip(*two, strict=True))
                for two in ((right, base), (base, right))
            )
            if right:
                share = f"{sum(right) / len(right):.1%} of {len(right):,}"
                column[f"{name}: put right"] = f"{share}, +{gained} -{lost}"
            column[f"{name}: others changed"] = f"{sum(changed) / len(changed):.2%}"
        few = TEXTS // 6 if title in slow else TEXTS
        column["SmSA as it is: texts/s"] = speed(make(), smsa[:few])
        column["SmSA, typos 0.3: texts/s"] = speed(make(), typed[:few])
        told.append(column)
        print(title, column, flush=True)
    print(f"| measure | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for name in told[0]:
        print(f"| {name} | {' | '.join(column[name] for column in told)} |")


def context(folder: Path) -> None:
    gains = {"bigram": of_neighbours(folder), "bigram, twice and more": of_neighbours(folder, 2)}
    gains |= {"mini": of_encoder()}
    columns: dict = {"word counts": Normaliser}
    for name, gain in gains.items():
        weight = WEIGHTS[name.split(",")[0]]
        columns[name] = lambda weight=weight, gain=gain: Choosing(gain, weight)
    table(columns, slow=("mini",))


def tune(folder: Path) -> None:
    gains = {"bigram": of_neighbours(folder), "mini": of_encoder()}
    lines = [
        line
        for name in HELD_OUT
        for line in (folder / name).read_text(encoding="utf-8").splitlines()[:400]
    ]
    pairs = noisy(lines, "typos", 0.3)
    for name, gain in gains.items():
        for weight in (0.0, 0.25, 0.5, 0.75, 1.0):
            right, changed = mended(Choosing(gain, weight).text, pairs)
            print(name, weight, sum(right), len(right), sum(changed), len(changed), flush=True)


def libraries() -> None:
    import wordfreq

    counts = vocabulary.counts()
    own = {word: sum(counts[word]) for word in vocabulary.edited() if word.isalpha()}
    theirs = {
        word: share for word, share in wordfreq.get_frequency_dict("id").items() if word.isalpha()
    }
    often = {word: math.log(1e6 * share) for word, share in theirs.items()}
    counted = {word: round(1e9 * share) for word, share in theirs.items()}
    print(f"{len(own):,} words of ours, {len(theirs):,} of wordfreq's")
    columns = {
        "ours": lambda: with_speller(speller()),
        "wordfreq's counts": lambda: with_speller(Speller(often, often)),
        "symspellpy": lambda: with_speller(SymSpell(own)),
        "symspellpy, 1 edit": lambda: with_speller(SymSpell(own, 1)),
        "symspellpy, wordfreq": lambda: with_speller(SymSpell(counted)),
        "RapidFuzz, 1 edit": lambda: with_speller(Nearest(own)),
    }
    table(columns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("context", "tune", "libraries"))
    parser.add_argument("corpus", nargs="?", type=Path)
    given = parser.parse_args()
    if given.what == "libraries":
        libraries()
    else:
        {"context": context, "tune": tune}[given.what](given.corpus)


if __name__ == "__main__":
    main()
