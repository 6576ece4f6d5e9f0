-- How much of hidden states the active parameters recall (lenshouse recall).

CREATE TABLE recall (
    model_id INTEGER NOT NULL,
    corpus_name VARCHAR NOT NULL,
    corpus_sha256 VARCHAR NOT NULL,
    layer SMALLINT NOT NULL,
    component VARCHAR NOT NULL,
    k INTEGER NOT NULL,
    n_units INTEGER NOT NULL,
    recall DOUBLE NOT NULL,
    low DOUBLE,
    high DOUBLE,
    shuffled DOUBLE NOT NULL,
    gain DOUBLE NOT NULL,
    gain_low DOUBLE,
    gain_high DOUBLE,
    n_tokens BIGINT NOT NULL,
    n_sequences INTEGER NOT NULL,
    n_truncated INTEGER NOT NULL,
    embedding_source VARCHAR NOT NULL,
    dtype VARCHAR NOT NULL,
    seed INTEGER NOT NULL,
    n_resamples INTEGER NOT NULL,
    method_version VARCHAR NOT NULL,
    seconds DOUBLE NOT NULL,
    computed_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE recall IS 'One row per model, corpus, k, number of units, layer and component: how much of what hidden states say the parameters that are active say too (after Dar et al. 2023). Rows of a model, corpus, k and number of units are written together.';
COMMENT ON COLUMN recall.model_id IS 'The model (model.model_id).';
COMMENT ON COLUMN recall.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN recall.corpus_sha256 IS 'SHA-256 of the texts that were used, as this tokenizer cuts them (corpus.sha256 where a run holds the same); a sample is another corpus than the whole.';
COMMENT ON COLUMN recall.layer IS 'Layer, from 1; its output is the hidden state.';
COMMENT ON COLUMN recall.component IS 'ff_key, ff_gate, ff_value: the neurons with the largest |activation|. w_v: the coordinates of the token''s own value with the largest size; w_o: the coordinates of what attention sums up.';
COMMENT ON COLUMN recall.k IS 'Items of a state, and items that each unit promotes.';
COMMENT ON COLUMN recall.n_units IS 'Units that count as active at a token: those with the largest |activation|, none that are 0.';
COMMENT ON COLUMN recall.recall IS 'Mean over tokens of the share of the k items with the highest scores of the token''s hidden state that are among the k items of one of its active units. A unit''s items are those that it scores highest, or lowest where its activation (ff_key, ff_gate: its own pre-activation) is negative.';
COMMENT ON COLUMN recall.low IS 'Lower end of its 95% bootstrap interval over sequences; NULL with fewer than 8 sequences.';
COMMENT ON COLUMN recall.high IS 'Upper end.';
COMMENT ON COLUMN recall.shuffled IS 'The same with the hidden states of the other tokens of the sequence, the mean over all of them: what shuffled positions give.';
COMMENT ON COLUMN recall.gain IS 'recall less shuffled.';
COMMENT ON COLUMN recall.gain_low IS 'Lower end of its 95% interval, over the same resamples of sequences for both; NULL with fewer than 8.';
COMMENT ON COLUMN recall.gain_high IS 'Upper end.';
COMMENT ON COLUMN recall.n_tokens IS 'Tokens that took part: not special, in a sequence with at least one other.';
COMMENT ON COLUMN recall.n_sequences IS 'Sequences that they are of.';
COMMENT ON COLUMN recall.n_truncated IS 'Texts that were cut at the model''s longest sequence.';
COMMENT ON COLUMN recall.embedding_source IS 'What states and parameters were read with: output, tied or input (projection_part.embedding_source).';
COMMENT ON COLUMN recall.dtype IS 'Precision of the model.';
COMMENT ON COLUMN recall.seed IS 'Seed of the resamples.';
COMMENT ON COLUMN recall.n_resamples IS 'Bootstrap resamples.';
COMMENT ON COLUMN recall.method_version IS 'Version of the method.';
COMMENT ON COLUMN recall.seconds IS 'Time that all rows of the model and corpus took together, in s.';
COMMENT ON COLUMN recall.computed_at IS 'When they were stored, UTC.';
