-- One row: the model that is the same in every column, if it is known.
SELECT model_id
FROM model
WHERE name IS NOT DISTINCT FROM $name
    AND revision IS NOT DISTINCT FROM $revision
    AND weights_sha256 IS NOT DISTINCT FROM $weights_sha256
    AND family IS NOT DISTINCT FROM $family
    AND seed IS NOT DISTINCT FROM $seed
    AND model_type IS NOT DISTINCT FROM $model_type
    AND placement IS NOT DISTINCT FROM $placement
    AND component_order IS NOT DISTINCT FROM $component_order
    AND is_causal IS NOT DISTINCT FROM $is_causal
    AND n_layer IS NOT DISTINCT FROM $n_layer
    AND n_head IS NOT DISTINCT FROM $n_head
    AND n_kv_head IS NOT DISTINCT FROM $n_kv_head
    AND d_model IS NOT DISTINCT FROM $d_model
    AND d_ff IS NOT DISTINCT FROM $d_ff
    AND activation IS NOT DISTINCT FROM $activation
    AND is_gated IS NOT DISTINCT FROM $is_gated
    AND norm_type IS NOT DISTINCT FROM $norm_type
    AND vocab_size IS NOT DISTINCT FROM $vocab_size
    AND tied_embeddings IS NOT DISTINCT FROM $tied_embeddings
    AND base_model IS NOT DISTINCT FROM $base_model
    AND n_params IS NOT DISTINCT FROM $n_params
    AND tokenizer_id IS NOT DISTINCT FROM $tokenizer_id
