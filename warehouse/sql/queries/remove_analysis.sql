-- What the analysis recorded of a run, alone or as one of two. Parameter: run_id.
DELETE FROM analysis
WHERE $run_id IN (
    (subject->>'run_id')::INTEGER, (subject->>'run_a')::INTEGER, (subject->>'run_b')::INTEGER
)
