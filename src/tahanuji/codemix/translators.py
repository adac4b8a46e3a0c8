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

from tahanuji import data, lexicons, paths, words
from tahanuji.codemix.dictionaries import Chain, Dictionary, Translator
from tahanuji.codemix.online import Online
from tahanuji.errors import InputError, unknown

LANGUAGES = {"en": "English", "jv": "Javanese", "su": "Sundanese", "ms": "Malay"}
SYNONYM = "synonym"
NAMES = LANGUAGES | {SYNONYM: "Indonesian synonyms"}
LEXICON = lexicons.LEXICONS / "codemix.csv"
ANY = "{language}"  # in the path of a word list: the code of the language that is asked for


def all_named(names: str, languages: Iterable[str]) -> list[Translator]:
    """A translator for each of several languages.

    Parameters
    ----------
    names : str
        As `named` takes them.
    languages : iterable of str
        Codes of `LANGUAGES`, or `synonym`.

    Returns
    -------
    list of Translator
        One per language, in their order.

    Raises
    ------
    InputError
        As `named` does, and for a single word-list file where several languages are asked for
        (`synonym` asks for none of it): its words would pass for those of every one of them.

    Examples
    --------
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
        A code of `LANGUAGES`; `synonym` means `wordnet_synonyms` whatever the names, so that a
        notebook can run the control like a language.

    Returns
    -------
    Translator
        With `translate(word) -> str | None`, `name`, `language` and `coverage(words)`.

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
        return wordnet_synonyms()
    known_language(language, LANGUAGES, "the translators")
    makers, parts = _makers(), []
    for name in _split(names):
        parts.append(
            makers[name](language)
            if name in makers
            else local(_word_list(name, language), language)
        )
    return parts[0] if len(parts) == 1 else Chain(*parts)


def _makers() -> dict[str, Callable[[str], Translator]]:
    """What makes the translator of a name, from a language."""
    return {
        "lexicon": lexicon,
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


def known_language(language: str, languages: Iterable[str], owner: str) -> str:
    """The language code where `owner` has it; else an InputError that says which it has."""
    if language not in languages:
        raise unknown("language", language, languages, f"These are the languages of {owner}.")
    return language


def lexicon(language: str, path: Path = LEXICON) -> Dictionary:
    """The project's own lexicon: a column `word` and one per language code; an empty cell where a
    language has no word of its own.

    Raises InputError for a language without a column and for a bad row, with its line: a word that
    is missing, not lower case, not one word or there twice, or a translation with signs that no
    word has.
    """
    rows = lexicons.rows(path, 2)
    _, header = next(rows, (1, [""]))
    if header[0] != "word":
        lexicons.refuse(path, 1, "is not a header that begins with word")
    column = header.index(known_language(language, header[1:], paths.shown(path)))
    pairs: dict[str, str] = {}
    for line, row in rows:
        word, target = row[0], row[column].strip()
        if word != words.key(word) or " " in word or not words.phrase(word):
            lexicons.refuse(path, line, f"has {word!r} where one lower-case word belongs")
        if word in pairs:
            lexicons.refuse(path, line, f"repeats the word {word!r}")
        if target and not words.phrase(target):
            lexicons.refuse(
                path,
                line,
                f"has {target!r} where the {LANGUAGES.get(language, language)} for {word!r} "
                f"belongs",
            )
        pairs[word] = target
    return Dictionary("lexicon", language, [pair for pair in pairs.items() if pair[1]])


def local(path: Path | str, language: str) -> Dictionary:
    """A csv or tsv file with a header, an Indonesian word in the first column and a translation in
    the second; best first.

    Raises InputError for a bad row, with its line: another number of cells than the header's, or
    none in one of the two columns.
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
    path = data.locate(f"nusax/{files[known_language(language, files, 'the NusaX lexicons')]}")
    return Dictionary(
        "nusax", language, [(row[1], row[2]) for line, row in lexicons.rows(path, 3) if line > 1]
    )


def cached(language: str) -> Dictionary:
    """IndoRobusta's cached Google translations of single words (its folder dicts/old); `counts`
    says how many are the word itself or junk.
    """
    path = data.locate(
        f"indorobusta/{known_language(language, LANGUAGES, 'the cached dictionaries')}"
    )
    pairs = ast.literal_eval(path.read_text(encoding="utf-8"))
    return Dictionary(
        "indorobusta", language, [(source, target or "") for source, target in pairs.items()]
    )


def online(language: str, cache: Path | None = None) -> Online:
    """Google Translate through deep-translator, every answer kept in a json file; asks the network,
    so it is used only where it is named.
    """
    return Online(known_language(language, LANGUAGES, "the online translator"), cache)


def wordnet_synonyms() -> Dictionary:
    """Another Indonesian lemma of a synset of the word, from Wordnet Bahasa (Noor et al., 2011);
    the language code is `synonym`.

    Of the lemmas that share synsets with a word it is the one with the largest sum over these
    synsets of (1 + count of the word in this sense) times (1 + count of the lemma in it), with the
    counts of wn-freq-ind.tab; among equals the first of the file.
    """
    return _wordnet(SYNONYM, "ind")


def wordnet(language: str = "ms") -> Dictionary:
    """A Malay lemma of a synset of the word that Wordnet Bahasa does not list as Indonesian too;
    chosen as in `wordnet_synonyms`.

    Malay only: the files of Wordnet Bahasa hold no English words.
    """
    return _wordnet(known_language(language, ["ms"], "Wordnet Bahasa beside Indonesian"), "zsm")


def _wordnet(language: str, code: str) -> Dictionary:
    sources, targets, counts = _lemmas("ind"), _lemmas(code), Counter()
    for _, (synset, lemma, count) in lexicons.rows(data.locate("wordnet_bahasa/ind_counts"), 3):
        counts[synset, lemma] = int(count)
    weights: dict[str, Counter] = defaultdict(Counter)
    for synset, words_of in sources.items():
        own = set(words_of) if code != "ind" else set()
        for source in words_of:
            for lemma in targets.get(synset, ()):
                if lemma == source or lemma not in own:
                    weights[source][lemma] += (1 + counts[synset, source]) * (
                        1 + counts[synset, lemma]
                    )
    usable = functools.cache(words.phrase)
    ranked = (
        (source, sorted(found, key=found.__getitem__, reverse=True))
        for source, found in weights.items()
    )
    pairs = (
        (
            source,
            next(
                (lemma for lemma in found if usable(lemma) and not words.same(source, lemma)),
                source,
            ),
        )
        for source, found in ranked
    )
    return Dictionary("wordnet", language, pairs)


def _lemmas(code: str) -> dict[str, list[str]]:
    """Lemmas by synset, both in the order of a file of Wordnet Bahasa."""
    found = defaultdict(list)
    for line in data.locate(f"wordnet_bahasa/{code}").read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if len(cells) == 3 and cells[1] == f"{code}:lemma":
            found[cells[0]].append(cells[2])
    return found
