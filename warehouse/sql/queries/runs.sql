-- One row per run, complete or not: what a list of runs shows.
WITH loaded AS (
    SELECT run_id, count(*) AS n_shards_loaded FROM loaded_part GROUP BY run_id
),
final AS (
    SELECT
        run.run_id, run.name AS run_name, run.status, model.name AS model_name, model.family, model.seed,
        corpus.name AS corpus_name, run.n_sequences, run.n_tokens, run.n_pairs,
        coalesce(loaded.n_shards_loaded, 0) AS n_shards_loaded, run.started_at, run.finished_at, run.fingerprint,
        run.dtype, run.options
    FROM run
    JOIN model ON model.model_id = run.model_id
    JOIN corpus ON corpus.corpus_id = run.corpus_id
    LEFT JOIN loaded ON loaded.run_id = run.run_id
)
SELECT * FROM final ORDER BY run_id
