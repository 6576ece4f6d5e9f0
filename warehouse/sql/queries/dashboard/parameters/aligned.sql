-- One row per two models and component whose layers are aligned.
SELECT DISTINCT model_id_a, model_a, model_id_b, model_b, component
FROM v_alignment_summary
ORDER BY ALL
