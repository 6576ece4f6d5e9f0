-- One row per complete run, layer, neuron, sign and rank: a token on which the neuron is strongest, in its sentence. Only
-- runs with --neurons have rows.
CREATE VIEW v_neuron_activation AS
WITH source AS (
    SELECT
        neuron_activation.*, v_run.run_name, v_run.model_name, v_run.corpus_name, v_run.corpus_id, v_run.tokenizer_id
    FROM neuron_activation
    JOIN v_run ON v_run.run_id = neuron_activation.run_id
),
final AS (
    SELECT
        source.run_id, source.run_name, source.model_name, source.corpus_name, source.layer, source.unit, source.sign,
        source.rank, source.activation, source.seq_id, source.pos, vocab.display AS token, token.is_special,
        token.char_start, token.char_end, sequence.text
    FROM source
    LEFT JOIN token
        ON token.tokenizer_id = source.tokenizer_id AND token.corpus_id = source.corpus_id
        AND token.seq_id = source.seq_id AND token.pos = source.pos
    LEFT JOIN vocab ON vocab.tokenizer_id = token.tokenizer_id AND vocab.token_id = token.token_id
    LEFT JOIN sequence ON sequence.corpus_id = source.corpus_id AND sequence.seq_id = source.seq_id
)
SELECT * FROM final;

COMMENT ON VIEW v_neuron_activation IS 'One row per complete run with --neurons, layer, neuron, sign and rank: a token on which the neuron is strongest, and its sentence. Filter by run_id, layer and unit to read little.';
COMMENT ON COLUMN v_neuron_activation.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_neuron_activation.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_neuron_activation.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_neuron_activation.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_neuron_activation.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_neuron_activation.unit IS 'Neuron of the feed-forward network, from 0.';
COMMENT ON COLUMN v_neuron_activation.sign IS '1: activations above zero; -1: below.';
COMMENT ON COLUMN v_neuron_activation.rank IS 'Rank by size within the sign, from 1, the strongest.';
COMMENT ON COLUMN v_neuron_activation.activation IS 'What multiplies the neuron''s value vector: act(z), or act(gate) * up where the network is gated.';
COMMENT ON COLUMN v_neuron_activation.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN v_neuron_activation.pos IS 'Position of the token, from 0.';
COMMENT ON COLUMN v_neuron_activation.token IS 'Text of the token.';
COMMENT ON COLUMN v_neuron_activation.is_special IS 'True when the token is special (token.is_special).';
COMMENT ON COLUMN v_neuron_activation.char_start IS 'First character of the token in text, from 0 (token.char_start).';
COMMENT ON COLUMN v_neuron_activation.char_end IS 'Character after its last (token.char_end).';
COMMENT ON COLUMN v_neuron_activation.text IS 'The sentence (sequence.text).';
