"""Synonyms: what is replaced where, and the readers of WordNets and word vectors."""

import csv
import gzip
import importlib.util
import random

import nltk
import numpy as np
import pytest
from conftest import ROOT
from small_wordnets import database, princeton, small_wordnets  # noqa: F401

from tahanuji import downloads, lexicons, words
from tahanuji.codemix import senses
from tahanuji.errors import InputError
from tahanuji.perturb import synonyms, vectors, wordnet_en, wordnets

ORIGINAL_BAHASA, ORIGINAL_PRINCETON = wordnets.bahasa.__wrapped__, wordnet_en.princeton.__wrapped__
ENGLISH = ROOT / "tests/golden/vectors_en.txt"


@pytest.fixture(autouse=True)
def small(small_wordnets):  # noqa: F811
    """Both WordNets small."""


def changed(old, new):
    """How many words differ, where no word becomes two."""
    pairs = zip(words.words(old), words.words(new or old), strict=True)
    return sum(one.text != other.text for one, other in pairs)


def test_the_share_is_of_all_words_and_grows_with_the_rate():
    text = "kamar bersih , makanan enak , kopi murah , "
    text += "pelayan ramah , parkir luas dan wifi cepat sekali"
    function = synonyms.synonym_embedding()
    counts = [
        changed(text, function(text, rate, random.Random(4)))
        for rate in (0.0, 0.05, 0.1, 0.2, 0.3, 1.0)
    ]
    assert counts[:5] == [0, 1, 1, 3, 4]
    assert counts[5] == max(counts) >= 8


@pytest.mark.parametrize("name", ["synonym_wordnet", "synonym_embedding", "synonym_lexicon"])
def test_odd_texts_have_no_synonyms(name):
    function = getattr(synonyms, name)()
    for text in ("e\u0301nak\u200b", "enak\u0301", "\u0645\u0631\u062d\u0628\u0627"):
        assert function(text, 1.0, random.Random(1)) is None


def test_names_function_words_and_numerals_stay():
    function = synonyms.synonym_embedding()
    assert function("yang tidak sudah dengan tiga", 1.0, random.Random(1)) is None
    assert (
        function("Kata Bersih kepada Murah", 1.0, random.Random(1)).startswith("Kata ") is False
    )  # begins a sentence: a word
    assert function("dia , Bersih", 1.0, random.Random(1)) is None
    assert function("dia . Bersih", 1.0, random.Random(1)).startswith("dia . ")
    assert function("dia , BERSIH", 1.0, random.Random(1)).isupper() is False
    assert not any(
        other in synonyms.function_words("id")
        for word in ("kamar", "makan", "pergi")
        for other in drawn(function, word)
    )


def drawn(function, text, times=60):
    return {function(text, 1.0, random.Random(seed)) for seed in range(times)} - {None}


def test_opposites_are_asked_for():
    assert "mahal" not in drawn(synonyms.synonym_embedding(), "murah")
    assert "mahal" in drawn(synonyms.synonym_embedding(opposites=True), "murah")


def test_top_and_least():
    assert len(drawn(synonyms.synonym_embedding(top=1), "kamar")) == 1
    assert len(drawn(synonyms.synonym_embedding(), "kamar")) == 5
    assert synonyms.synonym_embedding(least=0.99)("kamar", 1.0, random.Random(1)) is None
    assert drawn(synonyms.synonym_wordnet(top=1), "cantik") == {"bagus"}
    assert drawn(synonyms.synonym_wordnet(top=2), "cantik") == {"indah", "bagus"}
    for options in ({"top": 0}, {"top": -3}):
        for factory in (
            synonyms.synonym_embedding,
            synonyms.synonym_wordnet,
            synonyms.synonym_lexicon,
        ):
            with pytest.raises(InputError, match="number of synonyms from 1 on"):
                factory(**options)
    with pytest.raises(InputError, match="cosine between 0 and 1"):
        synonyms.synonym_embedding(least=1.5)


def test_missing_data_says_what_to_run(monkeypatch, tmp_path):
    monkeypatch.setattr(downloads, "at_hand", lambda name: None)
    with pytest.raises(InputError, match=r"run python -c .*wordnet_bahasa/ind_counts"):
        ORIGINAL_BAHASA()
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    with pytest.raises(InputError, match="python -m nltk.downloader wordnet"):
        ORIGINAL_PRINCETON()
    database(tmp_path / "corpora" / "wordnet")
    (tmp_path / "corpora" / "wordnet" / "index.sense").unlink()
    with pytest.raises(InputError, match="cannot be read"):
        ORIGINAL_PRINCETON()
    with pytest.raises(InputError, match=r"glove.*option vectors"):
        synonyms.synonym_embedding("en")


def test_a_zipped_wordnet_is_read_too(monkeypatch, tmp_path):
    import shutil

    database(tmp_path / "made" / "wordnet")
    (tmp_path / "corpora").mkdir()
    shutil.make_archive(str(tmp_path / "corpora" / "wordnet"), "zip", tmp_path / "made", "wordnet")
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    assert ORIGINAL_PRINCETON().synonyms("movie")[0] == "film"


def test_wordnet_bahasa_asks_the_vectors():
    source = wordnets.bahasa()
    assert source.synonyms("bersih") == ("rapi",)  # presiden shares a synset and no sentence
    assert source.synonyms("beli") == ()  # membeli is another form of it
    assert "harga" not in source.synonyms(
        "enak"
    )  # of another part of speech than enak is most of the time
    assert source.synonyms("makanannya") == tuple(
        f"{other}nya" for other in source.synonyms("makanan")
    )
    assert source.synonyms("restorankah") == ("rumah makankah",)
    assert source.synonyms("kelezatan") == source.synonyms("xyznya") == ()


def test_english_forms(princeton):  # noqa: F811
    assert princeton.synonyms("movies") == ("films", "moving pictures")
    assert princeton.synonyms("stopped") == ("halted", "quitted")
    assert princeton.synonyms("stopping") == ("halting", "quitting")
    assert princeton.synonyms("tries") == ("attempts",)
    assert princeton.synonyms("trying") == ("attempting",)
    assert princeton.synonyms("loved") == ("enjoyed",)
    assert princeton.synonyms("loving") == ("enjoying",)
    assert princeton.synonyms("planned") == ("designed",)
    assert princeton.synonyms("designing") == ("planning",)
    assert princeton.synonyms("metropolises") == ("cities",)
    assert princeton.synonyms("men") == princeton.synonyms("bought") == ()  # irregular
    assert princeton.synonyms("purchased") == ()  # of buy there is no regular form
    assert princeton.synonyms("purchasing") == ("buying",)
    assert princeton.synonyms("paris") == princeton.synonyms("nothing") == ()
    assert princeton.synonyms("funny") == ("comical",)


def test_articles_follow():
    assert drawn(synonyms.synonym_wordnet("en"), "a movie") == {"a film", "a moving picture"}
    assert drawn(synonyms.synonym_wordnet("en"), "A great car") >= {"An outstanding auto"}
    assert drawn(synonyms.synonym_wordnet("en"), "an hour") == {"a unit"}
    assert drawn(synonyms.synonym_wordnet("en"), "AN APPLE") <= {
        "AN ORCHARD FRUIT",
        "A DESSERT FRUIT",
    }


def test_nearest_words_are_other_words():
    table = vectors.read(wordnets.VECTORS)
    for word in ("kamar", "makan", "bagus", "mobil", "sekolah"):
        found = table.nearest(word, 20, 0.3)
        cosines = [cosine for _, cosine in found]
        assert cosines == sorted(cosines, reverse=True)
        assert min(cosines) >= 0.3
        assert not any(vectors.variant(word, other) for other, _ in found)
        assert table.nearest(word, 20, 0.3) is found
    assert table.nearest("zzzz") == ()


def test_the_list_of_synonyms_is_well_formed():
    """Sorted by word, lower case, of one polarity; every register and class occurs."""
    with synonyms.LEXICON.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    heads = [row["word"] for row in rows]
    assert heads == sorted(heads)
    assert max(map(len, synonyms.lexicon(synonyms.LEXICON).values())) <= 4
    assert {row["class"] for row in rows} == set(synonyms.CLASSES)
    assert {row["register"] for row in rows} == set(synonyms.REGISTERS)
    polarity = lexicons.sentiment_words()
    clashes = [
        row
        for row in rows
        if len({polarity.get(row[name], "") for name in ("word", "synonym")} - {""}) == 2
    ]
    assert not clashes


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("enak,enak,adjective,same", "line 2 has 'enak' and 'enak'"),
        ("enak,sedap sekali,adjective,same", "line 2 has 'enak' and 'sedap sekali'"),
        ("Enak,sedap,adjective,same", "line 2 has 'Enak'"),
        ("enak,sedap,adj,same", "line 2 has the class 'adj'; allowed are adjective"),
        ("enak,sedap,adjective,slang", "line 2 has the register 'slang'"),
        ("enak,sedap,adjective", "line 2 has a wrong number of cells: 3, not 4"),
        ("enak,lezat,adjective,same\nenak,lezat,adjective,formal", "line 3 repeats line 2"),
    ],
)
def test_bad_rows_of_the_list_are_named(tmp_path, row, message):
    path = tmp_path / "synonyms.csv"
    path.write_text(f"word,synonym,class,register\n{row}\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        synonyms.lexicon(path)


def test_words_stay_inside_fixed_expressions():
    """Whatever the source of the synonyms; elsewhere in the text the same word is replaced."""
    assert drawn(synonyms.synonym_lexicon(), "Guru besar itu punya suara besar") == {
        "Guru besar itu punya suara gede"
    }
    assert drawn(synonyms.synonym_wordnet(), "uang muka , uang") == {"uang muka , duit"}
    assert drawn(synonyms.synonym_embedding(), "uang muka") == set()
    assert drawn(synonyms.synonym_embedding(), "muka uang") != set()


def test_the_fixed_expressions_are_well_formed():
    """Sorted; nearly each holds a word that the synonyms or code-mixing would replace."""
    found = list(synonyms.fixed(synonyms.FIXED))
    assert found == sorted(found)
    assert set(synonyms.fixed(synonyms.FIXED).values()) == set(synonyms.EXPRESSIONS)
    heads = {*synonyms.lexicon(synonyms.LEXICON), *senses.lexicon("en").senses}
    assert sum(
        any(word in heads for word in expression.split()) for expression in found
    ) >= 0.99 * len(found)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("Guru besar,term", "line 2 has 'Guru besar'"),
        ("guru,term", "line 2 has 'guru', which is not several"),
        ("guru  besar,term", "line 2 has 'guru  besar'"),
        ("guru besar,title", "line 2 has the note 'title'; allowed are idiom"),
        ("guru besar,term\nguru besar,idiom", "line 3 repeats line 2"),
        ("guru besar", "line 2 has a wrong number of cells: 1, not 2"),
    ],
)
def test_bad_rows_of_the_fixed_expressions_are_named(tmp_path, row, message):
    path = tmp_path / "fixed.csv"
    path.write_text(f"expression,note\n{row}\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        synonyms.fixed(path)


def test_the_register_can_be_kept():
    kept = synonyms.synonym_lexicon(register="same")
    assert drawn(synonyms.synonym_lexicon(), "saya") == {"aku"}
    assert drawn(kept, "saya") == set()
    assert drawn(kept, "lezatnya") == {f"{new}nya" for new in drawn(kept, "lezat")} != set()
    with pytest.raises(InputError, match="unknown register 'formal'"):
        synonyms.synonym_lexicon(register="formal")


def test_variants():
    same = [
        ("bagus", "Bagus"),
        ("bagus", "bgus"),
        ("bagus", "baguss"),
        ("makan", "dimakan"),
        ("tulis", "menulis"),
        ("banget", "bgt"),
    ]
    same += [("kopi", "koip"), ("banyak", "bnyk"), ("lelah", "lela")]
    other = [("murah", "mahal"), ("enak", "lezat"), ("motor", "mobil"), ("anak", "bayi")]
    assert all(vectors.variant(*pair) and vectors.variant(*pair[::-1]) for pair in same)
    assert not any(vectors.variant(*pair) or vectors.variant(*pair[::-1]) for pair in other)


def test_text_formats(tmp_path):
    rows = ENGLISH.read_text(encoding="utf-8")
    (tmp_path / "w2v.vec").write_text(f"8 3\n{rows}", encoding="utf-8")
    with gzip.open(tmp_path / "packed.txt.gz", "wt", encoding="utf-8") as file:
        file.write(rows)
    vectors.save(vectors.read(ENGLISH), tmp_path / "own.npz")
    for name in ("w2v.vec", "packed.txt.gz", "own.npz"):
        table = vectors.read(tmp_path / name)
        assert table.words == vectors.read(ENGLISH).words
        assert np.abs(table.matrix - vectors.read(ENGLISH).matrix).max() < 0.01
    assert vectors.read(ENGLISH, 2).words == ["good", "fine"]
    (tmp_path / "signs.txt").write_text("! 1 0\nsunday 0 1\n10 1 1\n", encoding="utf-8")
    assert vectors.read(tmp_path / "signs.txt").words == ["sunday"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "good 1 2\nbad 1\n", "line 2 is not a word and 2 numbers"),
        ("b.txt", "good 1 x\n", "line 1 is not a word and 2 numbers"),
        ("c.txt", "good 1 nan\n", "line 1 is not a word"),
        ("d.txt", "! 1 2\n", "holds no words"),
        ("e.bin", "good 1 2\n", r"they end in \.npz"),
        ("f.npz", "no archive", "does not hold the arrays"),
        ("g.txt", b"\xff\xfe 1 2\n", "cannot be read as UTF-8"),
        ("h.txt.gz", "not packed", "cannot be read"),
    ],
)
def test_bad_files_of_vectors(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message):
        synonyms.synonym_embedding("en", vectors=str(tmp_path / name))
    with pytest.raises(
        InputError,
        match=r"there is no file of word vectors .*none\.txt; name one that is there in `vectors`",
    ):
        synonyms.synonym_embedding(vectors=str(tmp_path / "none.txt"))


def test_committed_vectors_and_function_words_are_well_formed():
    table = vectors.read(wordnets.VECTORS)
    assert wordnets.VECTORS.stat().st_size < 1_000_000
    assert 4500 <= len(table.words) == len(set(table.words)) <= 6000
    assert all(
        word == words.key(word) and words.phrase(word) and " " not in word and len(word) > 2
        for word in table.words
    )
    assert not set(table.words) & synonyms.function_words("id")
    lines = (ROOT / "data/lexicons/function_words.csv").read_text(encoding="utf-8").splitlines()
    assert lines[1:] == sorted(set(lines[1:]))
    assert all(
        word == words.key(word) and words.phrase(word)
        for code in ("id", "en")
        for word in synonyms.function_words(code)
    )


def test_training_finds_words_that_share_places(tmp_path):
    spec = importlib.util.spec_from_file_location(
        "train_vectors", ROOT / "scripts" / "train_vectors.py"
    )
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    rng, lines = random.Random(1), []
    for _ in range(900):
        thing = rng.choice(["teh", "kopi", "susu"])
        ride, goal = (
            rng.choice(["motor", "mobil", "kereta"]),
            rng.choice(["pasar", "kantor", "kampus"]),
        )
        lines.append(
            f"Pagi ini minum {thing} hangat lalu naik {ride} cepat ke {goal} bareng Rudi ."
        )
    (tmp_path / "one.txt").write_text("\n".join(lines[:800]) + "\n", encoding="utf-8")
    (tmp_path / "two.txt").write_text("rahasia rahasia minum\n" * 100, encoding="utf-8")
    (tmp_path / "two.sources.txt").write_text("bad\n" * 100, encoding="utf-8")
    read, left_out = script.tokens(script.lines_of(tmp_path, {"bad"}))
    assert len(read) == 800
    assert {"rudi", "ke", "pagi"} <= left_out
    assert not {"kopi", "motor", "kampus"} & left_out
    first, again = (script.train(read, dimensions=6, without=left_out) for _ in range(2))
    assert first.words == again.words
    assert np.array_equal(first.matrix, again.matrix)
    assert {first.nearest("kopi", 1, 0)[0][0], first.nearest("teh", 1, 0)[0][0]} <= {
        "teh",
        "kopi",
        "susu",
    }
    assert first.nearest("motor", 1, 0)[0][0] in {"mobil", "kereta"}
    with pytest.raises(InputError, match="need more of it"):
        script.train(read, without=left_out)


def test_wordnet_bahasa_as_downloaded(mirror, monkeypatch):
    source = ORIGINAL_BAHASA()
    assert "rumah makan" in source.synonyms("restoran")
    assert "hidangan" in source.synonyms("makanan")
