-- Parameters: part, subject.
DELETE FROM analysis WHERE part = $part AND subject = $subject
