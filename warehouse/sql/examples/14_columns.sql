-- What do the columns of a view mean?
SELECT column_name, data_type, comment FROM duckdb_columns() WHERE table_name = 'v_ff_amp';
