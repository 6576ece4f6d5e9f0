-- One row per table of the opened file.
SELECT table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary
