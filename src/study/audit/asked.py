"""Which runs of an audit a policy of one's own asks anything of: the others are not made."""

from collections.abc import Iterator, Mapping

from helpers import notebooks, titles
from tahanuji import checklist, perturb
from tahanuji.errors import unknown
from tahanuji.families import family
from tahanuji.families import names as family_names
from tahanuji.gate.frames import CLEAN
from tahanuji.gate.policy import NOTHING, SKILLS, Policy

GRID = "07_perturbation_grid"


def asks(policy: Policy, name: str) -> bool:
    """Whether a policy asks anything of the tests of a notebook, or of a perturbation of the grid.

    >>> typing = Policy("own", {"must": "nothing"}, {"typing": {"must": "stand"}})
    >>> [name for name in ("04_negation", "05_typos", "ocr", "slang") if asks(typing, name)]
    ['05_typos', 'ocr']
    """
    return any(policy.of(*test).must != NOTHING for test in _tests(name, policy))


def _tests(name: str, policy: Policy) -> Iterator[tuple[str, str]]:
    """The tests of a notebook, or of a perturbation, by family and name for readers; where a rate
    or a parameter completes the name, the one of the family and those that the policy names.
    """
    about = notebooks.every().get(name)
    if about and about.texts == "cases":
        yield from ((SKILLS, titles.short(name, test)) for test in checklist.groups("MFT"))
        for test in (*checklist.groups("INV"), *checklist.groups("DIR")):
            yield family(name, test), titles.short(name, test)
        return
    own, more, where = titles.short(name, ""), ":", (name, "")
    if not about:
        own, more, where = name.replace("_", " "), " ", (GRID, name)
    named = [test for test in policy.tests if f"{test}{more}".startswith(f"{own}{more}")]
    yield from ((family(*where), test) for test in ("", *named))


def narrowed(runs: Mapping[str, dict], policy: Policy) -> tuple[dict[str, dict], list[str]]:
    """The runs whose tests a policy asks anything of, with those that have none, and the names of
    notebooks and perturbations that are left out; all runs where it asks nothing of any.

    Raises InputError for a family or a test that is in none of them.

    >>> policy = Policy("own", {"must": "nothing"}, tests={"ocr 0.05": {"must": "stand"}})
    >>> runs, left = narrowed({"05_typos": {"default": {}}, GRID: {"default": {}}}, policy)
    >>> runs, left[:2]
    ({'07_perturbation_grid': {'default': {'perturbations': 'ocr'}}}, ['05_typos', 'keyboard'])
    """
    grid = perturb.names("offline") if GRID in runs else []
    tested = [name for name in runs if notebooks.every()[name].texts and name != GRID]
    _refuse_unknown(policy, [*tested, *perturb.REGISTRY])
    left = [name for name in (*tested, *grid) if not asks(policy, name)]
    chosen = [name for name in grid if name not in left]
    if len(left) in (0, len(tested) + len(grid)):
        return dict(runs), []
    kept = {name: variants for name, variants in runs.items() if name not in left}
    if not chosen:
        kept.pop(GRID, None)
    elif len(chosen) < len(grid):
        names = {"perturbations": ", ".join(chosen)}
        kept[GRID] = {variant: given | names for variant, given in kept[GRID].items()}
    return kept, left


def _refuse_unknown(policy: Policy, names: list[str]) -> None:
    """Raise an InputError unless all that a policy names can be found in notebooks and
    perturbations of these names.
    """
    there = [one for name in names for one in _tests(name, policy)]
    families, tests = map(set, zip(*there, strict=True))
    known = {"family": (policy.families, families | {CLEAN, SKILLS, *family_names()})}
    known |= {"test": (policy.tests, (tests | {*perturb.REGISTRY}) - {""})}
    for kind, (given, allowed) in known.items():
        if strange := [name for name in given if name not in allowed]:
            raise unknown(f"{kind} of the policy {policy.name}", strange[0], sorted(allowed))
