-- Do norms of the feed-forward output go with the change, also when attention's norm is held?
SELECT run_name, layer, rho, low, high, partial_rho, partial_p_value
FROM v_norm_change WHERE point = 'row' ORDER BY run_name, layer;
