-- Median over the layers of run $run_id of the share of FF's change that the block takes back; as in median_of_run.
WITH suppressed AS (
    SELECT 1 - value AS value, 1 - high AS low, 1 - low AS high, n
    FROM estimate
    WHERE run_id = $run_id AND measure = 'surviving_share' AND pair_filter = 'content'
)
SELECT
    coalesce(median(value) FILTER (low IS NOT NULL), median(value)) AS value,
    quantile_disc(low, 0.5) AS low, -quantile_disc(-high, 0.5) AS high, coalesce(min(n), 0) AS n
FROM suppressed
