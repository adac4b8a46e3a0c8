"""Every two edits of a text: exact by branch and bound for n-grams with logistic regression, from
one side by a greedy search for any other classifier.

Two edits are one in each of two different white-space words. A text of thirty words has some
hundred thousand such pairs, too many to ask; but of n-grams the score is a sum.

**The bound.** The lead of the label c over another one k is, for word and character n-grams p with
weights w, counts n(u) of the n-gram u and g(n) = 1 + log n (g(0) = 0),

    lead = b + sum over p of N_p / sqrt(S_p),
    N_p = sum over u of (w_c - w_k)(u) idf(u) g(n(u)),    S_p = sum over u of (idf(u) g(n(u)))^2.

Character n-grams do not cross words, so that the changes d and e of two edits add up in the counts,
n + d + e. Where they have no n-gram in common they add up in N and in S as well. At an n-gram that
both touch the sum is wrong by the second difference g(n+d+e) - g(n+d) - g(n+e) + g(n), in S by that
of g squared; the largest one, over all d and e that edits of the text have there, bounds it. Sparse
products add these bounds up for all pairs at once. N and S then lie in intervals, and so does
N / sqrt(S). Word n-grams do cross words, but most edits make a word that the model has never seen:
the edits of a word fall into few classes, and the model's own vectorizer reads every two of them.

Pairs whose lead is at least `SURE` by the bound are proved. Those that are left are asked, the
weakest first, until one moves the label: whatever is said to move the label was asked.
"""

from collections import Counter
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import sparse

from tahanuji import behaviour
from tahanuji.harden.normalise import Normaliser
from tahanuji.harden.recipe import Reading
from tahanuji.proof.edits import pieces, placed
from tahanuji.proof.exhaustive import CHUNK, Proof, margins, weakest

__all__ = ["Pairs", "prove"]

SURE = 1e-3  # a lead of scores at which that of probabilities is above behaviour.SAME
FEW = 1000  # pairs that are all asked where there is no bound
CASED = 3  # words with small letters: two edits cannot leave a text all in capitals
PARTS = {"words": "word", "characters": "char_wb"}  # of a classifier, with their analyzers
Piece = tuple[int, str]


class Pairs(NamedTuple):
    """What a search among the pairs of edits of one text found.

    `pairs` are all, `asked` those of which the answer was needed. `moved`: the label moves under
    the pair that makes `edited`; `proved`: it moves under none. Neither is true where there is no
    bound, there are more than `FEW` pairs and the greedy search finds nothing.
    """

    pairs: int
    asked: int
    moved: bool
    proved: bool
    edited: str


def prove(classifier, text: str, kind: str, one: Proof, grams: "Grams | None" = None) -> Pairs:
    """Whether two edits of a kind, in two different words, move a classifier's label of a text.

    Parameters
    ----------
    classifier
        With `predict_proba`; one that answers the same to the same text.
    text : str
    kind : str
        Of `edits.WITHIN`.
    one : Proof
        What `exhaustive.prove` found of the single edits: that none of them moves the label.
    grams : Grams, optional
        As `bound` gives it for the classifier; without it up to `FEW` pairs are all asked, of more
        those with the weakest single edit.

    Returns
    -------
    Pairs

    Raises
    ------
    InputError
        For an unknown kind.

    Examples
    --------
    >>> from tahanuji.proof import exhaustive
    >>> class Counting:
    ...     def predict_proba(self, texts, precision="fp32"):
    ...         kept = [len({"enak", "murah"} & set(text.split())) for text in texts]
    ...         return np.array([[0.9, 0.1] if count else [0.2, 0.8] for count in kept])
    >>> one = exhaustive.prove(Counting(), "enak murah", "typos")
    >>> prove(Counting(), "enak murah", "typos", one)
    Pairs(pairs=24, asked=24, moved=True, proved=False, edited='eak mrah')
    """
    made = pieces(text, kind)
    sizes = np.array([*Counter(at for at, _ in made).values()])
    count = int(sizes.sum() ** 2 - (sizes**2).sum()) // 2
    column = int(classifier.predict_proba([text])[0].argmax())
    if grams and grams.adds_up(text):
        return _bounded(classifier, grams, text, made, column, count)
    if count <= FEW:
        return _every(classifier, text, made, column, count)
    return _greedy(classifier, text, kind, one.edited, made, column, count)


def _greedy(classifier, text, kind, first, made, column, count) -> Pairs:
    """The pairs with the weakest single edit, `first`."""
    taken = next((piece for piece in made if placed(text, dict([piece])) == first), None)
    others = [placed(text, dict([taken, one])) for one in made if taken and one[0] != taken[0]]
    asked, lead, edited = weakest(classifier, first, others, column)
    moved = bool(others) and lead <= behaviour.SAME
    return Pairs(count, asked, moved, False, edited if moved else "")


def _bounded(classifier, grams, text, made, column, count) -> Pairs:
    """The pairs that the bound leaves open, asked, the weakest first."""
    leads, distinct = grams.leads(text, made, column)
    left = np.argwhere(leads <= SURE)
    left = left[np.argsort(leads[tuple(left.T)], kind="stable")]
    both = [dict([distinct[one], distinct[two]]) for one, two in left]
    return _asked(classifier, text, both, column, count)


def _every(classifier, text, made, column, count) -> Pairs:
    """All pairs, asked."""
    both = [dict(pair) for pair in combinations(made, 2) if pair[0][0] != pair[1][0]]
    return _asked(classifier, text, both, column, count)


def _asked(classifier, text, both, column, count) -> Pairs:
    """The pairs of `both` asked, until one moves the label; all others are proved."""
    for start in range(0, len(both), CHUNK):
        texts = [placed(text, parts) for parts in both[start : start + CHUNK]]
        found = margins(classifier, texts, column)
        if found.min() <= behaviour.SAME:
            return Pairs(count, start + len(texts), True, False, texts[found.argmin()])
    return Pairs(count, len(both), False, True, "")


def bound(classifier) -> "Grams | None":
    """The bound for a classifier; None where there is none.

    Parameters
    ----------
    classifier
        N-grams with logistic regression as `models.tfidf` makes them, with or without the
        normaliser in front, have a bound.

    Returns
    -------
    Grams or None
    """
    read = str
    if type(classifier) is Reading and isinstance(
        getattr(classifier.read, "__self__", None), Normaliser
    ):
        classifier, read = classifier.classifier, classifier.read
    if vars(type(classifier)).get("kind") != "tfidf" or classifier.pipeline is None:
        return None
    parts = dict(classifier.pipeline[0].transformer_list)
    known = {name: part.analyzer for name, part in parts.items()} == PARTS
    plain = all(part.sublinear_tf and part.norm == "l2" for part in parts.values())
    return Grams(classifier, read) if known and plain else None


def spread(counts: np.ndarray) -> np.ndarray:
    """g of counts: 1 + log n, and 0 for none."""
    return np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0.0)


class Grams:
    """N-grams with logistic regression, whose scores are bounded for all pairs of edits."""

    def __init__(self, classifier, read):
        self.read, self.labels = read, classifier.labels
        parts, self.head = dict(classifier.pipeline[0].transformer_list), classifier.pipeline[-1]
        self.words, self.characters = parts["words"], parts["characters"]
        border = len(self.words.vocabulary_)
        coef, intercept = self.head.coef_, self.head.intercept_
        if len(coef) == 1:  # two labels: the second one's score against 0
            coef, intercept = np.vstack([0 * coef, coef]), np.append(0.0, intercept)
        self.weights, self.intercept = (coef[:, :border], coef[:, border:]), intercept
        self.seen = {word for term in self.words.vocabulary_ for word in term.split(" ")}
        self.tokens = self.words.build_tokenizer()
        self.lowered, self.cut = self.words.build_preprocessor(), self.characters.build_analyzer()

    def adds_up(self, text: str) -> bool:
        """Whether two edits of a text act on its words one by one, whatever is read of it: the
        normaliser reads words between single blanks by themselves, but texts in capitals as a
        whole.
        """
        if self.read is str:
            return True
        small = sum(any(map(str.islower, word)) for word in text.split())
        return small >= CASED and {one for one in text if one.isspace()} <= {" "}

    def leads(self, text: str, made: list[Piece], column: int) -> tuple[np.ndarray, list[Piece]]:
        """Lower bounds (n, n) of the lead of a label over all others under every pair of edits,
        infinite where the pair is none or stands there twice; and the n edits, those left out that
        are read as another one or as the text itself.
        """
        base, one_of = self.read(text), {}
        for at, piece in made:
            one_of.setdefault((at, self.read(placed(text, {at: piece}))), (at, piece))
        one_of = {key: piece for key, piece in one_of.items() if key[1] != base}
        distinct, read = [*one_of.values()], [single for _, single in one_of]
        places = np.array([at for at, _ in distinct], int)
        kinds, vectors = self._word_vectors(text, distinct, read)
        sums = Sums(self, base, read) if distinct else None
        label, lowest = list(self.head.classes_).index(self.labels[column]), np.inf
        lowest = np.full((len(distinct),) * 2, np.inf)
        for other in set(range(len(self.intercept))) - {label} if distinct else ():
            words, characters = (part[label] - part[other] for part in self.weights)
            lead = self.intercept[label] - self.intercept[other] + sums.least(characters)
            lead += (vectors @ words)[kinds]
            lowest = np.minimum(lowest, lead)
        lowest[places[:, None] >= places] = np.inf
        return lowest, distinct

    def _word_vectors(self, text: str, made: list[Piece], read: list[str]):
        """The number (n, n) of the word vector of each pair of edits, and these vectors: edits of a
        word that leave the same known words have one vector.
        """
        keys = [
            (at, *(word if word in self.seen else None for word in self.tokens(self.lowered(one))))
            for (at, _), one in zip(made, read, strict=True)
        ]
        first = {key: number for number, key in reversed([*enumerate(keys)])}
        kind = {key: number for number, key in enumerate(first)}
        texts, numbers = [""], np.zeros((len(first),) * 2, int)
        for one, i in first.items():
            for two, j in first.items():
                if one[0] < two[0]:
                    numbers[kind[one], kind[two]] = len(texts)
                    texts.append(self.read(placed(text, dict([made[i], made[j]]))))
        own = np.array([kind[key] for key in keys], int)
        return numbers[own[:, None], own], self.words.transform(texts)


class Sums:
    """The character n-grams of a text and what each edit changes in them."""

    def __init__(self, grams: Grams, base: str, read: list[str]):
        known, idf = grams.characters.vocabulary_, grams.characters.idf_
        counted = {}

        def counts(tokens) -> Counter:
            total = Counter()
            for token, times in tokens.items():
                if token not in counted:
                    counted[token] = Counter(known[u] for u in grams.cut(token) if u in known)
                total.update({u: times * count for u, count in counted[token].items()})
            return total

        whole = Counter(base.split())
        own, changes = counts(whole), []
        for one in read:
            tokens = Counter(one.split())
            moved = {name: tokens[name] - whole[name] for name in {*tokens, *whole}}
            changes.append(counts({name: times for name, times in moved.items() if times}))
        self.columns = np.array(sorted({u for part in (own, *changes) for u in part}), int)
        place = {u: number for number, u in enumerate(self.columns)}
        cells = [
            (row, place[u], d) for row, part in enumerate(changes) for u, d in part.items() if d
        ]
        rows, columns, values = np.array(cells, int).reshape(-1, 3).T
        shape = len(read), len(self.columns)
        self.counts = np.array([own[u] for u in self.columns], int)
        self.changed = sparse.csr_matrix((values, (rows, columns)), shape)
        self.idf = idf[self.columns]

    def least(self, weights: np.ndarray) -> np.ndarray:
        """Lower bounds (n, n) of N / sqrt(S) for every pair of edits."""
        scaled = weights[self.columns] * self.idf
        low, _ = self._interval(scaled, spread)
        (small, large) = self.squares
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(low >= 0, low / np.sqrt(large), low / np.sqrt(small))
        return np.where(small > 1e-9, ratio, -np.inf)

    @cached_property
    def squares(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of S for every pair of edits."""
        return self._interval(self.idf**2, lambda counts: spread(counts) ** 2)

    def _interval(self, weights: np.ndarray, of) -> tuple[np.ndarray, np.ndarray]:
        """Bounds (n, n) of the sum of weights times a function of the counts."""
        moved = self.changed.copy()
        columns = moved.indices
        moved.data = of(self.counts[columns] + moved.data) - of(self.counts[columns])
        steps = moved @ weights
        middle = weights @ of(self.counts) + steps[:, None] + steps
        touched = (self.changed != 0).astype(float)
        together = touched.multiply(abs(weights) * self._bend(of)) @ touched.T
        slack = together.toarray()
        return middle - slack, middle + slack

    def _bend(self, of) -> np.ndarray:
        """The largest second difference of a function of the counts at each n-gram, over what two
        edits can change there.
        """
        low, high = (getattr(self.changed, end)(axis=0).toarray()[0] for end in ("min", "max"))
        bend, steps = np.zeros(len(self.counts)), range(int(low.min()), int(high.max()) + 1)
        for one in steps:
            for two in steps:
                here = (low <= min(one, two)) & (max(one, two) <= high)
                here &= self.counts + one + two >= 0
                alone = of(self.counts + one) + of(self.counts + two)
                both = of(self.counts + one + two) + of(self.counts)
                bend = np.maximum(bend, np.where(here, abs(both - alone), 0))
        return bend
