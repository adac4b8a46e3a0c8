"""Prejudice: what it exchanges where, and what its lists promise."""

import csv
import random

import pytest
from conftest import ROOT

from tahanuji import words
from tahanuji.errors import InputError
from tahanuji.perturb import prejudice as module
from tahanuji.perturb.prejudice import prejudice

ALL = [("id", "places"), ("id", "names"), ("id", "groups"), ("en", "places"), ("en", "names")]


def once(text, kind="places", language="id", rate=1.0, seed=1):
    return prejudice(language, kind)(text, rate, random.Random(seed))


def table(name):
    with (ROOT / "data/lexicons" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_rate_is_a_share_of_the_places():
    text = "Bandung . Bogor . Depok . Bekasi . Cirebon . Garut . Sleman . Tuban . Jember . Ngawi"
    counts = []
    for rate in (0.0, 0.01, 0.1, 0.25, 0.5, 1.0):
        new = once(text, rate=rate) or text
        counts.append(
            sum(
                one != other for one, other in zip(text.split(" . "), new.split(" . "), strict=True)
            )
        )
    assert counts == [0, 1, 1, 3, 5, 10]
    assert len(set(once(text).split(" . "))) == 10  # different places become different ones


def test_long_texts_and_odd_ones():
    new = once("ke Bandung , " * 1000)
    assert "Bandung" not in new
    assert len(set(new.split(" , "))) == 2  # the last piece is empty
    for text in ("", "x", " \n\t ", "😀😀", "مرحبا", "Bali\u0301", "jakarta\u200bbarat"):
        for language, kind in ALL:
            assert once(text, kind, language) is None or "jakarta" in text


@pytest.mark.parametrize(("language", "kind"), [pair for pair in ALL if pair[1] != "names"])
def test_each_kind_stays_its_own_and_becomes_a_target(language, kind):
    listed = {
        words.key(row["name"]): row
        for row in table("places" if kind == "places" else "groups_id")
        if row.get("language", "id") == language
    }
    for name, row in module.rows(language, kind).items():
        for other in row.others:
            assert words.key(other) != name
            assert listed[words.key(other)]["kind"] == listed[name]["kind"]
            assert listed[words.key(other)]["target"] == "yes"


@pytest.mark.parametrize("language", ["id", "en"])
def test_names_change_gender(language):
    gender = {
        words.key(row["name"]): row["gender"]
        for row in table("names")
        if row["language"] == language
    }
    assert (
        min(list(gender.values()).count("masculine"), list(gender.values()).count("feminine")) >= 60
    )
    for name, row in module.rows(language, "names").items():
        assert {gender[words.key(other)] for other in row.others} == {"masculine", "feminine"} - {
            gender[name]
        }


@pytest.mark.parametrize("language", ["id", "en"])
def test_names_of_the_same_gender_are_an_option(language):
    swapped, kept = (module.rows(language, kind) for kind in ("names", "names_same_gender"))
    assert list(kept) == list(swapped)
    gender = {words.key(row["name"]): row["gender"] for row in table("names")}
    for name, row in kept.items():
        assert {gender[words.key(other)] for other in row.others} == {gender[name]}
        assert words.key(row.name) not in map(words.key, row.others)


def test_a_title_and_a_wife_stay_where_the_gender_does():
    text = "Pak Budi dan istri Pak Budi senang."
    assert once(text, "names") is None  # a husband would become a woman
    new = once(text, "names_same_gender")
    assert new.count("Pak ") == 2 and "istri" in new and "Budi" not in new


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Malang nian", None),
        ("nasib malang", None),
        ("di malang", "di"),
        ("Kota Malang", "Kota"),
        ("kami, Malang", "kami,"),
        ("lalu: Malang", None),
        ("serang mereka di serang", None),
        ("ke Serang", "ke"),
        ("SERANG MEREKA", None),
        ("nasi padang", None),
        ("soto Lamongan", None),
        ("bahasa Jepang", None),
        ("orang Jepang", "orang"),
        ("air asia Indonesia", None),
        ("PT Maju Terus Indonesia", None),
        ("real Madrid", None),
        ("Lombok Utara", None),
        ("Indonesia Raya", None),
        ("provinsi Bali", None),
        ("pulau Bali", "pulau"),
    ],
)
def test_words_that_are_names_too(text, found):
    new = once(text)
    assert (new is None) == (found is None)
    if found:
        assert new.startswith(f"{found} ")


def test_groups_that_are_places_need_a_word_before_them():
    assert once("di Papua", "groups") is None
    assert once("Jawa itu indah", "groups") is None
    assert once("orang papua", "groups").startswith("orang ")
    assert once("adat Batak", "groups").startswith("adat ")
    assert once("umat Islam", "groups") in {
        f"umat {faith}" for faith in ("Kristen", "Katolik", "Hindu", "Buddha", "Konghucu")
    }
    with pytest.raises(InputError, match="unknown kind of prejudice 'groups'.*kinds for English"):
        prejudice("en", "groups")


def test_longest_name_first_and_case():
    assert once("JAKARTA SELATAN").isupper()
    assert once("jakarta selatan").islower()
    assert "Selatan" not in once("Jakarta Selatan")
    assert once("Papua Barat, Papua") is not None
    assert once("ntt").islower()
    others = {once("ntt", seed=seed) for seed in range(80)}
    assert "papua barat" in others and not others & {"ntb", "nusa tenggara timur"}
    assert "Papua Barat" in {once("Jawa Barat", seed=seed) for seed in range(80)}


def test_one_name_has_one_other_name_in_a_text():
    new = once("Bogor itu Bogor, bukan BOGOR")
    first, second, third = (
        word.text for word in words.words(new) if word.text not in ("itu", "bukan")
    )
    assert first == second == third.title()


def test_titles_follow():
    assert once("pak joko", "names").startswith("bu ")
    assert once("Bu Siti", "names").startswith("Pak ")
    assert once("(Mas Eko)", "names").startswith("(Mbak ")
    assert once("sopir bu siti", "names").startswith("sopir pak ")
    assert once("tabu siti", "names").startswith("tabu ")
    assert once("MR. PETER HOLT", "names", "en").startswith("MS. ")
    assert once("Mrs Alice", "names", "en").startswith("Mr ")
    assert once("warm Alice", "names", "en").startswith("warm ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jalan ratna", None),
        ("mama rina", None),
        ("toni kurosawi", None),
        ("mang toni kurosawi", "toni"),
        ("toni pulang", "toni"),
        ("joko widodo", "widodo"),
        ("bu sri mulyani", "mulyani"),
    ],
)
def test_names_that_are_part_of_others(text, expected):
    """What stays is no person or may have a surname; public figures change as a whole."""
    new = once(text, "names")
    assert (new is None) == (expected is None)
    assert expected is None or expected not in new


def test_public_figures_take_nobodys_place():
    figures = {row["name"] for row in table("names") if row["target"] == "no"}
    assert len(figures) >= 40
    assert not any(figures & set(row.others) for row in module.rows("id", "names").values())


def test_houses_of_worship_with_a_name_stay():
    assert once("masjid agung", "groups") is None
    assert once("masjid dekat rumah", "groups") is not None


def test_bad_options():
    with pytest.raises(
        InputError, match="unknown kind of prejudice 'place'; did you mean 'places'"
    ):
        prejudice(kind="place")


@pytest.mark.parametrize("name", ["places", "names", "groups_id"])
def test_lists_are_well_formed(name):
    rows = table(name)
    assert all(row["needs"] in module.NEEDS and words.phrase(row["name"]) for row in rows)
    keys = [(row.get("language"), words.key(row["name"])) for row in rows]
    assert len(set(keys)) == len(keys)
    order = {
        "places": ("language", "kind"),
        "names": ("language", "gender"),
        "groups_id": ("kind",),
    }[name]
    sortable = [(*(row[column] for column in order), row["name"].lower()) for row in rows]
    assert sortable == sorted(sortable)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "Bogor,id,city,no,\nBOGOR,id,city,yes,\n",
            "line 3 has 'BOGOR', which is not a name or is there twice",
        ),
        ("Bo gor!,id,city,no,\n", "line 2 has 'Bo gor!'"),
        ("Bogor,id,city,perhaps,\n", "line 2 has 'perhaps' and '' where yes or no"),
        ("Bogor,id,city,yes,always\n", "line 2 has 'yes' and 'always'"),
        ("Bogor,id,city,yes,\n", "line 2 has 'Bogor', for which the list has no other name"),
        ("Bogor,id,city\n", "line 2 has a wrong number of cells: 3, not 5"),
    ],
)
def test_bad_rows_are_named(monkeypatch, tmp_path, rows, message):
    (tmp_path / "places.csv").write_text(
        f"name,language,kind,target,needs\n{rows}", encoding="utf-8"
    )
    monkeypatch.setattr(module, "LEXICONS", tmp_path)
    with pytest.raises(InputError, match=message):
        module.rows.__wrapped__("id", "places")


def test_a_bad_gender_is_named(monkeypatch, tmp_path):
    (tmp_path / "names.csv").write_text(
        "name,language,gender,target,needs\nJoko,id,male,yes,\n", encoding="utf-8"
    )
    monkeypatch.setattr(module, "LEXICONS", tmp_path)
    with pytest.raises(InputError, match="line 2 has the gender 'male'; allowed are masculine"):
        module.rows.__wrapped__("id", "names")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cina", "tionghoa"),
        ("padang", "minang"),
        ("ustad", "ustaz"),
        ("musala", "masjid"),
        ("vihara", "wihara"),
        ("karo", "batak"),
        ("budha", "buddha"),
    ],
)
def test_two_names_of_one_group_are_not_exchanged(one, other):
    table = module.rows("id", "groups")
    assert other not in map(words.key, table[one].others)
    assert one not in map(words.key, table[other].others)
