"""Indonesian verbs in a text: forms with me-, di-, ber- and the colloquial ng-, ny- and -in, found
by word list and by what they are made of.
"""

import re
from functools import cache
from typing import NamedTuple

from tahanuji.perturb import verb_lists
from tahanuji.perturb.verb_lists import Sentence, members

DENIALS = members("tidak tak nggak enggak gak ga ngga engga kagak kaga ndak tdk gk")
NEGATORS = DENIALS | members("ogah bukan belum belom blm blum jangan jgn")
FORMAL_MARKERS = ("sudah", "telah", "akan", "sedang", "masih")
COLLOQUIAL_MARKERS = ("udah", "bakal", "lagi", "masih")
MARKERS = {
    "sudah": "done",
    "telah": "done",
    "udah": "done",
    "akan": "coming",
    "bakal": "coming",
    "sedang": "going",
    "lagi": "going",
    "masih": "still",
}
AUXILIARIES = members(
    "akan bakal sedang lagi masih sudah telah udah dah sdh pernah sempat bisa dapat dapet boleh "
    "harus mesti wajib perlu mau ingin pengen pengin "
    "hendak mampu sanggup bakalan mulai terus selalu sering jarang kadang langsung segera tetap "
    "baru juga"
)
_GROUP = AUXILIARIES | NEGATORS
COLLOQUIAL = members(
    "nggak enggak gak ga ngga engga kagak kaga ndak gue gua gw gwe lu lo elu elo gan sis bro "
    "banget bgt bangett aja doang dong deh sih kok kayak "
    "kaya udah udh dah emang gimana gitu gini kalo ama yg tp bgt mantep pake dapet liat bikin abis "
    "cuman nih tuh loh lho yuk "
    "ayo kek nyesel nyobain ngerasa pengen pengin males mantul gokil anjir anjay wkwk"
)
_PRONOUNS = members(
    "saya aku gue gua gw kami kita kamu lo lu elo anda kalian dia ia mereka beliau orang ane ente"
)
_SUBJECTS = _PRONOUNS | {"yang", "yg"}
STATIVE = members(
    "tahu tau punya kenal ingat inget lupa suka mengerti ngerti memahami mempunyai memiliki "
    "menyukai membenci mencintai mengetahui membutuhkan "
    "memerlukan dimiliki disukai dibenci dicintai diketahui dibutuhkan diperlukan bernama "
    "berlokasi berada menyesal "
    "mengandung merasa ngerasa menjadi percaya"
)
_BARE_EXCEPT = members(
    "rasa kira pikir harap kata isi buat nama masalah guna hasil dapat dapet mulai program"
)
_NO_VERBS = members(
    "mereka merah merdeka meriah mewah megah mesra menu meja media medan mesin menit meter mental "
    "mentega mentah menteri mengapa mengenai menurut "
    "menuju menjelang memang merek melulu melainkan meski meskipun dia dini diri dinas dinding "
    "dingin dikit diskon dimana disini disana disitu "
    "diatas dibawah didalam dirumah diantara disamping disebelah dibanding beras berat berani "
    "berapa berita berkat beres bersih beruang bertiga "
    "berdua berempat bersama berbagai beberapa berikut"
)
_INFINITIVE = members(
    "untuk buat agar supaya biar dengan tanpa sambil seraya cara suka minta suruh bantu coba "
    "mencoba ikut ayo yuk mari silakan tolong harap mohon "
    "jangan usah malas males takut malu cukup oleh ketika saat"
)
_PROHIBITIONS = frozenset(("jangan", "jgn"))
_DEGREES = members("sangat paling terlalu lebih amat cukup agak kurang")
_ENDINGS = re.compile(r"(?:nya|lah|kah|pun|ku|mu)\Z")
_PREFIXED = ("me", "ng", "ny", "ber", "ter")


class Pair(NamedTuple):
    """A row of data/lexicons/verbs_id.csv: a verb's active and passive form (empty: none) of one
    register, neutral or colloquial.
    """

    base: str
    active: str
    passive: str
    register: str


@cache
def pairs() -> list[Pair]:
    """The verbs of data/lexicons/verbs_id.csv."""
    rows = verb_lists.table(
        verb_lists.FOLDER / "verbs_id.csv",
        Pair._fields,
        optional=("passive",),
        register=("neutral", "colloquial"),
    )
    return [Pair(*row) for row in rows]


class Verb(NamedTuple):
    """A verb in a text: its place among the words, its group's first place (negators and
    auxiliaries before it belong to the group).
    """

    at: int
    first: int
    bare: bool


@cache
def forms() -> dict[str, bool]:
    """Every form that is a verb; True where only its neighbours can tell (bare forms: makan, beli,
    kunjungi).
    """
    result = {
        pair.passive[2:]: True
        for pair in pairs()
        if pair.passive and pair.passive[2:] not in _BARE_EXCEPT
    }
    for pair in pairs():
        result[pair.active] = (
            not pair.passive and pair.active == pair.base and not pair.active.startswith(_PREFIXED)
        )
        if pair.passive == f"di{pair.base}":
            result |= dict.fromkeys(
                [f"{form}{ending}" for form in pair[1:3] for ending in ("kan", "i")]
                + [f"{pair.passive}in"],
                False,
            )
            result[f"ber{pair.base}"] = False
        if pair.passive:
            result[pair.passive] = False
    return {form: bare for form, bare in result.items() if form not in _NO_VERBS}


@cache
def voices() -> dict[str, list[tuple[str, str]]]:
    """Active to passive forms and back, each with the register of its pair."""
    result: dict[str, list[tuple[str, str]]] = {}
    for pair in pairs():
        if pair.passive:
            result.setdefault(pair.active, []).append((pair.passive, pair.register))
            result.setdefault(pair.passive, []).append((pair.active, pair.register))
    return result


def stem(key: str, known: dict) -> str:
    """The part of a word that a table has: the word, or the word without nya, ku, mu, lah, kah or
    pun; empty where it has neither.
    """
    if key in known:
        return key
    shorter = _ENDINGS.sub("", key)
    return shorter if shorter in known else ""


def colloquial(sentence: Sentence) -> bool:
    """Whether a text has words that formal Indonesian does not (nggak, gue, banget)."""
    return not COLLOQUIAL.isdisjoint(sentence.keys)


def read(sentence: Sentence) -> list[Verb]:
    """The verbs of a text: marked forms wherever they stand, bare forms only after a pronoun, an
    auxiliary or yang.
    """
    found = []
    for at, key in enumerate(sentence.keys):
        form = stem(key, forms())
        if not form:
            continue
        first = at
        while sentence.before(first) in _GROUP:
            first -= 1
        if not forms()[form] or first < at or sentence.before(at) in _SUBJECTS:
            found.append(Verb(at, first, forms()[form]))
    return found


def governed(sentence: Sentence, verb: Verb) -> bool:
    """Whether nothing can come before the verb: after another verb, sangat, untuk and the like, or
    an auxiliary and its pronoun.
    """
    before = sentence.before(verb.first)
    if before in _PRONOUNS and sentence.before(verb.first - 1) in _GROUP:
        return True
    return (
        before in _DEGREES
        or before in _INFINITIVE
        or (bool(before) and forms().get(before) is False)
    )


def forbids(sentence: Sentence, verb: Verb) -> bool:
    """Whether the verb's group begins with or holds a prohibition (jangan)."""
    return not _PROHIBITIONS.isdisjoint(sentence.keys[verb.first : verb.at])


def aspects(sentence: Sentence, verb: Verb) -> tuple[int, list[str]]:
    """Where an aspect marker is exchanged (the place of the old one) or set (the place of the
    verb), and which ones fit there.
    """
    casual = colloquial(sentence)
    group = sentence.keys[verb.first : verb.at]
    old = group[-1] if group and group[-1] in MARKERS else ""
    rest = group[:-1] if old else group
    fitting = [
        marker
        for marker in (COLLOQUIAL_MARKERS if casual else FORMAL_MARKERS)
        if MARKERS[marker] != MARKERS.get(old)
    ]
    if rest and not set(rest) <= DENIALS:
        return verb.at, []
    if old == "lagi" and (rest or sentence.before(verb.at - 1) not in _SUBJECTS):
        return verb.at, []
    if not old and governed(sentence, verb):
        return verb.at, []
    if rest:
        fitting = [marker for marker in fitting if marker in ("akan", "bakal", "sedang")]
    if sentence.keys[verb.at] in STATIVE:
        fitting = [marker for marker in fitting if MARKERS[marker] != "going"]
    return (verb.at - 1 if old else verb.at), fitting


def voiced(sentence: Sentence, verb: Verb) -> list[str]:
    """The forms of the other voice of a verb, of the text's register where there are any; empty
    where the list has none.
    """
    key = sentence.keys[verb.at]
    form = stem(key, voices())
    wanted = "colloquial" if colloquial(sentence) else "neutral"
    known = voices().get(form, [])
    fitting = [other for other, register in known if register == wanted] or [
        other for other, _ in known
    ]
    return [other + key[len(form) :] for other in fitting]
