"""How many sentences a second are perturbed? Against nlpaug, TextAttack, CheckList and textflint,
paired, on one core.

    python benchmarks/perturb.py --install [--pip "..."] TAHAN_DATA_MIRROR=... python
    benchmarks/perturb.py [--sentences 500] [--runs 5] [--rate 0.05] [--limit 5] [--perturbations
    ...] [--toolkits ...]
        [--texts smsa] [--language id]

The training texts of a data set or folder (`--texts`), the same for all. `--install` makes one
environment per toolkit under .benchmarks/ from benchmarks/toolkits.txt; each runs there as a
process of its own (benchmarks/toolkits.py), loads and works once before anything is timed, and
answers in every round in turn. Our perturbations run just before each answer on the same texts for
at least a quarter of a second; ratios are taken within a round, then their median and range.
Seconds are those of the processor, so that other work on the machine counts little; everything runs
in one thread. Character perturbations change the share `--rate` of the characters: each toolkit's
own setting is turned until it changes as much as ours on the first texts, and what was really
changed stands beside the speed (edits over characters that are no white space). A toolkit that
would need longer than `--limit` seconds for all sentences is timed on the first ones only, and so
are we beside it. Toolkits fetch NLTK's lists and models of their own; where they cannot, $NLTK_DATA
and $TR_CACHE_DIR (textflint's) may name folders that have them.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
import venv
from pathlib import Path

import pandas as pd

from tahanuji import data, paths, perturb
from tahanuji.lexicons import LEXICONS
from tahanuji.perturb import noise_tables, places, units

TOOLKITS = ("nlpaug", "textattack", "checklist", "textflint")
CHARACTERS = ("keyboard", "ocr", "typos", "character_typos", "spelling")
NAMES = (
    *CHARACTERS,
    "contraction",
    "punctuation",
    "swap_number",
    "twitter",
    "word_case",
    "insert_adverb",
)
TARGET = (
    "keyboard",
    "ocr",
    "character_typos",
)  # the grid's; typos are the thesis's, which draw as its listing does
HOME, FAILED = paths.ROOT / ".benchmarks", "failed.txt"
FIRST, START, TURNS, SEED = (
    25,
    0.2,
    4,
    1,
)  # texts, share of words and number of tries by which a toolkit's setting is found


def folder(toolkit: str) -> Path:
    """The environment of a toolkit: textflint looks for its own name in the paths of its modules,
    so the folder must not bear it.
    """
    return HOME / toolkit.removeprefix("text")


def install(toolkit: str, options: list[str]) -> None:
    """Make a toolkit's environment: first what its own setup needs, with dependencies, then the
    pinned modules that it imports, without.
    """
    pins, home = sections(paths.ROOT / "benchmarks" / "toolkits.txt"), folder(toolkit)
    venv.create(home, clear=True, with_pip=True)
    pip = [
        home / "bin" / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "--disable-pip-version-check",
        *options,
    ]
    for part, only in ((f"{toolkit} before", []), (toolkit, ["--no-deps", "--no-build-isolation"])):
        done = subprocess.run(
            [*pip, *only, *pins.get(part, ["pip"])], capture_output=True, text=True
        )
        if done.returncode:
            errors = [
                line.strip() for line in done.stderr.splitlines() if "error" in line.lower()
            ] or ["pip failed"]
            (home / FAILED).write_text(errors[-1], encoding="utf-8")
            break
    failed = home / FAILED
    result = failed.read_text(encoding="utf-8") if failed.exists() else "installed"
    print(f"{toolkit}: {result}", flush=True)


def sections(path: Path) -> dict[str, list[str]]:
    """The requirements of a file by the name in brackets above them."""
    found, name = {}, ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif not line.startswith("#"):
            found.setdefault(name, []).extend(line.split())
    return found


class Worker:
    """A toolkit's process; `broken` says why there is none."""

    def __init__(self, toolkit: str, shared: Path):
        self.name, self.broken, home = toolkit, "", folder(toolkit)
        if not home.exists():
            self.broken = "not installed; --install does it"
        elif (home / FAILED).exists():
            self.broken = f"cannot be installed: {(home / FAILED).read_text(encoding='utf-8')}"
        else:
            fetched = {
                "NLTK_DATA": "nltk_data",
                "TR_CACHE_DIR": "textflint_data",
                "TA_CACHE_DIR": "textattack_data",
            }
            settings = (
                {key: str(HOME / value) for key, value in fetched.items()}
                | os.environ
                | {"OMP_NUM_THREADS": "1", "PYTHONPATH": ""}
            )
            command = [
                home / "bin" / "python",
                Path(__file__).with_name("toolkits.py"),
                toolkit,
                shared,
            ]
            streams = {
                "stdin": subprocess.PIPE,
                "stdout": subprocess.PIPE,
                "stderr": subprocess.DEVNULL,
            }
            self.process = subprocess.Popen(
                command, text=True, encoding="utf-8", env=settings, cwd=home, **streams
            )

    def ask(self, name: str, knob: float, count: int) -> dict:
        """Its answer: `seconds` and `texts`; or `missing`, where it has no such perturbation; or
        `error`, where that does not run.
        """
        if self.broken:
            return {"error": self.broken}
        print(
            json.dumps({"perturbation": name, "knob": knob, "count": count}),
            file=self.process.stdin,
            flush=True,
        )
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "its process ended"}


def share(originals: list[str], perturbed: list[str | None]) -> tuple[float, float]:
    """The mean share of the characters that changed, and the share of the texts that did."""
    changed = [
        units.achieved("character", *pair) for pair in zip(originals, perturbed, strict=True)
    ]
    return statistics.mean(changed), statistics.mean(part > 0 for part in changed)


def ours(name: str, frame: pd.DataFrame, rate: float, language: str):
    """Our perturbation of the first texts of the frame; the thesis's typos hit words, once each, so
    that six times the rate is about as much.
    """
    if name == "typos":
        return lambda count: perturb.apply("typos", frame.head(count), min(1.0, 6 * rate), SEED)
    function = perturb.make(name, language)
    return lambda count: perturb.apply(
        function, frame.head(count), rate if name in CHARACTERS else 1.0, SEED
    )


def timed(function, count: int, least: float = 0.25) -> float:
    """Seconds of processor time of one call, the mean over as many as fill `least` seconds."""
    began, calls = time.process_time(), 0
    while time.process_time() - began < least:
        function(count)
        calls += 1
    return (time.process_time() - began) / calls


def prepared(worker: Worker, name: str, function, texts: list[str], limit: float) -> dict | None:
    """How to ask a toolkit for a perturbation: knob and number of texts; `error` where it does not
    run, None where it has none.
    """
    first, knob, turned = texts[:FIRST], START, name in CHARACTERS
    target = share(first, function(len(first)))[0]
    for _ in range(TURNS if turned else 1):
        found = worker.ask(name, knob, len(first))
        if "texts" not in found:
            return None if "missing" in found else found
        reached = share(first, found["texts"])[0]
        knob = (
            min(1.0, max(0.01, round(knob * target / reached, 3))) if turned and reached else knob
        )
    return {
        "knob": knob,
        "count": min(len(texts), max(2 * FIRST, int(limit * len(first) / found["seconds"]))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--install", action="store_true", help="make the environments and stop")
    parser.add_argument(
        "--pip", default="", help="further options for pip, such as where a CPU build of torch lies"
    )
    for option, default in (("sentences", 500), ("runs", 5), ("rate", 0.05), ("limit", 5.0)):
        parser.add_argument(f"--{option}", type=type(default), default=default)
    parser.add_argument(
        "--texts",
        default="smsa",
        help="a data set of data/registry.yaml, or a folder with train.csv",
    )
    parser.add_argument("--language", default="id", choices=units.LANGUAGES)
    for option, default in (("perturbations", NAMES), ("toolkits", TOOLKITS)):
        parser.add_argument(f"--{option}", type=lambda text: text.split(","), default=default)
    given = parser.parse_args()
    if given.install:
        for toolkit in given.toolkits:
            install(toolkit, given.pip.split())
        return
    with tempfile.TemporaryDirectory() as shared:
        measure(given, Path(shared))


def measure(given: argparse.Namespace, shared: Path) -> None:
    """Run all rounds and print the table."""
    frame = data.load(given.texts, "train").head(given.sentences)
    tables(shared, texts := list(frame["text"]), given.language)
    workers = [Worker(toolkit, shared) for toolkit in given.toolkits]
    own = {name: ours(name, frame, given.rate, given.language) for name in given.perturbations}
    plans = {
        (name, worker): prepared(worker, name, own[name], texts, given.limit)
        for name in own
        for worker in workers
    }
    plans = {key: plan for key, plan in plans.items() if plan}
    rounds, found = {key: [] for key, plan in plans.items() if "knob" in plan}, {}
    for number in range(given.runs):
        for (name, worker), pairs in rounds.items():
            plan = plans[name, worker]
            mine, found[name, worker] = timed(own[name], plan["count"]), worker.ask(name, **plan)
            pairs.append((plan["count"] / found[name, worker]["seconds"], plan["count"] / mine))
            print(
                f"round {number + 1}: {name}, {worker.name} {pairs[-1][0]:,.0f}, ours "
                f"{pairs[-1][1]:,.0f} sentences a second",
                flush=True,
            )
    report(plans, rounds, found, own, texts)


def tables(shared: Path, texts: list[str], language: str) -> None:
    """Write what all toolkits read: the texts, the keys that touch, the misspellings of the
    language's words.
    """
    wrong = noise_tables.misspellings(LEXICONS / f"misspellings_{language}.csv", language)
    keys = {key: list(others) for key, others in places.NEIGHBOURS.items() if not key.isupper()}
    (shared / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    (shared / "keyboard.json").write_text(json.dumps(keys), encoding="utf-8")
    lines = (
        " ".join((word, *(other for other, _ in found))) + "\n" for word, found in wrong.items()
    )
    (shared / "misspellings.txt").write_text("".join(lines), encoding="utf-8")


def report(plans: dict, rounds: dict, found: dict, own: dict, texts: list[str]) -> None:
    """Medians, paired ratios and what was really changed, as a Markdown table; then what did not
    run, and the least ratio of the target's rows.
    """
    print(
        "\n| perturbation | toolkit | texts | its sentences/s | ours | ratio, median (range) | "
        "characters changed: its, ours | texts changed: its, ours |"
    )
    print("|---|---|---|---|---|---|---|---|")
    medians, failed = {}, {}
    for key, pairs in rounds.items():
        (name, worker), count = key, plans[key]["count"]
        theirs, mine = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratios = sorted(mine / other for other, mine in pairs)
        medians[key] = statistics.median(ratios)
        (part, some), (own_part, own_some) = (
            share(texts[:count], found[key]["texts"]),
            share(texts[:count], own[name](count)),
        )
        cells = (
            name,
            worker.name,
            f"{count:,}",
            f"{theirs:,.0f}",
            f"{mine:,.0f}",
            f"{medians[key]:.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})",
        )
        print(f"| {' | '.join(cells)} | {part:.1%}, {own_part:.1%} | {some:.0%}, {own_some:.0%} |")
    print()
    for (name, worker), plan in plans.items():
        if "error" in plan:
            failed.setdefault((worker.name, plan["error"]), []).append(name)
    for (toolkit, reason), names in failed.items():
        print(
            f"- {toolkit} ({', '.join(names)}): "
            f"{reason if len(reason) <= 200 else reason[:199] + '…'}"
        )
    least = min(
        ((ratio, *key) for key, ratio in medians.items() if key[0] in TARGET),
        default=None,
        key=lambda found: found[0],
    )
    print(
        f"\nleast ratio for keyboard, OCR and typos: "
        f"{f'{least[0]:.1f} ({least[1]}, {least[2].name})' if least else 'none measured'}"
    )


if __name__ == "__main__":
    main()
