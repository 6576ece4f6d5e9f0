-- One row per run of the list $runs, layer that has outlier dimensions, and component: the mean change of whole maps, and
-- without those dimensions.
SELECT
    run_id, layer, component, array_to_string(outlier_dims, ', ') AS outlier_dims, mean_change, mean_change_inliers,
    n_sequences
FROM v_inlier_change
WHERE list_contains($runs, run_id) AND pair_filter = $pair_filter
ORDER BY run_id, layer, component
