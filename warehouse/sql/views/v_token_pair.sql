-- One row per complete run, layer, sequence, query and key: the maps, the token texts and row-normalised values.
-- A share is a value divided by the sum over the keys of that query; the window's partition holds the columns
-- that people filter by, so that DuckDB reads only what was asked for.
CREATE VIEW v_token_pair AS
WITH source AS (
    SELECT token_pair.*, v_run.run_name, v_run.placement, v_run.component_order, v_run.tokenizer_id, v_run.corpus_id
    FROM token_pair
    JOIN v_run ON v_run.run_id = token_pair.run_id
),
shares AS (
    SELECT
        *,
        attn_norm / nullif(sum(attn_norm) OVER one_query, 0) AS attn_norm_share,
        atb / nullif(sum(atb) OVER one_query, 0) AS atb_share,
        after_ff / nullif(sum(after_ff) OVER one_query, 0) AS after_ff_share,
        after_res / nullif(sum(after_res) OVER one_query, 0) AS after_res_share,
        after_ln / nullif(sum(after_ln) OVER one_query, 0) AS after_ln_share
    FROM source
    WINDOW one_query AS (PARTITION BY run_id, layer, seq_id, query)
),
token_text AS (
    SELECT token.tokenizer_id, token.corpus_id, token.seq_id, token.pos, token.is_special, vocab.display
    FROM token
    LEFT JOIN vocab ON vocab.tokenizer_id = token.tokenizer_id AND vocab.token_id = token.token_id
),
texted AS (
    SELECT
        shares.run_id, shares.run_name, shares.layer, shares.seq_id, shares.query, shares.key,
        query_text.display AS query_token, key_text.display AS key_token,
        query_text.is_special AS query_is_special, key_text.is_special AS key_is_special,
        shares.attn, shares.attn_norm, shares.atb, shares.after_ff, shares.after_res, shares.after_ln,
        shares.attn_norm_share, shares.atb_share, shares.after_ff_share, shares.after_res_share,
        shares.after_ln_share,
        CASE WHEN starts_with(shares.component_order, 'FF,') THEN shares.atb_share ELSE shares.after_ln_share END
            AS before_ff_share,
        shares.placement
    FROM shares
    LEFT JOIN token_text AS query_text
        ON query_text.tokenizer_id = shares.tokenizer_id AND query_text.corpus_id = shares.corpus_id
        AND query_text.seq_id = shares.seq_id AND query_text.pos = shares.query
    LEFT JOIN token_text AS key_text
        ON key_text.tokenizer_id = shares.tokenizer_id AND key_text.corpus_id = shares.corpus_id
        AND key_text.seq_id = shares.seq_id AND key_text.pos = shares.key
),
final AS (
    SELECT *, after_ff_share - before_ff_share AS ff_amp FROM texted
)
SELECT * FROM final;

COMMENT ON VIEW v_token_pair IS 'One row per complete run, layer, sequence, query and key: the maps, the token texts and row-normalised values. Filter by run_id, layer and seq_id to read little.';
COMMENT ON COLUMN v_token_pair.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_token_pair.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_token_pair.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_token_pair.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN v_token_pair.query IS 'Position that receives, from 0.';
COMMENT ON COLUMN v_token_pair.key IS 'Position that contributes, from 0.';
COMMENT ON COLUMN v_token_pair.query_token IS 'Text of the token at query.';
COMMENT ON COLUMN v_token_pair.key_token IS 'Text of the token at key.';
COMMENT ON COLUMN v_token_pair.query_is_special IS 'True when the query''s token is special (token.is_special).';
COMMENT ON COLUMN v_token_pair.key_is_special IS 'True when the key''s token is special (token.is_special).';
COMMENT ON COLUMN v_token_pair.attn IS 'Raw attention weight, mean over heads; sums to 1 over keys as it is.';
COMMENT ON COLUMN v_token_pair.attn_norm IS 'Norm of the attention output''s part from key (token_pair.attn_norm).';
COMMENT ON COLUMN v_token_pair.atb IS 'Map value after the attention block.';
COMMENT ON COLUMN v_token_pair.after_ff IS 'Map value after the feed-forward network.';
COMMENT ON COLUMN v_token_pair.after_res IS 'Map value after the residual connection.';
COMMENT ON COLUMN v_token_pair.after_ln IS 'Map value after the feed-forward block''s LayerNorm.';
COMMENT ON COLUMN v_token_pair.attn_norm_share IS 'attn_norm / sum of attn_norm over the keys of this query; NULL when that sum is 0.';
COMMENT ON COLUMN v_token_pair.atb_share IS 'atb / sum of atb over the keys of this query; NULL when that sum is 0.';
COMMENT ON COLUMN v_token_pair.after_ff_share IS 'after_ff / sum of after_ff over the keys of this query; NULL when that sum is 0.';
COMMENT ON COLUMN v_token_pair.after_res_share IS 'after_res / sum of after_res over the keys of this query; NULL when that sum is 0.';
COMMENT ON COLUMN v_token_pair.after_ln_share IS 'after_ln / sum of after_ln over the keys of this query; NULL when that sum is 0.';
COMMENT ON COLUMN v_token_pair.before_ff_share IS 'Row-normalised map before the feed-forward network: atb_share where it comes first (Post-LN, OLMo 2), after_ln_share where LN does.';
COMMENT ON COLUMN v_token_pair.placement IS 'Where the model''s LayerNorm stands: tells in which order the four maps follow each other.';
COMMENT ON COLUMN v_token_pair.ff_amp IS 'after_ff_share - before_ff_share, -1 to 1; positive when the feed-forward network amplifies the pair. Normalisation: ours.';
