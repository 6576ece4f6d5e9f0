-- Median over layers 1 to $last_layer of a pattern's effect in group $family over corpus $corpus_id; n counts runs.
SELECT
    coalesce(median(mean) FILTER (low IS NOT NULL), median(mean)) AS value,
    quantile_disc(low, 0.5) AS low, -quantile_disc(-high, 0.5) AS high, coalesce(min(n_runs), 0) AS n
FROM group_estimate
WHERE family = $family AND corpus_id = $corpus_id
    AND measure = 'pattern_effect' AND item = $pattern AND layer <= $last_layer
