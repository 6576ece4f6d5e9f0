-- Parameters: version, name.
INSERT INTO schema_migration (version, name, applied_at) VALUES (?, ?, now() AT TIME ZONE 'UTC')
