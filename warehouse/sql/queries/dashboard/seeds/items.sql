-- One row per item and pair filter that groups over corpus $corpus_id have an estimate of, by layer, in $measure.
SELECT DISTINCT item, pair_filter
FROM v_group_estimate
WHERE corpus_id = $corpus_id AND measure = $measure AND layer IS NOT NULL
ORDER BY list_position(['FF', 'RES', 'LN', 'BLOCK'], item), item, list_position(['content', 'offdiag', 'all'], pair_filter)
