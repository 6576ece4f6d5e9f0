-- Adds the rows of a part from the frame new_rows, sorted so that a search for an item reads few of them.
-- Parameters: model_id, layer, component, vocab_filter, ln_folded.
INSERT INTO projection (
    model_id, layer, component, unit, head, sign, rank, token_id, score, vocab_filter, ln_folded
)
SELECT
    $model_id, $layer, $component, unit, head, sign, rank, token_id, score, $vocab_filter, $ln_folded
FROM new_rows
ORDER BY token_id, sign, rank, unit
