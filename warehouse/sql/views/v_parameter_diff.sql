-- One row per base model, tuned model, layer, component, unit, sign and rank: an item of the shift, with names.
CREATE VIEW v_parameter_diff AS
WITH source AS (
    SELECT * FROM parameter_diff
),
final AS (
    SELECT
        base.name AS base_model, tuned.name AS tuned_model, tuned.family, tuned.seed, source.layer, source.component,
        source.unit, source.head, source.shift_rank, source.shift_norm, source.sign, source.rank, vocab.display AS item,
        source.score, source.vocab_filter, source.ln_folded, source.token_id
    FROM source
    JOIN model AS base ON base.model_id = source.base_model_id
    JOIN model AS tuned ON tuned.model_id = source.tuned_model_id
    JOIN vocab ON vocab.tokenizer_id = base.tokenizer_id AND vocab.token_id = source.token_id
)
SELECT * FROM final;

COMMENT ON VIEW v_parameter_diff IS 'One row per base model, tuned model, layer, component, unit, sign and rank: the items that the largest shifts score highest and lowest, with names (claim P2).';
COMMENT ON COLUMN v_parameter_diff.base_model IS 'Name of the model before.';
COMMENT ON COLUMN v_parameter_diff.tuned_model IS 'Name of the model that was trained on from it.';
COMMENT ON COLUMN v_parameter_diff.family IS 'Family of the tuned model; NULL when unknown.';
COMMENT ON COLUMN v_parameter_diff.seed IS 'Training seed of the tuned model; NULL when unknown.';
COMMENT ON COLUMN v_parameter_diff.layer IS 'Layer, from 1; 0 for the head of a classifier.';
COMMENT ON COLUMN v_parameter_diff.component IS 'What moved, or classifier and classifier_difference (parameter_diff.component).';
COMMENT ON COLUMN v_parameter_diff.unit IS 'Neuron, coordinate or class, from 0.';
COMMENT ON COLUMN v_parameter_diff.head IS 'Head, from 0; NULL where there is none.';
COMMENT ON COLUMN v_parameter_diff.shift_rank IS 'Rank of the unit''s shift in its layer and component, from 1.';
COMMENT ON COLUMN v_parameter_diff.shift_norm IS 'Norm of the unit''s shift.';
COMMENT ON COLUMN v_parameter_diff.sign IS '1: highest scores. -1: lowest.';
COMMENT ON COLUMN v_parameter_diff.rank IS 'Rank of the item within the sign, from 1.';
COMMENT ON COLUMN v_parameter_diff.item IS 'The item as people read it.';
COMMENT ON COLUMN v_parameter_diff.score IS 'Dot product of the shift and the item''s embedding.';
COMMENT ON COLUMN v_parameter_diff.vocab_filter IS 'The items that took part.';
COMMENT ON COLUMN v_parameter_diff.ln_folded IS 'Whether vectors went through their norm.';
COMMENT ON COLUMN v_parameter_diff.token_id IS 'The item''s id.';
