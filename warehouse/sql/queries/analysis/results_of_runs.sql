-- One row per result that is about runs of the list $runs alone and that groups are made of.
SELECT part, subject, fingerprint
FROM analysis
WHERE part IN ('ln_weight', 'seed_agreement')
    AND list_has_all($runs, list_filter(
        [(subject->>'run_id')::INTEGER, (subject->>'run_a')::INTEGER, (subject->>'run_b')::INTEGER],
        lambda id: id IS NOT NULL
    ))
ORDER BY part, subject
