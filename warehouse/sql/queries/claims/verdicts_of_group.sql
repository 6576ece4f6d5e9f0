-- Share of the claims' aspects that have the same verdict in every run of group $family over corpus $corpus_id; those
-- without a verdict in some run are left out. n counts the others.
WITH verdicts AS (
    SELECT claim, aspect, count(DISTINCT verdict) AS n_verdicts
    FROM finding
    JOIN v_group_run USING (run_id)
    WHERE v_group_run.family = $family AND v_group_run.corpus_id = $corpus_id
    GROUP BY claim, aspect
    HAVING count(*) > 1 AND bool_and(verdict <> 'not enough data')
)
SELECT avg((n_verdicts = 1)::INTEGER) AS value, NULL::DOUBLE AS low, NULL::DOUBLE AS high, count(*) AS n
FROM verdicts
