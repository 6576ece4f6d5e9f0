-- One row per layer of run $run_id and sequence: its change by $component.
SELECT layer, seq_id, change, distance
FROM v_change_by_sequence
WHERE run_id = $run_id AND component = $component AND pair_filter = $pair_filter
ORDER BY layer, seq_id
