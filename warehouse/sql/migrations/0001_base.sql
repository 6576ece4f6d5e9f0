-- The warehouse's own bookkeeping, then models, tokenizers, corpora and runs, and what a run measures: pairs, norms, changes and dimensions.
-- Small tables have primary keys; the large ones have neither keys nor indexes, so that loading stays fast:
-- they are written in sorted order and DuckDB prunes row groups by their minimum and maximum.

CREATE TABLE schema_migration (
    version INTEGER PRIMARY KEY,
    name VARCHAR NOT NULL,
    applied_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE schema_migration IS 'One row per migration that this file has gone through; the highest version is the file''s schema.';
COMMENT ON COLUMN schema_migration.version IS 'Number of the migration, from 1.';
COMMENT ON COLUMN schema_migration.name IS 'Name of the migration''s file.';
COMMENT ON COLUMN schema_migration.applied_at IS 'When it was applied, UTC.';

CREATE TABLE schema_view (
    name VARCHAR PRIMARY KEY,
    sha256 VARCHAR NOT NULL
);
COMMENT ON TABLE schema_view IS 'One row per view of this file, so that views are created again only when their text has changed.';
COMMENT ON COLUMN schema_view.name IS 'Name of the view.';
COMMENT ON COLUMN schema_view.sha256 IS 'SHA-256 of the .sql file that the view was created from.';

CREATE TABLE tokenizer (
    tokenizer_id INTEGER PRIMARY KEY,
    name VARCHAR NOT NULL,
    fingerprint VARCHAR NOT NULL
);
COMMENT ON TABLE tokenizer IS 'One row per tokenizer. Models that share a tokenizer share its vocab and token rows, so their pairs can be compared row by row.';
COMMENT ON COLUMN tokenizer.tokenizer_id IS 'Surrogate id, given when the first run with this tokenizer is registered.';
COMMENT ON COLUMN tokenizer.name IS 'Name or folder the tokenizer was loaded from.';
COMMENT ON COLUMN tokenizer.fingerprint IS 'Hash of the tokenizer''s vocabulary and rules; the natural key.';

CREATE TABLE vocab (
    tokenizer_id INTEGER NOT NULL,
    token_id INTEGER NOT NULL,
    token VARCHAR NOT NULL,
    display VARCHAR NOT NULL,
    is_special BOOLEAN NOT NULL
);
COMMENT ON TABLE vocab IS 'One row per vocabulary item of a tokenizer.';
COMMENT ON COLUMN vocab.tokenizer_id IS 'The tokenizer (tokenizer.tokenizer_id).';
COMMENT ON COLUMN vocab.token_id IS 'The item''s index in the model''s embedding matrix, from 0.';
COMMENT ON COLUMN vocab.token IS 'The item as the tokenizer spells it, with its markers (##ing, Ġthe, ▁the).';
COMMENT ON COLUMN vocab.display IS 'The item as people read it: byte-level and space markers turned back into text.';
COMMENT ON COLUMN vocab.is_special IS 'True for control items such as [CLS], [SEP], <s> and </s>.';

CREATE TABLE model (
    model_id INTEGER PRIMARY KEY,
    name VARCHAR NOT NULL,
    revision VARCHAR,
    weights_sha256 VARCHAR,
    family VARCHAR,
    model_type VARCHAR NOT NULL,
    placement VARCHAR NOT NULL,
    component_order VARCHAR NOT NULL,
    is_causal BOOLEAN NOT NULL,
    n_layer SMALLINT NOT NULL,
    n_head SMALLINT NOT NULL,
    n_kv_head SMALLINT NOT NULL,
    d_model INTEGER NOT NULL,
    d_ff INTEGER NOT NULL,
    activation VARCHAR NOT NULL,
    is_gated BOOLEAN NOT NULL,
    norm_type VARCHAR NOT NULL,
    vocab_size INTEGER NOT NULL,
    tied_embeddings BOOLEAN NOT NULL,
    seed INTEGER,
    base_model VARCHAR,
    tokenizer_id INTEGER NOT NULL,
    n_params BIGINT NOT NULL
);
COMMENT ON TABLE model IS 'One row per model: its name, its exact weights and its architecture. Natural key: all columns but model_id.';
COMMENT ON COLUMN model.model_id IS 'Surrogate id, given when the first run of this model is registered.';
COMMENT ON COLUMN model.name IS 'Hub id, folder or file the model was loaded from, or the name given to it.';
COMMENT ON COLUMN model.revision IS 'Hub commit or branch; NULL for local folders.';
COMMENT ON COLUMN model.weights_sha256 IS 'SHA-256 of the weight files: two models with the same name and other weights are two rows.';
COMMENT ON COLUMN model.family IS 'Group for statistics over seeds and sizes (--family, or inferred from the name); NULL when unknown.';
COMMENT ON COLUMN model.model_type IS 'Architecture as its configuration names it: bert, gpt2, llama, ...';
COMMENT ON COLUMN model.placement IS 'Where layer normalisation stands: post_ln (BERT), pre_ln (GPT-2, Llama) or parallel (GPT-NeoX).';
COMMENT ON COLUMN model.component_order IS 'Order of the feed-forward block''s components: FF,RES,LN in Post-LN; LN,FF,RES in Pre-LN.';
COMMENT ON COLUMN model.is_causal IS 'True when a query sees only keys at its own or an earlier position; such runs store only those pairs.';
COMMENT ON COLUMN model.n_layer IS 'Number of Transformer layers.';
COMMENT ON COLUMN model.n_head IS 'Attention heads per layer.';
COMMENT ON COLUMN model.n_kv_head IS 'Key/value heads per layer; fewer than n_head in grouped-query attention.';
COMMENT ON COLUMN model.d_model IS 'Width of the hidden state, in dimensions.';
COMMENT ON COLUMN model.d_ff IS 'Width of the feed-forward block''s hidden layer, in neurons.';
COMMENT ON COLUMN model.activation IS 'The feed-forward block''s activation function, as the configuration names it.';
COMMENT ON COLUMN model.is_gated IS 'True for gated feed-forward blocks (SwiGLU, GeGLU).';
COMMENT ON COLUMN model.norm_type IS 'Kind of normalisation: LayerNorm or RMSNorm, as ingest names it.';
COMMENT ON COLUMN model.vocab_size IS 'Rows of the embedding matrix; may exceed the tokenizer''s items (padding).';
COMMENT ON COLUMN model.tied_embeddings IS 'True when input and output embeddings are one matrix.';
COMMENT ON COLUMN model.seed IS 'Training seed (--seed, or inferred from the name); NULL when unknown.';
COMMENT ON COLUMN model.base_model IS 'Model this one was fine-tuned from; NULL when unknown or none.';
COMMENT ON COLUMN model.tokenizer_id IS 'The model''s tokenizer (tokenizer.tokenizer_id).';
COMMENT ON COLUMN model.n_params IS 'Number of parameters.';

CREATE TABLE corpus (
    corpus_id INTEGER PRIMARY KEY,
    name VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    license VARCHAR,
    annotation VARCHAR,
    n_sequences BIGINT
);
COMMENT ON TABLE corpus IS 'One row per corpus. Natural key: sha256 of its content.';
COMMENT ON COLUMN corpus.corpus_id IS 'Surrogate id, given when the first run over this corpus is registered.';
COMMENT ON COLUMN corpus.name IS 'Short name, as given or taken from the file''s name.';
COMMENT ON COLUMN corpus.source IS 'File, hub data set or package the text came from.';
COMMENT ON COLUMN corpus.sha256 IS 'SHA-256 of the corpus''s content; the natural key.';
COMMENT ON COLUMN corpus.license IS 'Licence of the text where it is known.';
COMMENT ON COLUMN corpus.annotation IS 'Source of word-level annotation; none when there is none.';
COMMENT ON COLUMN corpus.n_sequences IS 'Sequences in the corpus.';

CREATE TABLE sequence (
    corpus_id INTEGER NOT NULL,
    seq_id INTEGER NOT NULL,
    text VARCHAR NOT NULL,
    label VARCHAR,
    source_id VARCHAR
);
COMMENT ON TABLE sequence IS 'One row per text of a corpus that at least one run has used.';
COMMENT ON COLUMN sequence.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN sequence.seq_id IS 'Number of the text in its corpus, from 0.';
COMMENT ON COLUMN sequence.text IS 'The text that the model saw: a text that was cut or split is stored so.';
COMMENT ON COLUMN sequence.label IS 'Label of the text (--label-column); NULL when there is none.';
COMMENT ON COLUMN sequence.source_id IS 'The source''s own id of the text, such as sent_id in CoNLL-U; NULL when there is none.';

CREATE TABLE token (
    tokenizer_id INTEGER NOT NULL,
    corpus_id INTEGER NOT NULL,
    seq_id INTEGER NOT NULL,
    pos SMALLINT NOT NULL,
    token_id INTEGER NOT NULL,
    char_start INTEGER,
    char_end INTEGER,
    is_special BOOLEAN NOT NULL
);
COMMENT ON TABLE token IS 'One row per token position of a corpus''s sequence under one tokenizer, special tokens included.';
COMMENT ON COLUMN token.tokenizer_id IS 'The tokenizer (tokenizer.tokenizer_id).';
COMMENT ON COLUMN token.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN token.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN token.pos IS 'Position in the sequence, from 0: what query, key and pos mean in the other tables.';
COMMENT ON COLUMN token.token_id IS 'Vocabulary item at this position (vocab.token_id).';
COMMENT ON COLUMN token.char_start IS 'First character of the token in sequence.text, from 0; NULL when the tokenizer gives no offsets.';
COMMENT ON COLUMN token.char_end IS 'Character after the token''s last one in sequence.text; NULL when the tokenizer gives no offsets.';
COMMENT ON COLUMN token.is_special IS 'True for special tokens, added by the tokenizer ([CLS], [SEP], <s>) or spelled out in the text; their pairs are outside the content filter.';

CREATE SEQUENCE run_ids;  -- an id is not given twice, not even after its run was removed
CREATE TABLE run (
    run_id INTEGER PRIMARY KEY,
    name VARCHAR NOT NULL,
    fingerprint VARCHAR NOT NULL,
    model_id INTEGER NOT NULL,
    corpus_id INTEGER NOT NULL,
    options VARCHAR NOT NULL,
    method_version VARCHAR NOT NULL,
    lenshouse_version VARCHAR NOT NULL,
    torch_version VARCHAR NOT NULL,
    transformers_version VARCHAR NOT NULL,
    device VARCHAR NOT NULL,
    dtype VARCHAR NOT NULL,
    status VARCHAR NOT NULL CHECK (status IN ('running', 'complete')),
    started_at TIMESTAMP NOT NULL,
    finished_at TIMESTAMP,
    n_sequences BIGINT NOT NULL,
    n_truncated BIGINT NOT NULL,
    n_chunked BIGINT NOT NULL,
    n_skipped BIGINT NOT NULL,
    n_tokens BIGINT NOT NULL,
    n_pairs BIGINT NOT NULL,
    seconds_tokenize DOUBLE NOT NULL,
    seconds_forward DOUBLE,
    seconds_core DOUBLE,
    seconds_write DOUBLE,
    seconds_load DOUBLE NOT NULL DEFAULT 0,
    max_completeness_error DOUBLE
);
COMMENT ON TABLE run IS 'One row per run: one model over one corpus with one set of options. The views show it once its status is complete.';
COMMENT ON COLUMN run.run_id IS 'Surrogate id, given when the run is registered.';
COMMENT ON COLUMN run.name IS 'Name of the run, MODEL on CORPUS; several runs may bear the same name.';
COMMENT ON COLUMN run.fingerprint IS 'Hash of everything that decides the numbers: weights, corpus, tokenizer, options, method_version. Names the parts folder.';
COMMENT ON COLUMN run.model_id IS 'The model (model.model_id).';
COMMENT ON COLUMN run.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN run.options IS 'The options that decide the numbers, as JSON text: read one with options->>''max_tokens''.';
COMMENT ON COLUMN run.method_version IS 'Version of the method: it changes whenever the same model and text would give other numbers.';
COMMENT ON COLUMN run.lenshouse_version IS 'Lenshouse version that computed the run.';
COMMENT ON COLUMN run.torch_version IS 'PyTorch version that computed the run.';
COMMENT ON COLUMN run.transformers_version IS 'Transformers version that loaded the model.';
COMMENT ON COLUMN run.device IS 'Device of the forward passes: cpu, cuda, ...';
COMMENT ON COLUMN run.dtype IS 'Floating-point type of the model''s forward pass; attributions accumulate in float32.';
COMMENT ON COLUMN run.status IS 'running until every shard is loaded and counted, then complete.';
COMMENT ON COLUMN run.started_at IS 'When the job first began, UTC.';
COMMENT ON COLUMN run.finished_at IS 'When the last part was written, UTC; NULL while running.';
COMMENT ON COLUMN run.n_sequences IS 'Sequences analysed.';
COMMENT ON COLUMN run.n_truncated IS 'Texts cut to the maximum length.';
COMMENT ON COLUMN run.n_chunked IS 'Texts that were split into several sequences.';
COMMENT ON COLUMN run.n_skipped IS 'Texts left out: empty, only whitespace, or without a token.';
COMMENT ON COLUMN run.n_tokens IS 'Token positions analysed, special tokens included; each layer counts them once.';
COMMENT ON COLUMN run.n_pairs IS 'Rows of token_pair that the run has when it is complete, over all layers.';
COMMENT ON COLUMN run.seconds_tokenize IS 'Wall seconds of reading and tokenising the corpus.';
COMMENT ON COLUMN run.seconds_forward IS 'Wall seconds of the model''s forward passes, summed over shards; NULL while running.';
COMMENT ON COLUMN run.seconds_core IS 'Wall seconds of computing maps, norms and changes, summed over shards; NULL while running.';
COMMENT ON COLUMN run.seconds_write IS 'Wall seconds of writing Parquet parts, summed over shards; NULL while running.';
COMMENT ON COLUMN run.seconds_load IS 'Wall seconds of loading parts into this file, summed over shards.';
COMMENT ON COLUMN run.max_completeness_error IS 'Largest token_norm.completeness_error of the run; NULL while running.';

CREATE TABLE loaded_part (
    run_id INTEGER NOT NULL,
    shard INTEGER NOT NULL,
    loaded_at TIMESTAMP NOT NULL,
    rows BIGINT NOT NULL,
    PRIMARY KEY (run_id, shard)
);
COMMENT ON TABLE loaded_part IS 'One row per shard of a run whose rows are in this file, written in the same transaction as the rows.';
COMMENT ON COLUMN loaded_part.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN loaded_part.shard IS 'Number of the shard in the run, from 0.';
COMMENT ON COLUMN loaded_part.loaded_at IS 'When the shard was loaded, UTC.';
COMMENT ON COLUMN loaded_part.rows IS 'Rows the shard brought into token_pair.';

CREATE TABLE token_pair (
    run_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    seq_id INTEGER NOT NULL,
    query SMALLINT NOT NULL,
    key SMALLINT NOT NULL,
    attn REAL NOT NULL,
    attn_norm REAL NOT NULL,
    atb REAL NOT NULL,
    after_ff REAL NOT NULL,
    after_res REAL NOT NULL,
    after_ln REAL NOT NULL
);
COMMENT ON TABLE token_pair IS 'One row per run, layer, sequence, query and key: the attention maps. A map value is the L2 norm of the vector that the key token contributes to the query position. Causal models store key <= query only. Holds rows of runs that are still under way too; the views do not.';
COMMENT ON COLUMN token_pair.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN token_pair.layer IS 'Layer, from 1.';
COMMENT ON COLUMN token_pair.seq_id IS 'The sequence (sequence.seq_id of the run''s corpus).';
COMMENT ON COLUMN token_pair.query IS 'Position that receives, from 0 (token.pos).';
COMMENT ON COLUMN token_pair.key IS 'Position that contributes, from 0 (token.pos).';
COMMENT ON COLUMN token_pair.attn IS 'Raw attention weight, mean over heads of alpha^h_ij; sums to 1 over the keys of a query.';
COMMENT ON COLUMN token_pair.attn_norm IS '||sum_h alpha^h_ij f^h(x_j)||, f^h(x_j) = (v_j W_V^h + b_V^h) W_O^h: attention output without the residual (Kobayashi et al. 2020).';
COMMENT ON COLUMN token_pair.atb IS 'Norm of key j''s part after the attention block: attention and residual, and the LayerNorm after it in Post-LN (ATB in Kobayashi et al. 2024).';
COMMENT ON COLUMN token_pair.after_ff IS 'Norm of key j''s part after the feed-forward network, by integrated gradients in closed form (ATBFF; ATBLNFF in Pre-LN).';
COMMENT ON COLUMN token_pair.after_res IS 'Norm of key j''s part after the residual connection around the feed-forward network (ATBFFRES; ATBLNFFRES in Pre-LN).';
COMMENT ON COLUMN token_pair.after_ln IS 'Norm of key j''s part after the feed-forward block''s LayerNorm: the last stage in Post-LN (ATBFFRESLN), the first in Pre-LN (ATBLN).';

CREATE TABLE token_norm (
    run_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    seq_id INTEGER NOT NULL,
    pos SMALLINT NOT NULL,
    norm_input REAL NOT NULL,
    norm_attn_out REAL NOT NULL,
    norm_y REAL NOT NULL,
    norm_ff_in REAL NOT NULL,
    norm_ff_out REAL NOT NULL,
    norm_sum REAL NOT NULL,
    norm_output REAL NOT NULL,
    const_atb REAL NOT NULL,
    const_after_ff REAL NOT NULL,
    const_after_res REAL NOT NULL,
    const_after_ln REAL NOT NULL,
    mix_atb REAL,
    mix_after_ff REAL,
    mix_after_res REAL,
    mix_after_ln REAL,
    cos_ff_res REAL,
    completeness_error REAL NOT NULL
);
COMMENT ON TABLE token_norm IS 'One row per run, layer, sequence and position: L2 norms of the states, mixing ratios, and how exactly the parts sum to the model''s own state. Holds rows of runs that are still under way too; the views do not.';
COMMENT ON COLUMN token_norm.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN token_norm.layer IS 'Layer, from 1.';
COMMENT ON COLUMN token_norm.seq_id IS 'The sequence (sequence.seq_id of the run''s corpus).';
COMMENT ON COLUMN token_norm.pos IS 'Position, from 0 (token.pos).';
COMMENT ON COLUMN token_norm.norm_input IS 'L2 norm of the layer''s input x_i.';
COMMENT ON COLUMN token_norm.norm_attn_out IS 'L2 norm of the attention output with its bias b_O, before the residual.';
COMMENT ON COLUMN token_norm.norm_y IS 'L2 norm of y_i: attention output plus residual.';
COMMENT ON COLUMN token_norm.norm_ff_in IS 'L2 norm of the feed-forward network''s input.';
COMMENT ON COLUMN token_norm.norm_ff_out IS 'L2 norm of the feed-forward network''s output, before the residual.';
COMMENT ON COLUMN token_norm.norm_sum IS 'L2 norm of feed-forward output plus residual.';
COMMENT ON COLUMN token_norm.norm_output IS 'L2 norm of the layer''s output.';
COMMENT ON COLUMN token_norm.const_atb IS 'L2 norm of the constant (bias) vector after the attention block.';
COMMENT ON COLUMN token_norm.const_after_ff IS 'L2 norm of the constant (bias) vector after the feed-forward network.';
COMMENT ON COLUMN token_norm.const_after_res IS 'L2 norm of the constant (bias) vector after the residual connection.';
COMMENT ON COLUMN token_norm.const_after_ln IS 'L2 norm of the constant (bias) vector after the feed-forward block''s LayerNorm.';
COMMENT ON COLUMN token_norm.mix_atb IS 'Mixing ratio after the attention block, 0 to 1: ||sum_{j != i} v_ij|| / (||sum_{j != i} v_ij|| + ||v_ii||) (Kobayashi et al. 2021); NULL where both are zero.';
COMMENT ON COLUMN token_norm.mix_after_ff IS 'Mixing ratio after the feed-forward network, 0 to 1; NULL where undefined.';
COMMENT ON COLUMN token_norm.mix_after_res IS 'Mixing ratio after the residual connection, 0 to 1; NULL where undefined.';
COMMENT ON COLUMN token_norm.mix_after_ln IS 'Mixing ratio after the feed-forward block''s LayerNorm, 0 to 1; NULL where undefined.';
COMMENT ON COLUMN token_norm.cos_ff_res IS 'Cosine between the feed-forward output and the residual it is added to, -1 to 1; negative means that they cancel. NULL where either is zero.';
COMMENT ON COLUMN token_norm.completeness_error IS '||sum of parts + constant - the model''s own state|| / ||the model''s own state|| at the layer''s output: near 1e-6 in float32.';

CREATE TABLE map_change (
    run_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    seq_id INTEGER NOT NULL,
    component VARCHAR NOT NULL,
    pair_filter VARCHAR NOT NULL,
    spearman DOUBLE,
    n_pairs INTEGER NOT NULL
);
COMMENT ON TABLE map_change IS 'One row per run, layer, sequence, component and pair filter: how alike the maps before and after the component are. Change is 1 - spearman. Holds rows of runs that are still under way too; the views do not.';
COMMENT ON COLUMN map_change.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN map_change.layer IS 'Layer, from 1.';
COMMENT ON COLUMN map_change.seq_id IS 'The sequence (sequence.seq_id of the run''s corpus).';
COMMENT ON COLUMN map_change.component IS 'FF, RES or LN: the maps before and after it in the model''s order. BLOCK: atb against the layer''s last map, what survives of the feed-forward block.';
COMMENT ON COLUMN map_change.pair_filter IS 'all: every pair; content: no special token on either side; offdiag: content and query != key. Causal models: key <= query.';
COMMENT ON COLUMN map_change.spearman IS 'Spearman''s rho of the two flattened maps, average ranks for ties, -1 to 1; NULL with fewer than two pairs or a constant map.';
COMMENT ON COLUMN map_change.n_pairs IS 'Pairs that passed the filter.';

CREATE TABLE layer_dim (
    run_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    dim INTEGER NOT NULL,
    n_tokens BIGINT NOT NULL,
    ln_attn_gamma DOUBLE,
    ln_attn_beta DOUBLE,
    ln_ff_gamma DOUBLE,
    ln_ff_beta DOUBLE,
    ff_in_mean_abs DOUBLE NOT NULL,
    ff_in_mean DOUBLE NOT NULL,
    ff_in_std DOUBLE NOT NULL,
    ff_out_mean_abs DOUBLE NOT NULL,
    ff_out_mean DOUBLE NOT NULL,
    ff_out_std DOUBLE NOT NULL,
    residual_mean_abs DOUBLE NOT NULL,
    residual_mean DOUBLE NOT NULL,
    residual_std DOUBLE NOT NULL,
    output_mean_abs DOUBLE NOT NULL,
    output_mean DOUBLE NOT NULL,
    output_std DOUBLE NOT NULL
);
COMMENT ON TABLE layer_dim IS 'One row per run, layer and hidden dimension: LayerNorm weights, and moments of the states over the run''s tokens. Filled when the run completes.';
COMMENT ON COLUMN layer_dim.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN layer_dim.layer IS 'Layer, from 1.';
COMMENT ON COLUMN layer_dim.dim IS 'Dimension of the hidden state, from 0.';
COMMENT ON COLUMN layer_dim.n_tokens IS 'Tokens that the moments are over.';
COMMENT ON COLUMN layer_dim.ln_attn_gamma IS 'Weight of the attention block''s normalisation in this dimension; NULL when it has none.';
COMMENT ON COLUMN layer_dim.ln_attn_beta IS 'Bias of the attention block''s normalisation in this dimension; NULL when it has none (RMSNorm).';
COMMENT ON COLUMN layer_dim.ln_ff_gamma IS 'Weight of the feed-forward block''s normalisation in this dimension; NULL when it has none.';
COMMENT ON COLUMN layer_dim.ln_ff_beta IS 'Bias of the feed-forward block''s normalisation in this dimension; NULL when it has none (RMSNorm).';
COMMENT ON COLUMN layer_dim.ff_in_mean_abs IS 'Mean absolute value of the feed-forward network''s input in this dimension.';
COMMENT ON COLUMN layer_dim.ff_in_mean IS 'Mean of the feed-forward network''s input in this dimension.';
COMMENT ON COLUMN layer_dim.ff_in_std IS 'Population standard deviation of the feed-forward network''s input in this dimension.';
COMMENT ON COLUMN layer_dim.ff_out_mean_abs IS 'Mean absolute value of the feed-forward network''s output in this dimension.';
COMMENT ON COLUMN layer_dim.ff_out_mean IS 'Mean of the feed-forward network''s output in this dimension.';
COMMENT ON COLUMN layer_dim.ff_out_std IS 'Population standard deviation of the feed-forward network''s output in this dimension.';
COMMENT ON COLUMN layer_dim.residual_mean_abs IS 'Mean absolute value of the residual that the feed-forward output is added to, in this dimension.';
COMMENT ON COLUMN layer_dim.residual_mean IS 'Mean of the residual that the feed-forward output is added to, in this dimension.';
COMMENT ON COLUMN layer_dim.residual_std IS 'Population standard deviation of the residual that the feed-forward output is added to, in this dimension.';
COMMENT ON COLUMN layer_dim.output_mean_abs IS 'Mean absolute value of the layer''s output in this dimension.';
COMMENT ON COLUMN layer_dim.output_mean IS 'Mean of the layer''s output in this dimension.';
COMMENT ON COLUMN layer_dim.output_std IS 'Population standard deviation of the layer''s output in this dimension.';

CREATE TABLE layer_dim_part (
    run_id INTEGER NOT NULL,
    shard INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    dim INTEGER NOT NULL,
    n_tokens BIGINT NOT NULL,
    ff_in_mean_abs DOUBLE NOT NULL,
    ff_in_mean DOUBLE NOT NULL,
    ff_in_m2 DOUBLE NOT NULL,
    ff_out_mean_abs DOUBLE NOT NULL,
    ff_out_mean DOUBLE NOT NULL,
    ff_out_m2 DOUBLE NOT NULL,
    residual_mean_abs DOUBLE NOT NULL,
    residual_mean DOUBLE NOT NULL,
    residual_m2 DOUBLE NOT NULL,
    output_mean_abs DOUBLE NOT NULL,
    output_mean DOUBLE NOT NULL,
    output_m2 DOUBLE NOT NULL
);
COMMENT ON TABLE layer_dim_part IS 'One row per run, shard, layer and dimension: moments over a shard''s tokens, kept until the run completes and then merged into layer_dim. Internal.';
COMMENT ON COLUMN layer_dim_part.run_id IS 'The run (run.run_id), still running.';
COMMENT ON COLUMN layer_dim_part.shard IS 'Number of the shard in the run, from 0.';
COMMENT ON COLUMN layer_dim_part.layer IS 'Layer, from 1.';
COMMENT ON COLUMN layer_dim_part.dim IS 'Dimension of the hidden state, from 0.';
COMMENT ON COLUMN layer_dim_part.n_tokens IS 'Tokens of the shard.';
COMMENT ON COLUMN layer_dim_part.ff_in_mean_abs IS 'Mean absolute value of the feed-forward network''s input over the shard.';
COMMENT ON COLUMN layer_dim_part.ff_in_mean IS 'Mean of the feed-forward network''s input over the shard.';
COMMENT ON COLUMN layer_dim_part.ff_in_m2 IS 'Sum of squared deviations of the feed-forward network''s input from the shard''s mean.';
COMMENT ON COLUMN layer_dim_part.ff_out_mean_abs IS 'Mean absolute value of the feed-forward network''s output over the shard.';
COMMENT ON COLUMN layer_dim_part.ff_out_mean IS 'Mean of the feed-forward network''s output over the shard.';
COMMENT ON COLUMN layer_dim_part.ff_out_m2 IS 'Sum of squared deviations of the feed-forward network''s output from the shard''s mean.';
COMMENT ON COLUMN layer_dim_part.residual_mean_abs IS 'Mean absolute value of the residual over the shard.';
COMMENT ON COLUMN layer_dim_part.residual_mean IS 'Mean of the residual over the shard.';
COMMENT ON COLUMN layer_dim_part.residual_m2 IS 'Sum of squared deviations of the residual from the shard''s mean.';
COMMENT ON COLUMN layer_dim_part.output_mean_abs IS 'Mean absolute value of the layer''s output over the shard.';
COMMENT ON COLUMN layer_dim_part.output_mean IS 'Mean of the layer''s output over the shard.';
COMMENT ON COLUMN layer_dim_part.output_m2 IS 'Sum of squared deviations of the layer''s output from the shard''s mean.';
