"""Code-mixing: words of a text exchanged for their translation, after IndoRobusta-Blend
(Adilazuarda et al., 2022).

| file | answers |
| --- | --- |
| `translators` | a word in another language; `named("lexicon+nusax", "jv")` chains several |
| `importance` | how much each word speaks for a classifier's answer |
| `similarity` | how like a mixed text is to the original: by characters or by an encoder |
| `blend` | the attacks: `attack` for one language and rate, `attack_many` for several |
| `results` | what attacks amount to, as metrics and tables |
| `mixing` | what mixes texts, by the attack or at random: the object that notebooks hold |
| `defence` | fine-tuning on code-mixed texts, and attacks on what comes of it |
| `natural` | Indonesian-English tweets as people wrote them |
"""

__all__ = [
    "blend",
    "defence",
    "importance",
    "mixing",
    "natural",
    "results",
    "similarity",
    "translators",
]
