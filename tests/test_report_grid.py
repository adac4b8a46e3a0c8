"""The report on perturbation grids and code-mixing: scores by hand, the published ones beside them,
and which tests stand in summaries.
"""

import re

import pandas as pd
import pytest
import reports
from reports import gridded
from sklearn.metrics import f1_score

from helpers import layout, tables
from study.report import codemixing, decisions, evidence, grids, indonlu, runs, views
from tahanuji import changes, claims, data, grid, measure, published
from tahanuji.codemix import defence
from tahanuji.measure import robustness
from tahanuji.results import Results, select

GRID, MIX, DEFENCE = "07_perturbation_grid", "08_code_mixing", "09_code_mixing_defence"
CRF = "tfidf (a CRF)"  # of words the linear model is no TF-IDF


@pytest.fixture(autouse=True)
def outputs(tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))


def collected() -> Results:
    return runs.collect(reports.PROFILE)


def test_scores_by_hand_with_the_published_ones_beside_them():
    gridded(
        "tfidf",
        {
            "keyboard 0.05": "ppppnnnnoo",
            "keyboard 0.1": "ppppnnnnpp",  # a rate that nobody rated
            "twitter": "ppppnnnnoo",
            "realistic_noise 0.05": "nnnnppppoo",
        },
    )
    cells = grids.cells(grids.runs(collected()))
    kappas = cells.set_index("perturbation")["kappa"]
    assert kappas["keyboard"] == kappas["twitter"] == 1
    table = grids.perturbations(cells).set_index("perturbation")
    assert table.loc["keyboard", "score"] == 1
    assert table.loc["keyboard", "published"] == 0.474
    assert table.loc["twitter", "published"] == 0.836
    assert pd.isna(table.loc["realistic_noise", "published"])
    totals = grids.totals(cells).set_index(["over", "name"])
    assert totals.loc[("level", "character"), "score"] == pytest.approx(
        table.loc["keyboard", "score"]
    )  # realistic noise is not of the fourteen
    assert totals.loc[("level", "character"), "published"] == 0.495
    assert totals.loc[("level, changing at least half", "other"), "published"] == 0.723
    assert totals.loc[("model", "tfidf"), "score"] == pytest.approx(
        (table.loc["keyboard", "score"] + 1) / 2
    )


def test_every_perturbation_of_the_thesis_has_its_published_score():
    assert set(grids.NAMES.values()) == set(grid.FOURTEEN)


def test_word_case_counts_in_its_own_row_and_among_frequent_ones_only():
    gridded("tfidf", {"twitter": "ppppnnnnoo", "word_case": "nnnnppppoo"})
    cells = grids.cells(grids.runs(collected()))
    totals = grids.totals(cells).set_index(["over", "name"])["score"]
    assert totals["level", "other"] == 1
    assert totals["level, changing at least half", "other"] < 0.6


def test_models_at_chance_are_in_no_mean():
    gridded("tfidf", {"twitter": "ppppnnnnoo"})
    gridded("mini", {"twitter": "pp" * 10}, clean="pn" * 10)
    assert set(grids.cells(grids.runs(collected()))["model"]) == {"tfidf", "mini"}
    gridded("zz", {"twitter": "p" * 20}, clean="p" * 20, gold="pn" * 10)
    assert set(grids.cells(grids.runs(collected()))["model"]) == {"tfidf", "mini"}


def test_repeats_with_another_seed_do_not_count_twice():
    gridded("tfidf", {"twitter": "ppppnnnnoo"})
    gridded("tfidf", {"twitter": "nnnnppppoo"}, variant="seed_2", seed=2)
    assert len(grids.cells(grids.runs(collected()))) == 1


def test_kappa_and_texts_changed_by_hand():
    """Of ten texts two keep their label: 0.2 observed, 0.36 expected, kappa -0.16 / 0.64."""
    gridded("tfidf", {"twitter": "ppppnnnnoo", "keyboard 0.05": "nnnnppppoo"})
    cells = grids.cells(grids.runs(collected())).set_index("perturbation")
    assert cells["kappa"].to_dict() == pytest.approx({"keyboard": -0.25, "twitter": 1})
    assert cells["changed"].tolist() == [1, 1]


def test_a_score_is_low_where_few_texts_change_though_kappa_is_high():
    """verb_form changes 60% of the texts and has the lowest score, ocr the lowest kappa;
    swap_number is under half, and so in no total of what changes at least half.
    """
    rows = [
        ("ocr", "character", 0.7, 1.0),
        ("ocr", "character", 0.6, 1.0),
        ("verb_form", "other", 0.91, 0.6),
        ("twitter", "other", 0.95, 1.0),
        ("swap_number", "other", 0.1, 0.2),
    ]
    table = pd.DataFrame([("mini", "smsa", *row) for row in rows], columns=robustness.GRID)
    scores = grids.perturbations(table).set_index("perturbation")
    assert scores["score"].to_dict() == pytest.approx(
        {"ocr": 0.65, "twitter": 0.95, "verb_form": 0.546, "swap_number": 0.02}
    )
    assert scores.loc["swap_number", "changed"] == 0.2
    totals = grids.totals(table).set_index(["over", "name"])["score"]
    assert totals["level", "other"] == pytest.approx((0.95 + 0.546 + 0.02) / 3)
    assert totals["level, changing at least half"].to_dict() == pytest.approx(
        {"character": 0.65, "other": (0.95 + 0.546) / 2}
    )


def test_a_table_per_data_set_has_all_models_tests_and_rates():
    tests = {
        "keyboard 0.05": "ppppnnnnop",
        "keyboard 0.1": "pppnnnnnoo",
        "reversed_negation": "nnnnppppoo",
    }
    gridded("tfidf", tests)
    gridded("mini", tests | {"twitter": "ppppnnnnoo"})
    gridded("mini", tests, variant="emot", dataset="emot")
    gridded("mini", tests, variant="seed_2", seed=2)
    found = grids.by_dataset(collected())
    assert list(found) == ["emot", "made-up"]
    table = found["made-up"]
    assert [
        measure.title(*key) for key in zip(table["perturbation"], table["rate"], strict=True)
    ] == [name for name in ("keyboard 0.05", "keyboard 0.1") for _ in range(2)] + ["twitter"] + [
        "reversed_negation"
    ] * 2
    row = table.set_index(["perturbation", "rate", "model"]).loc[("keyboard", 0.1, "tfidf")]
    assert (row["n"], row["changed"], row["asked"], row["test_type"]) == (
        10,
        1.0,
        "10% of characters",
        "INV",
    )
    assert (
        row["accuracy_lost"] == pytest.approx(0.1)
        and row["lost_low"] == 0 < row["lost_high"] <= 0.4
    )
    assert (
        row["kappa"] == pytest.approx((0.9 - 0.36) / (1 - 0.36))
        and row["kappa_low"] < row["kappa"] < row["kappa_high"]
    )
    assert table[table["perturbation"] == "reversed_negation"]["accuracy_lost"].isna().all()
    shown = grids.readable(table).set_index("perturbation")
    assert list(shown.columns) == [
        "level",
        "asked",
        "changed",
        "tfidf: kappa",
        "tfidf: points lost",
        "mini: kappa",
        "mini: points lost",
    ]
    assert (
        shown.loc["reversed_negation (DIR)", "mini: points lost"]
        == ""
        == shown.loc["twitter", "tfidf: kappa"]
    )
    assert shown["tfidf: points lost"].iloc[1].startswith("10.0 (0.0 to") and shown[
        "tfidf: kappa"
    ].iloc[1].startswith("0.84 (")
    figure = grids.chart(table, "made-up")
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == [
        "keyboard, 100%",
        "twitter, 100%",
        "reversed negation (DIR), 100%",
    ]


def test_two_runs_of_a_model_on_one_data_set_stand_with_their_variants():
    for variant in ("default", "names"):
        gridded("mini", {"prejudice": "ppppnnnnoo"}, variant=variant)
    (table,) = grids.by_dataset(collected()).values()
    assert list(table["model"]) == ["mini (default)", "mini (names)"]


def test_kappas_are_printed_as_numbers_and_dir_tests_marked():
    gridded("tfidf", {"keyboard 0.05": "ppppnnnnop", "reversed_negation": "nnnnppppoo"})
    view = views.overview(collected(), GRID)["tfidf"]
    assert view.index.get_level_values("title").tolist() == [
        "keyboard 0.05",
        "reversed_negation (DIR)",
    ]
    assert re.fullmatch(r"0\.84 \(0\.\d\d to 1\.00\)", view.iloc[0])


def test_a_profile_without_grids_has_no_cells():
    reports.write("tfidf", "05_typos", reports.perturbed("pp", "pp", {"typos 0.3": "pn"}))
    assert grids.cells(grids.runs(collected())).empty


def test_summaries_show_middle_rates_and_leave_out_controls():
    gridded(
        "tfidf",
        {
            "keyboard 0.01": "ppppnnnnoo",
            "keyboard 0.05": "ppppnnnnoo",
            "synonym_embedding 0.2": "ppppnnnnoo",
            "twitter": "ppppnnnnoo",
        },
    )
    mixed = {"en 0.2": "pn", "en 0.4": "pn", "en 0.4 random": "pp", "tweets natural": "pn"}
    reports.write("tfidf", MIX, reports.perturbed("pp", "pp", mixed), perturbation_rate=0.4)
    reports.write(
        "tfidf",
        DEFENCE,
        reports.perturbed("pp", "pp", {"joint fresh 0.4": "pn", "joint old 0.4": "pp"}),
    )
    found = collected()
    moved = decisions.against_clean(found)
    assert moved[moved["notebook"] == GRID]["test"].tolist() == [
        "keyboard 0.05",
        "synonym_embedding 0.2",
        "twitter",
    ]
    assert moved[moved["notebook"] == MIX]["test"].tolist() == ["en 0.4", "tweets natural"]
    assert moved[moved["notebook"] == DEFENCE]["test"].tolist() == [
        "joint fresh 0.4",
        "joint old 0.4",
    ]
    assert views.overview(found, GRID).attrs["metric"] == "kappa"
    assert views.overview(found, MIX).index.get_level_values("title").tolist() == [
        "en 0.4",
        "tweets natural",
    ]


def test_models_are_compared_at_the_main_rate_only():
    for model, said in (("tfidf", "pnpp"), ("mini", "nnpp")):
        reports.write(
            model,
            MIX,
            reports.perturbed(
                "pppp", "pppp", {"en 0.2": said, "en 0.4": said, "en 0.4 random": said}
            ),
            perturbation_rate=0.4,
        )
    table, refused = reports.compared(collected())
    assert table["test"].tolist() == ["en 0.4"]
    assert refused == []


def test_runs_that_differ_in_seed_and_swept_rates_are_repeats_of_one():
    for seed, variant, rates in ((1, "default", "0.2, 0.4"), (2, "seed_2", "0.4")):
        predictions = reports.perturbed("pppp", "pppp", {"en 0.4": "pnpp" if seed == 1 else "nnpp"})
        reports.write(
            "tfidf",
            MIX,
            predictions,
            variant=variant,
            perturbation_rate=0.4,
            rates=rates,
            seed=seed,
        )
    (row,) = changes.over_seeds(collected()).to_dict("records")
    assert (row["mean"], row["seeds"]) == (0.375, 2)


def test_an_emotion_run_with_another_seed_is_a_repeat():
    for variant in ("emot", "emot_seed_2", "seed_2", "reseed_2"):
        reports.write(
            "tfidf",
            MIX,
            reports.perturbed("pp", "pp", {"en 0.4": "pn"}),
            variant=variant,
            perturbation_rate=0.4,
        )
    assert {run.variant: run.repeat for run in collected().runs} == {
        "emot": False,
        "emot_seed_2": True,
        "seed_2": True,
        "reseed_2": False,
    }


def mixed(
    model: str, said: dict[str, str], variant: str = "default", dataset: str = "smsa", **parameters
) -> None:
    """A finished run of the attack on ten texts of five words, two of which really changed."""
    folder = reports.write(
        model,
        MIX,
        reports.perturbed("pppppppppp", "pppppppppp", said),
        variant,
        dataset=dataset,
        perturbation_rate=0.4,
        **parameters,
    )
    found = tables.read(folder / "metrics.csv", tables.METRICS)
    shares = [
        found.drop_duplicates(["test", "rate"]).assign(metric=name, value=value)
        for name, value in (("words_replaced_share", 0.4), ("lexicon_share", 0.6))
    ]
    tables.write(folder / "metrics.csv", pd.concat([found, *shares]))


def test_accuracy_lost_stands_beside_the_papers():
    mixed("tfidf", {"en 0.4": "nnpppppppp", "jv 0.4": "pppppppppp"}, rates="0.4")
    mixed("tfidf", {"en 0.4": "nnnnpppppp"}, "seed_2", rates="0.4", seed=2)
    mixed("tfidf", {"en 0.4": "nppppppppp"}, "own", "my/texts")
    table = codemixing.lost(codemixing.sweep(collected())).set_index(["task", "language"])
    assert table.loc[("SmSA", "en"), ["here", "seeds", "replaced"]].tolist() == [
        pytest.approx(30),
        2,
        pytest.approx(40),
    ]
    assert table.loc[("SmSA", "en"), "sd"] == pytest.approx(200**0.5)
    turned = [[100] * count + [0] * (10 - count) for count in (2, 4)]
    ends = measure.over_seeds_and_rows(turned)[2:4]  # over seeds and texts
    assert table.loc[("SmSA", "en"), ["here_low", "here_high"]].tolist() == pytest.approx(ends)
    assert table.loc[("SmSA", "en"), ["lexicon", "changed"]].tolist() == pytest.approx([60, 100])
    shown = codemixing.folded(table)["here"].tolist()
    assert shown[0] == f"30.0 ({ends[0]:.1f} to {ends[1]:.1f})" and shown[1].startswith("0.0 (")
    assert table.loc[("SmSA", "en"), "printed"] == 1.33
    assert table.loc[("SmSA", "jv"), ["printed", "released"]].tolist() == [5.07, pytest.approx(3.2)]
    assert table.loc[("my/texts", "en"), "here"] == pytest.approx(10)
    assert pd.isna(table.loc[("my/texts", "en"), "printed"])


def test_accuracy_lost_at_every_rate_over_the_seeds_that_have_it():
    mixed(
        "tfidf",
        {"en 0.2": "nppppppppp", "en 0.4": "nnpppppppp", "en 0.4 random": "pppppppppp"},
        rates="0.2, 0.4",
    )
    mixed("tfidf", {"en 0.2": "nnnppppppp"}, "seed_2", rates="0.2", seed=2)
    mixed("mini", {"en 0.4": "nppppppppp"})
    table = codemixing.sweep(collected())
    assert table[["model", "R", "here", "seeds"]].values.tolist() == [
        ["tfidf", 0.2, 20, 2],
        ["tfidf", 0.4, 20, 1],
        ["mini", 0.4, 10, 1],
    ]
    shown = codemixing.by_rate(table)
    cells = [[cell.split(" (")[0] for cell in row] for row in shown.values.tolist()]
    assert cells == [["SmSA", "tfidf", "en", "20.0", "20.0"], ["SmSA", "mini", "en", "", "10.0"]]
    assert list(shown)[3:] == ["R = 0.2", "R = 0.4"]


def test_an_attack_of_another_setting_is_no_seed_of_the_default():
    mixed("tfidf", {"en 0.4": "nnpppppppp"}, rates="0.4")
    mixed("tfidf", {"en 0.4": "nnnnnnpppp"}, "lenient", rates="0.4", alpha=0.3)
    mixed("tfidf", {"en 0.4": "nnnnpppppp"}, "seed_2", rates="0.4", seed=2)
    table = codemixing.sweep(collected())
    assert table[["here", "seeds"]].values.tolist() == [[30, 2]]


def test_attacks_are_compared_where_a_tenth_of_the_words_is_replaced():
    """One word in five, and 20 points lost, at R = 0.4; a tenth lies halfway from no attack."""
    for seed, variant in ((1, "default"), (2, "seed_2")):
        rows = reports.perturbed("pppppppppp", "pppppppppp", {"en 0.4": "nnpppppppp"})
        rows["replaced"], rows["words"] = 1, 5
        about = {"perturbation_rate": 0.4, "rates": "0.4", "seed": seed}
        reports.write("tfidf", MIX, rows, variant, dataset="smsa", **about)
    (row,) = codemixing.at_dose(collected()).to_dict("records")
    assert [row[name] for name in ("task", "model", "test", "n")] == ["SmSA", "tfidf", "en", 10]
    assert (row["dose"], row["R"], row["value"]) == pytest.approx((0.1, 0.2, 0.1))


def test_defences_stand_beside_the_papers():
    tests = {
        "undefended fresh 0.4": "nnnnnpppppp"[:10],
        "joint old 0.4": "pppppppppp",
        "joint fresh 0.4": "nnnppppppp",
        "undefended old 0.4": "nnnnnppppp",
    }
    rows = reports.perturbed("pppppppppp", "pppppppppp", tests).assign(group="en")
    rows.attrs["source"] = reports.sentences(["positive"]).attrs["source"]
    folder = reports.write("tfidf", DEFENCE, rows, dataset="smsa")
    found = defence.metrics(rows, 1).assign(
        model="tfidf", notebook=DEFENCE, variant="default", dataset="smsa", seed=1
    )
    tables.write(folder / "metrics.csv", found[tables.METRICS])
    assert (
        codemixing.defended(collected())[["mixing seconds", "training seconds"]]
        .isna()
        .all(axis=None)
    )  # runs of before costs.csv
    costs = {
        "tuning": ["joint"],
        "rows": [20],
        "epochs": [2],
        "best_epoch": [1],
        "training_seconds": [12.5],
        "mixing_seconds": [3.5],
    }
    tables.write(folder / "costs.csv", pd.DataFrame(costs))
    table = codemixing.defended(collected()).set_index("tuning")
    assert table.loc["joint", ["mixing seconds", "training seconds"]].tolist() == [3.5, 12.5]
    falls = tables.select(found, test="joint fresh", metric="failure_rate", group="all").iloc[0]
    assert table.loc["joint", ["fresh_low", "fresh_high"]].tolist() == pytest.approx(
        [100 - 100 * falls["ci_high"], 100 - 100 * falls["ci_low"]]
    )
    assert table.loc["joint", ["original_low", "original_high"]].tolist() == pytest.approx(
        [100 * end for end in tuple(measure.share(10, 10))[1:]]
    )
    assert codemixing.folded(table.reset_index())["old"].tolist()[0].startswith("50.0 (")
    assert table.loc["joint", ["original", "old", "fresh"]].tolist() == [
        pytest.approx(number) for number in (100, 100, 70)
    ]
    assert table.loc["undefended", "fresh"] == pytest.approx(50)
    assert table.loc["joint", ["printed original", "printed CM"]].tolist() == [92.52, 90.71]
    assert pd.isna(table.loc["undefended", "printed CM"])
    assert table["old"].idxmax() == "joint" and table.loc["undefended", "old"] == pytest.approx(50)
    assert codemixing.at_dose(collected()).empty  # no attack has run


def conventional(
    model: str, said: str, variant: str = "default", dataset: str = "smsa", **parameters
) -> None:
    """A finished run of the conventional metrics on twelve texts."""
    reports.write(
        model,
        indonlu.NOTEBOOKS[0],
        reports.plain("ppppnnnnoooo", said),
        variant,
        dataset=dataset,
        **parameters,
    )


def test_macro_f1_over_seeds_stands_beside_the_published_tables():
    conventional("mini", "ppppnnnnoooo")
    conventional("mini", "ppppnnnnoopp", "seed_2", seed=2)
    conventional("mini-scratch", "ppppppppoooo")
    conventional("tfidf", "ppppnnnnoooo", "own", "my/texts")
    second = f1_score(list("ppppnnnnoooo"), list("ppppnnnnoopp"), average="macro") * 100
    table = indonlu.benchmark(collected())
    assert list(table["task"].unique()) == ["SmSA"] and list(table["macro_f1"]) == sorted(
        table["macro_f1"], reverse=True
    )
    shown = table.set_index(["model", "source"])
    mini = shown.loc[("mini", "rerun")]
    assert mini["macro_f1"] == pytest.approx((100 + second) / 2, rel=1e-5) and mini[
        "sd"
    ] == pytest.approx((100 - second) / 2**0.5, rel=1e-5)
    assert mini["seeds"] == 2 and mini[["ci_low", "ci_high"]].tolist() == [
        100,
        100,
    ]  # of the default seed
    assert (
        shown.loc[("Scratch", "IndoNLU, Table 5"), "macro_f1"] == 67.35
        and shown.loc[("IndoBERT BASE", "IndoNLU, Table 5"), "macro_f1"] == 87.73
    )
    assert shown.loc[("mBERT", "Viannisa, Table 4.1"), "macro_f1"] == 78.7
    assert shown.loc[("mBERT", "Viannisa, Table 4.1"), ["sd", "seeds", "ci_low"]].isna().all()
    scratch = f1_score(list("ppppnnnnoooo"), list("ppppppppoooo"), average="macro") * 100
    assert shown.loc[("mini-scratch", "rerun"), "macro_f1"] == pytest.approx(scratch, rel=1e-5)
    assert shown.loc[("mini-scratch", "rerun"), "seeds"] == 1
    assert shown.loc[("mBERT", "IndoNLU, Table 5"), "macro_f1"] == 84.14


def test_tasks_that_indonlu_does_not_have_have_no_table():
    conventional("mini", "ppppnnnnoooo", dataset="my/texts")
    table = indonlu.benchmark(collected())
    assert table.empty and indonlu.means(table).empty


def test_every_model_is_a_row_of_its_own():
    conventional("mini", "ppppnnnnoopp")
    conventional("mini-scratch", "ppppnnnnoooo")
    table = indonlu.benchmark(collected()).query("source == 'rerun'").set_index("model")
    assert list(table.index) == ["mini-scratch", "mini"]
    assert table.loc["mini-scratch", ["task", "macro_f1", "seeds"]].tolist() == ["SmSA", 100, 1]


def tagged(model: str, dataset: str, share: float, variant: str) -> None:
    """A run of notebook 10 whose macro F1 is known, with an interval of ten points."""
    folder = reports.write(
        model,
        indonlu.NOTEBOOKS[1],
        reports.plain("ppnn", "ppnn", dataset),
        variant,
        dataset=dataset,
        seed=len(variant),
    )
    row = {"test": "clean", "group": "all", "metric": "macro_f1", "value": share, "n": 4}
    metrics = tables.read(folder / "metrics.csv", tables.METRICS).head(1).assign(**row)
    interval = {"ci_low": share - 0.05, "ci_high": share + 0.05}
    tables.write(folder / "metrics.csv", metrics.assign(**interval))


def test_the_mean_over_all_tasks_of_a_group_stands_among_the_papers():
    words = ["posp", "bapos", "terma", "keps", "nergrit", "nerp", "facqa"]
    for number, name in enumerate(words):
        tagged("tfidf", name, 0.5 + number / 20, name)
        tagged("mini", name, 0.5, name)
    tagged("mini", "casa", 0.9, "casa")
    table = indonlu.benchmark(collected())
    every = indonlu.means(table)
    assert set(every["group"]) == {"words"}  # of texts and pairs one task has run
    averages = every[every["source"] == "rerun"].set_index("model")
    assert list(averages["tasks"]) == [7, 7]
    crf = averages.loc[CRF]
    assert crf["macro_f1"] == pytest.approx(65)
    half = (crf["ci_high"] - crf["ci_low"]) / 2
    assert half == pytest.approx(5 / 7**0.5)
    ends = crf[["ci_low", "ci_high"]].tolist()
    assert ends == pytest.approx([63.1, 66.9], abs=0.05)
    paper = every[every["source"] == "IndoNLU, Table 5"].set_index("model")
    printed = published.table("wilie2020", "Table 5", "Sequence Labeling")["AVG"]
    assert paper["macro_f1"].to_dict() == printed[indonlu.ROWS].to_dict()
    assert set(paper["tasks"]) == {7} and paper["ci_low"].isna().all()
    wide = indonlu.wide(table)
    assert list(wide.columns[3:]) == [
        "CASA",
        "POSP",
        "BaPOS",
        "TermA",
        "KEPS",
        "NERGrit",
        "NERP",
    ] + ["FacQA"]
    assert set(wide["source"].head(2)) == {"rerun"} and len(wide) == 2 + len(indonlu.ROWS)


def test_models_by_tasks_say_means_deviations_and_seeds():
    for name in ("posp", "bapos", "terma", "casa"):
        tagged("tfidf", name, 0.5, name)
        tagged("mini", name, 0.5, name)
    tagged("mini", "posp", 0.7, "posp_seed_2")
    wide = indonlu.wide(indonlu.benchmark(collected())).set_index("model")
    assert wide.loc["mini", ["seeds", "POSP", "CASA"]].tolist() == ["1 to 2", "60.0 ± 14.1", "50.0"]
    assert wide.loc["tfidf", ["CASA", "POSP"]].tolist() == ["50.0", ""]
    assert wide.loc[CRF, ["CASA", "POSP", "seeds"]].tolist() == ["", "50.0", "1"]
    assert set(wide.loc[wide["source"] != "rerun", "seeds"]) == {""}


def scratch() -> claims.Claim:
    """The claim that pre-training beats random weights."""
    (claim,) = select(data.read_table(evidence.FILE), statistic="tasks").pipe(claims.read)
    return claim


@pytest.mark.parametrize(("worse", "p"), [(0, 0.03125), (1, 0.21875)])
def test_pre_training_is_judged_by_a_sign_test_over_tasks(worse, p):
    words = ["posp", "bapos", "terma", "keps", "nergrit", "nerp"]
    for number, name in enumerate(words):
        tagged("mini", name, 0.6, name)
        tagged("mini-scratch", name, 0.7 if number < worse else 0.5, name)
    claim = scratch()
    (row,) = evidence.tasks(claim, evidence.Source(collected(), pd.DataFrame(), 0.1))
    assert (row["item"], row["n"]) == (f"ahead in {6 - worse} of 6 tasks,", 6)
    assert row["p"] == pytest.approx(p)
    assert [row["first"].value, row["value"]] == pytest.approx([0.6, 0.1 - worse / 30])
    assert claim.shows(pd.DataFrame([row]), 0.1) is (None if worse else True)


def test_five_tasks_are_too_few_for_a_sign_test():
    for name in ("posp", "bapos", "terma", "keps", "nerp"):
        tagged("mini", name, 0.6, name)
        tagged("mini-scratch", name, 0.5, name)
    assert evidence.tasks(scratch(), evidence.Source(collected(), pd.DataFrame(), 0.1)) == []


def noisy(model: str, dataset: str, change: float, verdict: str, variant: str = "") -> None:
    """A run of notebook 10 with a test whose change of macro F1 and verdict are known."""
    variant = variant or dataset
    tagged(model, dataset, 0.6, variant)
    folder = layout.run_dir(reports.PROFILE, model, indonlu.NOTEBOOKS[1], variant)
    metrics = tables.read(folder / "metrics.csv", tables.METRICS)
    row = {"test": "keyboard", "rate": 0.05, "group": "all", "metric": "macro_f1_change"}
    numbers = {"value": change, "ci_low": change - 0.02, "ci_high": change + 0.02, "n": 4}
    tables.write(folder / "metrics.csv", pd.concat([metrics, metrics.assign(**row, **numbers)]))
    judged = dict.fromkeys(tables.VERDICTS) | row | {"quantity": "errors added", "margin": 0.1}
    judged |= {"model": model, "verdict": verdict}
    judged = pd.DataFrame([judged])[tables.VERDICTS]
    tables.write(folder / "verdicts.csv", judged)


def test_tasks_by_tests_have_changes_and_verdicts():
    noisy("tfidf", "nerp", -0.1, "breaks")
    noisy("tfidf", "posp", -0.06, "undecided")
    noisy("tfidf", "posp", -0.02, "stands", "posp_seed_2")
    noisy("mini", "posp", -0.01, "stands")
    table = indonlu.moved(collected(), margin=0.1)
    rows = table.set_index(["task", "model"])
    assert rows["change"].to_dict() == pytest.approx(
        {("NERP", CRF): -10, ("POSP", CRF): -4, ("POSP", "mini"): -1}
    )
    assert rows.loc[("POSP", CRF), ["ci_low", "ci_high"]].tolist() == pytest.approx([-8, -4])
    assert rows["seeds"].to_list() == [1, 2, 1]
    wide = indonlu.by_test(table)
    assert wide.iloc[:, :2].to_numpy().tolist() == [
        ["POSP", CRF],
        ["POSP", "mini"],
        ["NERP", CRF],
    ]
    assert wide.iloc[:, 2].to_list() == ["? -4.0", "= -1.0", "\u25b2 -10.0"]
    assert rows.loc["NERP", "verdict"].tolist() == ["breaks"]
    assert rows.loc["POSP", "verdict"].tolist() == ["undecided", "stands"]


def test_a_task_of_two_notebooks_counts_once():
    conventional("mini", "ppppnnnnoooo")
    tagged("mini", "smsa", 0.5, "smsa")
    table = indonlu.benchmark(collected())
    assert list(table[table["source"] == "rerun"]["macro_f1"]) == [100]
