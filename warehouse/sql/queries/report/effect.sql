-- One row per run of the list $runs, layer and pattern: the effect of the pattern.
SELECT run_id, layer, pattern AS series, effect AS value, effect_low AS low, effect_high AS high
FROM v_pattern_effect
WHERE list_contains($runs, run_id) AND relation IS NULL
    AND pattern IN ('subword', 'compound', 'mwe', 'entity', 'head_dependent', 'adjacent')
ORDER BY run_id, layer, series
