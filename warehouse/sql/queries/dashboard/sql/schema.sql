-- One row per table and view, and one per column of each, in order: what it is, from the comments in the file.
WITH objects AS (
    SELECT table_name AS name, 'table' AS kind, comment FROM duckdb_tables() WHERE NOT internal AND NOT temporary
    UNION ALL
    SELECT view_name, 'view', comment FROM duckdb_views() WHERE NOT internal AND NOT temporary
),
listed AS (
    SELECT name, kind, NULL AS "column", NULL AS type, comment, -1 AS place FROM objects
    UNION ALL
    SELECT objects.name, objects.kind, c.column_name, c.data_type, c.comment, c.column_index
    FROM objects
    JOIN duckdb_columns() AS c ON c.table_name = objects.name AND NOT c.internal
)
SELECT name, kind, "column", type, comment FROM listed ORDER BY kind DESC, name, place
