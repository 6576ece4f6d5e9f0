-- One row per component that any model has projections of.
SELECT DISTINCT component FROM projection_part ORDER BY component
