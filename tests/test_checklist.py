"""The checklist: reading, expansion, scoring against cases worked out by hand, export."""

import json
import random

import numpy as np
import pandas as pd
import pytest

from tahanuji import checklist, measure
from tahanuji.checklist import __main__ as command
from tahanuji.checklist import expansion, scoring
from tahanuji.errors import InputError

FILES = {
    "capabilities.csv": """capability,group,test_type,about
plain,words,MFT,Polar words decide the label.
particles,use,INV,A particle leaves the label.
stronger,words,DIR,An intensifier does not weaken praise.
""",
    "templates/plain.csv": """template_id,template,expected,register,domain,note
t1,{food}nya {good}.,positive,neutral,food,
t2,"Menurut saya {food} itu {bad}, sungguh.",negative,formal,food,
t3,Kantor buka {food} hari ini.,neutral,neutral,general,
t4,{food} sama {food2} {good},positive|neutral,colloquial,food,
""",
    "sentences/plain.csv": """sentence_id,text,changed,expected,register,domain
s1,Kamarnya bau dan airnya mati semalaman.,,negative,neutral,hotel
""",
    "templates/particles.csv": """template_id,template,expected,register,domain,note
t1,{food}nya {good}. => {food}nya {good} sih.,same,neutral,food,
""",
    "sentences/particles.csv": """sentence_id,text,changed,expected,register,domain
s1,Filmnya bagus.,Filmnya bagus kok.,same,neutral,film
""",
    "templates/stronger.csv": """template_id,template,expected,register,domain,note
t1,{food}nya {good}. => {food}nya {good} banget.,more_positive,neutral,food,
""",
    "fillers.csv": """slot,word
food,sate
food,soto
food,rawon
good,enak
good,lezat
bad,hambar
bad,basi
food,sate
""",
}
LABELS = ["positive", "neutral", "negative"]


def folder(place, **changes):
    """The suite of FILES in a folder, with some files replaced (None: left out)."""
    for name, text in (FILES | changes).items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            path.write_text(text, encoding="utf-8")
    return place


def read(place, **changes):
    folder(place, **changes)
    return checklist.read(place, place / "fillers.csv")


@pytest.fixture
def suite(tmp_path):
    return read(tmp_path)


@pytest.fixture
def cases(suite):
    return checklist.expand(suite, cases=8)


def answers(cases, label="positive", **others):
    """The same label for every text, but those of `others` by id."""
    table = checklist.texts(cases)[["id"]].assign(label=label)
    table.index += 2
    table["label"] = table["id"].map(others).fillna(table["label"])
    return table


HEAD = "template_id,template,expected,register,domain,note\n"
WRITTEN = "sentence_id,text,changed,expected,register,domain\n"
CAPABILITIES = "capability,group,test_type,about\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "templates/plain.csv",
            HEAD + "t1,{fod} enak.,positive,neutral,food,\n",
            "rows 2 .* slot fod",
        ),
        (
            "templates/plain.csv",
            HEAD + "t1,Enak.,good,neutral,food,\n",
            "rows 2 .*positive, neutral",
        ),
        ("templates/plain.csv", HEAD + "t1,Ya.,positive|neutral|negative,neutral,food,\n", "every"),
        ("templates/plain.csv", HEAD + "t1,A.,positive,neutral,food,\n" * 2, "rows 3 repeat"),
        (
            "templates/plain.csv",
            HEAD + "t1,{food enak.,positive,neutral,food,\n",
            "rows 2 .*braces",
        ),
        (
            "templates/plain.csv",
            HEAD + "t1,food} enak.,positive,neutral,food,\n",
            "rows 2 .*braces",
        ),
        ("templates/plain.csv", HEAD + "t1,A. => B.,positive,neutral,food,\n", "only INV and DIR"),
        (
            "templates/plain.csv",
            HEAD + "t1,A.,positive,polite,food,\n",
            "rows 2 .*register outside",
        ),
        ("templates/plain.csv", HEAD + "t1,A.,positive,neutral,cars,\n", "rows 2 .*domain outside"),
        ("templates/plain.csv", HEAD + "t/1,A.,positive,neutral,food,\n", "rows 2 .*slash"),
        (
            "templates/plain.csv",
            "template_id,template\nt1,A.\n",
            "has no column expected, register",
        ),
        ("templates/particles.csv", HEAD + "t1,Enak.,same,neutral,food,\n", "rows 2 need ' => '"),
        (
            "templates/particles.csv",
            HEAD + "t1,A => B => C,same,neutral,food,\n",
            "need ' => ' once",
        ),
        ("templates/particles.csv", HEAD + "t1,A => A,same,neutral,food,\n", "rows 2 say the same"),
        ("templates/particles.csv", HEAD + "t1,A => B,positive,neutral,food,\n", "outside same"),
        ("templates/stronger.csv", HEAD + "t1,A => B,positiver,neutral,food,\n", "less_negative"),
        ("sentences/plain.csv", WRITTEN + "t1,A.,,positive,neutral,food\n", "share the id t1"),
        (
            "sentences/plain.csv",
            WRITTEN + "s1,A.,B.,positive,neutral,food\n",
            "rows 2 have a changed",
        ),
        ("sentences/plain.csv", WRITTEN + "s1,{food}.,,positive,neutral,food\n", "has no slots"),
        (
            "sentences/particles.csv",
            WRITTEN + "s1,A.,,same,neutral,food\n",
            "rows 2 have no changed",
        ),
        ("sentences/other.csv", WRITTEN + "s1,A.,,positive,neutral,food\n", "other, which"),
        (
            "capabilities.csv",
            CAPABILITIES + "plain,words,MFT,x\nplain,words,MFT,x\n",
            "rows 3 repeat",
        ),
        ("capabilities.csv", CAPABILITIES + "plain,word,MFT,x\n", "rows 2 have a group outside"),
        (
            "capabilities.csv",
            CAPABILITIES + "plain,words,mft,x\n",
            "rows 2 have a test_type outside",
        ),
        ("capabilities.csv", FILES["capabilities.csv"] + "more,use,MFT,x\n", "sentences for more"),
        ("fillers.csv", "slot,word\nfood,\n", "rows 2 have no word"),
        ("fillers.csv", "slot,word\nFood,sate\n", "rows 2 have a slot"),
    ],
)
def test_refused_with_file_and_row(tmp_path, name, text, said):
    with pytest.raises(InputError, match=said):
        read(tmp_path, **{name: text})


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"capabilities\.csv is not there"):
        checklist.read(tmp_path, folder(tmp_path, **{"capabilities.csv": None}) / "fillers.csv")


def test_cases_are_filled_capitalised_and_named(cases):
    plain = cases[(cases["capability"] == "plain")].set_index("id")
    first = plain[plain["template"] == "t1"]["text"]
    assert set(first) <= {
        f"{a}nya {b}." for a in ("Sate", "Soto", "Rawon") for b in ("enak", "lezat")
    }
    assert list(first.index) == [f"plain/t1/{k}" for k in range(1, len(first) + 1)]
    assert plain[plain["template"] == "t2"]["text"].str.startswith("Menurut saya ").all()
    for text in plain[plain["template"] == "t4"]["text"]:
        one, two = text.split()[0], text.split()[2]
        assert one.islower() and one != two
    assert set(plain[plain["template"] == "t3"]["text"]) < {
        f"Kantor buka {food} hari ini." for food in ("sate", "soto", "rawon")
    }
    inv = cases[cases["capability"] == "particles"]
    assert (inv["text"].str.removesuffix(".") + " sih." == inv["changed"])[:-1].all()
    assert inv["id"].iloc[-1] == "particles/s1/1"
    assert list(inv["source"])[-2:] == ["templates", "sentences"]


def test_no_duplicates_and_the_count_that_was_asked_for(suite):
    cases = checklist.expand(suite, cases=8)
    assert cases["id"].is_unique
    assert not cases.duplicated(["capability", "text", "changed"]).any()
    counts = cases[cases["source"] == "templates"].groupby("capability").size()
    assert counts["plain"] == 8  # two rounds of four templates
    assert counts["particles"] == counts["stronger"] == 6  # three foods by two words and no more
    everything = checklist.expand(suite, cases=1000)
    assert everything.groupby("capability").size()["plain"] == 6 + 6 + 3 + 12 + 1


def test_a_case_depends_on_seed_and_template_alone(tmp_path, suite, cases):
    lines = FILES["templates/plain.csv"].splitlines()
    other = "\n".join([lines[0], *lines[:0:-1], "t9,{bad} sekali.,negative,neutral,food,"]) + "\n"
    again = checklist.expand(read(tmp_path, **{"templates/plain.csv": other}), cases=8)
    texts = again.set_index("id")["text"]
    same = [name for name in cases["id"] if name in texts.index]
    assert len(same) > 15
    assert list(texts[same]) == list(cases.set_index("id")["text"][same])
    more = checklist.expand(suite, cases=16).set_index("id")["text"]
    assert list(more[cases["id"]]) == list(cases["text"])
    seeded = checklist.expand(suite, cases=8, seed=1)
    assert list(seeded["text"]) != list(cases["text"])


def test_words_are_dealt_evenly(tmp_path):
    words = "slot,word\n" + "".join(f"food,w{number}\n" for number in range(10)) + "good,a\nbad,b\n"
    cases = checklist.expand(read(tmp_path, **{"fillers.csv": words}), cases=40)
    used = cases[cases["template"].eq("t1") & cases["capability"].eq("plain")]["text"]
    assert len(used) == used.nunique() == 10


def test_two_versions_that_came_out_alike_are_no_case(tmp_path):
    template = HEAD + "t1,{food} enak. => {food2} enak.,same,neutral,food,\n"
    template += "t2,{good} saja. => enak saja.,same,colloquial,food,\n"
    cases = checklist.expand(read(tmp_path, **{"templates/particles.csv": template}), cases=50)
    part = cases[cases["capability"] == "particles"]
    assert (part["text"] != part["changed"]).all()
    assert list(part[part["template"] == "t2"]["text"]) == ["lezat saja."]
    assert (part["template"] == "t1").sum() == 6


def test_what_was_left_out_is_gone(tmp_path):
    out = "id,reason\nplain/t2,x\nplain/t1/1,x\nparticles/s1,x\n"
    cases = checklist.expand(read(tmp_path, **{"left_out.csv": out}), cases=8)
    gone = ("plain/t2/", "plain/t1/1", "particles/s1/")
    assert not cases["id"].str.startswith(gone).any()
    assert {"plain/t1/2", "plain/t4/1"} <= set(cases["id"])


def test_no_cases_are_refused(suite):
    with pytest.raises(InputError, match="0 is fewer"):
        checklist.expand(suite, cases=0)


def test_near_duplicates(cases):
    rows = pd.DataFrame(
        {
            "capability": ["a", "a", "a", "b"],
            "id": ["t1", "t2", "t3", "t1"],
            "text": [
                "Satu dua tiga empat lima",
                "satu dua tiga empat enam",
                "satu dua",
                "satu dua",
            ],
        }
    )
    pairs = checklist.near_duplicates(rows)
    assert pairs.values.tolist() == [["a", "t1", "t2", 0.8]]
    of_cases = checklist.near_duplicates(cases, similar=0.0)
    origin = cases.set_index("id")["template"]
    assert len(of_cases) and (origin[of_cases["first"]].values != origin[of_cases["second"]]).all()


def test_sizes(suite, cases):
    table = checklist.sizes(suite, cases).set_index("capability")
    assert list(table.loc["plain"][["templates", "sentences", "cases"]]) == [4, 1, 9]
    assert table.loc["all", "cases"] == len(cases)


def test_texts_hold_both_versions(cases):
    rows = checklist.texts(cases)
    assert len(rows) == len(cases) + (cases["changed"] != "").sum()
    assert rows["id"].is_unique
    changed = rows[rows["version"] == "changed"]
    assert set(changed["id"]) == {f"{name}/changed" for name in changed["case"]}
    assert dict(zip(changed["case"], changed["text"], strict=True)) == dict(
        cases[cases["changed"] != ""].set_index("id")["changed"]
    )


def test_failures_by_hand(cases):
    judged = checklist.judge(
        cases,
        answers(
            cases,
            "positive",
            **{"particles/t1/1/changed": "negative", "stronger/t1/2/changed": "neutral"},
        ),
        LABELS,
    ).set_index("id")
    assert judged["counted"].all()
    mft = judged[judged["test_type"] == "MFT"]
    assert list(mft["failure"]) == [template in ("t2", "t3", "s1") for template in mft["template"]]
    inv, direct = (judged[judged["test_type"] == kind] for kind in ("INV", "DIR"))
    assert list(inv.index[inv["failure"]]) == ["particles/t1/1"]
    assert list(direct.index[direct["failure"]]) == ["stronger/t1/2"]


def test_a_model_without_neutral(cases):
    labels = ["positive", "negative"]
    judged = checklist.judge(cases, answers(cases, "negative"), labels)
    assert set(judged[~judged["counted"]]["expected"]) == {"neutral"}
    assert not judged[~judged["counted"]]["failure"].any()
    assert judged[judged["expected"] == "positive|neutral"]["failure"].all()
    counts = checklist.rates(judged, seed=1).set_index(["test", "group"])["n"]
    assert counts["plain", "all"] == (judged["counted"] & judged["capability"].eq("plain")).sum()
    with pytest.raises(InputError, match="labels good, bad cannot be scored"):
        checklist.judge(cases, answers(cases), ["good", "bad"])


@pytest.mark.parametrize(
    ("expected", "before", "after", "fails"),
    [
        ("more_positive", "neutral", "negative", True),
        ("more_positive", "neutral", "positive", False),
        ("more_positive", "positive", "positive", False),
        ("less_negative", "neutral", "negative", True),
        ("less_negative", "negative", "neutral", False),
        ("more_negative", "negative", "neutral", True),
        ("more_negative", "positive", "neutral", False),
        ("less_positive", "neutral", "positive", True),
        ("less_positive", "positive", "neutral", False),
    ],
)
def test_directions_by_label(cases, expected, before, after, fails):
    case = cases[cases["test_type"] == "DIR"].head(1).assign(expected=expected)
    said = answers(case, before, **{f"{case['id'].iloc[0]}/changed": after})
    assert list(checklist.judge(case, said, LABELS)["failure"]) == [fails]


@pytest.mark.parametrize(
    ("expected", "moved", "fails"),
    [
        ("more_positive", -0.11, True),
        ("more_positive", -0.09, False),
        ("less_positive", 0.11, True),
        ("less_positive", -0.5, False),
        ("more_negative", 0.3, False),
        ("more_negative", -0.3, True),
        ("less_negative", 0.3, True),
    ],
)
def test_directions_by_probability(cases, expected, moved, fails):
    case = cases[cases["test_type"] == "DIR"].head(1).assign(expected=expected)
    label = expected.split("_")[1]
    other = "negative" if label == "positive" else "positive"
    said = answers(case, "neutral").assign(p_neutral=0.0)
    said[f"p_{label}"] = [0.5, 0.5 + moved]
    said[f"p_{other}"] = [0.5, 0.5 - moved]
    assert list(checklist.judge(case, said, LABELS)["failure"]) == [fails]


def test_answers_are_refused_in_a_sentence_with_rows(cases):
    good = answers(cases)
    for change, said in [
        (good.assign(id=good["id"].replace("plain/t1/1", "plain/t7/1")), "rows 2 have an id"),
        (pd.concat([good, good.iloc[[3]].set_axis([99])]), "rows 99 repeat"),
        (good.assign(label=good["label"].where(good.index != 4, "good")), "rows 4 have a label"),
        (good.drop(index=[2, 5]), r"answers \d+ of \d+ texts; missing: plain/t1/1, .*row 2, 5"),
        (good.drop(columns="label"), "has no column label"),
        (good.assign(p_positive=0.5), "but not p_positive, p_neutral, p_negative"),
        (good.assign(**{f"p_{label}": "many" for label in LABELS}), "no probability in p_positive"),
    ]:
        with pytest.raises(InputError, match=said):
            checklist.judge(cases, change, LABELS)
    shuffled = good.sample(frac=1, random_state=3)
    assert checklist.judge(cases, shuffled, LABELS).equals(checklist.judge(cases, good, LABELS))


def clustered_cases(failures):
    """A capability with one template per list of outcomes."""
    return pd.DataFrame(
        [
            ("a", "MFT", "templates", f"t{number}", True, bool(failed))
            for number, outcomes in enumerate(failures)
            for failed in outcomes
        ],
        columns=["capability", "test_type", "source", "template", "counted", "failure"],
    )


def test_rates_and_their_groups():
    judged = clustered_cases([[1, 1, 0], [0, 0, 0], [1, 0, 0]])
    judged.loc[judged["template"] == "t2", "source"] = "sentences"
    table = checklist.rates(judged, seed=1, resamples=500).set_index(["test", "group"])
    assert table.loc[("a", "all"), "value"] == pytest.approx(3 / 9)
    assert table.loc[("a", "templates"), "value"] == pytest.approx(2 / 6)
    assert table.loc[("a", "sentences"), "n"] == 3
    assert table.loc[("MFT", "all"), "n"] == 9
    assert set(table["metric"]) == {"failure_rate"}


def test_intervals_are_wider_where_templates_fail_whole():
    whole = clustered_cases([[1] * 10] * 5 + [[0] * 10] * 15)
    mixed = clustered_cases([[1, 0, 0, 0] * 2 + [1, 0]] * 10 + [[1, 0, 0, 0] * 2 + [0, 0]] * 10)
    assert whole["failure"].mean() == mixed["failure"].mean() == 0.25
    widths = []
    for judged in (whole, mixed):
        _, low, high = scoring.clustered(judged, 1, 2000)
        widths.append(high - low)
    expected = measure.share(50, 200)
    independent = expected.high - expected.low
    assert widths[0] > 2.5 * independent > 2.5 * widths[1]


@pytest.mark.parametrize("outcome", [0, 1])
def test_an_interval_stays_where_no_case_differs(outcome):
    value, low, high = scoring.clustered(clustered_cases([[outcome] * 10] * 20), 1, 100)
    assert (value, low, high) == tuple(measure.share(20 * outcome, 20))


def test_the_intervals_hold_at_their_level():
    """Coverage over drawn suites of 25 templates whose failure rates differ: near 95%, where
    ignoring the templates gives far less.
    """
    rng, hits, naive = np.random.default_rng(5), 0, 0
    for draw in range(200):
        rates = rng.beta(1, 2, size=25)
        judged = clustered_cases([list(rng.random(6) < rate) for rate in rates])
        value, low, high = scoring.clustered(judged, draw, 500)
        hits += low <= 1 / 3 <= high
        _, low, high = measure.share(int(judged["failure"].sum()), len(judged))
        naive += low <= 1 / 3 <= high
    assert 0.89 <= hits / 200 <= 0.98
    assert naive / 200 < 0.87


def test_matrix_for_reading(cases):
    judged = checklist.judge(cases, answers(cases), LABELS)
    table = checklist.matrix(checklist.rates(judged, 1, 200), cases)
    assert list(table.columns) == [
        "capability",
        "family",
        "type",
        "n",
        "all",
        "templates",
        "sentences",
    ]
    row = table.set_index("capability").loc["particles"]
    assert row["all"].startswith("0.0% (0.0 to ") and row["n"] == 7
    assert table.set_index("capability").loc["stronger", "sentences"] == "no cases"


class Always:
    """A classifier that looks at the length of a text."""

    labels = LABELS

    def predict_proba(self, texts, precision):
        share = np.array([len(text) % 10 / 10 for text in texts], dtype=np.float32)
        return np.stack([share, np.zeros_like(share), 1 - share], axis=1)


def test_a_classifier_of_ours_is_asked_in_one_stream(cases):
    said = checklist.predicted(Always(), cases)
    assert list(said.columns) == ["id", "label", "p_positive", "p_neutral", "p_negative"]
    judged = checklist.judge(cases, said, LABELS)
    assert set(judged["label"]) == {"positive", "negative"}
    assert judged[judged["changed"] == ""]["changed_p_positive"].isna().all()
    assert not judged[judged["changed"] != ""]["changed_p_positive"].isna().any()


def run(place, *words):
    return command.main(["--suite", str(place), "--fillers", str(place / "fillers.csv"), *words])


def test_export_is_read_back_and_scored(tmp_path, cases, capsys):
    folder(tmp_path)
    out = tmp_path / "out"
    assert run(tmp_path, "--cases", "8", "export", str(out)) == 0
    rows = pd.read_csv(out / "checklist.csv", keep_default_na=False)
    lines = [json.loads(line) for line in (out / "checklist.jsonl").open(encoding="utf-8")]
    assert rows.to_dict("records") == lines == checklist.texts(cases).to_dict("records")
    rows["label"] = [random.Random(name).choice(LABELS) for name in rows["id"]]
    rows[["id", "label"]].to_csv(tmp_path / "said.csv", index=False)
    failing = tmp_path / "failing.csv"
    words = ["score", str(tmp_path / "said.csv"), "--failures", str(failing)]
    capsys.readouterr()
    assert run(tmp_path, "--cases", "8", *words) == 0
    printed = capsys.readouterr().out
    judged = checklist.judge(cases, rows[["id", "label"]], LABELS)
    table = checklist.matrix(checklist.rates(judged, expansion.SEED), cases)
    assert all(row.all in printed for row in table.itertuples())
    assert list(pd.read_csv(failing)["id"]) == list(judged[judged["failure"]]["id"])


def test_wrong_predictions_are_one_sentence(tmp_path, capsys):
    folder(tmp_path)
    (tmp_path / "said.csv").write_text("id,label\nplain/t1/1,positive\nx/1,positive\n")
    assert run(tmp_path, "score", str(tmp_path / "said.csv")) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "said.csv: rows 3 have an id that no case has" in said
    assert run(tmp_path, "score", str(tmp_path / "nowhere.csv")) == 2
    assert "nowhere.csv is not there" in capsys.readouterr().err


def test_neutral_only_cases_are_said_to_be_left_out(tmp_path, cases, capsys):
    folder(tmp_path)
    answers(cases).to_csv(tmp_path / "said.csv", index=False)
    words = ["score", str(tmp_path / "said.csv"), "--labels", "positive,negative"]
    assert run(tmp_path, "--cases", "8", *words) == 0
    count = (cases["expected"] == "neutral").sum()
    assert f"{count} cases accept only neutral" in capsys.readouterr().out
