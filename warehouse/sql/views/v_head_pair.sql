-- One row per complete run, layer, sequence, head, query and key: the weight, the norm of what it weighs, and both
-- multiplied, with the token texts. Only runs with --heads weights have rows.
CREATE VIEW v_head_pair AS
WITH source AS (
    SELECT
        head_pair.*, head_norm.value_norm, v_run.run_name, v_run.placement, v_run.tokenizer_id, v_run.corpus_id
    FROM head_pair
    JOIN v_run ON v_run.run_id = head_pair.run_id
    JOIN head_norm
        ON head_norm.run_id = head_pair.run_id AND head_norm.layer = head_pair.layer
        AND head_norm.seq_id = head_pair.seq_id AND head_norm.head = head_pair.head
        AND head_norm.pos = head_pair.key
),
token_text AS (
    SELECT token.tokenizer_id, token.corpus_id, token.seq_id, token.pos, token.is_special, vocab.display
    FROM token
    LEFT JOIN vocab ON vocab.tokenizer_id = token.tokenizer_id AND vocab.token_id = token.token_id
),
final AS (
    SELECT
        source.run_id, source.run_name, source.layer, source.seq_id, source.head, source.query, source.key,
        query_text.display AS query_token, key_text.display AS key_token,
        query_text.is_special AS query_is_special, key_text.is_special AS key_is_special,
        source.alpha, source.value_norm, source.alpha * source.value_norm AS weighted_norm, source.placement
    FROM source
    LEFT JOIN token_text AS query_text
        ON query_text.tokenizer_id = source.tokenizer_id AND query_text.corpus_id = source.corpus_id
        AND query_text.seq_id = source.seq_id AND query_text.pos = source.query
    LEFT JOIN token_text AS key_text
        ON key_text.tokenizer_id = source.tokenizer_id AND key_text.corpus_id = source.corpus_id
        AND key_text.seq_id = source.seq_id AND key_text.pos = source.key
)
SELECT * FROM final;

COMMENT ON VIEW v_head_pair IS 'One row per complete run, layer, sequence, head, query and key, of runs with --heads weights: attention weights, the norms of what they weigh, and both multiplied, with the token texts. Filter by run_id, layer and seq_id to read little.';
COMMENT ON COLUMN v_head_pair.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_head_pair.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_head_pair.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_head_pair.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN v_head_pair.head IS 'Query head, from 0.';
COMMENT ON COLUMN v_head_pair.query IS 'Position that receives, from 0.';
COMMENT ON COLUMN v_head_pair.key IS 'Position that contributes, from 0.';
COMMENT ON COLUMN v_head_pair.query_token IS 'Text of the token at query.';
COMMENT ON COLUMN v_head_pair.key_token IS 'Text of the token at key.';
COMMENT ON COLUMN v_head_pair.query_is_special IS 'True when the query''s token is special (token.is_special).';
COMMENT ON COLUMN v_head_pair.key_is_special IS 'True when the key''s token is special (token.is_special).';
COMMENT ON COLUMN v_head_pair.alpha IS 'Attention weight alpha^h_ij of the head; sums to 1 over the keys of a query.';
COMMENT ON COLUMN v_head_pair.value_norm IS '||f^h(x_j)||, norm of what the head makes of the key (head_norm.value_norm).';
COMMENT ON COLUMN v_head_pair.weighted_norm IS 'alpha * value_norm = ||alpha^h_ij f^h(x_j)||, the head''s part alone. Heads may cancel: their sum is at least token_pair.attn_norm.';
COMMENT ON COLUMN v_head_pair.placement IS 'Where the model''s LayerNorm stands.';
