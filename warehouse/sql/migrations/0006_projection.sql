-- Parameters read as vocabulary items (lenshouse project).

CREATE TABLE vocab_filter (
    tokenizer_id INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    definition VARCHAR NOT NULL,
    n_items INTEGER NOT NULL,
    ids_sha256 VARCHAR NOT NULL
);
COMMENT ON TABLE vocab_filter IS 'Which vocabulary items took part in projections: one row per tokenizer and filter. A name stands for the same items in all models of a tokenizer.';
COMMENT ON COLUMN vocab_filter.tokenizer_id IS 'The tokenizer (tokenizer.tokenizer_id).';
COMMENT ON COLUMN vocab_filter.name IS 'all, ascii, alphabetic, min-count:N, or list:NAME for a file.';
COMMENT ON COLUMN vocab_filter.definition IS 'What the filter keeps, in words.';
COMMENT ON COLUMN vocab_filter.n_items IS 'Items that it keeps.';
COMMENT ON COLUMN vocab_filter.ids_sha256 IS 'SHA-256 (hex) of their token ids, ascending, in decimal, joined by commas.';

CREATE TABLE projection_part (
    model_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    component VARCHAR NOT NULL,
    vocab_filter VARCHAR NOT NULL,
    ln_folded BOOLEAN NOT NULL,
    k INTEGER NOT NULL,
    n_units INTEGER NOT NULL,
    embedding_source VARCHAR NOT NULL,
    dtype VARCHAR NOT NULL,
    method_version VARCHAR NOT NULL,
    seconds DOUBLE NOT NULL,
    computed_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE projection_part IS 'What of a model has been projected: one row per model, layer, component, vocabulary filter and reading of LN, written together with its rows of projection.';
COMMENT ON COLUMN projection_part.model_id IS 'The model (model.model_id).';
COMMENT ON COLUMN projection_part.layer IS 'Layer, from 1; 0 for output_bias, which belongs to none.';
COMMENT ON COLUMN projection_part.component IS 'What was projected (projection.component).';
COMMENT ON COLUMN projection_part.vocab_filter IS 'The items that took part (vocab_filter.name, of the model''s tokenizer).';
COMMENT ON COLUMN projection_part.ln_folded IS 'Whether vectors went through their norm (projection.ln_folded).';
COMMENT ON COLUMN projection_part.k IS 'Items of each sign that are stored for each unit.';
COMMENT ON COLUMN projection_part.n_units IS 'Units; each has 2 k rows in projection.';
COMMENT ON COLUMN projection_part.embedding_source IS 'output: output embeddings of their own. tied: the output embeddings are the input ones. input: the files hold no output embeddings, the input ones stand in for them.';
COMMENT ON COLUMN projection_part.dtype IS 'Precision that the parameters were held in; products are float32 always.';
COMMENT ON COLUMN projection_part.method_version IS 'Version of the method (contract.PROJECTION_VERSION).';
COMMENT ON COLUMN projection_part.seconds IS 'Time that the products and their top items took, in s.';
COMMENT ON COLUMN projection_part.computed_at IS 'When it was stored, UTC.';

CREATE TABLE projection (
    model_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    component VARCHAR NOT NULL,
    unit INTEGER NOT NULL,
    head SMALLINT,
    sign TINYINT NOT NULL,
    rank INTEGER NOT NULL,
    token_id INTEGER NOT NULL,
    score REAL NOT NULL,
    vocab_filter VARCHAR NOT NULL,
    ln_folded BOOLEAN NOT NULL
);
COMMENT ON TABLE projection IS 'The vocabulary items that a unit''s vector scores highest and lowest with the output embeddings: one row per unit, sign and rank. Parts lie one after the other, each sorted by token_id.';
COMMENT ON COLUMN projection.model_id IS 'The model (model.model_id).';
COMMENT ON COLUMN projection.layer IS 'Layer, from 1; 0 for output_bias, which belongs to none.';
COMMENT ON COLUMN projection.component IS 'ff_key, ff_gate, ff_value: what a neuron reads, what its gate reads, what it writes. w_q, w_k, w_v, w_o: what a coordinate of a head reads as query, key and value, and writes. ff_bias, attn_bias: output biases. output_bias: the bias of the output embeddings, whose scores are its own values.';
COMMENT ON COLUMN projection.unit IS 'Neuron, or coordinate counted over all heads, from 0; 0 for biases.';
COMMENT ON COLUMN projection.head IS 'Head, from 0: query head for w_q and w_o, key/value head for w_k and w_v; NULL elsewhere.';
COMMENT ON COLUMN projection.sign IS '1: the highest scores. -1: the lowest.';
COMMENT ON COLUMN projection.rank IS 'Rank within the sign, from 1; equal scores by token_id.';
COMMENT ON COLUMN projection.token_id IS 'The item (vocab.token_id of the model''s tokenizer).';
COMMENT ON COLUMN projection.score IS 'Dot product of the vector and the item''s output embedding, sign included.';
COMMENT ON COLUMN projection.vocab_filter IS 'The items that took part (vocab_filter.name, of the model''s tokenizer).';
COMMENT ON COLUMN projection.ln_folded IS 'Whether the vector went through the norm between it and the residual stream: times gamma and, for LayerNorm, less its mean.';
