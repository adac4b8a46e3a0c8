"""Words replaced by synonyms: from a WordNet, from the neighbours in word vectors, or from a list
that was written for this.

Indonesian words stay inside the fixed expressions of data/lexicons/fixed_expressions_id.csv (guru
besar, efek samping, oleh karena itu).
"""

import functools
import random
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from tahanuji import lexicons, words
from tahanuji.errors import InputError, unknown
from tahanuji.lexicons import LEXICONS, members, rows
from tahanuji.perturb import phrases, units, wordnet_en, wordnets
from tahanuji.perturb import vectors as word_vectors
from tahanuji.perturb.registry import Function, perturbation

LEXICON, FIXED = LEXICONS / "synonyms_id.csv", LEXICONS / "fixed_expressions_id.csv"
EXPRESSIONS = ("idiom", "term", "collocation", "grammar")
HEADER = ("word", "synonym", "class", "register")
CLASSES, REGISTERS = (
    ("adjective", "verb", "noun", "adverb", "function"),
    ("same", "formal", "colloquial"),
)
BEGINS = re.compile(r"(?:^|[.!?:;\n])[^\w.!?:;\n]*$")
_ARTICLE = re.compile(r"(?<![\w'])(an?) $", re.IGNORECASE)
_CONSONANT = re.compile(r"(?:[^aeiouh]|eu|uni|use|usu|one|once|h(?!our|on[oe]|eir))", re.IGNORECASE)


@perturbation(
    name="synonym_embedding",
    level="word",
    capability="vocabulary",
    test_type="meaning",
    source="Romero Alvarado (2023), section 3.3.2, SwapSynWordEmbedding",
    languages=("id", "en"),
    needs={"en": ()},  # English vectors are the user's own
)
def synonym_embedding(
    language: str = "id",
    vectors: str = "",
    top: int = 5,
    least: float = 0.5,
    opposites: bool = False,
) -> Function:
    """A share `rate` of the words becomes a near word of the word vectors: one of the `top` nearest
    with a cosine of at least `least`.

    `vectors` names a file in word2vec's or GloVe's text format (.txt, .vec, also .gz; its first
    50,000 words are read) or an .npz of scripts/train_vectors.py. Indonesian has
    data/lexicons/vectors_id.npz (4,970 words; 2.8 million words of reviews, tweets, news and
    encyclopaedia, no text of an evaluated task among them); English has none of its own. Neighbours
    are no other forms or spellings of the word (`vectors.variant`). Function words, numerals and
    names (a capital inside a sentence) stay.

    Capability: vocabulary. Test type: changes meaning: words are near that occur in the same
    places, and so do opposites (murah, mahal), things of one kind (motor, mobil) and mere
    companions; most pairs are wrong even where each is among the other's two nearest, with a cosine
    of 0.7 (34 of 56 drawn from review texts, murah and mahal not counted). Indonesian pairs of
    opposite polarity in sentiment_words.csv are left out unless `opposites`. Source: Romero
    Alvarado (2023), section 3.3.2, SwapSynWordEmbedding, with GloVe in textflint, which leaves
    nothing out.

    >>> synonym_embedding()("harga nya murah", 0.3, random.Random(0))
    'harga nya terjangkau'
    """
    if not vectors and language == "en":
        raise InputError(
            "synonym_embedding has no English word vectors of its own; get a file such as "
            "glove.6B.100d.txt (nlp.stanford.edu/projects/glove) "
            "and name it in the option vectors."
        )
    if not 0 <= least <= 1:
        raise InputError(
            f"the option least of synonym_embedding is a cosine between 0 and 1, and {least!r} is "
            f"not."
        )
    table, most = word_vectors.read(vectors or wordnets.VECTORS), 3 * _top(top)
    return _replacing(
        lambda key: [name for name, _ in table.nearest(key, most, least)], language, top, opposites
    )


@perturbation(
    name="synonym_wordnet",
    level="word",
    capability="vocabulary",
    test_type="meaning",
    source="Romero Alvarado (2023), section 3.3.2, SwapSynWordNet",
    languages=("id", "en"),
    # Registered files of Wordnet Bahasa; NLTK fetches Princeton's WordNet itself.
    needs={"id": ("wordnet_bahasa/ind", "wordnet_bahasa/ind_counts"), "en": ()},
)
def synonym_wordnet(language: str = "id", top: int = 3, opposites: bool = False) -> Function:
    """A share `rate` of the words becomes a synonym from WordNet, one of the `top` best drawn
    evenly.

    Indonesian has Wordnet Bahasa (a registered download; `wordnets.Bahasa` says how its
    machine-made synsets are weighed), English has Princeton's WordNet as NLTK downloads it
    (`wordnet_en.Princeton`). A word is taken in its most frequent part of speech, whatever the
    sentence. Function words, numerals and names (a capital inside a sentence) stay; so do, unless
    `opposites`, Indonesian synonyms of the other polarity in sentiment_words.csv. Indonesian
    clitics and English plurals, -s, -ed and -ing carry over, and a or an follows its noun; me- and
    di- forms are looked up as they are, irregular English forms are not replaced.

    Capability: vocabulary. Test type: changes meaning: senses are not told apart, so that six in
    ten Indonesian texts come out odd or say something else, and a masked language model's score of
    the sentence does not tell these apart. Source: Romero Alvarado (2023), section 3.3.2,
    SwapSynWordNet; textflint draws from all synsets of the tagged part of speech.

    >>> replace = synonym_wordnet()  # doctest: +SKIP
    >>> replace("makanan nya enak , kamar nya bersih", 0.2, random.Random(1))  # doctest: +SKIP
    'makanan nya gurih , kamar nya bersih'
    """
    source = wordnets.bahasa() if language == "id" else wordnet_en.princeton()
    return _replacing(source.synonyms, language, _top(top), opposites)


@perturbation(
    name="synonym_lexicon",
    level="word",
    capability="vocabulary",
    test_type="INV",
    family="numbers and synonyms",
    source="written for this project",
)
def synonym_lexicon(language: str = "id", top: int = 3, register: str = "any") -> Function:
    """A share `rate` of the words becomes a synonym of data/lexicons/synonyms_id.csv, one of its
    first `top` drawn evenly.

    The list was written for this project: directed pairs of words of which the second can stand for
    the first in nearly all of its everyday uses outside fixed expressions, with the same polarity
    and about the same strength. `register`: `any`, or `same` for pairs that leave the register
    alone. Names (a capital inside a sentence) stay; Indonesian clitics carry over, but adverbs in
    -nya (layaknya, akhirnya) are neither split nor made.

    Capability: vocabulary. Test type: INV. Source: this project, as the precise counterpart of
    Romero Alvarado's (2023, section 3.3.2) SwapSynWordNet, whose Indonesian synsets are made by
    machine and have to be downloaded.

    >>> synonym_lexicon()("pelayan nya ramah , harga nya murah", 0.2, random.Random(1))
    'pramusaji nya ramah , harga nya murah'
    """
    if register not in ("any", "same"):
        raise unknown("register", register, ("any", "same"))
    table, adverbs = lexicon(LEXICON, register == "same"), members(language, "adverb in -nya")

    def synonyms(key: str) -> tuple[str, ...]:
        if key in table or key in adverbs:
            return table.get(key, ())
        hit = wordnets.CLITICS.fullmatch(key)
        others = table.get(hit[1], ()) if hit else ()
        return tuple(new for other in others if (new := other + hit[2]) not in adverbs)

    return _replacing(synonyms, language, _top(top), opposites=False, closed=())


@functools.cache
def lexicon(path: Path, same: bool = False) -> dict[str, tuple[str, ...]]:
    """The synonyms of each word in the order of a table `word,synonym,class,register`, all or those
    of the same register; InputError for a bad row.
    """
    allowed = {"class": CLASSES, "register": REGISTERS}
    listed = lexicons.table(path, HEADER, distinct=2, fault=lexicons.pair_fault, **allowed)
    table: dict[str, list[str]] = {}
    for word, synonym, _, register in listed:
        if register == "same" or not same:
            table.setdefault(word, []).append(synonym)
    return {word: tuple(synonyms) for word, synonyms in table.items()}


@functools.cache
def fixed(path: Path) -> dict[str, str]:
    """The fixed expressions of a table `expression,note` with their notes, which say of what kind
    they are; InputError for a bad row.
    """
    header = ("expression", "note")
    return dict(lexicons.table(path, header, distinct=1, fault=_expression_fault, note=EXPRESSIONS))


def _expression_fault(expression: str, _: str) -> str:
    """What is wrong with an expression of one word; nothing with one of several."""
    return "" if " " in expression else f"has {expression!r}, which is not several words"


def _top(top: int) -> int:
    if top < 1:
        raise InputError(f"the option top is a number of synonyms from 1 on, and {top!r} is not.")
    return top


@functools.cache
def function_words(language: str) -> frozenset[str]:
    """The words of closed classes and the numerals of data/lexicons/function_words.csv."""
    return frozenset(
        word for line, (code, word) in rows(LEXICONS / "function_words.csv", 2) if code == language
    )


def _replacing(
    synonyms: Callable[[str], Sequence[str]],
    language: str,
    top: int,
    opposites: bool,
    closed: Collection[str] | None = None,
) -> Function:
    """The perturbation that draws from the first `top` synonyms that fit; words of `closed` stay,
    function words unless given.
    """
    closed = function_words(language) if closed is None else closed
    polarity = {} if opposites or language != "id" else lexicons.sentiment_words()

    @functools.cache
    def fitting(key: str) -> tuple[str, ...]:
        own = polarity.get(key)
        others = [other for other in synonyms(key) if other not in closed and key not in closed]
        return tuple(one for one in others if own is None or polarity.get(one, own) == own)[:top]

    def replace(text: str, rate: float, rng: random.Random) -> str | None:
        tokens = words.words(text) if units.count(1, rate) else []
        sites, changes = _sites(text, tokens, fitting, language), {}
        for word, others in units.chosen(sites, rate, rng, len(tokens)):
            other = others[rng.randrange(len(others))]
            changes[word] = words.cased(word.text, other)
            if language == "en":
                changes |= _article(text, word, other)
        return words.replace(text, changes) if changes else None

    return replace


def _sites(
    text: str,
    tokens: list[words.Word],
    fitting: Callable[[str], tuple[str, ...]],
    language: str,
) -> list[tuple[words.Word, tuple[str, ...]]]:
    """The words that can be replaced, with what can stand for them."""
    sites = {
        number: (word, others)
        for number, word in enumerate(tokens)
        if (others := fitting(words.key(word.text)))
        and not _name(text, word)
        and (language != "id" or not _opens(text, word))
    }
    inside = in_expressions(text, tokens) if language == "id" and sites else set()
    return [site for number, site in sites.items() if number not in inside]


def _opens(text: str, word: words.Word) -> bool:
    """Whether a word opens a clause that elsewhere strengthens the one before it (banget)."""
    strengthens = words.key(word.text) in members("id", "strengthens what is before")
    return strengthens and not text[: word.start].rstrip(" ")[-1:].isalnum()


def in_expressions(text: str, tokens: list[words.Word]) -> set[int]:
    """The numbers of the words of an Indonesian text that stand in a fixed expression.

    >>> sorted(in_expressions("jual ayam jago", words.words("jual ayam jago")))
    [1, 2]
    """
    matches = phrases.find(text, fixed(FIXED), _longest(FIXED), tokens=tokens)
    places = {place for phrase, _ in matches for place in range(phrase.start, phrase.end)}
    return {number for number, token in enumerate(tokens) if token.start in places}


@functools.cache
def _longest(path: Path) -> dict[str, int]:
    """How many words the longest fixed expression has that begins with a word."""
    return phrases.lengths(fixed(path))


def _article(text: str, word: words.Word, other: str) -> dict[words.Word, str]:
    """The change of an English a or an right before a replaced word."""
    hit = _ARTICLE.search(text, max(0, word.start - 4), word.start)
    if not hit:
        return {}
    article = "a" if _CONSONANT.match(other) else "an"
    return {words.Word(hit.start(1), hit.end(1), hit[1]): words.cased(hit[1], article)}


def _name(text: str, word: words.Word) -> bool:
    """Whether a word has a capital as names have it: the first letter only, and not where a
    sentence begins.
    """
    return (
        word.text[0].isupper()
        and word.text[1:].islower()
        and not BEGINS.search(text, max(0, word.start - 8), word.start)
    )
