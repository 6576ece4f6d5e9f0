-- One row per model: its weights, its architecture, and how many runs it has.
SELECT
    model.model_id, model.name AS model_name, model.revision, model.family, model.seed, model.base_model,
    model.model_type, model.placement, model.is_causal, model.n_layer, model.n_head, model.n_kv_head, model.d_model,
    model.d_ff, model.activation, model.is_gated, model.norm_type, model.vocab_size, model.tied_embeddings,
    model.n_params, tokenizer.name AS tokenizer_name, model.weights_sha256,
    (SELECT count(*) FROM run WHERE run.model_id = model.model_id) AS n_runs
FROM model
JOIN tokenizer ON tokenizer.tokenizer_id = model.tokenizer_id
ORDER BY model.model_id
