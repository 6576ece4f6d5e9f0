-- Differences of the group that a run counts in from others. Parameter: run_id.
DELETE FROM group_difference
USING (SELECT model.family, run.corpus_id FROM run JOIN model USING (model_id) WHERE run.run_id = $run_id) AS own
WHERE own.family IN (family_a, family_b) AND own.corpus_id = group_difference.corpus_id
