-- One row per group and run that counts in it: a group is a model family over one corpus, its runs differ in weights
-- alone. Where a family holds several architectures or was run with several settings, those that most models share
-- make the group; the same weights count once.
CREATE VIEW v_group_run AS
WITH source AS (
    SELECT
        family, corpus_id, corpus_name, run_id, run_name, model_name, seed, n_layer, fingerprint, dtype,
        concat_ws(
            ' ', model_type, placement, component_order, is_causal, n_layer, n_head, n_kv_head, d_model, d_ff, activation,
            tokenizer_id
        ) AS architecture,
        coalesce(options->>'ff_bias', 'path') AS ff_bias, method_version,
        coalesce(weights_sha256, 'model ' || model_id) AS weights
    FROM v_run
    WHERE family IS NOT NULL
),
first_of_weights AS (
    SELECT *
    FROM source
    QUALIFY row_number() OVER (
        PARTITION BY family, corpus_id, architecture, dtype, ff_bias, method_version, weights ORDER BY run_id
    ) = 1
),
counted AS (
    SELECT
        *, count(*) OVER (PARTITION BY family, corpus_id, architecture, dtype, ff_bias, method_version) AS n_runs
    FROM first_of_weights
),
final AS (
    SELECT * EXCLUDE (weights, architecture)
    FROM counted
    QUALIFY dense_rank() OVER (
        PARTITION BY family, corpus_id
        ORDER BY n_runs DESC, method_version DESC, dtype = 'float32' DESC, dtype, ff_bias = 'path' DESC, ff_bias,
            architecture
    ) = 1
)
SELECT * FROM final;

COMMENT ON VIEW v_group_run IS 'One row per group (model family over one corpus) and complete run that counts in it. The runs of a group share architecture, tokenizer, dtype, ff_bias and method version: of several those of most models; the same weights count once.';
COMMENT ON COLUMN v_group_run.family IS 'The group: model.family.';
COMMENT ON COLUMN v_group_run.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN v_group_run.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_group_run.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_group_run.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_group_run.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_group_run.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_group_run.n_layer IS 'Number of layers.';
COMMENT ON COLUMN v_group_run.fingerprint IS 'Hash of everything that decides the run''s numbers.';
COMMENT ON COLUMN v_group_run.dtype IS 'Floating-point type of the computation.';
COMMENT ON COLUMN v_group_run.ff_bias IS 'Reading of biases in the integrated gradients (--ff-bias).';
COMMENT ON COLUMN v_group_run.method_version IS 'Version of the method.';
COMMENT ON COLUMN v_group_run.n_runs IS 'Runs that the group has.';
