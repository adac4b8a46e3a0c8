"""Fine-tuning: the epoch table, best and last checkpoints, early stopping, and runs that were
interrupted or finished before.
"""

import json
import os
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace

import folders
import numpy as np
import pandas as pd
import pytest
import torch
import transformers
from folders import LABELS
from safetensors.numpy import load_file
from sklearn.metrics import accuracy_score, f1_score, log_loss, precision_score, recall_score
from sklearn.pipeline import Pipeline

from tahanuji import data, fingerprints, models, training
from tahanuji.training import precision, trainer

SEED = 11
STEPS = 4  # of an epoch: 36 texts in batches of 9


def frame(split: str, rows: slice) -> pd.DataFrame:
    """Some sentences of every label, as tahanuji.data.load gives them."""
    pairs = [(text, label) for label in LABELS for text in folders.SENTENCES[label][rows]]
    table = pd.DataFrame(pairs, columns=["text", "label"])
    table.insert(0, "id", [f"own-{split}-{number:05d}" for number in range(1, len(table) + 1)])
    table.attrs["source"] = {"name": "own", "split": split, "sha256": split, "rows": len(table)}
    return table


TRAIN, VALID = frame("train", slice(0, 12)), frame("valid", slice(12, 16))


def make_job(folder: Path, model_name: Path | str, **changes) -> training.Job:
    values = {"seed": SEED, "precision": "fp32"} | changes
    return training.Job(str(model_name), "own", folder / "checkpoint", **values)


def train(
    folder: Path, base: Path | str, job: dict | None = None, data: pd.DataFrame = TRAIN, **changes
) -> SimpleNamespace:
    """What the notebook 01_finetune does: seeds, classifier, settings, fine-tuning; `changes` are
    settings, `job` changes to the job.
    """
    job = make_job(folder, base, **job or {})
    transformers.set_seed(job.seed)
    classifier = models.build(str(base), LABELS)
    chosen = training.settings(
        str(base), **{"learning_rate": 2e-3, "epochs": 3, "batch_size": 9} | changes
    )
    history = training.fine_tune(job, classifier, data, VALID, chosen)
    return SimpleNamespace(
        job=job, classifier=classifier, chosen=chosen, history=history, folder=job.folder
    )


def interrupt(epoch: int, blow) -> type[trainer.EpochLine]:
    """A callback class that strikes as soon as the checkpoint of an epoch is complete."""

    class Interrupt(trainer.EpochLine):
        def on_save(self, args, state, control, **kwargs):
            if round(state.epoch) == epoch:
                blow()

    return Interrupt


def train_until_killed(folder: str, base: str) -> None:
    """For a process of its own: train and die by SIGKILL after the first epoch's checkpoint."""
    trainer.EpochLine = interrupt(1, lambda: os.kill(os.getpid(), signal.SIGKILL))
    train(Path(folder), Path(base))


def card(folder: Path) -> dict:
    return json.loads((folder / "tahan.json").read_text(encoding="utf-8"))


def weights(folder: Path) -> dict[str, np.ndarray]:
    return load_file(folder / "model.safetensors")


def same_weights(one: Path, other: Path) -> bool:
    first, second = weights(one), weights(other)
    return first.keys() == second.keys() and all(
        np.allclose(first[name], second[name], atol=1e-5) for name in first
    )


@pytest.fixture(scope="session")
def base(tmp_path_factory) -> Path:
    return folders.base(tmp_path_factory.mktemp("base"), "bert")


@pytest.fixture(scope="session")
def finished(base, tmp_path_factory) -> SimpleNamespace:
    """An uninterrupted run of three epochs."""
    return train(tmp_path_factory.mktemp("finished"), base)


@pytest.fixture(scope="session")
def tfidf(tmp_path_factory) -> SimpleNamespace:
    return train(tmp_path_factory.mktemp("tfidf"), "tfidf")


@pytest.fixture(scope="session")
def killed(base, tmp_path_factory) -> Path:
    """The folder of a run whose process was killed after its first epoch."""
    folder = tmp_path_factory.mktemp("killed")
    done = folders.python(
        "import sys, test_training; test_training.train_until_killed(*sys.argv[1:])",
        str(folder),
        str(base),
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    return folder


@pytest.fixture(scope="session")
def interrupted(base, tmp_path_factory) -> Path:
    """The folder of a run that was interrupted after its first epoch."""

    def stop():
        raise KeyboardInterrupt

    folder = tmp_path_factory.mktemp("interrupted")
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(trainer, "EpochLine", interrupt(1, stop))
        train(folder, base)
    return folder


@pytest.fixture
def scripted(monkeypatch):
    """scripted(0.2, 0.9) makes the evaluations give these macro-F1 values, one after the other."""

    def script(*values: float) -> None:
        left = iter(values)
        names = ("accuracy", "macro_precision", "macro_recall", "macro_f1")
        monkeypatch.setattr(
            trainer, "outcome_scores", lambda outcome, labels: dict.fromkeys(names, next(left))
        )

    return script


@pytest.fixture
def counted(monkeypatch) -> list[dict]:
    """The settings of every training that really starts; the training itself is replaced by one
    row, a file and the weights as they are.
    """
    calls = []

    def fit(job, classifier, train, valid, chosen, folder):
        calls.append(chosen)
        (folder / f"weights-{len(calls)}").touch()
        for name in ("best", "last"):
            models.save(classifier, folder / name)
        return [dict.fromkeys(trainer.COLUMNS, 1)]

    monkeypatch.setattr(training, "fit_transformer", fit)
    return calls


# The epoch table


def test_epoch_table_has_its_columns_and_a_row_per_epoch(finished):
    assert list(finished.history.columns) == [
        "epoch",
        "train_loss",
        "valid_loss",
        "accuracy",
        "precision",
        "recall",
        "f1",
    ]
    assert finished.history["epoch"].tolist() == [1, 2, 3]
    assert finished.history.notna().all(axis=None)


def test_training_learns_its_texts(base, tmp_path):
    trained = train(tmp_path, base, learning_rate=5e-3, epochs=12)
    rows = models.load(trained.folder / "last", LABELS).predict_proba(list(TRAIN["text"]))
    assert (
        np.mean(
            [LABELS[row.argmax()] == label for row, label in zip(rows, TRAIN["label"], strict=True)]
        )
        > 0.8
    )
    assert trained.history["train_loss"].iloc[-1] < 0.5 * trained.history["train_loss"].iloc[0]


@pytest.mark.parametrize("which", ["best", "last"])
@pytest.mark.parametrize("name", ["finished", "tfidf"])
def test_epoch_table_says_what_the_checkpoint_scores(request, name, which):
    trained = request.getfixturevalue(name)
    row = trained.history.set_index("epoch").loc[card(trained.folder / which)["epoch"]]
    rows = (
        models.load(trained.folder / which, LABELS).predict_proba(list(VALID["text"])).astype(float)
    )
    said, gold = [LABELS[column] for column in rows.argmax(1)], list(VALID["label"])
    assert row["accuracy"] == pytest.approx(accuracy_score(gold, said))
    for column, score in (
        ("precision", precision_score),
        ("recall", recall_score),
        ("f1", f1_score),
    ):
        assert row[column] == pytest.approx(score(gold, said, average="macro", zero_division=0))
    by_name = rows[:, np.argsort(LABELS)] / rows.sum(1, keepdims=True)
    assert row["valid_loss"] == pytest.approx(
        log_loss(gold, by_name, labels=sorted(LABELS)), abs=1e-4
    )


def test_tfidf_table_has_a_row_per_penalty(tfidf):
    assert list(tfidf.history.columns) == [*trainer.COLUMNS, "penalty"]
    assert tfidf.history["penalty"].tolist() == models.spec("tfidf")["penalties"]
    assert tfidf.history["epoch"].tolist() == list(range(1, len(tfidf.history) + 1))
    assert tfidf.history["train_loss"].is_monotonic_decreasing


def test_tfidf_learns_from_texts_that_lack_a_label(tmp_path):
    trained = train(tmp_path, "tfidf", data=TRAIN[TRAIN["label"] != "neutral"])
    assert (
        models.load(trained.folder / "best", LABELS).predict_proba(list(VALID["text"]))[:, 1] == 0
    ).all()


def test_facts_hold_settings_and_seconds(finished):
    assert finished.job.facts["training"] == finished.chosen
    assert finished.job.facts["training_seconds"] > 0


# Best and last


@pytest.mark.parametrize("name", ["finished", "tfidf"])
def test_cards_tell_what_was_trained_on_what_and_how(request, name):
    trained = request.getfixturevalue(name)
    epochs = {
        "best": training.best_epoch(trained.history.to_dict("records")),
        "last": len(trained.history),
    }
    for which, epoch in epochs.items():
        expected = {
            "model_name": trained.job.model_name,
            "dataset": "own",
            "epoch": epoch,
            "seed": SEED,
            "settings": trained.chosen,
            "labels": LABELS,
        }
        assert {key: card(trained.folder / which)[key] for key in expected} == expected


@pytest.mark.parametrize("name", ["finished", "tfidf"])
def test_finished_run_leaves_only_checkpoints_records_and_no_pickle(request, name):
    folder = request.getfixturevalue(name).folder
    assert {path.name for path in folder.iterdir()} == {
        "best",
        "last",
        "done.json",
        "history.json",
        "fingerprint",
    }
    assert {path.suffix for path in folder.rglob("*") if path.is_file()} == {
        ".json",
        ".safetensors",
        "",
    }


def test_best_and_last_differ_where_the_best_epoch_is_not_the_last(base, tmp_path, scripted):
    scripted(0.2, 0.9, 0.5)
    three = train(tmp_path / "three", base).folder
    scripted(0.2, 0.9)
    two = train(tmp_path / "two", base, epochs=2).folder
    assert (card(three / "best")["epoch"], card(three / "last")["epoch"]) == (2, 3)
    assert not same_weights(three / "best", three / "last")
    assert same_weights(three / "best", two / "last")


def test_best_and_last_are_equal_where_the_last_epoch_is_the_best(base, tmp_path, scripted):
    scripted(0.2, 0.5, 0.9)
    folder = train(tmp_path, base).folder
    assert card(folder / "best")["epoch"] == card(folder / "last")["epoch"] == 3
    assert same_weights(folder / "best", folder / "last")


def test_first_of_equally_good_epochs_is_kept(base, tmp_path, scripted):
    scripted(0.7, 0.7, 0.1)
    assert card(train(tmp_path, base).folder / "best")["epoch"] == 1


def test_tfidf_keeps_the_best_penalty_and_the_last(tmp_path, monkeypatch):
    values = iter([0.1, 0.9, 0.3, 0.9, 0.2])
    names = ("accuracy", "macro_precision", "macro_recall", "macro_f1")
    monkeypatch.setattr(
        training.measure, "scores", lambda *given: dict.fromkeys(names, next(values))
    )
    folder = train(tmp_path, "tfidf").folder
    assert (card(folder / "best")["epoch"], card(folder / "last")["epoch"]) == (2, 5)
    size = {which: np.abs(weights(folder / which)["coef"]).sum() for which in ("best", "last")}
    assert size["best"] < 0.5 * size["last"]


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ([0.5], 1),
        ([0.1, 0.2, 0.3], 3),
        ([0.3, 0.2, 0.1], 1),
        ([0.1, 0.8, 0.8], 2),
        ([0.4, 0.4, 0.4], 1),
    ],
)
def test_best_epoch_is_the_first_maximum(scores, best):
    assert (
        training.best_epoch(
            [{"epoch": number, "f1": score} for number, score in enumerate(scores, start=1)]
        )
        == best
    )


def test_classifier_holds_the_best_epoch_afterwards(base, tmp_path, scripted):
    scripted(0.2, 0.9, 0.5)
    trained = train(tmp_path, base)
    texts = list(VALID["text"])
    np.testing.assert_allclose(
        trained.classifier.predict_proba(texts),
        models.load(trained.folder / "best", LABELS).predict_proba(texts),
        atol=1e-5,
    )
    assert not trained.classifier.model.training


def test_faster_precision_follows_the_training(base, tmp_path):
    transformers.set_seed(SEED)
    classifier, texts = models.build(str(base), LABELS), list(VALID["text"])
    classifier.predict_proba(texts, "bf16")
    training.fine_tune(
        make_job(tmp_path, base),
        classifier,
        TRAIN,
        VALID,
        training.settings(str(base), learning_rate=2e-3, epochs=1, batch_size=9),
    )
    fresh = models.load(tmp_path / "checkpoint" / "best", LABELS)
    np.testing.assert_allclose(
        classifier.predict_proba(texts, "bf16"), fresh.predict_proba(texts, "bf16"), atol=1e-3
    )


# Interrupted


@pytest.mark.long
def test_killed_run_leaves_its_first_epoch_and_does_not_look_finished(killed):
    folder = killed / "checkpoint"
    assert [path.name for path in (folder / "steps").iterdir()] == [f"checkpoint-{STEPS}"]
    assert not [
        name for name in ("best", "last", "done.json", "history.json") if (folder / name).exists()
    ]


@pytest.mark.long
def test_killed_run_goes_on_and_ends_like_an_uninterrupted_one(
    killed, base, finished, tmp_path, capsys
):
    shutil.copytree(killed, tmp_path, dirs_exist_ok=True)
    again = train(tmp_path, base)
    printed = capsys.readouterr().out
    assert "Going on after" in printed and "epoch 2:" in printed and "epoch 1:" not in printed
    pd.testing.assert_frame_equal(again.history, finished.history, atol=1e-5, rtol=1e-5)
    assert same_weights(again.folder / "best", finished.folder / "best") and same_weights(
        again.folder / "last", finished.folder / "last"
    )
    assert card(again.folder / "best")["epoch"] == card(finished.folder / "best")["epoch"]
    assert not again.classifier.model.training


def test_training_on_texts_of_like_length_goes_on_as_any_other(
    base, finished, tmp_path, monkeypatch
):
    """Batches of like length are other batches; an interruption changes nothing about them."""

    def stop():
        raise KeyboardInterrupt

    whole = train(tmp_path / "whole", base, sampling="group_by_length")
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(trainer, "EpochLine", interrupt(1, stop))
        train(tmp_path / "broken", base, sampling="group_by_length")
    again = train(tmp_path / "broken", base, sampling="group_by_length")
    assert all(same_weights(whole.folder / name, again.folder / name) for name in ("best", "last"))
    pd.testing.assert_frame_equal(whole.history, again.history)
    assert not same_weights(whole.folder / "last", finished.folder / "last")


def test_half_written_checkpoint_is_skipped(interrupted, base, finished, tmp_path, capsys):
    shutil.copytree(interrupted, tmp_path, dirs_exist_ok=True)
    steps = tmp_path / "checkpoint" / "steps"
    half = shutil.copytree(steps / f"checkpoint-{STEPS}", steps / f"checkpoint-{2 * STEPS}")
    (half / "trainer_state.json").unlink()
    (half / "model.safetensors").write_bytes(b"half")
    again = train(tmp_path, base)
    assert f"checkpoint-{STEPS}." in capsys.readouterr().out
    pd.testing.assert_frame_equal(again.history, finished.history, atol=1e-5, rtol=1e-5)


def interrupted_before_saving(monkeypatch, *given, **more) -> None:
    """Train until every epoch is done, and break off where the best one would be saved."""

    def stop(*given, **more):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(models, "save", stop)
        with pytest.raises(KeyboardInterrupt):
            train(*given, **more)


def test_run_interrupted_after_its_last_epoch_is_completed_without_training(
    base, finished, tmp_path, monkeypatch, capsys
):
    interrupted_before_saving(monkeypatch, tmp_path, base)
    capsys.readouterr()
    again = train(tmp_path, base)
    assert "epoch 3:" not in capsys.readouterr().out
    pd.testing.assert_frame_equal(again.history, finished.history, atol=1e-5, rtol=1e-5)
    assert same_weights(again.folder / "best", finished.folder / "best") and same_weights(
        again.folder / "last", finished.folder / "last"
    )
    assert not again.classifier.model.training


def test_interrupted_run_with_other_settings_starts_over(interrupted, base, tmp_path, capsys):
    shutil.copytree(interrupted, tmp_path, dirs_exist_ok=True)
    again = train(tmp_path, base, learning_rate=1e-3)
    assert "Going on after" not in capsys.readouterr().out
    assert again.history["epoch"].tolist() == [1, 2, 3]


def steps(folder: Path, **states: str | None) -> Path:
    """A folder of Trainer checkpoints, `c4="{}"` being checkpoint-4 with this trainer_state.json,
    None without.
    """
    for name, state in states.items():
        path = folder / name.replace("c", "checkpoint-", 1)
        path.mkdir(parents=True)
        if state is not None:
            (path / "trainer_state.json").write_text(state, encoding="utf-8")
    return folder


def test_newest_complete_checkpoint_is_by_number_not_by_name(tmp_path):
    assert (
        trainer.last_complete(steps(tmp_path, c8="{}", c16="{}", c9="{}")).name == "checkpoint-16"
    )


def test_checkpoints_without_a_readable_state_are_removed(tmp_path):
    folder = steps(tmp_path, c4="{}", c8='{"epoch": 2.0, "log_his', c12=None)
    assert trainer.last_complete(folder).name == "checkpoint-4"
    assert [path.name for path in folder.iterdir()] == ["checkpoint-4"]


def test_no_complete_checkpoint_means_starting_over(tmp_path):
    assert trainer.last_complete(tmp_path / "missing") is None
    assert trainer.last_complete(steps(tmp_path, c4=None)) is None


# Finished, or changed


def test_finished_run_is_not_repeated(finished, base, tmp_path, counted, capsys):
    shutil.copytree(finished.job.folder.parent, tmp_path, dirs_exist_ok=True)
    before = {
        path: path.read_bytes() for path in (tmp_path / "checkpoint").rglob("*") if path.is_file()
    }
    again = train(tmp_path, base)
    assert counted == [] and "complete already" in capsys.readouterr().out
    pd.testing.assert_frame_equal(again.history, finished.history)
    assert {path: path.read_bytes() for path in before} == before
    assert again.job.facts["training_seconds"] == finished.job.facts["training_seconds"]


def test_mark_of_a_finished_run_is_restored(finished, base, tmp_path, counted):
    shutil.copytree(finished.job.folder.parent, tmp_path, dirs_exist_ok=True)
    (tmp_path / "checkpoint" / "done.json").unlink()
    train(tmp_path, base)
    assert counted == [] and (tmp_path / "checkpoint" / "done.json").is_file()


@pytest.mark.parametrize("which", ["best", "last"])
def test_run_whose_checkpoint_was_lost_trains_again(tfidf, tmp_path, which):
    shutil.copytree(tfidf.job.folder.parent, tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "checkpoint" / which)
    train(tmp_path, "tfidf")
    assert same_weights(tmp_path / "checkpoint" / which, tfidf.folder / which)


def other_rows() -> pd.DataFrame:
    changed = TRAIN.copy()
    changed.attrs["source"] = TRAIN.attrs["source"] | {"sha256": "another"}
    return changed


@pytest.mark.parametrize(
    "change",
    [
        {"epochs": 2},
        {"learning_rate": 1e-3},
        {"batch_size": 12},
        {"max_length": 16},
        {"schedule": "linear"},
        {"weight_decay": 0.1},
        {"sampling": "group_by_length"},
        {"job": {"seed": SEED + 1}},
        {"data": other_rows()},
        {"job": {"patience": 1}},
        {"job": {"precision": "bf16"}},
    ],
    ids=lambda change: next(iter(change.get("job") or change)),
)
def test_changed_settings_train_again(base, tmp_path, counted, change):
    train(tmp_path, base)
    train(tmp_path, base, **change)
    assert len(counted) == 2
    assert [path.name for path in (tmp_path / "checkpoint").glob("weights-*")] == ["weights-2"]


def test_changed_training_code_trains_again(base, tmp_path, counted, monkeypatch):
    train(tmp_path, base)
    plain = fingerprints.bare
    monkeypatch.setattr(
        fingerprints,
        "bare",
        lambda source: plain(source).replace("learning_rate=", "learning_rate=2 * "),
    )
    train(tmp_path, base)
    assert len(counted) == 2


def test_changed_weights_of_a_local_folder_train_again(base, tmp_path, counted):
    own = shutil.copytree(base, tmp_path / "own")
    train(tmp_path / "run", own)
    (own / "model.safetensors").write_bytes(
        (folders.base(tmp_path / "other", "bert", seed=8) / "model.safetensors").read_bytes()
    )
    train(tmp_path / "run", own)
    assert len(counted) == 2


def test_labels_that_are_declared_anew_train_again(tmp_path):
    """The same numbers with another labels.txt are other labels, though no text has changed."""
    own, facts = tmp_path / "own", []
    own.mkdir()
    for split, table in (("train", TRAIN), ("valid", VALID)):
        table[["text", "label"]].to_csv(own / f"{split}.csv", index=False)
    for names in (None, LABELS, LABELS[::-1]):
        if names:
            (own / "labels.txt").write_text("\n".join(names), encoding="utf-8")
        job = training.Job("tfidf", str(own), tmp_path, seed=SEED)
        parts = [data.load(str(own), split) for split in ("train", "valid")]
        facts.append(training.fingerprint(job, training.fresh(job, {}), *parts, {}))
    assert len(set(facts)) == 3


def test_same_settings_train_once(base, tmp_path, counted):
    train(tmp_path, base)
    train(tmp_path, base)
    assert len(counted) == 1


def test_same_seed_gives_the_same_weights_and_another_seed_others(base, finished, tmp_path):
    same, other = (
        train(tmp_path / "same", base),
        train(tmp_path / "other", base, job={"seed": SEED + 1}),
    )
    assert same_weights(same.folder / "last", finished.folder / "last")
    assert not same_weights(other.folder / "last", finished.folder / "last")


# Early stopping


@pytest.mark.parametrize(("patience", "rows"), [(1, 3), (2, 4), (0, 6)])
def test_training_stops_after_so_many_epochs_without_a_better_one(
    base, tmp_path, scripted, patience, rows
):
    scripted(0.3, 0.8, 0.7, 0.6, 0.5, 0.4)
    trained = train(tmp_path, base, job={"patience": patience}, epochs=6)
    assert trained.history["epoch"].tolist() == list(range(1, rows + 1))
    assert (card(trained.folder / "best")["epoch"], card(trained.folder / "last")["epoch"]) == (
        2,
        rows,
    )


def test_interrupted_training_stops_where_it_would_have_stopped(
    base, tmp_path, scripted, monkeypatch
):
    def stop():
        raise KeyboardInterrupt

    scripted(0.8, 0.7, 0.6, 0.5, 0.4)
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "EpochLine", interrupt(2, stop))
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path, base, job={"patience": 2}, epochs=5)
    assert len(train(tmp_path, base, job={"patience": 2}, epochs=5).history) == 3


def test_training_that_had_stopped_early_does_not_go_on(base, tmp_path, scripted, monkeypatch):
    scripted(0.8, 0.7, 0.6, 0.5)
    interrupted_before_saving(monkeypatch, tmp_path, base, job={"patience": 1}, epochs=4)
    assert len(train(tmp_path, base, job={"patience": 1}, epochs=4).history) == 2


# Settings


def test_settings_of_indobert_are_the_thesiss():
    assert training.settings("indobert") == {
        "learning_rate": 3e-6,
        "batch_size": 32,
        "epochs": 5,
        "max_length": 512,
        "schedule": "constant",
        "weight_decay": 0.0,
        "max_grad_norm": 0.0,
        "sampling": "random",
    }


@pytest.mark.parametrize("model_name", ["mini", "indobert", "mbert"])
def test_zero_and_nothing_mean_the_models_own(model_name):
    nothing = {
        "learning_rate": 0.0,
        "epochs": 0,
        "batch_size": 0,
        "max_length": 0,
        "schedule": "",
        "weight_decay": 0.0,
    }
    assert training.settings(model_name, **nothing) == training.settings(model_name)


def test_given_settings_take_the_place_of_the_models_own():
    given = {
        "learning_rate": 1e-4,
        "epochs": 2,
        "batch_size": 8,
        "max_length": 64,
        "schedule": "cosine",
        "weight_decay": 0.01,
    }
    assert training.settings("indobert", **given) == given | {
        "max_grad_norm": 0.0,
        "sampling": "random",
    }


def test_hub_ids_and_folders_get_the_settings_of_indobert(base):
    assert (
        training.settings(str(base))
        == training.settings("siapa-saja/model-apa-saja")
        == training.settings("indobert")
    )


def test_trainer_is_given_the_settings(base, tmp_path):
    chosen = training.settings("indobert", schedule="linear", weight_decay=0.25)
    job = make_job(tmp_path, base, seed=2**32 + 5)
    arguments = trainer.make_trainer(
        job, models.build(str(base), LABELS), TRAIN, VALID, chosen, tmp_path
    ).args
    assert (
        arguments.learning_rate,
        arguments.num_train_epochs,
        arguments.per_device_train_batch_size,
    ) == (3e-6, 5, 32)
    assert (
        arguments.lr_scheduler_type,
        arguments.weight_decay,
        arguments.max_grad_norm,
        arguments.seed,
    ) == ("linear", 0.25, 0.0, 5)
    assert (arguments.bf16, arguments.fp16, arguments.warmup_steps) == (False, False, 0)


@pytest.mark.parametrize(
    ("asked", "switches"),
    [("fp32", (False, False)), ("bf16", (True, False)), ("fp16", (False, True))],
)
def test_mixed_precision_is_as_asked(asked, switches):
    job = SimpleNamespace(device="cpu", precision=asked, seed=1)
    found = trainer.shared_arguments(job)
    assert (found["bf16"], found["fp16"]) == switches


@pytest.fixture
def slow_bf16(monkeypatch, tmp_path) -> list:
    """A machine on which nothing was measured yet, whose steps in bf16 take as long as the first
    says, of those in fp32; each measurement is appended.
    """
    said = [1.5]

    def measured(work, precisions):
        said.append(work)
        return {"fp32": 1.0, precisions[1]: said[0]}

    monkeypatch.setattr(precision, "measured", measured)
    monkeypatch.setattr(precision, "place", lambda: tmp_path / "kept" / "precision.json")
    precision._probed.cache_clear()
    yield said
    precision._probed.cache_clear()


@pytest.mark.parametrize(("took", "chosen"), [(1.5, "fp32"), (0.95, "fp32"), (0.5, "bf16")])
def test_auto_is_the_precision_that_a_probe_finds_faster(slow_bf16, monkeypatch, took, chosen):
    """Whatever the processor says of itself."""
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": True})
    slow_bf16[0] = took
    assert trainer.precision(torch.device("cpu"), "auto") == chosen
    found = trainer.shared_arguments(SimpleNamespace(device="cpu", precision="auto", seed=1))
    assert (found["bf16"], found["fp16"]) == (chosen == "bf16", False)
    assert trainer.precision(torch.device("mps"), "auto") == "fp32"


def test_what_was_measured_is_kept_per_machine(slow_bf16, monkeypatch):
    precision.probed("training", "bf16")
    precision._probed.cache_clear()
    assert precision.probed("training", "bf16") == {"fp32": 1.0, "bf16": 1.5}
    assert slow_bf16[1:] == ["training"]
    precision._probed.cache_clear()
    monkeypatch.setattr(precision, "machine", lambda: "another")
    precision.probed("training", "bf16")
    assert slow_bf16[1:] == ["training"] * 2


def test_a_precision_that_is_slow_here_is_said(slow_bf16):
    assert "int8 takes 1.5 times the seconds of fp32" in precision.warning("prediction", "int8")
    slow_bf16[0] = 0.4
    assert precision.warning("prediction", "bf16") == ""


def test_the_probe_measures_and_draws_nothing():
    before = torch.random.get_rng_state()
    seconds = precision.measured("prediction", ("fp32", "bf16"))
    assert all(value > 0 for value in seconds.values())
    assert precision.measured("training", ("fp32",))["fp32"] > 0
    assert torch.equal(before, torch.random.get_rng_state())


def test_auto_notes_its_probe(slow_bf16, base, tmp_path):
    trained = train(tmp_path, base, job={"precision": "auto"})
    assert trained.job.facts["training_precision"] == "fp32"
    assert trained.job.facts["precision_probe"] == {"fp32": 1.0, "bf16": 1.5}


@pytest.mark.parametrize(("able", "chosen"), [(True, "bf16"), (False, "fp16")])
def test_auto_on_a_gpu_is_half_precision_of_the_better_kind(monkeypatch, able, chosen):
    monkeypatch.setattr(
        torch.cuda,
        "is_bf16_supported",
        lambda including_emulation=True: able or including_emulation,
    )
    assert trainer.precision(torch.device("cuda"), "auto") == chosen


def test_mixed_precision_training_leaves_checkpoints_in_full_precision(base, finished, tmp_path):
    trained = train(tmp_path, base, job={"precision": "bf16"})
    assert {
        array.dtype
        for which in ("best", "last")
        for array in weights(trained.folder / which).values()
    } == {np.dtype("float32")}
    np.testing.assert_allclose(
        trained.history["train_loss"], finished.history["train_loss"], atol=0.1
    )
    assert not same_weights(trained.folder / "last", finished.folder / "last")


def test_texts_are_encoded_within_the_window_with_the_numbers_of_their_labels(base):
    classifier = models.build(str(base), LABELS, max_length=7)
    rows = trainer.encode(classifier, VALID)
    assert max(len(ids) for ids in rows["input_ids"]) == 7
    assert [LABELS[number] for number in rows["labels"]] == list(VALID["label"])


def test_tfidf_classifier_is_fitted_in_place(tfidf):
    assert isinstance(tfidf.classifier.pipeline, Pipeline)
    texts = list(VALID["text"])
    np.testing.assert_allclose(
        tfidf.classifier.predict_proba(texts),
        models.load(tfidf.folder / "best", LABELS).predict_proba(texts),
        atol=1e-6,
    )
