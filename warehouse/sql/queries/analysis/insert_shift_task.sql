-- Adds the rows of the registered frame new_rows.
INSERT INTO shift_task BY NAME SELECT * FROM new_rows
