-- One row per group of complete runs, measure, layer and item: mean, spread and interval over seeds.
CREATE VIEW v_group_estimate AS
WITH source AS (
    SELECT * FROM group_estimate
),
groups AS (
    SELECT family, corpus_id, any_value(corpus_name) AS corpus_name FROM v_group_run GROUP BY family, corpus_id
),
final AS (
    SELECT
        source.family, source.corpus_id, groups.corpus_name, source.measure, source.layer, source.item,
        source.pair_filter, source.mean, source.sd, source.low, source.high, source.n_runs, source.n_sequences
    FROM source
    JOIN groups ON groups.family = source.family AND groups.corpus_id = source.corpus_id
)
SELECT * FROM final;

COMMENT ON VIEW v_group_estimate IS 'One row per group of complete runs (one model family over one corpus), measure, layer and item: mean, spread and 95% interval over seeds (claim F6).';
COMMENT ON COLUMN v_group_estimate.family IS 'The group: model.family.';
COMMENT ON COLUMN v_group_estimate.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN v_group_estimate.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_group_estimate.measure IS 'What is estimated (group_estimate.measure).';
COMMENT ON COLUMN v_group_estimate.layer IS 'Layer, from 1 (group_estimate.layer); NULL where all layers count together.';
COMMENT ON COLUMN v_group_estimate.item IS 'Component, pattern or other item of the measure (group_estimate.item).';
COMMENT ON COLUMN v_group_estimate.pair_filter IS 'Pairs that changes are over; NULL where it does not apply.';
COMMENT ON COLUMN v_group_estimate.mean IS 'Mean over the group''s runs.';
COMMENT ON COLUMN v_group_estimate.sd IS 'Sample standard deviation over the group''s runs; NULL with one.';
COMMENT ON COLUMN v_group_estimate.low IS 'Lower end of the 95% interval; NULL where there is none.';
COMMENT ON COLUMN v_group_estimate.high IS 'Upper end of the interval.';
COMMENT ON COLUMN v_group_estimate.n_runs IS 'Runs in the group.';
COMMENT ON COLUMN v_group_estimate.n_sequences IS 'Sequences that all of them share.';
