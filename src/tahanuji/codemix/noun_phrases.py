"""Where English words would break an Indonesian phrase.

What says more of a noun stands behind it in Indonesian and before it in English: tempat parkir is
no place parking. A phrase of several nouns therefore stays as it is, as do adjectives that would
describe one, bare verbs behind a noun, passives whose agent follows, and words of which English
asks for another form than the one that is listed.
"""

from collections.abc import Callable

from tahanuji import lexicons
from tahanuji.codemix.dictionaries import unaccented
from tahanuji.perturb import reversal_id, verbs_id


def broken(key: str, target: str, before: str, after: str, nouns: Callable[[str], bool]) -> bool:
    """Whether an English translation breaks the phrase in which an Indonesian word stands.

    Parameters
    ----------
    key, target : str
        The Indonesian word and its translation.
    before, after : str
        The words beside it; `^` and `$` for none.
    nouns : callable
        Whether the lexicon translates a word as a noun.

    Returns
    -------
    bool

    Examples
    --------
    >>> broken("tempat", "place", "di", "parkir", lambda word: word == "tempat")
    True
    >>> broken("tempat", "place", "di", "ini", lambda word: word == "tempat")
    False
    """
    inflected = verbs_id.forms().get(key) is False
    if _misfit(key, target, before, after, nouns):
        return True
    if key.startswith("di") and inflected:
        modal = before in lexicons.members("id", "ability", "before a bare passive")
        return modal or _noun(after, nouns)
    if target.startswith(("really _", "very _")):  # goes before the word in front
        return nouns(before)
    if key == "di":  # a passive in two words: di makan
        verb = verbs_id.forms().get(after) is True or f"di{after}" in verbs_id.forms()
        return (verb or after in reversal_id.predicates()) and not nouns(after)
    if key.startswith(("ber", "bel")) and nouns(before):  # tempat berkumpul
        return True
    if inflected and before in lexicons.members("id", "before a verb in -ing"):
        return True
    if named(target) and not inflected:
        return _noun(before, nouns) or _describes(after, nouns)
    bare = verbs_id.forms().get(key) is True
    return bare and (before == "di" or _noun(before, nouns))


def _misfit(key: str, target: str, before: str, after: str, nouns: Callable[[str], bool]) -> bool:
    """Whether a translation has not the form that English asks for there: *with friendly*, *for
    ask*, *not eat*, *two day*, *more cheap*.
    """
    members, verbs, judged = lexicons.members, verbs_id.forms(), reversal_id.predicates()
    of_manner, short = members("id", "before a manner"), members("en", "compared by an ending")
    if before in of_manner and (key in judged or target in short):
        return True
    if key in of_manner and after in judged:
        return True
    if target == "for" or key == "suka":  # suka lupa: forgets often
        return (after in verbs and not nouns(after)) or (key == "suka" and after in judged)
    if target == "from":  # pemilik dari: owner of
        return _noun(before, nouns)
    if key in verbs and before in members("id", "form of tidak"):
        return True
    if key in ("pakai", "pake") and after in verbs and not nouns(after):  # pakai ngomong
        return True
    if after == "nya" and not named(target):  # enak nya: what is nice about it
        return True
    if before in ("lebih", "paling"):
        return target in short
    several = before[0].isdigit() or before in members("id", "before several")
    return several and named(target) and target not in members("en", "plural")


def named(target: str) -> bool:
    """Whether an English translation is a noun or an adjective that belongs to one.

    >>> named("place"), named("eat")
    (True, False)
    """
    return unaccented(target) in lexicons.members("en", "mixed noun")


def _noun(word: str, nouns: Callable[[str], bool]) -> bool:
    """Whether a word beside is a noun or name, without a nya that ends its phrase."""
    if not word.replace("-", "").isalpha() or word.endswith("nya") or word in verbs_id.forms():
        return False
    return nouns(word) or reversal_id.noun(word)


def _describes(word: str, nouns: Callable[[str], bool]) -> bool:
    """Whether a word can say more of the noun before it."""
    bare = verbs_id.forms().get(word) is True or word.startswith(("ber", "bel"))
    further = word in lexicons.members("id", "describes the noun before")
    return bare or further or word in reversal_id.predicates() or _noun(word, nouns)
