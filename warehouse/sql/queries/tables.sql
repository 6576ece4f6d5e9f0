-- One row per table and view: kind, comment and how many rows DuckDB estimates (NULL for views).
SELECT table_name AS name, 'table' AS kind, estimated_size AS n_rows, comment
FROM duckdb_tables()
WHERE NOT internal AND NOT temporary
UNION ALL
SELECT view_name, 'view', NULL, comment
FROM duckdb_views()
WHERE NOT internal AND NOT temporary
ORDER BY kind DESC, name
