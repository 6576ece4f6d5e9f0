-- One row per label of a corpus, of at most 100.
SELECT DISTINCT label
FROM sequence
WHERE corpus_id = $corpus_id AND label IS NOT NULL
ORDER BY label
LIMIT 100
