-- One row per query and key of a sentence, those of the largest values first: FF-amp by its size, whichever its sign.
-- Shares are of the sum over all keys of the query, those that are left out here too.
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
),
cell AS (
    SELECT
        v_map.query, v_map.key, v_map.query_text, v_map.key_text,
        CASE WHEN $normalised THEN attn_share ELSE attn END AS attn,
        CASE WHEN $normalised THEN attn_norm_share ELSE attn_norm END AS attn_norm,
        CASE WHEN $normalised THEN atb_share ELSE atb END AS atb,
        CASE WHEN $normalised THEN after_ff_share ELSE after_ff END AS after_ff,
        CASE WHEN $normalised THEN after_res_share ELSE after_res END AS after_res,
        CASE WHEN $normalised THEN after_ln_share ELSE after_ln END AS after_ln,
        ff_amp
    FROM v_map
    WHERE run_id = $run_id AND unit = $unit AND layer = $layer AND seq_id = $seq_id AND is_seen
        AND ($special OR NOT is_special) AND ($diagonal OR v_map.query <> v_map.key)
),
strongest AS (
    SELECT *,
        CASE $measure
            WHEN 'attn' THEN attn WHEN 'attn_norm' THEN attn_norm WHEN 'atb' THEN atb WHEN 'after_ff' THEN after_ff
            WHEN 'after_res' THEN after_res WHEN 'after_ln' THEN after_ln ELSE abs(ff_amp)
        END AS strength
    FROM cell
    ORDER BY strength DESC NULLS LAST, query, key
    LIMIT $limit
)
SELECT strongest.* EXCLUDE (strength), held.patterns
FROM strongest
LEFT JOIN held ON held.query = strongest.query AND held.key = strongest.key
ORDER BY strength DESC NULLS LAST, strongest.query, strongest.key
