-- One row per two complete runs over one corpus, measure and layer: how far they agree.
CREATE VIEW v_seed_agreement AS
WITH source AS (
    SELECT * FROM seed_agreement
),
final AS (
    SELECT
        a.corpus_id, a.corpus_name, source.run_a, a.run_name AS run_name_a, a.model_name AS model_a,
        a.family AS family_a, a.seed AS seed_a, source.run_b, b.run_name AS run_name_b, b.model_name AS model_b,
        b.family AS family_b, b.seed AS seed_b, source.measure, source.layer_a, source.layer_b, source.value,
        source.low, source.high, source.n, source.n_sequences
    FROM source
    JOIN v_run AS a ON a.run_id = source.run_a
    JOIN v_run AS b ON b.run_id = source.run_b
)
SELECT * FROM final;

COMMENT ON VIEW v_seed_agreement IS 'One row per two complete runs over one corpus, measure and layer: how far they agree, with names (claim F6).';
COMMENT ON COLUMN v_seed_agreement.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN v_seed_agreement.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_seed_agreement.run_a IS 'The one run (run.run_id).';
COMMENT ON COLUMN v_seed_agreement.run_name_a IS 'Its name.';
COMMENT ON COLUMN v_seed_agreement.model_a IS 'Name of its model.';
COMMENT ON COLUMN v_seed_agreement.family_a IS 'Family of its model; NULL when unknown.';
COMMENT ON COLUMN v_seed_agreement.seed_a IS 'Training seed of its model; NULL when unknown.';
COMMENT ON COLUMN v_seed_agreement.run_b IS 'The other run.';
COMMENT ON COLUMN v_seed_agreement.run_name_b IS 'Its name.';
COMMENT ON COLUMN v_seed_agreement.model_b IS 'Name of its model.';
COMMENT ON COLUMN v_seed_agreement.family_b IS 'Family of its model; NULL when unknown.';
COMMENT ON COLUMN v_seed_agreement.seed_b IS 'Training seed of its model; NULL when unknown.';
COMMENT ON COLUMN v_seed_agreement.measure IS 'What is correlated (seed_agreement.measure).';
COMMENT ON COLUMN v_seed_agreement.layer_a IS 'Layer of run_a, from 1; NULL where all layers count together.';
COMMENT ON COLUMN v_seed_agreement.layer_b IS 'Layer of run_b at the same relative depth; NULL where all layers count together.';
COMMENT ON COLUMN v_seed_agreement.value IS 'Pearson''s r, -1 to 1; NULL when undefined.';
COMMENT ON COLUMN v_seed_agreement.low IS 'Lower end of its 95% interval, bootstrap over sequences; NULL with too few.';
COMMENT ON COLUMN v_seed_agreement.high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_seed_agreement.n IS 'Pairs, or points of a profile or curve.';
COMMENT ON COLUMN v_seed_agreement.n_sequences IS 'Sequences behind it.';
