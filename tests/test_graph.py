"""What a profile's runs are given, wait for and ask of a cluster, worked out by hand."""

import pytest

from helpers import layout, notebooks, parameters
from study import costs, graph, profiles
from tahanuji import models, paths

CONFIG = {
    "profile": "own",
    "dataset": "embedded",
    "models": ["tfidf", "mini", "owner/x"],
    "checkpoints": {"owner/x": "some/folder"},
    "runs": {
        "01_finetune": {"default": {}, "nli": {"dataset": "nli"}, "seed_2": {"seed": 2}},
        "02_conventional_metrics": {"default": {}, "seed_2": {"seed": 2}},
        "05_typos": {"default": None, "other": {"rates": "0.1, 0.2"}, "pairs": {"dataset": "nli"}},
        "11_indonli": {"default": {"dataset": "nli"}},
        "13_minimal_pairs": {"default": {}},
    },
    "only": {"owner/x": ["02_*", "05_*", "11_*"], "mini": ["*/default", "01_*/nli"]},
}


@pytest.fixture
def own(monkeypatch) -> graph.Graph:
    monkeypatch.setenv("TAHAN_OUTPUTS", "out")
    return graph.Graph(CONFIG)


def loads(own: graph.Graph, model: str, notebook: str, variant: str) -> list[str]:
    """The checkpoints that a run waits for, as model/variant."""
    marks = own.checkpoints(model, notebook, variant)
    assert all(mark.endswith("/checkpoint/done.json") for mark in marks)
    parts = [mark.split("/") for mark in marks]
    assert all(part[:2] == ["out", "own"] and part[3] == graph.TRAIN for part in parts)
    return [f"{part[2]}/{part[4]}" for part in parts]


def test_a_run_is_given_its_model_its_data_and_its_own_parameters(own):
    assert own.values("tfidf", "05_typos", "default") == "model_name=tfidf dataset=embedded"
    other = "model_name=mini dataset=embedded 'rates=0.1, 0.2'"
    assert own.values("mini", "05_typos", "other") == other
    assert own.values("mini", "01_finetune", "nli") == "model_name=mini dataset=nli"
    given = "model_name=owner/x checkpoint=some/folder dataset=embedded"
    assert own.values("owner--x", "05_typos", "default") == given


@pytest.mark.parametrize(
    ("notebook", "variant", "expected"),
    [
        ("05_typos", "default", "default"),
        ("05_typos", "other", "default"),  # on its data set the default goes first
        ("02_conventional_metrics", "seed_2", "seed_2"),  # of the same name
        ("05_typos", "pairs", "nli"),  # on its data set
    ],
)
def test_a_run_loads_the_training_of_its_name_else_of_its_data(own, notebook, variant, expected):
    assert own.training(notebook, variant) == expected
    assert loads(own, "tfidf", "05_typos", "pairs") == ["tfidf/nli"]


def test_a_run_on_data_that_nothing_was_trained_on_loads_the_default():
    runs = {"01_finetune": {"default": {}}, "05_typos": {"x": {"dataset": "smsa"}}}
    assert graph.Graph(CONFIG | {"runs": runs, "only": {}}).training("05_typos", "x") == "default"


def test_a_run_waits_for_the_checkpoints_that_its_notebook_needs(own):
    assert loads(own, "tfidf", "05_typos", "default") == ["tfidf/default"]
    assert loads(own, "tfidf", "13_minimal_pairs", "default") == []
    # of its own model those on other data too, one after the other
    assert loads(own, "tfidf", "11_indonli", "default") == [
        "tfidf/nli",
        "tfidf/default",
        "tfidf/seed_2",
    ]
    # of every model of the profile that is trained so: mini has no seed_2
    both = ["tfidf/default", "mini/default"]
    assert loads(own, "tfidf", "02_conventional_metrics", "default") == both
    assert loads(own, "mini", "02_conventional_metrics", "default") == both[::-1]
    assert loads(own, "tfidf", "02_conventional_metrics", "seed_2") == ["tfidf/seed_2"]


def test_a_model_with_a_checkpoint_of_its_own_waits_for_no_training_of_it(own):
    assert loads(own, "owner--x", "05_typos", "default") == []
    assert loads(own, "owner--x", "11_indonli", "default") == []
    both = ["tfidf/default", "mini/default"]
    assert loads(own, "owner--x", "02_conventional_metrics", "default") == both


def test_finished_means_every_planned_run_and_the_audit_of_documents(own):
    assert len(own.finished) == len(own.planned)
    assert "out/own/tfidf/05_typos/other/provenance.json" in own.finished
    assert "out/own/mini/05_typos/other/provenance.json" not in own.finished
    assert "out/own/owner--x/01_finetune/default/provenance.json" not in own.finished
    documents = graph.Graph(CONFIG | {"documents": {}}).finished
    assert documents == [*own.finished, "out/own/documents/provenance.json"]


def test_trainings_take_their_own_threads(own, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert own.threads("01_finetune") == 3 and own.threads("05_typos") == 1
    chosen = graph.Graph(CONFIG | {"training_threads": 1, "threads": 2})
    assert chosen.threads("09_code_mixing_defence") == 1 and chosen.threads("05_typos") == 2


def test_a_run_asks_for_what_was_measured_on_its_data(own, monkeypatch):
    asked = []
    monkeypatch.setattr(costs, "requested", lambda *words: asked.append(words) or {})
    own.requested("mini", "05_typos", "pairs", 2)
    assert asked == [("05_typos", "mini", "nli", "pairs", 2)]


def test_a_search_trains_each_of_its_settings(monkeypatch):
    search = notebooks.needing("trainings")[0]
    runs = {search: {"default": {}, "hate": {"dataset": "hate_speech", "seed": 2}}}
    own = graph.Graph({"profile": "own", "dataset": "embedded", "models": ["mini"], "runs": runs})
    assert len(own.searched) == 18
    chosen = own.own(graph.TRAIN, "hate_lr_5e-05_epochs_7")
    assert chosen["dataset"] == "hate_speech" and chosen["seed"] == 2 and chosen["epochs"] == 7
    waits = own.checkpoints("mini", search, "hate")
    assert len(waits) == 9 and all("/hate_" in mark for mark in waits)


def test_every_notebook_of_a_priority_is_in_its_pattern(own):
    named = {name for number in (1, 2) for name in own.order(number).split("|")} | {graph.TRAIN}
    assert named == {name for name, about in notebooks.every().items() if about.priority}


def test_the_defence_runs_on_smsa_as_the_paper_has_it():
    declared = parameters.declared(layout.NOTEBOOKS / "09_code_mixing_defence.ipynb")
    defaults = {name: parameter.default for name, parameter in declared.items()}
    cpu = graph.Graph(paths.read_yaml(profiles.configuration("cpu")))
    ran = sorted(run for run in cpu.planned if run[1] == "09_code_mixing_defence")
    assert [run[0] for run in ran] == ["mini"] * 3 + ["tfidf"] * 3
    for _, notebook, variant in ran:
        given = defaults | cpu.own(notebook, variant)
        assert (given["dataset"], given["epochs"], given["patience"]) == ("smsa", 15, 5)
        assert cpu.training(notebook, variant) == variant  # the seed's own undefended model
    assert len({cpu.own(*run[1:]).get("seed", defaults["seed"]) for run in ran}) == 3


def test_vectors_that_have_read_nothing_are_run_on_all_twelve_tasks():
    indonlu = graph.Graph(paths.read_yaml(profiles.configuration("indonlu")))
    tasks = [
        indonlu.own(*run[1:])["dataset"] for run in indonlu.planned if run[0] == "fasttext-random"
    ]
    assert sorted(tasks) == sorted(models.spec("fasttext-random")["tasks"])
