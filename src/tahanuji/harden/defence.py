"""What every defence is: something in training, something in front of the classifier, or both."""

from collections.abc import Callable

from tahanuji.harden.recipe import Recipe


class Defence:
    """Leaves everything as it is; a defence says in `fit` what it does to a training, or in `wrap`
    what stands before the classifier, and in `refuse` in which training it cannot take part.
    """

    def refuse(self, recipe: Recipe) -> None:
        """InputError for a model or for texts that the defence cannot be trained with."""

    def fit(self, recipe: Recipe, train: Callable[[Recipe], object]):
        """The classifier that `train` makes of the recipe."""
        return train(recipe)

    def wrap(self, classifier):
        """The classifier as it is asked."""
        return classifier
