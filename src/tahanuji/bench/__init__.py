"""The frozen benchmark of data/bench: texts that the project itself wrote, with every change
already made, so that the scores of two systems are about the same texts, today and later.

* `making`: the tables from the corpora, triplets, suites and instruments as they are today
* `frozen`: the tables as they were published, checked by sha256
* `harness`: task files for lm-evaluation-harness, from the Indonesian wordings of data/prompts

`python -m tahanuji.bench --help` lists what can be done from the command line; `python -m study
bench` scores predictions.
"""

from tahanuji.bench.frozen import TABLES, check, read

__all__ = ["TABLES", "check", "read"]
