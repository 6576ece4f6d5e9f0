-- One row per complete run, layer, component and pair filter: how the change is spread over sequences.
CREATE VIEW v_change_quantiles AS
WITH source AS (
    SELECT * FROM v_change_by_sequence
),
final AS (
    SELECT
        run_id, layer, component, pair_filter, count(*) AS n_sequences, min(change) AS least,
        quantile_cont(change, 0.05) AS q05, quantile_cont(change, 0.25) AS q25, median(change) AS median,
        quantile_cont(change, 0.75) AS q75, quantile_cont(change, 0.95) AS q95, max(change) AS greatest
    FROM source
    GROUP BY run_id, layer, component, pair_filter
)
SELECT * FROM final;

COMMENT ON VIEW v_change_quantiles IS 'One row per complete run, layer, component and pair filter: quantiles over sequences of how much the component changes the map. Between two sequences a quantile is interpolated.';
COMMENT ON COLUMN v_change_quantiles.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_change_quantiles.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_change_quantiles.component IS 'FF, RES, LN or BLOCK (map_change.component).';
COMMENT ON COLUMN v_change_quantiles.pair_filter IS 'all, content or offdiag (map_change.pair_filter).';
COMMENT ON COLUMN v_change_quantiles.n_sequences IS 'Sequences whose change is defined.';
COMMENT ON COLUMN v_change_quantiles.least IS 'Least change 1 - Spearman''s rho.';
COMMENT ON COLUMN v_change_quantiles.q05 IS 'Its 5% quantile.';
COMMENT ON COLUMN v_change_quantiles.q25 IS 'Its lower quartile.';
COMMENT ON COLUMN v_change_quantiles.median IS 'Its median.';
COMMENT ON COLUMN v_change_quantiles.q75 IS 'Its upper quartile.';
COMMENT ON COLUMN v_change_quantiles.q95 IS 'Its 95% quantile.';
COMMENT ON COLUMN v_change_quantiles.greatest IS 'Its greatest value.';
