-- Findings about models' parameters (claims P1 to P4), which no single run or corpus need be about.

ALTER TABLE finding ALTER COLUMN corpus_id DROP NOT NULL;
ALTER TABLE finding ADD COLUMN model_id INTEGER;
ALTER TABLE finding ADD COLUMN other_model_id INTEGER;
ALTER TABLE finding ADD COLUMN p_value DOUBLE;
COMMENT ON TABLE finding IS 'One row per claim and aspect about a run, a group, or models'' parameters: the number that decides it, the verdict, the rule, and the query that gives the number.';
COMMENT ON COLUMN finding.claim IS 'F1 to F6, P1 to P4.';
COMMENT ON COLUMN finding.aspect IS 'What of the claim: map (F1); a pattern (F2); block (F3); size, depth (F4); ff_in, ff_out (F5); pairs, verdicts (F6, groups only); reading (P1); task (P2); layers, contrast (P3, groups only); transfer (P4).';
COMMENT ON COLUMN finding.corpus_id IS 'The corpus (corpus.corpus_id); NULL where none in this warehouse is part of it.';
COMMENT ON COLUMN finding.model_id IS 'P1: the model; P2, P4: the fine-tuned one (model.model_id). NULL for runs and groups.';
COMMENT ON COLUMN finding.other_model_id IS 'P2: the model that it was fine-tuned from (model.model_id); NULL elsewhere.';
COMMENT ON COLUMN finding.p_value IS 'P3: p by permutation, which decides it in the place of an interval; NULL elsewhere.';

CREATE TABLE shift_task (
    base_model_id INTEGER NOT NULL,
    tuned_model_id INTEGER NOT NULL,
    corpus_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    value DOUBLE,
    low DOUBLE,
    high DOUBLE,
    n_items INTEGER NOT NULL,
    method_version VARCHAR NOT NULL,
    seed INTEGER NOT NULL
);
COMMENT ON TABLE shift_task IS 'One row per base model, tuned model, labelled corpus and layer: whether the items that the layer''s largest shifts read as (parameter_diff, ranks 1 to 10) tell the corpus'' labels apart more than other items of their frequency do. Ours.';
COMMENT ON COLUMN shift_task.base_model_id IS 'The model before (model.model_id).';
COMMENT ON COLUMN shift_task.tuned_model_id IS 'The model that was trained on from it (model.model_id).';
COMMENT ON COLUMN shift_task.corpus_id IS 'The labelled corpus (corpus.corpus_id).';
COMMENT ON COLUMN shift_task.layer IS 'Layer, from 1.';
COMMENT ON COLUMN shift_task.value IS 'Mean over the items of |z| less the mean |z| of the other items whose count has the same power of 2. z: log odds ratio of the item between a label and the others, one half added to each count, over its standard error (Monroe et al. 2008, their eq. 16, 19 to 22 with that prior); of more than two labels the largest |z|. NULL without an item.';
COMMENT ON COLUMN shift_task.low IS 'Lower end of its 95% interval, bootstrap over items; NULL with too few.';
COMMENT ON COLUMN shift_task.high IS 'Upper end of its interval.';
COMMENT ON COLUMN shift_task.n_items IS 'Items: those that occur at least 5 times in the corpus, and for which there are others of their frequency that the layer''s shifts do not read as.';
COMMENT ON COLUMN shift_task.method_version IS 'Version of the analysis.';
COMMENT ON COLUMN shift_task.seed IS 'Seed of the random numbers.';
