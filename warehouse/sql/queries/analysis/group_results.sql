-- One row per result about group $family over corpus $corpus_id, and about its runs $runs: what its findings stand on.
SELECT part, subject, fingerprint
FROM analysis
WHERE part = 'group_estimate' AND subject->>'family' = $family AND (subject->>'corpus_id')::INTEGER = $corpus_id
    OR part = 'finding' AND list_contains($runs, (subject->>'run_id')::INTEGER)
ORDER BY part, subject
