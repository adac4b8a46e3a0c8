"""Which family of changes a test of robustness belongs to."""

from tahanuji import perturb
from tahanuji.instrument import MIXING as RANDOM_MIXING

FAIRNESS = "fairness_"  # begins the capabilities that exchange names and groups
CASES = "12_checklist"
MIXING, PEOPLE = "08_code_mixing", "tweets natural"  # tweets as people mixed them
# Families of changes of tests that no perturbation of the registry makes.
FAMILIES = {"04_negation": "abbreviation", "05_typos": "typing", "06_formality": "register"}
FAMILIES |= {"16_registers": "register", "03_sentence_insertion": "added opinions"}
FAMILIES |= dict.fromkeys(("negation_variants", "slang_spelling"), "abbreviation")
FAMILIES |= dict.fromkeys(("english_word", "javanese_word", "sundanese_word"), "mixing")
REGIONAL = ("balinese", "banjar", "betawi", "bugis", "minangkabau")  # data/checklist_regional
FAMILIES |= {f"{language}_word": "mixing" for language in REGIONAL}
FAMILIES |= dict.fromkeys(("particles", "clitics"), "small additions")
FAMILIES |= dict.fromkeys(("intensifiers", "reducers", "reversed_negation"), "added opinions")


def family(notebook: str, test: str) -> str:
    """The family of changes that a test of robustness belongs to: that of its perturbation, else of
    its notebook or its written pairs; a test of none is a family of its own.

    >>> family("07_perturbation_grid", "ocr"), family("08_code_mixing", "en")
    ('typing', 'hostile mixing')
    >>> [family("07_perturbation_grid", key) for key in ("prejudice:names", "code_mixing:jv")]
    ['names and places', 'mixing']
    >>> family("12_checklist", "clitics"), family("07_perturbation_grid", "clitics")
    ('small additions', 'typing')
    """
    name = test.partition(":")[0]  # of an instrument's key
    if notebook == CASES and test in FAMILIES:  # written pairs that share a perturbation's name
        return FAMILIES[test]
    if name in perturb.REGISTRY and perturb.REGISTRY[name].family:
        return perturb.REGISTRY[name].family
    if name == RANDOM_MIXING:
        return "mixing"
    if notebook == MIXING:
        return "mixing" if test == PEOPLE else "hostile mixing"
    own = "names and places" if test.startswith(FAIRNESS) else FAMILIES.get(test)
    return own or FAMILIES.get(notebook, test)


def names() -> set[str]:
    """All families of changes.

    >>> sorted(names())[:3]
    ['abbreviation', 'added opinions', 'hostile mixing']
    """
    own = {one.family for one in perturb.REGISTRY.values() if one.family}
    return own | set(FAMILIES.values()) | {"hostile mixing", "names and places"}
