-- One row per two models, component, space and two layers: how similar what they hold is, with names.
CREATE VIEW v_alignment AS
WITH source AS (
    SELECT * FROM alignment
),
final AS (
    SELECT
        source.model_a AS model_id_a, source.model_b AS model_id_b, a.name AS model_a, b.name AS model_b,
        a.family AS family_a, b.family AS family_b, source.component, source.space, source.layer_a, source.layer_b,
        source.score, source.best_match, source.assigned, source.assigned_by_best
    FROM source
    JOIN model AS a ON a.model_id = source.model_a
    JOIN model AS b ON b.model_id = source.model_b
)
SELECT * FROM final;

COMMENT ON VIEW v_alignment IS 'One row per two models, component, space and two layers: how similar what they hold is, with names (claim P3).';
COMMENT ON COLUMN v_alignment.model_id_a IS 'The one model (model.model_id).';
COMMENT ON COLUMN v_alignment.model_id_b IS 'The other model (model.model_id).';
COMMENT ON COLUMN v_alignment.model_a IS 'Name of the one model.';
COMMENT ON COLUMN v_alignment.model_b IS 'Name of the other model.';
COMMENT ON COLUMN v_alignment.family_a IS 'Family of A; NULL when unknown.';
COMMENT ON COLUMN v_alignment.family_b IS 'Family of B; NULL when unknown.';
COMMENT ON COLUMN v_alignment.component IS 'ff_key, ff_gate, ff_value, w_q, w_k, w_v or w_o (projection.component).';
COMMENT ON COLUMN v_alignment.space IS 'embedding or feature (alignment.space).';
COMMENT ON COLUMN v_alignment.layer_a IS 'Layer of A, from 1.';
COMMENT ON COLUMN v_alignment.layer_b IS 'Layer of B, from 1.';
COMMENT ON COLUMN v_alignment.score IS 'Mean of |r| over all pairs of their vectors.';
COMMENT ON COLUMN v_alignment.best_match IS 'Mean, over the vectors of both layers, of the |r| of the best match in the other.';
COMMENT ON COLUMN v_alignment.assigned IS 'True where the layers correspond by score.';
COMMENT ON COLUMN v_alignment.assigned_by_best IS 'True where they correspond by best_match.';
