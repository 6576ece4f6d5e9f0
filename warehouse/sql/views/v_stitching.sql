-- One row per two models, labelled corpus, kind, cut and draw: accuracy, with names.
CREATE VIEW v_stitching AS
WITH source AS (
    SELECT * FROM stitching
),
final AS (
    SELECT
        source.corpus_name, a.name AS model_a, a.family AS family_a, a.seed AS seed_a, b.name AS model_b,
        b.family AS family_b, b.seed AS seed_b, coalesce(b.base_model = a.name, FALSE) AS is_base, source.kind,
        source.cut, a.n_layer, source.draw, source.accuracy, source.low, source.high, source.gain, source.gain_low,
        source.gain_high, source.n_sequences, source.n_classes, source.corpus_sha256
    FROM source
    JOIN model AS a ON a.model_id = source.model_a
    JOIN model AS b ON b.model_id = source.model_b
)
SELECT * FROM final;

COMMENT ON VIEW v_stitching IS 'One row per two models, labelled corpus, kind, cut and draw: the accuracy of classifier B on the first layers of A, with names (claim P4).';
COMMENT ON COLUMN v_stitching.corpus_name IS 'Name of the labelled corpus.';
COMMENT ON COLUMN v_stitching.model_a IS 'Name of the model whose first layers are used.';
COMMENT ON COLUMN v_stitching.family_a IS 'Its family; NULL when unknown.';
COMMENT ON COLUMN v_stitching.seed_a IS 'Its training seed; NULL when unknown.';
COMMENT ON COLUMN v_stitching.model_b IS 'Name of the classifier whose last layers are used.';
COMMENT ON COLUMN v_stitching.family_b IS 'Its family; NULL when unknown.';
COMMENT ON COLUMN v_stitching.seed_b IS 'Its training seed; NULL when unknown.';
COMMENT ON COLUMN v_stitching.is_base IS 'True where B''s files say that A is the model it was fine-tuned from: no translation between seeds is then needed.';
COMMENT ON COLUMN v_stitching.kind IS 'stitched, identity, random, classifier or chance (stitching.kind).';
COMMENT ON COLUMN v_stitching.cut IS 'Layers of A that come first, from 0; NULL for classifier and chance.';
COMMENT ON COLUMN v_stitching.n_layer IS 'Layers of either model.';
COMMENT ON COLUMN v_stitching.draw IS 'Which random matrix, from 0; NULL for other kinds.';
COMMENT ON COLUMN v_stitching.accuracy IS 'Share of the texts that are classified rightly, 0 to 1.';
COMMENT ON COLUMN v_stitching.low IS 'Lower end of its 95% interval over texts.';
COMMENT ON COLUMN v_stitching.high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_stitching.gain IS 'Accuracy less the share of the most frequent class.';
COMMENT ON COLUMN v_stitching.gain_low IS 'Lower end of its 95% interval over texts; above 0: better than chance.';
COMMENT ON COLUMN v_stitching.gain_high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_stitching.n_sequences IS 'Texts.';
COMMENT ON COLUMN v_stitching.n_classes IS 'Classes of B.';
COMMENT ON COLUMN v_stitching.corpus_sha256 IS 'SHA-256 of the texts and labels that were used.';
