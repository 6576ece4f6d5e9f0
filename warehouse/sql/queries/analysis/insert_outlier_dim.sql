-- Adds the rows of the registered frame new_rows.
INSERT INTO outlier_dim BY NAME SELECT * FROM new_rows
