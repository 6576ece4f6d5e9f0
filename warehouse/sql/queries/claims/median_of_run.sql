-- Median over the layers of run $run_id of a measure: of two middle layers the lower, so that a median of lower ends
-- above a bound means more than half of the layers. Layers without an interval count where no layer has one.
SELECT
    coalesce(quantile_disc(value, 0.5) FILTER (low IS NOT NULL), quantile_disc(value, 0.5)) AS value,
    quantile_disc(low, 0.5) AS low, quantile_disc(high, 0.5) AS high, coalesce(min(n), 0) AS n
FROM estimate
WHERE run_id = $run_id AND measure = $measure AND item = $item AND pair_filter IS NOT DISTINCT FROM $pair_filter
