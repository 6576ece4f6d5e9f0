-- One row per complete run and table of pairs, heads or neurons: rows announced and rows there.
WITH source AS (
    SELECT
        run.run_id, run.name, run.n_pairs, run.n_tokens, run.n_neuron_rows, model.n_layer, model.n_head,
        coalesce(run.options->>'heads', 'none') AS heads,
        coalesce(json_array_length(run.options->'rollout'), 0) AS n_measures
    FROM run
    JOIN model ON model.model_id = run.model_id
    WHERE run.status = 'complete'
),
announced AS (
    SELECT run_id, name, 'token pairs' AS what, n_pairs AS n_announced FROM source
    UNION ALL
    SELECT run_id, name, 'rows of head_norm', CASE heads WHEN 'none' THEN 0 ELSE n_tokens * n_layer * n_head END
    FROM source
    UNION ALL
    SELECT run_id, name, 'rows of head_pair', CASE heads WHEN 'weights' THEN n_pairs * n_head ELSE 0 END
    FROM source
    UNION ALL
    SELECT run_id, name, 'rows of rollout', n_measures * (n_pairs // n_layer) * (n_layer + 1) FROM source
    UNION ALL
    SELECT run_id, name, 'rows of neuron_activation', coalesce(n_neuron_rows, 0) FROM source
),
counted AS (
    SELECT run_id, 'token pairs' AS what, count(*) AS n_found FROM token_pair GROUP BY run_id
    UNION ALL
    SELECT run_id, 'rows of head_norm', count(*) FROM head_norm GROUP BY run_id
    UNION ALL
    SELECT run_id, 'rows of head_pair', count(*) FROM head_pair GROUP BY run_id
    UNION ALL
    SELECT run_id, 'rows of rollout', count(*) FROM rollout GROUP BY run_id
    UNION ALL
    SELECT run_id, 'rows of neuron_activation', count(*) FROM neuron_activation GROUP BY run_id
)
SELECT
    announced.run_id, announced.name, announced.what, announced.n_announced,
    coalesce(counted.n_found, 0) AS n_found
FROM announced
LEFT JOIN counted ON counted.run_id = announced.run_id AND counted.what = announced.what
ORDER BY announced.run_id, announced.what
