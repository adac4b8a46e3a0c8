"""The table of failures: a sample of the failing cases of every test and model, those first whose
text may be published.
"""

import pandas as pd
from markupsafe import Markup

from helpers import titles
from helpers.report import cases, runs
from helpers.report.differences import marked, shown
from tahanuji.errors import InputError

EACH = 20  # cases of a test and model at most
ROWS = 12  # of the table in a notebook
BYTES = 600_000  # of the table in the page, which has at most 3 MB
GROUP = ["notebook", "variant", "dataset", "title", "model"]
HEADS = ["Text", "Data set", "Test", "Model", "Expected", "Before", "After", "Verdict"]


def sample(found: runs.Collection, each: int = EACH) -> pd.DataFrame:
    """At most `each` failing cases of every test and model (`cases.COLUMNS`, and `of`, how many
    there are): drawn by the hash of their ids, so that the same runs give the same cases, and those
    with a text first, and those that a change brought about before texts that were wrong anyway.
    Repeats with other seeds are left out; `problems` in attrs are what could
    not be read.
    """
    parts, problems = [], {}
    for run in found.runs:
        try:
            parts += [] if run.repeat else [cases.failures(run)]
        except InputError as error:
            problems[run.name] = str(error)
    parts = [part for part in parts if len(part)]
    if not parts:
        return pd.DataFrame(columns=[*cases.COLUMNS, "of"])
    whole = pd.concat(parts, ignore_index=True)
    whole = whole.assign(draw=whole["id"].map(cases.draw), bare=whole["text"] == "")
    whole["of"] = whole.groupby(GROUP, sort=False)["id"].transform("size")
    whole = whole.sort_values(["bare", "draw"], kind="stable")
    kept = whole.groupby(GROUP, sort=False).head(each)
    kept = kept.assign(
        late=kept["verdict"].map({cases.BEFORE_TOO: 1, cases.WRONG: 2}).fillna(0),
        nth=kept.groupby(GROUP, sort=False).cumcount(),
        varied=kept["variant"] != "default",
    )
    order = ["bare", "late", "nth", "varied", *GROUP]  # one of each test comes first
    kept = kept.sort_values(order, kind="stable").reset_index(drop=True)
    kept = kept.drop(columns=["draw", "bare", "late", "nth", "varied"])
    kept.attrs.update(problems=problems, all=len(whole))
    return kept


def table(found: runs.Collection) -> pd.DataFrame:
    """One failing case of every notebook and model, at most ROWS, for a notebook."""
    first = sample(found, 1).groupby(["notebook", "model"], sort=False).head(1).head(ROWS)
    columns = ["notebook", "title", "model", "id", "expected", "before", "after", "verdict"]
    return first[[*columns, "text", "changed"]].rename(columns={"title": "test"})


def component(found: runs.Collection) -> Markup:
    """The table as HTML for the page, whole without a script; as many cases per test as fit."""
    for each in (EACH, 15, 10, 7, 5, 3, 2, 1):
        kept = sample(found, each)
        rows = [_row(row) for row in kept.itertuples()]
        if sum(map(len, rows)) < BYTES:
            break
    if not rows:
        return Markup("<p>No finished run has a failing case.</p>")
    heads = "".join(f'<th scope="col">{name}</th>' for name in HEADS)
    return Markup(
        f'{_said(kept, each)}<div class="scroll" role="region" tabindex="0" aria-label="Failing '
        f'cases"><table id="failing" class="failing"><caption>Failing cases, with what was '
        f"expected and what was answered</caption><thead><tr>{heads}</tr></thead><tbody>"
        f"{''.join(rows)}</tbody></table></div>"
    )


def _said(kept: pd.DataFrame, each: int) -> str:
    bare = sorted(set(kept.loc[kept["text"] == "", "dataset"]))
    count = f"{len(kept):,} of {kept.attrs['all']:,} failing cases"
    said = (
        f"<p>{count}: at most {each} of every test and model, drawn by a hash of their ids. All "
        f"are in each run’s <code>misclassified.csv</code>. Words that the test "
        f"<del>took out</del> and <ins>put in</ins> are marked.</p>"
    )
    if bare:
        said += (
            f"<p>Cases of {shown(', '.join(bare))} show ids only: the licence of these data does "
            f"not let a page show their texts. Who runs the study has them in each run’s "
            f"<code>private/misclassified.csv</code>.</p>"
        )
    problems = kept.attrs.get("problems", {})
    said += "".join(f"<p>{shown(f'{name}: {why}')}</p>" for name, why in problems.items())
    return said


def _row(row) -> str:
    text = marked(row.text, row.changed) if row.changed else shown(row.text)
    text = f'<span lang="id">{text}</span> ' if row.text else ""
    variant = "" if row.variant == "default" else f" ({row.variant})"
    test = f"{titles.title(row.notebook, row.title)}{variant}"
    words = [row.dataset, test, row.model, row.expected.replace("|", " or "), row.before]
    cells = "".join(f"<td>{shown(word)}</td>" for word in (*words, row.after, row.verdict))
    about = shown(row.id)
    return f'<tr><th scope="row">{text}<small>{about}</small></th>{cells}</tr>\n'
