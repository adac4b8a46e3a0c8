"""Ratings of the instruments: samples, blind sheets and their checks, shares and bounds by hand."""

import functools
import hashlib
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tahanuji import downloads, fingerprints, instrument, lexicons, measure, perturb, validity
from tahanuji.errors import InputError
from tahanuji.instrument import Instrument, Validity
from tahanuji.validity import __main__ as command
from tahanuji.validity import making, shares, sheets

GOOD = {"grammatical": "yes", "meaning": "same", "label": "same", "said": ""}
NAMES = ["typos", "negation", "reversed_negation"]
BROKEN = ["broken", "label"]  # controls: of grammar or meaning, and of the label


@pytest.fixture(scope="module")
def items():
    return pd.concat([validity.outputs(Instrument(name), "embedded", count=30) for name in NAMES])


def worked_out(rows: pd.DataFrame) -> pd.DataFrame:
    """What shares.csv would hold of Indonesian instruments by some ratings."""
    table = shares.worked_out(rows)
    return table[table["language"] == "id"].set_index("instrument")


def answered(key: pd.DataFrame, blank: pd.DataFrame, changed: set[str] = frozenset()):
    """A sheet whose reader knows the controls and finds the label changed of some ids."""
    filled = blank.assign(**GOOD)
    filled["said"] = np.where(blank["question"] == "", "", "yes")
    typos = (key["instrument"] == "typos") & (key["control"] == "")
    objects = key["control"].isin(BROKEN) | typos & key["id"].isin(changed)
    filled.loc[objects.to_numpy(), ["meaning", "label"]] = "changed"
    return filled


def rated(items: pd.DataFrame, **changed) -> pd.DataFrame:
    """Ratings of readers, with the ids of typos of which each says that the label changed."""
    parts = []
    for rater, ids in changed.items():
        blank, key = validity.sheet(items, rater)
        parts.append(validity.collect(key, answered(key, blank, set(ids)), rater, rater))
    return pd.concat(parts, ignore_index=True)


def test_every_perturbation_and_language_is_an_instrument():
    names = [one.key for one in instrument.rated()]
    rated_apart = {"insertion"}
    spoken = {name for name, entry in perturb.REGISTRY.items() if "id" in entry.languages}
    assert spoken - rated_apart == {name for name in names if ":" not in name}
    assert {name for name in names if ":" in name} == {
        *(f"code_mixing:{code}" for code in ("en", "jv", "su", "ms", "synonym")),
        *(f"negation:{word}" for word in ("enggak", "gak", "engga", "ngga", "ga", "ndak")),
        *("prejudice:names", "prejudice:groups", "contraction:expand"),
    }
    assert not any("code_mixing" in one.key for one in instrument.rated("en"))


def test_an_option_is_an_instrument_of_its_own():
    """What was rated with one option says nothing of another."""
    of = functools.partial(instrument.instrument, "negation")
    assert of(variant="nggak", word="tidak") == Instrument("negation")
    assert of(variant="gak", word="tidak").key == "negation:gak"
    unrated = of(variant="gak", word="bukan")
    assert unrated.key == "negation:gak:word=bukan" and unrated.validity == Validity()
    assert unrated.validity.unfit() == 1.0
    removed = instrument.instrument("emoji", direction="remove")  # rated texts hold no emoji
    assert removed.key == "emoji:direction=remove" and removed.validity == Validity()
    groups = instrument.named("prejudice:groups")
    made = validity.outputs(groups, "embedded", count=3)
    places = validity.outputs(Instrument("prejudice"), "embedded", count=3)
    assert set(made["changed"]).isdisjoint(places["changed"])
    assert (making.again(made, groups) == made["changed"].map(making.fingerprint)).all()


@pytest.mark.parametrize("name", ["typos:foo", "negation:word=gak", "code_mixing:de", "typo"])
def test_what_is_no_instrument_is_refused(name):
    with pytest.raises(InputError, match=f"unknown instrument '{name}'"):
        instrument.named(name)
    with pytest.raises(InputError, match="unknown instrument 'negation'"):
        instrument.named("negation", "en")


def test_what_needs_no_rating_has_no_validity():
    assert Instrument("insertion").validity is None
    assert Instrument("", test="informal").validity is None
    assert Instrument("synonym_wordnet", "en").validity is None  # a user's own file


def test_a_task_may_rest_on_the_meaning():
    """Names exchanged keep the sentiment of every text and the meaning of none."""
    prejudice = Instrument("prejudice").validity
    assert prejudice.unfit() < 0.05 and prejudice.unfit("meaning") == 1.0


def test_ratings_hold_for_the_code_and_the_lists_that_were_rated(tmp_path, monkeypatch):
    """One hash is compared with another: nothing is perturbed."""
    monkeypatch.setattr(perturb, "apply", lambda *_, **__: pytest.fail("it perturbed texts"))
    typos, negation = Instrument("typos"), Instrument("negation")
    assert typos.validity.current and negation.validity.current
    assert typos.fingerprint() != negation.fingerprint()
    lists = tmp_path / "lexicons"
    shutil.copytree(lexicons.LEXICONS, lists)
    with (lists / "word_classes_id.csv").open("a", encoding="utf-8") as file:
        file.write("negator,bkn,\n")
    monkeypatch.setattr(lexicons, "LEXICONS", lists)
    for cached in (fingerprints.behind, fingerprints.word_lists):
        monkeypatch.setattr(fingerprints, cached.__wrapped__.__name__, cached.__wrapped__)
    assert typos.validity.current  # it reads no list
    assert not negation.validity.current and negation.validity.unfit() == 1.0
    assert negation.validity.bound < 0.05  # what was rated is still said


def test_samples_are_changed_texts_and_the_same_for_everybody(items):
    assert (items["text"] != items["changed"]).all()
    assert (items.groupby("instrument").size() == 30).all()
    again = validity.outputs(Instrument("typos"), "embedded", count=30)
    assert again.equals(items[items["instrument"] == "typos"].reset_index(drop=True))
    fewer = validity.outputs(Instrument("typos"), "embedded", count=10)
    assert list(fewer["id"]) == list(again["id"])[:10]


def test_an_output_is_recognised_and_a_changed_one_is_too(items):
    typos = items[items["instrument"] == "typos"]
    prints = typos["changed"].map(making.fingerprint)
    assert (making.again(typos, Instrument("typos")) == prints).all()
    assert (making.again(typos, Instrument("typos"), seed=1) != prints).any()


def test_a_sheet_is_blind_mixed_and_has_its_controls(items):
    blank, key = validity.sheet(items, "a")
    assert list(blank.columns) == sheets.SHEET
    assert (blank[[*sheets.ANSWERS, "note"]] == "").all().all()
    assert key["control"].replace("label", "broken").value_counts().to_dict() == {
        "": 90,
        "same": 9,
        "broken": 9,
    }
    same, broken = key[key["control"] == "same"], key[key["control"].isin(BROKEN)]
    assert (same["text"] == same["changed"]).all() and (broken["text"] != broken["changed"]).all()
    assert set(blank["question"]) == {"", sheets.QUESTIONS["reversed_negation"]}
    other, _ = validity.sheet(items, "b")
    assert list(other["text"]) != list(blank["text"])
    assert sorted(other["changed"]) == sorted(blank["changed"])


@pytest.mark.parametrize("language", sorted(making.SOURCES))
def test_broken_controls_are_in_the_language_of_the_texts(items, language):
    _, key = validity.sheet(items.assign(language=language), "a")
    broken = key[key["control"].isin(BROKEN)]
    written = pd.read_csv(sheets.BROKEN).query("language == @language")
    assert set(broken["text"]) <= set(written["text"]) and len(broken) == 9


def test_the_broken_pairs_are_well_formed():
    pairs = pd.read_csv(sheets.BROKEN)
    assert set(pairs["language"]) == set(making.SOURCES)
    assert set(pairs["breaks"]) == {"grammar", "label", "meaning"}
    assert (pairs["text"] != pairs["changed"]).all() and pairs["text"].is_unique


def test_shares_and_bounds_by_hand(items):
    ids = list(items[items["instrument"] == "typos"]["id"])
    rows = rated(items, a=ids[:3], b=ids[2:4])  # both object to one, one of them to three more
    table = worked_out(rows)
    row = table.loc["typos"]
    assert (row["n"], row["raters"], row["same_label"]) == (30, 2, 26 / 30)
    assert row["bound"] == pytest.approx(0.279625, abs=1e-5)  # Clopper and Pearson, 4 of 30
    assert table.at["negation", "same_label"] == 1 and "keyboard" not in table.index
    assert table.at["reversed_negation", "as_expected"] == 1
    agreed = validity.agreement(rows).set_index("question")
    assert agreed.at["label", "n"] == 90 and agreed.at["label", "agree"] == 87 / 90


def test_one_reader_gives_shares_and_no_bound(items):
    row = worked_out(rated(items, a=[])).loc["typos"]
    assert (row["n"], row["raters"], row["same_label"], row["bound"]) == (30, 1, 1.0, 1.0)


def test_a_first_reader_of_a_new_sample_puts_no_bound_away(items):
    rows = rated(items, a=[], b=[])
    new = [validity.outputs(Instrument(name), "embedded", count=20, seed=7) for name in NAMES]
    first = rated(pd.concat(new), c=[])
    later = rated(pd.concat(new), c=[], d=[])
    both = [worked_out(pd.concat([rows, more])) for more in (first, later)]
    assert [table.at["typos", "twice"] for table in both] == [30, 20]


def test_a_reader_who_misses_controls_is_discarded(items):
    blank, key = validity.sheet(items, "b")
    said = blank["question"].ne("").map({True: "yes", False: ""})
    careless = validity.collect(key, blank.assign(**GOOD | {"said": said}), "b", "b")
    rows = pd.concat([rated(items, a=[]), careless], ignore_index=True)
    table = validity.controls_right(rows).set_index(["rater", "control"])
    assert (table.loc["a", "right"] == table.loc["a", "n"]).all()
    assert table.loc["b", "right"].to_dict() == {"broken": 0, "label": 0, "same": 9}
    assert set(shares.counted(rows)["rater"]) == {"a"}


def test_what_was_rated_at_another_rate_does_not_hold(items, monkeypatch):
    rows = rated(items, a=[], b=[])
    assert worked_out(rows).at["negation", "bound"] == pytest.approx(0.0950, abs=1e-3)
    entry = perturb.REGISTRY["negation"]
    monkeypatch.setitem(perturb.REGISTRY, "negation", replace(entry, rate=0.5))
    assert "negation" not in worked_out(rows).index


def test_after_a_repair_the_new_outputs_are_rated_and_the_old_ones_stand(items):
    rows = rated(items, a=[], b=[])
    typos = rows["instrument"] == "typos"
    old = rows[typos & (rows["control"] == "")]["id"].iloc[0]
    repaired = typos & (rows["id"] == old)
    before = rows.copy()
    before.loc[repaired, ["output", "label"]] = ["000000000000", "changed"]
    assert "typos" not in worked_out(before).index  # a text is to be rated anew
    one = pd.concat([before, rows[repaired & (rows["rater"] == "a")]], ignore_index=True)
    row = worked_out(one).loc["typos"]
    assert (row["n"], row["twice"], row["same_label"]) == (30, 29, 1.0)
    assert row["bound"] == pytest.approx(1 - 0.05 ** (1 / 29))
    both = pd.concat([before, rows[repaired]], ignore_index=True)
    row = worked_out(both).loc["typos"]
    assert (row["n"], row["twice"], row["same_label"]) == (30, 30, 1.0)
    assert row["bound"] == pytest.approx(0.0950, abs=1e-3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda sheet: sheet.drop(index=[1]), "lacks the numbers 2"),
        (lambda sheet: sheet.assign(label="maybe"), "another label than same, changed"),
        (lambda sheet: sheet.drop(columns="said"), "no column said"),
        (lambda sheet: sheet.assign(number=sheet["number"].replace(1, 2)), "repeat a number"),
        (lambda sheet: sheet.assign(number=sheet["number"].replace(1, 999)), "that the key lacks"),
    ],
)
def test_a_filled_sheet_is_checked(items, change, said):
    blank, key = validity.sheet(items, "a")
    with pytest.raises(InputError, match=said):
        validity.collect(key, change(answered(key, blank)), "a", "sheet_a.csv")


def test_what_is_asked_is_answered_and_nothing_else(items):
    blank, key = validity.sheet(items, "a")
    good = answered(key, blank)
    for said in ("", "yes"):
        with pytest.raises(InputError, match="answer said where nothing is asked"):
            validity.collect(key, good.assign(said=said), "a", "sheet_a")


def test_another_output_makes_ratings_stale(items, monkeypatch):
    rows = items[items["instrument"] == "negation"]
    prints = rows["changed"].map(making.fingerprint)
    negation = Instrument("negation")
    assert (making.again(rows, negation) == prints).all()
    function = perturb.REGISTRY["negation"].function
    other = lambda **options: function(**{**options, "variant": "ndak"})  # noqa: E731
    entry = perturb.REGISTRY["negation"]
    monkeypatch.setitem(perturb.REGISTRY, "negation", replace(entry, function=other))
    assert (making.again(rows, negation) != prints).all()


def test_the_table_needs_no_network(tmp_path, monkeypatch):
    """A fresh machine has no data set but the project's own and no WordNet."""
    monkeypatch.delenv("TAHAN_DATA_MIRROR", raising=False)
    monkeypatch.setenv("TAHAN_DATA_CACHE", str(tmp_path))
    monkeypatch.setattr(downloads, "fetch", lambda *_: pytest.fail("it asked for a download"))
    table = validity.table().set_index("instrument")
    assert table["current"].all()
    assert table.at["keyboard", "bound"] == pytest.approx(measure.bounds(0, 100)[1])


def test_from_sheet_to_table_by_the_command_line(tmp_path, capsys):
    """Sheets may hold texts that must not be published; ratings never do."""
    folder, file = tmp_path / "sheets", tmp_path / "ratings.csv"
    words = ["--instruments", "negation", "--count", "5"]
    monkey = pytest.MonkeyPatch()
    monkey.setattr(making, "SOURCES", {"id": ("embedded",)})
    assert command.main(["--ratings", str(file), "sheet", str(folder), "a", *words]) == 0
    blank = pd.read_csv(folder / "sheet_a.csv", keep_default_na=False)
    key = pd.read_csv(folder / "key_a.csv", keep_default_na=False)
    answered(key, blank).to_csv(folder / "sheet_a.csv", index=False)
    given = [str(folder / "key_a.csv"), str(folder / "sheet_a.csv"), "a"]
    for _ in range(2):  # a sheet that is collected again replaces the reader's verdicts
        assert command.main(["--ratings", str(file), "collect", *given]) == 0
    collected = validity.ratings(file)
    assert list(collected.columns) == sheets.RATINGS and len(collected) == len(key)
    assert not set(collected.astype(str).to_numpy().ravel()) & set(blank["text"])
    more = [str(folder), "b", "--instruments", "typos", "--count", "5"]
    assert command.main(["--ratings", str(file), "sheet", *more]) == 0
    blank, key = (
        pd.read_csv(folder / f"{name}_b.csv", keep_default_na=False) for name in ("sheet", "key")
    )
    answered(key, blank).to_csv(folder / "sheet_b.csv", index=False)
    other = [str(folder / "key_b.csv"), str(folder / "sheet_b.csv"), "a"]
    assert command.main(["--ratings", str(file), "collect", *other]) == 0
    both = validity.ratings(file)  # a reader's other instruments stay
    assert both["instrument"].value_counts().to_dict() == {"negation": 6, "typos": 6, "": 2}
    assert command.main(["--ratings", str(file), "table"]) == 0
    assert "negation" in capsys.readouterr().out
    missing = ["--ratings", str(file), "collect", given[0], str(tmp_path / "no.csv"), "a"]
    assert command.main(missing) == 2
    monkey.undo()


def test_the_committed_ratings_are_well_formed():
    rows = validity.ratings()
    assert set(rows["control"]) <= {"", "same", *BROKEN}
    assert not rows.duplicated(["rater", "sheet", "order"]).any()
    for column, allowed in sheets.ANSWERS.items():
        assert set(rows[column]) <= set(allowed), column


@pytest.fixture
def attacked(tmp_path) -> Path:
    """The files of a run of notebook 08 whose attack turned four texts."""
    rows = pd.DataFrame({"id": list("abcd"), "test": ["en", "en", "jv", "en random"], "rate": 0.4})
    rows["text"], rows["perturbed"] = "enak sekali", [f"nice {name}" for name in "abcd"]
    rows.assign(changed=True).to_csv(tmp_path / "misclassified.csv", index=False)
    pd.DataFrame({"dataset": ["embedded"]}).to_csv(tmp_path / "metrics.csv", index=False)
    return tmp_path


def test_successes_of_a_run_are_what_is_rated(attacked):
    items = validity.successes(attacked)
    assert sorted(zip(items["instrument"], items["id"], items["changed"], strict=True)) == [
        ("attack:en", "a", "nice a"),
        ("attack:en", "b", "nice b"),
        ("attack:jv", "c", "nice c"),
    ]
    assert len(validity.successes(attacked, count=1)) == 2
    (attacked / "misclassified.csv").write_text("id,test\na,en\n")
    with pytest.raises(InputError, match="holds no texts"):
        validity.successes(attacked)


def test_success_counts_texts_that_keep_their_label_for_both_readers(attacked):
    items = validity.successes(attacked)
    rows = pd.concat([rated(items, a=[], b=[])], ignore_index=True)
    own = (rows["id"] == "b") & (rows["rater"] == "b") & (rows["control"] == "")
    rows.loc[own, "label"] = "changed"
    run = pd.DataFrame({"test": ["en"] * 4 + ["jv"], "id": list("abefc"), "gold": "positive"})
    run["clean_label"] = ["positive"] * 3 + ["negative", "positive"]
    run["induced"] = [True, True, False, False, True]
    texts = [f"nice {name}" for name in "abefc"]
    run["perturbed_sha256"] = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    table = validity.success(run, rows).set_index("test")
    assert table.loc["en", ["n", "broken", "rated"]].to_list() == [3, 2, 2]
    assert table.at["en", "same_label"] == 0.5
    assert table.at["en", "valid_success"] == pytest.approx(1 / 3)
    assert table.at["en", "valid_success_low"] < 1 / 3 < table.at["en", "valid_success_high"]
    assert table.at["jv", "valid_success"] == 1.0
    one = validity.success(run, rows[rows["rater"] == "a"])
    assert (one["rated"] == 0).all() and one["valid_success"].isna().all()
    other = run.assign(perturbed_sha256=run["perturbed_sha256"].str[::-1])  # another text of the id
    assert (validity.success(other, rows)["rated"] == 0).all()
    again = pd.concat([rows, rows.assign(draw="2", rater=rows["rater"] + "2", sheet="2")])
    twice = validity.success(run, again).set_index("test")  # the same text in two samples
    assert twice.loc["en", ["rated", "same_label"]].to_list() == [2, 0.5]
    none = validity.success(run.assign(induced=False), rows)  # no attack succeeded
    assert (none[["broken", "rated", "success"]] == 0).all(axis=None)


def test_a_second_sheet_of_the_same_name_does_not_delete_the_first(items, tmp_path):
    ratings = tmp_path / "ratings.csv"
    for name in ("typos", "negation"):
        blank, key = validity.sheet(items[items["instrument"] == name], "a")
        blank.assign(**GOOD).to_csv(tmp_path / "sheet_a.csv", index=False)
        key.to_csv(tmp_path / "key_a.csv", index=False)
        words = ["--ratings", str(ratings), "collect", str(tmp_path / "key_a.csv")]
        status = command.main([*words, str(tmp_path / "sheet_a.csv"), "a"])
        assert status == (0 if name == "typos" else 2)
    assert set(pd.read_csv(ratings, keep_default_na=False)["instrument"]) == {"typos", ""}


def test_a_new_sample_does_not_put_away_what_was_rated_before(items, tmp_path):
    ratings = tmp_path / "ratings.csv"
    for draw in ("1", "2", "2"):  # the last one is the second again
        blank, key = validity.sheet(items[items["instrument"] == "typos"].assign(draw=draw), "a")
        blank.assign(**GOOD).to_csv(tmp_path / f"new_{draw}.csv", index=False)
        key.to_csv(tmp_path / "key.csv", index=False)
        words = ["--ratings", str(ratings), "collect", str(tmp_path / "key.csv")]
        assert command.main([*words, str(tmp_path / f"new_{draw}.csv"), "a"]) == 0
    kept = validity.ratings(ratings)
    kept = kept[(kept["instrument"] == "typos") & (kept["control"] == "")]
    draws = kept["draw"].value_counts()
    assert draws["1"] == draws["2"] == len(items[items["instrument"] == "typos"])


def test_every_indonesian_output_has_two_readers_and_the_readme_their_agreement(mirror):
    rows = validity.ratings()
    table = validity.table().set_index("instrument")
    assert (table["twice"] == table["n"]).all()
    readme = (shares.FILE.parent / "README.md").read_text(encoding="utf-8")
    waiting = ", ".join(f"`{name}`" for name in sorted(table.index[~table["current"]]))
    assert waiting in " ".join(readme.split())
    for name, said in (("verb_form", " of the Indonesian outputs"), ("synonym_wordnet", " of the")):
        assert f"{table.at[name, 'same_meaning']:.0%}{said}" in readme
    row = r"^\| (\d+), (\d+) \|.* (\d+) \| (\S+) \| (\S+) \| (\S+) \|$"
    stated = re.findall(row, readme, re.MULTILINE)
    assert len(stated) > 20
    key, rated = [*making.KEY, "output"], rows[rows["control"] == ""]
    for first, second, outputs, *agreed in stated:
        sides = [rated[rated["rater"] == f"reader_{one}"] for one in (first, second)]
        both = sides[0].merge(sides[1], on=key)
        assert len(both) == int(outputs), (first, second)
        for question, share in zip(("grammatical", "meaning", "label"), agreed, strict=True):
            same = (both[f"{question}_x"] == both[f"{question}_y"]).mean()
            assert same == pytest.approx(float(share) / 100, abs=6e-4), (first, second, question)


def test_shares_are_those_of_the_ratings(mirror):
    """`python -m tahanuji.validity shares` has been run since code or word lists changed."""
    kept = pd.read_csv(instrument.SHARES)
    pd.testing.assert_frame_equal(kept, shares.worked_out(), check_dtype=False, rtol=1e-8)
    gak = instrument.named("negation:gak").validity
    assert (gak.n, gak.raters, gak.same_label, gak.current) == (100, 2, 1.0, True)
    assert gak.bound == pytest.approx(measure.bounds(0, 100)[1])
    reversal = Instrument("reversed_negation", "en").validity
    assert reversal.as_expected == pytest.approx(0.9902, abs=1e-4)


def test_sheets_of_what_is_unrated_make_up_for_a_source_that_has_too_little(tmp_path, monkeypatch):
    one = instrument.named("prejudice:names")
    monkeypatch.setattr(instrument, "_shares", dict)
    words = ["sheet", str(tmp_path), "anna", "--unrated", "--instruments", one.key, "--count", "4"]
    asked = []

    def outputs(_, dataset, count):
        asked.append((dataset, count))
        kept = 1 if dataset == "embedded" else count
        return validity.outputs(instrument.named("negation"), "embedded", kept)

    monkeypatch.setattr(making, "outputs", outputs)
    assert command.main(words) == 0
    assert asked == [("embedded", 4), ("smsa", 7)]
