-- Adds the rows of the registered frame new_rows.
INSERT INTO top_pair BY NAME SELECT * FROM new_rows
