"""Names of tests for readers."""

import re

from helpers import notebooks
from tahanuji.codemix import translators

MIXED = re.compile(rf"(tweets )?({'|'.join(translators.NAMES)})( random)? ([\d.]+)")  # by attack


def title(notebook: str, test: str) -> str:
    """A test's name for readers, after its notebook's.

    >>> title("05_typos", "typos 0.3"), title("06_formality", "semi_formal")
    ('typos: 0.3 per word', 'formality: semi-formal')
    >>> title("08_code_mixing", "jv random 0.4")
    'code mixing: Javanese, random words, R = 0.4'
    >>> title("11_indonli", "active passive")
    'inference: active passive'
    """
    about = notebooks.every().get(notebook)
    words = (about and about.tests) or notebook[3:].replace("_", " ")
    test = test.replace("semi_formal", "semi-formal").replace("_", " ").removeprefix(words).strip()
    if match := MIXED.fullmatch(test):
        tweets, language, at_random, rate = match.groups()
        drawn = "random words" if at_random else "worst case"  # two quantities, each by its name
        where = ", on tweets" if tweets else ""
        test = f"{translators.NAMES[language]}, {drawn}, R = {rate}{where}"
    test = test.replace("tweets natural", "tweets as people mixed them")
    if re.fullmatch(r"[01]|0?\.\d+|1\.0+", test):
        test = f"{float(test):g} per word"
    return f"{words}: {test}" if test else words


def short(notebook: str, test: str) -> str:
    """A test's name for readers, without the notebook's where the test's own says enough.

    >>> short("07_perturbation_grid", "ocr 0.05"), short("08_code_mixing", "jv 0.4")
    ('ocr 0.05', 'code mixing: Javanese, worst case, R = 0.4')
    """
    name = title(notebook, test)
    return name.removeprefix("perturbation grid: ").removeprefix("checklist: ")
