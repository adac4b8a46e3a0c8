"""Finished runs of a profile as one frame of outcomes, judged by a policy (`tahanuji.gate`)."""

import argparse
import re
from pathlib import Path

import pandas as pd

from helpers import layout, tables
from study.audit.asked import asks
from study.audit.profile import PREFIX
from study.judge import as_tests
from study.report import decisions, runs
from tahanuji import paths
from tahanuji.errors import InputError, unknown
from tahanuji.gate import __main__ as gate
from tahanuji.gate import against as regression
from tahanuji.gate import frames, policy
from tahanuji.results import Results, Run, select

UNDECIDED = 2
KEY = ["test", "rate", "group"]
OUTCOMES = "outcomes.csv.gz"
REPEAT = re.compile(r"_?seed_\d+$")  # of a variant that is another one with another seed


def asked(named: str, against: str) -> policy.Policy:
    """The policy that a gate is asked for; InputError where there is none of that name."""
    return policy.read(_place(named) if named else "no_worse" if against else "default")


def check_baselines(wanted: policy.Policy, against: str, own: str) -> None:
    """Raise an InputError where a policy compares with what is not there, before an audit of the
    name `own` runs, which is there by then.
    """
    if policy.BASELINE in wanted.baselines and not against:
        raise wanted.no_baseline()
    made = [policy.BASELINE, _profile(own), _profile(against)]
    for name in wanted.baselines:
        if not {name, _profile(name)} & {*made} and not is_earlier(name):
            earlier(name)  # refuses it


def _place(named: str) -> str:
    """A file from where the command was called; a name that is no file there as it is."""
    file = layout.called_from() / named
    return str(file) if file.is_file() else named


def judge(profile: str, named: str, against: str, model: str = "") -> int:
    """Judge the finished runs of a profile, and write what was decided into its folder `gate`; the
    exit status.
    """
    wanted, found = asked(named, against), runs.collect(profile)
    about = runs.settings(profile)
    if lacking := [name for name in about.get("unasked", []) if asks(wanted, name)]:
        raise InputError(
            f"{profile} ran what another policy asks, without {', '.join(lacking)}, and "
            f"{wanted.name} asks more; give the audit again with this policy."
        )
    model = model or about.get("audited") or next(iter(found.models), "")
    rows = collected(found, model)
    beside = (earlier(against), Path(against).name) if against else (None, "")
    out = layout.outputs() / profile / "gate"
    private = out / "private"  # holds texts
    private.mkdir(parents=True, exist_ok=True)
    private.chmod(0o700)
    kept = [name for name in frames.KEPT if name in rows]
    rows[kept].to_csv(out / OUTCOMES, index=False, float_format="%.6g", lineterminator="\n")
    dataset = next(iter(found.datasets), "texts")
    status = gate.run(rows, wanted, beside[0], (model, beside[1]), out, earlier, dataset)
    for name in regression.FILES if against else ():
        (out / name).replace(private / name)
    print(f"{paths.shown(out)}: {', '.join(sorted(path.name for path in out.glob('*.*')))}")
    if against:
        print(f"What got worse, first: {paths.shown(private / regression.FILES[0])}")
    return status


def earlier(name: str) -> pd.DataFrame:
    """The outcomes of an earlier audit by its name, or of a file."""
    if not is_earlier(name):
        audits = [one.name.removeprefix(PREFIX) for one in layout.outputs().glob(f"{PREFIX}*")]
        raise unknown("audit", name, sorted(audits), "A file of outcomes does too.")
    profile = _profile(name)
    if (layout.outputs() / profile).is_dir():
        model = runs.settings(profile).get("audited", name)
        return collected(runs.collect(profile), model)
    return frames.read(_place(name))


def is_earlier(name: str) -> bool:
    """Whether there is an audit of this name, or a file of outcomes."""
    return (layout.outputs() / _profile(name)).is_dir() or Path(_place(name)).is_file()


def _profile(audit: str) -> str:
    """The profile of an audit by either name."""
    return f"{PREFIX}{audit.removeprefix(PREFIX)}"


def check_texts(profile: str, against: str) -> None:
    """Raise an InputError where an earlier audit was made on other texts than a profile is."""
    old = runs.settings(_profile(against)).get("dataset", "")
    new = runs.settings(profile)["dataset"]
    if old and old.split("/")[-2:] != new.split("/")[-2:]:
        raise InputError(
            f"{against} was audited on other texts ({old}) than these ({new}), and answers are "
            f"compared text by text; give both the same --data and --quick."
        )


def collected(results: Results, model: str) -> pd.DataFrame:
    """The outcomes of a model's tests that the report judges (`decisions.judged`), repeats with
    another seed too, as `frames.prepared` gives them, with the texts that this machine has.

    Raises InputError where the model has no finished test.
    """
    judged = select(decisions.judged(results), model=model)
    parts = [part for run in results.runs if run.model == model for part in _outcomes(run, judged)]
    if not parts:
        raise InputError(f"{results.profile} has no finished test of {model or 'any model'}.")
    return frames.prepared(pd.concat(parts, ignore_index=True).assign(model=model))


def _outcomes(run: Run, judged: pd.DataFrame) -> list[pd.DataFrame]:
    """The outcomes of one run, if it is judged."""
    variant = REPEAT.sub("", run.variant) or "default"
    about = select(judged, notebook=run.notebook, variant=variant).drop_duplicates(KEY)
    if about.empty:
        return []
    about = decisions.with_family(about).assign(called=about["label"])
    about["family"] = about["family"].mask(about["type"] == "MFT", policy.SKILLS)
    about = about[[*KEY, "called", "family", "type", "instrument"]]
    rows = with_texts(run, as_tests(run.predictions())).drop(columns="family", errors="ignore")
    if "by_answer" in rows:  # the right label is the classifier's own first answer
        rows = rows.drop(columns="gold")
    rows = rows.drop(columns=["type"], errors="ignore").merge(about, on=KEY, validate="many_to_one")
    return [rows.drop(columns=KEY).rename(columns={"called": "test"})]


def with_texts(run: Run, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of a run with the texts of failures, where they lie apart."""
    path = run.folder / "private" / "misclassified.csv"
    if not path.is_file() or "perturbed" in rows:
        return rows
    held = tables.read(path, ["id"])
    key = [name for name in ("id", "test", "rate") if name in held and name in rows]
    texts = [name for name in frames.TEXTS if name in held and name not in rows]
    if "test" not in key or not texts:
        return rows
    return rows.merge(held[[*key, *texts]].drop_duplicates(key), "left", key)


def main(words: list[str]) -> int:
    """Judge the finished runs of a profile."""
    parser = argparse.ArgumentParser(prog="python -m study gate", description=__doc__)
    parser.add_argument("profile", help="such as audit-NAME, or embedded with --model")
    parser.add_argument("--policy", default="", help=f"{', '.join(policy.ready())} or a yaml file")
    parser.add_argument("--against", default="", help="an earlier audit, or a file of outcomes")
    parser.add_argument("--model", default="", help="of a profile with several")
    given = parser.parse_args(words)
    return judge(given.profile, given.policy, given.against, given.model)
