"""What finished runs say, read from their files alone: headline tables, comparisons, published
figures beside ours, and the page.

| module | answers |
| --- | --- |
| `runs` | which runs a profile has, and what is missing, stale or broken |
| `decisions` | what the runs decide: verdicts that count, preference, costs; frames alone |
| `evidence` | what the reference documents claim, and what the runs say of it |
| `headline` | the numbers that a fresh run is compared by, and README's part |
| `thesis`, `indonlu`, `codemixing`, `grids` | the documents' tables with the runs beside them |
| `hardened` | what defences do, over one training and several |
| `foretold` | whether the CheckList foretells failures on real texts |
| `report` | the sections in order: words, tables and figures of each |
| `words`, `templates/` | the words, a folder per language, and the page's HTML |
| `views`, `cells`, `charts`, `panels`, `appendix` | tables and figures as a reader sees them |
| `export` | the tables as csv, Markdown and LaTeX |
| `page`, `cards` | `outputs/<profile>/report/index.html`, and one screen of each model |
| `cases` | the cases of all notebooks in one form |
| `examples`, `failures`, `differences` | texts before and after, failing cases, changed words |
| `verify` | a fresh run against the committed numbers |
"""
