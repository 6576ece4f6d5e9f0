-- One row per complete run, layer and kind of point, once `lenshouse analyze` has run: the plain and the partial correlation.
CREATE VIEW v_norm_change AS
WITH source AS (
    SELECT
        estimate.*, v_run.run_name, v_run.model_name, v_run.family, v_run.seed AS model_seed, v_run.corpus_name
    FROM estimate
    JOIN v_run ON v_run.run_id = estimate.run_id
    WHERE estimate.measure IN ('norm_change', 'norm_change_partial')
),
final AS (
    SELECT
        run_id, any_value(run_name) AS run_name, any_value(model_name) AS model_name,
        any_value(family) AS family, any_value(model_seed) AS seed, any_value(corpus_name) AS corpus_name,
        layer, item AS point, any_value(n) AS n_points, any_value(n_sequences) AS n_sequences,
        max(value) FILTER (WHERE measure = 'norm_change') AS rho,
        max(low) FILTER (WHERE measure = 'norm_change') AS low,
        max(high) FILTER (WHERE measure = 'norm_change') AS high,
        max(p_value) FILTER (WHERE measure = 'norm_change') AS p_value,
        max(value) FILTER (WHERE measure = 'norm_change_partial') AS partial_rho,
        max(low) FILTER (WHERE measure = 'norm_change_partial') AS partial_low,
        max(high) FILTER (WHERE measure = 'norm_change_partial') AS partial_high,
        max(p_value) FILTER (WHERE measure = 'norm_change_partial') AS partial_p_value
    FROM source
    GROUP BY run_id, layer, item
)
SELECT * FROM final;

COMMENT ON VIEW v_norm_change IS 'One row per complete run, layer and kind of point, once lenshouse analyze has run: how the norm of the feed-forward output goes with the change that the network makes (claim F4).';
COMMENT ON COLUMN v_norm_change.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_norm_change.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_norm_change.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_norm_change.family IS 'Family of the model; NULL when unknown.';
COMMENT ON COLUMN v_norm_change.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_norm_change.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_norm_change.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_norm_change.point IS 'sequence: mean norm over its tokens of content, and the change of its map of content. row: norm of one token of content, and the change of its row of the map, over the keys of content that it can see.';
COMMENT ON COLUMN v_norm_change.n_points IS 'Sequences or rows.';
COMMENT ON COLUMN v_norm_change.n_sequences IS 'Sequences behind them.';
COMMENT ON COLUMN v_norm_change.rho IS 'Spearman''s rho of the FF output''s norm and the change by FF; NULL when undefined.';
COMMENT ON COLUMN v_norm_change.low IS 'Lower end of its 95% interval (bootstrap over sequences); NULL with too few sequences.';
COMMENT ON COLUMN v_norm_change.high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_norm_change.p_value IS 'Two-sided p of no relation, by random signs of the sequences'' parts of the covariance of ranks.';
COMMENT ON COLUMN v_norm_change.partial_rho IS 'The same with the attention output''s norm held (partial Spearman).';
COMMENT ON COLUMN v_norm_change.partial_low IS 'Lower end of its 95% interval (bootstrap over sequences); NULL with too few sequences.';
COMMENT ON COLUMN v_norm_change.partial_high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_norm_change.partial_p_value IS 'Its two-sided p.';
