-- One row per complete run, measure, layer, item and pair filter, once `lenshouse analyze` has run: every number about a
-- layer that groups of runs are compared by, in one form.
CREATE VIEW v_estimate AS
WITH source AS (
    SELECT run_id, measure, layer, item, pair_filter, value, low, high, n, n_sequences FROM estimate
    UNION ALL
    SELECT
        run_id, 'pattern_effect' AS measure, layer, pattern AS item, NULL AS pair_filter, effect AS value,
        effect_low AS low, effect_high AS high, n_pairs AS n, n_sequences
    FROM pattern_effect
    WHERE relation IS NULL
),
final AS (
    SELECT
        source.run_id, v_run.run_name, v_run.model_name, v_run.family, v_run.seed, v_run.corpus_id, v_run.corpus_name,
        source.measure, source.layer, source.item, source.pair_filter, source.value, source.low, source.high, source.n,
        source.n_sequences
    FROM source
    JOIN v_run ON v_run.run_id = source.run_id
)
SELECT * FROM final;

COMMENT ON VIEW v_estimate IS 'One row per complete run, measure, layer, item and pair filter, once lenshouse analyze has run: the rows of estimate, and the effects of patterns (measure pattern_effect), in the form of v_group_estimate.';
COMMENT ON COLUMN v_estimate.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_estimate.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_estimate.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_estimate.family IS 'Family of the model; NULL when unknown.';
COMMENT ON COLUMN v_estimate.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_estimate.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN v_estimate.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_estimate.measure IS 'What is estimated (estimate.measure), or pattern_effect.';
COMMENT ON COLUMN v_estimate.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_estimate.item IS 'Component, kind of point or other item of the measure (estimate.item); the pattern.';
COMMENT ON COLUMN v_estimate.pair_filter IS 'Pairs that changes are over (map_change.pair_filter); NULL where it does not apply.';
COMMENT ON COLUMN v_estimate.value IS 'The estimate; NULL when undefined.';
COMMENT ON COLUMN v_estimate.low IS 'Lower end of its 95% interval; NULL with too few sequences.';
COMMENT ON COLUMN v_estimate.high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_estimate.n IS 'Points behind it: sequences, rows, dimensions, tokens or pairs.';
COMMENT ON COLUMN v_estimate.n_sequences IS 'Sequences behind it.';
