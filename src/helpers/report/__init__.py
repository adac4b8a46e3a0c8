"""What finished runs say, read from their files alone: headline tables, comparisons, published
figures beside ours, and the page.

| module | answers |
| --- | --- |
| `runs` | which runs a profile has, and what is missing, stale or broken |
| `answer` | five sentences and what they do not show; the README has them too |
| `matrix` | the verdict of every test and model, and the ranking |
| `headline` | the numbers that a fresh run is compared by |
| `changes`, `compare` | models on the same rows as change from clean; clean against perturbed |
| `claims` | what the reference documents claim, and what the runs say of it |
| `published`, `released` | the documents' tables, errata and released files |
| `thesis` | the thesis's tables as published, recomputed and rerun |
| `findings`, `foretold`, `codemixing`, `grid_scores`, `indonlu` | further sentences and tables |
| `appendix`, `charts` | all tables with their captions; the figures |
| `export` | its tables as csv, Markdown and LaTeX |
| `page`, `template/` | `outputs/<profile>/report/index.html`, made by nbconvert from the report |
| `fragments`, `provenances` | HTML of notebooks made safe, and where the numbers come from |
| `cases` | the cases of all notebooks in one form |
| `examples`, `failures`, `differences` | texts before and after, failing cases, changed words |
| `verify` | a fresh run against the committed numbers |
"""
