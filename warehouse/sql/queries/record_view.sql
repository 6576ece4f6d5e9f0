-- Parameters: name, sha256.
INSERT INTO schema_view (name, sha256) VALUES (?, ?)
