"""The optimizer: Muon for the matrices inside the layers, AdamW for everything else."""

import torch

MATRIX_RATE = 2.0  # Muon's learning rate in learning rates of AdamW
MOMENTUM = 0.95
COEFFICIENTS, STEPS = (3.4445, -4.775, 2.0315), 5  # of the iteration (Jordan et al., 2024)
ADAM = {"betas": (0.9, 0.98), "eps": 1e-6}  # as Liu et al. (2019, section 2.4 and Table 9)
WEIGHT_DECAY = 0.01


class MuonAndAdam(torch.optim.AdamW):
    """Muon (Jordan et al., 2024, *Muon: an optimizer for hidden layers in neural networks*) for the
    matrices named `.layer.` of a network, AdamW for its embeddings, head, norms and biases.

    A masked language model stays for thousands of steps at what words say about a text without
    their order, before its attention finds neighbours. Muon's steps go in all directions of a
    matrix alike and shorten that; benchmarks/RESULTS.md has what each way came to.
    """

    def __init__(self, model: torch.nn.Module, lr: float):
        inside, others = [], []
        for name, weight in model.named_parameters():
            (inside if ".layer." in name and weight.ndim == 2 else others).append(weight)
        groups = [{"params": others}, {"params": inside, "lr": MATRIX_RATE * lr}]
        super().__init__(groups, lr=lr, weight_decay=WEIGHT_DECAY, **ADAM)

    @torch.no_grad()
    def step(self, closure=None):
        """A step of all matrices, those of one shape together, then AdamW's of the rest."""
        group, shapes = self.param_groups[1], {}
        for weight in group["params"]:
            if weight.grad is not None:
                shapes.setdefault(weight.shape, []).append(weight)
        for (rows, columns), weights in shapes.items():
            moved = torch.stack([self._moved(weight) for weight in weights])
            rate = group["lr"] * 0.2 * max(rows, columns) ** 0.5  # the root mean square of Adam
            for weight, step in zip(weights, orthogonal(moved), strict=True):
                weight.mul_(1 - group["lr"] * WEIGHT_DECAY).add_(step, alpha=-rate)
                weight.grad = None  # nothing left for AdamW
        super().step()

    def _moved(self, weight: torch.Tensor) -> torch.Tensor:
        """The gradient with Nesterov's momentum."""
        state = self.state[weight]
        if not state:
            state.update(step=torch.tensor(0.0), momentum=torch.zeros_like(weight.grad))
        state["momentum"].lerp_(weight.grad, 1 - MOMENTUM)
        return weight.grad.lerp(state["momentum"], MOMENTUM)


def orthogonal(matrices: torch.Tensor) -> torch.Tensor:
    """Matrices (count, rows, columns) with their singular values moved near 1, by steps of a
    quintic Newton-Schulz iteration in fp32.

    torch.optim.Muon has the same in bf16 alone, which processors without it emulate.
    """
    a, b, c = COEFFICIENTS
    tall = matrices.shape[1] > matrices.shape[2]
    near = matrices.mT if tall else matrices
    near = near / near.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    for _ in range(STEPS):
        gram = near @ near.mT
        near = torch.baddbmm(near, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), near, beta=a)
    return near.mT if tall else near
