-- One row per column of one table or view. Parameter: name.
SELECT column_name AS "column", data_type AS "type", is_nullable AS nullable, comment
FROM duckdb_columns()
WHERE NOT internal AND table_name = $name
ORDER BY column_index
