-- Keeps the content pairs of the temporary table ff_amp aside as ff_amp_a, for another run's to be compared with.
CREATE OR REPLACE TEMP TABLE ff_amp_a AS SELECT seq_id, query, key, ff_amp FROM ff_amp WHERE is_content
