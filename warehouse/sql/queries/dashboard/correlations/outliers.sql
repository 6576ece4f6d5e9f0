-- One row per outlier dimension in layer $layer of run $run_id.
SELECT unnest(outlier_dims) AS dim FROM v_ln_weight WHERE run_id = $run_id AND layer = $layer AND side = 'ff_in' ORDER BY dim
