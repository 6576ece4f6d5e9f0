-- One row per sequence, component and pair filter of a layer whose change 1 - rho is defined. Parameters: run_id, layer.
SELECT seq_id, component, pair_filter, 1 - spearman AS change
FROM map_change
WHERE run_id = $run_id AND layer = $layer AND spearman IS NOT NULL
