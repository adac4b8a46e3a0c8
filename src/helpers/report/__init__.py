"""What finished runs say, read from their files alone: headline tables, comparisons, published
figures beside ours, and the page.

| module | answers |
| --- | --- |
| `runs` | which runs a profile has, and what is missing, stale or broken |
| `headline` | the numbers that stand in the README |
| `compare` | models on the same rows, clean against perturbed |
| `published` | the tables of the reference documents |
| `thesis` | the thesis's tables as published, recomputed and rerun |
| `findings` | the report's sentences |
| `export` | its tables as csv, Markdown and LaTeX |
| `page`, `template/` | `outputs/<profile>/report/index.html`, made by nbconvert from the report |
| `fragments`, `provenances` | HTML of notebooks made safe, and where the numbers come from |
| `cases` | the cases of all notebooks in one form |
| `examples`, `failures`, `differences` | texts before and after, failing cases, changed words |
| `verify` | a fresh run against the committed numbers |
"""
