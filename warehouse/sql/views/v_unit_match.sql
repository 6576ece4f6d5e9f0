-- One row per two models, component, layer and unit of A: the unit of B that says most nearly the same, with names.
CREATE VIEW v_unit_match AS
WITH source AS (
    SELECT * FROM unit_match
),
final AS (
    SELECT
        source.model_a AS model_id_a, source.model_b AS model_id_b, a.name AS model_a, b.name AS model_b,
        source.component, source.layer_a, source.unit_a, source.layer_b, source.unit_b, source.r
    FROM source
    JOIN model AS a ON a.model_id = source.model_a
    JOIN model AS b ON b.model_id = source.model_b
)
SELECT * FROM final;

COMMENT ON VIEW v_unit_match IS 'One row per two models, component, layer and unit of A: the unit of B, of whichever layer, that says most nearly the same (or the opposite) of the vocabulary, with names.';
COMMENT ON COLUMN v_unit_match.model_id_a IS 'The one model (model.model_id).';
COMMENT ON COLUMN v_unit_match.model_id_b IS 'The other model (model.model_id).';
COMMENT ON COLUMN v_unit_match.model_a IS 'Name of the one model.';
COMMENT ON COLUMN v_unit_match.model_b IS 'Name of the other model.';
COMMENT ON COLUMN v_unit_match.component IS 'The component (alignment.component).';
COMMENT ON COLUMN v_unit_match.layer_a IS 'Layer of A, from 1.';
COMMENT ON COLUMN v_unit_match.unit_a IS 'Neuron of A, or coordinate counted over all heads, from 0.';
COMMENT ON COLUMN v_unit_match.layer_b IS 'Layer of B, from 1.';
COMMENT ON COLUMN v_unit_match.unit_b IS 'Neuron or coordinate of B, from 0.';
COMMENT ON COLUMN v_unit_match.r IS 'Pearson''s r over the vocabulary, with its sign.';
