-- Median over the layers of run $run_id of a measure: of two middle layers the lower one's lower end and the higher one's
-- higher end, so that an interval on one side of a bound means that those of more than half of the layers are.
-- Layers without an interval count where no layer has one.
SELECT
    coalesce(median(value) FILTER (low IS NOT NULL), median(value)) AS value,
    quantile_disc(low, 0.5) AS low, -quantile_disc(-high, 0.5) AS high, coalesce(min(n), 0) AS n
FROM estimate
WHERE run_id = $run_id AND measure = $measure AND item = $item AND pair_filter IS NOT DISTINCT FROM $pair_filter
