-- One row per claim, aspect and subject: a run of the list $runs, its group, or its model.
SELECT
    claim, aspect, run_id, family, subject, corpus_name, verdict, value, low, high, n, quantity, note, statement, rule,
    query
FROM v_finding
WHERE
    list_contains($runs, run_id)
    OR (
        run_id IS NULL
        AND subject IN (
            SELECT unnest([family, model_name]) FROM v_run WHERE list_contains($runs, v_run.run_id)
        )
    )
ORDER BY claim, aspect, run_id NULLS LAST, subject
