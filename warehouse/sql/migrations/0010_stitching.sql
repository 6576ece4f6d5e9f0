-- How well a fine-tuned classifier's last layers work on another model's first ones (`lenshouse stitch`).

CREATE TABLE stitching (
    model_a INTEGER NOT NULL,
    model_b INTEGER NOT NULL,
    corpus_name VARCHAR NOT NULL,
    corpus_sha256 VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    cut SMALLINT,
    draw SMALLINT,
    accuracy DOUBLE NOT NULL,
    low DOUBLE,
    high DOUBLE,
    gain DOUBLE NOT NULL,
    gain_low DOUBLE,
    gain_high DOUBLE,
    n_sequences INTEGER NOT NULL,
    n_classes INTEGER NOT NULL,
    n_draws SMALLINT NOT NULL,
    method_version VARCHAR NOT NULL,
    seed INTEGER NOT NULL,
    n_resamples INTEGER NOT NULL
);
COMMENT ON TABLE stitching IS 'One row per two models, labelled corpus, kind, cut and draw: the accuracy of classifier B when its layers after the cut read the states of A at the cut. With E_A and E_B the embeddings (d x V), a state x of A becomes x E_A E_B^+ (Dar et al. 2023).';
COMMENT ON COLUMN stitching.model_a IS 'The model whose first layers are used (model.model_id).';
COMMENT ON COLUMN stitching.model_b IS 'The fine-tuned classifier whose last layers and head are used (model.model_id).';
COMMENT ON COLUMN stitching.corpus_name IS 'Name of the labelled corpus.';
COMMENT ON COLUMN stitching.corpus_sha256 IS 'SHA-256 of the texts and labels that were used, as the models saw them; corpus.sha256 where a run took the same.';
COMMENT ON COLUMN stitching.kind IS 'stitched: states of A translated through the vocabulary. identity: as they are, where both are of one width. random: times a matrix of independent normal numbers of the translation''s Frobenius norm. classifier: B itself, without A. chance: the share of the most frequent class.';
COMMENT ON COLUMN stitching.cut IS 'Layers of A that come first, 0 (its embeddings) to all; B gives the rest. NULL for classifier and chance.';
COMMENT ON COLUMN stitching.draw IS 'Which random matrix, from 0; NULL for other kinds.';
COMMENT ON COLUMN stitching.accuracy IS 'Share of the texts whose label is the class of the largest logit.';
COMMENT ON COLUMN stitching.low IS 'Lower end of its 95% interval, bootstrap over texts; NULL with fewer than 8.';
COMMENT ON COLUMN stitching.high IS 'Upper end of its interval.';
COMMENT ON COLUMN stitching.gain IS 'Accuracy less chance.';
COMMENT ON COLUMN stitching.gain_low IS 'Lower end of its 95% interval, over the same resamples of texts for both; NULL with fewer than 8.';
COMMENT ON COLUMN stitching.gain_high IS 'Upper end of its interval.';
COMMENT ON COLUMN stitching.n_sequences IS 'Texts.';
COMMENT ON COLUMN stitching.n_classes IS 'Classes of B: guessing at random is right in one text of so many.';
COMMENT ON COLUMN stitching.n_draws IS 'Random matrices that were drawn.';
COMMENT ON COLUMN stitching.method_version IS 'Version of the method that gave these numbers.';
COMMENT ON COLUMN stitching.seed IS 'Seed of random matrices and resamples.';
COMMENT ON COLUMN stitching.n_resamples IS 'Bootstrap resamples.';
