-- One row per layer of run $run_id: how FF's output norm goes with its change, plainly and with attention's norm held.
SELECT
    layer, n_points, n_sequences, rho, low, high, p_value, partial_rho, partial_low, partial_high, partial_p_value
FROM v_norm_change
WHERE run_id = $run_id AND point = $point
ORDER BY layer
