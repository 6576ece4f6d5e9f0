-- One row per classifier and labelled corpus that has been stitched.
SELECT DISTINCT model_id_b, model_b, corpus_name, corpus_sha256, n_sequences
FROM v_stitching
ORDER BY ALL
