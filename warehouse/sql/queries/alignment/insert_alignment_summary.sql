-- Adds the rows of the registered frame new_rows.
INSERT INTO alignment_summary BY NAME SELECT * FROM new_rows
