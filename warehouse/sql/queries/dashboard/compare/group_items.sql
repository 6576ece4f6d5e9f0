-- One row per measure, item and pair filter that every group of the list $families over a corpus has a number of.
SELECT measure, item, pair_filter
FROM v_group_estimate
WHERE corpus_id = $corpus_id AND list_contains($families, family) AND measure <> 'agreement' AND mean IS NOT NULL
GROUP BY ALL
HAVING count(DISTINCT family) = len($families)
ORDER BY ALL
