"""What finished runs say: the headline table of a profile, on the command line and in the README.

python -m helpers.report embedded      print where the notebooks are and the headline table
python -m helpers.report --readme      write the headline tables into README.md
"""

import sys
from pathlib import Path

import pandas as pd

from helpers import parameters, paths, provenance, tables

HEADLINES = {
    "macro-F1": ("02_conventional_metrics", "all", "macro_f1"),
    "accuracy": ("02_conventional_metrics", "all", "accuracy"),
    "fails with *saya benci matematika* added": ("03_sentence_insertion", "negative", "failure_rate"),
    "fails with *saya cinta matematika* added": ("03_sentence_insertion", "positive", "failure_rate"),
    "fails, *tidak* → *nggak*": ("04_negation", "nggak", "failure_rate"),
    "label flips, *tidak* → *nggak*": ("04_negation", "nggak", "flip_rate"),
    "fails, *tidak* → *gak*": ("04_negation", "gak", "failure_rate"),
    "label flips, *tidak* → *gak*": ("04_negation", "gak", "flip_rate"),
    "fails, typos in 30% of words": ("05_typos", "typos 0.3", "failure_rate"),
    "label flips, typos in 30% of words": ("05_typos", "typos 0.3", "flip_rate"),
    "fails, formal": ("06_formality", "formal", "failure_rate"),
    "fails, semi-formal": ("06_formality", "semi_formal", "failure_rate"),
    "fails, informal": ("06_formality", "informal", "failure_rate"),
}
README = ("embedded", "cpu", "thesis")


def finished(profile: str) -> dict[Path, dict]:
    """The runs of a profile that have a provenance.json: {folder: its content}, in the order of models and notebooks."""
    found = sorted((paths.outputs() / profile).glob("*/*/*/provenance.json"))
    return {path.parent: provenance.read_json(path) for path in found}


def order(names: set[str]) -> list[str]:
    """Model names in the order of config/models.yaml, others behind."""
    known = list(parameters.models())
    return sorted(names, key=lambda name: (known.index(name) if name in known else len(known), name))


def headline(profile: str) -> pd.DataFrame:
    """The headline numbers of a profile's default runs: one row per number, one column per model, `value (low to high)` in percent."""
    cells = {}
    for folder, about in finished(profile).items():
        if folder.name != "default":
            continue
        metrics = tables.read(folder / "metrics.csv", tables.METRICS)
        for name, (notebook, part, metric) in HEADLINES.items():
            row = metrics[(metrics["slice"] == part) & (metrics["metric"] == metric)]
            if about["notebook"] == notebook and len(row):
                value, low, high = row.iloc[0][["value", "ci_low", "ci_high"]] * 100
                cells.setdefault(about["parameters"]["model_name"], {})[name] = f"{value:.1f} ({low:.1f} to {high:.1f})"
    names = order(set(cells))
    return pd.DataFrame({name: cells[name] for name in names}, index=list(HEADLINES)).dropna(how="all")


def unfinished(profile: str) -> dict[str, str]:
    """Folders of a profile where a notebook was started and not finished, with the sentence that it left."""
    found = {}
    for path in sorted((paths.outputs() / profile).glob("*/*/*/executed.ipynb")):
        if not (path.parent / "provenance.json").is_file():
            error = path.with_name("error.txt")
            found[paths.shown(path.parent)] = error.read_text(encoding="utf-8").strip() if error.is_file() else "interrupted; run it again."
    return found


def printed(profile: str) -> str:
    """What run_all.sh prints at its end."""
    runs, table = finished(profile), headline(profile)
    lines = [f"Executed notebooks of profile {profile} ({len(runs)} finished runs):"]
    lines += [f"  {paths.shown(folder / 'executed.ipynb')}" for folder in runs]
    if len(table):
        lines += ["", "Percent, with 95% intervals:", "", table.rename(index=lambda name: name.replace("*", "")).to_markdown()]
    lines += [f"\nNOT FINISHED {folder}: {why}" for folder, why in unfinished(profile).items()]
    return "\n".join(lines)


def readme_table(profile: str) -> str:
    """The headline table of a profile in Markdown."""
    return headline(profile).fillna("").to_markdown()


def with_tables(text: str) -> str:
    """README.md's text with the tables between its markers `<!-- headline PROFILE -->` and `<!-- end -->` made anew."""
    for profile in README:
        start = f"<!-- headline {profile} -->\n"
        if start in text:
            before, rest = text.split(start, 1)
            text = before + start + readme_table(profile) + "\n" + rest[rest.index("<!-- end -->") :]
    return text


def main(words: list[str]) -> int:
    """The command line."""
    if words == ["--readme"]:
        readme = paths.ROOT / "README.md"
        readme.write_text(with_tables(readme.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(printed(words[0] if words else "embedded"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
