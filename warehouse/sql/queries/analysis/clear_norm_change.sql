-- Parameter: run_id.
DELETE FROM estimate WHERE run_id = $run_id AND measure IN ('norm_change', 'norm_change_partial')
