"""Where an Indonesian adverb that affirms a statement can stand: before the verb group of a
statement that has its subject, yang or a conjunction such as karena before it.
"""

from tahanuji.perturb import reversal_id, verbs_id
from tahanuji.perturb.clauses import Sentence
from tahanuji.perturb.verbs_id import Verb, members

Site = tuple[int, frozenset[str]]  # the place of a word and the kinds of adverbs that fit there


def sites(sentence: Sentence) -> list[Site]:
    """The first words of the verb groups before which an adverb fits, with the kinds that do."""
    asked, result, taken = reversal_id.questions(sentence), [], -1
    for verb in verbs_id.read(sentence):
        start = _clause(sentence, verb.first)
        if start > taken and not asked[verb.at] and _states(sentence, verb, start):
            kinds = _kinds(sentence, verb)
            if not _requests(sentence, verb) and _suits(sentence, verb, kinds):
                result.append((verb.first, kinds))
        taken = max(taken, start)
    return result


def _clause(sentence: Sentence, at: int) -> int:
    """The first place of the clause of a word: behind punctuation, at a conjunction or at yang."""
    while not sentence.starts[at] and sentence.keys[at] not in members(
        "conjunction of clauses", "relative"
    ):
        at -= 1
    return at


def _states(sentence: Sentence, verb: Verb, start: int) -> bool:
    """Whether a clause states something up to its verb: it asks, wishes and commands nothing, says
    neither when nor what for, and does not affirm already.
    """
    ahead = frozenset(sentence.keys[start : verb.at])
    if ahead & members("closed to adverbs", "before an infinitive", "degree"):
        return False
    while not sentence.starts[start]:
        start -= 1
    if not members("question word").isdisjoint(sentence.keys[start : verb.at]):
        return False
    return sentence.key(_end(sentence, verb.at)) not in members("form of tidak")


def _requests(sentence: Sentence, verb: Verb) -> bool:
    """Whether a verb group of a person asks or reports something (saya mau lapor)."""
    group = sentence.keys[verb.first : verb.at + 2]
    asks = not members("request").isdisjoint(group)
    return asks and sentence.before(verb.first) in members("personal pronoun") | {""}


def _end(sentence: Sentence, at: int) -> int:
    """The last place of the clause of a word, as punctuation has it."""
    while at + 1 < len(sentence.keys) and not sentence.starts[at + 1]:
        at += 1
    return at


def _kinds(sentence: Sentence, verb: Verb) -> frozenset[str]:
    """The kinds of adverbs that a verb group takes."""
    group, key = sentence.keys[verb.first : verb.at], sentence.keys[verb.at]
    denied = sentence.keys[verb.first] in members("form of tidak", "not yet")
    denied = denied and sentence.key(verb.first + 1) not in members("partly denied")
    behind = sentence.keys[verb.first + 1 : _end(sentence, verb.at) + 1]
    twice = not members("form of tidak", "other negator").isdisjoint(behind)
    able = not members("ability").isdisjoint(group)
    judged = key in members("can be felt more") or key in reversal_id.predicates()
    # Memang turns astonishment into assent; it concedes before tidak lagi, and without a subject.
    # The others narrow a condition (kalau benar-benar belum pernah).
    astonished = not members("astonishment").isdisjoint(sentence.keys)
    before = sentence.before(verb.first)
    condition = before in members("lets an adverb in")
    lapsed = denied and sentence.key(verb.first + 1) in members("goes with negator")
    kinds = {
        "any": bool(before) and not astonished and not lapsed,
        "claim": not condition and (denied or able or judged),
        "denied": not condition and denied and not twice,
    }
    return frozenset(kind for kind, fits in kinds.items() if fits)


def _suits(sentence: Sentence, verb: Verb, kinds: frozenset[str]) -> bool:
    """Whether what stands before a verb group lets an adverb in; before a single verb of doing only
    a reason does, because what merely happened needs no affirming.
    """
    first = verb.first
    before, ahead = sentence.before(first), sentence.before(first - 1)
    if sentence.keys[first] in members("no adverb before") or before in members("no adverb behind"):
        return False
    if before in members("reason"):
        return True
    if first == verb.at and "claim" not in kinds:
        return False
    if not before:
        gap = sentence.text[sentence.words[first - 1].end : sentence.words[first].start]
        if first and gap.strip() == ",":  # it may go on with anything
            return False
        return "denied" in kinds and sentence.keys[first] not in members("not yet")
    if before in members("personal pronoun"):
        return before != "orang" and (not ahead or ahead in members("lets an adverb in", "reason"))
    if before in members("relative"):
        return "claim" in kinds and ahead != "" and ahead not in members("no noun before yang")
    if before.endswith("nya"):
        return _named(before, ahead)
    joined = before in members("lets a denial in") and "claim" in kinds
    noun = "denied" in kinds and reversal_id.noun(before)
    return joined or noun or before in members("lets an adverb in", "demonstrative")


def _named(before: str, ahead: str) -> bool:
    """Whether a word in -nya, or the word before a separate nya, is a noun."""
    noun = ahead if before == "nya" else before.removesuffix("nya")
    closed = members("no noun before nya", "auxiliary")
    return noun not in closed and noun not in reversal_id.predicates()
