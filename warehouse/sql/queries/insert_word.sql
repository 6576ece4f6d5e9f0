-- Adds the words of a corpus; gives their number. Parameters: corpus_id, file (word.parquet).
INSERT INTO word (
    corpus_id, seq_id, word_id, form, lemma, upos, deprel, head_word_id, entity, entity_id, mwe, mwe_id, zipf,
    char_start, char_end
)
SELECT
    $corpus_id, seq_id, word_id, form, lemma, upos, deprel, head_word_id, entity, entity_id, mwe, mwe_id, zipf,
    char_start, char_end
FROM read_parquet($file)
ORDER BY seq_id, word_id
