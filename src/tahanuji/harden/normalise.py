"""Indonesian texts as an editor would spell them: slang, abbreviations, negations, laughter,
lengthening, figures for letters or for reduplication, and slips of the finger.

Each token between spaces is normalised once and remembered, so that texts cost a look-up a token.
"""

import functools
import re
from collections.abc import Iterable

from tahanuji import lexicons, words
from tahanuji.harden import halves, vocabulary
from tahanuji.harden.speller import LONGEST, Speller

__all__ = ["Normaliser", "normalise"]

MOST = 500_000  # tokens that are remembered at a time
RAREST = 0.0  # logarithm of the uses in a million words from which a word is a correction
SURE = 3.5  # the same from which a word is taken for one that stands in disguise (b4gus)
LAUGHTER = re.compile(
    "(?P<wkwk>(?:w+k+){2,}w*|(?:k+w+){2,}k*|a?w[oak]*(?:w[oak]*k){1,}[wok]*)|"
    + "|".join(rf"(?P<h{v}h{v}>[{v}h]?(?:h+{v}+){{2,}}h*|{v}?(?:h{v}){{2,}}[h{v}]*)" for v in "aei")
)
RUN = re.compile(r"(.)\1{2,}")
PAIR = re.compile(r"(.)\1+")
ENDS = {"nya", "lah", "kah", "pun", "ku", "mu", "an", "kan", "i"}
PREFIXES = {"di", "se", "ke", "ber", "ter", "me", "nge", "ng", "ku"}
BEFORE_PAIRS = ("ber", "se", "ter", "me", "di")
STEM = 4  # letters of what a prefix or clitic stands by
DISGUISE = str.maketrans("01345789", "oieastbg")
ROMAN = re.compile(r"[ivxlcdm]+")
TITLES = ("dr", "st", "mr", "sm")
MIXED = re.compile(r"(?<![\w.,-])(?=\w*[a-zA-Z])(?=\w*\d)[a-zA-Z0-9]+(?![\w-]|[.,]\w)")
TWICE = re.compile(r"([a-z]{3,})2(nya|an|in|ku|mu)?")
LAST = re.compile(r"[a-z]{5,}\d")
NUMBERED = re.compile(r"\d+[a-z]*|[a-z]*\d+")


class Normaliser(dict):
    """What every token becomes, worked out when it is first asked for.

    Parameters
    ----------
    half : str, optional
        The half of the lexicons that is used, of `halves.HALVES`; both where none is named.
    dictionaries : tuple of str
        Downloaded dictionaries of data/registry.yaml that are used as well.

    Examples
    --------
    >>> Normaliser()["bgttt,"]
    'banget,'
    """

    def __init__(self, half: str | None = None, dictionaries: tuple[str, ...] = ()):
        super().__init__()
        self.informal = vocabulary.informal(half, dictionaries)
        self.untouched = vocabulary.untouched(half)
        self.often, self.speller = vocabulary.frequencies(), speller()

    def __missing__(self, token: str) -> str:
        if len(self) >= MOST:
            self.clear()
        self[token] = token if token.isdigit() or not token else self._token(token)
        return self[token]

    def text(self, text: str) -> str:
        """A text with its words normalised.

        Parameters
        ----------
        text : str

        Returns
        -------
        str
            All between the words stays as it is.
        """
        if text.isupper() and not words.marked(text):
            return self.text(text.lower()).upper()
        tokens = text.split(" ")
        done = list(map(self.__getitem__, tokens))
        if begins(tokens[0]) and done[0] == tokens[0]:
            done[0] = words.cased(tokens[0], self[tokens[0].lower()])
        return " ".join(done)

    def _token(self, token: str) -> str:
        """What stands between two spaces, with its words normalised and all else as it is."""
        if token.isascii() and token.isalpha() and not words.marked(token):
            return self._cased(token)  # one word, as most tokens are
        if "/" in token and any(map(str.isdigit, token)):
            return token  # a number of a law, a date
        edits = [(word.start, word.end, self._cased(word.text)) for word in words.words(token)]
        if not words.marked(token):
            edits += [(*hit.span(), self._figured(hit[0])) for hit in MIXED.finditer(token)]
        taken = {start: (start, end, new) for start, end, new in reversed(edits)}
        return words.spliced(token, [taken[start] for start in sorted(taken)])

    def _cased(self, word: str) -> str:
        key = words.key(word)
        if (word.isupper() and self._initials(key)) or (word.istitle() and key in TITLES):
            return word
        new = self.word(key, name=not word.islower())
        return word if new == key else words.cased(word, new)

    def _initials(self, key: str) -> bool:
        """Whether a word in capitals is short enough for initials and denies nothing."""
        denies = self.informal.get(key) == "tidak"
        doubtful = lexicons.members("id", "no negator in capitals")
        return len(key) < STEM and not (denies and key not in doubtful)

    def word(self, key: str, name: bool = False) -> str:
        """What a lower-case word stands for; of what may be a name the spelling is not corrected.

        Parameters
        ----------
        key : str
            As `words.key` gives it.
        name : bool
            Whether it begins with a capital.

        Returns
        -------
        str
        """
        if len(key) < 2:
            return key
        if new := self.informal.get(key):
            return new
        if key.endswith("nya") and " " not in (stem := self.informal.get(key[:-3], " ")):
            return f"{stem}nya"
        if key.endswith("2"):
            return self._twice(key)
        if "-" in key:
            return self._hyphenated(key, name)
        if laughter := LAUGHTER.fullmatch(key):
            return laughter.lastgroup
        if RUN.search(key) and not (name and ROMAN.fullmatch(key)):
            return self._shortened(key, name)
        if key in self.untouched or not key.isalpha() or (name and len(key) <= STEM):
            return key
        return self._spelt(key, name)

    def _spelt(self, key: str, name: bool) -> str:
        """A word with its slips mended, and what it stands for then."""
        known = key in self.often
        new = self.speller.correct(key, None if known else self._stem(key), name)
        if new == key and not known and not name:
            new = self._inflected(key)
        return self.informal.get(new, new)

    def _stem(self, key: str) -> float | None:
        """The frequency of the most frequent known word of which a word is built."""
        stems = [key[:-size] for size in (1, 2, 3) if key[-size:] in ENDS]
        stems += [key[size:] for size in (2, 3) if key[:size] in PREFIXES]
        known = [self.often[stem] for stem in stems if len(stem) >= STEM and stem in self.often]
        return max(known, default=None)

    def _inflected(self, key: str) -> str:
        """A word with *nya* whose stem is mended."""
        stem = key.removesuffix("nya")
        if stem == key or len(stem) < STEM or stem in self.informal:
            return key
        return f"{self.speller.correct(stem)}nya"

    def _twice(self, key: str) -> str:
        """A reduplication that is written with a figure, in full."""
        hit = TWICE.fullmatch(key)
        if not hit:
            return key
        stem, end = self.word(hit[1]), hit[2] or ""
        starts = [begin for begin in BEFORE_PAIRS if stem.startswith(begin)]
        forms = [f"{stem}-{stem.removeprefix(begin)}" for begin in starts]
        whole = max(forms, key=vocabulary.frequency, default="")
        if whole not in self.often:
            whole = f"{stem}-{stem}"
        return whole + end if self._sure(stem) and " " not in stem else key

    def _sure(self, word: str) -> bool:
        return self.often.get(word, RAREST - 1) >= RAREST

    def _hyphenated(self, key: str, name: bool) -> str:
        """A word with hyphens, its parts normalised where it is not known as a whole."""
        if key in self.often:
            return key
        return "-".join(self.word(part, name) for part in key.split("-"))

    def _shortened(self, key: str, name: bool) -> str:
        """A word without its lengthening: a letter three times and more becomes two or one,
        whichever makes the more frequent word, and one where neither does.
        """
        two, one = RUN.sub(r"\1\1", key), RUN.sub(r"\1", key)
        forms = dict.fromkeys((two, one, PAIR.sub(r"\1", key)))
        known = {form: self.often.get(self.informal.get(form, form).split()[0]) for form in forms}
        known = {form: often for form, often in known.items() if often is not None}
        return self.word(max(known, key=known.get) if known else one, name)

    def _figured(self, token: str) -> str:
        """Letters mixed with figures: a reduplication (teman2nya), or letters in disguise (b4gus)
        or hit beside their key.
        """
        key = token.lower()
        if TWICE.fullmatch(key):
            return _like(token, self._twice(key))
        if (
            (NUMBERED.fullmatch(key) and not LAST.fullmatch(key))
            or "2" in key
            or "6" in key
            or len(key) > LONGEST
        ):
            return token
        bare = key.translate(DISGUISE)
        for form in (bare, key.replace("1", "l").translate(DISGUISE)):
            new = self.informal.get(form, form)
            if vocabulary.frequency(new) >= SURE:
                return _like(token, new)
        new = key if LAST.fullmatch(key) else self.speller.correct(key)
        return token if new == key else _like(token, self.informal.get(new, new))


def begins(token: str) -> bool:
    """Whether a token at the start of a text may have its capital from there.

    >>> begins("Gak"), begins("Dr."), begins("gak")
    (True, False, False)
    """
    return token[:1].isupper() and token.strip(".,").lower() not in TITLES


def _like(token: str, new: str) -> str:
    """A word in the case of the letters of a token."""
    return words.cased(re.sub(r"\d", "", token), new)


@functools.cache
def speller() -> Speller:
    """The speller of all known words."""
    return Speller(vocabulary.frequencies(), vocabulary.edited(), RAREST)


@functools.cache
def normaliser(half: str | None = None, dictionaries: tuple[str, ...] = ()) -> Normaliser:
    """The normaliser of a half of the lexicons, or of both; made once.

    >>> normaliser() is normaliser()
    True
    """
    halves.check(half)
    return Normaliser(half, dictionaries)


def normalise(text: str, half: str | None = None, dictionaries: str | Iterable[str] = ()) -> str:
    """A text with informal Indonesian spelling made standard, in front of any classifier.

    Parameters
    ----------
    text : str
        Indonesian, of any register.
    half : str, optional
        `hardening` or `tests`: that half of the lexicons alone (`harden.halves`); None: both.
    dictionaries : str or iterable of str
        Dictionaries of informal spellings that are used as well, by their names in
        data/registry.yaml: `kamus_alay`, `indo_collex`, `hate_speech`. They are downloaded, and
        are under their own licences; without them all machines agree.

    Returns
    -------
    str
        Abbreviations, slang, negations, laughter, lengthened words, reduplications with a figure
        and misspellings in standard words, the case kept. Names, mentions, hashtags, links, words
        of other languages that the lexicons have, and all between words stay as they are.

    Raises
    ------
    InputError
        For an unknown half or dictionary, and for a dictionary that cannot be had.

    References
    ----------
    Kernighan, Church and Gale (1990), A spelling correction program based on a noisy channel model.

    Examples
    --------
    >>> normalise("Gk enak bgttt, mkanan2nya bgus tp mahal @budi #promo")
    'Tidak enak banget, makanan-makanannya bagus tapi mahal @budi #promo'
    """
    if not dictionaries:
        return normaliser(half).text(text)
    names = [dictionaries] if isinstance(dictionaries, str) else dictionaries
    return normaliser(half, tuple(names)).text(text)
