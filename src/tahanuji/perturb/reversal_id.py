"""Indonesian clauses turned into their opposite: a negator taken away, or one set before the word
that judges.
"""

import re
from functools import cache

from tahanuji import lexicons, words
from tahanuji.perturb.clauses import Sentence, put_before
from tahanuji.perturb.verbs_id import members, values

Edit = tuple[int, int, str]


@cache
def predicates() -> dict[str, str]:
    """Every word of data/lexicons/sentiment_words.csv that a clause can turn on, with what denies
    it: tidak, bukan, or bukan yang (terbaik).
    """
    header = ("word", "polarity", "register", "note")
    path = lexicons.LEXICONS / "sentiment_words.csv"
    listed = {row[0] for row in lexicons.table(path, header, optional=("note",))}
    clauses = {word for word in listed if _is_predicate(word, listed)}
    denied = dict.fromkeys(sorted(clauses - members("never denied")), "tidak")
    for word in denied:
        plain = word.removeprefix("ter")
        if plain != word and plain in listed and word not in members("no superlative"):
            denied[word] = "bukan yang"
    return denied | dict.fromkeys(values("denied by bukan"), "bukan")


def _is_predicate(word: str, listed: set[str]) -> bool:
    """Whether a sentiment word is no noun (kebaikan, enaknya) and carries no particle -lah."""
    if word in members("state in ke- -an"):
        return True
    noun = re.fullmatch(r"ke\w+an|\w+nya|\w+isasi", word) is not None
    return not noun and not (word.endswith("lah") and word[:-3] in listed)


def sites(sentence: Sentence) -> list[list[Edit]]:
    """For every clause that can be turned the changes that do it: one negator less, or one more."""
    turned, free, done, added = [], 0, False, False
    asked, own = questions(sentence), _own_negator(sentence)
    for at, key in enumerate(sentence.keys):
        after_added = added and sentence.before(at).endswith("nya")
        if sentence.starts[at] or key in members("conjunction of clauses") or after_added:
            done = added = False
        if done or at < free or asked[at]:
            continue
        free = at + _idiom(sentence, at, key)
        less = _less(sentence, at, key) if free == at else []
        more = _more(sentence, at, key, own) if free == at and not less else []
        done, added = bool(less or more), bool(more)
        turned += [less or more] if done else []
    return turned


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


def _idiom(sentence: Sentence, at: int, key: str) -> int:
    """How many words from here on belong to an expression in which a negator does not deny or
    cannot go; 0 for none.
    """
    kind = _kind(key)
    if kind in members("privative"):
        return 2
    if kind not in ("tidak", "bukan", "belum", "jangan"):
        return 0
    following, after = sentence.following(at), sentence.following(at + 1)
    if f"{following} {after}" in members("fixed ada"):
        return 3
    same = following != "" and following == sentence.before(at)
    corrected = kind == "bukan" and "melainkan" in sentence.keys[at + 1 : at + 12]
    if same or corrected or f"{kind} {following}" in members("fixed negation"):
        return 2
    return 1 if following == "" else 0


def _kind(key: str) -> str:
    """The negator that a form stands for: tidak, belum or jangan; any other word as it is."""
    for name, kind in (("form of tidak", "tidak"), ("not yet", "belum"), ("prohibition", "jangan")):
        if key in members(name):
            return kind
    return key


def _less(sentence: Sentence, at: int, key: str) -> list[Edit]:
    """The clause without the negator that stands here."""
    word, following = sentence.words[at], sentence.following(at)
    if key in values("not yet"):
        return [(word.start, word.end, words.cased(word.text, values("not yet")[key]))]
    weakened = key == "kurang" and following in predicates()
    if not weakened and key != "bukan" and key not in members("form of tidak", "prohibition"):
        return []
    joined = following in members("goes with negator") and key != "kurang"
    return drop(sentence, at, at + (joined and sentence.following(at + 1) != ""))


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


def _more(sentence: Sentence, at: int, key: str, own: str) -> list[Edit]:
    """The clause with a negator before the judging word that stands here."""
    following, before = sentence.following(at), sentence.before(at)
    great = key == "luar" and following == "biasa"
    denial = predicates().get(key, "tidak" if great else "")
    strong = key in members("strength") and following in predicates()
    if not denial or following == "hati" or following in members("form of tidak") or strong:
        return []
    most = before == "paling"
    yields = before in members("already", "strength") or (most and key in members("feeling"))
    if denial == "tidak" and yields:
        word = sentence.words[at - 1]
        return [(word.start, word.end, words.cased(word.text, values("already").get(before, own)))]
    place = at
    if most:
        denial, place = "bukan yang", at - 1
    if denial == "bukan yang" and sentence.before(place) in members("relative"):
        denial, place = "bukan", place - 1
    while denial == "tidak" and sentence.before(place) in members("behind tidak"):
        place -= 1
    word = sentence.words[place]
    denial = own if denial == "tidak" else denial
    return [(word.start, word.end, put_before(word, denial, place == 0))]
