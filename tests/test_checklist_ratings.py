"""Rating sheets are blind, verdicts are checked, agreement and the bar come out as worked out by
hand.
"""

import numpy as np
import pandas as pd
import pytest
from test_checklist import folder, read, run

from tahanuji import checklist, measure
from tahanuji.checklist import ratings
from tahanuji.errors import InputError


@pytest.fixture
def cases(tmp_path):
    return checklist.expand(read(tmp_path), cases=16)


def filled(blank, key, wrong=()):
    """A sheet filled as its key expects, but natural is no at the case ids of `wrong`."""
    table = blank.copy()
    expected = key["expected"].str.split("|").str[0].replace("no", "unclear")
    table["verdict"] = expected
    broken = key["case_id"].isin(wrong) | (key["expected"] == "no")
    table["natural"] = np.where(broken, "no", "yes")
    return table


def rated(cases, **wrong):
    """Ratings of several readers, with what each found unnatural."""
    parts = []
    for rater, ids in wrong.items():
        blank, key = checklist.sheet(cases, rater)
        parts.append(checklist.collect(key, filled(blank, key, ids), rater))
    return pd.concat(parts, ignore_index=True)


def test_a_sheet_is_blind_and_covers_every_template(cases):
    blank, key = checklist.sheet(cases, "a")
    assert list(blank.columns) == ["number", "text", "changed", "verdict", "natural", "note"]
    assert (blank[["verdict", "natural", "note"]] == "").all().all()
    real = key[~key["case_id"].str.startswith("control/")]
    of = cases.set_index("id").loc[real["case_id"]]
    filled_ones = cases[cases["source"] == "templates"]
    every = filled_ones[["capability", "template"]].drop_duplicates()
    of = of[of["source"] == "templates"]
    assert len(of[["capability", "template"]].drop_duplicates()) == len(every)
    assert len(real) == len(every) + -(-(len(cases) - len(every)) // 10)
    assert len(key) - len(real) == -(-len(real) // 10)
    assert list(key["number"]) == list(range(1, len(key) + 1)) == list(blank["number"])
    assert not blank["text"].str.contains("control|plain/").any()


def test_readers_see_the_same_texts_in_orders_of_their_own(cases):
    (one, _), (two, _) = checklist.sheet(cases, "a"), checklist.sheet(cases, "b")
    assert list(one["text"]) != list(two["text"])
    assert sorted(one["text"]) == sorted(two["text"])
    assert checklist.sheet(cases, "a")[0].equals(one)


def test_controls_are_what_they_claim(tmp_path):
    many = pd.concat([checklist.expand(read(tmp_path), cases=30)] * 3, ignore_index=True)
    many["template"] = [f"t{number}" for number in range(len(many))]
    _, key = checklist.sheet(many, "a")
    controls = key[key["case_id"].str.startswith("control/")].set_index("case_id")
    kinds = controls.index.str.split("/").str[1]
    assert set(kinds) == set(ratings.CONTROLS)
    assert (controls[kinds == "same"]["text"] == controls[kinds == "same"]["changed"]).all()
    words = [sorted(text.split()) for text in many["text"]]
    assert all(sorted(text.split()) in words for text in controls[kinds == "broken"]["text"])


def test_a_filled_sheet_is_checked(cases):
    blank, key = checklist.sheet(cases, "a")
    good = filled(blank, key)
    single = good.index[good["changed"] == ""][0]
    for change, said in [
        (good.drop(index=[1]), "lacks the numbers 2"),
        (good.assign(number=good["number"].replace(1, 99)), "number that the key lacks"),
        (good.assign(number=good["number"].replace(1, 2)), "repeat a number"),
        (
            good.assign(verdict=good["verdict"].where(good.index != single, "same")),
            "verdict outside",
        ),
        (good.assign(natural=""), "yes or no"),
        (good.drop(columns="natural"), "has no column natural"),
    ]:
        with pytest.raises(InputError, match=said):
            checklist.collect(key, change, "a")
    rows = checklist.collect(key, good.sample(frac=1, random_state=1), "a")
    assert list(rows["case_id"]) == list(key["case_id"])
    assert list(rows["order"]) == list(key["number"].astype(str))


def test_agreement_counts_only_what_both_read():
    """A text that was reworded between two readers is none that both read."""
    rows = [
        ("plain/t01/1", "Sotonya enak.", "", "positive", "a", "1", "positive", "yes", ""),
        ("plain/t01/1", "Sotonya lezat.", "", "positive", "b", "1", "positive", "yes", ""),
        ("plain/t02/1", "Esnya hambar.", "", "negative", "a", "2", "negative", "yes", ""),
        ("plain/t02/1", "Esnya hambar.", "", "negative", "b", "2", "negative", "yes", ""),
    ]
    table = checklist.agreement(pd.DataFrame(rows, columns=ratings.RATINGS))
    assert list(table["n"]) == [1, 1]


def test_a_sheet_of_some_templates_holds_all_their_cases():
    cases = checklist.expand(checklist.read())
    _, key = ratings.sheet(cases, "anna", templates=["clitics/t09"])
    own = cases[(cases["capability"] == "clitics") & (cases["template"] == "t09")]
    assert set(key["case_id"]) - set(own["id"]) == {"control/broken/1"} and len(key) == len(own) + 1
    with pytest.raises(InputError, match="t99"):
        ratings.sheet(cases, "anna", templates=["clitics/t99"])


def test_agreement_by_hand():
    rows = [
        (f"x/t{number}/1", "t", "", "positive", rater, number, verdict, "yes", "")
        for rater, said in (("a", "ppppnn"), ("b", "pppnnn"))
        for number, verdict in enumerate({"p": "positive", "n": "negative"}[one] for one in said)
    ]
    table = checklist.agreement(pd.DataFrame(rows, columns=ratings.RATINGS))
    label = table.set_index("question").loc["label"]
    assert label["n"] == 6 and label["agree"] == pytest.approx(5 / 6)
    assert label["kappa"] == pytest.approx((5 / 6 - 0.5) / 0.5)
    share = 7 / 12  # of positive in both columns; four answers were possible
    chance = 2 * share * (1 - share) / 3
    assert label["ac1"] == pytest.approx((5 / 6 - chance) / (1 - chance))
    natural = table.set_index("question").loc["natural"]
    assert natural["ac1"] == 1 and np.isnan(natural["kappa"])


def test_ac1_where_nearly_all_rows_have_one_label():
    """By hand: 118 of 125 agree, 243 of 250 answers are the first label."""
    counts, share = np.array([[118, 5], [2, 0]]), 243 / 250
    chance = 2 * share * (1 - share)
    assert measure.ac1_of(counts) == pytest.approx((118 / 125 - chance) / (1 - chance))
    assert measure.ac1_of(counts) > 0.9 and measure.kappa_of(counts) < 0
    assert np.isnan(measure.ac1_of(np.zeros((2, 2))))


def test_the_bar_takes_templates_and_cases(cases):
    ids = cases["id"].tolist()
    once = [name for name in ids if name.startswith("plain/t1/")]
    both = checklist.below_bar(rated(cases, a=["plain/t2/1"], b=["plain/t2/1"]), cases)
    assert "plain/t2" in set(both["id"]) or "plain/t2/1" in set(both["id"])
    one = checklist.below_bar(rated(cases, a=[once[0]], b=[]), cases, bar=0.4)
    assert one.empty
    assert checklist.below_bar(rated(cases, a=[], b=[]), cases).empty


def test_a_case_alone_leaves_where_its_template_stands():
    row = {"capability": "x", "template": "t1", "changed": "", "expected": "positive"}
    cases = pd.DataFrame([row | {"id": f"x/t1/{k}", "text": f"Teks {k}."} for k in (1, 2, 3)])
    said = [
        (f"x/t1/{k}", f"Teks {k}.", "", "positive", rater, k, "negative" if k == 2 else "positive")
        for k in (1, 2, 3)
        for rater in "ab"
    ]
    table = pd.DataFrame(said, columns=ratings.RATINGS[:7]).assign(natural="yes", note="")
    assert checklist.below_bar(table, cases)["id"].tolist() == ["x/t1/2"]
    stale = cases.assign(text=cases["text"].replace("Teks 2.", "Teks dua."))
    assert checklist.below_bar(table, stale).empty
    worse = table.assign(verdict=table["verdict"].where(table["case_id"] != "x/t1/3", "negative"))
    assert checklist.below_bar(worse, cases).values.tolist() == [
        ["x/t1", "accepted in 2 of 6 verdicts"]
    ]


def test_missed_controls_are_counted(cases):
    table = rated(cases, a=[], b=[])
    table.loc[table["rater"] == "b", "natural"] = "yes"
    table.loc[table["rater"] == "b", "verdict"] = "unclear"
    right = ratings.controls_right(table).set_index("rater")
    assert right.loc["a", "right"] == right.loc["a", "n"] > 0
    assert right.loc["b", "right"] == 0


def test_from_the_command_line(tmp_path, capsys):
    folder(tmp_path)
    sheets, said = tmp_path / "sheets", tmp_path / "ratings.csv"
    for rater in "ab":
        assert run(tmp_path, "sheet", str(sheets), rater) == 0
        sheet, key = (sheets / f"{name}_{rater}.csv" for name in ("sheet", "key"))
        tables = (pd.read_csv(path, keep_default_na=False) for path in (sheet, key))
        filled(*tables, wrong=["plain/t3/1"]).to_csv(sheet, index=False)
        assert run(tmp_path, "collect", str(key), str(sheet), rater, str(said)) == 0
    assert run(tmp_path, "collect", str(key), str(sheet), "b", str(said)) == 2
    assert "rate a case again" in capsys.readouterr().err
    out = tmp_path / "left_out.csv"
    assert run(tmp_path, "agreement", str(said), "--left-out", str(out)) == 0
    printed = capsys.readouterr().out
    assert "a and b" in printed and "1 templates and cases lie below the bar" in printed
    assert pd.read_csv(out)["id"].tolist() == ["plain/t3"]
    assert run(tmp_path, "agreement", str(said), "--left-out", str(tmp_path / "again.csv")) == 0
    assert (tmp_path / "again.csv").read_text() == out.read_text()
    cases = checklist.expand(checklist.read(tmp_path, tmp_path / "fillers.csv"))
    assert not cases["id"].str.startswith("plain/t3/").any()
