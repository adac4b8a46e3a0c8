"""Word-level translators behind one interface: `translate(word) -> str | None`, `name`, `language`,
`coverage(words)`.

A translation that equals its source never counts: `translate` gives None for it and `coverage`
counts it apart. Nothing here uses a network except `online`, and registered files that are not at
hand yet.
"""

import ast
import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from tahanuji import data, lexicons, words
from tahanuji.codemix import senses
from tahanuji.codemix.dictionaries import Chain, Dictionary, Translator
from tahanuji.codemix.online import Online
from tahanuji.errors import InputError, unknown
from tahanuji.perturb import wordnets
from tahanuji.perturb.units import check_language

__all__ = ["LANGUAGES", "NAMES", "named"]

LANGUAGES = {"en": "English", "jv": "Javanese", "su": "Sundanese", "ms": "Malay"}
SYNONYM = "synonym"
NAMES = LANGUAGES | {SYNONYM: "Indonesian synonyms"}
NATIVE = lexicons.LEXICONS / "native_counts.csv"
USES = 50  # in SmSA's training texts, from which a word counts as one that Indonesian texts use
ANY = "{language}"  # in the path of a word list: the code of the language that is asked for


def all_named(names: str, languages: Iterable[str]) -> list[Translator]:
    """A translator for each of several languages; InputError as `named`, and for a single word-list
    file where several languages are asked for: its words would pass for those of every one of them.

    >>> [part.language for part in all_named("lexicon", ["jv", "su"])]
    ['jv', 'su']
    """
    languages = list(languages)
    several = [language for language in dict.fromkeys(languages) if language != SYNONYM]
    for name in _split(names) if len(several) > 1 else ():
        if name not in _makers() and ANY not in name and Path(name).is_file():
            example = str(Path(name).with_stem(f"{Path(name).stem}_{ANY}"))
            raise InputError(
                f"the word list {name} is of one language, and several are asked for "
                f"({', '.join(several)}). Ask for one, or make a list for each "
                f"and give {example}, which means {example.replace(ANY, several[0])} for "
                f"{LANGUAGES.get(several[0], several[0])} and so on."
            )
    return [named(names, language) for language in languages]


def named(names: str, language: str) -> Translator:
    """The translator that names mean.

    Parameters
    ----------
    names : str
        Of `lexicon`, `nusax`, `wordnet`, `indorobusta`, `online` or word-list files, joined by +
        and asked in that order. In the path of a word list `{language}` stands for the language's
        code: `lists/{language}.csv` is `lists/jv.csv` for Javanese. A path without it is taken for
        a list of this language; where there are several languages, `all_named` refuses it.
    language : str
        A code of `LANGUAGES`; `synonym` means `senses.synonyms` whatever the names, so that a
        notebook can run the control like a language.

    Returns
    -------
    Translator
        With `translate(word) -> str | None`, `targets(text, words)`, `name`, `language` and
        `coverage(words)`. Of a language, words that SmSA's training texts use 50 times or more are
        no translation (`native_words`).

    Raises
    ------
    InputError
        For a language or a translator that is not there, and for a word list that is missing or
        has a bad row.

    References
    ----------
    Winata et al. (2023), NusaX; Noor et al. (2011), Wordnet Bahasa.

    Examples
    --------
    >>> named("lexicon", "en").language
    'en'
    """
    if language == SYNONYM:
        return senses.synonyms()
    check_language(language, "the translators", LANGUAGES)
    makers = _makers()
    parts = [
        makers[name](language) if name in makers else local(_word_list(name, language), language)
        for name in _split(names)
    ]
    together = parts[0] if len(parts) == 1 else Chain(*parts)
    for part in (*parts, together):
        part.native = native_words()
    return together


@functools.cache
def native_words(least: int = USES, path: Path = NATIVE) -> frozenset[str]:
    """Words of the lexicon's translations that Indonesian texts use themselves, in lower case and
    without accents: *tak* is Malay for *tidak*, and no foreign word.

    From so many uses in the training texts of SmSA on, by a table `word,count` that
    `scripts/count_native.py` writes; InputError for another header.

    >>> "tak" in native_words(), "delicious" in native_words()
    (True, False)
    """
    lines = lexicons.body(path, ("word", "count"))
    return frozenset(word for _, (word, count) in lines if int(count) >= least)


def _makers() -> dict[str, Callable[[str], Translator]]:
    """What makes the translator of a name, from a language."""
    return {
        "lexicon": senses.lexicon,
        "nusax": nusax,
        "wordnet": wordnet,
        "indorobusta": cached,
        "online": online,
    }


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split("+")]


def _word_list(name: str, language: str) -> Path:
    """The word list that a path means for a language; InputError where there is none."""
    path = Path(name.replace(ANY, language))
    if ANY in name and not path.is_file():
        raise InputError(
            f"there is no word list {path}, which {name} means for {LANGUAGES[language]}; make it, "
            f"or leave {language} out of the languages."
        )
    if not path.is_file():
        raise unknown(
            "translator",
            name,
            _makers(),
            f"A csv or tsv file of words and translations does as well; {ANY} in its name is the "
            f"language's code.",
        )
    return path


def local(path: Path | str, language: str) -> Dictionary:
    """The pairs of a csv or tsv file with a header, Indonesian words in the first column and
    translations in the second, best first; InputError names the line of a bad row.
    """
    path, pairs = Path(path), []
    rows = lexicons.rows(path, 2)
    next(rows, None)
    for line, row in rows:
        if not row[0].strip() or not row[1].strip():
            lexicons.refuse(path, line, f"has no {'translation' if row[0].strip() else 'word'}")
        pairs.append((row[0], row[1]))
    return Dictionary(path.stem, language, pairs)


def nusax(language: str) -> Dictionary:
    """NusaX's lexicon (Winata et al., 2023) for en, jv or su: 477 Indonesian words."""
    files = {"en": "english", "jv": "javanese", "su": "sundanese"}
    path = data.locate(f"nusax/{files[check_language(language, 'the NusaX lexicons', files)]}")
    pairs = [(row[1], row[2]) for line, row in lexicons.rows(path, 3) if line > 1]
    return Dictionary("nusax", language, pairs)


def cached(language: str) -> Dictionary:
    """IndoRobusta's cached Google translations of single words (its folder dicts/old)."""
    check_language(language, "the cached dictionaries", LANGUAGES)
    pairs = ast.literal_eval(data.locate(f"indorobusta/{language}").read_text(encoding="utf-8"))
    given = [(source, target or "") for source, target in pairs.items()]
    return Dictionary("indorobusta", language, given)


def online(language: str, cache: Path | None = None) -> Online:
    """Google Translate through deep-translator, every answer kept in a json file; asks the network,
    so it is used only where it is named.
    """
    return Online(check_language(language, "the online translator", LANGUAGES), cache)


def wordnet(language: str = "ms") -> Dictionary:
    """A Malay lemma of a synset of the word that Wordnet Bahasa (Noor et al., 2011) does not list
    as Indonesian too.

    Of the lemmas that share synsets with a word it is the one with the largest sum over these
    synsets of (1 + count of the word in this sense) times (1 + count of the lemma in it), with the
    counts of wn-freq-ind.tab; among equals the first of the file. Malay only: the files of Wordnet
    Bahasa hold no English words.
    """
    check_language(language, "Wordnet Bahasa beside Indonesian", ["ms"])
    sources, targets = wordnets.lemmas("ind"), wordnets.lemmas("zsm")
    counts = Counter(wordnets.counts())
    weights: dict[str, Counter] = defaultdict(Counter)
    for synset, indonesian in sources.items():
        for source in indonesian:
            for lemma in targets.get(synset, ()):
                if lemma == source or lemma not in indonesian:
                    weight = (1 + counts[synset, source]) * (1 + counts[synset, lemma])
                    weights[source][lemma] += weight
    pairs = [(source, _best(source, lemmas)) for source, lemmas in weights.items()]
    return Dictionary("wordnet", language, pairs)


def _best(source: str, weights: Counter) -> str:
    """The heaviest lemma that is made of words and is not the source; the source if none is."""
    ranked = sorted(weights, key=weights.__getitem__, reverse=True)
    fitting = (one for one in ranked if words.phrase(one) and not words.same(source, one))
    return next(fitting, source)
