-- One row: rows that a run should have in layer_dim, and those it has. Parameters: run_id, file (layer_weight.parquet).
SELECT
    (SELECT count(*) FROM read_parquet($file)) AS wanted,
    (SELECT count(*) FROM layer_dim WHERE run_id = $run_id) AS found
