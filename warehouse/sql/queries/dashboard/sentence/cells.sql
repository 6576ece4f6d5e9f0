-- One row per query and key of a part of a sentence: its values in all maps of a layer, and the patterns that it is in.
-- Shares are of the sum over all keys of the query, those that are left out here too. Pairs that the layer's attention
-- does not see (later keys of causal models, beyond a window) have no row.
WITH held AS (
    SELECT
        CASE WHEN $unit = 'token' THEN query::INTEGER ELSE query_word_id END AS query,
        CASE WHEN $unit = 'token' THEN key::INTEGER ELSE key_word_id END AS key,
        array_to_string(
            list(DISTINCT pattern || coalesce(' ' || relation, '') ORDER BY pattern || coalesce(' ' || relation, '')),
            ', '
        ) AS patterns
    FROM v_pair_pattern
    WHERE run_id = $run_id AND seq_id = $seq_id
    GROUP BY ALL
)
SELECT
    v_map.query, v_map.key, v_map.query_text, v_map.key_text,
    CASE WHEN $normalised THEN attn_share ELSE attn END AS attn,
    CASE WHEN $normalised THEN attn_norm_share ELSE attn_norm END AS attn_norm,
    CASE WHEN $normalised THEN atb_share ELSE atb END AS atb,
    CASE WHEN $normalised THEN after_ff_share ELSE after_ff END AS after_ff,
    CASE WHEN $normalised THEN after_res_share ELSE after_res END AS after_res,
    CASE WHEN $normalised THEN after_ln_share ELSE after_ln END AS after_ln,
    ff_amp, held.patterns
FROM v_map
LEFT JOIN held ON held.query = v_map.query AND held.key = v_map.key
WHERE run_id = $run_id AND unit = $unit AND layer = $layer AND seq_id = $seq_id AND is_seen
    AND v_map.query BETWEEN $query_from AND $query_to AND v_map.key BETWEEN $key_from AND $key_to
    AND ($special OR NOT is_special) AND ($diagonal OR v_map.query <> v_map.key)
ORDER BY v_map.query, v_map.key
