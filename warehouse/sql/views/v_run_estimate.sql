-- One row per complete run, measure, layer, item and pair filter, once `lenshouse analyze` has run: every number about a
-- layer that has an interval; v_group_estimate has their means over seeds.
CREATE VIEW v_run_estimate AS
WITH source AS (
    SELECT run_id, measure, layer, item, pair_filter, value, low, high, n_sequences FROM estimate
    UNION ALL
    SELECT run_id, 'pattern_effect', layer, pattern, NULL, effect, effect_low, effect_high, n_sequences
    FROM pattern_effect
    WHERE relation IS NULL
),
final AS (
    SELECT
        source.run_id, v_run.run_name, v_run.model_name, v_run.family, v_run.seed, v_run.corpus_name,
        source.measure, source.layer, source.item, source.pair_filter, source.value, source.low, source.high,
        source.n_sequences
    FROM source
    JOIN v_run ON v_run.run_id = source.run_id
)
SELECT * FROM final;

COMMENT ON VIEW v_run_estimate IS 'One row per complete run, measure, layer, item and pair filter, once lenshouse analyze has run: every number about a layer that has a 95% interval, in one form; v_group_estimate has means over seeds of most of them.';
COMMENT ON COLUMN v_run_estimate.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_run_estimate.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_run_estimate.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_run_estimate.family IS 'Family of the model; NULL when unknown.';
COMMENT ON COLUMN v_run_estimate.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_run_estimate.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_run_estimate.measure IS 'As estimate.measure, or pattern_effect: pattern_effect.effect of a pattern, relations left out.';
COMMENT ON COLUMN v_run_estimate.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_run_estimate.item IS 'As estimate.item, or the pattern.';
COMMENT ON COLUMN v_run_estimate.pair_filter IS 'Pairs that changes are over; NULL where it does not apply.';
COMMENT ON COLUMN v_run_estimate.value IS 'The estimate; NULL when undefined.';
COMMENT ON COLUMN v_run_estimate.low IS 'Lower end of its 95% interval; NULL with too few sequences.';
COMMENT ON COLUMN v_run_estimate.high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_run_estimate.n_sequences IS 'Sequences behind it.';
