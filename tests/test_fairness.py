"""Unsteadiness and bias of pairs that exchange a group: controls, directions, and their names."""

import numpy as np
import pandas as pd
import pytest

from tahanuji import checklist, data, measure, paths
from tahanuji.checklist import fairness

LABELS = ["positive", "neutral", "negative"]


@pytest.fixture(scope="module")
def cases() -> pd.DataFrame:
    every = checklist.expand(checklist.read())
    return every[every["capability"].str.startswith("fairness_")]


@pytest.fixture(scope="module")
def controls(cases) -> pd.DataFrame:
    return fairness.controls(cases)


def test_every_fairness_case_has_a_control_of_its_own_template(cases, controls):
    assert controls["id"].tolist() == cases["id"].tolist()


def differing(one: str, other: str) -> tuple[list[str], list[str]]:
    sides = [text.split() for text in (one, other)]
    while sides[0] and sides[1] and sides[0][0] == sides[1][0]:
        sides = [words[1:] for words in sides]
    while sides[0] and sides[1] and sides[0][-1] == sides[1][-1]:
        sides = [words[:-1] for words in sides]
    return tuple(sides)


def test_a_control_exchanges_one_phrase_of_like_length_and_leaves_the_group(controls):
    listed = data.read_table(paths.ROOT / "data/checklist/controls.csv").set_index("id")["words"]
    for row in controls.itertuples():
        old, new = differing(row.text, row.control)
        assert old and abs(len(old) - len(new)) <= 1 and len(old) <= 3, row.control
        words = listed[f"{row.capability}/{row.template}"]
        assert len(set(words.split("|"))) == words.count("|") + 1 > 1
        group = differing(row.text, row.changed)[0]
        assert set(group) <= set(row.control.split()), (row.text, row.control)


def test_groups_are_those_that_the_versions_name(controls):
    told = controls.set_index("id")[["first_group", "second_group"]]
    assert told.loc["fairness_gender/s08/1"].tolist() == ["men", "women"]  # prianya
    assert told.loc["fairness_region/s04/1"].tolist() == ["other islands", "Java and Bali"]
    assert told.loc["fairness_names/s05/1"].tolist() == ["Chinese", "Batak"]
    assert (told != "").all(axis=None)


class Model:
    """Probabilities of negative by a rule on the text."""

    def __init__(self, rule):
        self.labels, self.rule = LABELS, rule

    def predict_proba(self, texts, precision="fp32"):
        negative = np.array([self.rule(text) for text in texts])
        return np.stack([1 - negative, 0 * negative, negative], axis=1)


def rated(cases, rule) -> pd.DataFrame:
    model = Model(rule)
    rows = checklist.judge(cases, checklist.predicted(model, cases), LABELS)
    rows = checklist.with_controls(rows, model)
    return checklist.rates(rows, 1, 200).set_index(["test", "group", "metric"])["value"]


def test_a_direction_is_bias_though_no_label_flips(cases):
    found = rated(cases, lambda text: 0.2 + 0.1 * ("perempuan" in text or "wanita" in text))
    own = found["fairness_gender"]
    assert own["men", "negative_rise"] < -0.03 and own["men", "negative_rise_p"] < 0.05
    assert own["all", "failure_rate"] == 0 and own["all", "control_flip_rate"] == 0
    others = found[found.index.get_level_values("metric") == "negative_rise_p"]
    assert (others.drop("fairness_gender") > 0.05).all()


def test_flips_without_a_direction_are_unsteadiness_and_no_more_than_their_control(cases):
    drawn = lambda text: int(data.text_hash(text), 16) % 97 / 96  # noqa: E731
    found = rated(cases, drawn)
    metric = found.index.get_level_values("metric")
    assert (found[metric == "control_flip_rate"] > 0.3).all()
    assert (found[metric == "negative_rise_p"] > 0.05).all()


def test_unsteadiness_and_bias_by_hand():
    """Five templates, a case each: three flip, one control does; women are 0.1 more negative."""
    rows = pd.DataFrame({"id": [f"x/t{k}/1" for k in range(5)], "template": list("abcde")})
    rows = rows.assign(capability="x", counted=True, label="positive", source="templates")
    rows["failure"] = [True, True, True, False, False]
    rows["control_label"] = ["negative", *["positive"] * 4]
    rows["first_group"], rows["second_group"] = ["men"] * 5, ["women"] * 5
    rows["p_negative"] = 0.2
    rows["changed_p_negative"] = [0.2, 0.3, 0.3, 0.3, 0.4]
    made = pd.DataFrame(fairness.rates(rows, 1, 200), columns=measure.COLUMNS)
    found = made.set_index(["group", "metric"])
    assert found.loc[("all", "control_flip_rate"), "value"] == pytest.approx(0.2)
    assert found.loc[("all", "excess_flip_rate"), "value"] == pytest.approx(0.4)
    rise = found.loc[("men", "negative_rise")]
    assert rise["value"] == pytest.approx(-0.1) and rise["n"] == 5
    assert rise["ci_high"] == pytest.approx(-0.1 + 2.776445 * 0.005**0.5 / 5**0.5)
    assert found.loc[("men", "negative_rise_p"), "value"] == pytest.approx(0.03411, abs=1e-4)
    assert ("women", "negative_rise") not in found.index


def test_groups_are_corrected_together():
    """Three groups: Bali is always the more negative one, the others are mirrors of each other."""
    pairs = [("Aceh", "Bali"), ("Batak", "Bali")] * 5
    rows = pd.DataFrame(pairs, columns=["first_group", "second_group"])
    rows["template"] = [f"t{k // 2}" for k in range(10)]
    rows = rows.assign(capability="x", counted=True, failure=False, label="a", control_label="a")
    rows["p_negative"] = 0.2
    rows["changed_p_negative"] = 0.2 + np.array([0.1, 0.1, 0.2, 0.2, 0, 0, 0.1, 0.1, 0.1, 0.1])
    made = pd.DataFrame(fairness.rates(rows, 1, 200), columns=measure.COLUMNS)
    p = made[made["metric"] == "negative_rise_p"].set_index("group")["value"]
    alone = 0.03411  # t = 3.162 of four degrees of freedom, as of each group by itself
    assert p.to_dict() == pytest.approx(
        dict.fromkeys(["Aceh", "Bali", "Batak"], 3 * alone), abs=1e-3
    )
