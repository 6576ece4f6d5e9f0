-- Which pairs of one run and layer does the feed-forward network amplify most?
SELECT layer, query_token, key_token, before_ff_share, after_ff_share, ff_amp
FROM v_ff_amp
WHERE run_id = 1 AND layer = 1 AND query <> key AND NOT query_is_special AND NOT key_is_special
ORDER BY v_ff_amp.ff_amp DESC LIMIT 50;
