-- One row per two groups of complete runs over one corpus, measure, item and relative depth: group b less group a.
CREATE VIEW v_group_difference AS
WITH source AS (
    SELECT * FROM group_difference
),
groups AS (
    SELECT family, corpus_id, any_value(corpus_name) AS corpus_name FROM v_group_run GROUP BY family, corpus_id
),
final AS (
    SELECT
        source.family_a, source.family_b, source.corpus_id, a.corpus_name, source.measure, source.item,
        source.pair_filter, source.depth, source.difference, source.low, source.high, source.p_value,
        source.n_runs_a, source.n_runs_b, source.n_sequences
    FROM source
    JOIN groups AS a ON a.family = source.family_a AND a.corpus_id = source.corpus_id
    JOIN groups AS b ON b.family = source.family_b AND b.corpus_id = source.corpus_id
)
SELECT * FROM final;

COMMENT ON VIEW v_group_difference IS 'One row per two groups of complete runs over one corpus, measure, item and relative depth: group b less group a, with its 95% interval (claim F6).';
COMMENT ON COLUMN v_group_difference.family_a IS 'The one group: model.family.';
COMMENT ON COLUMN v_group_difference.family_b IS 'The other group.';
COMMENT ON COLUMN v_group_difference.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN v_group_difference.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_group_difference.measure IS 'What is compared (group_difference.measure).';
COMMENT ON COLUMN v_group_difference.item IS 'Component, pattern or other item of the measure.';
COMMENT ON COLUMN v_group_difference.pair_filter IS 'Pairs that changes are over; NULL where it does not apply.';
COMMENT ON COLUMN v_group_difference.depth IS 'Relative depth, above 0 to 1, where layers of the two groups meet.';
COMMENT ON COLUMN v_group_difference.difference IS 'Mean of group b less mean of group a.';
COMMENT ON COLUMN v_group_difference.low IS 'Lower end of the 95% interval; NULL where a group has fewer than two runs.';
COMMENT ON COLUMN v_group_difference.high IS 'Upper end of the interval.';
COMMENT ON COLUMN v_group_difference.p_value IS 'Two-sided p of no difference; NULL without an interval.';
COMMENT ON COLUMN v_group_difference.n_runs_a IS 'Runs in group a.';
COMMENT ON COLUMN v_group_difference.n_runs_b IS 'Runs in group b.';
COMMENT ON COLUMN v_group_difference.n_sequences IS 'Sequences that all of them share.';
