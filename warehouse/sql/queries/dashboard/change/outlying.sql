-- One row per sequence that lies farthest from the others of its layer in the change by $component, in layer $layer of run
-- $run_id, in all layers where $layer is NULL; the $limit farthest.
SELECT outlying.layer, outlying.seq_id, outlying.change, outlying.median_change, outlying.distance, outlying.n_pairs, sequence.text
FROM v_change_by_sequence AS outlying
JOIN sequence ON sequence.corpus_id = outlying.corpus_id AND sequence.seq_id = outlying.seq_id
WHERE outlying.run_id = $run_id AND outlying.component = $component AND outlying.pair_filter = $pair_filter
    AND ($layer IS NULL OR outlying.layer = $layer) AND outlying.distance IS NOT NULL
ORDER BY abs(outlying.distance) DESC, outlying.layer, outlying.seq_id
LIMIT $limit
