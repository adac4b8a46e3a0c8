"""The certificates of a classifier on many texts, a row each, and the shares that they make up."""

import numpy as np
import pandas as pd

from tahanuji import behaviour, data, lexicons, measure, predict
from tahanuji.measure.shares import NONE
from tahanuji.proof import exhaustive, pairs, smoothed
from tahanuji.proof.edits import WITHIN, hit

TWO = ", two edits"  # behind the name of a kind
RADII = {"one": 1, "two": 2, "three": 3}
COUNTS = ["edits", "distinct", "asked"]  # whole ones, absent of words left out


def rows(classifier, frame: pd.DataFrame, kinds: list[str], draws: smoothed.Draws) -> pd.DataFrame:
    """A row per text and certificate.

    Parameters
    ----------
    classifier
        With `labels` and `predict_proba`; one that answers the same to the same text.
    frame : DataFrame
        As `data.load` gives it, of single texts.
    kinds : list of str
        Of `edits.KINDS`.
    draws : smoothed.Draws

    Returns
    -------
    DataFrame
        The rows of `single` and `double` for every kind, and those of `smoothed.rows`.

    Raises
    ------
    InputError
        For an unknown kind, and for a rate or number of samples that cannot be.
    """
    parts = [smoothed.rows(classifier, frame, draws)]
    for kind in kinds:
        parts.append(one := single(classifier, frame, kind))
        if kind in WITHIN:
            parts.append(double(classifier, one, kind))
    together = pd.concat([*parts[1:], parts[0]], ignore_index=True)
    together = together.astype(dict.fromkeys(COUNTS, "Int64"))
    together.attrs["source"] = frame.attrs["source"]
    return together


def single(classifier, frame: pd.DataFrame, kind: str) -> pd.DataFrame:
    """A row per text: whether its label is right, and of right ones what `exhaustive.prove` finds.

    `id, test, rate, gold, label, right`, the fields of Proof (`perturbed` is the text of the
    weakest edit), `moved` (right, and not proved), `place` (the number of the word in which the
    weakest edit lies, -1 where there is none) and `fragile` (that word, where it is a sentiment
    word or a negator).
    Texts with a wrong label are not searched, and not proved.
    """
    texts = data.inputs(frame)
    labels = predict.named(classifier.predict_proba(texts), classifier.labels)
    right = labels == frame["label"].to_numpy()
    unsearched = exhaustive.Proof(0, 0, 0, False, float("nan"), "")
    found = [
        exhaustive.prove(classifier, text, kind) if good else unsearched
        for text, good in zip(texts, right, strict=True)
    ]
    facts = {"id": list(frame["id"]), "test": kind, "rate": np.nan, "gold": list(frame["label"])}
    table = pd.DataFrame(facts).assign(label=labels, right=right).join(pd.DataFrame(found))
    table = table.rename(columns={"edited": "perturbed"}).assign(text=texts)
    table["moved"] = table["right"] & ~table["proved"]
    table["place"] = [weak_place(*pair) for pair in zip(texts, table["perturbed"], strict=True)]
    named = zip(texts, table["place"], strict=True)
    return table.assign(fragile=[listed(text, place) for text, place in named])


def weak_place(text: str, edited: str) -> int:
    """The number of the word in which a text was edited; -1 where it was not.

    >>> weak_place("kopi enak", "kopi enk"), weak_place("kopi enak", "")
    (1, -1)
    """
    return hit(text, edited) if edited not in ("", text) else -1


def listed(text: str, place: int) -> str:
    """The word at a place, where it is a sentiment word or a negator of the lexicons; else nothing.

    >>> listed("kopinya tidak Enak.", 2), listed("kopinya tidak enak", 0)
    ('enak', '')
    """
    word = text.split()[place].strip(".,!?").lower() if place >= 0 else ""
    negators = lexicons.members("id", "negator", "variant of tidak")
    return word if word in behaviour.sentiment_words() or word in negators else ""


def double(classifier, one: pd.DataFrame, kind: str) -> pd.DataFrame:
    """A row per text of `single`: of those that are proved there what `pairs.prove` finds; texts
    that a single edit moves are moved here too.
    """
    table = one[["id", "rate", "gold", "label", "right", "proved", "moved", "text"]].copy()
    table.insert(1, "test", kind + TWO)
    grams, found = pairs.bound(classifier), []
    for row in one.itertuples():
        first = exhaustive.Proof(0, 0, 0, True, row.margin, row.perturbed)
        unsearched = pairs.Pairs(0, 0, row.moved, False, row.perturbed if row.moved else "")
        found.append(
            pairs.prove(classifier, row.text, kind, first, grams) if row.proved else unsearched
        )
    facts = pd.DataFrame(found, index=table.index).rename(columns={"edited": "perturbed"})
    facts = facts.rename(columns={"pairs": "edits"})
    return table.drop(columns=["proved", "moved"]).join(facts)


def metrics(table: pd.DataFrame) -> pd.DataFrame:
    """The shares that certificates make up, by test and group.

    Parameters
    ----------
    table : DataFrame
        Of `rows`, with a column `group`, the defence.

    Returns
    -------
    DataFrame
        `measure.COLUMNS`. Of single edits and pairs: `accuracy`; `proved_rate`, right and proved,
        of all texts; `proved_of_right`, of right ones that have an edit; `unmoved_rate`, right and
        not known to be moved: what is proved at most; `spared_share`, edits that needed no
        prediction. Of words left out: `accuracy` and `abstained_rate` of the smoothed classifier,
        and `certified_one`, `_two` and `_three`, right under any so many edits of words.
    """
    parts = []
    for key, part in table.groupby(measure.KEY, dropna=False, sort=False):
        shares = _smoothed(part) if part["radius"].notna().any() else _searched(part)
        parts += [(*key, metric, *one, one.n) for metric, one in shares.items()]
    return pd.DataFrame(parts, columns=measure.COLUMNS)


def _searched(part: pd.DataFrame) -> dict[str, measure.Estimate]:
    right, proved, moved = (part[name].astype(bool) for name in ("right", "proved", "moved"))
    edits = int(part["edits"].sum())
    spared = 1 - part["asked"].sum() / edits if edits else np.nan
    return {
        "accuracy": measure.share_of(right),
        "proved_rate": measure.share_of(right & proved),
        "proved_of_right": measure.share_of(proved[right & ((part["edits"] > 0) | moved)]),
        "unmoved_rate": measure.share_of(right & ~moved),
        "spared_share": measure.Estimate(spared, *NONE, edits),
    }


def _smoothed(part: pd.DataFrame) -> dict[str, measure.Estimate]:
    right, reach = part["right"].astype(bool), part["radius"]
    certified = {
        f"certified_{name}": measure.share_of(right & (reach >= edits))
        for name, edits in RADII.items()
    }
    abstained = measure.share_of(reach < 0)
    return {"accuracy": measure.share_of(right), "abstained_rate": abstained, **certified}
