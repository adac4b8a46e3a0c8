"""What every defence is tried by, and the table of defences."""

import numpy as np
import pandas as pd
import pytest

from tahanuji import data, measure, models
from tahanuji.errors import InputError
from tahanuji.harden import clusters, defences, halves, loss, noise, templates, trials
from tahanuji.harden.adversarial import Half

LABELS = ["positive", "neutral", "negative"]


class Echo:
    """A classifier whose answer depends on one word."""

    labels = LABELS

    def __init__(self, word: str):
        self.word = word

    def predict_proba(self, texts, precision="fp32"):
        found = np.array([self.word in str(text).lower() for text in texts])
        return np.stack([found, np.zeros(len(texts)), ~found], axis=1).astype(np.float32)


def rows(costs: dict[str, list[int]], **more) -> pd.DataFrame:
    parts = [
        pd.DataFrame({"id": list("abcdefgh")[: len(cost)], "cost": cost}).assign(group=name)
        for name, cost in costs.items()
    ]
    table = pd.concat(parts, ignore_index=True)
    about = {"test": "typos", "rate": 0.3, "quantity": trials.ADDED, "family": "", **more}
    return table.assign(cluster=table["id"], **about)


def test_the_difference_is_paired_with_the_undefended_classifier():
    table = trials.compared(rows({trials.PLAIN: [1, 1, 1, 0], "noise": [1, 0, 0, 0]}))
    own = table.set_index(["group", "metric"])["value"]
    assert own[trials.PLAIN, "errors_added"] == 0.75
    assert own["noise", "errors_added"] == 0.25
    assert own["noise", "errors_added_change"] == -0.5
    assert own[trials.PLAIN, "errors_added_change"] == 0


def test_pairs_are_found_by_id_and_not_by_place():
    table = rows({trials.PLAIN: [1, 0, 0, 0], "noise": [1, 0, 0, 0]})
    noisy = table["group"] == "noise"
    turned = pd.concat([table[~noisy], table[noisy].iloc[::-1]], ignore_index=True)
    change = trials.compared(turned).query("metric == 'errors_added_change'")
    assert (change[["value", "ci_low", "ci_high"]] == 0).all(axis=None)


def test_a_defence_that_was_asked_other_texts_is_refused():
    table = rows({trials.PLAIN: [1, 0, 0], "noise": [1, 0]})
    with pytest.raises(InputError, match="other texts"):
        trials.compared(table)


def test_tests_of_a_family_are_summed_and_clustered_by_text():
    parts = [
        rows(
            {trials.PLAIN: [1, 1, 0, 0], "noise": [0, 1, 0, 0]},
            test=test,
            family="typing" + trials.ALL,
        )
        for test in ("typos", "keyboard")
    ]
    table = trials.compared(pd.concat(parts, ignore_index=True)).set_index(
        ["test", "group", "metric"]
    )
    both = table.loc[("typing" + trials.ALL, "noise", "errors_added_change")]
    one = table.loc[("typos", "noise", "errors_added_change")]
    assert both["n"] == 8 and both["value"] == one["value"] == -0.25
    assert both["ci_low"] == pytest.approx(one["ci_low"])  # twice the same texts say nothing more


def test_arrows_stand_where_the_interval_excludes_zero():
    better = {trials.PLAIN: [1] * 7 + [0], "noise": [0] * 8, "pieces": [1] * 6 + [0, 1]}
    table = trials.table(trials.compared(rows(better)))
    assert table.loc["typos 0.3", "noise"] == "0.0 ↓"
    assert table.loc["typos 0.3", "pieces"] == "87.5"
    gains = trials.gains(trials.compared(rows(better)))
    assert gains.loc["noise", ["better", "worse", "tests"]].to_list() == [1, 0, 1]
    assert gains.loc[trials.PLAIN, "mean"] == 7 / 8


def unchanged(worse: int, better: int, n: int) -> pd.DataFrame:
    """What `compared` gives of a defence that has so many of n unchanged texts wrong, and so many
    right, which the undefended classifier has not.
    """
    costs = {trials.PLAIN: [0] * worse + [1] * better, "noise": [1] * worse + [0] * better}
    parts = [
        pd.DataFrame({"cost": cost + [0] * (n - len(cost))}).assign(group=name)
        for name, cost in costs.items()
    ]
    table = pd.concat(parts).reset_index(names="id").astype({"id": str})
    about = {"test": "unchanged", "rate": float("nan"), "quantity": trials.CLEAN, "family": ""}
    return trials.compared(table.assign(cluster=table["id"], **about))


@pytest.mark.parametrize(
    ("worse", "better", "said"),
    [
        (2, 2, ["stands", "stands", "stands"]),
        (16, 4, ["undecided", "stands", "stands"]),
        (50, 10, ["breaks", "undecided", "stands"]),
        (150, 0, ["breaks", "breaks", "breaks"]),
        (0, 60, ["stands", "stands", "stands"]),  # a gain is no loss
    ],
)
def test_a_loss_on_unchanged_texts_has_a_verdict_at_every_margin(worse, better, said):
    table = loss.lost(unchanged(worse, better, 1760))
    assert table["verdict"].tolist() == said and table["margin"].tolist() == [0.01, 0.02, 0.05]
    shown = [margin for margin, one in zip(loss.MARGINS, said, strict=True) if one == "stands"] or [
        np.nan
    ]
    assert loss.least(unchanged(worse, better, 1760))["noise"] == pytest.approx(
        shown[0], nan_ok=True
    )


def test_the_bounds_of_a_loss_are_those_of_paired_errors():
    row = loss.lost(unchanged(30, 12, 1760)).iloc[0]
    change = np.repeat([True, False], [30, 1730]), np.repeat([False, True, False], [30, 12, 1718])
    bounds = measure.change_bounds(*change, clusters=range(1760))
    assert (row["lower"], row["upper"]) == pytest.approx(bounds)


def test_changed_texts_cost_what_they_induce_less_what_they_repair():
    frame = pd.DataFrame({"id": ["a", "b", "c"], "text": ["enak", "buruk", "lama"]})
    frame = data.describe(frame.assign(label=["positive", "positive", "negative"]), name="own")
    part = trials.changed(frame, {"mixed": ["tasty", "enak", "lama"]})
    table = trials.rows(Echo("enak"), [part, trials.unchanged(frame, "unchanged")])
    assert table["cost"].to_list() == [1, -1, 0, 0, 1, 0]
    assert table["family"].to_list() == ["mixing by people" + trials.ALL] * 3 + [""] * 3


def test_no_test_shares_a_word_of_a_list_with_the_defences():
    frame = models.examples(3).assign(text="tidak enak dan tidak tahu kenapa, tapi sudah biasa")
    made = trials.tests(frame, 1)
    for instrument, texts in made.items():
        half = {trials.SEEN: "hardening", trials.UNSEEN: "tests"}.get(
            instrument.test.split(", ")[-1]
        )
        for text in filter(None, texts) if half else ():
            new = set(text.split()) - set(frame["text"][0].split())
            assert new and all(halves.of(word.strip(",.")) == half for word in new)


@pytest.mark.parametrize(
    ("text", "changed", "half", "expected"),
    [
        ("tidak enak", "gak enak", "hardening", "gak enak"),
        ("tidak enak", "gak enak", "tests", None),
        ("tidak enak", None, "tests", None),
        ("tidak  enak, ya", "ga  enak, ya", "tests", "ga  enak, ya"),
    ],
)
def test_kept_takes_back_what_belongs_to_the_other_half(text, changed, half, expected):
    assert halves.kept(text, changed, half) == expected


def test_a_family_of_noise_is_left_out_by_name():
    (one,) = defences.named("noise-short forms")
    assert set(one.noise.families) == set(noise.FAMILIES) - {"short forms"}
    with pytest.raises(InputError, match="no families"):
        defences.named("normaliser-typing")
    with pytest.raises(InputError, match="family of noise"):
        defences.named("noise-tapping")
    with pytest.raises(InputError, match="twice"):
        defences.named("noise+noise-typing")


def test_templates_train_on_capabilities_that_the_other_half_does_not_have():
    mine, other = (templates.cases(half, 400, set(LABELS)) for half in halves.HALVES)
    names = [set(part["id"].str.split("/").str[0]) for part in (mine, other)]
    assert names[0] and names[1] and not names[0] & names[1]
    assert mine["id"].str.split("/").str[0].value_counts().max() < 60  # evenly allocated


def test_attacks_of_a_half_use_its_words_alone():
    class English:
        name = "own"

        def translate(self, word):
            return {"enak": "tasty", "murah": "cheap"}.get(word)

        def targets(self, text, tokens):
            return {0: "tasty", 1: "cheap"}

    sides = [Half(English(), half) for half in halves.HALVES]
    made = [{one.translate("enak"), one.translate("murah")} - {None} for one in sides]
    assert made[0] | made[1] == {"tasty", "cheap"} and not made[0] & made[1]
    assert [set(one.targets("", []).values()) for one in sides] == made
    assert sides[0].name == "own"


def test_words_that_a_typo_can_confuse_are_one():
    assert clusters.encoded("makanna enak") == clusters.encoded("makanan enak")
    assert clusters.encoded("qwrtzx") == clusters.UNKNOWN
    assert clusters.encoded("Tapi 160 x 200") == clusters.encoded("Tapi 160 x 200")
    assert clusters.encoded("yg ok") == "yg ok"


def test_a_tenth_of_the_training_texts_chooses_the_epoch():
    train = data.load("embedded", "train")
    kept, held = trials.slices(train, 1)
    assert len(held) == len(train) // trials.HELD and not set(kept["id"]) & set(held["id"])
    assert set(kept["id"]) | set(held["id"]) == set(train["id"])
    assert kept.attrs["source"]["name"] != held.attrs["source"]["name"]


def test_texts_of_tests_without_a_rate_are_told_apart():
    parts = [
        rows(
            {trials.PLAIN: [1, 0, 0, 0], "noise": [0, 1, 0, 0]},
            test=test, rate=float("nan"), family="abbreviation" + trials.ALL,
        )
        for test in ("slang", "contraction")
    ]  # fmt: skip
    table = trials.compared(pd.concat(parts, ignore_index=True)).query("n == 8")
    change = table[table["metric"].eq("errors_added_change") & table["group"].eq("noise")]
    assert change[["value", "n"]].values.tolist() == [[0.0, 8]] and change["ci_high"].iloc[0] > 0


def test_wordings_without_a_right_label_are_judged_by_flips_beside_tests_that_have_one():
    """One frame holds both kinds: what a test lacks is missing there, and is no event."""
    flips = pd.DataFrame({"test": "triplets", "changed": True, "flip": [True] * 30 + [False] * 70})
    gold = flips.assign(test="typos", induced=flips["flip"], repaired=False)
    judged = measure.verdicts(pd.concat([flips, gold], ignore_index=True), "INV", [0.1])
    said = judged.groupby("test")["quantity"].agg(list).to_dict()
    assert said == {"triplets": ["flips"], "typos": ["flips", "errors added"]}
