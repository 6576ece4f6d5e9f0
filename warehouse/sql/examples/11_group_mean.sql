-- What are mean and spread over seeds?
SELECT family, layer, mean, sd, low, high, n_runs FROM v_group_estimate
WHERE measure = 'change' AND item = 'FF' AND pair_filter = 'content' ORDER BY family, layer;
