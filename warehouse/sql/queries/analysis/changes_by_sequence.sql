-- One row per layer, sequence, component and pair filter of run $run_id: the change, where it is defined.
SELECT layer, seq_id, component, pair_filter, 1 - spearman AS change
FROM map_change
WHERE run_id = $run_id AND spearman IS NOT NULL
