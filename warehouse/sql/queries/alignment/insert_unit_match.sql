-- Adds the rows of the registered frame new_rows.
INSERT INTO unit_match BY NAME SELECT * FROM new_rows
