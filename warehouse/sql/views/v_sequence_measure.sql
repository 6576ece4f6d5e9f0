-- One row per complete run, layer, sequence and pair filter: mean norms over the tokens that the filter counts, beside the
-- changes over its pairs. Filter all counts every token, content and offdiag those that are not special.
CREATE VIEW v_sequence_measure AS
WITH norms AS (
    SELECT
        norm.run_id, norm.layer, norm.seq_id,
        avg(norm.norm_ff_out) AS all_ff_out, avg(norm.norm_attn_out) AS all_attn_out, count(*) AS n_all,
        avg(norm.norm_ff_out) FILTER (WHERE NOT token.is_special) AS content_ff_out,
        avg(norm.norm_attn_out) FILTER (WHERE NOT token.is_special) AS content_attn_out,
        count(*) FILTER (WHERE NOT token.is_special) AS n_content
    FROM token_norm AS norm
    JOIN v_run ON v_run.run_id = norm.run_id
    JOIN token
        ON token.corpus_id = v_run.corpus_id AND token.tokenizer_id = v_run.tokenizer_id
        AND token.seq_id = norm.seq_id AND token.pos = norm.pos
    GROUP BY norm.run_id, norm.layer, norm.seq_id
),
changes AS (
    SELECT
        run_id, layer, seq_id, pair_filter, max(n_pairs) AS n_pairs,
        max(1 - spearman) FILTER (WHERE component = 'FF') AS change_ff,
        max(1 - spearman) FILTER (WHERE component = 'RES') AS change_res,
        max(1 - spearman) FILTER (WHERE component = 'LN') AS change_ln,
        max(1 - spearman) FILTER (WHERE component = 'BLOCK') AS change_block
    FROM map_change
    GROUP BY run_id, layer, seq_id, pair_filter
),
final AS (
    SELECT
        changes.run_id, changes.layer, changes.seq_id, changes.pair_filter,
        CASE changes.pair_filter WHEN 'all' THEN norms.n_all ELSE norms.n_content END AS n_tokens, changes.n_pairs,
        CASE changes.pair_filter WHEN 'all' THEN norms.all_ff_out ELSE norms.content_ff_out END AS mean_norm_ff_out,
        CASE changes.pair_filter WHEN 'all' THEN norms.all_attn_out ELSE norms.content_attn_out END
            AS mean_norm_attn_out,
        changes.change_ff, changes.change_res, changes.change_ln, changes.change_block
    FROM changes
    JOIN norms
        ON norms.run_id = changes.run_id AND norms.layer = changes.layer AND norms.seq_id = changes.seq_id
)
SELECT * FROM final;

COMMENT ON VIEW v_sequence_measure IS 'One row per complete run, layer, sequence and pair filter: mean norms over the tokens that the filter counts, beside the changes over its pairs. With pair_filter content the points behind v_norm_change (point sequence, claim F4). Filter by run_id and layer to read little.';
COMMENT ON COLUMN v_sequence_measure.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_sequence_measure.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_sequence_measure.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN v_sequence_measure.pair_filter IS 'all, content or offdiag (map_change.pair_filter).';
COMMENT ON COLUMN v_sequence_measure.n_tokens IS 'Tokens that the norms are over: with content and offdiag those that are not special.';
COMMENT ON COLUMN v_sequence_measure.n_pairs IS 'Pairs that the changes are over.';
COMMENT ON COLUMN v_sequence_measure.mean_norm_ff_out IS 'Mean over those tokens of the L2 norm of the feed-forward output; NULL without one.';
COMMENT ON COLUMN v_sequence_measure.mean_norm_attn_out IS 'Mean over those tokens of the L2 norm of the attention output, residual not included; NULL without one.';
COMMENT ON COLUMN v_sequence_measure.change_ff IS 'Change 1 - rho by the feed-forward network; NULL when undefined.';
COMMENT ON COLUMN v_sequence_measure.change_res IS 'Change 1 - rho by the residual connection; NULL when undefined.';
COMMENT ON COLUMN v_sequence_measure.change_ln IS 'Change 1 - rho by the block''s LayerNorm; NULL when undefined.';
COMMENT ON COLUMN v_sequence_measure.change_block IS 'Change 1 - rho from atb to the layer''s last map; NULL when undefined.';
