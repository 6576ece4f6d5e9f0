-- Parameter: run_id.
DELETE FROM estimate WHERE run_id = $run_id AND measure = 'upos_effect'
