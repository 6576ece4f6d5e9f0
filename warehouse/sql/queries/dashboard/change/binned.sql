-- One row per layer of run $run_id and bin of the change by $component that holds a sequence: bins are 0.02 wide.
SELECT
    layer, floor(change * 50) / 50 AS change_from, floor(change * 50) / 50 + 0.02 AS change_to, count(*) AS n_sequences
FROM v_change_by_sequence
WHERE run_id = $run_id AND component = $component AND pair_filter = $pair_filter
GROUP BY layer, floor(change * 50)
ORDER BY layer, change_from
