-- Median over layers of a measure of group $family over corpus $corpus_id, as in median_of_run; n counts runs.
SELECT
    coalesce(median(mean) FILTER (low IS NOT NULL), median(mean)) AS value,
    quantile_disc(low, 0.5) AS low, -quantile_disc(-high, 0.5) AS high, coalesce(min(n_runs), 0) AS n
FROM group_estimate
WHERE family = $family AND corpus_id = $corpus_id
    AND measure = $measure AND item = $item AND pair_filter IS NOT DISTINCT FROM $pair_filter
