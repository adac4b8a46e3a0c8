"""What a run depends on, read off code, and what makes it stale."""

import json
from pathlib import Path

import pytest

from helpers import layout, notebooks, parameters
from study import __main__ as study
from study import profiles, reads, run
from tahanuji import data, paths


def test_names_that_code_imports_and_uses_count_wherever_they_stand():
    named = reads.references(
        "from tahanuji import data, perturb as changes, measure\n"
        "from tahanuji.models import spec\n"
        "import pandas\n"
        "def later():\n"
        "    from tahanuji.perturb import noise\n"
        "    return noise.made(f'errors_{language}.csv') + changes.apply(spec('mini'))\n"
    )
    three = {"tahanuji.perturb", "tahanuji.models", "tahanuji.perturb.noise"}
    assert named.modules == three and named.models == {"mini"}
    assert "errors_*.csv" in named.words


def test_what_a_package_exports_counts_as_used():
    named = reads.references("from tahanuji.perturb import noise\n__all__ = ['noise']\n")
    assert named.modules == {"tahanuji.perturb.noise"}


def test_modules_that_are_loaded_by_name_count():
    one = reads.references("import_module('tahanuji.perturb.noise')")
    assert one.modules == {"tahanuji.perturb.noise"}
    every = reads.references("import_module(f'tahanuji.perturb.{name}')").modules
    assert {"tahanuji.perturb.noise", "tahanuji.perturb.negation"} < every


def dependencies(tmp_path: Path, notebook: str, **given) -> set[str]:
    """What a run of `tfidf` on the embedded corpus depends on."""
    declared = parameters.declared(layout.NOTEBOOKS / f"{notebook}.ipynb")
    asked = {"model_name": "tfidf", "dataset": "embedded"} | given
    values = {name: parameter.default for name, parameter in declared.items()} | asked
    return set(reads.of(notebook, values, tmp_path / "own/tfidf" / notebook / "default"))


@pytest.mark.parametrize(
    ("notebook", "files"),
    [
        ("01_finetune", ["src/tahanuji/training/__init__.py", "src/tahanuji/models/tfidf.py"]),
        ("05_typos", ["src/tahanuji/perturb/characters.py", "data/lexicons/sentiment_words.csv"]),
        ("07_perturbation_grid", ["data/lexicons/misspellings_id.csv", "data/validity/shares.csv"]),
        ("08_code_mixing", ["data/lexicons/codemix.csv", "data/lexicons/stop_words.csv"]),
        ("10_indonlu", ["src/tahanuji/tagging/corpus.py", "src/tahanuji/perturb/realistic.py"]),
        ("11_indonli", ["data/nli/suite.csv", "config/models.yaml#mini"]),
        ("12_checklist", ["data/checklist/ratings.csv", "data/checklist/templates/idioms.csv"]),
        ("17_hardening", ["src/tahanuji/harden/normaliser.py", "src/tahanuji/harden/noise.py"]),
    ],
)
def test_a_run_depends_on_its_code_and_the_files_that_this_names(tmp_path, notebook, files):
    own = dependencies(tmp_path, notebook)
    always = {"config/models.yaml#tfidf", f"notebooks/{notebook}.ipynb", "data/embedded/test.tsv"}
    assert always | {*files} <= own
    counted = [name for name in own if name.startswith("src/")]
    assert all(name.startswith("src/tahanuji/") for name in counted)
    assert not {"src/tahanuji/paths.py", "src/tahanuji/errors.py"} & own
    assert not [name for name in own if name.startswith(("data/published/", "data/downloads/"))]
    assert all(reads.digest(name) for name in own)


def test_parameters_name_the_data_and_the_model(tmp_path):
    own = dependencies(tmp_path, "06_formality", dataset="smsa", model_name="mini")
    for name in ("datasets/smsa", "sources/indonlu/files/smsa_test", "formality/embedded"):
        assert f"data/registry.yaml#{name}" in own
    assert {"data/formality/triplets.csv", "data/models/mini/model.safetensors"} <= own
    assert "config/models.yaml#tfidf" not in own
    elsewhere = dependencies(tmp_path, "06_formality", model_name="owner/name")
    assert "config/models.yaml#indobert" in elsewhere


def test_a_report_depends_on_all_rooms_and_the_published_figures(tmp_path):
    own = set(reads.of(notebooks.report(), {"profile": "embedded"}, tmp_path))
    expected = {"src/helpers/tables.py", "src/study/report/runs.py", "data/published/errata.csv"}
    assert expected <= own


def finished(folder: Path, read: object) -> Path:
    """A run's folder with a provenance.json that says what it depends on."""
    folder.mkdir(parents=True)
    paths.write_json(folder / "provenance.json", {"read": read})
    return folder


def checkpoint(training: Path, dataset: str) -> None:
    """A finished checkpoint of a training."""
    (training / "checkpoint/best").mkdir(parents=True)
    (training / "checkpoint/done.json").write_text("{}", encoding="utf-8")
    card = {"kind": "tfidf", "labels": data.LABELS, "dataset": dataset}
    paths.write_json(training / "checkpoint/best/tahan.json", card)


def test_a_test_depends_on_what_its_checkpoints_training_depended_on(tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    trainings = tmp_path / "own/tfidf/01_finetune"
    for variant, dataset in (("default", "embedded"), ("nli", "nli")):
        checkpoint(finished(trainings / variant, {f"made/{variant}": "0"}), dataset)
    other = finished(tmp_path / "own/mini/01_finetune/default", {"made/mini": "0"})
    checkpoint(other, "embedded")

    def inherited(notebook: str, **given: str) -> set[str]:
        every = dependencies(tmp_path, notebook, **given)
        return {name.removeprefix("made/") for name in every if name.startswith("made/")}

    assert inherited("05_typos") == {"default"}
    assert inherited("05_typos", dataset="nli") == {"nli"}
    assert inherited("05_typos", checkpoint=str(other / "checkpoint/best")) == {"mini"}
    assert inherited("05_typos", checkpoint="owner/name") == set()
    assert inherited("11_indonli", dataset="nli") == {"default", "nli"}
    assert {"default", "mini"} <= inherited("02_conventional_metrics")
    (trainings / "default/provenance.json").write_text("{", encoding="utf-8")
    assert inherited("05_typos") == set()


@pytest.fixture
def profile(tmp_path, monkeypatch) -> Path:
    """The folder of a profile with four runs: current, changed, damaged, and of no plan."""
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    name = "src/tahanuji/data/__init__.py"
    current = {name: reads.digest(name)}
    folder = tmp_path / "embedded/tfidf"
    finished(folder / "05_typos/default", current)
    finished(folder / "06_formality/default", {name: "0" * 64})
    finished(folder / "04_negation/default", current)
    finished(folder / "04_negation/mine", {})
    return folder


def stale() -> set[str]:
    config = paths.read_yaml(profiles.configuration("embedded"))
    return {path.parts[-3] for path in reads.stale("embedded", config)}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"read": 3}', "{}", "\x00\xff"])
def test_a_damaged_run_is_stale_and_hides_no_other_one(profile, content):
    assert stale() == {"06_formality"}
    (profile / "04_negation/default/provenance.json").write_text(content, encoding="latin-1")
    assert stale() == {"04_negation", "06_formality"}


def test_stale_runs_are_forced_and_named_with_what_changed(profile, capsys):
    configuration = profiles.configuration("embedded")
    words = run.arguments("embedded", configuration, ["--cores", "1"])
    forced = words[words.index("--forcerun") + 1 : words.index("--configfile")]
    assert forced == [str(profile / "06_formality/default/provenance.json")]
    assert study.main(["stale", "embedded"]) == 0
    line = capsys.readouterr().out.strip()
    assert line.endswith("06_formality/default: src/tahanuji/data/__init__.py")


def test_every_dependency_of_a_committed_run_can_be_looked_up():
    for path in layout.REFERENCE.glob("embedded/*/*/provenance.json"):
        for about in json.loads(path.read_text(encoding="utf-8")).values():
            assert all(isinstance(name, str) for name in reads.changed(about))
