-- As depth_of_run, in group $family over corpus $corpus_id; n counts runs.
WITH halves AS (
    SELECT mean AS value, low, high, n_runs, layer > (max(layer) OVER () + 1) / 2 AS is_deep, layer < (max(layer) OVER () + 1) / 2 AS is_shallow
    FROM group_estimate
    WHERE family = $family AND corpus_id = $corpus_id
        AND measure = $measure AND item = $item AND pair_filter IS NOT DISTINCT FROM $pair_filter
)
SELECT
    avg(value) FILTER (is_deep) - avg(value) FILTER (is_shallow) AS value,
    avg(low) FILTER (is_deep) - avg(high) FILTER (is_shallow) AS low,
    avg(high) FILTER (is_deep) - avg(low) FILTER (is_shallow) AS high, coalesce(min(n_runs), 0) AS n
FROM halves
