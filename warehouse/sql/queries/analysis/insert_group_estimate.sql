-- Adds the rows of the registered frame new_rows.
INSERT INTO group_estimate BY NAME SELECT * FROM new_rows
