"""The word lists that the page's script works with, made from the project's lexicons."""

from collections.abc import Iterable

from tahanuji import lexicons
from tahanuji.codemix import dictionaries, translators
from tahanuji.harden import halves, normalise, speller, vocabulary
from tahanuji.perturb import contraction, places, spoken, synonyms

PATTERNS = ("LAUGHTER", "RUN", "PAIR", "ROMAN", "MIXED", "TWICE", "LAST", "NUMBERED")
LANGUAGES = ("en", "jv", "su")  # whose words are mixed in


def normaliser(half: str | None) -> dict[str, object]:
    """What the normaliser of a half of the lexicons knows and goes by, the words from the most
    frequent one on.
    """
    often, edited = vocabulary.frequencies(), vocabulary.edited()
    every = sorted(often, key=lambda word: (-often[word], word))
    return {
        "words": " ".join(every),
        "often": [round(often[word], 6) for word in every],
        "edited": "".join(str(int(word in edited)) for word in every),
        "informal": vocabulary.informal(half),
        "untouched": " ".join(sorted(vocabulary.untouched(half))),
        "doubtful": sorted(lexicons.members("id", "no negator in capitals")),
        "patterns": {
            name: getattr(normalise, name).pattern.replace("?P<", "?<") for name in PATTERNS
        },
        "ends": sorted(normalise.ENDS),
        "prefixes": sorted(normalise.PREFIXES),
        "before_pairs": normalise.BEFORE_PAIRS,
        "titles": normalise.TITLES,
        "stem": normalise.STEM,
        "rarest": normalise.RAREST,
        "sure": normalise.SURE,
        "disguise": {chr(sign): chr(letter) for sign, letter in normalise.DISGUISE.items()},
        "costs": speller.COSTS._asdict(),
        "first": speller.FIRST,
        "shortest": speller.SHORTEST,
        "longest": speller.LONGEST,
        "long": speller.LONG,
        "end": speller.END,
        "sounds": speller.SOUNDS,
        "vowels": "".join(sorted(speller.VOWELS)),
        "neighbours": {key: near for key, near in places.NEIGHBOURS.items() if key.islower()},
    }


def changes(half: str | None) -> dict[str, object]:
    """What the page changes in a sentence: new forms by lower-case phrase, none where the phrase
    stays. Of a classifier that was hardened by a half of the lexicons the forms are of the other.
    """
    other = dict(zip(halves.HALVES, halves.HALVES[::-1], strict=True))
    tables = {"short": _short(), "slang": _slang()} | {name: _mixed(name) for name in LANGUAGES}
    return {
        "tables": {name: _of(table, other.get(half)) for name, table in tables.items()},
        "emoji": _emoji(),
        "any_emoji": list(lexicons.word_classes(_ADDITIONS)["general emoji"]),
    }


_ADDITIONS = lexicons.LEXICONS / "additions_id.csv"


def _of(table: dict[str, Iterable[str]], half: str | None) -> dict[str, list[str]]:
    """A table with the forms of one half; what stays does so in either."""
    kept = {phrase: [form for form in forms if halves.used(form, half)]
            for phrase, forms in table.items()}  # fmt: skip
    return {phrase: forms for phrase, forms in kept.items() if forms or not table[phrase]}


def _short() -> dict[str, list[str]]:
    """The short forms of words and phrases."""
    stay = {pair: [] for pair in lexicons.members("id", "no short form")}
    table = contraction.entries("id")["contract"]
    return stay | {full: [one.target for one in entries] for full, entries in table.items()}


def _slang() -> dict[str, list[str]]:
    """What people say instead of words and phrases."""
    table = spoken.entries(spoken.SLANG, ("phrase", "slang"))
    return {phrase: [form for form in forms if form] for phrase, forms in table.items()}


def _mixed(language: str) -> dict[str, list[str]]:
    """The words that have one word of a language in their place whatever stands beside them; fixed
    expressions stay.
    """
    lexicon = translators.named("lexicon", language)
    single = {
        word: dictionaries.unaccented(own[0].target)
        for word, own in lexicon.senses.items()
        if len(own) == 1 and own[0][:2] == ((), ()) and own[0].target.isalpha()
    }
    stay = {expression: [] for expression in synonyms.fixed(synonyms.FIXED)}
    return stay | {word: [new] for word, new in single.items() if lexicon.foreign(word, new)}


def _emoji() -> dict[str, list[str]]:
    """The things that an emoji can stand behind, with it."""
    things = lexicons.word_classes(_ADDITIONS)["emoji"]
    return {thing: [f"{thing} {sign}"] for thing, sign in things.items()}
