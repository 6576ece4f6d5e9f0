-- One row per complete run, unit (token or word), layer, sequence, query and key: the maps of tokens and of words in
-- one shape. Words have no values that are not row-normalised: norms of several tokens do not add up to one.
CREATE VIEW v_map AS
WITH token_map AS (
    SELECT
        run_id, run_name, 'token' AS unit, layer, seq_id, query::INTEGER AS query, key::INTEGER AS key,
        query_token AS query_text, key_token AS key_text, query_is_special OR key_is_special AS is_special,
        attn, attn_norm, atb, after_ff, after_res, after_ln,
        attn::DOUBLE AS attn_share, attn_norm_share, atb_share, after_ff_share, after_res_share, after_ln_share,
        before_ff_share, ff_amp, attn > 0 OR atb > 0 AS is_seen
    FROM v_token_pair
),
word_map AS (
    SELECT
        run_id, run_name, 'word' AS unit, layer, seq_id, query_word_id AS query, key_word_id AS key,
        query_word AS query_text, key_word AS key_text, false AS is_special,
        NULL::FLOAT AS attn, NULL::FLOAT AS attn_norm, NULL::FLOAT AS atb, NULL::FLOAT AS after_ff,
        NULL::FLOAT AS after_res, NULL::FLOAT AS after_ln,
        attn AS attn_share, attn_norm_share, atb_share, after_ff_share, after_res_share, after_ln_share,
        before_ff_share, ff_amp, attn > 0 OR atb_share > 0 AS is_seen
    FROM v_word_pair
),
final AS (
    SELECT * FROM token_map
    UNION ALL BY NAME
    SELECT * FROM word_map
)
SELECT * FROM final;

COMMENT ON VIEW v_map IS 'One row per complete run, unit (token or word), layer, sequence, query and key: the maps of tokens (v_token_pair) and of words (v_word_pair) in one shape. Filter by run_id, unit, layer and seq_id to read little.';
COMMENT ON COLUMN v_map.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_map.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_map.unit IS 'What query and key are: token, or word of an annotated corpus.';
COMMENT ON COLUMN v_map.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_map.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN v_map.query IS 'What receives, from 0: position (token.pos) or word (word.word_id).';
COMMENT ON COLUMN v_map.key IS 'What contributes, from 0: position (token.pos) or word (word.word_id).';
COMMENT ON COLUMN v_map.query_text IS 'The token at query as people read it (vocab.display), or the word (word.form).';
COMMENT ON COLUMN v_map.key_text IS 'The token at key as people read it (vocab.display), or the word (word.form).';
COMMENT ON COLUMN v_map.is_special IS 'True when query or key is a special token (token.is_special); false for words.';
COMMENT ON COLUMN v_map.attn IS 'Raw attention weight, mean over heads (token_pair.attn); NULL for words.';
COMMENT ON COLUMN v_map.attn_norm IS 'Norm of the attention output''s part from key (token_pair.attn_norm); NULL for words.';
COMMENT ON COLUMN v_map.atb IS 'Map value after the attention block (token_pair.atb); NULL for words.';
COMMENT ON COLUMN v_map.after_ff IS 'Map value after the feed-forward network (token_pair.after_ff); NULL for words.';
COMMENT ON COLUMN v_map.after_res IS 'Map value after the residual connection (token_pair.after_res); NULL for words.';
COMMENT ON COLUMN v_map.after_ln IS 'Map value after the feed-forward block''s LayerNorm (token_pair.after_ln); NULL for words.';
COMMENT ON COLUMN v_map.attn_share IS 'Attention weight, mean over heads, which sums to 1 over the keys of a query as it is. Words: sum over the key''s tokens, mean over the query''s.';
COMMENT ON COLUMN v_map.attn_norm_share IS 'Row-normalised attn_norm: the value divided by the sum over all keys of the query. Words: sum over the key''s tokens, mean over the query''s.';
COMMENT ON COLUMN v_map.atb_share IS 'Row-normalised atb, as attn_norm_share.';
COMMENT ON COLUMN v_map.after_ff_share IS 'Row-normalised after_ff, as attn_norm_share.';
COMMENT ON COLUMN v_map.after_res_share IS 'Row-normalised after_res, as attn_norm_share.';
COMMENT ON COLUMN v_map.after_ln_share IS 'Row-normalised after_ln, as attn_norm_share.';
COMMENT ON COLUMN v_map.before_ff_share IS 'Row-normalised map before the feed-forward network (v_token_pair.before_ff_share).';
COMMENT ON COLUMN v_map.ff_amp IS 'after_ff_share - before_ff_share: positive when the feed-forward network amplifies the pair. Normalisation: ours.';
COMMENT ON COLUMN v_map.is_seen IS 'False for a pair beyond the window of the layer''s attention, which is stored with zeros.';
