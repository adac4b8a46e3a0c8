"""The online translator: Google Translate through deep-translator, which need not be installed,
with every answer kept on disk.
"""

import json
from pathlib import Path

from tahanuji import paths
from tahanuji.codemix.dictionaries import Translator
from tahanuji.errors import InputError

GOOGLE = {"jv": "jw"}


class Online(Translator):
    """Answers from its json file, else from the network; each new answer is in the file before the
    next word is asked for.

    The file is `cache`, else online/<language>.json in the folder of downloads, which git ignores.
    Raises InputError where deep-translator is not installed, where there is no network and where
    the file is damaged.
    """

    def __init__(self, language: str, cache: Path | None = None):
        self.name, self.language = "online", language
        self.cache = Path(cache or paths.downloads() / "online" / f"{language}.json")
        self.answers = self._kept()

    def answer(self, word: str) -> str | None:
        if word not in self.answers:
            self.answers[word] = self._ask(word)
            self._write()
        return self.answers[word]

    def _kept(self) -> dict[str, str | None]:
        if not self.cache.is_file():
            return {}
        try:
            answers = json.loads(self.cache.read_text(encoding="utf-8"))
        except ValueError:
            answers = None
        if not isinstance(answers, dict):
            raise InputError(
                f"{paths.shown(self.cache)} is no json file of words and translations; delete it, "
                f"and the words are asked for again."
            )
        return answers

    def _write(self) -> None:
        self.cache.parent.mkdir(parents=True, exist_ok=True)
        part = self.cache.with_name(self.cache.name + ".part")
        answers = json.dumps(self.answers, ensure_ascii=False, indent=0) + "\n"
        part.write_text(answers, encoding="utf-8")
        part.replace(self.cache)

    def _ask(self, word: str) -> str | None:
        try:
            from deep_translator import GoogleTranslator
        except ImportError:
            raise InputError(
                f"{word!r} is not in {paths.shown(self.cache)}, and deep-translator is not "
                f"installed; pip install deep-translator, or use another translator."
            ) from None
        try:
            into = GOOGLE.get(self.language, self.language)
            return GoogleTranslator(source="id", target=into).translate(word)
        except Exception as error:  # deep-translator raises a dozen kinds, requests' own among them
            raise InputError(
                f"the online translator gives no answer for {word!r} ({type(error).__name__}); "
                f"connect and run again: "
                f"the answers so far are in {paths.shown(self.cache)}."
            ) from error
