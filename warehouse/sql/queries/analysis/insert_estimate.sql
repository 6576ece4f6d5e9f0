-- Adds the rows of the registered frame new_rows.
INSERT INTO estimate BY NAME SELECT * FROM new_rows
