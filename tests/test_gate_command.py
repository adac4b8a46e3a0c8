"""The gate of finished runs and of an audit: one frame of what the report judges, and the exit
status of the command.
"""

import sys

import pandas as pd
import pytest
import reports
from conftest import ROOT, run_all

from helpers import layout, tables
from study import __main__ as study
from study import gate, run
from study.audit import command, profile
from study.harden import command as hardening
from study.harden import table
from tahanuji import paths
from tahanuji.errors import InputError
from tahanuji.gate import frames

EXAMPLE = ROOT / "docs/examples/gate"
TYPOS, NEGATION = "05_typos", "04_negation"
GRID = "07_perturbation_grid"
TYPING = "rule: {must: nothing}\nfamilies: {typing: {must: stand}}\n"
RIGHT, N = "p" * 30 + "n" * 30, 60


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """The folder that commands are called from; runs go below outputs/."""
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "outputs"))
    monkeypatch.setenv("TAHAN_CALLED_FROM", str(tmp_path))
    return tmp_path


def finished(name: str, wrong: int, *variants: str) -> None:
    """The runs of an audit whose classifier errs on so many of 60 changed texts."""
    said = "o" * wrong + RIGHT[wrong:]
    for notebook, test in ((TYPOS, "typos 0.3"), (NEGATION, "gak")):
        rows = reports.perturbed(RIGHT, RIGHT, {test: said}).assign(moved=True)
        for variant in ("default", *variants):
            reports.write(name, notebook, rows, variant, f"audit-{name}", judged="INV", rates="0.3")
    content = {"audited": name, "profile": f"audit-{name}"}
    profile.write(layout.outputs() / f"audit-{name}", content)


def decided(name: str) -> dict[str, str]:
    judged = pd.read_csv(layout.outputs() / f"audit-{name}/gate/gate.csv")
    return dict(zip(judged["test"], judged["outcome"], strict=True))


def test_finished_runs_are_judged_as_the_report_judges_them(capsys):
    finished("lama", 30)
    assert gate.judge("audit-lama", "default", "") == 1
    assert decided("lama") == {"negation: gak": "failed", "typos: 0.3 per word": "failed"}
    said = capsys.readouterr().out
    assert "failed: abbreviation: negation: gak: errors added +50.0 (" in said
    kept = frames.read(layout.outputs() / "audit-lama/gate" / gate.OUTCOMES)
    assert not set(frames.TEXTS) & set(kept) and len(kept) == 2 * N
    assert set(kept["family"]) == {"abbreviation", "typing"}
    assert study.main(["gate", "audit-lama", "--policy", "lenient"]) == 1


def test_a_new_audit_beside_an_old_one_names_what_got_worse():
    finished("lama", 4)
    finished("baru", 40)
    assert gate.judge("audit-baru", "", "lama") == 1
    folder = layout.outputs() / "audit-baru/gate"
    page = (folder / "private/against.md").read_text(encoding="utf-8")
    assert page.startswith("# baru beside lama")
    assert "positive, now neutral (right: positive): kalimat 5 dari made-up" in page
    assert len(pd.read_csv(folder / "private/flips.csv")) == 2 * 36
    assert not (folder / "against.md").exists()
    assert folder.joinpath("private").stat().st_mode & 0o077 == 0
    assert gate.judge("audit-lama", "", "baru") == 0  # better is no worse
    words = ["gate", "audit-baru", "--against", f"outputs/audit-lama/gate/{gate.OUTCOMES}"]
    assert study.main(words) == 1


def test_what_is_not_there_is_refused_in_a_sentence(capsys):
    finished("lama", 4)
    for words, message in (
        (["audit-lama", "--against", "lam"], "did you mean 'lama'?"),
        (["audit-lama", "--policy", "defaul"], "did you mean 'default'?"),
        (["audit-lama", "--model", "lain"], "no finished test of lain"),
        (["audit-tiada"], "unknown profile"),
    ):
        assert study.main(["gate", *words]) == 2
        said = capsys.readouterr().err
        assert message in said and said.count("\n") == 1


def test_repeats_of_a_test_are_draws_of_the_same_texts(here):
    finished("ulang", 4, "seed_2", "seed_3")
    (here / "three.yaml").write_text("rule: {margin: 0.2, repeats: 3}\n", encoding="utf-8")
    assert gate.judge("audit-ulang", "three.yaml", "") == 0
    judged = pd.read_csv(layout.outputs() / "audit-ulang/gate/gate.csv")
    assert judged["n"].tolist() == [3 * N] * 2
    finished("sekali", 4)
    assert gate.judge("audit-sekali", "three.yaml", "") == 2


def test_texts_of_failures_that_lie_apart_come_back(here):
    rows = reports.perturbed("pp", "pp", {"gak": "on"})
    folder = here / "run"
    (folder / "private").mkdir(parents=True)
    tables.write(folder / "private/misclassified.csv", rows.head(1))
    lean = tables.bare(rows)
    told = gate.with_texts(type("Run", (), {"folder": folder}), lean)
    assert told["perturbed"].tolist()[0] == rows["perturbed"][0] and len(told) == 2
    assert pd.isna(told["perturbed"][1])


@pytest.fixture
def audited(here, monkeypatch):
    """What the audit's command asks the gate for; runs are not made."""
    asked = []
    monkeypatch.setattr(run, "main", lambda words: 0)
    monkeypatch.setattr(gate, "judge", lambda *words: asked.append(words) or 1)
    function = 'def nilai(texts):\n    return ["negative" for _ in texts]\n'
    (here / "penilai_gerbang.py").write_text(function, encoding="utf-8")
    monkeypatch.delitem(sys.modules, "penilai_gerbang", raising=False)  # that of another test
    return asked


def test_an_audit_ends_with_the_status_of_its_gate(audited, monkeypatch, capsys):
    words = ["audit", "penilai_gerbang.py:nilai", "--alone", "--name", "saya"]
    finished("lama", 4)
    assert study.main(words) == 0 and not audited
    assert study.main([*words, "--gate", "strict", "--against", "lama"]) == 1
    assert audited == [("audit-saya", "strict", "lama")]
    assert study.main([*words, "--gate", "strict", "--dry-run"]) == 0
    monkeypatch.setattr(run, "main", lambda words: 1)  # runs that failed decide nothing
    assert study.main([*words, "--gate", "strict"]) == 2 and len(audited) == 1
    capsys.readouterr()


def test_an_older_classifier_is_audited_first_and_on_the_same_texts(audited, here, monkeypatch):
    made = []
    monkeypatch.setattr(run, "main", lambda words: made.append(words[0]) or 0)
    older = (here / "penilai_gerbang.py").read_text().replace("nilai(", "nilai_lama(")
    (here / "penilai_lama.py").write_text(older, encoding="utf-8")
    words = ["audit", "penilai_gerbang.py:nilai", "--alone", "--quick", "--against"]
    assert study.main([*words, "penilai_lama.py:nilai_lama"]) == 1
    assert made == ["audit-nilai_lama", "audit-nilai"]
    assert audited == [("audit-nilai", "", "nilai_lama")]
    old, new = (paths.read_yaml(layout.outputs() / name / "profile.yaml") for name in made)
    assert old["runs"] == new["runs"] and old["left_out"] == new["left_out"]
    assert study.main([*words, "penilai_gerbang.py:nilai"]) == 1
    assert audited[1] == ("audit-nilai", "", "nilai-old")


def test_what_cannot_be_compared_is_refused_first(audited, here, monkeypatch, capsys):
    monkeypatch.setattr(run, "main", lambda words: pytest.fail("an audit ran"))
    words = ["audit", "penilai_gerbang.py:nilai", "--alone", "--name", "saya", "--against"]
    profile.write(layout.outputs() / "audit-lama", {"audited": "lama", "dataset": "data-1/texts"})
    for old, message in (("lam", "did you mean 'lama'"), ("lama", "audited on other texts")):
        assert study.main([*words, old]) == 2
        assert message in capsys.readouterr().err


def test_an_audit_refuses_a_policy_before_anything_runs(audited, capsys):
    words = ["audit", "penilai_gerbang.py:nilai", "--gate", "strickt"]
    assert study.main(words) == 2 and "did you mean 'strict'?" in capsys.readouterr().err
    assert not layout.outputs().exists()


@pytest.mark.parametrize(
    ("rule", "message"),
    [("no worse than baseline", "name it with --against"), ("no worse than lam", "mean 'lama'?")],
)
def test_a_baseline_that_is_not_there_is_refused_before_anything_runs(
    audited, here, monkeypatch, capsys, rule, message
):
    monkeypatch.setattr(run, "main", lambda words: pytest.fail("an audit ran"))
    profile.write(layout.outputs() / "audit-lama", {"audited": "lama"})
    (here / "own.yaml").write_text(f"rule: {{must: {rule}}}\n", encoding="utf-8")
    assert study.main(["audit", "penilai_gerbang.py:nilai", "--gate", "own.yaml"]) == 2
    assert message in capsys.readouterr().err


def test_a_baseline_that_the_command_makes_is_none_that_lacks(here):
    (here / "own.yaml").write_text("rule: {must: no worse than saya}\n", encoding="utf-8")
    for own, against in (("saya", ""), ("baru", "saya"), ("audit-saya", "")):
        gate.check_baselines(gate.asked("own.yaml", against), against, own)
    with pytest.raises(InputError, match="unknown audit 'saya'"):
        gate.check_baselines(gate.asked("own.yaml", "lain"), "lain", "baru")


@pytest.mark.parametrize(
    ("policy", "message"), [("strickt", "did you mean 'strict'"), ("no_worse", "harden has none")]
)
def test_a_hardening_refuses_a_policy_before_anything_is_trained(
    audited, monkeypatch, capsys, policy, message
):
    monkeypatch.setattr(hardening.run, "wait_for", lambda *_: pytest.fail("an audit ran"))
    assert study.main(["harden", "penilai_gerbang.py:nilai", "--gate", policy]) == 2
    assert message in capsys.readouterr().err and not layout.outputs().exists()


def test_an_audit_of_a_model_that_draws_runs_every_test_again(audited, here, capsys):
    (here / "two.yaml").write_text("rule: {repeats: 2}\n", encoding="utf-8")
    words = ["penilai_gerbang.py:nilai", "--alone", "--gate", "two.yaml", "--name", "saya"]
    command.prepare(command.parser().parse_args(words))
    made = paths.read_yaml(layout.outputs() / "audit-saya/profile.yaml")["runs"]
    assert all(variants["seed_2"]["seed"] == 2 for variants in made.values())
    several = made["03_sentence_insertion"]
    assert set(several) == {"default", "at_start", "seed_2", "at_start_seed_2"}
    capsys.readouterr()


def test_an_audit_runs_what_a_policy_of_ones_own_asks(audited, here, capsys):
    (here / "own.yaml").write_text(TYPING, encoding="utf-8")
    words = ["penilai_gerbang.py:nilai", "--alone", "--name", "saya", "--gate"]
    made = []
    for asked in (["own.yaml"], ["own.yaml", "--whole"], ["default"]):
        command.prepare(command.parser().parse_args([*words, *asked]))
        made.append(paths.read_yaml(layout.outputs() / "audit-saya/profile.yaml"))
    own, whole, ready = made
    assert set(own["runs"]) == {"02_conventional_metrics", TYPOS, GRID}
    assert "ocr" in own["runs"][GRID]["default"]["perturbations"]
    assert whole["runs"] == ready["runs"] == paths.read_yaml(profile.PLANNED)["runs"]
    assert NEGATION in own["unasked"] and whole["unasked"] == []
    assert "asks nothing of them" in capsys.readouterr().err


def test_runs_that_a_policy_narrowed_are_not_judged_by_one_that_asks_more(here, capsys):
    finished("saya", 2)
    content = {"audited": "saya", "profile": "audit-saya", "unasked": ["06_formality", "slang"]}
    profile.write(layout.outputs() / "audit-saya", content)
    (here / "own.yaml").write_text(TYPING, encoding="utf-8")
    assert study.main(["gate", "audit-saya", "--policy", "own.yaml"]) == 0
    assert study.main(["gate", "audit-saya", "--policy", "lenient"]) == 2
    assert "without 06_formality, slang, and lenient asks more" in capsys.readouterr().err


@pytest.mark.parametrize(("statuses", "status"), [([1, 0], 0), ([2, 1], 1), ([0, 2], 2)])
def test_a_hardening_passes_where_the_hardened_classifier_does(
    audited, monkeypatch, capsys, statuses, status
):
    calls = []
    monkeypatch.setattr(table, "write", lambda *words: "page")
    monkeypatch.setattr(
        hardening.run, "wait_for", lambda words, _: calls.append(words) or statuses[len(calls) - 1]
    )
    words = ["harden", "penilai_gerbang.py:nilai", "--name", "saya"]
    assert study.main([*words, "--gate", "strict"]) == status
    assert [words[-3:] for words in calls] == [["--gate", "strict", "--whole"]] * 2
    capsys.readouterr()


def documented() -> list[tuple[list[str], int]]:
    """The commands of the documented example, and the exit status that stands behind each."""
    page = (ROOT / "docs/gate.md").read_text(encoding="utf-8")
    page = page.split("## A function that fails")[1]
    lines = [line.split("#") for line in page.splitlines() if line.startswith("./run_all.sh")]
    return [(command.split()[1:], int(said.split(":")[1])) for command, said in lines]


def test_the_documented_example_fails_and_passes_one_policy():
    (before, failed), (after, passed) = documented()
    assert (before[0], after[0], failed, passed) == ("audit", "harden", 1, 0)
    assert before[1:4] == after[1:4] and (ROOT / before[3]).is_file()


@pytest.mark.long
def test_a_strangers_function_fails_is_hardened_and_passes(tmp_path):
    said = []
    for words, status in documented():
        done = run_all(tmp_path, *words, "--cores", "1", "--omit-from", "report")
        assert done.returncode == status, done.stderr[-3000:]
        said += done.stdout.splitlines()
    names = ("classify", "classify-before", "classify-after")
    judged = {name: pd.read_csv(tmp_path / f"audit-{name}/gate/gate.csv") for name in names}
    asked = {name: table[table["must"] == "stand"] for name, table in judged.items()}
    assert (asked["classify"]["outcome"] == "failed").any() and len(asked["classify"]) == 3
    told = ["test", "value", "outcome"]
    alone, before = (asked[name][told].sort_values("test").values.tolist() for name in names[:2])
    assert alone == before  # the runs that the policy needs, and all of them
    assert asked["classify-after"]["outcome"].tolist() == ["passed"] * 3
    for name, outcome in zip(names, ("failed", "failed", "passed"), strict=True):
        assert any(line.startswith(f"{name}, policy: {outcome}") for line in said)
    again = ["gate", "audit-classify-after", "--policy", str(EXAMPLE / "policy.yaml")]
    assert study_elsewhere(tmp_path, *again, "--against", "classify-before") == 0
    page = tmp_path / "audit-classify-after/gate/private/against.md"
    assert "What got worse" in page.read_text(encoding="utf-8")


def study_elsewhere(outputs, *words: str) -> int:
    """The exit status of a study's command on a folder of outputs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAHAN_OUTPUTS", str(outputs))
        return study.main(list(words))
