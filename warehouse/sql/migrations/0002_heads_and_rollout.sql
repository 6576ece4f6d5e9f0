-- What a run stores when it is asked for it: values of single attention heads (--heads), and rollout (--rollout).
-- Large tables without keys or indexes, written in sorted order, as in 0001_base.

CREATE TABLE head_norm (
    run_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    seq_id INTEGER NOT NULL,
    head SMALLINT NOT NULL,
    pos SMALLINT NOT NULL,
    value_norm REAL NOT NULL
);
COMMENT ON TABLE head_norm IS 'One row per run, layer, sequence, head and position, of runs with --heads norms or weights: the norm of what the head makes of the token, before attention weighs it. Holds rows of runs that are still under way too; the views do not.';
COMMENT ON COLUMN head_norm.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN head_norm.layer IS 'Layer, from 1.';
COMMENT ON COLUMN head_norm.seq_id IS 'The sequence (sequence.seq_id of the run''s corpus).';
COMMENT ON COLUMN head_norm.head IS 'Query head, from 0; in grouped-query attention several share their keys and values, not this norm.';
COMMENT ON COLUMN head_norm.pos IS 'Position, from 0 (token.pos): the key in head_pair.';
COMMENT ON COLUMN head_norm.value_norm IS '||f^h(x_j)||, f^h(x_j) = (v_j W_V^h + b_V^h) W_O^h, before any norm on attention''s output (Kobayashi et al. 2020).';

CREATE TABLE head_pair (
    run_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    seq_id INTEGER NOT NULL,
    head SMALLINT NOT NULL,
    query SMALLINT NOT NULL,
    key SMALLINT NOT NULL,
    alpha REAL NOT NULL
);
COMMENT ON TABLE head_pair IS 'One row per run, layer, sequence, head, query and key, of runs with --heads weights: the attention weights of single heads. Causal models store key <= query only. Holds rows of runs that are still under way too; the views do not.';
COMMENT ON COLUMN head_pair.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN head_pair.layer IS 'Layer, from 1.';
COMMENT ON COLUMN head_pair.seq_id IS 'The sequence (sequence.seq_id of the run''s corpus).';
COMMENT ON COLUMN head_pair.head IS 'Query head, from 0.';
COMMENT ON COLUMN head_pair.query IS 'Position that receives, from 0 (token.pos).';
COMMENT ON COLUMN head_pair.key IS 'Position that contributes, from 0 (token.pos).';
COMMENT ON COLUMN head_pair.alpha IS 'Attention weight alpha^h_ij; sums to 1 over the keys of a query. token_pair.attn is its mean over heads.';

CREATE TABLE rollout (
    run_id INTEGER NOT NULL,
    measure VARCHAR NOT NULL,
    layer SMALLINT NOT NULL,
    seq_id INTEGER NOT NULL,
    query SMALLINT NOT NULL,
    key SMALLINT NOT NULL,
    value REAL NOT NULL
);
COMMENT ON TABLE rollout IS 'One row per run, measure, layer, sequence, query and key, of runs with --rollout: how much of position query after the layer comes from input token key, the layers'' maps multiplied (Abnar and Zuidema 2020). Causal models store key <= query only. Holds rows of runs that are still under way too.';
COMMENT ON COLUMN rollout.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN rollout.measure IS 'The map that is rolled out, a column of token_pair. attn: (attention + I) / 2 stands for the residual connection (Abnar and Zuidema 2020). Nothing is added to the others, which hold it where their definition does; after_ln of a Post-LN model is what GlobEnc rolls out (Modarressi et al. 2022), and the direct effect of the feed-forward network, which that leaves out. attn_norm leaves out the residual of attention, after_ff that of the feed-forward network, and so does after_ln in placements other than post_ln: their rollout follows what is left, not the whole layer.';
COMMENT ON COLUMN rollout.layer IS 'Layer after which, from 1; 0 is the input, where each token is itself.';
COMMENT ON COLUMN rollout.seq_id IS 'The sequence (sequence.seq_id of the run''s corpus).';
COMMENT ON COLUMN rollout.query IS 'Position that receives, from 0 (token.pos).';
COMMENT ON COLUMN rollout.key IS 'Input token that contributes, from 0 (token.pos).';
COMMENT ON COLUMN rollout.value IS 'Entry of R_l = A_l R_(l-1), R_0 = I, A_l the row-normalised map of layer l (a row of zeros: the identity''s). Share, 0 to 1; sums to 1 over the keys of a query.';
