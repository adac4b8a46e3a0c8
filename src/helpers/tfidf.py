"""TF-IDF of word and character n-grams with logistic regression: the classifier that needs no network and no GPU."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline

from helpers import parameters


class Tfidf:
    """TF-IDF of word and character n-grams with logistic regression; without a fit it knows nothing and answers 1/labels."""

    def __init__(self, labels: list[str], pipeline: Pipeline | None = None, card: dict | None = None):
        self.labels, self.pipeline, self.card = list(labels), pipeline, card or {}

    def predict_proba(self, texts: list[str], precision: str = "fp32") -> np.ndarray:
        """Probabilities (n, labels) in the order of `labels`; `precision` has no effect here."""
        if self.pipeline is None:
            return np.full((len(texts), len(self.labels)), 1 / len(self.labels), dtype=np.float32)
        result = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        if texts:
            columns = [self.labels.index(label) for label in self.pipeline[-1].classes_]
            result[:, columns] = self.pipeline.predict_proba(texts)
        return result

    def pieces(self, text: str) -> list[str]:
        """The word n-grams that the model sees of a text (it sees character n-grams too)."""
        return TfidfVectorizer(ngram_range=tuple(parameters.models()["tfidf"]["word_ngrams"])).build_analyzer()(text)

    def save(self, folder: Path) -> None:
        """Write the arrays as safetensors and the vocabularies as JSON: no pickle."""
        union, regression = self.pipeline[0], self.pipeline[-1]
        parts = dict(union.transformer_list)
        arrays = {f"idf.{name}": part.idf_ for name, part in parts.items()} | {"coef": regression.coef_, "intercept": regression.intercept_}
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, folder / "model.safetensors")
        about = {name: {"settings": part.get_params(), "terms": list(part.get_feature_names_out())} for name, part in parts.items()}
        content = {"classes": list(regression.classes_), "parts": about}
        (folder / "tfidf.json").write_text(json.dumps(content, ensure_ascii=False, default=lambda _: None), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path, labels: list[str], card: dict) -> "Tfidf":
        """The classifier that `save` wrote, its columns in the order of `labels`."""
        content = json.loads((folder / "tfidf.json").read_text(encoding="utf-8"))
        arrays, parts = load_file(folder / "model.safetensors"), []
        for name, about in content["parts"].items():
            kept = {key: about["settings"][key] for key in ("analyzer", "sublinear_tf")} | {"ngram_range": tuple(about["settings"]["ngram_range"])}
            part = TfidfVectorizer(vocabulary={term: number for number, term in enumerate(about["terms"])}, **kept)
            part.idf_ = arrays[f"idf.{name}"]
            parts.append((name, part))
        regression = LogisticRegression()
        regression.classes_, regression.coef_, regression.intercept_ = np.array(content["classes"]), arrays["coef"], arrays["intercept"]
        return cls(labels, Pipeline([("features", FeatureUnion(parts)), ("regression", regression)]), card)

    def about(self) -> dict:
        return self.card


def features(entry: dict) -> FeatureUnion:
    """Word and character n-grams after a model's entry in config/models.yaml."""
    shared = {"min_df": entry["min_df"], "max_features": entry["max_features"], "sublinear_tf": True}
    words = TfidfVectorizer(ngram_range=tuple(entry["word_ngrams"]), **shared)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=tuple(entry["character_ngrams"]), **shared)
    return FeatureUnion([("words", words), ("characters", characters)])
