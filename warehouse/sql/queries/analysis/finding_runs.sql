-- One row per complete run: what findings about it have to know, and every result that they are made of.
WITH results AS (
    SELECT (subject->>'run_id')::INTEGER AS run_id, list(part || ' ' || fingerprint ORDER BY part) AS results
    FROM analysis
    WHERE part NOT IN ('finding', 'group_finding')
    GROUP BY ALL
)
SELECT
    v_run.run_id, v_run.run_name, v_run.corpus_id, v_run.corpus_name, v_run.fingerprint, v_run.n_layer,
    annotation.source AS annotation, coalesce(results.results, []) AS results
FROM v_run
LEFT JOIN annotation ON annotation.corpus_id = v_run.corpus_id
LEFT JOIN results ON results.run_id = v_run.run_id
ORDER BY v_run.run_id
