-- Attention heads read as pairs of vocabulary items (lenshouse project --pairs).

CREATE TABLE pair_projection_part (
    model_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    head SMALLINT NOT NULL,
    matrix VARCHAR NOT NULL,
    vocab_filter VARCHAR NOT NULL,
    ln_folded BOOLEAN NOT NULL,
    exclude_same BOOLEAN NOT NULL,
    k INTEGER NOT NULL,
    n_pairs BIGINT NOT NULL,
    n_multiplied BIGINT NOT NULL,
    embedding_source VARCHAR NOT NULL,
    dtype VARCHAR NOT NULL,
    method_version VARCHAR NOT NULL,
    seconds DOUBLE NOT NULL,
    computed_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE pair_projection_part IS 'Which heads of a model have been read as pairs, and what finding the pairs took: one row per model, layer, head, matrix, vocabulary filter, reading of LN and choice about pairs of an item with itself. All heads of a layer and matrix are written together, with their rows of pair_projection.';
COMMENT ON COLUMN pair_projection_part.model_id IS 'The model (model.model_id).';
COMMENT ON COLUMN pair_projection_part.layer IS 'Layer, from 1.';
COMMENT ON COLUMN pair_projection_part.head IS 'Query head, from 0.';
COMMENT ON COLUMN pair_projection_part.matrix IS 'VO or QK (pair_projection.matrix).';
COMMENT ON COLUMN pair_projection_part.vocab_filter IS 'The items that took part, as rows and as columns (vocab_filter.name, of the model''s tokenizer).';
COMMENT ON COLUMN pair_projection_part.ln_folded IS 'Whether the head''s matrices went through their norm (projection.ln_folded).';
COMMENT ON COLUMN pair_projection_part.exclude_same IS 'Whether pairs of an item with itself were left out.';
COMMENT ON COLUMN pair_projection_part.k IS 'Pairs that are stored for the head.';
COMMENT ON COLUMN pair_projection_part.n_pairs IS 'Pairs of items that took part, the square of their number; those of an item with itself count here though they may be left out.';
COMMENT ON COLUMN pair_projection_part.n_multiplied IS 'Pairs whose scores were computed to find the top ones for certain. The bound that leaves the others out helps one head more than another: n_multiplied = n_pairs where it did not help at all.';
COMMENT ON COLUMN pair_projection_part.embedding_source IS 'output, tied or input (projection_part.embedding_source).';
COMMENT ON COLUMN pair_projection_part.dtype IS 'Precision that the parameters were held in; scores are float64 always.';
COMMENT ON COLUMN pair_projection_part.method_version IS 'Version of the method (contract.PAIR_VERSION).';
COMMENT ON COLUMN pair_projection_part.seconds IS 'Time that the head took, in s.';
COMMENT ON COLUMN pair_projection_part.computed_at IS 'When it was stored, UTC.';

CREATE TABLE pair_projection (
    model_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    head SMALLINT NOT NULL,
    matrix VARCHAR NOT NULL,
    rank INTEGER NOT NULL,
    row_token_id INTEGER NOT NULL,
    col_token_id INTEGER NOT NULL,
    score DOUBLE NOT NULL,
    vocab_filter VARCHAR NOT NULL,
    ln_folded BOOLEAN NOT NULL,
    exclude_same BOOLEAN NOT NULL
);
COMMENT ON TABLE pair_projection IS 'The pairs of vocabulary items that a head''s matrix W scores highest, E W E^T with the output embeddings E: one row per head, matrix and rank. They are the highest of all pairs of items that took part, none left out.';
COMMENT ON COLUMN pair_projection.model_id IS 'The model (model.model_id).';
COMMENT ON COLUMN pair_projection.layer IS 'Layer, from 1.';
COMMENT ON COLUMN pair_projection.head IS 'Query head, from 0. Heads that share keys and values share W_K or W_V.';
COMMENT ON COLUMN pair_projection.matrix IS 'VO: W_V W_O, what the head writes of what it reads. QK: W_Q W_K^T, what attends to what. In models with rotary positions QK is without the rotation, so the score is that of a query and a key at the same position (distance 0); norms that queries and keys have of their own, biases and the scaling by 1/sqrt(d_head) are not in it.';
COMMENT ON COLUMN pair_projection.rank IS 'Rank by score, from 1, highest first; equal scores by row_token_id, then col_token_id.';
COMMENT ON COLUMN pair_projection.row_token_id IS 'The item of the row (vocab.token_id of the model''s tokenizer). VO: the one that is read. QK: the one of the query.';
COMMENT ON COLUMN pair_projection.col_token_id IS 'The item of the column. VO: the one that is written. QK: the one of the key.';
COMMENT ON COLUMN pair_projection.score IS 'e_row W e_col, computed in float64 from the parameters as they are held.';
COMMENT ON COLUMN pair_projection.vocab_filter IS 'The items that took part, as rows and as columns (vocab_filter.name, of the model''s tokenizer).';
COMMENT ON COLUMN pair_projection.ln_folded IS 'Whether the head''s matrices went through their norm (projection.ln_folded).';
COMMENT ON COLUMN pair_projection.exclude_same IS 'Whether pairs of an item with itself were left out.';
