-- What was said of the group that a run counts in: without the run it would be another. Parameter: run_id.
DELETE FROM finding
USING (SELECT model.family, run.corpus_id FROM run JOIN model USING (model_id) WHERE run.run_id = $run_id) AS own
WHERE own.family = finding.family AND own.corpus_id = finding.corpus_id AND finding.run_id IS NULL
