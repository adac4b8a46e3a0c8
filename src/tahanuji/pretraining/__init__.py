"""Pre-training of a small encoder by masked language modelling, after IndoNLU (Wilie et al., 2020,
section 4).

| file | answers |
| --- | --- |
| `corpus` | which texts are learned from, which are held out: `load`, `by_source` |
| `vocabulary` | the WordPiece tokenizer, and its pieces per word: `train`, `fertility` |
| `packing` | blocks of pieces and their dynamic whole-word masks: `pack`, `Masking`, `Batches` |
| `network` | the BERT that is trained, its size, its files: `configure`, `megabytes`, `export` |
| `optimizer` | Muon for the matrices of the layers, AdamW for the rest: `MuonAndAdam` |
| `loop` | the training itself, resumable: `train` |
| `evaluation` | loss and accuracy on held-out texts with fixed masks: `FixedMasks`, `metrics` |
| `card`, `charts` | the model card; the two figures |
"""

__all__ = [
    "card",
    "charts",
    "corpus",
    "evaluation",
    "loop",
    "network",
    "optimizer",
    "packing",
    "vocabulary",
]
