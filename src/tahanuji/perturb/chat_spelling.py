"""Spelling of chats: figures for letters, the clitics nya, ku and mu attached or apart, and a 2 for
the second half of a reduplication.
"""

import random
import re

from tahanuji import lexicons, words
from tahanuji.perturb import phrases, units
from tahanuji.perturb.registry import Function, perturbation

FIGURES = {"a": "4", "e": "3", "i": "1", "o": "0"}
CLITICS = ("nya", "ku", "mu")
HOSTS = lexicons.LEXICONS / "clitics_id.csv"
_TWICE = re.compile(r"((?:ber|se)?([a-z]{3,}))-\2((?:nya|ku|mu|an)?)")


@perturbation(
    name="leetspeak",
    level="word",
    capability="robustness: figures for letters",
    test_type="INV",
    family="typing",
    source="this project: spelling of Indonesian chats (alay)",
    grid=False,
)
def leetspeak(language: str = "id") -> Function:
    """A share of the words is written with figures for vowels: gak to g4k, saya to s4y4.

    Of the vowels a, e, i and o of a word one or several are drawn, and each drawn one becomes its
    figure (4, 3, 1, 0) wherever it stands in the word, as long as half of the characters or more
    stay letters. Words of one or two letters, words with figures and words of evaluation
    (sentiment_words.csv) stay: what carries the label can still be read by anybody.

    Robustness: spelling, INV. It was a fashion of the 2000s and is rare in reviews today; people
    use it in names, jokes and to get round filters.

    >>> leetspeak()("saya gak bisa login dari kemarin", 0.5, random.Random(4))
    's4y4 g4k bis4 login dari kemarin'
    """

    def write(text: str, rate: float, rng: random.Random) -> str | None:
        tokens = words.words(text)
        sites = [word for word in tokens if _vowels(word.text)]
        chosen = units.chosen(sites, rate, rng, units=len(tokens))
        changes = {word: _with_figures(word.text, rng) for word in chosen}
        return words.replace(text, changes) if changes else None

    return write


def _vowels(word: str) -> list[str]:
    """The vowels of a word that can become figures each by itself; none where the word stays."""
    key = words.key(word)
    plain = word.isascii() and word.isalpha() and len(word) > 2
    if not plain or key in lexicons.sentiment_words():
        return []
    return [vowel for vowel in FIGURES if 0 < 2 * key.count(vowel) <= len(key)]


def _with_figures(word: str, rng: random.Random) -> str:
    """A word with figures for some of its vowels."""
    vowels, key = _vowels(word), word.lower()
    wanted = rng.sample(vowels, rng.randint(1, len(vowels)))
    while 2 * sum(key.count(vowel) for vowel in wanted) > len(key):
        wanted.remove(max(wanted, key=key.count))
    return "".join(
        FIGURES[letter.lower()] if letter.lower() in wanted else letter for letter in word
    )


@perturbation(
    name="clitics",
    level="other",
    capability="robustness: clitics attached and apart",
    test_type="INV",
    family="typing",
    source="this project: spelling of Indonesian chats",
    grid=False,
)
def clitics(language: str = "id") -> Function:
    """A share of the clitics nya, ku and mu gets the other spelling: tempat nya to tempatnya; in a
    text that writes none apart, hatiku to hati ku.

    nya joins any word before it and leaves any word but those of which it is no clitic (hanya,
    punya, bertanya). ku and mu go with the hosts of clitics_id.csv alone (nouns of people, body and
    belongings, prepositions), so that buku, kamu and ku before a verb (yang ku suka) stay.

    Robustness: spelling, INV; the meaning stays. SmSA writes nya apart nearly everywhere, people
    mostly attach it.

    >>> clitics()("tempat nya luas", 1.0, random.Random(1))
    'tempatnya luas'
    >>> clitics()("hanya hatiku yang tahu rasanya", 1.0, random.Random(1))
    'hanya hati ku yang tahu rasa nya'
    """

    def move(text: str, rate: float, rng: random.Random) -> str | None:
        sites = _clitics(text) if units.count(1, rate) else []
        edits = units.chosen(sites, rate, rng)
        return words.spliced(text, edits) if edits else None

    return move


def _clitics(text: str) -> list[tuple[int, int, str]]:
    """The edits that attach the clitics of a text; that part them where none stands apart."""
    tokens, attach, part = words.words(text), [], []
    for at, word in enumerate(tokens):
        key = words.key(word.text)
        if key in CLITICS:
            beside = at > 0 and phrases.together(text, tokens[at - 1 : at + 1])
            if beside and _joins(words.key(tokens[at - 1].text), key):
                attach.append((word.start - 1, word.start, ""))
        elif ends := next((clitic for clitic in CLITICS if key.endswith(clitic)), ""):
            apart = word.end - len(ends)
            if _parts(key, ends) and text[apart - 1].isalpha():
                part.append((apart, apart, " "))
    return attach or part


def _joins(host: str, clitic: str) -> bool:
    """Whether a clitic can be attached to the word before it."""
    if clitic != "nya":
        return host in lexicons.word_classes(HOSTS)["host"]
    return host.isascii() and len(host) > 1 and not host.endswith(CLITICS)


def _parts(key: str, clitic: str) -> bool:
    """Whether the end of a word is a clitic that people also write apart."""
    classes, host = lexicons.word_classes(HOSTS), key.removesuffix(clitic)
    if host in classes["host"]:
        return True
    return clitic == "nya" and len(host) > 2 and key not in classes["no clitic"]


@perturbation(
    name="figure_two",
    level="other",
    capability="robustness: reduplication with a figure",
    test_type="INV",
    family="abbreviation",
    source="this project: spelling of Indonesian chats",
    grid=False,
)
def figure_two(language: str = "id") -> Function:
    """A share of the reduplications gets a 2 for the second half: teman-teman to teman2,
    anak-anaknya to anak2nya, berjalan-jalan to berjalan2.

    Only whole halves are repeated (not bolak-balik, warna-warni), and words of evaluation
    (sentiment_words.csv) stay. `realistic_noise` makes the same mark among others; here it stands
    alone.

    Robustness: spelling, INV; the meaning stays.

    >>> figure_two()("anak-anak main sama teman-temannya", 1.0, random.Random(1))
    'anak2 main sama teman2nya'
    """

    def shorten(text: str, rate: float, rng: random.Random) -> str | None:
        sites = [
            (word.start + len(hit[1]), word.start + len(hit[1]) + len(hit[2]) + 1, "2")
            for word in words.words(text)
            if (hit := _TWICE.fullmatch(words.key(word.text))) and not _judges(hit)
        ]
        edits = units.chosen(sites, rate, rng)
        return words.spliced(text, edits) if edits else None

    return shorten


def _judges(hit: re.Match) -> bool:
    """Whether a reduplication, or what it repeats, is a word of evaluation."""
    return not {hit[0], hit[1], hit[2]}.isdisjoint(lexicons.sentiment_words())
