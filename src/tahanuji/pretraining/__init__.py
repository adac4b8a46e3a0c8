"""Pre-training of a small encoder by masked language modelling, after IndoNLU (Wilie et al., 2020,
section 4): the extra `pretraining`, which nothing else of the library imports.

| file | answers |
| --- | --- |
| `corpus` | which texts are learned from, which are held out: `load` |
| `vocabulary` | the WordPiece tokenizer, and its pieces per word: `train`, `fertility` |
| `packing` | blocks of pieces and their dynamic whole-word masks: `batches`, `Masking` |
| `network` | the BERT that is trained, its size, its files: `configure`, `parameters` |
| `optimizer` | Muon for the matrices of the layers, AdamW for the rest: `MuonAndAdam` |
| `loop` | the training itself, resumable: `train` |
| `evaluation` | loss and accuracy on held-out texts with fixed masks: `FixedMasks`, `metrics` |
| `card`, `charts` | the model card; the two figures |

Loop, schedule, mixed precision, logs and checkpoints are those of Hugging Face's Trainer. Four
things are not, because the stock ones cost loss or time. Measured on the embedded corpus with 2
layers of 64, 2,000 pieces and 216 steps of 2,048 tokens in blocks of 32, in fp32 on one core
without bf16, each way with the seeds 1, 2 and 3; held-out loss in nats and processor seconds a
step:

| way | loss | seconds |
| --- | --- | --- |
| this package | 6.32, 6.33, 6.31 | 0.08, 0.05, 0.06 |
| AdamW alone | 6.45, 6.41, 6.36 | 0.06, 0.05, 0.05 |
| torch.optim.Muon, which rounds to bf16 | 6.27, 6.27, 6.27 | 0.11, 0.12, 0.10 |
| each text cut or padded to a block of its own | 6.41, 6.41, 6.40 | 0.05, 0.06, 0.06 |

* **Muon in fp32** (`optimizer`, 41 lines): without it the loss falls more slowly. torch's own
  reaches a slightly lower loss, but at the size of `mini` (4 layers of 256) its step takes 10.3
  seconds of such a processor, and this one 0.33.
* **Packing** (`packing`): no step is spent on padding.
* **Masks over whole words**: the collator of transformers masks whole words by [MASK] only.
* **The head on masked positions** (`network.MaskedPositionsBert`): the same loss (6.443 after 108
  steps, seed 1) in 0.08 seconds a step, where the head on all positions takes 0.16.
"""

from tahanuji.errors import extra

with extra("pretraining"):
    import accelerate  # noqa: F401
    import jinja2  # noqa: F401
    import matplotlib  # noqa: F401
    import tabulate  # noqa: F401
    import tokenizers  # noqa: F401
    import transformers  # noqa: F401
