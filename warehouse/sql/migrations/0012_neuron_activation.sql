-- The strongest activations of every feed-forward neuron (--neurons).

CREATE TABLE neuron_activation (
    run_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    unit INTEGER NOT NULL,
    sign SMALLINT NOT NULL,
    rank SMALLINT NOT NULL,
    seq_id INTEGER NOT NULL,
    pos SMALLINT NOT NULL,
    activation REAL NOT NULL
);
COMMENT ON TABLE neuron_activation IS 'One row per run, layer, neuron, sign and rank, of runs with --neurons N: the N tokens of the run on which the neuron is strongest, above zero and below, special tokens included; fewer where fewer tokens have an activation of that sign. Filled when the run completes.';
COMMENT ON COLUMN neuron_activation.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN neuron_activation.layer IS 'Layer, from 1, by depth: layers that share their parameters have rows each.';
COMMENT ON COLUMN neuron_activation.unit IS 'Neuron of the feed-forward network, from 0: row of its second matrix, the neuron''s value vector.';
COMMENT ON COLUMN neuron_activation.sign IS '1: activations above zero; -1: below. An activation of zero writes nothing and has no row: ReLU has none below. GELU stops at -0.17 and SiLU at -0.28, near which many tokens are nearly equal.';
COMMENT ON COLUMN neuron_activation.rank IS 'Rank by size within the sign, from 1, the strongest; ties go to the earlier sequence and position.';
COMMENT ON COLUMN neuron_activation.seq_id IS 'The sequence (sequence.seq_id of the run''s corpus).';
COMMENT ON COLUMN neuron_activation.pos IS 'Position, from 0 (token.pos).';
COMMENT ON COLUMN neuron_activation.activation IS 'What multiplies the neuron''s value vector in the feed-forward network''s output: act(z), z the pre-activation; act(gate) * up where it is gated (Geva et al. 2021).';

CREATE TABLE neuron_activation_part (
    run_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    unit INTEGER NOT NULL,
    sign SMALLINT NOT NULL,
    seq_id INTEGER NOT NULL,
    pos SMALLINT NOT NULL,
    activation REAL NOT NULL
);
COMMENT ON TABLE neuron_activation_part IS 'One row per run, layer, neuron, sign and token that may be among the strongest of the run, as far as its shards are loaded; kept until the run completes and then merged into neuron_activation. Internal.';
COMMENT ON COLUMN neuron_activation_part.run_id IS 'The run (run.run_id), still running.';
COMMENT ON COLUMN neuron_activation_part.layer IS 'Layer, from 1.';
COMMENT ON COLUMN neuron_activation_part.unit IS 'Neuron of the feed-forward network, from 0.';
COMMENT ON COLUMN neuron_activation_part.sign IS '1: activations above zero; -1: below.';
COMMENT ON COLUMN neuron_activation_part.seq_id IS 'The sequence (sequence.seq_id of the run''s corpus).';
COMMENT ON COLUMN neuron_activation_part.pos IS 'Position, from 0 (token.pos).';
COMMENT ON COLUMN neuron_activation_part.activation IS 'What multiplies the neuron''s value vector.';

ALTER TABLE run ADD COLUMN n_neuron_rows BIGINT;
COMMENT ON COLUMN run.n_neuron_rows IS 'Rows of neuron_activation that the run has; NULL while running, and for runs of a version without them.';
