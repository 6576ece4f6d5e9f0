-- One row per base model, tuned model, layer and component: how far its matrix moved, with names.
CREATE VIEW v_parameter_shift AS
WITH source AS (
    SELECT * FROM parameter_shift
),
final AS (
    SELECT
        base.name AS base_model, tuned.name AS tuned_model, tuned.family, tuned.seed, source.layer, source.component,
        source.n_units, source.norm, source.base_norm, source.relative, source.cosine, source.mean_unit_norm,
        source.max_unit_norm, source.ln_folded
    FROM source
    JOIN model AS base ON base.model_id = source.base_model_id
    JOIN model AS tuned ON tuned.model_id = source.tuned_model_id
)
SELECT * FROM final;

COMMENT ON VIEW v_parameter_shift IS 'One row per base model, tuned model, layer and component: how far training moved the component''s matrix, with names.';
COMMENT ON COLUMN v_parameter_shift.base_model IS 'Name of the model before.';
COMMENT ON COLUMN v_parameter_shift.tuned_model IS 'Name of the model that was trained on from it.';
COMMENT ON COLUMN v_parameter_shift.family IS 'Family of the tuned model; NULL when unknown.';
COMMENT ON COLUMN v_parameter_shift.seed IS 'Training seed of the tuned model; NULL when unknown.';
COMMENT ON COLUMN v_parameter_shift.layer IS 'Layer, from 1; 0 for the embeddings.';
COMMENT ON COLUMN v_parameter_shift.component IS 'ff_key, ff_gate, ff_value, w_q, w_k, w_v, w_o or embedding (parameter_shift.component).';
COMMENT ON COLUMN v_parameter_shift.n_units IS 'Units of the component.';
COMMENT ON COLUMN v_parameter_shift.norm IS 'Frobenius norm of the shift.';
COMMENT ON COLUMN v_parameter_shift.base_norm IS 'Frobenius norm of the base''s matrix.';
COMMENT ON COLUMN v_parameter_shift.relative IS 'norm / base_norm; NULL where the base''s matrix is zero.';
COMMENT ON COLUMN v_parameter_shift.cosine IS 'Cosine of both matrices as long vectors; NULL where one is zero.';
COMMENT ON COLUMN v_parameter_shift.mean_unit_norm IS 'Mean norm of a unit''s shift.';
COMMENT ON COLUMN v_parameter_shift.max_unit_norm IS 'Norm of the largest shift of a unit.';
COMMENT ON COLUMN v_parameter_shift.ln_folded IS 'Whether vectors went through their norm.';
