-- One row per layer and dimension of a run, in order. Parameter: run_id.
SELECT layer, dim, ln_ff_gamma, ff_in_mean_abs, ff_out_mean_abs
FROM layer_dim
WHERE run_id = $run_id
ORDER BY layer, dim
