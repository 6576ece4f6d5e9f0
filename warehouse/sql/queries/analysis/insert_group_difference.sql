-- Adds the rows of the registered frame new_rows.
INSERT INTO group_difference BY NAME SELECT * FROM new_rows
