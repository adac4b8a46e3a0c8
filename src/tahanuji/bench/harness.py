"""Task files for lm-evaluation-harness: the likelihood of the label words after the Indonesian
wordings of data/prompts.
"""

from pathlib import Path

import yaml

from tahanuji import data, nli
from tahanuji.models import prompts

FOLDER = "lm_eval"
ASKED = {  # by table its labels, and what stands in a prompt's places
    "sentiment": (data.LABELS, "{{text}}"),
    "inference": (nli.LABELS, ("{{premise}}", "{{hypothesis}}")),
}


def tasks() -> dict[str, dict]:
    """The tasks by name, a wording each; all are about the texts of data/bench.

    >>> list(tasks())[0], len(tasks())
    ('tahanuji_sentiment_id_ulasan', 10)
    """
    made = {}
    for table, (labels, example) in ASKED.items():
        for name, wording in prompts.wordings(labels).items():
            if wording.language == "id":
                task = f"tahanuji_{table}_{name.replace('-', '_')}"
                made[task] = {
                    "task": task,
                    "dataset_path": "data/bench",
                    "dataset_name": table,
                    "test_split": "test",
                    "output_type": "multiple_choice",
                    "doc_to_text": wording.asked(example),
                    "doc_to_choice": list(wording.words.values()),
                    "doc_to_target": "expected",
                    "metric_list": [
                        {"metric": "acc", "aggregation": "mean", "higher_is_better": True}
                    ],
                    "metadata": {"version": 1.0},
                }
    return made


def write(folder: Path) -> int:
    """Write a file per task beside utils.py, which judges answers; how many they are."""
    for name, task in tasks().items():
        said = yaml.safe_dump(task, allow_unicode=True, sort_keys=False, width=1000)
        judged = f"process_results: !function utils.{task['dataset_name']}\n"
        (folder / FOLDER / f"{name}.yaml").write_text(said + judged, encoding="utf-8")
    return len(tasks())
