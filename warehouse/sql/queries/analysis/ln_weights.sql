-- One row per layer and item of run $run_id: the correlation of LN weights and FF's input or output, and its dimensions.
SELECT layer, item, value, n FROM estimate WHERE run_id = $run_id AND measure = 'ln_weight' ORDER BY layer, item
