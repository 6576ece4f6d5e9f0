-- One row per claim, aspect and subject: a run of the list $runs, its group, its model's parameters, or parameters of a
-- model that has no run and so cannot be chosen.
WITH chosen AS (
    SELECT run_id, family, model_id FROM v_run WHERE list_contains($runs, run_id)
)
SELECT
    claim, aspect, run_id, family, model_id, subject, corpus_name, verdict, value, low, high, p_value, n, quantity,
    note, statement, rule, query
FROM v_finding
WHERE
    list_contains($runs, run_id)
    OR (
        run_id IS NULL
        AND (
            family IN (SELECT family FROM chosen)
            OR model_id IN (SELECT model_id FROM chosen)
            OR other_model_id IN (SELECT model_id FROM chosen)
            OR model_id NOT IN (SELECT model_id FROM v_run)
            OR family NOT IN (SELECT family FROM v_run WHERE family IS NOT NULL)
        )
    )
ORDER BY claim, aspect, run_id NULLS LAST, subject
