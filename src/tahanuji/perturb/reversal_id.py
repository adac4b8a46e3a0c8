"""Indonesian clauses turned into their opposite: a negator taken away, or one set before the word
that judges.
"""

import re
from collections.abc import Mapping
from functools import cache

from tahanuji import lexicons, words
from tahanuji.perturb.clauses import Sentence, put_before
from tahanuji.perturb.synonyms import function_words
from tahanuji.perturb.verbs_id import forms, members, values

Edit = tuple[int, int, str]
# Classes of words that are no nouns.
NO_NOUNS = ("auxiliary", "form of tidak", "other negator", "colloquial word", "question word")
NO_NOUNS += ("closed to adverbs", "aside", "behind a predicate", "after a predicate", "no verb")
SCOPE = 2  # words behind a negator within which a judging word is what it denies
TAIL = 6  # more words behind a negator or a verb of feeling may say something for or against


@cache
def predicates() -> dict[str, str]:
    """Every word of data/lexicons/sentiment_words.csv that a clause can turn on, with what denies
    it: tidak, bukan, or bukan yang (terbaik).
    """
    listed = lexicons.sentiment_words()
    clauses = {word for word in listed if _is_predicate(word, listed)}
    denied = dict.fromkeys(sorted(clauses - members("never denied")), "tidak")
    for word in denied:
        plain = word.removeprefix("ter")
        if plain != word and plain in listed and word not in members("no superlative"):
            denied[word] = "bukan yang"
    return denied | dict.fromkeys(values("denied by bukan"), "bukan")


def _is_predicate(word: str, listed: Mapping[str, str]) -> bool:
    """Whether a sentiment word is no noun (kebaikan, enaknya) and carries no particle -lah."""
    if word in members("state in ke- -an"):
        return True
    noun = re.fullmatch(r"ke\w+an|\w+nya|\w+isasi", word) is not None
    return not noun and not (word.endswith("lah") and word[:-3] in listed)


def sites(sentence: Sentence) -> list[list[Edit]]:
    """For every clause that judges or denies the changes that turn it; none at all where one of
    them cannot be turned for sure, because half a turned text says neither.
    """
    if not members("turns no text").isdisjoint(sentence.keys) or any(questions(sentence)):
        return []
    if lexicons.initials(sentence.text, sentence.words):
        return []
    clauses, own = _clauses(sentence), _own_negator(sentence)
    turned = [_turned(sentence, clause, own) for clause in clauses]
    if None in turned:
        return []
    for before, after, clause in zip(turned, turned[1:], clauses[1:], strict=False):
        contrasts = sentence.keys[clause.start] in members("contrast")
        if contrasts and not (before and after):
            return []
    return [edits for edits in turned if edits]


def _clauses(sentence: Sentence) -> list[range]:
    """The clauses: between punctuation, and from a conjunction on."""
    opens = [
        at
        for at, key in enumerate(sentence.keys)
        if sentence.starts[at] or (key in members("conjunction of clauses") and key != "jadi")
    ]
    return [range(*ends) for ends in zip(opens, [*opens[1:], len(sentence.keys)], strict=False)]


def _turned(sentence: Sentence, clause: range, own: str) -> list[Edit] | None:
    """The changes that turn a clause: none where it neither judges nor denies, None where it does
    and cannot be turned for sure.
    """
    judging = [at for at in clause if _judges(sentence, at)]
    if len(judging) == 2 and judging[1] - judging[0] == 1:
        judging = judging[sentence.keys[judging[0]] in members("behind tidak", "strength") :]
    denying = [at for at in clause if _denies(sentence.keys[at])]
    if not judging and not denying:
        return [] if _aside(sentence, clause) else None
    if len(judging) > 1 or len(denying) > 1:
        return None
    if denying and judging and not 0 < judging[0] - denying[0] <= SCOPE:
        return None
    if denying:
        return _less(sentence, denying[0], clause) or None
    place = judging[0]
    denial = predicates().get(sentence.keys[place], "tidak" if _great(sentence, place) else "")
    return _more(sentence, place, clause, denial, own) if denial else None


def _aside(sentence: Sentence, clause: range) -> bool:
    """Whether a clause without judging and denying words says when, where or to whom and nothing
    that could be for or against: nothing but one or two particles and the like, or a phrase with a
    preposition.
    """
    keys = sentence.keys[clause.start : clause.stop]
    if not members("for or against").isdisjoint(keys):
        return False
    empty = function_words("id") | members("aside", "behind a predicate", "personal pronoun")
    if len(keys) <= 2 and empty.issuperset(keys):
        return True
    more = members("strength", "degree", "behind a predicate", "personal pronoun", "reason")
    return keys[0] in members("after a predicate") and more.isdisjoint(keys)


def _judges(sentence: Sentence, at: int) -> bool:
    """Whether a word, or what is doubled in it, is a sentiment word, or the end of luar biasa."""
    key, judging = sentence.keys[at], lexicons.sentiment_words()
    return key in judging or key.partition("-")[0] in judging or _great(sentence, at)


def _great(sentence: Sentence, at: int) -> bool:
    return sentence.keys[at] == "biasa" and sentence.before(at) == "luar"


def _denies(key: str) -> bool:
    return key in members("form of tidak", "other negator", "prohibition", "privative", "weakener")


def _own_negator(sentence: Sentence) -> str:
    """The text's own form of tidak; where it has none nggak in colloquial texts, else tidak."""
    for key in sentence.keys:
        if key in members("form of tidak"):
            return key
    return "tidak" if members("colloquial word").isdisjoint(sentence.keys) else "nggak"


def questions(sentence: Sentence) -> list[bool]:
    """For every word whether its sentence ends in a question mark."""
    result, asked, end = [], False, len(sentence.text)
    for word in reversed(sentence.words):
        gap, end = sentence.text[word.end : end], word.start
        asked = "?" in gap or (asked and not any(mark in gap for mark in ".!"))
        result.append(asked)
    return result[::-1]


def _kind(key: str) -> str:
    """The negator that a form stands for: tidak, belum or jangan; any other word as it is."""
    for name, kind in (("form of tidak", "tidak"), ("not yet", "belum"), ("prohibition", "jangan")):
        if key in members(name):
            return kind
    return key


def _fixed(sentence: Sentence, at: int, clause: range) -> bool:
    """Whether the negator here cannot simply go: it ends its clause or belongs to an expression, or
    the clause is long or holds what only a negator allows (sama sekali, pun).
    """
    kind, following, after = (
        _kind(sentence.keys[at]),
        sentence.following(at),
        sentence.following(at + 1),
    )
    rest = sentence.keys[clause.start : clause.stop]
    return (
        at + 1 == clause.stop
        or clause.stop - at > TAIL + 1
        or sentence.before(at) in members("relative")
        or sentence.before(at) == "paling"
        or (sentence.before(at) in members("already") and "lagi" in rest)
        or "-" in following
        or "sama sekali" in " ".join(rest)
        or following == sentence.before(at)
        or f"{kind} {following}" in members("fixed negation")
        or f"{kind} {following} {after}" in members("fixed negation")
        or f"{following} {after}" in members("fixed ada")
        or not members("needs a negator").isdisjoint(rest)
        or any(key.endswith("pun") for key in rest)
    )


def _less(sentence: Sentence, at: int, clause: range) -> list[Edit]:
    """The clause without the negator that stands here; nothing where it cannot go."""
    key, following = sentence.keys[at], sentence.following(at)
    if _fixed(sentence, at, clause):
        return []
    if key in values("not yet"):
        return _done(sentence, at)
    if key in members("weakener"):
        return drop(sentence, at, at) if following in predicates() else []
    if key == "bukan":
        named = predicates().get(following, "") == "bukan" or following in members("relative")
        return drop(sentence, at, at) if named and at > clause.start else []
    if key in members("prohibition"):
        last = at + (following in members("goes with negator"))
        ordered = at == clause.start and sentence.following(last) in forms()
        return drop(sentence, at, last) if ordered else []
    if key not in members("form of tidak"):
        return []
    last = at + (following in members("goes with negator", "degree behind tidak"))
    return drop(sentence, at, last) if last + 1 < clause.stop else []


def _done(sentence: Sentence, at: int) -> list[Edit]:
    """belum as sudah, without the masih before it and the juga behind it."""
    word, done = sentence.words[at], values("not yet")[sentence.keys[at]]
    first = sentence.words[at - 1] if sentence.before(at) == "masih" else word
    edits = [(first.start, word.end, words.cased(first.text, done))]
    if sentence.following(at) == "juga" and sentence.following(at + 1):
        edits += drop(sentence, at + 1, at + 1)
    return edits


def drop(sentence: Sentence, first: int, last: int) -> list[Edit]:
    """The changes that take words away, with the blanks after them; a capital first letter goes on
    to what follows.

    What stands between the words and is none (a mention, a figure) stays, and no capital goes past
    it.
    """
    text, edits, initial = sentence.text, [], ""
    for word in sentence.words[first : last + 1]:
        end = word.end
        while text[end : end + 1].isspace():
            end += 1
        if edits and edits[-1][1] == word.start:
            edits[-1] = (edits[-1][0], end, "")
        else:
            initial = word.text
            edits.append((word.start, end, ""))
    start, end, _ = edits[-1]
    if (
        initial[:1].isupper()
        and not (initial.isupper() and len(initial) > 1)
        and text[end : end + 1].islower()
    ):
        edits[-1] = (start, end + 1, text[end].upper())
    return edits


def _more(sentence: Sentence, at: int, clause: range, denial: str, own: str) -> list[Edit] | None:
    """The clause with a negator before the judging word that stands here; None where the word may
    be no predicate.
    """
    skipped, place = members("behind tidak", "strength", "already"), at
    while place > clause.start and sentence.keys[place - 1] in skipped:
        place -= 1
    most = place > clause.start and sentence.keys[place - 1] == "paling"
    if denial != "tidak" or most:
        return _not_the_most(sentence, place, clause, at, denial, own)
    if not _subject(sentence, place, clause, at, denial) or not _closed(sentence, at, clause):
        return None
    word, before = sentence.words[place], sentence.keys[place]
    if place < at and before in members("strength", "already", "always"):
        given = {**values("already"), **dict.fromkeys(members("always"), f"{own} pernah")}
        return [(word.start, word.end, words.cased(word.text, given.get(before, own)))]
    return [(word.start, word.end, put_before(word, own, place == 0))]


def _not_the_most(
    sentence: Sentence, place: int, clause: range, at: int, denial: str, own: str
) -> list[Edit] | None:
    """The clause with bukan before a noun or a superlative, and without paling before a feeling."""
    if denial == "tidak":
        place -= 1
        denial = own if sentence.keys[at] in members("feeling") else "bukan yang"
    word = sentence.words[place]
    if denial == own and place > clause.start and _closed(sentence, at, clause):
        return [(word.start, word.end, words.cased(word.text, own))]
    if denial == "bukan yang" and sentence.key(place - 1) in members("relative"):
        denial, place = "bukan", place - 1
    if not _subject(sentence, place, clause, at, "bukan") or not _closed(sentence, at, clause):
        return None
    word = sentence.words[place]
    return [(word.start, word.end, put_before(word, denial, place == 0))]


def _subject(sentence: Sentence, place: int, clause: range, at: int, denial: str) -> bool:
    """Whether what stands before a judging word and its degree in the clause can be its subject:
    nothing, a pronoun, a noun with nya, ini or itu, a noun and yang, or nothing but nouns.
    """
    ahead = [key for key in sentence.keys[clause.start : place] if key not in members("aside")]
    if ahead and ahead[0] in members("conjunction of clauses"):
        ahead = ahead[1:]
    if not ahead:
        return denial == "tidak"
    closed = members("closed to adverbs", "before an infinitive", "adverb in -nya")
    closed |= members("strength", "behind tidak")  # of another verb: bikin saya marah
    if not closed.isdisjoint(ahead):
        return False
    last = ahead[-1]
    if last in members("personal pronoun", "demonstrative") or last.endswith("nya"):
        return True
    if last in members("relative"):
        return denial == "tidak" and len(ahead) > 1
    strong = sentence.following(at) in members("behind a predicate")
    inside = members("relative") | {"di"} if strong else frozenset()
    named = all(key in inside or noun(key) for key in ahead)
    return denial == "tidak" and named and (strong or (len(ahead) <= 2 and at + 1 == clause.stop))


def noun(key: str) -> bool:
    """Whether a word can only be a noun or name, as far as the lists can tell."""
    others = (function_words("id"), predicates(), forms(), members(*NO_NOUNS))
    return not any(key in listed for listed in others)


def _closed(sentence: Sentence, at: int, clause: range) -> bool:
    """Whether a judging word ends its clause but for a degree or particle, or for a phrase with a
    preposition, a passive verb or a subject; after a verb of feeling anything short follows.
    """
    rest = sentence.keys[at + 1 : clause.stop]
    if rest and rest[0] == "hati":
        return False
    while rest and rest[0] in members("behind a predicate"):
        rest = rest[1:]
    if len(rest) > TAIL:
        return False
    if not rest or sentence.keys[at] in members("feeling"):
        return True
    passive = rest[0].startswith("di") and rest[0] in forms()
    if passive or rest[0] in members("after a predicate", "personal pronoun"):
        return True
    return len(rest) <= 3 and (rest[-1] in members("demonstrative") or rest[-1].endswith("nya"))
