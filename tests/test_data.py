"""tahanuji.data: a user's own files, hashes, repeats and, where the mirror is at hand, the facts of
the real data sets.
"""

import hashlib
import os
from pathlib import Path

import pandas as pd
import pytest

from tahanuji import data, downloads
from tahanuji.data import reading
from tahanuji.errors import InputError

MIRROR = os.environ.get("TAHAN_DATA_MIRROR", "")
mirror = pytest.mark.skipif(
    not MIRROR or MIRROR.startswith("http"),
    reason="set TAHAN_DATA_MIRROR to a folder with the real data sets to run this",
)
REGISTERED = [
    (name, key)
    for name, source in downloads.registry()["sources"].items()
    for key in source["files"]
]
CSV = 'text,label\n"Sambalnya pedas, tapi sedap",positive\nAntreannya bikin kesal,negative\n'


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refusal(path: Path | str, split: str = "test") -> str:
    with pytest.raises(InputError) as caught:
        data.load(str(path), split)
    return str(caught.value)


# Good files


def test_a_csv_file_gives_id_text_and_label(tmp_path):
    frame = data.load(str(write(tmp_path, "ulasan.csv", CSV)), "test")
    assert list(frame) == ["id", "text", "label"]
    assert frame["text"].to_list() == ["Sambalnya pedas, tapi sedap", "Antreannya bikin kesal"]
    assert frame["label"].to_list() == ["positive", "negative"]
    assert frame["id"].str.endswith("ulasan.csv-test-00001").to_list() == [True, False]


def test_quotes_in_a_tsv_file_are_ordinary_characters(tmp_path):
    path = write(
        tmp_path,
        "ulasan.tsv",
        'text\tlabel\n"Enak, kata ibu\tpositive\nSup "panas" tapi dingin\tnegative\n',
    )
    assert data.load(str(path), "test")["text"].to_list() == [
        '"Enak, kata ibu',
        'Sup "panas" tapi dingin',
    ]


def test_the_names_of_files_may_be_in_capitals(tmp_path):
    quoted = write(tmp_path, "TEST.TSV", 'text\tlabel\n"Enak, kata ibu\tpositive\n')
    for place in (quoted, tmp_path):
        assert data.load(str(place), "test")["text"].to_list() == ['"Enak, kata ibu']
    line = '{"text": "Enak", "label": "positive", "note": NaN}\n'
    path = write(tmp_path, "Train.JSONL", line)
    assert data.available(str(tmp_path)) == ["train", "test"]
    assert reading.read_lines(path)["note"].to_list() == [""]


def test_the_thesis_codes_become_label_names(tmp_path):
    write(tmp_path, "labels.txt", "positive\nneutral\nnegative\n")
    path = write(
        tmp_path, "ulasan.csv", "text,label\nSegar sekali,0\nBuka tiap hari, 1 \nBasi semua,2\n"
    )
    assert data.load(str(path), "test")["label"].to_list() == ["positive", "neutral", "negative"]


def test_the_thesis_column_names_are_understood(tmp_path):
    write(tmp_path, "labels.txt", "positive\nneutral\nnegative\n")
    path = write(tmp_path, "ulasan.csv", "sentence,gold_label\nSegar sekali,0\n")
    assert data.load(str(path), "test")[["text", "label"]].values.tolist() == [
        ["Segar sekali", "positive"]
    ]


@pytest.mark.parametrize("text", ["NA", "null", "123", "007", "  menjorok"])
def test_texts_stay_as_they_are_written(tmp_path, text):
    path = write(tmp_path, "ulasan.csv", f"text,label\n{text},neutral\n")
    assert data.load(str(path), "test")["text"].to_list() == [text]


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path):
    path = write(tmp_path, "ulasan.csv", b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode())
    assert data.load(str(path), "test")["label"].to_list() == ["positive", "negative"]


def test_line_breaks_inside_texts_are_line_feeds(tmp_path):
    table = 'text,label\n"satu\rdua",neutral\n"tiga\r\nempat",neutral\n'
    row = '{"text": "%s", "label": "neutral"}\n'
    lines = row % "satu\\rdua" + row % "tiga\\r\\nempat"
    for name, content in (("a.csv", table), ("a.jsonl", lines)):
        frame = data.load(str(write(tmp_path, name, content)), "test")
        assert frame["text"].to_list() == ["satu\ndua", "tiga\nempat"]


@pytest.mark.parametrize("split", data.SPLITS)
def test_a_folder_gives_each_split_from_its_csv_or_tsv(tmp_path, split):
    write(tmp_path, "train.csv", "text,label\nKursus train,neutral\n")
    write(tmp_path, "valid.tsv", "text\tlabel\nKursus valid\tneutral\n")
    write(tmp_path, "test.csv", "text,label\nKursus test,neutral\n")
    assert data.load(str(tmp_path), split)["text"].to_list() == [f"Kursus {split}"]


def test_the_source_tells_split_rows_hash_and_that_texts_stay_private(tmp_path):
    path = write(tmp_path, "ulasan.csv", CSV)
    source = data.load(str(path), "test").attrs["source"]
    assert (source["split"], source["rows"], source["publish_texts"]) == ("test", 2, False)
    assert source["sha256"] == hashlib.sha256(CSV.encode()).hexdigest()


def test_the_source_tells_what_labels_txt_said(tmp_path):
    path = write(tmp_path, "ulasan.csv", CSV)
    plain = data.load(str(path), "test").attrs["source"]
    declared = write(tmp_path, "labels.txt", "negative\npositive\n")
    told = data.load(str(path), "test").attrs["source"]
    assert told == plain | {"labels_sha256": data.sha256(declared)}
    assert "labels_sha256" not in data.load("embedded", "test").attrs["source"]


def test_the_embedded_corpus_may_be_published():
    frame = data.load("embedded", "test")
    assert frame.attrs["source"]["publish_texts"] is True
    assert frame["id"].iloc[0] == "embedded-test-00001"


# Bad files


def test_a_missing_column_is_named_with_the_columns_found(tmp_path):
    said = refusal(write(tmp_path, "ulasan.csv", "teks,label\nSegar sekali,positive\n"))
    assert "ulasan.csv has no column text" in said
    assert "teks, label" in said


def test_two_missing_columns_are_both_named(tmp_path):
    assert "has no column label and text" in refusal(
        write(tmp_path, "ulasan.csv", "kalimat,nilai\nSegar sekali,positive\n")
    )


def test_labels_outside_the_set_are_refused_with_their_rows_in_the_file(tmp_path):
    said = refusal(
        write(tmp_path, "ulasan.csv", "text,label\nSegar,positif\nBiasa,neutral\nBasi,3\n")
    )
    assert "ulasan.csv: rows 2, 4 have a label outside positive, neutral, negative; name" in said


def test_numbers_without_a_labels_txt_are_no_labels(tmp_path):
    """0 and 1 of a stranger's file mean what he says: 0 may be his negative."""
    path = write(tmp_path, "ulasan.csv", "text,label\nSegar sekali,1\nBasi semua,0\n")
    assert "rows 2, 3 have a label outside positive" in refusal(path)
    assert "what the numbers 0, 1, ... mean, in a labels.txt" in refusal(path)
    write(tmp_path, "labels.txt", "negative\npositive\n")
    assert data.load(str(path), "test")["label"].to_list() == ["positive", "negative"]


def test_empty_texts_are_refused_with_their_rows(tmp_path):
    assert "rows 3, 4 have no text" in refusal(
        write(tmp_path, "ulasan.tsv", "text\tlabel\nSegar\tpositive\n\tneutral\n   \tneutral\n")
    )


def test_many_bad_rows_are_counted_after_the_tenth(tmp_path):
    said = refusal(write(tmp_path, "ulasan.csv", "text,label\n" + "Segar,bagus\n" * 13))
    assert "rows 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more have a label outside" in said


def test_rows_of_a_file_without_header_are_counted_from_1(tmp_path):
    path = write(tmp_path, "ulasan.tsv", "Segar\tpositive\nBasi\tburuk\n")
    with pytest.raises(InputError, match="rows 2 have a label outside"):
        data.read_labelled(path, data.LABELS, ["text", "label"])


def test_a_row_without_a_label_is_refused(tmp_path):
    assert "rows 3 have a label outside" in refusal(
        write(tmp_path, "ulasan.csv", "text,label\nSegar,positive\nBasi\n")
    )


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_file_is_said_to_be_empty(tmp_path, content):
    assert refusal(write(tmp_path, "ulasan.csv", content)).endswith("ulasan.csv is empty.")


def test_a_header_alone_is_refused(tmp_path):
    assert "has a header but no rows" in refusal(write(tmp_path, "ulasan.csv", "text,label\n"))


@pytest.mark.parametrize(
    "content",
    [b"text,label\nSegar\xff,positive\n", "text,label\nSegar,positive\n".encode("utf-16")],
)
def test_bytes_that_are_not_utf_8_are_refused_with_the_way_out(tmp_path, content):
    said = refusal(write(tmp_path, "ulasan.csv", content))
    assert "is not UTF-8" in said
    assert "0xff" in said
    assert said.endswith("save it as UTF-8.")


@pytest.mark.parametrize(
    "content",
    [
        'text,label\n"Segar,positive\nBasi,negative\n',
        "text,label\nSegar,positive\nBasi, bau, dan dingin,negative\n",
    ],
)
def test_a_broken_table_is_refused(tmp_path, content):
    assert "is not a table" in refusal(write(tmp_path, "ulasan.csv", content))


def test_rows_after_a_blank_line_keep_their_number_in_the_file(tmp_path):
    assert "rows 4 have a label outside" in refusal(
        write(tmp_path, "ulasan.csv", "text,label\nSegar,positive\n\nBasi,buruk\n")
    )


def test_a_comma_outside_quotes_in_every_row_is_refused(tmp_path):
    assert "ulasan.csv" in refusal(
        write(tmp_path, "ulasan.csv", "text,label\nSegar, murah,positive\nBasi, mahal,negative\n")
    )


def test_columns_text_and_sentence_together_are_refused(tmp_path):
    assert "sentence" in refusal(
        write(tmp_path, "ulasan.csv", "text,sentence,label\nSegar,Segar sekali,positive\n")
    )


# Names, splits and folders


@pytest.mark.parametrize("split", ["train", "valid"])
def test_one_file_serves_as_the_test_split_only(tmp_path, split):
    said = refusal(write(tmp_path, "ulasan.csv", CSV), split)
    assert (
        f"one file, which serves as the test split; {split} needs a folder with {split}.csv" in said
    )


def test_a_folder_that_lacks_a_split_says_which(tmp_path):
    write(tmp_path, "test.csv", CSV)
    assert "holds no train.csv, train.tsv or train.jsonl" in refusal(tmp_path, "train")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("smssa", "'smsa'"), ("embeded", "'embedded' or 'embedded_english'")],
)
def test_an_unknown_name_is_answered_with_the_nearest(name, nearest):
    said = refusal(name)
    assert f"unknown data set '{name}'; did you mean {nearest}?" in said
    assert "smsa, emot" in said


@pytest.mark.parametrize("path", ["ulasan.csv", "folder/ulasan", "./smssa", "/nowhere"])
def test_a_path_that_leads_nowhere_is_no_misspelt_name(path):
    said = refusal(path)
    assert said.startswith(f"there is no file or folder {path!r}.")
    assert "smsa" not in said.replace(path, "")


def test_a_folder_with_two_files_of_a_split_is_refused(tmp_path):
    write(tmp_path, "test.csv", CSV)
    write(tmp_path, "test.jsonl", "{}")
    assert "holds test.csv and test.jsonl; keep the one that is meant" in refusal(tmp_path)


def test_an_unknown_split_is_answered_with_the_splits():
    assert "unknown split 'tes'; did you mean 'test'? Allowed: train, valid, test." in refusal(
        "embedded", "tes"
    )


# Hashes and repeats


def test_text_hash_is_the_head_of_the_sha256_of_the_utf_8_text():
    text = "Kafé itu sepi – padahal enak."
    assert data.text_hash(text) == hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    assert data.text_hash("abc") == "ba7816bf8f01cfea"
    assert data.text_hash("abc") != data.text_hash("abc ")


def test_sha256_is_that_of_the_bytes(tmp_path):
    assert (
        data.sha256(write(tmp_path, "abc", b"abc"))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )


def test_repeats_count_later_copies_only():
    frame = pd.DataFrame({"text": ["satu", "dua", "satu", "tiga", "satu"]})
    assert data.repeats(frame) == 2


def test_repeats_against_another_frame_count_every_row_that_stands_there():
    frame, other = (
        pd.DataFrame({"text": ["satu", "dua", "satu"]}),
        pd.DataFrame({"text": ["tiga", "satu"]}),
    )
    assert data.repeats(frame, other) == 2
    assert data.repeats(other, frame) == 1


# The real data sets


@pytest.fixture(scope="module")
def smsa() -> dict[str, pd.DataFrame]:
    return {split: data.load("smsa", split) for split in data.SPLITS}


@mirror
def test_smsa_has_its_published_sizes(smsa):
    assert {split: len(frame) for split, frame in smsa.items()} == {
        "train": 11_000,
        "valid": 1_260,
        "test": 500,
    }


@mirror
def test_smsa_test_has_its_published_labels(smsa):
    assert smsa["test"]["label"].value_counts().to_dict() == {
        "positive": 208,
        "neutral": 88,
        "negative": 204,
    }


@mirror
def test_188_smsa_test_rows_have_the_word_tidak(smsa):
    assert sum("tidak" in text.split() for text in smsa["test"]["text"]) == 188


@mirror
def test_67_smsa_train_rows_repeat_an_earlier_one(smsa):
    assert data.repeats(smsa["train"]) == 67
    assert smsa["train"]["text"].nunique() == 10_933


@mirror
def test_14_smsa_validation_rows_stand_in_train_too(smsa):
    assert data.repeats(smsa["valid"], smsa["train"]) == 14


@mirror
def test_smsa_texts_stay_private(smsa):
    assert {
        split: frame.attrs["source"]["publish_texts"] for split, frame in smsa.items()
    } == dict.fromkeys(data.SPLITS, False)


@mirror
@pytest.mark.parametrize(("name", "key"), REGISTERED)
def test_a_file_of_the_mirror_has_the_registered_size_and_hash(name, key):
    source = downloads.registry()["sources"][name]
    entry = source["files"][key]
    content = Path(MIRROR, source["repository"], source["commit"], entry["path"]).read_bytes()
    assert (len(content), hashlib.sha256(content).hexdigest()) == (entry["bytes"], entry["sha256"])


def test_emot_has_five_labels_and_440_test_rows(mirror):
    """Saputri et al. (2018) as in IndoNLU, whose paper prints 442 test rows."""
    sizes = {split: len(data.load("emot", split)) for split in data.SPLITS}
    assert sizes == {"train": 3521, "valid": 440, "test": 440}
    assert data.labels("emot") == ["sadness", "anger", "love", "fear", "happy"]
    assert data.load("emot", "test")["label"].value_counts().to_dict() == {
        "anger": 110,
        "happy": 101,
        "sadness": 100,
        "fear": 65,
        "love": 64,
    }


def test_labels_of_a_users_own_folder_are_those_of_sentiment(tmp_path):
    assert data.labels(str(tmp_path)) == data.LABELS
