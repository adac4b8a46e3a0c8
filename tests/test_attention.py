"""Decomposable attention: pairs without regard to order, padding or batch, vectors that stay, and
a checkpoint that answers as it was saved.
"""

import numpy as np
import pandas as pd
import pytest
import torch

from tahanuji import data, models, training
from tahanuji.errors import InputError
from tahanuji.models import attention

LABELS = ["same", "other"]
WORDS = ["Kucing", "tidur", "anjing", "lari", "burung", "terbang", "ikan", "berenang"]


@pytest.fixture
def network():
    torch.manual_seed(1)
    return models.build("attention", LABELS)


def pairs() -> pd.DataFrame:
    """Every pair of sentences of two words; the label says whether both are alike."""
    texts = [f"{one} {two}." for one in WORDS for two in WORDS if one != two]
    frame = pd.DataFrame({"text": texts * 2, "text_pair": texts + texts[1:] + texts[:1]})
    same = frame["text"] == frame["text_pair"]
    frame.insert(0, "id", [str(number) for number in frame.index])
    frame["label"] = same.map({True: "same", False: "other"})
    return data.describe(frame, name="own", split="train", sha256="0" * 64, publish_texts=True)


def test_order_of_words_does_not_matter_and_order_of_sentences_does(network):
    asked = [("Kucing tidur", "Anjing lari"), ("tidur Kucing", "lari Anjing")]
    one, turned, swapped = network.predict_proba([*asked, asked[0][::-1]])
    assert one == pytest.approx(turned, abs=1e-5)
    assert one != pytest.approx(swapped, abs=1e-5)


def test_the_rest_of_a_batch_changes_no_answer(network):
    asked = [("Kucing tidur.", "Anjing lari."), ("Kucing tidur. " * 20, "Anjing itu lari pulang.")]
    together = network.predict_proba(asked)
    alone = np.concatenate([network.predict_proba([pair]) for pair in asked])
    assert together == pytest.approx(alone, abs=1e-5)


def test_single_texts_are_refused(network):
    with pytest.raises(InputError, match="reads pairs of texts"):
        network.predict_proba(["Kucing tidur."])


def test_the_vectors_are_the_encoders_and_stay(network, tmp_path):
    encoder = models.build("mini", LABELS).model.get_input_embeddings().weight.detach()
    before = network.model.vectors.weight.clone()
    assert torch.allclose(before / before[5].norm(), encoder / encoder[5].norm(), atol=1e-4)
    frame, job = pairs(), training.Job("attention", "nli", tmp_path, seed=1)
    chosen = training.settings("attention", epochs=6, learning_rate=2e-3)
    history = training.fine_tune(job, network, frame, frame.tail(40), chosen)
    assert torch.equal(network.model.vectors.weight.cpu(), before)
    assert history["accuracy"].max() > 0.9
    again = models.load(tmp_path / "best", LABELS)
    asked = data.inputs(frame)[:5]
    assert isinstance(again.model, attention.DecomposableAttention)
    assert again.predict_proba(asked) == pytest.approx(network.predict_proba(asked), abs=1e-6)
