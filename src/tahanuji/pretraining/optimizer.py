"""The optimizer: Muon for the matrices inside the layers, AdamW for everything else, as one
optimizer to the Trainer.
"""

import torch

MATRIX_RATE = 2.0  # Muon's learning rate in learning rates of AdamW
ADAM = {"betas": (0.9, 0.98), "eps": 1e-6}  # as Liu et al. (2019, section 2.4 and Table 9)
WEIGHT_DECAY = 0.01


class MuonAndAdam(torch.optim.Optimizer):
    """Muon (Jordan et al., 2024) for the two-dimensional weights of a network's layers, AdamW for
    embeddings, head, norms and biases.

    A masked language model stays for thousands of steps at what words say about a text without
    their order, before its attention finds neighbours. Muon's steps go in all directions of a
    matrix alike and shorten that; benchmarks/RESULTS.md has what each way came to.

    Parameters
    ----------
    model : Module
        Matrices named `.layer.` get Muon, all other weights AdamW.
    lr : float
        Learning rate of AdamW; Muon's is a multiple of it.

    References
    ----------
    Jordan et al. (2024), Muon: an optimizer for hidden layers in neural networks.
    """

    def __init__(self, model: torch.nn.Module, lr: float):
        inside = {
            name: weight
            for name, weight in model.named_parameters()
            if ".layer." in name and weight.ndim == 2
        }
        others = [weight for name, weight in model.named_parameters() if name not in inside]
        self.parts = [
            torch.optim.AdamW(others, lr=lr, weight_decay=WEIGHT_DECAY, **ADAM),
            torch.optim.Muon(
                list(inside.values()),
                lr=MATRIX_RATE * lr,
                weight_decay=WEIGHT_DECAY,
                adjust_lr_fn="match_rms_adamw",
            ),
        ]
        super().__init__([group for part in self.parts for group in part.param_groups], {"lr": lr})
        for part, groups in zip(
            self.parts, ([self.param_groups[0]], [self.param_groups[1]]), strict=True
        ):
            part.param_groups = groups  # the very ones whose rate a schedule sets

    @torch.no_grad()
    def step(self, closure=None):
        """A step of both."""
        for part in self.parts:
            part.step()

    def state_dict(self) -> dict:
        """The states of both, by name."""
        return {"parts": [part.state_dict() for part in self.parts]}

    def load_state_dict(self, state_dict: dict) -> None:
        """Go on from what `state_dict` gave."""
        for part, state in zip(self.parts, state_dict["parts"], strict=True):
            part.load_state_dict(state)
        self.param_groups = [group for part in self.parts for group in part.param_groups]
