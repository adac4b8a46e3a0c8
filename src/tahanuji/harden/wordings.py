"""Two wordings of one meaning beside the training texts, and a term for the same answer to both."""

import pandas as pd

from tahanuji import data
from tahanuji.errors import InputError
from tahanuji.harden.defence import Defence
from tahanuji.perturb.formality import tokenise
from tahanuji.registers import WORDINGS

PAIRS = "data/wordings/pairs.csv"


class Wordings(Defence):
    """Pairs of a formal and an informal wording join every batch of a network: the symmetric
    Kullback-Leibler divergence between the answers to both has a weight in the loss. Where the task
    is sentiment their own labels are learned too, and models that see their texts once get both
    wordings as training texts. Noise beside them is compared as well: `noise+wordings` trains as
    `agreement+wordings` does.

    The consistency training of Xie et al. (2020), *Unsupervised data augmentation for consistency
    training*, with the pairs of data/wordings in place of translations. They are whole sentences,
    so that no half of the word lists is kept from them.
    """

    def __init__(self, half: str | None = "hardening", agreement: float = 0.5):
        self.agreement = agreement

    def refuse(self, recipe):
        if data.paired(recipe.rows):
            raise InputError("wordings is for single texts, and these are pairs of sentences.")
        labels = set(recipe.rows["label"])
        if not (recipe.network or data.of_sentiment(labels)):
            raise InputError(
                f"wordings needs a network or labels of sentiment; {recipe.job.model_name} is no "
                f"network, and the labels are {', '.join(sorted(labels))}."
            )

    def fit(self, recipe, train):
        self.refuse(recipe)
        rows = recipe.rows
        table = pairs(rows)
        if recipe.network:
            weight = max(recipe.agreement, self.agreement)
            own = tuple(table[[*WORDINGS, "label"]].itertuples(index=False, name=None))
            return train(recipe.changing(pairs=own, agreement=weight))
        known = table[table["label"] != ""]
        texts = [known[["id", "label"]].assign(text=known[one]) for one in WORDINGS]
        both = pd.concat([rows, *texts], ignore_index=True)
        both.attrs = rows.attrs
        return train(recipe.changing(rows=both))


def pairs(rows: pd.DataFrame) -> pd.DataFrame:
    """The pairs `id, formal, informal, label`, written as training rows are: tokenised and in lower
    case where all of these are in lower case. The label is empty where the rows know none such.

    >>> rows = pd.DataFrame({"text": ["enak .", "biasa ."], "label": ["joy", "fear"]})
    >>> made = pairs(rows)
    >>> len(made), set(made["label"])
    (2000, {''})
    """
    table = data.read_table(data.locate(PAIRS))[["id", *WORDINGS, "label"]]
    if rows["text"].str.lower().eq(rows["text"]).all():
        table[WORDINGS] = table[WORDINGS].map(tokenise)
    labels = set(rows["label"])
    known = table["label"].isin(labels if data.of_sentiment(labels) else ())
    return table.assign(label=table["label"].where(known, ""))
