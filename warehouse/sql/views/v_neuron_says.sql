-- One row per projected unit, vocabulary filter and reading of LN: its highest and its lowest items as text.
CREATE VIEW v_neuron_says AS
WITH source AS (
    SELECT * FROM v_projection
),
final AS (
    SELECT
        model_id, model_name, layer, component, unit, head, vocab_filter, ln_folded,
        string_agg(display, ' ' ORDER BY rank) FILTER (WHERE sign = 1) AS highest,
        string_agg(display, ' ' ORDER BY rank) FILTER (WHERE sign = -1) AS lowest,
        max(score) AS highest_score, min(score) AS lowest_score
    FROM source
    GROUP BY model_id, model_name, layer, component, unit, head, vocab_filter, ln_folded
)
SELECT * FROM final;

COMMENT ON VIEW v_neuron_says IS 'One row per projected unit, vocabulary filter and reading of LN: the items that it scores highest and lowest, as text. Ask it with model_id, layer and component: a whole model takes a while.';
COMMENT ON COLUMN v_neuron_says.model_id IS 'The model (model.model_id).';
COMMENT ON COLUMN v_neuron_says.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_neuron_says.layer IS 'Layer, from 1; 0 for output_bias, which belongs to none.';
COMMENT ON COLUMN v_neuron_says.component IS 'ff_key, ff_gate, ff_value, w_q, w_k, w_v, w_o, ff_bias, attn_bias or output_bias (projection.component).';
COMMENT ON COLUMN v_neuron_says.unit IS 'Neuron, or coordinate counted over all heads, from 0; 0 for biases.';
COMMENT ON COLUMN v_neuron_says.head IS 'Head, from 0: query head for w_q and w_o, key/value head for w_k and w_v; NULL elsewhere.';
COMMENT ON COLUMN v_neuron_says.vocab_filter IS 'The items that took part (vocab_filter.name, of the model''s tokenizer).';
COMMENT ON COLUMN v_neuron_says.ln_folded IS 'Whether vectors went through their norm (projection.ln_folded).';
COMMENT ON COLUMN v_neuron_says.highest IS 'Items with the highest scores, best first, parted by spaces.';
COMMENT ON COLUMN v_neuron_says.lowest IS 'Items with the lowest scores, lowest first, parted by spaces.';
COMMENT ON COLUMN v_neuron_says.highest_score IS 'Score of the first of highest.';
COMMENT ON COLUMN v_neuron_says.lowest_score IS 'Score of the first of lowest.';
