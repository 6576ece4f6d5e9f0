-- Adds the rows of the registered frame new_rows.
INSERT INTO seed_agreement BY NAME SELECT * FROM new_rows
