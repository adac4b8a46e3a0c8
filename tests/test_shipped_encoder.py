"""The encoder that ships, data/models/mini: made by the committed run of 15_pretrain, small,
loadable, and better than frequencies at guessing words.
"""

import json
import re

import nbformat
import pandas as pd
import pytest
import torch
from conftest import ROOT
from safetensors import safe_open
from transformers import AutoModelForMaskedLM, AutoTokenizer, pipeline

from helpers import tables
from tahanuji import data, measure
from tahanuji.pretraining import evaluation

MODEL = ROOT / "data" / "models" / "mini"
RUN = ROOT / "outputs" / "reference" / "pretraining" / "mini" / "15_pretrain"
recorded = pytest.mark.skipif(not RUN.is_dir(), reason="the reference run of 15_pretrain is absent")


@pytest.fixture(scope="module")
def about() -> dict:
    return runs()["default"]


def runs() -> dict:
    """What is known of the two runs that made it."""
    return json.loads((RUN / "provenance.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def encoder() -> AutoModelForMaskedLM:
    return AutoModelForMaskedLM.from_pretrained(MODEL, dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(MODEL)


@recorded
def test_the_weights_are_those_of_the_committed_run(about):
    (made,) = about["models"]
    assert made["sha256"] == data.sha256(MODEL / "model.safetensors")
    assert {path.name for path in MODEL.iterdir()} == {
        "README.md",
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }


@recorded
def test_the_run_ended_and_printed_no_error():
    notebook = nbformat.read(RUN / "executed.ipynb", as_version=4)
    assert notebook.cells[-1]["execution_count"]
    for cell in notebook.cells:
        assert not [
            part
            for part in cell.get("outputs", [])
            if part["output_type"] == "error" or part.get("name") == "stderr"
        ], cell["id"]


@recorded
@pytest.mark.parametrize("variant", ["first", "default"])
def test_the_command_is_the_one_that_the_notebook_gives(variant):
    title = nbformat.read(ROOT / "notebooks" / "15_pretrain.ipynb", as_version=4).cells[0]["source"]
    command = title.split(f"15_pretrain/{variant} ")[1].split("```")[0]
    given = dict(re.findall(r'(\w+)="?((?<=")[^"]+|\S+)', command))
    asked = runs()[variant]["parameters"]
    assert given["dataset"] == "corpus"
    assert {name: str(asked[name]) for name in given} == {
        name: str(type(asked[name])(value)) for name, value in given.items()
    }


@recorded
def test_its_numbers_come_from_its_blocks(about):
    blocks, fertility = pd.read_csv(RUN / "heldout.csv"), pd.read_csv(RUN / "fertility.csv")
    assert not {"text"} & {*blocks.columns, *fertility.columns}
    found = evaluation.metrics(blocks, fertility, about["parameters"]["seed"])
    written = tables.read(RUN / "metrics.csv", tables.METRICS).query("variant == 'default'")
    both = written.merge(found, on=[*measure.KEY, "metric"], suffixes=("", "_again"))
    assert len(both) == len(written) == len(found)
    for column in ("value", "ci_low", "ci_high"):
        pd.testing.assert_series_equal(
            both[column], both[f"{column}_again"], check_names=False, rtol=1e-3
        )


@recorded
def test_it_learned_formal_and_colloquial_words():
    metrics = tables.read(RUN / "metrics.csv", tables.METRICS).query("group == 'all'")
    scores = metrics.set_index(["variant", "test", "metric"])["value"]
    for run in ("first", "default"):
        for name in ("formal", "colloquial"):
            assert scores[run, name, "masked_loss"] < scores[run, name, "unigram_loss"] - 1
    colloquial = [scores[run, "colloquial", "masked_loss"] for run in ("first", "default")]
    assert colloquial[1] < colloquial[0] - 0.2
    history = pd.read_csv(RUN / "histories.csv")
    lengths = {run: set(rows["length"]) for run, rows in history.groupby("variant")}
    assert lengths == {"first": {32, 128, 512}, "default": {128}}
    reached = history[history["length"] == 128].groupby("variant")["train_loss"].min()
    assert (reached < 4).all()


@recorded
def test_the_card_says_what_the_run_printed():
    card = (MODEL / "README.md").read_text(encoding="utf-8").split("\n\n## The first run\n")[0]
    printed = "\n".join(
        "".join(part.get("text", ""))
        for cell in nbformat.read(RUN / "executed.ipynb", as_version=4).cells
        for part in cell.get("outputs", [])
    )
    assert card in printed
    for said in ("## Data", "## Recipe and cost", "## Limits", "## Licence", "CC BY-SA"):
        assert said in card


@recorded
def test_the_card_says_what_the_first_run_read_and_reached():
    first = (MODEL / "README.md").read_text(encoding="utf-8").split("\n\n## The first run\n")[1]
    assert "| peraturan " in first and "from random weights" in first
    metrics = tables.read(RUN / "metrics.csv", tables.METRICS).query("variant == 'first'")
    said = first[first.index("| set ") :].splitlines()[2:]
    assert len(said) == len(metrics) > 10
    for row, line in zip(metrics.itertuples(), said, strict=True):
        assert f"| {row.value:.3g} ({row.ci_low:.3g} to {row.ci_high:.3g}) " in line


def test_it_is_small_and_in_half_precision():
    assert (MODEL / "model.safetensors").stat().st_size < 16_000_000
    with safe_open(MODEL / "model.safetensors", "pt") as stored:
        assert {stored.get_slice(name).get_dtype() for name in stored.keys()} == {"F16"}  # noqa: SIM118


def test_it_guesses_words_of_sentences_that_are_not_its_corpus(encoder, tokenizer):
    guess = pipeline("fill-mask", model=encoder, tokenizer=tokenizer, top_k=20)
    for sentence, fitting in (
        (
            "dia lahir pada tanggal 5 [MASK] 1990 .",
            {"januari", "maret", "mei", "oktober", "desember"},
        ),
        ("kami menginap di [MASK] ini dua malam , kamar nya bersih", {"hotel", "kota"}),
        ("makanan nya enak [MASK] , recomended", {"banget"}),
        ("sebagaimana dimaksud [MASK] ayat ( 1 )", {"dalam", "pada"}),
        ("aku nggak [MASK] sama sekali , ngantuk banget", {"bisa", "suka", "tahan", "tau"}),
    ):
        assert fitting & {one["token_str"] for one in guess(sentence)}, sentence


def test_it_has_few_unknown_words_in_the_embedded_corpus(tokenizer):
    texts = list(data.load("embedded", "test")["text"])
    pieces = [piece for text in texts for piece in tokenizer.tokenize(text)]
    assert pieces.count("[UNK]") / len(pieces) < 0.002
    assert len(pieces) / sum(len(text.split()) for text in texts) < 1.5
