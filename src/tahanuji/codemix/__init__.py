"""Code-mixing: words of a text exchanged for their translation, after IndoRobusta-Blend
(Adilazuarda et al., 2022).

translators   lexicon, nusax, wordnet, wordnet_synonyms, cached, local, online;
`named("lexicon+nusax", "jv")` chains them importance    how much a classifier's answer hangs on
each word similarity    CharacterTfidf.fit(texts), sentence_encoder(name), own_encoder(classifier)
blend         attack(...) for one language and rate, attack_many(...) for several with one pass of
importance natural       Indonesian-English tweets as people wrote them
"""
