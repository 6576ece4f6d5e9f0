-- One row: the number of the last migration.
SELECT coalesce(max(version), 0) AS version FROM schema_migration
