-- Which layers and units of two models correspond (`lenshouse align`).

CREATE TABLE alignment (
    model_a INTEGER NOT NULL,
    model_b INTEGER NOT NULL,
    component VARCHAR NOT NULL,
    space VARCHAR NOT NULL,
    layer_a SMALLINT NOT NULL,
    layer_b SMALLINT NOT NULL,
    score DOUBLE NOT NULL,
    best_match DOUBLE NOT NULL,
    assigned BOOLEAN NOT NULL,
    assigned_by_best BOOLEAN NOT NULL
);
COMMENT ON TABLE alignment IS 'One row per two models, component, space and two layers: how similar what they hold is. Two models are there once, the one with the lower model_id as A.';
COMMENT ON COLUMN alignment.model_a IS 'The one model (model.model_id).';
COMMENT ON COLUMN alignment.model_b IS 'The other model (model.model_id).';
COMMENT ON COLUMN alignment.component IS 'ff_key, ff_gate, ff_value, w_q, w_k, w_v or w_o (projection.component).';
COMMENT ON COLUMN alignment.space IS 'embedding: two vectors are compared by what they say of every vocabulary item, Pearson''s r over the items (Dar et al. 2023). feature: by their coordinates themselves, Pearson''s r over the dimensions, the baseline.';
COMMENT ON COLUMN alignment.layer_a IS 'Layer of A, from 1.';
COMMENT ON COLUMN alignment.layer_b IS 'Layer of B, from 1.';
COMMENT ON COLUMN alignment.score IS 'Mean of |r| over all pairs of their vectors.';
COMMENT ON COLUMN alignment.best_match IS 'Mean, over the vectors of both layers, of the |r| of the best match in the other layer (ours).';
COMMENT ON COLUMN alignment.assigned IS 'True where the two correspond in the one-to-one assignment of layers with the largest sum of score.';
COMMENT ON COLUMN alignment.assigned_by_best IS 'The same with the largest sum of best_match.';

CREATE TABLE alignment_summary (
    model_a INTEGER NOT NULL,
    model_b INTEGER NOT NULL,
    component VARCHAR NOT NULL,
    space VARCHAR NOT NULL,
    measure VARCHAR NOT NULL,
    n_layer_a SMALLINT NOT NULL,
    n_layer_b SMALLINT NOT NULL,
    n_own SMALLINT NOT NULL,
    p_value DOUBLE NOT NULL,
    n_items INTEGER NOT NULL,
    embedding_a VARCHAR NOT NULL,
    embedding_b VARCHAR NOT NULL,
    method_version VARCHAR NOT NULL,
    seconds DOUBLE NOT NULL
);
COMMENT ON TABLE alignment_summary IS 'One row per two models, component, space and measure: how many layers correspond to the layer of their own index, and how likely chance would give as many. Written together with the rows of alignment.';
COMMENT ON COLUMN alignment_summary.model_a IS 'The one model (model.model_id).';
COMMENT ON COLUMN alignment_summary.model_b IS 'The other model (model.model_id).';
COMMENT ON COLUMN alignment_summary.component IS 'The component (alignment.component).';
COMMENT ON COLUMN alignment_summary.space IS 'embedding or feature (alignment.space).';
COMMENT ON COLUMN alignment_summary.measure IS 'What the assignment maximises: score or best_match.';
COMMENT ON COLUMN alignment_summary.n_layer_a IS 'Layers of A.';
COMMENT ON COLUMN alignment_summary.n_layer_b IS 'Layers of B.';
COMMENT ON COLUMN alignment_summary.n_own IS 'Layers that correspond to the layer of their own index.';
COMMENT ON COLUMN alignment_summary.p_value IS 'Chance that as many or more would if every one-to-one assignment were equally likely. Exact; of one component alone: components of one pair of models are not independent.';
COMMENT ON COLUMN alignment_summary.n_items IS 'Vocabulary items that both models have.';
COMMENT ON COLUMN alignment_summary.embedding_a IS 'Embeddings of A that were used: output, tied or input (projection_part.embedding_source).';
COMMENT ON COLUMN alignment_summary.embedding_b IS 'Embeddings of B that were used.';
COMMENT ON COLUMN alignment_summary.method_version IS 'Version of the method that gave these numbers.';
COMMENT ON COLUMN alignment_summary.seconds IS 'Time that the component took in this space, in s.';

CREATE TABLE unit_match (
    model_a INTEGER NOT NULL,
    model_b INTEGER NOT NULL,
    component VARCHAR NOT NULL,
    layer_a SMALLINT NOT NULL,
    unit_a INTEGER NOT NULL,
    layer_b SMALLINT NOT NULL,
    unit_b INTEGER NOT NULL,
    r REAL NOT NULL
);
COMMENT ON TABLE unit_match IS 'One row per two models, component, layer and unit of A: the unit of B, of whichever layer, that says most nearly the same (or the opposite) of the vocabulary.';
COMMENT ON COLUMN unit_match.model_a IS 'The one model (model.model_id).';
COMMENT ON COLUMN unit_match.model_b IS 'The other model (model.model_id).';
COMMENT ON COLUMN unit_match.component IS 'The component (alignment.component).';
COMMENT ON COLUMN unit_match.layer_a IS 'Layer of A, from 1.';
COMMENT ON COLUMN unit_match.unit_a IS 'Neuron of A, or coordinate counted over all heads, from 0.';
COMMENT ON COLUMN unit_match.layer_b IS 'Layer of B, from 1.';
COMMENT ON COLUMN unit_match.unit_b IS 'Neuron or coordinate of B, from 0.';
COMMENT ON COLUMN unit_match.r IS 'Pearson''s r over the vocabulary of what the two say, with its sign; of all units of B the largest |r|.';
