"""Word lists: what their README says of them, and the classes of words."""

import csv
import random
import re
from fnmatch import fnmatch

import pytest

from tahanuji import lexicons, perturb
from tahanuji.errors import InputError

README = (lexicons.LEXICONS / "README.md").read_text(encoding="utf-8")
TABLE = re.findall(r"^\| (`.*csv`) \| ([a-z, ]+) \| ([\d,; ]+) \|", README, re.MULTILINE)


def test_readme_has_every_file():
    patterns = re.findall(r"`([\w*]+\.\w+)`", README)
    for path in lexicons.LEXICONS.iterdir():
        named = any(fnmatch(path.name, pattern) for pattern in patterns)
        assert named or path.name == "README.md", path.name


@pytest.mark.parametrize(("names", "columns", "entries"), TABLE)
def test_readme_states_columns_and_entries(names, columns, entries):
    paths = [lexicons.LEXICONS / name for name in re.findall(r"`(.+?)`", names)]
    for path, stated in zip(paths, entries.split("; "), strict=True):
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert ", ".join(header) == columns
        assert f"{len(rows):,}" == stated.strip()


def test_readme_counts_the_synonyms():
    with (lexicons.LEXICONS / "synonyms_id.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    words, within = {row["word"] for row in rows}, sum(row["register"] == "same" for row in rows)
    said = f"{len(rows):,} pairs of {len(words):,} words, {within} of them within one register"
    assert said in README


@pytest.mark.parametrize("language", ["id", "en"])
def test_every_class_of_words_is_explained(language):
    classes = lexicons.word_classes(lexicons.LEXICONS / f"word_classes_{language}.csv")
    assert all(f"\n| {name} | " in README for name in classes)
    assert all(classes.values())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("class,word\n", "line 1 has a wrong number of cells: 2, not 3"),
        ("kind,word,value\n", "line 1 is not the header class,word,value"),
        ("class,word,value\nbe,Is,\n", "line 2 has 'Is' in 'be'"),
        ("class,word,value\nbe,is,\nbe,is,\n", "line 3 has 'is' in 'be'"),
        ("class,word,value\nbe,,\n", "line 2 has '' in 'be'"),
    ],
)
def test_bad_rows_are_named(tmp_path, content, message):
    path = tmp_path / "classes.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        lexicons.word_classes(path)


def test_the_header_of_the_sentiment_words_is_no_word():
    assert lexicons.sentiment_words()["enak"] == "positive"
    assert {"word", "polarity"}.isdisjoint(lexicons.sentiment_words())
    reverse = perturb.make("reversed_negation")
    assert reverse("word tidak enak", 1.0, random.Random(1)) == "word enak"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("enak,positive\nenak,negative", "line 3 repeats line 2"),
        ("enak,good", "line 2 has the polarity 'good'; allowed are positive, negative"),
        ("jum’at,positive", "line 2 has 'jum’at' as word, which is not in lower-case words"),
        ("biasa,positive", "line 2 is dull"),
    ],
)
def test_bad_rows_of_a_table_are_named(tmp_path, row, message):
    path = tmp_path / "table.csv"
    path.write_text(f"word,polarity\n{row}\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        lexicons.table(
            path,
            ("word", "polarity"),
            distinct=1,
            fault=lambda word, _: "is dull" if word == "biasa" else "",
            polarity=("positive", "negative"),
        )


def test_words_of_several_classes():
    assert lexicons.members("id", "prohibition", "privative") == {"jangan", "jgn", "tanpa", "anti"}
    assert list(lexicons.values("id", "variant of tidak"))[:3] == ["enggak", "nggak", "gak"]
    with pytest.raises(TypeError):
        lexicons.values("id", "title")["pak"] = "kak"
