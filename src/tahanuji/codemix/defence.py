"""IndoRobusta-Shot (Adilazuarda et al., 2022, section 2.3): fine-tuning on code-mixed texts, and
attacks on what comes of it.

| tuning | starts from | trains on |
| --- | --- | --- |
| code-mixed only | the model before fine-tuning | the attacked training texts |
| two-step | the fine-tuned model | the attacked training texts |
| joint | the model before fine-tuning | the training texts and the attacked ones |
| random | the model before fine-tuning | the training texts and randomly mixed ones |

Random mixing needs no model: it is the cheap baseline.

Each stops by macro-F1 on attacked validation texts, `random` on randomly mixed ones; the public
script of the two-step tuning stops on the test set. Each text is mixed with one language, drawn by
its id; the paper tunes for one language at a time, which is the same with one language named.
"""

import copy

import pandas as pd

from tahanuji import behaviour, data, measure, models, training
from tahanuji.codemix import blend, mixing, results

__all__ = ["findings", "judged", "metrics", "table_2", "tune"]

KINDS = ("old", "fresh")
UNDEFENDED = "undefended"
TUNINGS = ("code-mixed only", "two-step", "joint", "random")
ENDS = ["value", "ci_low", "ci_high"]


def tune(
    job: training.Job,
    tuning: str,
    undefended,
    mixed: dict[str, pd.DataFrame],
    plain: pd.DataFrame,
    chosen: dict,
) -> tuple:
    """A classifier fine-tuned against code-mixing, its best epoch, and a row for the table of costs
    (`tuning, rows, epochs, best_epoch, training_seconds`).

    Parameters
    ----------
    job : training.Job
        The checkpoint goes to a folder named as the tuning below the job's.
    tuning : str
        One of TUNINGS.
    undefended : Tfidf or Transformer
        The fine-tuned model, from which `two-step` starts; it stays as it is.
    mixed : dict of str to DataFrame
        `train` and `valid` (attacked), `random` and `random valid` (randomly mixed).
    plain : DataFrame
        The training split.
    chosen : dict
        As `training.settings` gives them.

    Returns
    -------
    Tfidf or Transformer
    dict

    References
    ----------
    Adilazuarda et al. (2022), section 2.3.
    """
    frames = {
        "code-mixed only": [mixed["train"]],
        "two-step": [mixed["train"]],
        "joint": [plain, mixed["train"]],
        "random": [plain, mixed["random"]],
    }
    train, own = joined(frames[tuning]), job.below(tuning.replace(" ", "_"))
    classifier = copy.deepcopy(undefended) if tuning == "two-step" else training.fresh(own, chosen)
    valid = mixed["random valid" if tuning == "random" else "valid"]
    history = training.fine_tune(own, classifier, train, valid, chosen)
    cost = {
        "tuning": tuning,
        "rows": len(train),
        "epochs": len(history),
        "best_epoch": training.best_epoch(history.to_dict("records")),
        "training_seconds": job.facts["training_seconds"],
    }
    return models.load(own.folder / "best", classifier.labels, job.device), cost


def joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Frames one below the other, their sources joined: names and hashes together."""
    together = pd.concat(frames, ignore_index=True)
    sources = [frame.attrs["source"] for frame in frames]
    facts = {key: " + ".join(str(source[key]) for source in sources) for key in ("name", "sha256")}
    return data.describe(together, **{**sources[0], **facts})


def judged(
    classifier,
    name: str,
    test: pd.DataFrame,
    old: dict[str, list[str]],
    mixer: mixing.Blend,
    fresh: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """A classifier on the test split under old attacks, made for the undefended model, and under
    fresh ones, made for this classifier.

    Parameters
    ----------
    classifier
        Anything with `labels` and `predict_proba`.
    name : str
        Its name in the tests.
    test : DataFrame
        Columns `id, text, label`, n rows.
    old : dict of list of str
        Per language the n texts that attacks on the undefended model made; empty: none.
    mixer : mixing.Blend
        What attacks.
    fresh : DataFrame, optional
        The rows of the fresh attacks, where they were made before.

    Returns
    -------
    DataFrame
        The columns of `behaviour.rows`, a row per test, language and example; the tests are
        `<name> old` and `<name> fresh`, and `group` is the language.

    Raises
    ------
    InputError
        As `blend.attack_many`.

    References
    ----------
    Adilazuarda et al. (2022), section 2.3.
    """
    if fresh is None:
        attacked = mixer.attack(classifier, test, [mixer.rate])
        fresh = _named(attacked, f"{name} fresh", mixer.rate, attacked["language"])
    if not old:
        return fresh
    again = behaviour.rows(classifier, test, old)
    again = _named(again, f"{name} old", mixer.rate, again["test"])
    return pd.concat([again, fresh], ignore_index=True)


def _named(rows: pd.DataFrame, test: str, rate: float, language: pd.Series) -> pd.DataFrame:
    """The rows with their test, rate and group in place of what names the setting of an attack."""
    kept = rows.drop(columns=[name for name in ("test", *blend.OWN) if name in rows])
    for place, (name, value) in enumerate({"test": test, "rate": rate, "group": language}.items()):
        kept.insert(1 + place, name, value)
    return kept


def metrics(rows: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The rates of `measure.behaviour` by language, and over all languages, as group "all",
    failures, induced errors and texts changed.

    Parameters
    ----------
    rows : DataFrame
        As `judged` gives them, of all models.
    seed : int
        Of the bootstrap, which draws texts with all their languages.

    Returns
    -------
    DataFrame
        `measure.COLUMNS`.
    """
    pooled = []
    for (test, rate), part in rows.groupby(["test", "rate"], sort=False):
        for outcome in ("failure", "induced", "changed"):
            texts = part.groupby("id", sort=False)[outcome].agg(["sum", "count"])
            one = results.ratio(texts["sum"], texts["count"], seed)
            cells = one.value, one.low, one.high, len(texts)
            pooled.append((test, rate, "all", measure.OUTCOMES[outcome], *cells))
    pooled = pd.DataFrame(pooled, columns=measure.COLUMNS)
    return pd.concat([measure.behaviour(rows), pooled], ignore_index=True)


def _fresh(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of the fresh attacks of every model, by its name."""
    parts = {name: rows[rows["test"] == f"{name} fresh"] for name in (UNDEFENDED, *TUNINGS)}
    return {name: part for name, part in parts.items() if len(part)}


def _wrong(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Whether each model is wrong on each original text, by id so that rows pair up."""
    return {
        name: (part["clean_label"] != part["gold"]).groupby(part["id"]).first()
        for name, part in _fresh(rows).items()
    }


def _fell(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Whether each text falls to a fresh attack on each model in any language, by id."""
    return {name: part.groupby("id")["failure"].any() for name, part in _fresh(rows).items()}


def table_2(rows: pd.DataFrame, rates: pd.DataFrame) -> pd.DataFrame:
    """The paper's Table 2 with intervals: accuracy per model on the original test split, on old
    attacks and on fresh ones; and p against undefended.

    Parameters
    ----------
    rows : DataFrame
        As `judged` gives them, of all models.
    rates : DataFrame
        As `metrics` gives them.

    Returns
    -------
    DataFrame
        `model, original, old attacks, fresh attacks` (`91.0% (88.1 to 93.2)`, means over the
        languages), `p original, p fresh`: exact McNemar test on the original texts, and on whether
        a text falls to a fresh attack in any language; Holm's correction over each column.
    """
    attacks, table = accuracies(rates).set_index(["group", "series"]), []
    wrong, fell = _wrong(rows), _fell(rows)
    for name in wrong:
        clean = measure.Estimate(*measure.share(int((~wrong[name]).sum()), len(wrong[name])))
        ends = [attacks.loc[(name, f"{kind} attacks"), ENDS] for kind in KINDS]
        cells = [clean, *(measure.Estimate(*end) for end in ends)]
        ps = [_p(outcomes, name) for outcomes in (wrong, fell)]
        table.append((name, *(f"{cell:%}" for cell in cells), *ps))
    columns = ["model", "original", "old attacks", "fresh attacks", "p original", "p fresh"]
    shown = pd.DataFrame(table, columns=columns)
    return shown.assign(**{name: measure.holm(shown[name]) for name in ("p original", "p fresh")})


def _p(outcomes: dict[str, pd.Series], name: str) -> float:
    """The exact McNemar p of a model against the undefended one, NaN for that one itself."""
    if name == UNDEFENDED:
        return float("nan")
    return measure.compare(outcomes[name], outcomes[UNDEFENDED])["p"]


def findings(rows: pd.DataFrame, rates: pd.DataFrame, seed: int) -> list[tuple]:
    """Rows (question, estimate, unit, verdict): the accuracy that each tuning gains over the
    undefended model, and random mixing over the strongest tuning on attacked texts.

    Parameters
    ----------
    rows : DataFrame
        As `judged` gives them, of all models.
    rates : DataFrame
        As `metrics` gives them.
    seed : int
        Of the bootstrap.

    Returns
    -------
    list of tuple
        Verdicts are by the p of `table_2`, and of an exact McNemar test for the last row.
    """
    ps = table_2(rows, rates).set_index("model")
    right = pd.Series({name: 1 - wrong.mean() for name, wrong in _wrong(rows).items()})
    fresh, table = standing(rates), []
    tunings = [name for name in ps.index if name != UNDEFENDED]
    settings = ("ordinary texts", "p original", right), ("fresh attacks", "p fresh", fresh)
    for where, p, accuracy in settings:
        for name in tunings:
            gain = accuracy[name] - accuracy[UNDEFENDED]
            said = results.verdict(gain, ps.loc[name, p] < results.LEVEL)
            table.append((f"{where}: {name}", measure.Estimate(gain), "points", said))
    gains = standing(rates, "old") - standing(rates, "old")[UNDEFENDED]
    table += [
        (f"old attacks: {name}", measure.Estimate(gains[name]), "points", "not tested")
        for name in tunings
    ]
    rival = fresh[[name for name in tunings if name != "random"]].idxmax()
    gap, p = against_random(rows, rival, seed)
    question = f"texts that stand fresh attacks in every language: random beyond {rival}"
    table.append((question, gap, "points", results.verdict(gap.value, p < results.LEVEL)))
    return table


def against_random(rows: pd.DataFrame, name: str, seed: int) -> tuple[measure.Estimate, float]:
    """The share of texts that stand fresh attacks in every language after tuning on randomly mixed
    texts, minus that after another tuning, and the exact McNemar p.

    >>> rows = pd.DataFrame({"test": ["random fresh", "joint fresh"], "id": ["a", "a"]})
    >>> against_random(rows.assign(failure=[False, True]), "joint", 1)[0].value
    1.0
    """
    fell = _fell(rows)
    random, other = fell["random"], fell[name].loc[fell["random"].index]
    gap = results.ratio(other.astype(float) - random, pd.Series(1, index=random.index), seed)
    return gap, measure.compare(other, random)["p"]


def accuracies(rates: pd.DataFrame) -> pd.DataFrame:
    """Accuracy over all languages for a chart: `group` (the tuning), `series` (old or fresh
    attacks), `value, ci_low, ci_high, n`.
    """
    tunings = {f"{name} {kind}": name for name in (UNDEFENDED, *TUNINGS) for kind in KINDS}
    attacks = {f"{name} {kind}": f"{kind} attacks" for name in tunings.values() for kind in KINDS}
    shown = rates[(rates["metric"] == "failure_rate") & (rates["group"] == "all")].copy()
    shown[ENDS] = 1 - shown[["value", "ci_high", "ci_low"]].to_numpy()
    shown = shown.assign(group=shown["test"].map(tunings), series=shown["test"].map(attacks))
    return shown.reset_index(drop=True)


def standing(rates: pd.DataFrame, kind: str = "fresh") -> pd.Series:
    """Accuracy under `fresh` or `old` attacks over all languages, by tuning."""
    table = accuracies(rates)
    return table[table["series"] == f"{kind} attacks"].set_index("group")["value"]
