-- One row per two families of models, labelled corpus, kind and cut: mean and spread of the accuracy over seeds.
CREATE VIEW v_stitching_spread AS
WITH source AS (
    SELECT * FROM v_stitching
),
pairs AS (  -- random matrices count together as one value of their pair of models
    SELECT
        corpus_name, corpus_sha256, coalesce(family_a, model_a) AS family_a, coalesce(family_b, model_b) AS family_b,
        is_base, model_a, seed_a, model_b, seed_b, kind, cut, avg(accuracy) AS accuracy, avg(gain) AS gain,
        bool_and(gain_low > 0) AS is_above
    FROM source
    GROUP BY ALL
),
final AS (
    SELECT
        corpus_name, family_a, family_b, is_base, kind, cut, avg(accuracy) AS mean, stddev_samp(accuracy) AS sd,
        min(accuracy) AS least, max(accuracy) AS most, avg(gain) AS mean_gain,
        count(*) FILTER (is_above) AS n_above_chance, count(*) AS n_pairs, corpus_sha256
    FROM pairs
    GROUP BY ALL
)
SELECT * FROM final;

COMMENT ON VIEW v_stitching_spread IS 'One row per two families of models, labelled corpus, kind and cut: mean and spread of stitched accuracies over pairs of seeds. The published effect varies much between seeds, so look at the spread first.';
COMMENT ON COLUMN v_stitching_spread.corpus_name IS 'Name of the labelled corpus.';
COMMENT ON COLUMN v_stitching_spread.family_a IS 'Family of the models whose first layers are used; the name of one without a family.';
COMMENT ON COLUMN v_stitching_spread.family_b IS 'Family of the classifiers; the name of one without a family.';
COMMENT ON COLUMN v_stitching_spread.is_base IS 'True for pairs where A is the model that B was fine-tuned from.';
COMMENT ON COLUMN v_stitching_spread.kind IS 'stitched, identity, random, classifier or chance (stitching.kind).';
COMMENT ON COLUMN v_stitching_spread.cut IS 'Layers of A that come first, from 0; NULL for classifier and chance.';
COMMENT ON COLUMN v_stitching_spread.mean IS 'Mean accuracy over pairs of models; of random matrices, of the means of each pair''s draws.';
COMMENT ON COLUMN v_stitching_spread.sd IS 'Standard deviation of the accuracy between pairs (n - 1); NULL for a single pair.';
COMMENT ON COLUMN v_stitching_spread.least IS 'Least accuracy of a pair.';
COMMENT ON COLUMN v_stitching_spread.most IS 'Greatest accuracy of a pair.';
COMMENT ON COLUMN v_stitching_spread.mean_gain IS 'Mean of accuracy less the share of the most frequent class.';
COMMENT ON COLUMN v_stitching_spread.n_above_chance IS 'Pairs whose 95% interval of the gain over chance lies above 0; for random matrices, that of every draw.';
COMMENT ON COLUMN v_stitching_spread.n_pairs IS 'Pairs of models. Those that share a model are not independent.';
COMMENT ON COLUMN v_stitching_spread.corpus_sha256 IS 'SHA-256 of the texts and labels that were used.';
