"""The optimizer: Muon for the matrices inside the layers, AdamW for everything else, as one
optimizer to the Trainer.
"""

import torch

MATRIX_RATE = 2.0  # Muon's learning rate in learning rates of AdamW
ADAM = {"betas": (0.9, 0.98), "eps": 1e-6}  # as Liu et al. (2019, section 2.4 and Table 9)
WEIGHT_DECAY = 0.01


class Muon(torch.optim.Muon):
    """torch's Muon with the orthogonalization in fp32: torch has it in bf16 alone, which some
    processors emulate (of a step of 11 seconds that took 10, and takes 0.2 so).

    Parameters
    ----------
    params, lr, weight_decay, adjust_lr_fn
        As torch.optim.Muon has them; the learning rate is always adjusted by `match_rms_adamw`.
    """

    @torch.no_grad()
    def step(self, closure=None):
        """A step of all matrices, those of one shape together."""
        for group in self.param_groups:
            shapes = {}
            for weight in group["params"]:
                if weight.grad is not None:
                    shapes.setdefault(weight.shape, []).append(weight)
            for (rows, columns), weights in shapes.items():
                moved = torch.stack([self._moved(weight, group) for weight in weights])
                steps = orthogonal(moved, group["ns_coefficients"], group["ns_steps"], group["eps"])
                rate = group["lr"] * 0.2 * max(rows, columns) ** 0.5  # the root mean square of Adam
                for weight, step in zip(weights, steps, strict=True):
                    weight.mul_(1 - group["lr"] * group["weight_decay"]).add_(step, alpha=-rate)

    def _moved(self, weight: torch.Tensor, group: dict) -> torch.Tensor:
        """The gradient with Nesterov's momentum."""
        state = self.state[weight]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(weight.grad)
        state["momentum_buffer"].lerp_(weight.grad, 1 - group["momentum"])
        return weight.grad.lerp(state["momentum_buffer"], group["momentum"])


def orthogonal(
    matrices: torch.Tensor, coefficients: tuple[float, float, float], steps: int, eps: float
) -> torch.Tensor:
    """Matrices (count, rows, columns) with their singular values moved near 1, by steps of a
    quintic Newton-Schulz iteration (Jordan et al., 2024).
    """
    a, b, c = coefficients
    tall = matrices.shape[1] > matrices.shape[2]
    near = matrices.mT if tall else matrices
    near = near / near.norm(dim=(1, 2), keepdim=True).clamp(min=eps)
    for _ in range(steps):
        gram = near @ near.mT
        near = torch.baddbmm(near, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), near, beta=a)
    return near.mT if tall else near


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
            Muon(
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
