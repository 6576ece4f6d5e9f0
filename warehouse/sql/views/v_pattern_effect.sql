-- One row per complete run, layer and pattern, and per relation of head_dependent, once `lenshouse analyze` has run.
CREATE VIEW v_pattern_effect AS
WITH source AS (
    SELECT
        pattern_effect.*, v_run.run_name, v_run.model_name, v_run.family, v_run.seed AS model_seed, v_run.corpus_name
    FROM pattern_effect
    JOIN v_run ON v_run.run_id = pattern_effect.run_id
),
final AS (
    SELECT
        run_id, run_name, model_name, family, model_seed AS seed, corpus_name, layer, pattern, relation,
        n_pairs, n_sequences, mean_amp, mean_amp_low, mean_amp_high, effect, effect_low, effect_high,
        top_share, lift, lift_low, lift_high, p_value, p_adjusted
    FROM source
)
SELECT * FROM final;

COMMENT ON VIEW v_pattern_effect IS 'One row per complete run, layer and pattern, and per relation of head_dependent, once lenshouse analyze has run: how the feed-forward network amplifies the pattern''s pairs (claim F2). All NULL but the counts in parallel models, whose feed-forward network reads each position alone.';
COMMENT ON COLUMN v_pattern_effect.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_pattern_effect.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_pattern_effect.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_pattern_effect.family IS 'Family of the model; NULL when unknown.';
COMMENT ON COLUMN v_pattern_effect.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_pattern_effect.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_pattern_effect.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_pattern_effect.pattern IS 'The pattern (pair_pattern.pattern).';
COMMENT ON COLUMN v_pattern_effect.relation IS 'Relation of head_dependent pairs; NULL for all pairs of the pattern.';
COMMENT ON COLUMN v_pattern_effect.n_pairs IS 'Pairs of the pattern that the layer''s attention can see.';
COMMENT ON COLUMN v_pattern_effect.n_sequences IS 'Sequences that hold such a pair and another one.';
COMMENT ON COLUMN v_pattern_effect.mean_amp IS 'Mean FF-amp (v_ff_amp.ff_amp) of the pattern''s pairs.';
COMMENT ON COLUMN v_pattern_effect.mean_amp_low IS 'Lower end of its 95% interval (bootstrap over sequences); NULL with too few sequences.';
COMMENT ON COLUMN v_pattern_effect.mean_amp_high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_pattern_effect.effect IS 'Mean over the pattern''s pairs of FF-amp less the mean FF-amp of the same sequence''s other pairs: above 0 when the pattern is amplified.';
COMMENT ON COLUMN v_pattern_effect.effect_low IS 'Lower end of its 95% interval (bootstrap over sequences); NULL with too few sequences.';
COMMENT ON COLUMN v_pattern_effect.effect_high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_pattern_effect.top_share IS 'Share of the pattern among the 1% most amplified pairs of the layer.';
COMMENT ON COLUMN v_pattern_effect.lift IS 'top_share over the pattern''s share among all pairs: above 1 when it is over-represented.';
COMMENT ON COLUMN v_pattern_effect.lift_low IS 'Lower end of its 95% interval (bootstrap over sequences); NULL with too few sequences.';
COMMENT ON COLUMN v_pattern_effect.lift_high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_pattern_effect.p_value IS 'Two-sided p of effect = 0, by random signs of the sequences'' contributions.';
COMMENT ON COLUMN v_pattern_effect.p_adjusted IS 'p_value by Benjamini and Hochberg over the run''s layers x patterns; rows with a relation among themselves.';
