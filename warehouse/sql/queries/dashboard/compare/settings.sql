-- One row per run of the list $runs: the model, its shape, the options and the versions that made the run.
SELECT
    run_id, model_name, revision, weights_sha256, family, seed, base_model, model_type, placement, component_order,
    is_causal, n_layer, n_head, n_kv_head, d_model, d_ff, activation, is_gated, norm_type, vocab_size, tied_embeddings,
    n_params, tokenizer_name, corpus_name, corpus_sha256, corpus_annotation, method_version, lenshouse_version,
    torch_version, transformers_version, device, dtype, n_sequences, n_truncated, n_chunked, n_skipped, n_tokens, n_pairs,
    options
FROM v_run
WHERE list_contains($runs, run_id)
ORDER BY run_id
