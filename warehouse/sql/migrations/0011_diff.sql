-- How far training moved a model's parameters, and what the largest shifts say in the vocabulary (`lenshouse diff`).

CREATE TABLE parameter_shift (
    base_model_id INTEGER NOT NULL,
    tuned_model_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    component VARCHAR NOT NULL,
    n_units INTEGER NOT NULL,
    norm DOUBLE NOT NULL,
    base_norm DOUBLE NOT NULL,
    relative DOUBLE,
    cosine DOUBLE,
    mean_unit_norm DOUBLE NOT NULL,
    max_unit_norm DOUBLE NOT NULL,
    ln_folded BOOLEAN NOT NULL,
    n_largest INTEGER NOT NULL,
    top_k INTEGER NOT NULL,
    vocab_filter VARCHAR NOT NULL,
    method_version VARCHAR NOT NULL
);
COMMENT ON TABLE parameter_shift IS 'One row per base model, tuned model, layer and component: how far the component''s matrix moved, tuned less base.';
COMMENT ON COLUMN parameter_shift.base_model_id IS 'The model before (model.model_id).';
COMMENT ON COLUMN parameter_shift.tuned_model_id IS 'The model that was trained on from it (model.model_id).';
COMMENT ON COLUMN parameter_shift.layer IS 'Layer, from 1; 0 for the embeddings.';
COMMENT ON COLUMN parameter_shift.component IS 'ff_key, ff_gate, ff_value, w_q, w_k, w_v, w_o: what neurons and coordinates of heads read and write. embedding: the input embeddings, a unit an item of the tokenizer.';
COMMENT ON COLUMN parameter_shift.n_units IS 'Units (rows of the matrix).';
COMMENT ON COLUMN parameter_shift.norm IS 'Frobenius norm of the shift.';
COMMENT ON COLUMN parameter_shift.base_norm IS 'Frobenius norm of the base''s matrix.';
COMMENT ON COLUMN parameter_shift.relative IS 'norm / base_norm; unrelated matrices of one norm have about 1.41. NULL where the base''s matrix is zero.';
COMMENT ON COLUMN parameter_shift.cosine IS 'Cosine of both matrices as long vectors: 1 where nothing moved. NULL where one is zero.';
COMMENT ON COLUMN parameter_shift.mean_unit_norm IS 'Mean norm of a unit''s shift.';
COMMENT ON COLUMN parameter_shift.max_unit_norm IS 'Norm of the largest shift of a unit.';
COMMENT ON COLUMN parameter_shift.ln_folded IS 'Whether vectors went through their norm, each model''s own (--fold-ln).';
COMMENT ON COLUMN parameter_shift.n_largest IS 'Units whose shifts parameter_diff holds, the largest of each layer and component.';
COMMENT ON COLUMN parameter_shift.top_k IS 'Items of each sign that parameter_diff holds of a unit.';
COMMENT ON COLUMN parameter_shift.vocab_filter IS 'The items that took part in parameter_diff (parameter_diff.vocab_filter).';
COMMENT ON COLUMN parameter_shift.method_version IS 'Version of the method that gave these numbers.';

CREATE TABLE parameter_diff (
    base_model_id INTEGER NOT NULL,
    tuned_model_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    component VARCHAR NOT NULL,
    unit INTEGER NOT NULL,
    head SMALLINT,
    shift_rank INTEGER NOT NULL,
    shift_norm DOUBLE NOT NULL,
    sign TINYINT NOT NULL,
    rank INTEGER NOT NULL,
    token_id INTEGER NOT NULL,
    score REAL NOT NULL,
    vocab_filter VARCHAR NOT NULL,
    ln_folded BOOLEAN NOT NULL
);
COMMENT ON TABLE parameter_diff IS 'The shifts of the units that moved farthest, read as vocabulary: one row per base model, tuned model, layer, component, unit, sign and rank. Scores are dot products of the shift (tuned less base) and the base''s output embeddings. Heads of classifiers are read too, as they are.';
COMMENT ON COLUMN parameter_diff.base_model_id IS 'The model before (model.model_id).';
COMMENT ON COLUMN parameter_diff.tuned_model_id IS 'The model that was trained on from it (model.model_id).';
COMMENT ON COLUMN parameter_diff.layer IS 'Layer, from 1; 0 for the head of a classifier.';
COMMENT ON COLUMN parameter_diff.component IS 'ff_key, ff_gate, ff_value, w_q, w_k, w_v, w_o (parameter_shift.component). classifier: the row of the head that gives a class''s logit, carried back to the last layer''s state through the linear map of the pooling where there is one, activations between left out. classifier_difference: of two classes, the second''s row less the first''s.';
COMMENT ON COLUMN parameter_diff.unit IS 'Neuron, or coordinate counted over all heads, from 0; the class for classifier, 0 for classifier_difference.';
COMMENT ON COLUMN parameter_diff.head IS 'Head, from 0: query head for w_q and w_o, key/value head for w_k and w_v; NULL elsewhere.';
COMMENT ON COLUMN parameter_diff.shift_rank IS 'Rank of the unit''s shift in its layer and component by norm, from 1; of classes by the norm of their rows.';
COMMENT ON COLUMN parameter_diff.shift_norm IS 'Norm of the unit''s shift; of a classifier, of the row itself.';
COMMENT ON COLUMN parameter_diff.sign IS '1: the items that the shift scores highest. -1: those it scores lowest.';
COMMENT ON COLUMN parameter_diff.rank IS 'Rank of the item within the sign, from 1; equal scores by token_id.';
COMMENT ON COLUMN parameter_diff.token_id IS 'The item (vocab.token_id of the base''s tokenizer).';
COMMENT ON COLUMN parameter_diff.score IS 'Dot product of the shift and the item''s embedding, sign included.';
COMMENT ON COLUMN parameter_diff.vocab_filter IS 'The items that took part; all: every item of the tokenizer, special tokens included.';
COMMENT ON COLUMN parameter_diff.ln_folded IS 'Whether vectors went through their norm, each model''s own (--fold-ln).';
