-- The same share in embedding space less that in feature space; n counts pairs of models that have both.
WITH spaces AS (
    SELECT
        model_id_a, model_id_b, component, max(share_own) FILTER (space = 'embedding') AS embedding,
        max(share_own) FILTER (space = 'feature') AS feature
    FROM v_alignment_summary
    WHERE family_a = $family AND family_b = $family AND n_layer_a = n_layer_b AND measure = 'score'
    GROUP BY ALL
)
SELECT
    avg(embedding - feature) AS value, NULL::DOUBLE AS low, NULL::DOUBLE AS high,
    count(DISTINCT (model_id_a, model_id_b)) FILTER (feature IS NOT NULL) AS n
FROM spaces
