"""What people add to a text without saying more: laughter, hashtags, emoji, repeated marks."""

import random
import re

from tahanuji import lexicons, words
from tahanuji.errors import unknown
from tahanuji.perturb import phrases, tone, units
from tahanuji.perturb.registry import Function, perturbation

LIST = lexicons.LEXICONS / "additions_id.csv"
LAST = 0.8  # of the laughs stand at the end of a text, the others at the end of another sentence
IN_TEXT = 0.7  # of the hashtags, where the text has a word for one
MOST = {"!": 4, "?": 3}  # marks in a row
UNFIT = {"loud": "positive", "soft": "negative"}  # words with which a laugh does not go
DIRECTIONS = ("add", "remove")
_LAUGHTER = re.compile(
    r"\b(?:(?:wk){2,}w?k?|(?:ha|he|hi){2,}h?|(?:xi){2,}|lol|lmao|ngakak)\b", re.I
)
_END = re.compile(r" ?\.(?=\s|\Z)|(?P<shout> ?!+)(?=\s|\Z)|(?=\s*\Z)")
_ASKS = re.compile(r" ?[?!.]")
_MARK = re.compile(r"(?<![!?(])(?<![!?] )[!?](?![^\s\"')])(?!\s*[!?])")
_PROTECTED = re.compile("|".join(words.NO_WORDS))


def _listed(name: str) -> dict[str, str]:
    """The members of a class of additions_id.csv with their values."""
    return lexicons.word_classes(LIST)[name]


@perturbation(
    name="laughter",
    level="other",
    capability="robustness: laughter",
    test_type="INV",
    family="small additions",
    source="this project: written laughter of Indonesian chats",
    grid=False,
)
def laughter(language: str = "id") -> Function:
    """The text with a written laugh (wkwk, haha, hehe) at the end of a sentence, mostly the last.

    It stands before a full stop and behind an exclamation mark, not behind a question. Texts with a
    word of praise take no wkwk, which could mock, those with one of blame no hehe. Texts that are
    not written as one talks to friends (`tone.casual`), grave ones (`tone.sober`) and those that
    laugh already stay. One site: every rate above 0 adds one laugh.

    Robustness: additions, INV. A laugh lightens what is said, and may turn praise into irony where
    a reader looks for it; whether the label stays is for raters to say.

    >>> laughter()("kirain jauh , ternyata cuma lima menit .", 1.0, random.Random(3))
    'kirain jauh , ternyata cuma lima menit wkwkwk .'
    """

    def laugh(text: str, rate: float, rng: random.Random) -> str | None:
        if not units.count(1, rate) or _LAUGHTER.search(text):
            return None
        ends = _ends(text)
        if not ends or not tone.casual(text) or tone.sober(text):
            return None
        place = ends[-1] if len(ends) == 1 or rng.random() < LAST else rng.choice(ends[:-1])
        drawn = rng.choice([one for one, kind in _listed("laughter").items() if _fits(kind, text)])
        return words.spliced(
            text, [(place, place, " " + (drawn.upper() if text.isupper() else drawn))]
        )

    return laugh


def _fits(kind: str, text: str) -> bool:
    """Whether a laugh suits a text: a loud one none that praises, a soft one none that blames."""
    keys, judging = (words.key(word.text) for word in words.words(text)), lexicons.sentiment_words()
    return kind not in UNFIT or UNFIT[kind] not in map(judging.get, keys)


def _ends(text: str) -> list[int]:
    """Where a laugh can stand: at the end of sentences of three words or more."""
    ends, first = [], 0
    for at, word in enumerate(words.words(text)):
        hit = _END.match(text, word.end)
        if hit and at - first >= 2 and len(word.text) > 2:
            ends.append(hit.end() if hit["shout"] else word.end)
        if hit or _ASKS.match(text, word.end):
            first = at + 1
    return ends


@perturbation(
    name="hashtags",
    level="other",
    capability="robustness: hashtags",
    test_type="INV",
    family="small additions",
    source="this project: hashtags of Indonesian social media",
    grid=False,
)
def hashtags(language: str = "id") -> Function:
    """The text with a hashtag: a topic or place in it becomes one (bandung to #bandung, nasi goreng
    to #nasigoreng), or one that says nothing comes behind it (#fyp, #hariini).

    Words are those of the class `hashtag` of additions_id.csv, none of which judges; parts of names
    and dishes (nasi padang, bandung barat) and words before a clitic stay. Where a text has such a
    word, either kind is drawn; grave texts (`tone.sober`) get no hashtag that asks for attention.
    One site: every rate above 0 makes one.

    Robustness: additions, INV; the meaning stays.

    >>> hashtags()("di bandung macet parah", 1.0, random.Random(1))
    'di #bandung macet parah'
    """
    topics = _listed("hashtag")
    longest = phrases.lengths(topics)

    def tag(text: str, rate: float, rng: random.Random) -> str | None:
        if not units.count(1, rate) or not words.words(text):
            return None
        sites = [word for word, _ in phrases.find(text, topics, longest, _alone)]
        if sites and (rng.random() < IN_TEXT or tone.sober(text)):
            word = rng.choice(sites)
            return words.replace(text, {word: "#" + word.text.replace(" ", "").replace("-", "")})
        if tone.sober(text):
            return None
        return _behind(text, rng.choice(list(_listed("general hashtag"))))

    return tag


def _alone(match: phrases.Match, _: str) -> bool:
    """Whether a topic is no part of a name, a dish or a word with its clitic."""
    before, after = _listed("not before a hashtag"), _listed("not after a hashtag")
    return match.before() not in before and match.after() not in after


def _behind(text: str, addition: str) -> str:
    """A text with something behind it, before the white space at its end."""
    body = text.rstrip()
    return f"{body} {addition}{text[len(body) :]}"


@perturbation(
    name="emoji",
    level="other",
    capability="robustness: emoji without feeling",
    test_type="INV",
    family="small additions",
    source="this project: emoji of Indonesian social media",
    grid=False,
)
def emoji(language: str = "id", direction: str = "add") -> Function:
    """The text with an emoji behind it that shows no feeling (`add`), or without a share of such
    emoji (`remove`).

    The emoji shows something that the text names (kopi: a cup; class `emoji` of additions_id.csv),
    else a pin, a note and the like (class `general emoji`). Emoji of feeling, faces, hearts and
    hands among them, are neither added nor removed: they can carry the label. `remove` knows some
    more that show things alone (class `further emoji`). One site for `add`:
    every rate above 0 adds one. The embedded corpus and SmSA hold no emoji, so that `remove` is
    unrated.

    Robustness: additions, INV; the meaning stays.

    >>> emoji()("kopinya datang setelah sejam , hp sampai lowbat", 1.0, random.Random(1))
    'kopinya datang setelah sejam , hp sampai lowbat 📱'
    >>> emoji(direction="remove")("stasiun pindah 📍 ke utara 😀", 1.0, random.Random(1))
    'stasiun pindah ke utara 😀'
    """
    if direction not in DIRECTIONS:
        raise unknown("direction", direction, DIRECTIONS)
    topics, general = _listed("emoji"), list(_listed("general emoji"))
    longest = phrases.lengths(topics)
    shown = sorted({*topics.values(), *general, *_listed("further emoji")}, reverse=True)
    known = re.compile("|".join(rf" {one}(?=\s|\Z)|{one}" for one in map(re.escape, shown)))

    def add(text: str, rate: float, rng: random.Random) -> str | None:
        if not units.count(1, rate) or not words.words(text):
            return None
        named = [picture for _, picture in phrases.find(text, topics, longest)]
        return _behind(text, rng.choice(named or general))

    def remove(text: str, rate: float, rng: random.Random) -> str | None:
        sites = [hit.span() for hit in known.finditer(text)]
        edits = [(start, stop, "") for start, stop in units.chosen(sites, rate, rng)]
        left = words.spliced(text, edits)
        return left if edits and left.strip() else None

    return add if direction == "add" else remove


@perturbation(
    name="tone_marks",
    level="other",
    capability="robustness: repeated marks",
    test_type="INV",
    family="small additions",
    source="this project: marks of Indonesian chats",
    grid=False,
)
def tone_marks(language: str = "id") -> Function:
    """A share of the single exclamation and question marks is repeated: ! to !!, !!! or !!!!, ? to
    ?? or ???.

    No mark comes where none stands, so that no statement becomes a shout or a question. Marks that
    are repeated already, that stand in brackets (?) or inside links stay.

    Robustness: punctuation, INV; the meaning stays, and what is said becomes more insistent.

    >>> tone_marks()("kok lama banget ? buruan !", 1.0, random.Random(1))
    'kok lama banget ??? buruan !!'
    """

    def repeat(text: str, rate: float, rng: random.Random) -> str | None:
        inside = [token.span() for token in _PROTECTED.finditer(text)] if words.marked(text) else []
        sites = [
            hit.start()
            for hit in _MARK.finditer(text)
            if not any(start <= hit.start() < stop for start, stop in inside)
        ]
        edits = [
            (at, at + 1, text[at] * rng.randint(2, MOST[text[at]]))
            for at in units.chosen(sites, rate, rng)
        ]
        return words.spliced(text, edits) if edits else None

    return repeat
