-- Merges the shards' moments into layer_dim, beside the weights. Parameters: run_id, file (layer_weight.parquet).
-- Chan, Golub and LeVeque's parallel formula: m2 = sum of m2_s + n_s (mean_s - mean)^2; std is the population's.
INSERT INTO layer_dim (
    run_id, layer, dim, n_tokens, ln_attn_gamma, ln_attn_beta, ln_ff_gamma, ln_ff_beta,
    ff_in_mean_abs, ff_in_mean, ff_in_std, ff_out_mean_abs, ff_out_mean, ff_out_std, residual_mean_abs,
    residual_mean, residual_std, output_mean_abs, output_mean, output_std
)
WITH part AS (
    SELECT * FROM layer_dim_part WHERE run_id = $run_id AND n_tokens > 0
),
total AS (
    SELECT
        layer, dim,
        sum(n_tokens * ff_in_mean_abs) / sum(n_tokens) AS ff_in_mean_abs,
        sum(n_tokens * ff_in_mean) / sum(n_tokens) AS ff_in_mean,
        sum(n_tokens * ff_out_mean_abs) / sum(n_tokens) AS ff_out_mean_abs,
        sum(n_tokens * ff_out_mean) / sum(n_tokens) AS ff_out_mean,
        sum(n_tokens * residual_mean_abs) / sum(n_tokens) AS residual_mean_abs,
        sum(n_tokens * residual_mean) / sum(n_tokens) AS residual_mean,
        sum(n_tokens * output_mean_abs) / sum(n_tokens) AS output_mean_abs,
        sum(n_tokens * output_mean) / sum(n_tokens) AS output_mean
    FROM part
    GROUP BY layer, dim
),
merged AS (
    SELECT
        part.layer, part.dim, sum(part.n_tokens) AS n_tokens,
        any_value(total.ff_in_mean_abs) AS ff_in_mean_abs, any_value(total.ff_in_mean) AS ff_in_mean,
        sqrt(
            sum(part.ff_in_m2 + part.n_tokens * (part.ff_in_mean - total.ff_in_mean) ** 2) / sum(part.n_tokens)
        ) AS ff_in_std,
        any_value(total.ff_out_mean_abs) AS ff_out_mean_abs, any_value(total.ff_out_mean) AS ff_out_mean,
        sqrt(
            sum(part.ff_out_m2 + part.n_tokens * (part.ff_out_mean - total.ff_out_mean) ** 2) / sum(part.n_tokens)
        ) AS ff_out_std,
        any_value(total.residual_mean_abs) AS residual_mean_abs, any_value(total.residual_mean) AS residual_mean,
        sqrt(
            sum(part.residual_m2 + part.n_tokens * (part.residual_mean - total.residual_mean) ** 2) / sum(part.n_tokens)
        ) AS residual_std,
        any_value(total.output_mean_abs) AS output_mean_abs, any_value(total.output_mean) AS output_mean,
        sqrt(
            sum(part.output_m2 + part.n_tokens * (part.output_mean - total.output_mean) ** 2) / sum(part.n_tokens)
        ) AS output_std
    FROM part
    JOIN total ON total.layer = part.layer AND total.dim = part.dim
    GROUP BY part.layer, part.dim
),
final AS (
    SELECT
        $run_id, merged.layer, merged.dim, merged.n_tokens, weight.ln_attn_gamma, weight.ln_attn_beta,
        weight.ln_ff_gamma, weight.ln_ff_beta,
        merged.ff_in_mean_abs, merged.ff_in_mean, merged.ff_in_std, merged.ff_out_mean_abs,
        merged.ff_out_mean, merged.ff_out_std, merged.residual_mean_abs, merged.residual_mean,
        merged.residual_std, merged.output_mean_abs, merged.output_mean, merged.output_std
    FROM merged
    JOIN read_parquet($file) AS weight ON weight.layer = merged.layer AND weight.dim = merged.dim
)
SELECT * FROM final ORDER BY layer, dim
