-- One row per block of $size queries by $size keys of a sentence: the mean of each map of a layer over the block's pairs.
SELECT
    query // $size AS query, key // $size AS key, count(*) AS n_pairs,
    avg(CASE WHEN $normalised THEN attn_share ELSE attn END) AS attn,
    avg(CASE WHEN $normalised THEN attn_norm_share ELSE attn_norm END) AS attn_norm,
    avg(CASE WHEN $normalised THEN atb_share ELSE atb END) AS atb,
    avg(CASE WHEN $normalised THEN after_ff_share ELSE after_ff END) AS after_ff,
    avg(CASE WHEN $normalised THEN after_res_share ELSE after_res END) AS after_res,
    avg(CASE WHEN $normalised THEN after_ln_share ELSE after_ln END) AS after_ln,
    avg(ff_amp) AS ff_amp
FROM v_map
WHERE run_id = $run_id AND unit = $unit AND layer = $layer AND seq_id = $seq_id AND is_seen
    AND ($special OR NOT is_special) AND ($diagonal OR query <> key)
GROUP BY ALL
ORDER BY query // $size, key // $size
