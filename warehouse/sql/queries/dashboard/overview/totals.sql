-- One row: how much the warehouse holds. Rows of token_pair are those loaded, of runs still under way too.
SELECT
    (SELECT count(*) FROM model) AS n_models,
    (SELECT count(*) FROM corpus) AS n_corpora,
    (SELECT count(*) FROM run) AS n_runs,
    (SELECT count(*) FROM run WHERE status = 'running') AS n_running,
    (SELECT count(*) FROM sequence) AS n_sequences,
    (SELECT coalesce(sum(rows), 0)::BIGINT FROM loaded_part) AS n_pairs
