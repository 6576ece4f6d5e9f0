-- One row per layer of run $run_id: quantiles over sequences of the change by $component.
SELECT layer, n_sequences, least, q05, q25, median, q75, q95, greatest
FROM v_change_quantiles
WHERE run_id = $run_id AND component = $component AND pair_filter = $pair_filter
ORDER BY layer
