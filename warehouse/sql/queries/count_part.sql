-- One row: the rows of a Parquet file. Parameter: file.
SELECT count(*) FROM read_parquet($file)
