"""Code-mixing of all runs of a profile beside IndoRobusta's Tables 1 and 2, as printed and as its released files give them."""

import pandas as pd

from helpers import measure, released
from helpers.codemix import defence, results
from helpers.codemix.translators import LANGUAGES
from helpers.report import runs

ATTACK, DEFENCE = "08_code_mixing", "09_code_mixing_defence"
PAPER = {"code-mixed only": "CM Only", "two-step": "Two-Step", "joint": "Joint"}


def task(run: runs.Finished) -> str:
    """The paper's task of a run's data set; the data set's own name where the paper does not have it."""
    return results.TASKS.get(run.about["parameters"]["dataset"], run.about["parameters"]["dataset"])


def lost(found: runs.Collection) -> pd.DataFrame:
    """Table 1, points of accuracy lost at R = 0.4: `task, model, language, here, sd, seeds, replaced, printed, released, least, most`.

    `here` is the mean over the seeds of a run, `sd` their standard deviation, `replaced` the percentage of the attacked texts' words that really
    changed; then IndoBERT base as printed and released, and the least and most of the paper's five models. Empty for tasks that it does not have.
    """
    groups: dict[tuple, list] = {}
    for run in found.of(ATTACK):
        value = run.metrics.set_index(["slice", "metric"])["value"]
        for language in LANGUAGES:
            if (f"{language} 0.4", "induced_rate") in value:
                pair = (100 * value[f"{language} 0.4", "induced_rate"], 100 * value[f"{language} 0.4", "words_replaced_share"])
                groups.setdefault((task(run), run.model, language), []).append(pair)
    paper = {name: results.published(dataset).set_index("language") for dataset, name in results.TASKS.items()}
    rows = []
    for (name, model, language), pairs in groups.items():
        spread = measure.over_seeds(one for one, _ in pairs)
        beside = paper[name].loc[language] if name in paper else {}
        numbers = (spread.mean, spread.sd, spread.n, sum(share for _, share in pairs) / len(pairs))
        rows.append((name, model, language, *numbers, *(beside.get(column) for column in ("printed", "released", "least", "most"))))
    columns = ["task", "model", "language", "here", "sd", "seeds", "replaced", "printed", "released", "least", "most"]
    table = pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns[7:], float))
    return table.sort_values("task", kind="stable").reset_index(drop=True)


def defended(found: runs.Collection) -> pd.DataFrame:
    """Table 2, accuracy in percent: `task, model, tuning, original, old, fresh`, and of IndoBERT base `printed original`, `printed CM`, `four CM`.

    `old` attacks were made for the undefended model, as the paper's CM is; `fresh` ones for the tuned model. Ours are means over the run's
    languages at one ratio; printed are means over seven attacks and four ratios, `four CM` over the paper's own four languages.
    """
    paper = released.table_2().query("model == 'IndoBERT base'").set_index(["task", "tuning", "test"])
    rows = []
    for run in [run for run in found.of(DEFENCE) if not run.repeat]:
        old, fresh = (100 * defence.standing(run.metrics, kind) for kind in ("old", "fresh"))
        errors = run.metrics[run.metrics["metric"] == "clean_error_rate"].set_index("slice")["value"]
        for name in fresh.index:
            original = 100 * (1 - errors[errors.index.str.startswith(f"{name}, ")].iloc[0])
            known = (task(run), PAPER.get(name), "CM") in paper.index
            beside = (
                paper.loc[task(run), PAPER[name], "Orig"]["printed"] if known else None,
                *(paper.loc[task(run), PAPER[name], "CM"][["printed", "four"]] if known else (None, None)),
            )
            rows.append((task(run), run.model, name, original, old[name], fresh[name], *beside))
    columns = ["task", "model", "tuning", "original", "old", "fresh", "printed original", "printed CM", "four CM"]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns[6:], float))


def sentences(attacks: pd.DataFrame, defences: pd.DataFrame) -> list[str]:
    """What the tables say: per task and model the languages that cost most and least, and the tuning that stands fresh attacks best."""
    said = []
    for (name, model), part in attacks.groupby(["task", "model"], sort=False):
        most, least = part.loc[part["here"].idxmax()], part.loc[part["here"].idxmin()]
        said.append(
            f"{name}: {model} loses {most['here']:.1f} points of accuracy to {LANGUAGES[most['language']]} at R = 0.4 and {least['here']:.1f} to "
            f"{LANGUAGES[least['language']]}, where {most['replaced']:.0f}% and {least['replaced']:.0f}% of the words really change."
        )
    for (name, model), part in defences.groupby(["task", "model"], sort=False):
        table = part.set_index("tuning")
        best, famous = table["fresh"].idxmax(), table["old"].idxmax()
        said.append(
            f"{name}: against old attacks {famous} is best for {model} ({table.loc[famous, 'old']:.1f}% right, undefended "
            f"{table.loc['undefended', 'old']:.1f}%); attacked afresh it is right on {table.loc[famous, 'fresh']:.1f}%; "
            f"best is then {best} with {table.loc[best, 'fresh']:.1f}%."
        )
    return said
