-- What does the feed-forward network do between words, whatever the tokenizer?
SELECT run_name, layer, query_word, key_word, avg(ff_amp) AS mean_ff_amp
FROM v_word_pair WHERE query_word_id <> key_word_id GROUP BY ALL ORDER BY mean_ff_amp DESC LIMIT 20;
