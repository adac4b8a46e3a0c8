"""What the accuracies released with IndoNLI say about its Tables 6, 8 and 10 (Mahendra et al.,
2021).

data/published/indonli_runs.csv holds them run by run, in percent, as the authors published them
with their code (ir-nlp-csui/indonli on GitHub, commit ca818e89). They are of the validation split.
Of the test splits predictions were released, which nothing here reads: those of models that were
trained on IndoNLI have the gold labels of another data set, and what the others give is said beside
Tables 8, 10 and 11 in documents.yaml.
"""

import pandas as pd

from tahanuji import data, published

MODELS = {
    "indobert-base": "IndoBERT-lite",
    "indobert-large": "IndoBERT-large",
    "m-bert": "mBERT",
    "xlm-r": "XLM-R",
}
TRAININGS = {
    "indo-nli": "IndoNLI",
    "indo-nli-ho": "IndoNLI, hypothesis only",
    "zero-shot": "translate-train",
    "zero-shot-small": "translate-train-s",
    "combined": "IndoNLI and translate-train",
}
TABLES = {"Table 6": "IndoNLI", "Table 8": "IndoNLI, hypothesis only"}


def runs() -> pd.DataFrame:
    """The released accuracies: training, model, run, split, accuracy (percent), by the names that
    the paper gives; of a training on both sets it prints nothing.
    """
    frame = data.read_table(published.FOLDER / "indonli_runs.csv").reset_index(drop=True)
    frame["model"], frame["training"] = frame["model"].map(MODELS), frame["training"].map(TRAININGS)
    return frame.astype({"accuracy": float, "run": int})


def means() -> pd.DataFrame:
    """Mean and standard deviation over the three runs, by training and model."""
    grouped = runs().groupby(["training", "model"], sort=False)["accuracy"]
    return grouped.agg(["mean", "std"])


def recomputed() -> pd.DataFrame:
    """The cells of the paper's tables that the released accuracies give, as `published.beside`
    takes them.
    """
    cells = []
    for (training, model), row in means().iterrows():
        places = [(table, model) for table, name in TABLES.items() if name == training]
        if model == "XLM-R" and training in published.table("mahendra2021", "Table 10").index:
            places.append(("Table 10", training))
        for table, name in places:
            cells += [
                (table, "", name, "Dev", row["mean"]),
                (table, "", name, "Dev, sd", row["std"]),
            ]
    frame = pd.DataFrame(cells, columns=[*published.CELL, "recomputed"])
    return frame.sort_values("table", key=lambda names: names.str[6:].astype(int), kind="stable")
