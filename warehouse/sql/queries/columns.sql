-- One row per column of every table and view, in order.
SELECT
    table_name AS "table", column_name AS "column", data_type AS "type", is_nullable AS nullable, comment
FROM duckdb_columns()
WHERE NOT internal
ORDER BY table_name, column_index
