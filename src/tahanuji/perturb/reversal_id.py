"""Indonesian clauses turned into their opposite: a negator taken away, or one set before the word
that judges.
"""

import re
from functools import cache

from tahanuji import words
from tahanuji.perturb import verb_lists
from tahanuji.perturb.verb_lists import Sentence, members
from tahanuji.perturb.verbs_id import COLLOQUIAL, DENIALS

Edit = tuple[int, int, str]

_YET = {"belum": "sudah", "belom": "udah", "blm": "udah", "blum": "udah"}
_ALREADY = {"sudah": "belum", "udah": "belum", "udh": "belum", "dah": "belum"}
_CONJUNCTIONS = members(
    "dan tapi tetapi namun tp karena krn sebab soalnya jadi sehingga sampai sedangkan padahal "
    "walau walaupun meski meskipun serta lalu malah "
    "melainkan kalau kalo jika bila apalagi"
)
_IDIOMS = {
    "tidak": members(
        "hanya cuma cuman sekadar sekedar saja apa apa-apa masalah lain bukan sabar heran sengaja "
        "jarang tanggung-tanggung terasa ayal pelak "
        "terkecuali lupa lagi-lagi main-main juga ya yah sih kan lah deh dong kok nya usah"
    ),
    "bukan": members(
        "hanya cuma cuman sekadar sekedar saja main kepalang buatan nya ya kan sih lagi"
    ),
    "belum": members("lagi apa-apa ya sih kan"),
    "jangan": members(
        "sampai sampe lupa khawatir kuatir ragu takut heran harap tanya salah bilang lewatkan malu "
        "sedih kapok ya dong menyerah nya"
    ),
}
_FEELINGS = members(
    "suka demen doyan cinta benci sebel sebal kesal kesel senang seneng males malas takut salut "
    "respek kagum gemas gemes"
)
_NOTHING = members("dua duanya salahnya habisnya matinya apa-apanya hentinya")
_STRENGTHS = members("sangat amat sungguh agak lumayan cukup sgt")
_SCOPED = members(
    "jauh terlalu lebih begitu selalu bisa dapat akan pernah mau semakin makin sepenuhnya mudah "
    "mungkin sebegitu segitu"
)
_JUDGED = members(
    "favorit favorite fav favoritku kesukaan kesukaanku kesayangan kesayanganku andalan idaman "
    "juara jagoan jagoanku idola idolaku panutan "
    "unggulan masterpiece legend sampah penipu pembohong penipuan pembohongan pembodohan "
    "pencitraan scam scammer hoaks hoax pengkhianat "
    "penghianat pengecut pecundang koruptor maling jebakan rongsokan"
)
_STATES = members(
    "keasinan kemanisan kemahalan kepanasan ketagihan kelelahan kewalahan keterlaluan kesepian "
    "kelabakan kedodoran kepedesan kecolongan kecapekan "
    "kecapean kelewatan kepedean keteteran kerepotan"
)
_LEFT_OUT = members(
    "akrab anjing antek antek-antek antipati antusiasme apresiasi arogansi amarah aniaya asu bacot "
    "bajingan bangke bangsat barokah bentak bentak- "
    "bentak bravo bualan buzzerrp caci cacian cebong cecunguk cela celaan cemooh cemoohan cerca "
    "cercaan cibiran congrats congratulations cuan "
    "daebak dambaan dendam derita diskriminasi duka durjana dusta ejek ejekan emosi fitnah gg "
    "goodjob hadeh hadeuh hancurkan hasut hasutan hiks "
    "hina hinaan hore huft hufft hujat hujatan intimidasi jahanam jancok jancuk jempol jiplakan "
    "kampret kontol korupsi kriminalisasi kunyuk kutuk "
    "kutukan laknat ledekan love luv maki maki-maki makian malapetaka mampus manipulasi masyaallah "
    "moodbooster mudarat najis nestapa ngentot "
    "nista nyinyiran olok-olok onar optimisme paksaan pelemahan pemaksaan pemalsuan pemborosan "
    "pembual pemerasan penderitaan pendusta penghinaan "
    "pengkhianatan penindasan penistaan penjahat penjilat penyesalan penyiksaan perusak perusuh "
    "pesona pret provokator pujian pukimak respect "
    "respek sanjungan semangat semprul senyuman shit sialan siip siksaan sip sipp sippp slay "
    "subhanallah sukacita syukur tai taik tangisan "
    "teladan tipu tipu-tipu totalitas trauma umpatan untung welcome wibawa wow woww wtf yay yeay "
    "yuhuu alhamdulilah alhamdulillah sesal sesalkan "
    "kecewakan integritas oye"
)
_NO_SUPERLATIVES = members(
    "tersenyum terhormat terpesona terkutuk terganggu terlambat tertipu terhina tercinta tercela "
    "terkagum"
)


@cache
def predicates() -> dict[str, str]:
    """Every word of data/lexicons/sentiment_words.csv that a clause can turn on, with what denies
    it: tidak, bukan, or bukan yang (terbaik).
    """
    header = ("word", "polarity", "register", "note")
    rows = verb_lists.table(verb_lists.FOLDER / "sentiment_words.csv", header, optional=("note",))
    listed = {row[0] for row in rows}
    nouns = re.compile(r"ke\w+an|\w+nya|\w+isasi")
    clauses = {
        word
        for word in listed
        if word in _STATES
        or not (nouns.fullmatch(word) or (word.endswith("lah") and word[:-3] in listed))
    }
    result = dict.fromkeys(sorted(clauses - _LEFT_OUT), "tidak")
    best = [
        word
        for word in result
        if word.startswith("ter") and word[3:] in listed and word not in _NO_SUPERLATIVES
    ]
    return result | dict.fromkeys(best, "bukan yang") | dict.fromkeys(sorted(_JUDGED), "bukan")


def sites(sentence: Sentence) -> list[list[Edit]]:
    """For every clause that can be turned the changes that do it: one negator less, or one more."""
    found, free, added = [], 0, False
    done, asked = False, questions(sentence)
    own = next(
        (key for key in sentence.keys if key in DENIALS),
        "tidak" if COLLOQUIAL.isdisjoint(sentence.keys) else "nggak",
    )
    for at, key in enumerate(sentence.keys):
        if (
            sentence.starts[at]
            or key in _CONJUNCTIONS
            or (added and sentence.before(at).endswith("nya"))
        ):
            done = added = False
        if done or at < free or asked[at]:
            continue
        free = at + _idiom(sentence, at, key)
        less = _less(sentence, at, key) if free == at else []
        more = _more(sentence, at, key, own) if free == at and not less else []
        done, added = bool(less or more), bool(more)
        found += [less or more] if done else []
    return found


def questions(sentence: Sentence) -> list[bool]:
    """For every word whether its sentence ends in a question mark."""
    result, asked, end = [], False, len(sentence.text)
    for word in reversed(sentence.words):
        gap, end = sentence.text[word.end : end], word.start
        asked = "?" in gap or (asked and not any(mark in gap for mark in ".!"))
        result.append(asked)
    return result[::-1]


def _idiom(sentence: Sentence, at: int, key: str) -> int:
    """How many words from here on belong to an expression in which a negator does not deny or
    cannot go; 0 for none.
    """
    kind = (
        "tidak" if key in DENIALS else "belum" if key in _YET else "jangan" if key == "jgn" else key
    )
    if kind in ("tanpa", "anti"):
        return 2
    if kind not in _IDIOMS:
        return 0
    following, after = sentence.following(at), sentence.following(at + 1)
    same = following != "" and following == sentence.before(at)
    nothing = following == "ada" and after in _NOTHING
    corrected = kind == "bukan" and "melainkan" in sentence.keys[at + 1 : at + 12]
    return (
        3
        if nothing
        else 2
        if same or corrected or following in _IDIOMS[kind]
        else 1
        if following == ""
        else 0
    )


def _less(sentence: Sentence, at: int, key: str) -> list[Edit]:
    """The clause without the negator that stands here."""
    word, following = sentence.words[at], sentence.following(at)
    if key in _YET:
        return [(word.start, word.end, words.cased(word.text, _YET[key]))]
    if (
        key in DENIALS
        or key in ("bukan", "jangan", "jgn")
        or (key == "kurang" and following in predicates())
    ):
        return drop(
            sentence,
            at,
            at
            + (
                following in ("lagi", "pernah")
                and key != "kurang"
                and sentence.following(at + 1) != ""
            ),
        )
    return []


def drop(sentence: Sentence, first: int, last: int) -> list[Edit]:
    """The changes that take words away, with the blanks after them; a capital first letter goes on
    to what follows.

    What stands between the words and is none (a mention, a figure) stays, and no capital goes past
    it.
    """
    text, edits, initial = sentence.text, [], ""
    for word in sentence.words[first : last + 1]:
        end = word.end
        while text[end : end + 1].isspace():
            end += 1
        if edits and edits[-1][1] == word.start:
            edits[-1] = (edits[-1][0], end, "")
        else:
            initial = word.text
            edits.append((word.start, end, ""))
    start, end, _ = edits[-1]
    if (
        initial[:1].isupper()
        and not (initial.isupper() and len(initial) > 1)
        and text[end : end + 1].islower()
    ):
        edits[-1] = (start, end + 1, text[end].upper())
    return edits


def _more(sentence: Sentence, at: int, key: str, own: str) -> list[Edit]:
    """The clause with a negator before the judging word that stands here."""
    following, before = sentence.following(at), sentence.before(at)
    denial = predicates().get(key, "tidak" if key == "luar" and following == "biasa" else "")
    if (
        not denial
        or following == "hati"
        or following in DENIALS
        or (key in _STRENGTHS and following in predicates())
    ):
        return []
    if denial == "tidak" and before in (
        _ALREADY.keys() | _STRENGTHS | ({"paling"} if key in _FEELINGS else set())
    ):
        word = sentence.words[at - 1]
        return [(word.start, word.end, words.cased(word.text, _ALREADY.get(before, own)))]
    place = at
    if before == "paling":
        denial, place = "bukan yang", at - 1
    if denial == "bukan yang" and sentence.before(place) in ("yang", "yg"):
        denial, place = "bukan", place - 1
    while denial == "tidak" and sentence.before(place) in _SCOPED:
        place -= 1
    word = sentence.words[place]
    return [
        (
            word.start,
            word.end,
            verb_lists.put_before(word, own if denial == "tidak" else denial, place == 0),
        )
    ]
