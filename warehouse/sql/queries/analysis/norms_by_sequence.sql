-- One row per sequence of a layer whose change by the feed-forward network is defined: mean norms over its tokens of
-- content (not special), and the change 1 - rho over its pairs of content.
-- Parameters: run_id, layer, corpus_id, tokenizer_id.
WITH norms AS (
    SELECT
        norm.seq_id, avg(norm.norm_ff_out) AS norm_ff_out, avg(norm.norm_attn_out) AS norm_attn_out
    FROM token_norm AS norm
    JOIN token
        ON token.corpus_id = $corpus_id AND token.tokenizer_id = $tokenizer_id
        AND token.seq_id = norm.seq_id AND token.pos = norm.pos AND NOT token.is_special
    WHERE norm.run_id = $run_id AND norm.layer = $layer
    GROUP BY norm.seq_id
)
SELECT norms.seq_id, norms.norm_ff_out, 1 - map_change.spearman AS change, norms.norm_attn_out
FROM norms
JOIN map_change ON map_change.seq_id = norms.seq_id
WHERE map_change.run_id = $run_id AND map_change.layer = $layer AND map_change.component = 'FF'
    AND map_change.pair_filter = 'content' AND map_change.spearman IS NOT NULL
ORDER BY norms.seq_id
