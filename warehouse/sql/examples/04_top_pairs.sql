-- Which pairs most, in which sentence, and in which patterns are they?
SELECT run_name, layer, rank, query_token, key_token, ff_amp, patterns, text
FROM v_top_pair WHERE rank <= 5 ORDER BY run_name, layer, rank;
