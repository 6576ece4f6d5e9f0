-- One row per layer, sequence and component of the list $components: changes 1 - rho of the runs $a and $b, where both
-- are defined. The runs are complete, and over one corpus.
SELECT a.layer, a.seq_id, a.component, 1 - a.spearman AS change_a, 1 - b.spearman AS change_b
FROM map_change AS a
JOIN map_change AS b
    ON b.layer = a.layer AND b.seq_id = a.seq_id AND b.component = a.component AND b.pair_filter = a.pair_filter
WHERE
    a.run_id = $a AND b.run_id = $b AND a.pair_filter = $pair_filter AND list_contains($components, a.component)
    AND a.spearman IS NOT NULL AND b.spearman IS NOT NULL
ORDER BY a.layer, a.seq_id, a.component
