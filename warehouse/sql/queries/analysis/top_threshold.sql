-- One row: the least FF-amp of the most amplified share of pairs, the share rounded up to whole pairs; NULL without a
-- pair. Of the temporary table ff_amp. Parameters: share, any_pair (true: special tokens count too).
WITH counted AS (
    SELECT greatest(ceil($share * count(*))::BIGINT - 1, 0) AS n_above FROM ff_amp WHERE is_content OR $any_pair
)
SELECT (
    SELECT ff_amp FROM ff_amp WHERE is_content OR $any_pair
    ORDER BY ff_amp DESC LIMIT 1 OFFSET (SELECT n_above FROM counted)
) AS threshold
