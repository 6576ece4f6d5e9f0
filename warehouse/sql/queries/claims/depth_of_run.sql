-- Mean of a measure over the deeper half of the layers of run $run_id less that over the shallower half; a middle layer
-- is in neither. The interval is wide on purpose: the deeper layers' lower ends less the shallower ones' upper ends.
WITH halves AS (
    SELECT value, low, high, n, layer > (max(layer) OVER () + 1) / 2 AS is_deep, layer < (max(layer) OVER () + 1) / 2 AS is_shallow
    FROM estimate
    WHERE run_id = $run_id AND measure = $measure AND item = $item AND pair_filter IS NOT DISTINCT FROM $pair_filter
)
SELECT
    avg(value) FILTER (is_deep) - avg(value) FILTER (is_shallow) AS value,
    avg(low) FILTER (is_deep) - avg(high) FILTER (is_shallow) AS low,
    avg(high) FILTER (is_deep) - avg(low) FILTER (is_shallow) AS high, coalesce(min(n), 0) AS n
FROM halves
