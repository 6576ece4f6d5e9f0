-- One row per complete run, layer and parts of speech of two words, once `lenshouse analyze` has run. P is adjusted by
-- Benjamini and Hochberg over the run's layers x pairs of parts of speech: the least p * m / rank of those not below it.
CREATE VIEW v_upos_effect AS
WITH source AS (
    SELECT
        estimate.*, v_run.run_name, v_run.model_name, v_run.family, v_run.seed AS model_seed, v_run.corpus_name
    FROM estimate
    JOIN v_run ON v_run.run_id = estimate.run_id
    WHERE estimate.measure = 'upos_effect'
),
ranked AS (
    SELECT
        *,
        p_value * count(p_value) OVER (PARTITION BY run_id)
            / row_number() OVER (PARTITION BY run_id ORDER BY p_value NULLS LAST) AS scaled_p
    FROM source
),
final AS (
    SELECT
        run_id, run_name, model_name, family, model_seed AS seed, corpus_name, layer,
        split_part(item, '/', 1) AS query_upos, split_part(item, '/', 2) AS key_upos,
        n AS n_pairs, n_sequences, value AS effect, low AS effect_low, high AS effect_high, p_value,
        CASE WHEN p_value IS NOT NULL THEN least(1, min(scaled_p) OVER (
            PARTITION BY run_id ORDER BY p_value DESC NULLS FIRST RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        )) END AS p_adjusted
    FROM ranked
)
SELECT * FROM final;

COMMENT ON VIEW v_upos_effect IS 'One row per complete run, layer and parts of speech of the query''s and the key''s word, once lenshouse analyze has run: how the feed-forward network amplifies such pairs of two different words. Parallel models have none: their feed-forward network reads each position alone.';
COMMENT ON COLUMN v_upos_effect.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_upos_effect.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_upos_effect.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_upos_effect.family IS 'Family of the model; NULL when unknown.';
COMMENT ON COLUMN v_upos_effect.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_upos_effect.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_upos_effect.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_upos_effect.query_upos IS 'Part of speech of the word that receives (word.upos).';
COMMENT ON COLUMN v_upos_effect.key_upos IS 'Part of speech of the word that contributes.';
COMMENT ON COLUMN v_upos_effect.n_pairs IS 'Token pairs of such words that the layer''s attention can see.';
COMMENT ON COLUMN v_upos_effect.n_sequences IS 'Sequences that hold such a pair and another one.';
COMMENT ON COLUMN v_upos_effect.effect IS 'Mean over these pairs of FF-amp less the mean FF-amp of the same sequence''s other pairs of content, as v_pattern_effect.effect: above 0 when they are amplified.';
COMMENT ON COLUMN v_upos_effect.effect_low IS 'Lower end of its 95% interval (bootstrap over sequences); NULL with too few sequences.';
COMMENT ON COLUMN v_upos_effect.effect_high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_upos_effect.p_value IS 'Two-sided p of effect = 0, by random signs of the sequences'' contributions; NULL with fewer than two sequences.';
COMMENT ON COLUMN v_upos_effect.p_adjusted IS 'p_value by Benjamini and Hochberg over the run''s layers x pairs of parts of speech.';
