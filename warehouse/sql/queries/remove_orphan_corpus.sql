-- Corpora that no run uses.
DELETE FROM corpus WHERE corpus_id NOT IN (SELECT corpus_id FROM run)
