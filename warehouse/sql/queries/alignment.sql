-- One row per tokenizer of annotated corpus $corpus_id: how its tokens meet the words.
SELECT tokenizer_name, n_tokens, n_across, n_on_none, n_words_without_token
FROM v_alignment
WHERE corpus_id = $corpus_id
ORDER BY tokenizer_id
