-- One row per complete run: what the parts of the analysis need to know of it.
SELECT run_id, run_name, fingerprint, corpus_id, tokenizer_id, placement, n_layer, n_sequences
FROM v_run
ORDER BY run_id
