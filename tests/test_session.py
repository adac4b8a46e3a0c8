"""Where runs by hand go, and the checkpoints that they find there."""

from types import SimpleNamespace

import folders
import pytest

from helpers import checkpoints, layout, parameters
from tahanuji import data, models
from tahanuji.errors import InputError

NOTEBOOKS = [path for path in sorted(layout.NOTEBOOKS.glob("*.ipynb")) if path.stem < "90"]


@pytest.fixture(autouse=True)
def outputs(tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "outputs"))
    return tmp_path / "outputs"


def by_hand(notebook: str, **given) -> SimpleNamespace:
    """A stub of a notebook's run without run_dir: its defaults, but for what is given."""
    declared = parameters.declared(layout.NOTEBOOKS / f"{notebook}.ipynb")
    values = {name: parameter.default for name, parameter in declared.items()} | given
    folder = layout.default_folder(notebook, values)
    return SimpleNamespace(
        parameters=values, dir=folder, model_name=values["model_name"], device="cpu", facts={}
    )


def test_two_data_sets_have_two_folders():
    one, other = by_hand("01_finetune", dataset="smsa").dir, by_hand("01_finetune").dir
    assert one.parts[-4:] == ("interactive-smsa", "mini", "01_finetune", "default")
    assert other.parts[-4:] == ("interactive-embedded", "mini", "01_finetune", "default")
    own = by_hand("01_finetune", dataset="/some/where/my reviews").dir
    assert own.parts[-4] == "interactive-some--where--my-reviews"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_comment_on_run_dir_names_the_folder(path):
    comment = parameters.declared(path)["run_dir"].comment
    folder = by_hand(path.stem, dataset="<d>", model_name="<m>").dir
    said = comment.split("outputs/")[1].replace("<dataset>", "-d-").replace("<model>", "-m-")
    assert said == folder.relative_to(layout.outputs()).as_posix()


def trained(run: SimpleNamespace, base: str) -> None:
    """Lay the checkpoint that a run of notebook 01 leaves."""
    labels, folder = data.labels(run.parameters["dataset"]), run.dir / "checkpoint"
    about = {"model_name": run.model_name, "dataset": run.parameters["dataset"]}
    models.save(models.build(base, labels), folder / "best", **about)
    (folder / "done.json").write_text("{}", encoding="utf-8")


def test_a_checkpoint_is_found_by_its_data_set_or_clearly_missed(tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_RUNNER", "1")
    trained(by_hand("01_finetune", dataset="smsa"), str(folders.base(tmp_path / "base", "bert")))
    found = checkpoints.load(by_hand("04_negation", dataset="smsa"))
    assert found.card["dataset"] == "smsa"
    with pytest.raises(InputError, match="fine-tuned on 'embedded'.*there are some on: smsa"):
        checkpoints.load(by_hand("04_negation"))


def test_a_checkpoint_that_is_missing_is_made_by_hand_and_not_by_the_runner(
    monkeypatch, capsys, tmp_path
):
    run = by_hand("04_negation", model_name="tfidf")
    monkeypatch.setenv("TAHAN_RUNNER", "1")
    checkpoints.ensure(run)
    assert not list(layout.outputs().glob("**/done.json"))
    monkeypatch.delenv("TAHAN_RUNNER")
    checkpoints.ensure(run)
    assert "'tfidf' on 'embedded' yet: it is fine-tuned now" in capsys.readouterr().out
    assert run.facts["training_seconds"] > 0
    assert checkpoints.load(run).card["dataset"] == "embedded"
    checkpoints.ensure(run)
    checkpoints.ensure(by_hand("04_negation", model_name="tfidf", dataset=str(tmp_path)))
    assert "now" not in capsys.readouterr().out


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_that_test_a_checkpoint_make_it_where_there_is_none(path):
    source = path.read_text(encoding="utf-8")
    assert source.count("checkpoints.ensure(run)") == source.count("checkpoints.load(run")
