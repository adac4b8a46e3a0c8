"""Files of tags and aspects: what is refused, what IndoNLU's files hide, the sentences that ship,
and the notebook from a folder of one's own to its metrics.
"""

import re
from collections import Counter
from itertools import pairwise

import pandas as pd
import pytest
from conftest import ROOT, runner
from recompute import recomputes

from tahanuji import data, downloads, measure, tagging
from tahanuji.errors import InputError
from tahanuji.instrument import Instrument
from tahanuji.tagging import corpus
from tahanuji.tagging.alterations import entities
from tahanuji.tagging.measures import scheme_of
from tahanuji.tagging.models import features

README = (ROOT / "data" / "tagging" / "README.md").read_text(encoding="utf-8")
ROWS = {  # Table 1 of Wilie et al. (2020)
    "posp": (6720, 840, 840),
    "bapos": (8000, 1000, 1029),
    "terma": (3000, 1000, 1000),
    "keps": (800, 200, 247),
    "nergrit": (1672, 209, 209),
    "nerp": (6720, 840, 840),
    "facqa": (2495, 311, 311),
    "casa": (810, 90, 180),
    "hoasa": (2283, 285, 286),
}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("Ani\tB-PER\ntidur O\n", r"lines 2 have not a word, a tab, a tag"),
        ("Ani\tB-PER\tX\n", r"lines 1 have not a word"),
        ("Ani\t\n", r"lines 1 lack a cell"),
        ("Ani B-PER\ntidur O\n", r"lines 1, 2 have not .*; put one tab between word and tag"),
        ("Ani\tB PER\n", r"lines 1 have a blank in or beside the tag"),
        ("Ani\tB-PER \n", r"lines 1 have a blank in or beside the tag"),
        ("-DOCSTART- -X- O\n\n", r"holds no sentence"),
        ("Ani\tB-PER\n\n\ntidur\tO\n", r"lines 3 end a sentence without words"),
        ("# id = a\n", r"holds no sentence"),
    ],
)
def test_a_file_of_tags_is_refused_with_its_lines(tmp_path, content, complaint):
    path = tmp_path / "train.conll"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=complaint):
        corpus.read_conll(path)


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"a folder with train\.conll"):
        tagging.load(str(tmp_path), "train")
    with pytest.raises(InputError, match="unknown task 'nergritt'; did you mean 'nergrit'"):
        tagging.load("nergritt", "train")
    with pytest.raises(InputError, match="test has tags that train lacks: B-LOC"):
        one = pd.DataFrame({"tags": [["B-PER", "O"]]})
        corpus.check_tags(one, pd.DataFrame({"tags": [["B-LOC"]]}), "test")


def test_one_file_is_told_which_three_a_folder_needs(tmp_path):
    (tmp_path / "satu.conll").write_text("Ani\tB-PER\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"is one file; .* train\.conll, valid\.conll and test\."):
        tagging.load(str(tmp_path / "satu.conll"), "test")


def test_bytes_that_are_no_utf_8_are_named_with_their_line(tmp_path):
    path = tmp_path / "train.conll"
    path.write_bytes("Ani\tB-PER\n“Budi”\tB-PER\n".encode("cp1252"))
    with pytest.raises(InputError, match=r"train\.conll is not UTF-8: line 2 holds the byte 0x93"):
        corpus.read_conll(path)


def test_a_byte_order_mark_is_no_part_of_a_word_or_a_comment(tmp_path):
    path = tmp_path / "train.conll"
    for content in ("Ani\tB-PER\n", "# id = a\nAni\tB-PER\n"):
        path.write_text(content, encoding="utf-8-sig")
        assert corpus.read_conll(path)["words"].to_list() == [["Ani"]]


@pytest.mark.parametrize("ends", ["\n\n", "\n"])
def test_lines_between_documents_are_skipped(tmp_path, ends):
    path = tmp_path / "train.conll"
    start = f"-DOCSTART-\tO{ends}"
    path.write_text(f"{start}Ani\tB-PER\n{start}tidur\tO\n", encoding="utf-8")
    assert corpus.read_conll(path)["words"].to_list() == [["Ani"], ["tidur"]]
    path.write_text("Ani\tB-PER\n\n-DOCSTART- -X- O O\n\ntidur\tO\n\n", encoding="utf-8")
    assert corpus.read_conll(path)["words"].to_list() == [["Ani"], ["tidur"]]


@pytest.mark.parametrize(
    ("tags", "complaint"),
    [
        (["B-PER", "O", "B_PER", "B_PER"], r"train\.conll .* B_PER \(lines 3, 4\)\. Write"),
        (["b-PER", "O", "i-PER"], r"b-PER \(lines 1\); i-PER \(lines 3\)"),
        (["B-PER", "E-PER", "O", "S-LOC"], r"E-PER \(lines 2\); S-LOC \(lines 4\).*S-<type>"),
        (["S-PER", "O"], r"S-PER \(lines 1\)"),
        (["B", "I", "O", "E"], r"E \(lines 4\)"),
        (["B-PER", "O", "NN"], r"NN \(lines 3\)"),
    ],
)
def test_tags_of_several_schemes_are_refused_with_their_lines(tmp_path, tags, complaint):
    lines = [f"kata\t{tag}" for tag in tags]
    (tmp_path / "train.conll").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=complaint):
        tagging.load(str(tmp_path), "train")


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        (["B-PER", "I-PER", "O"], "bio"),
        (["I-PER", "O"], "bio"),
        (["B", "I", "O"], "bio"),
        (["NN", "VB"], "token"),
        (["N", "V", "I", "S"], "token"),
        (["PER", "O"], "token"),
    ],
)
def test_tags_of_one_scheme_are_read(tmp_path, tags, scheme):
    lines = [f"kata\t{tag}" for tag in tags]
    (tmp_path / "train.conll").write_text("\n".join(lines), encoding="utf-8")
    frame = tagging.load(str(tmp_path), "train")
    assert scheme_of(frame["tags"].explode()) == scheme


def test_a_model_without_a_wrong_tag_has_nothing_mixed_up():
    frame = pd.DataFrame({"tags": [["B-PER", "O"]]})
    table = tagging.errors(frame, [["B-PER", "O"]])["confusion"]
    assert table.empty and list(table) == ["gold", "predicted", "n", "share"]
    reviews = pd.DataFrame({"id": ["a"], "text": ["murah"], "harga": ["pos"]})
    assert tagging.errors(reviews, [["pos"]])["confusion"].empty


def test_comments_and_windows_line_ends_are_no_words(tmp_path):
    path = tmp_path / "train.conll"
    path.write_bytes(b"# id = a\r\n#\tO\r\nRumah Sakit\tB-ORG\r\n\r\nAni\tB-PER\r\n\r\n\r\n")
    frame = corpus.read_conll(path)
    assert frame["words"].to_list() == [["#", "Rumah Sakit"], ["Ani"]]
    assert frame["tags"].to_list() == [["O", "B-ORG"], ["B-PER"]]


@pytest.mark.parametrize("task", ROWS)
def test_rows_of_indonlu_are_those_of_its_table_1(mirror, task):
    sizes = [len(tagging.load(task, split)) for split in data.SPLITS]
    expected = list(ROWS[task])
    if task == "terma":  # its validation rows all stand in train, which lacks them here
        expected[0] = 1983
    assert sizes == expected


def test_what_the_files_of_indonlu_hide(mirror):
    blanks = [
        int(tagging.load("posp", split)["words"].explode().str.contains(" ").sum())
        for split in data.SPLITS
    ]
    assert blanks == [668, 75, 87]
    leak = tagging.leaked(tagging.load("nerp", "test"), tagging.load("nerp", "train"))
    assert (leak["seen"].sum(), leak["otherwise"].sum()) == (66, 48)
    tags = tagging.load("bapos", "test")["tags"].explode().value_counts()
    assert (tags["B-SYM"], tags["B-UH"], tags["B-FW"]) == (1, 1, 14)
    passages = [
        set(map(tuple, tagging.load("facqa", split)["words"])) for split in ("train", "test")
    ]
    test = tagging.load("facqa", "test")["words"].map(tuple)
    assert test.isin(passages[0]).sum() == 229
    train, other = (tagging.load("hoasa", split) for split in ("train", "test"))
    names = corpus.aspects(train)
    assert (train[names] == "neg_pos").to_numpy().sum() == 9
    assert not (other[names] == "neg_pos").to_numpy().any()
    casa = pd.concat([tagging.load("casa", split) for split in data.SPLITS])
    assert len(corpus.aspects(casa)) == 6
    assert round((casa[corpus.aspects(casa)] == "neutral").to_numpy().mean(), 2) == 0.78


def test_masked_labels_of_indonlu_are_named_nowhere_in_the_registry():
    assert "masked" not in (ROOT / "data" / "registry.yaml").read_text(encoding="utf-8")


def test_texts_of_nerp_are_tagged_in_several_ways_within_training(mirror):
    train = tagging.load("nerp", "train")
    tags = train["tags"].map(tuple).groupby(train["words"].map(tuple)).nunique()
    assert (tags > 1).sum() == 222


@pytest.mark.parametrize(("task", "stray"), [("nerp", 101), ("terma", 8)])
def test_spans_of_indonlu_begin_with_an_i(mirror, task, stray):
    follow = [
        tag.startswith("I-") and before[2:] != tag[2:]
        for tags in tagging.load(task, "train")["tags"]
        for before, tag in pairwise(["O", *tags])
    ]
    assert sum(follow) == stray


def test_texts_of_terma_stand_in_two_splits_and_in_hoasa(mirror):
    test = tagging.load("terma", "test")["words"].map(tuple)
    kept = tagging.load("terma", "train")["words"].map(tuple)
    files = downloads.registry()["tagging"]["terma"]["splits"]
    whole = corpus.read_conll(data.locate(files["train"]))["words"].map(tuple)
    assert (test.isin(set(whole)).sum(), test.isin(set(kept)).sum()) == (24, 18)
    assert len(tagging.load("terma_leaking", "train")) == len(whole) == 3000
    valid = tagging.load("terma_leaking", "valid")["words"].map(tuple)
    assert valid.isin(set(whole)).all() and not valid.isin(set(kept)).any()
    reviews = pd.concat([tagging.load("hoasa", split)["text"] for split in data.SPLITS])
    assert reviews.map(letters).isin({letters(" ".join(words)) for words in test}).sum() == 88


def letters(text: str) -> str:
    """The letters and digits of a text: TermA is in words, HoASA is not."""
    return re.sub(r"\W", "", text.lower())


def test_the_sentences_that_ship_are_what_their_readme_counts():
    frames = {split: tagging.load("tags", split) for split in data.SPLITS}
    for split, frame in frames.items():
        tags = frame["tags"].explode()
        begun = Counter(tag[2:] for tag in tags if tag.startswith("B-"))
        none = sum(set(row) == {"O"} for row in frame["tags"])
        cells = [split, len(frame), f"{len(tags):,}", *(begun[name] for name in KINDS), none]
        assert f"| {' | '.join(map(str, cells))} |" in README
        assert set(begun) == set(KINDS)
    texts = [frozenset(map(tuple, frame["words"])) for frame in frames.values()]
    assert len(frozenset().union(*texts)) == sum(map(len, frames.values()))
    pools = [entities(frame) for frame in frames.values()]
    assert len(re.findall(r"Intan|Surya|Melati|Fajar", README)) == 4 and all(pools)


KINDS = ["PER", "LOC", "ORG", "PRD"]


@pytest.mark.parametrize("split", data.SPLITS)
def test_tags_that_ship_are_legal_bio(split):
    for tags in tagging.load("tags", split)["tags"]:
        for before, tag in pairwise(["O", *tags]):
            assert tag == "O" or tag[2:] in KINDS
            assert not tag.startswith("I-") or before[2:] == tag[2:]


def test_a_field_learns_its_sentences_and_a_question_counts():
    train = tagging.load("tags", "train").head(60)
    assert tagging.fitted(train).predict(train) == train["tags"].to_list()
    asked = features(["Ani", "tidur"], ["Siapa", "tidur"])
    assert "in=True" in asked[1] and "in=False" in asked[0]
    with pytest.raises(InputError, match="but one tag"):
        tagging.fitted(train.assign(tags=[["O"] * len(words) for words in train["words"]]))


def test_what_a_model_of_aspects_cannot_see_it_does_not_stand():
    rows = {"id": [f"r{n}" for n in range(8)], "text": ["murah sekali", "mahal sekali"] * 4}
    train = pd.DataFrame(rows).assign(harga=["pos", "neg"] * 4)
    model = tagging.fitted(train)
    table = tagging.tested(model, train, SEEN, seed=1)
    judged = measure.verdicts(tagging.as_tests(table), "INV", [0.1])
    verdicts = judged[judged["quantity"] == "flips"].set_index("test")["verdict"]
    assert verdicts["word_case"] == "cannot act" and verdicts["keyboard"] != "cannot act"


SEEN = [Instrument("word_case"), Instrument("keyboard")]


class Blind:
    """Knows names, in whatever case."""

    def predict(self, frame):
        named = {"ani": "B-PER", "ende": "B-LOC"}
        return [[named.get(word.lower(), "O") for word in words] for words in frame["words"]]

    def tells_apart(self, frame, other):
        sides = [
            [list(map(str.lower, words)) for words in rows["words"]] for rows in (frame, other)
        ]
        return [one != two for one, two in zip(*sides, strict=True)]


def test_what_a_tagger_cannot_see_it_does_not_stand_and_swaps_are_judged_by_their_spans():
    words, tags = ["Ani", "pulang", "ke", "Ende"], ["B-PER", "O", "O", "B-LOC"]
    ids = [f"s{n}" for n in range(20)]
    frame = pd.DataFrame({"id": ids, "words": [words] * 20, "tags": [tags] * 20})
    more = {"words": [["Kota", "Tua"]], "tags": [["B-LOC", "I-LOC"]]}
    said = tagging.tested(Blind(), frame, SEEN, seed=1, train=pd.DataFrame(more))
    judged = measure.verdicts(tagging.as_tests(said), "INV", [0.1])
    flips = judged[judged["quantity"] == "flips"].set_index("test")
    assert flips.loc["word_case", "verdict"] == "cannot act"
    assert flips.loc["keyboard", "verdict"] != "cannot act"
    free = flips.loc["entities of training, free length"]
    assert (free["n"], free["value"], free["verdict"]) == (40, 0.5, "breaks")  # Ende alone is lost


@pytest.mark.parametrize("tags", [["B-NN", "B-VB"], ["B", "O"], ["NN", "VB"]])
def test_swaps_need_entities_with_types(tags):
    frame = pd.DataFrame({"id": ["a"], "words": [["Ani", "tidur"]], "tags": [tags]})
    said = tagging.tested(Blind(), frame, SEEN, seed=1, train=frame)
    assert set(said["test"]) == {"word_case", "keyboard"}


def test_entities_of_two_types_in_training_are_not_new():
    train = {"words": [["Ende"], ["Ende"]], "tags": [["B-LOC"], ["B-ORG"]]}
    frame = pd.DataFrame({"id": ["a"], "words": [["di", "Solo"]], "tags": [["O", "B-LOC"]]})
    more = pd.DataFrame({"id": ["b"], "words": [["ke", "Ende"]], "tags": [["O", "B-LOC"]]})
    both = pd.concat([frame, more], ignore_index=True)
    said = tagging.tested(Blind(), both, [], seed=1, train=pd.DataFrame(train))
    new = said.query("test == 'new entities, equal length'").set_index("id")
    assert new["changed"].to_dict() == {"a": False, "b": True}


def test_tags_that_training_lacks_are_refused(tmp_path):
    for split, tag in (("train", "B-PER"), ("valid", "B-PER"), ("test", "B-ORG")):
        (tmp_path / f"{split}.conll").write_text(f"Ani\t{tag}\ntidur\tO", encoding="utf-8")
    assert len(tagging.load(str(tmp_path), "valid")) == 1
    with pytest.raises(
        InputError, match=r"test.conll has tags that train lacks: B-ORG \(lines 1\);"
    ):
        tagging.load(str(tmp_path), "test")


@pytest.mark.long
def test_the_notebook_runs_on_tags_of_ones_own(tmp_path):
    folder = tmp_path / "sendiri"
    folder.mkdir()
    for split in data.SPLITS:
        frame = tagging.load("tags", split)
        sentences = [
            "\n".join(f"{word}\t{tag}" for word, tag in zip(*row, strict=True))
            for row in zip(frame["words"], frame["tags"], strict=True)
        ]
        (folder / f"{split}.conll").write_text("\n\n".join(sentences), encoding="utf-8")
    words = [f"dataset={folder}", "perturbations=keyboard, word_case", "test_rows=40"]
    done = runner(tmp_path, "10_indonlu", "own/tfidf/10_indonlu/default", *words)
    assert done.returncode == 0, done.stderr
    recomputes(tmp_path / "own/tfidf/10_indonlu/default")


def test_a_passages_words_know_what_is_asked_and_how_much_of_it_their_sentence_has():
    passage = ["Ani", "lahir", "di", "Ende", ".", "Budi", "tidur", "."]
    rows = features(passage, ["Dimanakah", "Ani", "lahir", "?"])
    place, sleeper = rows[3], rows[5]
    assert "q=mana|s=Xx" in place and "q=mana ani|w-1=di" in place
    assert "covered=2" not in sleeper and "covered=0" in sleeper
    assert "covered=2" in place and "near=2" in place and "in=True" in rows[1]
    assert "near=far" in features(["a"] * 9 + ["lahir"], ["lahir"])[0]
    assert not [feature for feature in features(passage)[3] if feature.startswith("q=")]


def test_texts_with_one_label_and_pairs_are_reviews_of_one_aspect(mirror):
    """IndoNLU's other three tasks, with the rows of the paper's Table 1 (EmoT's test has 440)."""
    for task, rows in (("emot", 440), ("smsa", 500), ("wrete", 100)):
        test = tagging.load(task, "test")
        assert len(test) == rows and corpus.aspects(test) == ["label"]
        assert ("text_pair" in test) == (task == "wrete")
    train = tagging.load("wrete", "train")
    assert not tagging.leaked(test, train)["seen"].all()


def test_spans_are_lost_by_type_by_bounds_or_altogether():
    words = ["Ani", "Putri", "ke", "Ende", "lagi", "Rabu"]
    gold = ["B-PER", "I-PER", "O", "B-LOC", "O", "B-DAT"]
    said = ["B-PER", "O", "O", "B-ORG", "I-ORG", "O"]
    frame = pd.DataFrame({"id": ["a", "b"], "words": [words] * 2, "tags": [gold] * 2})
    lost = tagging.errors(frame, [said, gold])["lost_spans"]
    assert lost[["id", "type", "text", "said", "how"]].values.tolist() == [
        ["a", "PER", "Ani Putri", "PER", "bounds"],
        ["a", "LOC", "Ende", "ORG", "type and bounds"],
        ["a", "DAT", "Rabu", "", "missed"],
    ]
    tokens = frame.assign(tags=[["NN"] * 6] * 2)
    assert tagging.errors(tokens, [["VB"] * 6] * 2)["lost_spans"].empty
