-- Which claims hold, for which model?
SELECT claim, aspect, subject, corpus_name, value, low, high, n, verdict, note
FROM v_finding ORDER BY claim, aspect, subject;
