-- One row per query and key that both runs have: row-normalised values of run b less those of run a, each of its layer.
WITH a AS (
    SELECT * FROM v_map
    WHERE run_id = $run_a AND unit = $unit AND layer = $layer_a AND seq_id = $seq_a AND is_seen
),
b AS (
    SELECT * FROM v_map
    WHERE run_id = $run_b AND unit = $unit AND layer = $layer_b AND seq_id = $seq_b AND is_seen
)
SELECT
    a.query, a.key, a.query_text, a.key_text,
    b.attn_share - a.attn_share AS attn,
    b.attn_norm_share - a.attn_norm_share AS attn_norm,
    b.atb_share - a.atb_share AS atb,
    b.after_ff_share - a.after_ff_share AS after_ff,
    b.after_res_share - a.after_res_share AS after_res,
    b.after_ln_share - a.after_ln_share AS after_ln,
    b.ff_amp - a.ff_amp AS ff_amp
FROM a
JOIN b ON b.query = a.query AND b.key = a.key
WHERE a.query BETWEEN $query_from AND $query_to AND a.key BETWEEN $key_from AND $key_to
    AND ($special OR NOT a.is_special) AND ($diagonal OR a.query <> a.key)
ORDER BY a.query, a.key
