-- One row per tokenizer whose models have projections, and piece that could stand in a word: its display.
SELECT DISTINCT vocab.tokenizer_id, vocab.display
FROM vocab
JOIN model ON model.tokenizer_id = vocab.tokenizer_id
JOIN projection_part ON projection_part.model_id = model.model_id
WHERE NOT vocab.is_special AND contains($word, ltrim(vocab.display, '…'))
