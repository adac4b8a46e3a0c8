"""Pre-training: which texts are read, what the network sees and guesses, going on after an
interruption, and the files that come out.
"""

import copy
import json
import lzma
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import folders
import numpy as np
import pandas as pd
import pytest
import torch
from conftest import runner
from folders import LABELS, SENTENCES, TEXTS
from folders import tokenizer as fixed_tokenizer
from safetensors.torch import load_file
from transformers import AutoTokenizer, BertForMaskedLM, TrainerState

from helpers import tables
from tahanuji import measure, models, training
from tahanuji.errors import InputError
from tahanuji.pretraining import (
    card,
    corpus,
    evaluation,
    loop,
    network,
    optimizer,
    packing,
    vocabulary,
)

SEED = 5


@pytest.fixture(scope="module")
def tokenizer():
    return vocabulary.train(TEXTS, 300)


@pytest.fixture(scope="module")
def stream(tokenizer):
    return packing.encode(tokenizer, TEXTS)


def schedule(
    tokenizer, stream, epochs: float = 3.0, two: float = 0.5, seed: int = SEED
) -> packing.Batches:
    return packing.Batches(
        packing.plan(stream, tokenizer, {16: epochs, 32: two}, 64), packing.Masking(tokenizer), seed
    )


def test_a_missing_package_is_one_sentence_that_names_it():
    done = folders.python(
        "import sys; sys.modules['accelerate'] = None; import tahanuji.pretraining"
    )
    assert done.returncode == 1
    assert "accelerate is not installed" in done.stderr.splitlines()[-1]


# The corpus


def folder(place: Path, **changes: str | bytes | None) -> Path:
    """A folder of two files to learn from and one held out; `changes` replace, add or (None) leave
    out files, `__` standing for a dot.
    """
    files = {
        "b__txt": "dua\ntiga\n",
        "a__txt": "satu kata\n\nlagi",
        "a__sources__txt": "x\ny\nz\n",
        "heldout_c__txt": "jauh\n",
    } | changes
    place.mkdir(exist_ok=True)
    for name, content in files.items():
        if content is not None:
            (place / name.replace("__", ".")).write_bytes(
                content.encode() if isinstance(content, str) else content
            )
    return place


def test_a_folder_is_read_in_the_order_of_file_names(tmp_path):
    read = corpus.load(str(folder(tmp_path)))
    assert read.training["text"].tolist() == ["satu kata", "lagi", "dua", "tiga"]
    assert read.training["source"].tolist() == ["x", "z", "b", "b"]
    assert list(read.heldout) == ["c"]
    assert read.heldout["c"]["text"].tolist() == ["jauh"]
    about = read.training.attrs["source"]
    assert (about["rows"], about["words"], about["files"], about["publish_texts"]) == (
        4,
        5,
        ["a", "b"],
        False,
    )


def test_files_are_named_without_endings_and_may_come_twice(tmp_path):
    place = folder(
        tmp_path,
        b__txt=None,
        b__txt__xz=lzma.compress("dua\r\ntiga\u2028baris".encode("utf-8-sig")),
    )
    assert corpus.load(str(place), "b").training["text"].tolist() == ["dua", "tiga\u2028baris"]
    assert (
        corpus.load(str(place), "b, a, b").training["text"].tolist()
        == ["satu kata", "lagi"] + ["dua", "tiga\u2028baris"] * 2
    )


def test_the_hash_is_that_of_the_lines_in_their_order(tmp_path):
    hashes = [
        corpus.load(str(folder(tmp_path / str(number), **changes)), files).training.attrs["source"][
            "sha256"
        ]
        for number, (changes, files) in enumerate(
            [
                ({}, ""),
                ({}, "b,a"),
                ({"b__txt": "dua\ntiga"}, ""),
                ({"b__txt": "tiga\ndua"}, ""),
                ({}, "a"),
            ]
        )
    ]
    assert hashes[0] == hashes[1] == hashes[2]
    assert len({*hashes[2:]}) == 3


def test_a_data_set_gives_its_training_and_validation_texts():
    read = corpus.load("embedded")
    assert [(name, len(frame)) for name, frame in read.frames().items()] == [
        ("training", 1161),
        ("valid", 200),
    ]
    assert read.training.attrs["source"]["publish_texts"]
    assert read.sources("embedded")[["source", "lines", "licence"]].values.tolist() == [
        ["embedded", 1161, ""]
    ]


@pytest.mark.parametrize(
    ("changes", "files", "says"),
    [
        (
            {"a__txt": None, "b__txt": None, "a__sources__txt": None},
            "",
            "holds no .txt or .txt.xz file to learn from",
        ),
        ({"heldout_c__txt": None}, "", "holds no heldout_<name>.txt"),
        ({}, "a, bb", "unknown file 'bb'; did you mean 'b'"),
        ({}, "heldout_c", "unknown file 'heldout_c'"),
        ({"b__txt": b"satu\ndua \xff\n"}, "", "b.txt, line 2: not UTF-8"),
        ({"b__txt": "\n \n"}, "b", "b.txt in .* holds no text"),
        ({"a__sources__txt": "x\ny\n"}, "", "a.sources.txt has 2 lines and a.txt 3"),
        ({"b__txt__xz": b"no archive", "b__txt": None}, "", "b.txt.xz cannot be unpacked"),
        (
            {"b__txt__xz": lzma.compress(b"dua")[:-9], "b__txt": None},
            "",
            "b.txt.xz cannot be unpacked",
        ),
        ({"a__txt": "satu", "a__txt__xz": lzma.compress(b"satu")}, "", "a is there twice"),
    ],
)
def test_a_folder_that_cannot_serve_is_refused_in_a_sentence(tmp_path, changes, files, says):
    with pytest.raises(InputError, match=says):
        corpus.load(str(folder(tmp_path / "own", **changes)), files)


def test_lines_are_left_out_by_their_source(tmp_path):
    place = str(folder(tmp_path))
    whole, part = corpus.load(place), corpus.load(place, leave_out="x, b*")
    assert part.training["text"].tolist() == ["lagi"]
    assert part.heldout["c"].equals(whole.heldout["c"])
    about = part.training.attrs["source"]
    assert (about["left_out"], about["words"]) == (["x", "b*"], 1)
    assert about["sha256"] != whole.training.attrs["source"]["sha256"]
    with pytest.raises(InputError, match="unknown source 'xy'"):
        corpus.load(place, leave_out="xy")


@pytest.mark.parametrize("chosen", [{"files": "formal"}, {"leave_out": "x"}])
def test_files_and_sources_belong_to_a_folder_of_texts(chosen):
    with pytest.raises(InputError, match="leave them empty"):
        corpus.load("embedded", **chosen)


def test_words_by_source_with_the_licences_of_a_readme(tmp_path):
    readme = "# About\n\n| key | repository @ commit | files | licence | words |\n"
    readme += (
        "|---|---|---|---|---|\n| z | o/z @ 1 | * | CC0 | 9 |\n| x | o/x @ 2 | * | MIT | 1 |\n"
    )
    readme += "\n| key | in |\n|---|---|\n| b | 3 |\n"
    table = corpus.load(str(folder(tmp_path, README__md=readme))).sources(str(tmp_path))
    assert table.columns.tolist() == ["source", "lines", "words", "repository", "licence"]
    assert table.values.tolist() == [
        ["b", 2, 2, "", ""],
        ["x", 1, 2, "o/x @ 2", "MIT"],
        ["z", 1, 1, "o/z @ 1", "CC0"],
    ]


# The vocabulary


def test_fertility_is_counted_by_hand():
    found = vocabulary.fertility(
        fixed_tokenizer("bert"),
        {"two": ["kuah sotonya , ikan", "Zebra gurih"], "one": ["kuah"]},
        SEED,
    )
    # kuah | soto ##nya | , | i ##k ##an, then a word with a letter that the vocabulary lacks | guri
    # ##h
    assert found[["set", "texts", "words", "pieces"]].values.tolist() == [
        ["two", 2, 6, 10],
        ["one", 1, 1, 1],
    ]
    two = found.iloc[0]
    assert (two["fertility"], two["continued"], two["unknown"]) == (
        pytest.approx(10 / 6),
        pytest.approx(3 / 6),
        pytest.approx(1 / 6),
    )
    assert (two["ci_low"], two["ci_high"]) == (pytest.approx(3 / 2), pytest.approx(7 / 4))
    assert found.iloc[1][["fertility", "ci_low", "ci_high"]].tolist() == [1, 1, 1]


def test_rare_characters_get_no_pieces_and_frequent_ones_do():
    texts = ["kopi enak 😭 " * 200, "kopi enak ☂ qahwa"]
    pieces = vocabulary.train(texts * 40, 150).get_vocab()
    assert "☂" in pieces
    rare = vocabulary.train([texts[0] * 100, texts[1]], 150)
    assert {"😭", "##k", "e"} <= rare.get_vocab().keys()
    assert not {"☂", "##☂", "q", "##q"} & rare.get_vocab().keys()
    assert rare.tokenize("enak ☂") == ["enak", "[UNK]"]


def test_the_vocabulary_is_the_same_for_the_same_texts_and_of_the_size_asked_for(tokenizer):
    assert vocabulary.train(TEXTS, 300).get_vocab() == tokenizer.get_vocab()
    assert len(tokenizer) == 300
    assert tokenizer.model_max_length == 512
    for pieces in (99, -1, 10**6):
        with pytest.raises(InputError, match="vocabulary lies between 100 and"):
            vocabulary.train(TEXTS, pieces)


@pytest.mark.long
def test_the_vocabulary_is_the_same_in_separate_processes():
    """The trainer's order of inner letters hangs on a hash map's."""
    code = "import json; from folders import TEXTS; from tahanuji.pretraining import vocabulary; "
    code += "print(json.dumps(vocabulary.wordpiece(TEXTS, 250).get_vocab()))"
    other, own = (
        json.loads(folders.python(code).stdout),
        vocabulary.wordpiece(TEXTS, 250).get_vocab(),
    )
    assert other == own and len(own) == 250
    assert any(len(piece.removeprefix("##")) > 2 for piece in own if not piece.startswith("["))


def test_special_pieces_stay_apart_and_case_is_ignored():
    made = vocabulary.wordpiece(TEXTS, 250)
    assert made.convert_ids_to_tokens(range(5)) == vocabulary.SPECIAL
    assert made.tokenize("KUAH Sotonya") == made.tokenize("kuah sotonya")
    assert made.unk_token not in made.tokenize(TEXTS[0])
    assert set(made.all_special_tokens) == set(vocabulary.SPECIAL)


# Blocks


@pytest.mark.parametrize("length", [8, 16, 128])
def test_packing_loses_no_piece_and_keeps_their_order(tokenizer, stream, length):
    blocks = packing.pack(stream, length, tokenizer)
    body = blocks[:, 1:-1].ravel()
    assert blocks.shape == (-(-len(stream) // (length - 2)), length)
    assert (blocks[:, 0] == tokenizer.cls_token_id).all()
    assert (blocks[:, -1] == tokenizer.sep_token_id).all()
    assert (body[: len(stream)] == stream).all()
    assert (body[len(stream) :] == stream[: len(body) - len(stream)]).all()


def test_a_stream_shorter_than_a_block_fills_it(tokenizer):
    one = packing.encode(tokenizer, ["kuah soto"])
    assert packing.pack(one, 128, tokenizer).shape == (1, 128)


def test_texts_are_encoded_in_their_order_with_a_separator_after_each(tokenizer, monkeypatch):
    monkeypatch.setattr(vocabulary, "CHUNK", 2)
    texts = ["kuah soto", "", "enak sekali", "ramah"]
    whole = [piece for text in texts if text for piece in tokenizer(text)["input_ids"][1:]]
    assert packing.encode(tokenizer, texts).tolist() == whole
    with pytest.raises(InputError, match="hold no piece"):
        packing.encode(tokenizer, ["", " "])


# Masks


def words_of(pieces: list[str]) -> list[list[int]]:
    """Places of the pieces of each word; a special piece, or one after it, begins another."""
    found = []
    for place, piece in enumerate(pieces):
        if piece.startswith("##") and place and pieces[place - 1] not in vocabulary.SPECIAL:
            found[-1].append(place)
        else:
            found.append([place])
    return found


@pytest.fixture(scope="module")
def masked(tokenizer, stream):
    blocks = packing.pack(np.tile(stream, 40), 64, tokenizer)
    inputs, labels = packing.Masking(tokenizer)(blocks, np.random.default_rng(SEED))
    return SimpleNamespace(
        blocks=blocks, inputs=inputs, labels=labels, asked=labels != packing.IGNORED
    )


def test_fifteen_percent_are_asked_for_and_shown_as_the_paper_says(tokenizer, masked):
    ordinary = ~np.isin(masked.blocks, tokenizer.all_special_ids)
    shown, gold = masked.inputs[masked.asked], masked.blocks[masked.asked]
    assert masked.asked.sum() > 3000
    assert masked.asked.sum() / ordinary.sum() == pytest.approx(0.15, abs=0.01)
    assert (shown == tokenizer.mask_token_id).mean() == pytest.approx(0.8, abs=0.02)
    assert (shown == gold).mean() == pytest.approx(0.1, abs=0.02)
    assert not (masked.asked & ~ordinary).any()
    assert not np.isin(shown[shown != tokenizer.mask_token_id], tokenizer.all_special_ids).any()


def test_only_what_is_asked_for_is_changed_and_labelled(masked):
    assert (masked.inputs == masked.blocks)[~masked.asked].all()
    assert (masked.labels == masked.blocks)[masked.asked].all()


def test_words_are_asked_for_as_a_whole(tokenizer, masked):
    lengths = []
    for row, asked in zip(masked.blocks[:200], masked.asked[:200], strict=True):
        for places in words_of(tokenizer.convert_ids_to_tokens(row)):
            assert len({*asked[places]}) == 1
            lengths.append((len(places), asked[places[0]]))
    longer = [chosen for length, chosen in lengths if length > 2]
    assert len(longer) > 200
    assert np.mean(longer) == pytest.approx(0.15, abs=0.06)


def test_unknown_words_are_not_asked_for(tokenizer):
    row = np.full((50, 64), tokenizer.unk_token_id)
    assert (packing.Masking(tokenizer)(row, np.random.default_rng(1))[1] == packing.IGNORED).all()


def test_masks_are_dynamic_and_depend_on_seed_and_step_alone(tokenizer, stream):
    batches, again, other = (
        schedule(tokenizer, stream, seed=seed) for seed in (SEED, SEED, SEED + 1)
    )
    rows = [batches[step]["input_ids"] for step in range(len(batches))]
    for step in reversed(range(len(batches))):
        assert torch.equal(again[step]["input_ids"], rows[step])
        assert not torch.equal(other[step]["input_ids"], rows[step])


def test_the_same_block_is_masked_anew_in_every_row_and_step(tokenizer, stream):
    same = packing.Phase(packing.pack(stream, 128, tokenizer)[:1].repeat(4, axis=0), 4, 3)
    batches = packing.Batches([same], packing.Masking(tokenizer), SEED)
    masks = [
        tuple(row)
        for step in range(3)
        for row in (batches[step]["labels"] != packing.IGNORED).tolist()
    ]
    assert len({*masks}) == 12


def test_every_epoch_reads_every_block_once_in_an_order_of_its_own(tokenizer, stream):
    batches = schedule(tokenizer, stream)
    blocks, orders = batches.phases[0].blocks, []
    seen = [
        torch.where(batch["labels"] == packing.IGNORED, batch["input_ids"], batch["labels"])
        for batch in (batches[step] for step in range(len(batches)))
    ]
    first = torch.cat([rows for rows in seen if rows.shape[1] == 16]).tolist()
    for epoch in range(2):
        orders.append(
            [tuple(row) for row in first[epoch * len(blocks) : (epoch + 1) * len(blocks)]]
        )
        assert sorted(orders[-1]) == sorted(map(tuple, blocks.tolist()))
    assert orders[0] != orders[1]
    assert [rows.shape for rows in seen[-2:]] == [(2, 32), (2, 32)]
    assert len(first) == pytest.approx(3 * len(blocks), abs=2)


@pytest.mark.parametrize(
    ("epochs", "tokens", "says"),
    [
        ({16: 1.0, 32: 1.0}, 48, "positive multiple of 32"),
        ({16: 1.0, 32: 1.0}, 0, "positive multiple of 32"),
        (
            {16: -1.0, 32: 1.0},
            64,
            "epochs lie between 0 and 1000 in every phase, and -1.0 does not",
        ),
        ({16: 0.0, 32: 0.0}, 64, "make no step of training"),
    ],
)
def test_a_plan_that_trains_nothing_is_refused(tokenizer, stream, epochs, tokens, says):
    with pytest.raises(InputError, match=says):
        packing.plan(stream, tokenizer, epochs, tokens)


@pytest.fixture(scope="module")
def paired(tokenizer, stream) -> packing.Phase:
    """A phase of which half the blocks are pairs of a text and the same text."""
    pairs = packing.Pairs(0.5, TEXTS, lambda text, rng: text, SEED)
    return packing.plan(stream, tokenizer, {32: 1.0}, 64, pairs)[0]


def test_of_the_blocks_the_share_asked_for_are_pairs(tokenizer, stream, paired):
    plain = len(packing.pack(stream, 32, tokenizer))
    assert (paired.pairs, len(paired.blocks)) == (plain, 2 * plain)
    pairs = packing.Pairs(0.2, TEXTS, lambda text, rng: text, SEED)
    phase = packing.plan(stream, tokenizer, {32: 2.0}, 64, pairs)[0]
    assert phase.pairs / len(phase.blocks) == pytest.approx(0.2, abs=0.02)


def test_a_pair_is_a_text_and_its_copy_which_begins_elsewhere(tokenizer, stream, paired):
    begin = packing.second_half(32)
    ends = tokenizer.cls_token_id, tokenizer.sep_token_id
    starts = []
    for block in paired.blocks[-paired.pairs :].tolist():
        assert (block[0], block[begin - 1], block[-1]) == (ends[0], ends[1], ends[1])
        text, copy = block[1 : begin - 1], block[begin:-1]
        assert ends[1] not in text + copy
        assert len({*text} & {*copy}) > len({*copy}) / 3
        starts.append(text[0] == copy[0])
    assert sum(starts) < len(starts) / 2


def test_the_copy_of_a_pair_has_the_other_token_type(tokenizer, paired):
    batches = packing.Batches([paired], packing.Masking(tokenizer), SEED)
    begin, seen = packing.second_half(32), set()
    for rows, step in zip(batches.rows[0], range(len(batches)), strict=True):
        for row, types in zip(rows, batches[step]["token_type_ids"].tolist(), strict=True):
            pair = row >= len(paired.blocks) - paired.pairs
            assert types == ([0] * begin + [1] * (32 - begin) if pair else [0] * 32)
            seen.add(bool(pair))
    assert seen == {False, True}


def test_the_noise_of_a_copy_is_that_of_the_seed(tokenizer, stream):
    def made(seed: int) -> np.ndarray:
        pairs = packing.Pairs(0.5, TEXTS, lambda text, rng: text[rng.randrange(5) :], seed)
        return pairs.blocks(20, 32, tokenizer)

    assert np.array_equal(made(1), made(1))
    assert not np.array_equal(made(1), made(2))


def test_a_share_of_pairs_that_leaves_no_plain_block_is_refused():
    with pytest.raises(InputError, match="paired is a share from 0 to below 1, and 1 is not"):
        packing.Pairs(1, TEXTS, str, SEED)


def test_a_phase_of_no_epochs_falls_away(tokenizer, stream):
    assert [phase.length for phase in packing.plan(stream, tokenizer, {16: 1.0, 32: 0.0}, 64)] == [
        16
    ]


# The network


def test_loss_on_masked_positions_is_that_of_the_full_computation(tokenizer, stream):
    batch = schedule(tokenizer, stream)[0]
    config = network.configure(len(tokenizer), 2, 64)
    ours = network.build(config, SEED, torch.device("cpu"))
    full = BertForMaskedLM(ours.config)
    full.load_state_dict(ours.state_dict())
    mine, whole = ours(**batch), full(**batch)
    torch.testing.assert_close(mine.loss, whole.loss)
    torch.testing.assert_close(
        mine.logits, whole.logits[batch["labels"] != packing.IGNORED], atol=1e-5, rtol=1e-4
    )
    for loss in (mine.loss, whole.loss):
        loss.backward()
    gradients = dict(full.named_parameters())
    for name, weight in ours.named_parameters():
        torch.testing.assert_close(weight.grad, gradients[name].grad, atol=1e-6, rtol=1e-3)


@pytest.mark.parametrize(("layers", "width"), [(0, 64), (2, 100), (2, 0), (2, -64)])
def test_a_shape_without_whole_heads_is_refused(layers, width):
    with pytest.raises(InputError, match="layers is at least 1 and width a multiple of 64"):
        network.configure(300, layers, width)


def test_weights_depend_on_the_seed_and_on_nothing_else():
    built = []
    for seed, noise in ((1, 0), (1, 99), (2, 0)):
        torch.manual_seed(noise)
        built.append(
            network.build(network.configure(300, 1, 64), seed, torch.device("cpu")).state_dict()
        )
    assert all(torch.equal(built[0][name], built[1][name]) for name in built[0])
    assert not torch.equal(
        built[0]["bert.embeddings.word_embeddings.weight"],
        built[2]["bert.embeddings.word_embeddings.weight"],
    )


def test_positions_begin_as_waves_in_which_a_distance_is_the_same_turn_everywhere():
    table = network.waves(512, 64)
    assert table.shape == (512, 64) and table[:, 0].tolist() == pytest.approx(
        np.sin(np.arange(512)).tolist(), abs=1e-4
    )
    alike = table @ table.T
    for distance in (0, 1, 7, 100):
        along = torch.diagonal(alike, distance)
        torch.testing.assert_close(along, along[0].expand_as(along), atol=2e-3, rtol=1e-3)
    built = network.build(network.configure(300, 1, 64), SEED, torch.device("cpu")).bert.embeddings
    assert built.position_embeddings.weight.std().item() == pytest.approx(
        built.word_embeddings.weight.std().item(), rel=0.2
    )
    assert (
        torch.nn.functional.cosine_similarity(built.position_embeddings.weight, table).min() > 0.999
    )


# The optimizer


def test_matrices_of_layers_are_muons_and_everything_else_is_adams(tokenizer, stream):
    """Steps are those of torch's two optimizers on these weights, each at its rate; torch's Muon
    rounds to bf16.
    """
    config = network.configure(len(tokenizer), 2, 64)
    ours, theirs = (network.build(config, SEED, torch.device("cpu")) for _ in range(2))
    chosen, names = optimizer.MuonAndAdam(ours, 1e-3), dict(theirs.named_parameters())
    inside = {
        name
        for name, weight in names.items()
        if re.search(r"encoder\.layer\.\d+\.(attention|intermediate|output)\..*weight", name)
        and weight.ndim == 2
    }
    assert len(inside) == 2 * 6
    others = [weight for name, weight in names.items() if name not in inside]
    options = {"lr": 2e-3, "weight_decay": 0.01, "adjust_lr_fn": "match_rms_adamw"}
    both = (
        torch.optim.Muon([names[name] for name in inside], **options),
        torch.optim.AdamW(others, lr=1e-3, betas=(0.9, 0.98), eps=1e-6, weight_decay=0.01),
    )
    generator = torch.Generator().manual_seed(SEED)
    first = {name: weight.detach().clone() for name, weight in names.items()}
    for _ in range(4):
        for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
            one.grad = torch.randn(one.shape, generator=generator)
            other.grad = one.grad.clone()
        for part in (chosen, *both):
            part.step()
    for name, weight in ours.named_parameters():
        if name in inside:
            gap = (weight - names[name]).norm()
            assert gap < 0.02 * (names[name] - first[name]).norm(), name
        else:
            torch.testing.assert_close(weight, names[name], rtol=0, atol=0)


def test_a_schedule_sets_the_rates_of_both_also_after_loading(tokenizer, stream):
    model = network.build(network.configure(len(tokenizer), 1, 64), SEED, torch.device("cpu"))
    first, other = (optimizer.MuonAndAdam(model, 1e-3) for _ in range(2))
    model(**schedule(tokenizer, stream)[0]).loss.backward()
    gradients = [weight.grad for weight in model.parameters()]
    first.step()
    other.load_state_dict(copy.deepcopy(first.state_dict()))
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    moved = []
    for chosen in (first, other):
        falling = torch.optim.lr_scheduler.LambdaLR(chosen, lambda step: 0.5 ** (step + 1))
        rates = [group["lr"] for group in chosen.param_groups]
        assert rates == falling.get_last_lr() == [5e-4, 1e-3]
        model.load_state_dict(before, strict=False)
        for weight, gradient in zip(model.parameters(), gradients, strict=True):
            weight.grad = gradient.clone()
        chosen.step()
        moved.append([weight.detach().clone() for weight in model.parameters()])
    assert all(map(torch.equal, *moved))


# Evaluation


def test_held_out_masks_are_fixed_and_scores_are_those_of_the_full_computation(tokenizer, stream):
    model = network.build(network.configure(len(tokenizer), 1, 64), SEED, torch.device("cpu"))
    texts = {"positive": SENTENCES["positive"], "negative": SENTENCES["negative"]}
    masks = evaluation.FixedMasks(tokenizer, texts, 32)
    counts = np.bincount(stream, minlength=len(tokenizer))
    rows = masks(model, pieces=stream)
    pd.testing.assert_frame_equal(
        rows, evaluation.FixedMasks(tokenizer, texts, 32)(model, pieces=stream)
    )
    inputs, labels = (torch.from_numpy(part) for part in masks.sets["negative"])
    with torch.inference_mode():
        logits = model.cls(model.bert(inputs).last_hidden_state)
    asked, part = labels != packing.IGNORED, rows[rows["set"] == "negative"]
    losses = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), reduction="none"
    ).view(labels.shape)
    np.testing.assert_allclose(part["loss"], losses.sum(1), rtol=1e-4)
    assert part["right"].tolist() == ((logits.argmax(-1) == labels) & asked).sum(1).tolist()
    assert part["guessed"].tolist() == asked.sum(1).tolist()
    chances = (counts + 1) / (counts + 1).sum()
    assert part["unigram_loss"].sum() == pytest.approx(
        -np.log(chances[labels[asked].numpy()]).sum()
    )
    shown = evaluation.summary(rows)
    assert shown["negative_loss"] == pytest.approx(float(losses.sum() / asked.sum()), rel=1e-4)
    assert list(shown) == [
        "positive_loss",
        "positive_accuracy",
        "negative_loss",
        "negative_accuracy",
    ]


def test_metrics_are_counted_by_hand():
    rows = pd.DataFrame(
        [
            ("f", 128, 0, 4, 1, 8.0, 12.0),
            ("f", 128, 1, 6, 3, 6.0, 18.0),
            ("f", 512, 0, 5, 5, 5.0, 5.0),
        ],
        columns=evaluation.COLUMNS,
    )
    fertility = pd.DataFrame(
        [("f", 3, 100, 150, 1.5, 1.4, 1.6, 0.25, 0.01)],
        columns=vocabulary.fertility(fixed_tokenizer("bert"), {}, 1).columns,
    )
    found = evaluation.metrics(rows, fertility, SEED)
    found = found.set_index(["test", "group", "metric"])[["value", "ci_low", "ci_high", "n"]]
    assert found.loc["f", "all", "masked_accuracy"].tolist() == [0.4, 0.25, 0.5, 10]
    assert found.loc["f", "all", "masked_loss"].tolist() == [1.4, 1.0, 2.0, 10]
    assert found.loc["f", "all", "unigram_loss"].tolist() == [3, 3, 3, 10]
    assert found.loc["f", "all", "perplexity"].tolist() == pytest.approx(
        [np.exp(1.4), np.exp(1), np.exp(2), 10]
    )
    assert found.loc["f", "length 512", "masked_loss"].tolist() == [1, 1, 1, 5]
    assert found.loc["f", "all", "fertility"].tolist() == [1.5, 1.4, 1.6, 100]
    assert found.loc["f", "all", "continued_share"].tolist()[::3] == [0.25, 100]


# The training


def make_job(folder: Path, seed: int = SEED) -> training.Job:
    return training.Job("own/small", "own", folder / "checkpoint", seed)


def parts(tokenizer, stream, **changes) -> tuple:
    """What `loop.train` takes behind the job and the learning rate."""
    held = evaluation.FixedMasks(tokenizer, {"held": SENTENCES["neutral"][:4]}, 16)
    return (
        network.configure(len(tokenizer), 1, 64),
        tokenizer,
        schedule(tokenizer, stream, **changes),
        held,
    )


@pytest.fixture(scope="module")
def finished(tokenizer, stream, tmp_path_factory):
    """An uninterrupted run, with the weights that its last step left, before they were halved."""
    job, kept = make_job(tmp_path_factory.mktemp("finished")), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "POINTS", 6)
        patch.setattr(loop.network, "export", keep(kept))
        history = loop.train(job, 5e-3, *parts(tokenizer, stream, epochs=10.0, two=1.0))
    return SimpleNamespace(
        job=job,
        history=history,
        weights=kept,
        tokenizer=tokenizer,
        batches=schedule(tokenizer, stream, 10.0, 1.0),
    )


def keep(kept: dict):
    """`network.export` that also keeps the weights as they are."""
    export = network.export

    def exporting(model, config, tokenizer, place):
        kept.update({name: weight.clone() for name, weight in model.state_dict().items()})
        export(model, config, tokenizer, place)

    return exporting


def test_the_curve_has_a_row_per_point_and_the_loss_falls(finished):
    history, total = finished.history, len(finished.batches)
    border = finished.batches.phases[0].steps
    assert set(history["step"]) == {round(total * number / 6) for number in range(1, 7)} | {border}
    assert history["step"].is_monotonic_increasing
    assert history["tokens"].tolist() == (history["step"] * 64).tolist()
    assert history["length"].tolist() == [16 if step <= border else 32 for step in history["step"]]
    assert history.loc[history["step"] == border, "epoch"].item() == pytest.approx(10, abs=0.1)
    assert history["epoch"].iloc[-1] == pytest.approx(1, abs=0.1)
    assert history["seconds"].is_monotonic_increasing
    assert list(history.columns) == [*loop.COLUMNS, "held_accuracy", "held_loss"]
    assert history["train_loss"].iloc[-1] < history["train_loss"].iloc[0]
    assert history["held_loss"].iloc[-1] < history["held_loss"].iloc[0]
    assert history["learning_rate"].iloc[-1] == pytest.approx(
        5e-3 / ((1 - loop.WARM_UP) * total), rel=0.02
    )  # of the last step: the next would have none


def test_an_interrupted_run_ends_bit_by_bit_as_one_that_was_not(
    finished, tokenizer, stream, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(loop, "POINTS", 6)
    step_end = loop.Points.on_step_end
    stop = len(finished.batches) // 2 + 3  # some steps after a point, before the next

    def strike(points, args, state, control, **given):
        if state.global_step == stop:
            raise KeyboardInterrupt
        step_end(points, args, state, control, **given)

    job, kept = make_job(tmp_path), {}
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(loop.Points, "on_step_end", strike)
        loop.train(job, 5e-3, *parts(tokenizer, stream, epochs=10.0, two=1.0))
    assert not (tmp_path / "checkpoint" / "done.json").exists()
    torch.manual_seed(123)
    monkeypatch.setattr(loop.network, "export", keep(kept))
    history = loop.train(job, 5e-3, *parts(tokenizer, stream, epochs=10.0, two=1.0))
    assert "Going on after" in capsys.readouterr().out
    assert kept.keys() == finished.weights.keys()
    assert all(torch.equal(kept[name], weight) for name, weight in finished.weights.items())
    pd.testing.assert_frame_equal(
        history.drop(columns="seconds"), finished.history.drop(columns="seconds"), check_exact=True
    )


def test_training_goes_on_from_a_network_with_its_vocabulary(finished, stream, tmp_path):
    start = str(loop.target(finished.job))
    config, tokenizer = network.begin(start)
    assert tokenizer.get_vocab() == finished.tokenizer.get_vocab()
    assert config.hidden_dropout_prob == network.DROPOUT
    built = network.build(config, SEED, torch.device("cpu"), start)
    halved = BertForMaskedLM.from_pretrained(start, dtype=torch.float32).state_dict()
    assert all(torch.equal(weight, halved[name]) for name, weight in built.state_dict().items())
    assert built.config.hidden_dropout_prob == 0
    _, _, batches, held = parts(tokenizer, stream, epochs=1.0)
    history = loop.train(make_job(tmp_path), 1e-3, config, tokenizer, batches, held, start)
    assert history["train_loss"].iloc[0] < finished.history["train_loss"].iloc[0] - 0.5


def test_a_finished_run_is_not_repeated_and_a_changed_one_is(
    finished, tokenizer, stream, tmp_path, monkeypatch, capsys
):
    shutil.copytree(finished.job.folder.parent, tmp_path, dirs_exist_ok=True)
    built = []

    def fit(pretrainer):
        built.append(pretrainer)
        Path(pretrainer.args.output_dir).mkdir(exist_ok=True)
        return [{"step": 1, "seconds": 2.0, "tokens": 4}]

    monkeypatch.setattr(loop, "fit", fit)
    same = {"epochs": 10.0, "two": 1.0}
    again = loop.train(make_job(tmp_path), 5e-3, *parts(tokenizer, stream, **same))
    assert "complete already" in capsys.readouterr().out
    pd.testing.assert_frame_equal(again, finished.history)
    assert not built
    for number, (seed, rate, changes) in enumerate(
        [(SEED, 1e-3, {}), (SEED, 5e-3, {"epochs": 9.0}), (6, 5e-3, {"seed": 6})], start=1
    ):
        job, changed = make_job(tmp_path, seed), parts(tokenizer, stream, **same | changes)
        loop.train(job, rate, *changed)
        assert len(built) == number
    assert {path.name for path in (tmp_path / "checkpoint").iterdir()} == {
        "own--small",
        "done.json",
        "fingerprint",
    }


def test_the_files_are_half_of_the_weights_and_nothing_else(finished):
    place = loop.target(finished.job)
    files = load_file(place / "model.safetensors")
    assert {path.name for path in place.iterdir()} == {
        "model.safetensors",
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    assert {weight.dtype for weight in files.values()} == {torch.float16}
    assert sum(weight.numel() for weight in files.values()) == network.parameters(
        network.configure(300, 1, 64)
    )
    for name, weight in files.items():
        torch.testing.assert_close(weight.float(), finished.weights[name], atol=1e-3, rtol=1e-3)
    config = json.loads((place / "config.json").read_text(encoding="utf-8"))
    assert (config["architectures"], config["hidden_dropout_prob"], config["model_type"]) == (
        ["BertForMaskedLM"],
        0.1,
        "bert",
    )
    assert AutoTokenizer.from_pretrained(place).tokenize(
        "SAYA sotonya"
    ) == finished.tokenizer.tokenize("saya sotonya")


def test_the_folder_is_a_source_for_fine_tuning_and_learns(finished):
    place = loop.target(finished.job)
    texts = [(text, number) for number, label in enumerate(LABELS) for text in SENTENCES[label][:8]]
    torch.manual_seed(SEED)
    classifier = models.build(str(place), LABELS)
    weights = classifier.model.state_dict()
    assert all(
        torch.equal(weights[name], weight.float())
        for name, weight in load_file(place / "model.safetensors").items()
        if name.startswith("bert.")
    )
    batch = classifier.tokenizer([text for text, _ in texts], padding=True, return_tensors="pt")
    optimizer, gold = (
        torch.optim.AdamW(classifier.model.parameters(), lr=2e-3),
        torch.tensor([number for _, number in texts]),
    )
    for _ in range(40):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(classifier.model(**batch).logits, gold).backward()
        optimizer.step()
    assert (
        classifier.predict_proba([text for text, _ in texts]).argmax(1) == gold.numpy()
    ).mean() > 0.9


def test_the_clock_tells_training_from_evaluation_and_counts_on_after_an_interruption(
    tokenizer, stream, tmp_path, monkeypatch
):
    now, place = [100.0], tmp_path / "checkpoint" / "steps" / "checkpoint-7"
    monkeypatch.setattr(loop.time, "monotonic", lambda: now[0])
    config, _, batches, held = parts(tokenizer, stream)
    model = network.build(config, SEED, torch.device("cpu"))
    job = replace(make_job(tmp_path), device=torch.device("cpu"), precision="fp32")
    pretrainer = loop.make_trainer(job, 5e-3, model, batches, held)

    def measured(*given):
        now[0] += 5
        return pd.DataFrame([("held", 16, 0, 2, 1, 3.0, 4.0)], columns=evaluation.COLUMNS)

    def train(**given):
        for _ in range(2):
            now[0] += 12
            pretrainer.evaluate()

    place.mkdir(parents=True)
    TrainerState(log_history=[{"seconds": 50.0}, {"loss": 1.0}]).save_to_json(
        str(place / "trainer_state.json")
    )
    monkeypatch.setattr(pretrainer, "heldout", measured)
    monkeypatch.setattr(pretrainer, "train", train)
    monkeypatch.setattr(loop, "read_history", lambda log, batches: log)
    assert [row["seconds"] for row in loop.fit(pretrainer)] == [62, 74]


# The card and the notebook


def test_the_card_says_what_was_measured(finished):
    cells = {"source": ["a", "b"], "lines": [3, 1], "words": [1200, 34]}
    sources = pd.DataFrame(cells | {"repository": ["o/a @ 1", ""], "licence": ["CC BY-SA 4.0", ""]})
    row = ("held", np.nan, "all", "masked_loss", 4.5, 4.25, 4.75, 1000)
    metrics = pd.DataFrame([row], columns=measure.COLUMNS)
    about = (
        "small",
        network.configure(300, 1, 64),
        {"batch_tokens": 64, "learning_rate": 5e-3, "seed": SEED},
    )
    where = {"device": "CPU, 2 threads", "command": "python -m study.runner x"}
    rest = finished.history, metrics
    text = card.text(*about, sources, *rest, **where)
    last = finished.history.iloc[-1]
    for said in (
        "1 layers, 64 wide",
        "| a        |   1,200 | o/a @ 1      | CC BY-SA 4.0 |",
        "1,234 words",
        f"{last['step']:,.0f} steps of 64 tokens",
        "| 16 | 10 |\n| 32 | 1 |",
        "| masked_loss | 4.5 (4.25 to 4.75) | 1,000 |",
        "Learning rate 0.005 (AdamW; for the matrices of the layers 2 times that with Muon)",
        "after a warm-up over 2% of the steps",
        "15% of words are chosen; of their pieces 80% are shown as [MASK], 10% as another",
        f"{last['tokens'] / last['seconds']:,.0f} tokens a second",
        "CPU, 2 threads",
        "    python -m study",
    ):
        assert said in text, said
    assert text.startswith("---\nlanguage: id\n") and "no licences" not in text
    bare = sources.assign(licence="", repository="")
    unknown = card.text(*about, bare, *rest, **where)
    assert "knows no licences" in unknown and "| repository" not in unknown
    for files, said in (("a,a,b", True), ("a,b", False)):
        named = card.text("small", about[1], about[2] | {"files": files}, sources, *rest, **where)
        assert ("count as often" in named) == said


@pytest.mark.long
def test_the_notebook_runs_on_a_folder_and_shows_none_of_its_texts(tmp_path):
    texts = {
        "learned__txt": "\n".join(TEXTS * 6),
        "heldout_c__txt": "\n".join(SENTENCES["neutral"]),
        "heldout_f__txt": "\n".join(SENTENCES["positive"]),
    }
    place = folder(tmp_path / "corpus", a__txt=None, b__txt=None, a__sources__txt=None, **texts)
    run = tmp_path / "mine" / "mini" / "15_pretrain" / "default"
    done = runner(
        tmp_path,
        "15_pretrain",
        "mine/mini/15_pretrain/default",
        f"dataset={place}",
        "vocabulary=400",
        "epochs=4",
    )
    assert done.returncode == 0, done.stderr
    metrics = tables.read(run / "metrics.csv", tables.METRICS)
    again = evaluation.metrics(
        pd.read_csv(run / "heldout.csv"),
        pd.read_csv(run / "fertility.csv"),
        int(metrics["seed"].iloc[0]),
    )
    numbers = ["value", "ci_low", "ci_high", "n"]
    np.testing.assert_allclose(
        metrics[numbers].astype(float), again[numbers].astype(float), rtol=1e-3
    )
    assert {("c", "all"), ("c", "length 512"), ("embedded test", "all")} <= {
        *zip(metrics["test"], metrics["group"], strict=True)
    }
    about = json.loads((run / "provenance.json").read_text(encoding="utf-8"))
    assert [part["publish_texts"] for part in about["data"]] == [False, False, False, True]
    assert about["tokens_per_second"] > 0
    model, other = (models.build(str(run / "checkpoint" / "mini"), LABELS) for _ in range(2))
    assert model.model.config.hidden_size == other.model.config.hidden_size == 64
    for path in run.rglob("*"):
        if path.suffix in {".csv", ".ipynb", ".json", ".svg", ".md"}:
            content = path.read_text(encoding="utf-8")
            assert not [text for text in TEXTS if text in content], path
    assert len(list((run / "figures").glob("*.png"))) == 2
