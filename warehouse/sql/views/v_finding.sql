-- One row per claim, aspect and complete run, group or models: number, interval, verdict, rule and the query behind it.
CREATE VIEW v_finding AS
WITH source AS (
    SELECT * FROM finding
),
named AS (
    SELECT
        source.*, corpus.name AS corpus_name, v_run.run_name,
        coalesce(v_run.model_name, model.name || coalesce(' from ' || other.name, '')) AS model_name
    FROM source
    LEFT JOIN corpus ON corpus.corpus_id = source.corpus_id
    LEFT JOIN v_run ON v_run.run_id = source.run_id
    LEFT JOIN model ON model.model_id = source.model_id
    LEFT JOIN model AS other ON other.model_id = source.other_model_id
),
final AS (
    SELECT
        claim, aspect, run_id, run_name, family, coalesce(family, model_name) AS subject, corpus_id, corpus_name,
        model_id, other_model_id, quantity, value, low, high, p_value, n, verdict, note, statement, rule, query, method_version
    FROM named
    WHERE (run_id IS NULL) <> (run_name IS NOT NULL)
)
SELECT * FROM final;

COMMENT ON VIEW v_finding IS 'One row per claim and aspect about a complete run, a group of runs, or models'' parameters: the number that decides, its interval, the verdict, the rule that gives it, and the query behind the number.';
COMMENT ON COLUMN v_finding.claim IS 'F1 to F6, P1 to P4.';
COMMENT ON COLUMN v_finding.aspect IS 'What of the claim (finding.aspect).';
COMMENT ON COLUMN v_finding.run_id IS 'The run (run.run_id); NULL for groups and models.';
COMMENT ON COLUMN v_finding.run_name IS 'Name of the run; NULL for groups and models.';
COMMENT ON COLUMN v_finding.family IS 'The group (model.family); NULL for runs and models.';
COMMENT ON COLUMN v_finding.subject IS 'Name of the model (of a fine-tuned one with its base), or of the group.';
COMMENT ON COLUMN v_finding.corpus_id IS 'The corpus (corpus.corpus_id); NULL where none in this warehouse is part of it.';
COMMENT ON COLUMN v_finding.corpus_name IS 'Name of the corpus; NULL where there is none.';
COMMENT ON COLUMN v_finding.model_id IS 'P1, P2, P4: the model (finding.model_id); NULL elsewhere.';
COMMENT ON COLUMN v_finding.other_model_id IS 'P2: the model that it was fine-tuned from; NULL elsewhere.';
COMMENT ON COLUMN v_finding.quantity IS 'What value is, and what n counts.';
COMMENT ON COLUMN v_finding.value IS 'The number that decides; NULL when there is none.';
COMMENT ON COLUMN v_finding.low IS 'Lower end of its 95% interval; NULL when there is none.';
COMMENT ON COLUMN v_finding.high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_finding.p_value IS 'P3: p by permutation, which decides in the place of an interval; NULL elsewhere.';
COMMENT ON COLUMN v_finding.n IS 'What it is estimated from, as quantity says.';
COMMENT ON COLUMN v_finding.verdict IS 'holds, fails, or not enough data.';
COMMENT ON COLUMN v_finding.note IS 'What is missing and what to do about it, or what else is to be known; NULL when nothing is.';
COMMENT ON COLUMN v_finding.statement IS 'The claim in one sentence.';
COMMENT ON COLUMN v_finding.rule IS 'The rule that gives the verdict.';
COMMENT ON COLUMN v_finding.query IS 'SQL that gives value, low, high and n from this warehouse.';
COMMENT ON COLUMN v_finding.method_version IS 'Version of the analysis.';
