-- One row per two runs of the list $runs, measure and layer: how far they agree. Layers are those of the one run, so
-- where numbers of layers differ they are counted in $n_layer, half steps upwards as in agreement.layer_at.
WITH source AS (
    SELECT seed_agreement.*, v_run.n_layer
    FROM seed_agreement
    JOIN v_run ON v_run.run_id = seed_agreement.run_a
    WHERE list_contains($runs, run_a) AND list_contains($runs, run_b)
),
final AS (
    SELECT
        run_a, run_b, measure,
        CASE WHEN layer_a IS NOT NULL THEN greatest(1, (2 * layer_a * $n_layer + n_layer) // (2 * n_layer)) END AS layer,
        avg(value) AS value, avg(low) AS low, avg(high) AS high, min(n_sequences) AS n_sequences
    FROM source
    GROUP BY ALL
)
SELECT * FROM final ORDER BY measure, layer NULLS FIRST, run_a, run_b
