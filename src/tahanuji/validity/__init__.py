"""Is a perturbed text still what its test takes it for? Ratings of the instruments by readers.

| file | what it holds |
| --- | --- |
| `making` | what an instrument makes of embedded texts and of a data set's |
| `sheets` | blind rating sheets with controls, and filled sheets as ratings |
| `attacks` | successful attacks as readers see them |
| `shares` | the share of valid outputs per instrument, agreement, the bound for verdicts |

`data/validity/README.md` holds the guideline and says who rated. `python -m tahanuji.validity`
writes sheets, collects them and prints the table.
"""

from tahanuji.validity.attacks import success, successes
from tahanuji.validity.making import headline_rate, instrument, instruments, outputs
from tahanuji.validity.shares import agreement, bounds, ratings, table
from tahanuji.validity.sheets import collect, controls_right, sheet

__all__ = [
    "agreement",
    "bounds",
    "collect",
    "controls_right",
    "headline_rate",
    "instrument",
    "instruments",
    "outputs",
    "ratings",
    "sheet",
    "success",
    "successes",
    "table",
]
