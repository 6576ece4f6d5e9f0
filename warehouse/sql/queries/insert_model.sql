-- One row: the id of the new model.
INSERT INTO model (
    model_id, tokenizer_id,
    name, revision, weights_sha256, family, model_type, placement, component_order, is_causal, n_layer,
    n_head, n_kv_head, d_model, d_ff, activation, is_gated, norm_type, vocab_size, tied_embeddings, seed,
    base_model, n_params
)
SELECT
    coalesce(max(model_id), 0) + 1, $tokenizer_id,
    $name, $revision, $weights_sha256, $family, $model_type, $placement, $component_order, $is_causal,
    $n_layer, $n_head, $n_kv_head, $d_model, $d_ff, $activation, $is_gated, $norm_type, $vocab_size,
    $tied_embeddings, $seed, $base_model, $n_params
FROM model
RETURNING model_id
