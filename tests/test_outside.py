"""What functions of other people's may answer."""

import sys

import numpy as np
import pytest
import torch

from tahanuji.models import outside

TWO = ["positive", "negative"]


def said(answers, labels: list[str] = TWO, **card) -> np.ndarray:
    """The probabilities of a function that answers so."""
    card = {"labels": labels} | card
    texts = [f"teks {number}" for number in range(len(answers))]
    return outside.Function(lambda texts: answers, labels, card).predict_proba(texts)


def test_shares_of_several_names_of_one_label_add_up():
    names = {"puas": "positive", "senang": "positive", "kecewa": "negative"}
    answers = [{"puas": 0.4, "senang": 0.3, "kecewa": 0.3}]
    assert said(answers, names=names) == pytest.approx(np.array([[0.7, 0.3]]))
    pipeline = [[{"label": label, "score": share} for label, share in answers[0].items()]]
    assert said(pipeline, names=names) == pytest.approx(np.array([[0.7, 0.3]]))


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float16])
def test_numbers_may_be_tensors_of_a_network(kind):
    shares = torch.tensor([[0.75, 0.25], [0.5, 0.5]], dtype=kind, requires_grad=True)
    expected = pytest.approx(np.array([[0.75, 0.25], [0.5, 0.5]]))
    for answers in (shares, list(shares), [list(row) for row in shares]):
        assert said(answers) == expected
    by_name = [dict(zip(TWO, row, strict=True)) for row in shares]
    assert said(by_name) == expected


def test_labels_with_capitals_are_their_own():
    labels = ["Positif", "NEGATIF"]
    answers = ["Positif", "NEGATIF", "positif", "Negatif"]
    for names in ({}, {"positif": "positive", "negatif": "negative"}):  # as usual names of labels
        assert said(answers, labels, names=names).argmax(1).tolist() == [0, 1, 0, 1]
    swapped = {"Positif": "negatif"}  # what is said of a name comes first
    assert said(["Positif"], labels, names=swapped).argmax(1).tolist() == [1]


def test_labels_that_differ_in_case_alone_are_two():
    assert said(["A", "a"], ["A", "a"]).argmax(1).tolist() == [0, 1]
    assert said(["A", "a"], ["a", "A"]).argmax(1).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("answer", "remedy"),
    [
        ([{"label": "positive", "score": 1.0}], "call a pipeline with top_k=None"),
        ([[0.3, 0.7]], "return one of these for every text"),
        (["positive"], "return one of these for every text"),
    ],
)
def test_what_to_do_follows_from_the_answer(answer, remedy):
    with pytest.raises(outside.InputError, match=remedy):
        said([answer])


def test_a_file_is_loaded_once_and_sees_its_neighbours(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "kamus.py").write_text("KATA = 'enak'\n", encoding="utf-8")
    body = "import kamus\n\nasked = []\n\n\ndef f(texts):\n    return [kamus.KATA] * len(texts)\n"
    (tmp_path / "json.py").write_text(body, encoding="utf-8")
    first = outside.function("json.py:f", str(tmp_path))
    assert first(["a"]) == ["enak"]
    assert outside.function("json.py:f", str(tmp_path)) is first
    (tmp_path / "rusak.py").write_text("1 / 0\n", encoding="utf-8")
    for _ in range(2):  # a file that broke is not taken for loaded
        with pytest.raises(outside.InputError, match="ZeroDivisionError"):
            outside.function("rusak.py:f", str(tmp_path))
