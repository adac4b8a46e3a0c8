"""How the tasks of the benchmark judge an answer: right where the label of the likeliest word is
accepted. A text whose answer is judged only beside that to another text has no accuracy.
"""

LABELS = {
    "sentiment": ["positive", "neutral", "negative"],
    "inference": ["contradiction", "entailment", "neutral"],
}


def sentiment(doc, results):
    """The accuracy of a text: 1.0, 0.0, or nothing."""
    return _judged(doc, results, LABELS["sentiment"])


def inference(doc, results):
    """The accuracy of a pair of sentences: 1.0, 0.0, or nothing."""
    return _judged(doc, results, LABELS["inference"])


def _judged(doc, results, labels):
    accepted = set(doc["expected"].split("|")) & set(labels)
    scores = [score for score, _ in results]
    likeliest = labels[scores.index(max(scores))]
    return {"acc": float(likeliest in accepted)} if accepted else {}
