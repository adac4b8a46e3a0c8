"""What benchmarks/perturb.py starts in each toolkit's environment: it perturbs texts as the toolkit
is documented and counts processor time.

    python benchmarks/toolkits.py textflint FOLDER

Every line of the input is one request as JSON, every line of the output its answer. `FOLDER` holds
texts.json, keyboard.json (the keys that touch) and misspellings.txt (word and misspellings on a
line), so that toolkits without tables of their own, or for English only, work with ours. A toolkit
is a function `(perturbation, knob, folder) -> (texts -> texts)`, a KeyError where it has no such
perturbation; the knob says how much changes: it is a share of words, or of characters for the typos
of checklist. Only the standard library and the toolkit asked for are imported.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

Function = Callable[[list[str]], list[str]]


def nlpaug(name: str, knob: float, folder: Path) -> Function:
    """One character in each chosen word; spelling takes our dictionary."""
    from nlpaug.augmenter import char, word

    one = {
        "aug_word_p": knob,
        "aug_char_min": 1,
        "aug_char_max": 1,
        "aug_word_min": 1,
        "aug_word_max": None,
    }
    ways = {
        "keyboard": lambda: char.KeyboardAug(**one),
        "ocr": lambda: char.OcrAug(**one),
        "typos": lambda: char.RandomCharAug(action="swap", **one),
        "character_typos": lambda: char.RandomCharAug(**one),
        "spelling": lambda: word.SpellingAug(
            str(folder / "misspellings.txt"), aug_p=knob, aug_max=None, include_reverse=False
        ),
    }
    return ways[name]().augment


def textattack(name: str, knob: float, folder: Path) -> Function:
    """Each chosen word is swapped for a version with one other character; contractions and numbers
    are English.
    """
    from textattack import augmentation, transformations

    ways = {
        "keyboard": transformations.WordSwapQWERTY,
        "typos": transformations.WordSwapNeighboringCharacterSwap,
        "contraction": transformations.WordSwapContract,
        "swap_number": transformations.WordSwapChangeNumber,
    }
    if name == "character_typos":
        augmenter = augmentation.CharSwapAugmenter(pct_words_to_swap=knob)
    else:
        augmenter = augmentation.Augmenter(transformation=ways[name](), pct_words_to_swap=knob)
    return lambda texts: [
        (found or [text])[0]
        for text, found in zip(texts, augmenter.augment_many(texts), strict=True)
    ]


def checklist(name: str, knob: float, folder: Path) -> Function:
    """Swaps of neighbours, as many as the text's length asks for; English contractions; numbers
    where spaCy's English rules cut them out.
    """
    import spacy
    from checklist.perturb import Perturb

    def typos(texts: list[str]):
        return Perturb.perturb(
            texts, lambda text: Perturb.add_typos(text, typos=max(1, round(knob * len(text))))
        )

    cut = spacy.blank("en")
    ways = {
        "typos": typos,
        "character_typos": typos,
        "contraction": lambda texts: Perturb.perturb(texts, Perturb.contractions),
        "swap_number": lambda texts: Perturb.perturb(
            list(cut.pipe(texts)), Perturb.change_number, n=1
        ),
    }
    way = ways[name]

    def perturb(texts: list[str]) -> list[str]:
        found = {row[0]: row[1] for row in way(texts).data}
        return [found.get(text, text) for text in texts]

    return perturb


def textflint(name: str, knob: float, folder: Path) -> Function:
    """Texts go in as the words between blanks, since what cuts texts into words is a model to
    download; keys and misspellings are ours.
    """
    from textflint.generation.transformation import UT
    from textflint.input.component.field import TextField
    from textflint.input.component.sample import UTSample

    some = {"trans_p": knob, "trans_max": None}
    ways = {
        "keyboard": lambda: UT.Keyboard(rules_path=str(folder / "keyboard.json"), **some),
        "ocr": lambda: UT.Ocr(**some),
        "typos": lambda: UT.Typos(mode="swap", **some),
        "character_typos": lambda: UT.Typos(**some),
        "spelling": lambda: UT.SpellingError(
            rules_path=str(folder / "misspellings.txt"), include_reverse=False, **some
        ),
        "contraction": UT.Contraction,
        "punctuation": UT.Punctuation,
        "swap_number": UT.SwapNum,
        "twitter": UT.TwitterType,
        "word_case": UT.WordCase,
        "insert_adverb": UT.InsertAdv,
    }
    transformation = ways[name]()

    def transform(text: str) -> str:
        sample = UTSample({"x": text})
        sample.x = TextField(text.split())
        found = transformation.transform(sample)
        return " ".join(found[0].x.words) if found else text

    return lambda texts: [transform(text) for text in texts]


TOOLKITS = {function.__name__: function for function in (nlpaug, textattack, checklist, textflint)}


def answer(request: dict, toolkit: Callable, folder: Path, ready: dict[tuple, Function]) -> dict:
    """Seconds of processor time and perturbed texts of the first `count` texts, or why there are
    none; what is loaded is kept and not timed.
    """
    name, knob = wanted = request["perturbation"], request["knob"]
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))[: request["count"]]
    try:
        if wanted not in ready:
            ready[wanted] = toolkit(name, knob, folder)
        began = time.process_time()
        found = ready[wanted](texts)
        return {"seconds": time.process_time() - began, "texts": found}
    except KeyError as error:
        if error.args != (name,):
            raise
        return {"missing": True}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}


def main() -> None:
    toolkit, folder, ready = TOOLKITS[sys.argv[1]], Path(sys.argv[2]), {}
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a toolkit prints is no answer
    for line in sys.stdin:
        print(
            json.dumps(answer(json.loads(line), toolkit, folder, ready)), file=answers, flush=True
        )


if __name__ == "__main__":
    main()
