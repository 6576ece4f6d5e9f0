-- One row per two models, component, space and measure: layers on their own index and the chance of as many, with names.
CREATE VIEW v_alignment_summary AS
WITH source AS (
    SELECT * FROM alignment_summary
),
final AS (
    SELECT
        source.model_a AS model_id_a, source.model_b AS model_id_b, a.name AS model_a, b.name AS model_b,
        a.family AS family_a, b.family AS family_b, source.component, source.space, source.measure,
        source.n_layer_a, source.n_layer_b, source.n_own,
        source.n_own / least(source.n_layer_a, source.n_layer_b) AS share_own, source.p_value, source.n_items,
        source.embedding_a, source.embedding_b, source.method_version
    FROM source
    JOIN model AS a ON a.model_id = source.model_a
    JOIN model AS b ON b.model_id = source.model_b
)
SELECT * FROM final;

COMMENT ON VIEW v_alignment_summary IS 'One row per two models, component, space and measure: how many layers correspond to the layer of their own index, and how likely chance would give as many (claim P3).';
COMMENT ON COLUMN v_alignment_summary.model_id_a IS 'The one model (model.model_id).';
COMMENT ON COLUMN v_alignment_summary.model_id_b IS 'The other model (model.model_id).';
COMMENT ON COLUMN v_alignment_summary.model_a IS 'Name of the one model.';
COMMENT ON COLUMN v_alignment_summary.model_b IS 'Name of the other model.';
COMMENT ON COLUMN v_alignment_summary.family_a IS 'Family of A; NULL when unknown.';
COMMENT ON COLUMN v_alignment_summary.family_b IS 'Family of B; NULL when unknown.';
COMMENT ON COLUMN v_alignment_summary.component IS 'The component (alignment.component).';
COMMENT ON COLUMN v_alignment_summary.space IS 'embedding or feature (alignment.space).';
COMMENT ON COLUMN v_alignment_summary.measure IS 'What the assignment maximises: score or best_match.';
COMMENT ON COLUMN v_alignment_summary.n_layer_a IS 'Layers of A.';
COMMENT ON COLUMN v_alignment_summary.n_layer_b IS 'Layers of B.';
COMMENT ON COLUMN v_alignment_summary.n_own IS 'Layers that correspond to the layer of their own index.';
COMMENT ON COLUMN v_alignment_summary.share_own IS 'n_own over the layers of the shallower model.';
COMMENT ON COLUMN v_alignment_summary.p_value IS 'Chance that as many or more would if every one-to-one assignment were equally likely; exact.';
COMMENT ON COLUMN v_alignment_summary.n_items IS 'Vocabulary items that both models have.';
COMMENT ON COLUMN v_alignment_summary.embedding_a IS 'Embeddings of A that were used: output, tied or input.';
COMMENT ON COLUMN v_alignment_summary.embedding_b IS 'Embeddings of B that were used.';
COMMENT ON COLUMN v_alignment_summary.method_version IS 'Version of the method.';
