-- How the maps change when outlier dimensions are left out (--inliers).

CREATE TABLE inlier_change (
    run_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    seq_id INTEGER NOT NULL,
    component VARCHAR NOT NULL,
    pair_filter VARCHAR NOT NULL,
    spearman DOUBLE,
    n_pairs INTEGER NOT NULL
);
COMMENT ON TABLE inlier_change IS 'map_change once more, of runs with --inliers, every vector''s norm taken without the layer''s outlier dimensions: those whose |layer_dim.ln_ff_gamma| lies more than 3 population standard deviations from the layer''s mean. Layers without such dimensions have no rows. Holds rows of runs that are still under way too; the views do not.';
COMMENT ON COLUMN inlier_change.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN inlier_change.layer IS 'Layer, from 1.';
COMMENT ON COLUMN inlier_change.seq_id IS 'The sequence (sequence.seq_id of the run''s corpus).';
COMMENT ON COLUMN inlier_change.component IS 'FF, RES, LN or BLOCK (map_change.component).';
COMMENT ON COLUMN inlier_change.pair_filter IS 'all, content or offdiag (map_change.pair_filter).';
COMMENT ON COLUMN inlier_change.spearman IS 'Spearman''s rho of the two maps without outlier dimensions; NULL with fewer than two pairs or a constant map.';
COMMENT ON COLUMN inlier_change.n_pairs IS 'Pairs that passed the filter.';
