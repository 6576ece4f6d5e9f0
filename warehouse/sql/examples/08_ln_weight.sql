-- Do LayerNorm weights go with what the feed-forward network reads and writes?
SELECT run_name, layer, side, rho, low, high, inlier_rho, outlier_dims FROM v_ln_weight ORDER BY run_name, layer, side;
