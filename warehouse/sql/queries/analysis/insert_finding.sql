-- Adds the rows of the registered frame new_rows.
INSERT INTO finding BY NAME SELECT * FROM new_rows
