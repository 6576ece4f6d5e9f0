-- What the analysis recorded of the group that a run counts in, alone or as one of two. Parameter: run_id.
DELETE FROM analysis
USING (SELECT model.family, run.corpus_id FROM run JOIN model USING (model_id) WHERE run.run_id = $run_id) AS own
WHERE own.family IN (subject->>'family', subject->>'family_a', subject->>'family_b')
    AND own.corpus_id = (subject->>'corpus_id')::INTEGER
