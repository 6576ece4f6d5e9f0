-- One row per complete run, layer, component, pair filter and sequence whose change is defined: the change, and how far it
-- lies from the others of its layer. Distances are in quartile ranges, which a few outlying sentences do not widen.
CREATE VIEW v_change_by_sequence AS
WITH source AS (
    SELECT run_id, layer, component, pair_filter, seq_id, 1 - spearman AS change, n_pairs
    FROM map_change
    WHERE spearman IS NOT NULL
),
spread AS (
    SELECT
        run_id, layer, component, pair_filter, median(change) AS median_change,
        quantile_cont(change, 0.75) - quantile_cont(change, 0.25) AS quartile_range
    FROM source
    GROUP BY run_id, layer, component, pair_filter
),
final AS (
    SELECT
        source.run_id, v_run.run_name, v_run.corpus_id, v_run.tokenizer_id, source.layer, source.component,
        source.pair_filter, source.seq_id, source.change, spread.median_change,
        (source.change - spread.median_change) / nullif(spread.quartile_range, 0) AS distance, source.n_pairs
    FROM source
    JOIN spread
        ON spread.run_id = source.run_id AND spread.layer = source.layer AND spread.component = source.component
        AND spread.pair_filter = source.pair_filter
    JOIN v_run ON v_run.run_id = source.run_id
)
SELECT * FROM final;

COMMENT ON VIEW v_change_by_sequence IS 'One row per complete run, layer, component, pair filter and sequence whose change is defined: the change, and how far it lies from the others of its layer. Filter by run_id to read little.';
COMMENT ON COLUMN v_change_by_sequence.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_change_by_sequence.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_change_by_sequence.corpus_id IS 'The run''s corpus (corpus.corpus_id).';
COMMENT ON COLUMN v_change_by_sequence.tokenizer_id IS 'The run''s tokenizer (tokenizer.tokenizer_id).';
COMMENT ON COLUMN v_change_by_sequence.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_change_by_sequence.component IS 'FF, RES, LN or BLOCK (map_change.component).';
COMMENT ON COLUMN v_change_by_sequence.pair_filter IS 'all, content or offdiag (map_change.pair_filter).';
COMMENT ON COLUMN v_change_by_sequence.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN v_change_by_sequence.change IS '1 - Spearman''s rho of the map before and after the component, 0 (same order) to 2 (reversed).';
COMMENT ON COLUMN v_change_by_sequence.median_change IS 'Median of the change over the sequences of this run, layer, component and pair filter.';
COMMENT ON COLUMN v_change_by_sequence.distance IS '(change - median_change) / (upper less lower quartile) over those sequences; NULL where the quartiles are equal.';
COMMENT ON COLUMN v_change_by_sequence.n_pairs IS 'Pairs that passed the filter.';
