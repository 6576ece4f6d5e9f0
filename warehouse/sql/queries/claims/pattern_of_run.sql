-- Median over layers 1 to $last_layer of run $run_id of a pattern's effect, as in median_of_run.
SELECT
    coalesce(median(effect) FILTER (effect_low IS NOT NULL), median(effect)) AS value,
    quantile_disc(effect_low, 0.5) AS low, -quantile_disc(-effect_high, 0.5) AS high, coalesce(min(n_sequences), 0) AS n
FROM pattern_effect
WHERE run_id = $run_id AND pattern = $pattern AND relation IS NULL AND layer <= $last_layer
