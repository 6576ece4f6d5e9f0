-- Share of the layers of every two models of family $family that meet their own index in embedding space, mean over
-- components and pairs of models of one depth, less what chance gives (one layer of each); n counts pairs of models.
SELECT
    avg(share_own - 1.0 / n_layer_a) AS value, NULL::DOUBLE AS low, NULL::DOUBLE AS high,
    count(DISTINCT (model_id_a, model_id_b)) AS n
FROM v_alignment_summary
WHERE family_a = $family AND family_b = $family AND n_layer_a = n_layer_b AND measure = 'score' AND space = 'embedding'
