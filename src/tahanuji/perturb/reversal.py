"""Perturbation of negation: every clause says the opposite."""

import random

from tahanuji import words
from tahanuji.perturb import reversal_id, units, verbs_en
from tahanuji.perturb.clauses import Sentence, put_before
from tahanuji.perturb.registry import Function, perturbation
from tahanuji.perturb.reversal_id import Edit, drop, questions
from tahanuji.perturb.verbs_en import Verb, members, values

ASIDE = 1  # words of an English clause that need not turn (Okay)


@perturbation(
    name="reversed_negation",
    level="other",
    capability="negation",
    test_type="DIR",
    source="Wang et al. (2021), ReverseNeg of textflint",
    languages=("id", "en"),
)
def reversed_negation(language: str = "id") -> Function:
    """The text with a share of its clauses turned into their opposite, at rate 1 all that judge or
    deny; None where one of them cannot be turned for sure, because a text turned by half says
    neither the one nor the other.

    A clause with a negator loses it, one without gains one. Indonesian: tidak and its colloquial
    forms, and kurang before an adjective, go, belum becomes sudah, bukan goes before a noun that
    judges and jangan before an order; a negator comes before a judging word
    (data/lexicons/sentiment_words.csv) that is the predicate of its clause: the text's own form of
    tidak, else nggak in colloquial texts; bukan before nouns, bukan yang before the best; sangat
    gives way to it, selalu becomes tidak pernah, sudah belum. English: not and n't go (do too, with
    the verb inflected: doesn't work, works) or not comes after be and modals, or with do before
    verbs that judge or feel; what merely happened is not turned. None in both for texts with
    questions (in English without their mark too), conditions, wishes, thanks and concessions, with
    expressions whose negator denies nothing (tidak hanya, mau tidak mau, bukan main, can't wait),
    and with a clause that neither judges nor denies and is more than an aside: what it says may be
    for or against. So it applies to few texts, short ones most. A smaller rate turns fewer clauses,
    at least one.

    Negation, DIR: a positive text should no longer come out positive, a negative one no longer
    negative (tidak enak may be merely neutral). textflint's ReverseNeg (Wang et al., 2021), English
    only, turns one place with a parser.

    >>> reversed_negation()("tempatnya bersih tapi kurirnya tidak ramah .", 1.0, random.Random(1))
    'tempatnya tidak bersih tapi kurirnya ramah .'
    >>> reversed_negation("en")("It works but I do not love it .", 1.0, random.Random(1))
    'It does not work but I love it .'
    """
    sites = {"id": reversal_id.sites, "en": _sites_en}[language]

    def reverse(text: str, rate: float, rng: random.Random) -> str | None:
        chosen = units.chosen(sites(Sentence(text)), rate, rng)
        edits = [edit for turned in chosen for edit in turned]
        return words.spliced(text, edits) if edits else None

    return reverse


def _sites_en(sentence: Sentence) -> list[list[Edit]]:
    """For every English clause that judges or denies the changes that turn it; none at all where a
    clause longer than ASIDE words cannot be turned.
    """
    if not members("turns no text").isdisjoint(sentence.keys) or any(questions(sentence)):
        return []
    verbs = {verb.at: verb for verb in verbs_en.read(sentence)}
    opens = [
        at
        for at, key in enumerate(sentence.keys)
        if sentence.starts[at] or (key in members("coordinator") and _begun(sentence, at, verbs))
    ]
    turned = []
    for first, last in zip(opens, [*opens[1:], len(sentence.keys)], strict=False):
        edits = _turned_en(sentence, range(first, last), verbs)
        if not edits and last - first > ASIDE:
            return []
        turned += [edits] if edits else []
    return turned


def _begun(sentence: Sentence, at: int, verbs: dict[int, Verb]) -> bool:
    """Whether a clause with a verb of its own begins behind a coordinator: within three words, or
    later where the clause before it has a verb too; and before the next punctuation.
    """
    start = at
    while not sentence.starts[start]:
        start -= 1
    reach = None if any(_says(sentence, place, verbs) for place in range(start, at)) else 3
    for place in range(at + 1, len(sentence.keys))[:reach]:
        if sentence.starts[place] or (place > at + 3 and sentence.keys[place] in _openers()):
            return False
        if _says(sentence, place, verbs) or sentence.keys[place] in members("negation"):
            return True
        if place == at + 1 and _tells(sentence, place):
            return True
    return False


def _openers() -> frozenset[str]:
    return members("coordinator", "relative", "before a clause")


def _finite(at: int, verbs: dict[int, Verb]) -> Verb | None:
    """The finite verb that stands here."""
    verb = verbs.get(at)
    return None if verb is None or verb.kind in ("infinitive", "participle") else verb


def _says(sentence: Sentence, at: int, verbs: dict[int, Verb]) -> bool:
    """Whether a finite verb stands here, be it a contracted one."""
    return _finite(at, verbs) is not None or _contracted(sentence, at)


def _tells(sentence: Sentence, at: int) -> bool:
    """Whether a past form with an object of its own stands here: was patient and explained every
    fee.
    """
    past = "past" in verbs_en.forms().get(sentence.keys[at], {})
    return past and sentence.following(at) in members("determiner", "object")


def _turned_en(sentence: Sentence, clause: range, verbs: dict[int, Verb]) -> list[Edit]:
    """The changes that turn an English clause at its first verb; nothing where it has none, one
    that merely tells what happened, half a contrast (small but clean), or what only a negator
    allows (at all).
    """
    keys = sentence.keys[clause.start : clause.stop]
    bound = any(f" {one} " in f" {' '.join(keys)} " for one in members("needs a negator"))
    if bound or not members("contrast").isdisjoint(keys[1:]):
        return []
    for at in clause:
        verb = _finite(at, verbs)
        contracted = verb is None and _contracted(sentence, at)
        if not (verb or contracted or sentence.keys[at] in members("start of a clause")):
            continue
        if _idiom(sentence, at) or sentence.following(at) in members("not behind not"):
            return []
        if verb and at == clause.start and _subject(sentence.following(at)):
            return []  # a question without its mark
        if contracted:
            return _contraction(sentence, at)
        if verb is None:
            return _started(sentence, at)
        return _turned(sentence, verb, verbs) if _turns(sentence, verb) else []
    return []


def _turns(sentence: Sentence, verb: Verb) -> bool:
    """Whether a finite verb is denied, or judges, or is one of being or a modal."""
    beside = {sentence.before(verb.at), sentence.following(verb.at)}
    denied = beside & members("negation") or sentence.keys[verb.at] in values("short negation")
    judges = verb.entry is not None and _judges(verb.entry.base)
    return bool(denied) or verb.kind in ("be", "modal") or judges


def _subject(key: str) -> bool:
    return key in members("opens a subject", *verbs_en.SUBJECT)


def _judges(base: str) -> bool:
    return verbs_en.stative(base) or base in members("judging verb")


def _contracted(sentence: Sentence, at: int) -> bool:
    """Whether a pronoun with a contracted is, are, am, have or will stands here, or its second part
    (it 's).
    """
    key = sentence.keys[at]
    return key in members("contracted verb", "clitic that can be denied") or (
        key == "'s" and sentence.before(at) in members("before 's")
    )


def _started(sentence: Sentence, at: int) -> list[Edit]:
    """A clause without finite verb before its negator: don't buy, do not buy, not good; and ca n't,
    wo n't in two.
    """
    key, following, later = sentence.keys[at], sentence.following(at), sentence.following(at + 1)
    if key in values("cut modal") and following == "n't":
        word, negator = sentence.words[at : at + 2]
        if sentence.text[word.end : negator.start].strip():
            return []
        return [(word.start, negator.end, words.cased(word.text, values("cut modal")[key]))]
    denied = at + 1 if following in members("negation") else at
    if key == "don't" or (key == "do" and denied > at):
        bare = "base" in verbs_en.forms().get(later if denied > at else following, {})
        return drop(sentence, at, denied) if bare else []
    if key != "not" or following in ("", "at"):
        return []
    return [] if sentence.before(at) in members("before a bare not") else drop(sentence, at, at)


def _idiom(sentence: Sentence, at: int) -> bool:
    """Whether the verb is denied in an expression that says something else: not only, can't wait,
    couldn't agree more, don't worry.
    """
    key, following, later = sentence.keys[at], sentence.following(at), sentence.following(at + 1)
    denied = key in values("short negation") or key in ("cannot", "not")
    if following in members("negation"):
        denied, following = True, later
    fixed = f"{verbs_en.plain(key)} {following}" in members("fixed negation")
    return denied and (fixed or following in members("after a fixed not"))


def _contraction(sentence: Sentence, at: int) -> list[Edit]:
    """A clause with it's, I'm and the like: without its not, or with one."""
    if sentence.following(at) in members("negation"):
        return drop(sentence, at + 1, at + 1) if sentence.following(at + 1) else []
    return [(sentence.words[at].end, sentence.words[at].end, " not")]


def _turned(sentence: Sentence, verb: Verb, verbs: dict[int, Verb]) -> list[Edit]:
    """A clause with a finite verb: without its negator, or with one."""
    at, word, key = verb.at, verb.word, sentence.keys[verb.at]
    if sentence.before(at) == "never":
        return drop(sentence, at - 1, at - 1)
    main, apart = _main(sentence, at, verbs), sentence.following(at) in members("negation")
    if not apart and key != "cannot" and key not in values("short negation"):
        return _denied(sentence, verb, main)
    if apart and not sentence.following(at + 1):
        return []
    if verb.kind == "do":
        alone = main and main.kind == "infinitive" and not _joined(sentence, main.at)
        return _undone(sentence, verb, main) if alone else []
    if apart:
        return drop(sentence, at + 1, at + 1)
    plain = "can" if key == "cannot" else verbs_en.plain(key)
    return [(word.start, word.end, words.cased(word.text, plain))]


def _main(sentence: Sentence, at: int, verbs: dict[int, Verb]) -> Verb | None:
    """The infinitive or participle that an auxiliary governs, within the next three words of its
    clause.
    """
    for place in range(at + 1, min(at + 4, len(sentence.keys))):
        if sentence.starts[place] or sentence.keys[place] in members("conjunction of clauses"):
            return None
        if place in verbs and verbs[place].kind in ("infinitive", "participle"):
            return verbs[place]
    return None


def _joined(sentence: Sentence, at: int) -> bool:
    """Whether a second verb hangs on the same do: did not overcharge or leave a mess."""
    for place in range(at + 1, len(sentence.keys)):
        if sentence.starts[place]:
            return False
        bare = "base" in verbs_en.forms().get(sentence.keys[place], {})
        if bare and sentence.before(place) in members("coordinator"):
            return True
    return False


def _undone(sentence: Sentence, verb: Verb, main: Verb) -> list[Edit]:
    """do not like, doesn't like, did not like: like, likes, liked."""
    last = verb.at + (sentence.following(verb.at) in members("negation"))
    present = main.entry.third if verb.person == "third" else main.entry.base
    form = main.entry.past if verb.tense == "past" else present
    *others, (start, end, capital) = drop(sentence, verb.at, last)
    text = words.cased(main.word.text, form)
    if start < main.word.start < end:
        return [*others, (start, main.word.end, capital + text[1:])]
    return [*others, (start, end, capital), (main.word.start, main.word.end, text)]


def _denied(sentence: Sentence, verb: Verb, main: Verb | None) -> list[Edit]:
    """is not, cannot, have not (seen), does not like; do not comes before an adverb (do not really
    like).
    """
    word, key = verb.word, sentence.keys[verb.at]
    helps = main or sentence.following(verb.at) in members("participle of an auxiliary")
    if verb.kind in ("be", "modal") or (verb.kind in ("have", "do") and helps):
        denial = "not" if key == "can" else " not"
        capitals = word.text.isupper() and len(word.text) > 1
        return [(word.end, word.end, denial.upper() if capitals else denial)]
    support = "did" if verb.tense == "past" else "does" if verb.person == "third" else "do"
    base = verb.kind if verb.kind in ("have", "do") else verb.entry.base
    plain = words.Word(word.start, word.end, words.cased(word.text, base))
    place = verbs_en.governor(sentence, verb.at) + 1
    if not 0 < place < verb.at:
        return [(word.start, word.end, put_before(plain, f"{support} not", word.start == 0))]
    adverb = sentence.words[place]
    return [
        (adverb.start, adverb.end, put_before(adverb, f"{support} not", False)),
        (word.start, word.end, plain.text),
    ]
