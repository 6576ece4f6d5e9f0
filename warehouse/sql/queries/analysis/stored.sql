-- One row per subject that a part has results of. Parameter: part.
SELECT subject, fingerprint FROM analysis WHERE part = $part
