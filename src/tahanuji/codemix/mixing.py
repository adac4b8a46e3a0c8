"""Texts mixed by an attack, or at random without any model: the object that notebooks 08 and 09
hold.
"""

import hashlib
from dataclasses import dataclass, field
from functools import partial
from random import Random

import pandas as pd

from tahanuji import behaviour, commas, data, perturb, words
from tahanuji.codemix import blend, natural, results, search, similarity, translators
from tahanuji.codemix.importance import importance
from tahanuji.instrument import Instrument, instrument


@dataclass
class Blend:
    """What mixes the texts of a frame.

    Parameters
    ----------
    translators : list of Translator
        One per language.
    rate : float
        Share of a text's words to exchange, 0 to 1.
    seed : int
        Of all draws.
    options : dict
        Other arguments of `blend.attack_many`.
    names : str
        Of the translators, as `translators.named` takes them.
    fitted_on : DataFrame
        The texts on which the similarity was fitted.

    References
    ----------
    Adilazuarda et al. (2022), sections 2.2 and 2.3.

    Examples
    --------
    >>> from tahanuji.codemix.dictionaries import Dictionary
    >>> frame = pd.DataFrame({"id": ["a"], "text": ["Enak, murah!"], "label": ["positive"]})
    >>> [len(part) for _, part in Blend([Dictionary("own", "en", [])], 0.4, 1, {}).shares(frame)]
    [1]
    """

    translators: list
    rate: float
    seed: int
    options: dict
    names: str = "lexicon"
    fitted_on: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)

    @property
    def instruments(self) -> list[Instrument]:
        """Those of the languages, of their controls with random words, and of the attacked
        tweets.
        """
        languages = [one.language for one in self.translators]
        tests = {name: name for name in languages} | {f"{name} random": name for name in languages}
        tests[results.MADE] = "en"
        return [instrument("code_mixing", test=test, into=name) for test, name in tests.items()]

    def coverage(self, texts) -> pd.DataFrame:
        """What the translators know of the words of texts, repeats included, a row per language."""
        running = [word.text for text in texts for word in words.words(text)]
        return pd.DataFrame({one.language: one.coverage(running) for one in self.translators}).T

    def heaviest(self, classifier, frame: pd.DataFrame, top: int = 4) -> list[str]:
        """Per text its most important words with their importance."""
        how = {name: self.options[name] for name in ("form", "masking") if name in self.options}
        values = importance(classifier, list(frame["text"]), list(frame["label"]), **how)
        lines = []
        for text, numbers in zip(frame["text"], values, strict=True):
            pairs = zip(words.words(text), numbers, strict=True)
            ranked = sorted(pairs, key=lambda pair: -pair[1])[:top]
            lines.append(", ".join(f"{word.text} {number:.2f}" for word, number in ranked))
        return lines

    def attack(self, classifier, frame: pd.DataFrame, rates: list[float], **more) -> pd.DataFrame:
        """`blend.attack_many` in all languages."""
        given = self.options | more
        return blend.attack_many(classifier, frame, self.translators, rates, self.seed, **given)

    def tests(self, classifier, frame: pd.DataFrame, rates: str) -> pd.DataFrame:
        """Attacks at the rates of a list joined by commas and at the main rate, at which random
        words are mixed too, as behavioural tests.
        """
        levels = sorted({*commas.numbers(rates), self.rate} - {0.0})
        main = [self.rate or levels[0]]
        parts = [self.attack(classifier, frame, levels)]
        parts.append(self.attack(classifier, frame, main, ranking="random"))
        return results.as_tests(pd.concat(parts, ignore_index=True))

    def tweets(self, classifier, rate: float) -> pd.DataFrame:
        """Tweets as people mixed them, and their Indonesian versions attacked in English, as
        behavioural tests.
        """
        pairs = natural.pairs()
        written = behaviour.rows(classifier, pairs, {results.NATURAL: list(pairs["mixed"])})
        english = translators.named(self.names, "en")
        made = blend.attack(classifier, pairs, english, rate, self.seed, **self.options)
        both = [written, results.as_tests(made).assign(test=results.MADE)]
        both = pd.concat([part.assign(by_english=list(pairs["english"])) for part in both])
        both.attrs["source"] = pairs.attrs["source"]
        return both

    def shares(self, frame: pd.DataFrame) -> list[tuple]:
        """Each translator with the rows whose language is its, drawn by the rows' ids."""
        count = len(self.translators)
        drawn = [perturb.key(self.seed, f"language of {name}") % count for name in frame["id"]]
        parts = [
            (translator, frame[[place == number for place in drawn]])
            for number, translator in enumerate(self.translators)
        ]
        return [(translator, part) for translator, part in parts if len(part)]

    def attacked(self, classifier, frame: pd.DataFrame) -> pd.DataFrame:
        """The frame with every text attacked in one language; texts that are not classified rightly
        stay as they are (Algorithm 1).
        """
        texts = {}
        for translator, part in self.shares(frame):
            rows = blend.attack(classifier, part, translator, self.rate, self.seed, **self.options)
            texts |= dict(zip(rows["id"], rows["perturbed"], strict=True))
        return self._described(frame, texts, "attacked")

    def randomly(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The frame with the same share of words mixed in random order, for which no model is
        asked.
        """
        texts = {}
        for translator, part in self.shares(frame):
            mixes = random_mixes(part, translator, self.rate, self.seed, self.options)
            texts |= dict(zip(part["id"], (mix.perturbed for mix in mixes), strict=True))
        return self._described(frame, texts, "mixed at random")

    def _described(self, frame: pd.DataFrame, texts: dict[str, str], how: str) -> pd.DataFrame:
        mixed = frame.assign(text=[texts[example] for example in frame["id"]])
        source = frame.attrs["source"]
        facts = {
            "name": f"{source['name']}, {how}",
            "sha256": hashlib.sha256("\n".join(mixed["text"]).encode()).hexdigest(),
            "mixed": round(float((mixed["text"] != frame["text"]).mean()), 4),
        }
        return data.describe(mixed, **{**source, **facts})


def named(
    languages: str,
    names: str,
    alike: str,
    dataset: str,
    classifier,
    *,
    rate: float,
    seed: int,
    **how,
) -> Blend:
    """The blend that a notebook's parameters mean.

    Parameters
    ----------
    languages : str
        Codes joined by commas.
    names, alike : str
        Of translators and a similarity, as `translators.named` and `similarity.named` take them.
    dataset : str
        On whose training texts (where it has none, test texts) the similarity is fitted.
    classifier
        The attacked one.
    rate, seed
        See `Blend`.
    **how
        Other arguments of `blend.attack_many`; `stop_words` here is yes or no, for the words of
        data/lexicons/stop_words.csv.

    Returns
    -------
    Blend

    Raises
    ------
    InputError
        For a language, translator, similarity or data set that is not there.
    """
    chosen = translators.all_named(names, commas.words(languages))
    fitted_on = data.load(dataset, "train" if "train" in data.available(dataset) else "test")
    options = {**how, "similarity": similarity.named(alike, list(fitted_on["text"]), classifier)}
    if options.pop("stop_words", False):
        listed = data.read_table(data.locate("data/lexicons/stop_words.csv"))["word"]
        options["stop_words"] = frozenset(listed)
    return Blend(chosen, rate, seed, options, names, fitted_on)


def random_mixes(
    frame: pd.DataFrame, translator, rate: float, seed: int, options: dict
) -> list[search.Mix]:
    """Every text of a frame with words in random order exchanged, held to the same threshold as an
    attack.
    """
    rows = search.rows_of(frame, list(frame["label"]), options.get("stop_words", frozenset()), seed)
    targets = search.targets_of(translator, rows)
    ranked = search.orders(rows, [row.free for row in rows], None)
    triples = zip(rows, targets, ranked, strict=True)
    mixes = [search.start(row, of_row, order, rate) for row, of_row, order in triples]
    makers = [partial(Random, row.seed) for row in rows]
    alpha, tries = options.get("alpha", search.ALPHA), options.get("tries", search.TRIES)
    search.settle(mixes, makers, options.get("similarity"), alpha, tries)
    return mixes


def at_random(frame: pd.DataFrame, into: str, rate: float, seed: int) -> list[str]:
    """The texts of a frame with words in random order exchanged for those of a language."""
    if frame.empty:
        return []
    mixed = Blend([translators.named("lexicon", into)], rate, seed, {}).randomly(frame)
    return list(mixed["text"])
