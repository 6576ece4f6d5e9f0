-- One row per layer of run $run_id and side of the feed-forward network: how |LN weight| goes with its mean size.
SELECT
    layer, side, n_dims, rho, low, high, p_value, inlier_rho, inlier_low, inlier_high,
    array_to_string(outlier_dims, ', ') AS outlier_dims
FROM v_ln_weight
WHERE run_id = $run_id
ORDER BY side, layer
