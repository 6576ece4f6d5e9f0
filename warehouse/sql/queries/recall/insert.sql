-- Adds the rows of the registered frame new_rows.
INSERT INTO recall BY NAME SELECT *, (now() AT TIME ZONE 'UTC')::TIMESTAMP AS computed_at FROM new_rows
