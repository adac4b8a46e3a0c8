"""The weights of a plain and of a hardened classifier mixed: as hardened as clean texts allow."""

import copy

from tahanuji import data, models, predict
from tahanuji.harden.defence import Defence
from tahanuji.harden.recipe import Recipe, read, train

SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)  # of the hardened weights


class Interpolation(Defence):
    """The largest share of the hardened weights at which the accuracy on clean validation texts is
    at most `clean_loss` points below that of the plain classifier (after Wortsman et al., 2022).

    It trains both; the mixture is the folder `mixed` beside their checkpoints.
    """

    def __init__(self, half: str | None = None, clean_loss: float = 1.0):
        self.clean_loss = clean_loss

    def fit(self, recipe, train):
        return train(recipe.changing(finish=self.finish))

    def finish(self, recipe: Recipe, hardened):
        """The mixture of what a recipe's training gave and of the same training without noise."""
        plain = recipe.plain()
        if not recipe.network:  # the same n-grams, so that the weights can be mixed
            plain = plain.changing(start=copy.copy(hardened))
        plain, valid = train(plain), read(recipe, recipe.valid)
        least = accuracy(plain, valid) - self.clean_loss / 100
        mixtures = ((share, mixed(plain, hardened, share)) for share in SHARES)
        share, best = next(
            one for one in mixtures if not one[0] or accuracy(one[1], valid) >= least
        )
        facts = {key: value for key, value in hardened.card.items() if key in CARRIED}
        models.save(best, recipe.job.folder / "mixed", **facts, hardened_share=share)
        return best


CARRIED = ("model_name", "source", "revision", "dataset", "epoch", "seed", "settings")


def accuracy(classifier, frame) -> float:
    """The share of a frame's texts, 0 to 1, that a classifier gets right."""
    shares = classifier.predict_proba(data.inputs(frame))
    return float((predict.named(shares, classifier.labels) == frame["label"].to_numpy()).mean())


def mixed(plain, hardened, share: float):
    """A classifier with a share of the hardened weights and the rest of the plain ones."""
    result = copy.deepcopy(hardened)
    if result.kind == "tfidf":
        one, other = plain.pipeline[-1], hardened.pipeline[-1]
        for name in ("coef_", "intercept_"):
            mean = share * getattr(other, name) + (1 - share) * getattr(one, name)
            setattr(result.pipeline[-1], name, mean)
        return result
    weights = plain.model.state_dict()
    mean = {
        name: share * value + (1 - share) * weights[name] if value.is_floating_point() else value
        for name, value in hardened.model.state_dict().items()
    }
    result.model.load_state_dict(mean)
    return result
