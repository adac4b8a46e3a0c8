"""Examples of every test: texts before and after the change, with what the models answered."""

import pandas as pd
from markupsafe import Markup

from helpers import notebooks, tables, titles
from helpers.report import cases, runs
from helpers.report.differences import marked, shown
from tahanuji import data, paths, perturb
from tahanuji.errors import InputError

SHIPPED = "embedded", "test"  # texts of the project's own
EACH = 3  # examples of a test
UNASKED = "<li>a text of the project’s own, changed here to show the test</li>"
LONGEST = 240  # characters of a text; a longer one is taken only where there is no other


def anchor(notebook: str, test: str) -> str:
    """The place of a test's examples on the page, for links to it.

    >>> anchor("04_negation", "gak")
    'example-04_negation-gak'
    """
    return f"example-{paths.slug(notebook)}-{paths.slug(test)}"


def places(found: runs.Collection) -> dict[str, str]:
    """The examples that a test's name in a table leads to: {name: place on the page}."""
    names = {}
    for run in found.runs:
        tests = run.metrics[["test", "title"]].dropna().drop_duplicates()
        for test, title in tests.itertuples(index=False):
            name, place = titles.title(run.notebook, title), anchor(run.notebook, test)
            names.setdefault(name, place)
            names.setdefault(titles.short(run.notebook, title), place)
    return names


def chosen(found: runs.Collection) -> pd.DataFrame:
    """Up to three cases of every test with the answers of all models (`cases.COLUMNS`, a row per
    case and model): first one that a model loses, then one that all keep, then another that is
    lost. Of tests at several rates those at the rates that summaries show.
    """
    parts = []
    for notebook in found.notebooks:
        asked = [part for run in found.of(notebook, "default") if len(part := _asked(run))]
        if asked:
            parts += [
                _of_test(of_test)
                for _, of_test in pd.concat(asked, ignore_index=True).groupby("test", sort=False)
            ]
    parts += _unasked(found, {(one["notebook"].iloc[0], one["test"].iloc[0]) for one in parts})
    columns = [*cases.COLUMNS, "place", "lost"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def _unasked(found: runs.Collection, there: set[tuple[str, str]]) -> list[pd.DataFrame]:
    """Examples of the registry's perturbations that have none of `there`: the project's own texts,
    changed at the middle rate, without an answer of a model.
    """
    texts = data.load(*SHIPPED)
    texts = texts[texts["text"].str.len() <= LONGEST].sort_values(
        "id", key=lambda ids: ids.map(cases.draw)
    )
    parts, bare = [], dict.fromkeys(["model", "type", "expected", "before", "after"], "")
    for notebook in found.notebooks:
        about = [run for run in found.of(notebook) if found.main_task(run)]
        if not about:
            continue
        metrics = pd.concat([run.metrics for run in about])
        for test in sorted({*metrics["test"].dropna()} & {*perturb.names()}):
            if (notebook, test) not in there:
                rates = perturb.rates(test)
                changed = perturb.apply(test, texts, rates[len(rates) // 2], seed=1)
                part = texts.assign(changed=changed, notebook=notebook, test=test, title=test)
                part = part[part["changed"].notna() & (part["changed"] != part["text"])][:EACH]
                part = part.assign(place=range(len(part)), lost=False, **bare)
                parts += [part] if len(part) else []
    return parts


def _asked(run: runs.Finished) -> pd.DataFrame:
    """The cases of a run that have a text: all that it asked, or where predictions.csv has no texts
    those that it lost.
    """
    if not cases.publishable(run):
        return pd.DataFrame()
    for name in ("predictions", "misclassified"):
        try:
            asked = cases.cases(run, name)
        except InputError:
            continue
        asked = asked[(asked["text"] != "") & (asked["group"] == "all")]
        changes = (asked["changed"] != "") & (asked["changed"] != asked["text"])
        asked = asked[changes | (asked["type"] == "MFT")]
        if len(asked):
            main = run.main(asked)
            return main if len(main) else asked
    return pd.DataFrame()


def _of_test(asked: pd.DataFrame) -> pd.DataFrame:
    """The rows of the cases chosen of one test."""
    case = ["title", "id", "text", "changed"]
    whole = asked.assign(lost=[_lost(row) for row in asked.itertuples()])
    each = whole.groupby(case, sort=False)["lost"].any().reset_index()
    each["long"] = each["text"].str.len() > LONGEST
    each["draw"] = each["id"].map(cases.draw)
    each = each.sort_values(["long", "draw"], kind="stable").drop_duplicates("id")
    lost, kept = each[each["lost"]], each[~each["lost"]]
    first = pd.concat([lost[:1], kept[:1], lost[1:EACH], kept[1:EACH]])[:EACH]
    order = {tuple(row): number for number, row in enumerate(first[case].itertuples(index=False))}
    keys = [tuple(row) for row in whole[case].itertuples(index=False)]
    whole = whole.assign(place=[order.get(key, -1) for key in keys])
    return whole[whole["place"] >= 0].sort_values("place", kind="stable")


def _lost(row) -> bool:
    """Whether an answer is a failure that the text or its change brought about."""
    if row.type == "DIR":
        return False  # predictions.csv says it in probabilities, not in labels
    if row.type == "INV":
        return row.before != row.after
    right = row.expected.split("|")
    return row.after not in right and (row.type == "MFT" or row.before in right)


def table(found: runs.Collection) -> pd.DataFrame:
    """One example of every notebook, before and after, for a notebook."""
    first = chosen(found).drop_duplicates("notebook")
    columns = ["notebook", "title", "text", "changed", "model", "before", "after"]
    return tables.select(first, notebook=found.notebooks)[columns].rename(columns={"title": "test"})


def component(found: runs.Collection) -> Markup:
    """The examples as HTML for the page: a notebook's tests fold open one by one."""
    picked = chosen(found)
    parts = []
    for notebook, of_notebook in picked.groupby("notebook", sort=True):
        about = notebooks.every().get(notebook)
        question = about.question if about else notebook
        parts.append(f"<h3>{shown(question.replace('*', ''))}</h3>")
        parts += [
            _test(notebook, test, rows) for test, rows in of_notebook.groupby("test", sort=False)
        ]
    parts += [_bare(found, set(zip(picked["notebook"], picked["test"], strict=True)))]
    return Markup("".join(parts))


def foremost(found: runs.Collection) -> Markup:
    """One failure as HTML for the page's first screen: of the texts on which a change that leaves
    the right label alone costs most models their answer the shortest; nothing where none may be
    shown.
    """
    picked = chosen(found)
    kinds = {name: about.test_type for name, about in notebooks.every().items()}
    kind = picked["type"].where(picked["type"] != "", picked["notebook"].map(kinds))
    lost = picked[picked["lost"] & (picked["changed"] != "") & (kind == "INV")]
    if lost.empty:
        return Markup("")
    case = ["notebook", "test", "title", "place"]
    each = lost.groupby(case, sort=False).agg(models=("model", "nunique"), text=("text", "first"))
    each = each.assign(length=each["text"].str.len()).reset_index()
    best = each.sort_values(["models", "length"], ascending=[False, True], kind="stable").iloc[0]
    rows = tables.select(picked, **{name: best[name] for name in case})
    place = anchor(best["notebook"], best["test"])
    name = shown(titles.title(best["notebook"], best["title"]))
    return Markup(
        f'<div id="answer-example"><p>A failure, of <a href="#{place}">{name}</a> '
        f'(<a href="#failures">more of them</a>):</p>{_case(rows)}</div>'
    )


def _test(notebook: str, test: str, rows: pd.DataFrame) -> str:
    body = "".join(_case(case) for _, case in rows.groupby("place", sort=True))
    name = shown(titles.title(notebook, test))
    return (
        f'<details class="example"><summary>{name}</summary><div id="{anchor(notebook, test)}">'
        f'{body}<p><a href="#failures" data-search="{name}">Failing cases of this test</a></p>'
        f"</div></details>"
    )


def _case(rows: pd.DataFrame) -> str:
    first = rows.iloc[0]
    text = marked(first["text"], first["changed"]) if first["changed"] else shown(first["text"])
    answers = "".join(f"<li>{_answer(row)}</li>" for row in rows.itertuples())
    expected = shown(first["expected"].replace("|", " or "))
    said = f"<li>expected: {expected}</li>{answers}" if first["model"] else UNASKED
    return f'<div class="case"><p lang="id">{text}</p><ul>{said}</ul></div>'


def _answer(row) -> str:
    """A model's answer: before and after, with a word and a mark for a loss, or for another label
    where no right one is known.
    """
    answer = f"{row.before} → {row.after}" if row.before else row.after
    word = "flipped" if row.type == "INV" else "lost"
    verdict = f' <b class="breaks">✗ {word}</b>' if row.lost else ""
    return f"{shown(row.model)}: {shown(answer)}{verdict}"


def _bare(found: runs.Collection, there: set[tuple[str, str]]) -> str:
    """The tests without an example, which links from the matrix lead to as well."""
    absent: dict[str, str] = {}
    for run in found.runs:
        behavioural = run.metrics[run.metrics["metric"].isin(["flip_rate", "failure_rate"])]
        if run.variant == "default":
            for test in dict.fromkeys(behavioural["test"].dropna()):
                if (run.notebook, test) not in there:
                    absent[anchor(run.notebook, test)] = titles.title(run.notebook, test)
    if not absent:
        return ""
    items = "".join(f'<li id="{place}">{shown(name)}</li>' for place, name in absent.items())
    return (
        "<details><summary>Tests without an example</summary><p>The licence of their data does not "
        f"let a page show texts, or no text of theirs was changed.</p><ul>{items}</ul></details>"
    )
