-- One row per family, component, space and measure: layers on their own index over all pairs of its models.
CREATE VIEW v_alignment_group AS
WITH source AS (
    SELECT * FROM v_alignment_summary WHERE family_a = family_b
),
final AS (
    SELECT
        family_a AS family, component, space, measure, count(*) AS n_pairs,
        sum(n_own)::BIGINT AS n_own, sum(least(n_layer_a, n_layer_b))::BIGINT AS n_layers,
        sum(least(n_layer_a, n_layer_b) / greatest(n_layer_a, n_layer_b)) AS n_by_chance,
        avg(share_own) AS mean_share_own, min(share_own) AS min_share_own, max(share_own) AS max_share_own
    FROM source
    GROUP BY ALL
)
SELECT * FROM final;

COMMENT ON VIEW v_alignment_group IS 'One row per family, component, space and measure: how many layers correspond to the layer of their own index over all aligned pairs of models of the family (claim P3). Pairs share models, so their p-values do not add up to one of the family.';
COMMENT ON COLUMN v_alignment_group.family IS 'The family.';
COMMENT ON COLUMN v_alignment_group.component IS 'The component (alignment.component).';
COMMENT ON COLUMN v_alignment_group.space IS 'embedding or feature (alignment.space).';
COMMENT ON COLUMN v_alignment_group.measure IS 'What the assignments maximise: score or best_match.';
COMMENT ON COLUMN v_alignment_group.n_pairs IS 'Pairs of models that are aligned.';
COMMENT ON COLUMN v_alignment_group.n_own IS 'Layers of all pairs that correspond to the layer of their own index.';
COMMENT ON COLUMN v_alignment_group.n_layers IS 'Layers of all pairs that correspond to some layer: those of the shallower model of each.';
COMMENT ON COLUMN v_alignment_group.n_by_chance IS 'How many n_own would be on average if every one-to-one assignment were equally likely: one for a pair of equal depth.';
COMMENT ON COLUMN v_alignment_group.mean_share_own IS 'Mean over pairs of the share of layers on their own index.';
COMMENT ON COLUMN v_alignment_group.min_share_own IS 'The least of these shares.';
COMMENT ON COLUMN v_alignment_group.max_share_own IS 'The greatest.';
