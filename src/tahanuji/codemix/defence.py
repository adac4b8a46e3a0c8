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
import time

import pandas as pd

from tahanuji import behaviour, data, measure, models, training
from tahanuji.codemix import blend, mixing, results

KINDS = ("old", "fresh")
UNDEFENDED = "undefended"
TUNINGS = ("code-mixed only", "two-step", "joint", "random")


def tune(
    job: training.Job,
    tuning: str,
    undefended,
    mixed: dict[str, pd.DataFrame],
    plain: pd.DataFrame,
    chosen: dict,
) -> tuple:
    """A classifier fine-tuned against code-mixing.

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
        The best epoch.
    dict
        A row for the table of costs: `tuning, rows, epochs, best_epoch, training_seconds`.

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
    train = joined(frames[tuning])
    own = job.below(tuning.replace(" ", "_"))
    two_step = tuning == "two-step"
    classifier = copy.deepcopy(undefended) if two_step else training.fresh(own, chosen)
    history = training.fine_tune(
        own,
        classifier,
        train,
        mixed["random valid" if tuning == "random" else "valid"],
        chosen,
    )
    best = training.best_epoch(history.to_dict("records"))
    cost = {
        "tuning": tuning,
        "rows": len(train),
        "epochs": len(history),
        "best_epoch": best,
        "training_seconds": job.facts["training_seconds"],
    }
    return models.load(own.folder / "best", classifier.labels, job.device), cost


def joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Frames one below the other, their sources joined: names and hashes together."""
    together, sources = (
        pd.concat(frames, ignore_index=True),
        [frame.attrs["source"] for frame in frames],
    )
    names, digests = (
        " + ".join(str(source[key]) for source in sources) for key in ("name", "sha256")
    )
    return data.describe(together, **{**sources[0], "name": names, "sha256": digests})


def timed(function, *arguments) -> tuple:
    """What a function gives, and the seconds that it took."""
    began = time.time()
    return function(*arguments), round(time.time() - began, 1)


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
        attacked = blend.attack_many(
            classifier, test, mixer.translators, [mixer.rate], mixer.seed, **mixer.options
        )
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
    """The rates of `measure.behaviour` by language, and as group "all" failures, induced errors and
    texts changed over all languages, with an interval from texts drawn with all their languages.
    """
    pooled = []
    for (test, rate), part in rows.groupby(["test", "rate"], sort=False):
        for verdict in ("failure", "induced", "changed"):
            texts = part.groupby("id", sort=False)[verdict].agg(["sum", "count"])
            share = results.ratio(texts["sum"], texts["count"], seed)
            pooled.append((test, rate, "all", measure.OUTCOMES[verdict], *share, len(texts)))
    return pd.concat(
        [measure.behaviour(rows), pd.DataFrame(pooled, columns=measure.COLUMNS)], ignore_index=True
    )


def table_2(rows: pd.DataFrame, rates: pd.DataFrame) -> pd.DataFrame:
    """As the paper's Table 2, with intervals: accuracy per model on the original test split, on old
    attacks and on fresh ones; and p against undefended.

    Columns: model, original, old attacks, fresh attacks (`91.0% (88.1 to 93.2)`, means over the
    languages), p original, p fresh: exact McNemar test on the original texts, and on whether a text
    falls to a fresh attack in any language; Holm's correction over each column.
    """
    own = {name: rows[rows["test"] == f"{name} fresh"] for name in (UNDEFENDED, *TUNINGS)}
    own = {name: part for name, part in own.items() if len(part)}
    names, table = list(own), []
    value = rates[rates["group"] == "all"].set_index(["test", "metric"])
    wrong = {
        name: (part["clean_label"] != part["gold"]).groupby(part["id"]).first()
        for name, part in own.items()
    }  # by id: rows pair up
    fell = {name: part.groupby("id")["failure"].any() for name, part in own.items()}
    for name in names:
        clean = measure.share(int((~wrong[name]).sum()), len(wrong[name]))
        attacks = [value.loc[(f"{name} {kind}", "failure_rate")] for kind in ("old", "fresh")]
        cells = [
            clean,
            *((1 - one["value"], 1 - one["ci_high"], 1 - one["ci_low"]) for one in attacks),
        ]
        ps = [
            measure.compare(outcomes[name], outcomes[names[0]])["p"]
            if name != names[0]
            else float("nan")
            for outcomes in (wrong, fell)
        ]
        table.append(
            (
                name,
                *(f"{cell[0]:.1%} ({cell[1] * 100:.1f} to {cell[2] * 100:.1f})" for cell in cells),
                *ps,
            )
        )
    shown = pd.DataFrame(
        table,
        columns=["model", "original", "old attacks", "fresh attacks", "p original", "p fresh"],
    )
    return shown.assign(**{name: measure.holm(shown[name]) for name in ("p original", "p fresh")})


def against_random(rows: pd.DataFrame, name: str, seed: int) -> dict:
    """A tuning on attacked texts against the one on randomly mixed texts, under fresh attacks.

    Parameters
    ----------
    rows : DataFrame
        As `judged` gives them, of all models.
    name : str
        A tuning for which texts were attacked.
    seed : int
        Of the bootstrap.

    Returns
    -------
    dict
        `texts`; `random` and `other`, shares of texts that stand the attacks in every language;
        `difference` (random minus other) with `low, high`, and the exact McNemar `p`.

    References
    ----------
    McNemar (1947).

    Examples
    --------
    >>> rows = pd.DataFrame({"test": ["random fresh", "joint fresh"], "id": ["a", "a"]})
    >>> against_random(rows.assign(failure=[False, True]), "joint", 1)["difference"]
    1.0
    """
    fell = {
        tuning: rows[rows["test"] == f"{tuning} fresh"].groupby("id")["failure"].any()
        for tuning in ("random", name)
    }
    random, other = fell["random"], fell[name].loc[fell["random"].index]
    tested = measure.compare(other, random)
    low, high = results.ratio(other.astype(float) - random, pd.Series(1, index=random.index), seed)[
        1:
    ]
    return {
        "texts": len(random),
        "random": float(1 - random.mean()),
        "other": float(1 - other.mean()),
        "difference": float(other.mean() - random.mean()),
        "low": low,
        "high": high,
        "p": tested["p"],
    }


def random_sentence(compared: dict, name: str) -> str:
    """What attacking the training texts buys beside mixing them at random, in words.

    Parameters
    ----------
    compared : dict
        As `against_random` gives it.
    name : str
        The tuning on attacked texts.

    Returns
    -------
    str

    Examples
    --------
    >>> one = {"texts": 60, "random": 0.6, "other": 0.6, "difference": 0.0}
    >>> one |= {"low": -0.1, "high": 0.1, "p": 1.0}
    >>> random_sentence(one, "joint").partition(":")[0]
    'Random mixing, for which nothing is attacked, cannot be told from joint'
    """
    shares = (
        f"{compared['random']:.1%} against {compared['other']:.1%} of {compared['texts']} texts "
        f"stand fresh attacks ({100 * compared['difference']:+.1f} points, 95% "
        f"{100 * compared['low']:.1f} to {100 * compared['high']:.1f}, McNemar p = "
        f"{compared['p']:.2g})"
    )
    if compared["p"] >= 0.05:
        verdict = f"cannot be told from {name}: {shares}. What the attack adds does not show here"
    else:
        better = "is better than" if compared["difference"] > 0 else "is worse than"
        verdict = f"{better} {name}: {shares}"
    return f"Random mixing, for which nothing is attacked, {verdict}."


def accuracies(rates: pd.DataFrame) -> pd.DataFrame:
    """Accuracy over all languages for a chart: `group` (the tuning), `series` (old or fresh
    attacks), `value, ci_low, ci_high, n`.
    """
    tunings = {f"{name} {kind}": name for name in (UNDEFENDED, *TUNINGS) for kind in KINDS}
    attacks = {f"{name} {kind}": f"{kind} attacks" for name in tunings.values() for kind in KINDS}
    shown = rates[(rates["metric"] == "failure_rate") & (rates["group"] == "all")].copy()
    shown[["value", "ci_low", "ci_high"]] = 1 - shown[["value", "ci_high", "ci_low"]].to_numpy()
    shown = shown.assign(group=shown["test"].map(tunings), series=shown["test"].map(attacks))
    return shown.reset_index(drop=True)


def standing(rates: pd.DataFrame, kind: str = "fresh") -> pd.Series:
    """Accuracy under `fresh` or `old` attacks over all languages, by tuning."""
    table = accuracies(rates)
    return table[table["series"] == f"{kind} attacks"].set_index("group")["value"]
