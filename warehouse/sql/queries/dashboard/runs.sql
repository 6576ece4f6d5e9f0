-- One row per complete run, for the lists that pages choose from.
SELECT
    run_id, run_name, model_id, model_name, family, seed, corpus_id, corpus_name, tokenizer_id,
    placement, component_order, is_causal, n_layer, n_head, corpus_annotation, n_sequences, n_tokens
FROM v_run
ORDER BY run_id
