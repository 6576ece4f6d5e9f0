-- One row per complete run: rows announced and rows there.
WITH counted AS (
    SELECT run_id, count(*) AS n_found FROM token_pair GROUP BY run_id
)
SELECT run.run_id, run.name, run.n_pairs, coalesce(counted.n_found, 0) AS n_found
FROM run
LEFT JOIN counted ON counted.run_id = run.run_id
WHERE run.status = 'complete'
ORDER BY run.run_id
