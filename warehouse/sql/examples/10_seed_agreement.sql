-- Do seeds amplify the same pairs?
SELECT model_a, model_b, layer_a, value, low, high FROM v_seed_agreement WHERE measure = 'ff_amp' ORDER BY ALL;
