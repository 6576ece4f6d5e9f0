-- How much does each component change the map?
SELECT run_name, layer, component, value, low, high
FROM v_change_interval WHERE pair_filter = 'content' ORDER BY run_name, layer, component;
