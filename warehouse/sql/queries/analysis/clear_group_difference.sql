-- Parameters: family_a, family_b, corpus_id.
DELETE FROM group_difference WHERE family_a = $family_a AND family_b = $family_b AND corpus_id = $corpus_id
