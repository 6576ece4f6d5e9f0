-- One row per run, those still under way too: state, sizes, exactness, time by phase and what it was made with.
-- bytes_approx is the file's used size by the run's part of all rows of token_pair, so it holds a part of everything else.
WITH loaded AS (
    SELECT run_id, sum(rows)::BIGINT AS n_pairs_loaded, max(loaded_at) AS last_loaded_at
    FROM loaded_part
    GROUP BY run_id
),
size AS (
    SELECT block_size * used_blocks AS used_bytes FROM pragma_database_size()
),
final AS (
    SELECT
        run.run_id, run.name AS run_name, run.status,
        coalesce(loaded.n_pairs_loaded, 0) / nullif(run.n_pairs, 0) AS loaded_share,
        run.max_completeness_error, run.n_sequences, run.n_tokens, run.n_pairs,
        round(
            size.used_bytes * coalesce(loaded.n_pairs_loaded, 0) / nullif(sum(loaded.n_pairs_loaded) OVER (), 0)
        )::BIGINT AS bytes_approx,
        run.n_truncated, run.n_chunked, run.n_skipped,
        run.seconds_tokenize, run.seconds_forward, run.seconds_core, run.seconds_write, run.seconds_load,
        run.device, run.dtype, run.started_at, run.finished_at, loaded.last_loaded_at,
        model.name AS model_name, corpus.name AS corpus_name, run.fingerprint
    FROM run
    JOIN model ON model.model_id = run.model_id
    JOIN corpus ON corpus.corpus_id = run.corpus_id
    LEFT JOIN loaded ON loaded.run_id = run.run_id
    CROSS JOIN size
)
SELECT * FROM final ORDER BY run_id
