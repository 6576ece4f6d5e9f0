-- One row per complete run, with its model, tokenizer and corpus and everything that tells how it was made.
CREATE VIEW v_run AS
WITH source AS (
    SELECT * FROM run WHERE status = 'complete'
),
final AS (
    SELECT
        source.run_id, source.name AS run_name, source.fingerprint,
        model.model_id, model.name AS model_name, model.revision, model.weights_sha256, model.family, model.seed,
        model.base_model, model.model_type, model.placement, model.component_order, model.is_causal,
        model.n_layer, model.n_head, model.n_kv_head, model.d_model, model.d_ff, model.activation, model.is_gated,
        model.norm_type, model.vocab_size, model.tied_embeddings, model.n_params,
        tokenizer.tokenizer_id, tokenizer.name AS tokenizer_name,
        corpus.corpus_id, corpus.name AS corpus_name, corpus.source AS corpus_source, corpus.sha256 AS corpus_sha256,
        corpus.license AS corpus_license, corpus.annotation AS corpus_annotation,
        source.options, source.method_version, source.lenshouse_version, source.torch_version,
        source.transformers_version, source.device, source.dtype, source.started_at, source.finished_at,
        source.n_sequences, source.n_truncated, source.n_chunked, source.n_skipped, source.n_tokens, source.n_pairs,
        source.seconds_tokenize, source.seconds_forward, source.seconds_core, source.seconds_write,
        source.seconds_load, source.max_completeness_error
    FROM source
    JOIN model ON model.model_id = source.model_id
    JOIN tokenizer ON tokenizer.tokenizer_id = model.tokenizer_id
    JOIN corpus ON corpus.corpus_id = source.corpus_id
)
SELECT * FROM final;

COMMENT ON VIEW v_run IS 'One row per complete run, with its model, tokenizer and corpus and everything that tells how it was made.';
COMMENT ON COLUMN v_run.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_run.run_name IS 'Name of the run, MODEL on CORPUS.';
COMMENT ON COLUMN v_run.fingerprint IS 'Hash of everything that decides the run''s numbers.';
COMMENT ON COLUMN v_run.model_id IS 'The model (model.model_id).';
COMMENT ON COLUMN v_run.model_name IS 'Hub id, folder or name of the model.';
COMMENT ON COLUMN v_run.revision IS 'Hub commit or branch of the model; NULL for local folders.';
COMMENT ON COLUMN v_run.weights_sha256 IS 'SHA-256 of the weight files.';
COMMENT ON COLUMN v_run.family IS 'Group for statistics over seeds and sizes; NULL when unknown.';
COMMENT ON COLUMN v_run.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_run.base_model IS 'Model that this one was fine-tuned from; NULL when unknown or none.';
COMMENT ON COLUMN v_run.model_type IS 'Architecture as its configuration names it.';
COMMENT ON COLUMN v_run.placement IS 'post_ln, pre_ln or parallel.';
COMMENT ON COLUMN v_run.component_order IS 'Order of FF, RES and LN in the feed-forward block.';
COMMENT ON COLUMN v_run.is_causal IS 'True when a query sees only its own and earlier positions.';
COMMENT ON COLUMN v_run.n_layer IS 'Number of layers.';
COMMENT ON COLUMN v_run.n_head IS 'Attention heads per layer.';
COMMENT ON COLUMN v_run.n_kv_head IS 'Key/value heads per layer.';
COMMENT ON COLUMN v_run.d_model IS 'Width of the hidden state, in dimensions.';
COMMENT ON COLUMN v_run.d_ff IS 'Width of the feed-forward block, in neurons.';
COMMENT ON COLUMN v_run.activation IS 'Activation function of the feed-forward block.';
COMMENT ON COLUMN v_run.is_gated IS 'True for gated feed-forward blocks.';
COMMENT ON COLUMN v_run.norm_type IS 'Kind of normalisation.';
COMMENT ON COLUMN v_run.vocab_size IS 'Rows of the embedding matrix.';
COMMENT ON COLUMN v_run.tied_embeddings IS 'True when input and output embeddings are one matrix.';
COMMENT ON COLUMN v_run.n_params IS 'Number of parameters.';
COMMENT ON COLUMN v_run.tokenizer_id IS 'The tokenizer (tokenizer.tokenizer_id); runs that share it can be compared pair by pair.';
COMMENT ON COLUMN v_run.tokenizer_name IS 'Name of the tokenizer.';
COMMENT ON COLUMN v_run.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN v_run.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_run.corpus_source IS 'File, data set or package that the text came from.';
COMMENT ON COLUMN v_run.corpus_sha256 IS 'SHA-256 of the corpus''s content.';
COMMENT ON COLUMN v_run.corpus_license IS 'Licence of the text where it is known.';
COMMENT ON COLUMN v_run.corpus_annotation IS 'Source of word-level annotation (annotation.source); none when there is none.';
COMMENT ON COLUMN v_run.options IS 'The options that decide the numbers, as JSON text.';
COMMENT ON COLUMN v_run.method_version IS 'Version of the method.';
COMMENT ON COLUMN v_run.lenshouse_version IS 'Lenshouse version that computed the run.';
COMMENT ON COLUMN v_run.torch_version IS 'PyTorch version that computed the run.';
COMMENT ON COLUMN v_run.transformers_version IS 'Transformers version that loaded the model.';
COMMENT ON COLUMN v_run.device IS 'Device of the forward passes.';
COMMENT ON COLUMN v_run.dtype IS 'Floating-point type of the computation.';
COMMENT ON COLUMN v_run.started_at IS 'When the job first began, UTC.';
COMMENT ON COLUMN v_run.finished_at IS 'When the last part was written, UTC.';
COMMENT ON COLUMN v_run.n_sequences IS 'Sequences analysed.';
COMMENT ON COLUMN v_run.n_truncated IS 'Texts cut to the maximum length.';
COMMENT ON COLUMN v_run.n_chunked IS 'Texts that were split into several sequences.';
COMMENT ON COLUMN v_run.n_skipped IS 'Texts left out: empty, only whitespace, or without a token.';
COMMENT ON COLUMN v_run.n_tokens IS 'Token positions analysed, special tokens included.';
COMMENT ON COLUMN v_run.n_pairs IS 'Rows of token_pair, over all layers.';
COMMENT ON COLUMN v_run.seconds_tokenize IS 'Wall seconds of reading and tokenising the corpus.';
COMMENT ON COLUMN v_run.seconds_forward IS 'Wall seconds of the model''s forward passes.';
COMMENT ON COLUMN v_run.seconds_core IS 'Wall seconds of computing maps, norms and changes.';
COMMENT ON COLUMN v_run.seconds_write IS 'Wall seconds of writing Parquet parts.';
COMMENT ON COLUMN v_run.seconds_load IS 'Wall seconds of loading parts into this file.';
COMMENT ON COLUMN v_run.max_completeness_error IS 'Largest relative completeness error of the run.';
