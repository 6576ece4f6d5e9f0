-- Median over layers of the share of FF's change that the block takes back, in group $family over corpus $corpus_id.
WITH suppressed AS (
    SELECT 1 - mean AS value, 1 - high AS low, 1 - low AS high, n_runs
    FROM group_estimate
    WHERE family = $family AND corpus_id = $corpus_id AND measure = 'surviving_share' AND pair_filter = 'content'
)
SELECT
    coalesce(median(value) FILTER (low IS NOT NULL), median(value)) AS value,
    quantile_disc(low, 0.5) AS low, -quantile_disc(-high, 0.5) AS high, coalesce(min(n_runs), 0) AS n
FROM suppressed
