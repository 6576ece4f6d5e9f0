-- One row per layer of run $run_id and kind of token: the mean mixing ratio after $stage.
SELECT layer, kind, value, low, high, n_tokens, n_sequences
FROM v_mixing_by_kind
WHERE run_id = $run_id AND stage = $stage
ORDER BY kind, layer
