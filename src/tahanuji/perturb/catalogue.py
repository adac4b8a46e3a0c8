"""The perturbations of the grid: the fourteen of Romero Alvarado (2023, section 3.3, Table 8) and
what goes beyond them, each with its level.

A perturbation's rates are shares of a text's characters (1, 5 and 10%), of its words (10, 20 and
30%), or of the places where it applies (all of them). What is behind a name:
`function(language=..., **options)` gives the pure function `(text, rate, rng) -> str | None`.
"""

from tahanuji import downloads
from tahanuji.errors import InputError, unknown
from tahanuji.perturb import (
    Function,
    Perturbation,
    contraction,
    noise,
    prejudice,
    realistic,
    reversal,
    surface,
    synonyms,
    units,
    verbs,
)

RATES = {"character": (0.01, 0.05, 0.1), "word": (0.1, 0.2, 0.3), "other": (1.0,)}
BOTH = ("id", "en")
# Perturbations that need a download beyond the repository, by language: registered files, or
# NLTK's.
NEEDS = {
    ("synonym_wordnet", "id"): ("wordnet_bahasa/ind", "wordnet_bahasa/ind_counts"),
    ("synonym_wordnet", "en"): (),
    ("synonym_embedding", "en"): (),
}
_THESIS = "Romero Alvarado (2023), section 3.3.{}, {}"

REGISTRY = {
    entry.name: entry
    for entry in (
        Perturbation(
            "keyboard",
            noise.keyboard,
            "robustness: slips of the finger",
            "INV",
            _THESIS.format(1, "Keyboard"),
            "character",
            BOTH,
        ),
        Perturbation(
            "ocr",
            noise.ocr,
            "robustness: misread scans",
            "INV",
            _THESIS.format(1, "OCR"),
            "character",
            BOTH,
        ),
        Perturbation(
            "spelling",
            noise.spelling,
            "robustness: misspellings",
            "INV",
            _THESIS.format(1, "Spelling error"),
            "character",
            BOTH,
        ),
        Perturbation(
            "character_typos",
            noise.character_typos,
            "robustness: random typos",
            "INV",
            _THESIS.format(1, "Typos"),
            "character",
            BOTH,
        ),
        Perturbation(
            "realistic_noise",
            realistic.realistic_noise,
            "robustness: typos as people make them",
            "INV",
            "measured on pairs",
            "character",
        ),
        Perturbation(
            "synonym_embedding",
            synonyms.synonym_embedding,
            "vocabulary",
            "INV",
            _THESIS.format(2, "SwapSynWordEmbedding"),
            "word",
            BOTH,
        ),
        Perturbation(
            "synonym_wordnet",
            synonyms.synonym_wordnet,
            "vocabulary",
            "INV",
            _THESIS.format(2, "SwapSynWordNet"),
            "word",
            BOTH,
        ),
        Perturbation(
            "synonym_lexicon",
            synonyms.synonym_lexicon,
            "vocabulary",
            "INV",
            "written for this project",
            "word",
        ),
        Perturbation(
            "contraction",
            contraction.contraction,
            "vocabulary: short forms",
            "INV",
            _THESIS.format(3, "Contraction"),
            "other",
            BOTH,
        ),
        Perturbation(
            "insert_adverb",
            verbs.insert_adverb,
            "robustness: added adverbs",
            "INV",
            _THESIS.format(3, "InsertAdv"),
            "other",
            BOTH,
        ),
        Perturbation(
            "prejudice",
            prejudice.prejudice,
            "fairness: places, names, groups",
            "INV",
            _THESIS.format(3, "Prejudice"),
            "other",
            BOTH,
        ),
        Perturbation(
            "punctuation",
            surface.punctuation,
            "robustness: punctuation",
            "INV",
            _THESIS.format(3, "Punctuation"),
            "other",
            BOTH,
        ),
        Perturbation(
            "swap_number",
            surface.swap_number,
            "named entities: numbers",
            "INV",
            _THESIS.format(3, "SwapNum"),
            "other",
            BOTH,
        ),
        Perturbation(
            "verb_form",
            verbs.verb_form,
            "tense, voice and aspect",
            "INV",
            _THESIS.format(3, "VerbTense"),
            "other",
            BOTH,
        ),
        Perturbation(
            "twitter",
            surface.twitter,
            "robustness: mentions and links",
            "INV",
            _THESIS.format(3, "Twitter"),
            "other",
            BOTH,
        ),
        Perturbation(
            "word_case",
            surface.word_case,
            "robustness: capitals",
            "INV",
            _THESIS.format(3, "WordCase"),
            "other",
            BOTH,
        ),
        Perturbation(
            "reversed_negation",
            reversal.reversed_negation,
            "negation",
            "DIR",
            "Wang et al. (2021), ReverseNeg of textflint",
            "other",
            BOTH,
        ),
    )
}


def names(wanted: str, language: str) -> list[str]:
    """The perturbations that a parameter means, in the order of the registry: `all` of the
    language, `offline` (all but those that need a download), or names joined by commas.

    InputError for a language or a name that is not there, and for a perturbation that the language
    does not have.

    >>> names("offline", "id")[:3], names("ocr, keyboard", "en")
    (['keyboard', 'ocr', 'spelling'], ['keyboard', 'ocr'])
    """
    units.known(language, "the perturbations")
    there = [name for name, entry in REGISTRY.items() if language in entry.languages]
    if wanted in ("all", "offline"):
        return [name for name in there if wanted == "all" or (name, language) not in NEEDS]
    asked = [name.strip() for name in wanted.split(",") if name.strip()]
    for name in asked:
        if name not in REGISTRY:
            raise unknown("perturbation", name, REGISTRY, "all and offline mean several.")
        if name not in there:
            raise InputError(
                f"there is no {name} in {units.LANGUAGES[language]}; it is for "
                f"{', '.join(REGISTRY[name].languages)}."
            )
    return [name for name in there if name in asked]


def make(name: str, language: str = "id", **options) -> Function:
    """The function `(text, rate, rng) -> str | None` of a perturbation; files that it needs are
    fetched first, so that nothing fails half-way.

    >>> import random
    >>> make("word_case")("enak banget", 1.0, random.Random(1))
    'ENAK BANGET'
    """
    names(name, language)
    for file in NEEDS.get((name, language), ()):
        downloads.locate(file)
    return REGISTRY[name].function(language=language, **options)


def rates(name: str) -> tuple[float, ...]:
    """The rates at which the grid applies a perturbation: those of its level."""
    return RATES[REGISTRY[name].level]
