"""Help of the pages overview, compare and sql (markdown)."""

from typing import Final

FINDINGS: Final = (
    "F1 to F6, the claims of Kobayashi et al. 2024, put to every run and every group of seeds, and P1 to P4, those of "
    "Dar et al. 2023 about parameters, put to models: a number with its 95% interval must lie above a bound. "
    "✓ holds: the interval is above it. ✗ fails: it is below. – not enough data: the interval "
    "holds it, or there is none. · not computed yet. Blank: not asked of this subject. Point at a cell for its number. "
    "P1 to P4 come from `lenshouse project`, `diff`, `align` and `stitch`, then `analyze`. Rules and thresholds are "
    "ours."
)

RUNS: Final = (
    "Every run, those still under way too. Completeness error: the largest relative error, over tokens and layers, of "
    "the sum of all pieces against the model's own state. Size: the file's used bytes by the run's part of the rows of "
    "token_pair, so it holds a part of everything else. Loaded: rows of token_pair in the file, of those that the run "
    "will have. Times are wall seconds, summed over shards. Choose a row for its provenance and pages."
)

PHASES: Final = (
    "tokenize: reading and tokenising the corpus. forward: the model's own forward passes. core: maps, norms and "
    "changes. write: Parquet parts. load: bringing them into the file. Wall seconds, summed over shards."
)

DIFFERENCE: Final = (
    "The other less the one, layer by layer of the same number. Of two runs over the same sequences: mean over "
    "sequences of their paired difference of 1 − ρ, with a 95% interval by bootstrap over sequences (percentiles "
    "expanded for few sequences, Hesterberg 2015; 1,000 resamples, seed 0). Of two groups: by the Multi-Bootstrap "
    "(Sellam et al. 2022), seeds unpaired, sequences paired, at the same relative depth. An interval on one side of 0 "
    "says that they differ. Intervals are not corrected for the number of layers. Of two runs the SQL gives the "
    "changes that are drawn from, a row a sequence; files hold the differences."
)

EDITOR: Final = (
    "DuckDB's SQL, one statement that reads: SELECT, FROM, DESCRIBE, SHOW, SUMMARIZE, PIVOT or EXPLAIN. Ctrl+Enter "
    "runs it. Queries run in a process of their own that sees this warehouse and nothing else of the machine."
)

SIDES: Final = (
    "The same number of both sides by layer, with its 95% interval: of a run over sequences (LN weight: over "
    "dimensions), of a group over seeds and sequences together. Where two intervals overlap the sides may still "
    "differ: both are over the same sequences, which the difference takes into account. Equations: README, *From maps "
    "to findings*, and the pages of each measure."
)
