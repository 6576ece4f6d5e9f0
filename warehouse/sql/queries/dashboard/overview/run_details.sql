-- One row: everything recorded of run $run_id, complete or not.
SELECT
    run.name AS run_name, run.status, model.name AS model_name, model.revision, model.weights_sha256, model.family,
    model.seed, model.base_model, model.model_type, model.placement, model.component_order, model.is_causal,
    model.n_layer, model.n_head, model.d_model, model.d_ff, model.activation, model.norm_type, model.n_params,
    tokenizer.name AS tokenizer_name, tokenizer.fingerprint AS tokenizer_fingerprint,
    corpus.name AS corpus_name, corpus.source AS corpus_source, corpus.sha256 AS corpus_sha256, corpus.license,
    annotation.source AS annotation, annotation.version AS annotation_version, run.options, run.method_version,
    run.lenshouse_version, run.torch_version, run.transformers_version, run.device, run.dtype,
    run.started_at, run.finished_at, run.n_sequences, run.n_truncated, run.n_chunked, run.n_skipped, run.n_tokens,
    run.n_pairs, run.max_completeness_error, run.fingerprint
FROM run
JOIN model ON model.model_id = run.model_id
JOIN tokenizer ON tokenizer.tokenizer_id = model.tokenizer_id
JOIN corpus ON corpus.corpus_id = run.corpus_id
LEFT JOIN annotation ON annotation.corpus_id = run.corpus_id
WHERE run.run_id = $run_id
