"""Is a perturbed text still what its test takes it for? Ratings of the instruments by readers.

| file | what it holds |
| --- | --- |
| `making` | what an instrument makes of embedded texts and of a data set's |
| `sheets` | blind rating sheets with controls, and filled sheets as ratings |
| `attacks` | successful attacks as readers see them |
| `shares` | the share of valid outputs per instrument, and agreement |

`data/validity/README.md` holds the guideline and says who rated. `python -m tahanuji.validity`
writes sheets, collects them, prints the table and writes shares.csv, which `Instrument.validity`
reads.
"""

from tahanuji.validity.attacks import success, successes
from tahanuji.validity.making import outputs
from tahanuji.validity.shares import agreed, agreement, ratings, table
from tahanuji.validity.sheets import collect, controls_right, sheet

__all__ = [
    "agreed",
    "agreement",
    "collect",
    "controls_right",
    "outputs",
    "ratings",
    "sheet",
    "success",
    "successes",
    "table",
]
