-- One row per view of the file.
SELECT name, sha256 FROM schema_view
