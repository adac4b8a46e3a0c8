"""How far the headline numbers of the embedded profile move from training seed to training seed:
writes benchmarks/seeds.csv.

    python benchmarks/seeds.py [--seeds 26092020,1,2,3,4] [--models mini] [--threads 1]

Every seed is a profile of its own, the default runs of embedded that have a headline number, in a
temporary folder.
`study.report.verify` takes its tolerances from the file.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import yaml

from study import profiles
from study.report import headline, runs, verify
from tahanuji import paths

NOTEBOOKS = {notebook for notebook, *_ in headline.NUMBERS.values()} | {"01_finetune"}


def profile(models: list[str], seed: int, threads: int) -> dict:
    """The configuration of one seed's runs."""
    own = paths.read_yaml(profiles.configuration("embedded"))
    runs = {
        notebook: {"default": variants["default"] | {"seed": seed}}
        for notebook, variants in own["runs"].items()
    }
    ours = {"profile": f"seed_{seed}", "models": models, "training_threads": threads, "runs": runs}
    return {name: value for name, value in (own | ours).items() if name != "documents"}


def numbers(models: list[str], seed: int, threads: int, folder: Path) -> pd.DataFrame:
    """The headline numbers of one seed: `profile, model, seed, threads, name, percent`."""
    config = folder / f"seed_{seed}.yaml"
    asked = profile(models, seed, threads)
    config.write_text(yaml.safe_dump(asked), encoding="utf-8")
    targets = [
        f"{folder}/seed_{seed}/{model}/{notebook}/default/provenance.json"
        for model, notebook, _ in profiles.planned(asked)
        if notebook in NOTEBOOKS
    ]
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--configfile",
        str(config),
        "--nolock",
        "--quiet",
        "all",
        "--cores",
        str(os.cpu_count()),
        "--",
        *targets,
    ]
    subprocess.run(
        command, cwd=paths.ROOT, env={**os.environ, "TAHAN_OUTPUTS": str(folder)}, check=True
    )
    found = headline.numbers(runs.collect(f"seed_{seed}"))
    about = {
        "profile": "embedded",
        "model": found["model"],
        "seed": seed,
        "threads": threads,
        "name": found["name"],
    }
    return pd.DataFrame(about).assign(percent=(found["value"] * 100).round(2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="26092020,1,2,3,4")
    parser.add_argument("--models", default="mini")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        os.environ["TAHAN_OUTPUTS"] = name
        parts = [
            numbers(given.models.split(","), int(seed), given.threads, Path(name))
            for seed in given.seeds.split(",")
        ]
    pd.concat(parts).to_csv(verify.SEEDS, index=False)
    print(
        pd.concat(parts)
        .groupby(["model", "name"], sort=False)["percent"]
        .agg(["mean", "std"])
        .round(1)
        .to_markdown()
    )


if __name__ == "__main__":
    main()
