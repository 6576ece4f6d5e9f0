-- Adds the rows of the registered frame new_rows.
INSERT INTO pattern_effect BY NAME SELECT * FROM new_rows
