-- What `lenshouse analyze` finds: estimates with intervals, effects of patterns, agreement of runs, groups, findings.
-- Every row says by which version of the analysis, with which random seed and from how much data it was made.

CREATE TABLE analysis (
    part VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    fingerprint VARCHAR NOT NULL,
    method_version VARCHAR NOT NULL,
    seed INTEGER,
    n_resamples INTEGER,
    seconds DOUBLE NOT NULL,
    computed_at TIMESTAMP NOT NULL,
    PRIMARY KEY (part, subject)
);
COMMENT ON TABLE analysis IS 'One row per part of the analysis and what it is about, written in the same transaction as its results: what is here with the same fingerprint is not computed again.';
COMMENT ON COLUMN analysis.part IS 'Which part: the table or measures that it fills.';
COMMENT ON COLUMN analysis.subject IS 'What it is about, as JSON text: {"run_id": 1}, or the columns that name two runs, a group or two groups.';
COMMENT ON COLUMN analysis.fingerprint IS 'Hash of everything that the results depend on: runs, annotation, options, method version.';
COMMENT ON COLUMN analysis.method_version IS 'Version of the analysis: it changes whenever the same data would give other numbers.';
COMMENT ON COLUMN analysis.seed IS 'Seed of the random numbers; NULL where none are drawn.';
COMMENT ON COLUMN analysis.n_resamples IS 'Bootstrap resamples, and permutations, each; NULL where none are drawn.';
COMMENT ON COLUMN analysis.seconds IS 'Wall seconds that it took.';
COMMENT ON COLUMN analysis.computed_at IS 'When it was computed, UTC.';

CREATE TABLE pattern_effect (
    run_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    pattern VARCHAR NOT NULL,
    relation VARCHAR,
    n_pairs BIGINT NOT NULL,
    n_sequences INTEGER NOT NULL,
    mean_amp DOUBLE,
    mean_amp_low DOUBLE,
    mean_amp_high DOUBLE,
    effect DOUBLE,
    effect_low DOUBLE,
    effect_high DOUBLE,
    top_share DOUBLE,
    lift DOUBLE,
    lift_low DOUBLE,
    lift_high DOUBLE,
    p_value DOUBLE,
    p_adjusted DOUBLE,
    method_version VARCHAR NOT NULL,
    seed INTEGER NOT NULL
);
COMMENT ON TABLE pattern_effect IS 'One row per run, layer and pattern (and per relation of head_dependent): how the feed-forward network amplifies the pattern''s pairs. Pairs are two positions that the layer''s attention can see (attn > 0), neither special; the pattern special is of, and compared with, pairs of any tokens. Intervals: 95%, bootstrap over sequences, percentiles expanded for few sequences (Hesterberg 2015). In parallel models all but the counts is NULL: their feed-forward network reads each position alone.';
COMMENT ON COLUMN pattern_effect.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN pattern_effect.layer IS 'Layer, from 1.';
COMMENT ON COLUMN pattern_effect.pattern IS 'The pattern (pair_pattern.pattern).';
COMMENT ON COLUMN pattern_effect.relation IS 'Relation of head_dependent pairs; NULL for all pairs of the pattern.';
COMMENT ON COLUMN pattern_effect.n_pairs IS 'Pairs of the pattern.';
COMMENT ON COLUMN pattern_effect.n_sequences IS 'Sequences that hold such a pair and another one: what the effect is estimated from.';
COMMENT ON COLUMN pattern_effect.mean_amp IS 'Mean FF-amp (v_ff_amp.ff_amp) of the pattern''s pairs.';
COMMENT ON COLUMN pattern_effect.mean_amp_low IS 'Lower end of its interval; NULL with too few sequences.';
COMMENT ON COLUMN pattern_effect.mean_amp_high IS 'Upper end of its interval.';
COMMENT ON COLUMN pattern_effect.effect IS 'Mean over the pattern''s pairs of FF-amp less the mean FF-amp of the same sequence''s pairs outside the pattern, over the sequences that have both.';
COMMENT ON COLUMN pattern_effect.effect_low IS 'Lower end of its interval; NULL with too few sequences.';
COMMENT ON COLUMN pattern_effect.effect_high IS 'Upper end of its interval.';
COMMENT ON COLUMN pattern_effect.top_share IS 'Share of the pattern among the 1% most amplified pairs of the layer: 1% rounded up, and all pairs that equal the last of them.';
COMMENT ON COLUMN pattern_effect.lift IS 'top_share over the pattern''s share among all pairs: above 1 when it is over-represented. Over the layer as a whole: shares are larger in short sentences, so a pattern that is frequent there may have lift without being amplified; effect compares within sentences.';
COMMENT ON COLUMN pattern_effect.lift_low IS 'Lower end of its interval, the 1% threshold held fixed; NULL with too few sequences.';
COMMENT ON COLUMN pattern_effect.lift_high IS 'Upper end of its interval.';
COMMENT ON COLUMN pattern_effect.p_value IS 'Two-sided p of effect = 0: random signs of the sequences'' contributions (permutation); NULL with fewer than two sequences.';
COMMENT ON COLUMN pattern_effect.p_adjusted IS 'p_value by Benjamini and Hochberg over the run''s layers x patterns; rows with a relation are adjusted among themselves.';
COMMENT ON COLUMN pattern_effect.method_version IS 'Version of the analysis.';
COMMENT ON COLUMN pattern_effect.seed IS 'Seed of the random numbers.';

CREATE TABLE estimate (
    run_id INTEGER NOT NULL,
    measure VARCHAR NOT NULL,
    layer SMALLINT NOT NULL,
    item VARCHAR NOT NULL,
    pair_filter VARCHAR,
    value DOUBLE,
    low DOUBLE,
    high DOUBLE,
    p_value DOUBLE,
    n BIGINT NOT NULL,
    n_sequences INTEGER NOT NULL,
    method_version VARCHAR NOT NULL,
    seed INTEGER NOT NULL
);
COMMENT ON TABLE estimate IS 'One row per run, measure, layer, item and pair filter: a number about a layer with its 95% interval, by bootstrap over sequences where not said otherwise, percentiles expanded for few sequences (Hesterberg 2015).';
COMMENT ON COLUMN estimate.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN estimate.measure IS 'change: mean of 1 - rho by a component. surviving_share: change by BLOCK over change by FF. norm_change, norm_change_partial: Spearman''s rho of the FF output''s norm and the change by FF, and the same with the attention output''s norm held. ln_weight: Spearman''s rho over dimensions of |LN weight| and the mean absolute value of FF''s input or output; its interval is by bootstrap over dimensions and says how far rho rests on single ones. mixing: mean mixing ratio of a kind of token.';
COMMENT ON COLUMN estimate.layer IS 'Layer, from 1.';
COMMENT ON COLUMN estimate.item IS 'change: component. surviving_share: BLOCK/FF. norm_change: what a point is: sequence (mean norms over its tokens of content, change of its map) or row (norms of a token of content, change of its row over at least three keys of content that attention sees). ln_weight: ff_in or ff_out, with _inliers when outlier dimensions are left out. mixing: stage/kind, kind being all, special, upos:X or zipf:N.';
COMMENT ON COLUMN estimate.pair_filter IS 'Pairs that changes are over (map_change.pair_filter); NULL where it does not apply.';
COMMENT ON COLUMN estimate.value IS 'The estimate; NULL when undefined.';
COMMENT ON COLUMN estimate.low IS 'Lower end of its interval; NULL with too few sequences.';
COMMENT ON COLUMN estimate.high IS 'Upper end of its interval.';
COMMENT ON COLUMN estimate.p_value IS 'Two-sided p of no relation, for correlations: random signs of the parts that sequences (ln_weight: dimensions) have in the covariance of ranks; NULL for other measures.';
COMMENT ON COLUMN estimate.n IS 'Points behind it: sequences, rows, dimensions or tokens.';
COMMENT ON COLUMN estimate.n_sequences IS 'Sequences behind it.';
COMMENT ON COLUMN estimate.method_version IS 'Version of the analysis.';
COMMENT ON COLUMN estimate.seed IS 'Seed of the random numbers.';

CREATE TABLE outlier_dim (
    run_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    dim INTEGER NOT NULL,
    ln_ff_gamma DOUBLE,
    z_gamma DOUBLE,
    z_ff_in DOUBLE NOT NULL,
    z_ff_out DOUBLE NOT NULL,
    method_version VARCHAR NOT NULL
);
COMMENT ON TABLE outlier_dim IS 'One row per run, layer and outlier dimension: one whose |LN weight|, or FF input or output, lies more than 3 standard deviations from the layer''s mean.';
COMMENT ON COLUMN outlier_dim.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN outlier_dim.layer IS 'Layer, from 1.';
COMMENT ON COLUMN outlier_dim.dim IS 'Dimension of the hidden state, from 0.';
COMMENT ON COLUMN outlier_dim.ln_ff_gamma IS 'Weight of the feed-forward block''s normalisation, signed; NULL when it has none.';
COMMENT ON COLUMN outlier_dim.z_gamma IS 'Standard score of |ln_ff_gamma| among the layer''s dimensions (population standard deviation); 0 where all are equal, NULL when there are no weights.';
COMMENT ON COLUMN outlier_dim.z_ff_in IS 'Standard score of the mean |FF input|.';
COMMENT ON COLUMN outlier_dim.z_ff_out IS 'Standard score of the mean |FF output|.';
COMMENT ON COLUMN outlier_dim.method_version IS 'Version of the analysis.';

CREATE TABLE top_pair (
    run_id INTEGER NOT NULL,
    layer SMALLINT NOT NULL,
    rank SMALLINT NOT NULL,
    seq_id INTEGER NOT NULL,
    query SMALLINT NOT NULL,
    key SMALLINT NOT NULL,
    ff_amp DOUBLE NOT NULL,
    method_version VARCHAR NOT NULL
);
COMMENT ON TABLE top_pair IS 'One row per run, layer and rank: the 50 pairs that the feed-forward network amplifies most, two positions, neither special; fewer where it amplifies fewer, none in parallel models.';
COMMENT ON COLUMN top_pair.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN top_pair.layer IS 'Layer, from 1.';
COMMENT ON COLUMN top_pair.rank IS 'Rank by FF-amp, from 1; ties go to the earlier sequence, query and key.';
COMMENT ON COLUMN top_pair.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN top_pair.query IS 'Position that receives, from 0.';
COMMENT ON COLUMN top_pair.key IS 'Position that contributes, from 0.';
COMMENT ON COLUMN top_pair.ff_amp IS 'FF-amp of the pair (v_ff_amp.ff_amp).';
COMMENT ON COLUMN top_pair.method_version IS 'Version of the analysis.';

CREATE TABLE seed_agreement (
    run_a INTEGER NOT NULL,
    run_b INTEGER NOT NULL,
    measure VARCHAR NOT NULL,
    layer_a SMALLINT,
    layer_b SMALLINT,
    value DOUBLE,
    low DOUBLE,
    high DOUBLE,
    n BIGINT NOT NULL,
    n_sequences INTEGER NOT NULL,
    method_version VARCHAR NOT NULL,
    seed INTEGER NOT NULL
);
COMMENT ON TABLE seed_agreement IS 'One row per two runs over one corpus, measure and layer: how far they agree. Interval: 95%, bootstrap over sequences.';
COMMENT ON COLUMN seed_agreement.run_a IS 'The one run (run.run_id), the lower id.';
COMMENT ON COLUMN seed_agreement.run_b IS 'The other run.';
COMMENT ON COLUMN seed_agreement.measure IS 'ff_amp: Pearson''s r of FF-amp over the same token pairs (one tokenizer). ff_amp_words: the same over word pairs (any tokenizers). pattern_profile: Pearson''s r of the effects of patterns, over layers x patterns, special left out. change_curve: of the change by FF of content pairs, over layers.';
COMMENT ON COLUMN seed_agreement.layer_a IS 'Layer of run_a, from 1; NULL where all layers count together.';
COMMENT ON COLUMN seed_agreement.layer_b IS 'Layer of run_b that stands at the same relative depth; NULL where all layers count together.';
COMMENT ON COLUMN seed_agreement.value IS 'The correlation, -1 to 1; NULL when undefined.';
COMMENT ON COLUMN seed_agreement.low IS 'Lower end of its interval; NULL with too few sequences.';
COMMENT ON COLUMN seed_agreement.high IS 'Upper end of its interval.';
COMMENT ON COLUMN seed_agreement.n IS 'Pairs, or points of a profile or curve.';
COMMENT ON COLUMN seed_agreement.n_sequences IS 'Sequences behind it.';
COMMENT ON COLUMN seed_agreement.method_version IS 'Version of the analysis.';
COMMENT ON COLUMN seed_agreement.seed IS 'Seed of the random numbers.';

CREATE TABLE group_estimate (
    family VARCHAR NOT NULL,
    corpus_id INTEGER NOT NULL,
    measure VARCHAR NOT NULL,
    layer SMALLINT,
    item VARCHAR NOT NULL,
    pair_filter VARCHAR,
    mean DOUBLE,
    sd DOUBLE,
    low DOUBLE,
    high DOUBLE,
    n_runs INTEGER NOT NULL,
    n_sequences INTEGER NOT NULL,
    method_version VARCHAR NOT NULL,
    seed INTEGER NOT NULL
);
COMMENT ON TABLE group_estimate IS 'One row per group of runs (v_group_run: one model family over one corpus), measure, layer and item: mean, spread and interval over seeds. Interval: 95%, Multi-Bootstrap (Sellam et al. 2022), seeds and sequences resampled together, the deviation of seeds widened for few of them (ours).';
COMMENT ON COLUMN group_estimate.family IS 'The group: model.family.';
COMMENT ON COLUMN group_estimate.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN group_estimate.measure IS 'change, surviving_share, norm_change or ln_weight as in estimate (ln_weight: seeds alone are resampled); pattern_effect: effect of a pattern; agreement: seed_agreement over all pairs of the group''s runs, its interval by the jackknife over runs.';
COMMENT ON COLUMN group_estimate.layer IS 'Layer, from 1, of the group''s shallowest model, others'' at the same relative depth; NULL where all layers count together.';
COMMENT ON COLUMN group_estimate.item IS 'As estimate.item; the pattern; or seed_agreement.measure.';
COMMENT ON COLUMN group_estimate.pair_filter IS 'Pairs that changes are over; NULL where it does not apply.';
COMMENT ON COLUMN group_estimate.mean IS 'Mean over the group''s runs (agreement: over its pairs of runs); NULL where it is undefined in one.';
COMMENT ON COLUMN group_estimate.sd IS 'Sample standard deviation over the group''s runs, or pairs of runs; NULL with one.';
COMMENT ON COLUMN group_estimate.low IS 'Lower end of the interval; NULL with fewer than two runs (agreement: three) or too few sequences.';
COMMENT ON COLUMN group_estimate.high IS 'Upper end of the interval.';
COMMENT ON COLUMN group_estimate.n_runs IS 'Runs in the group.';
COMMENT ON COLUMN group_estimate.n_sequences IS 'Sequences that all of them share.';
COMMENT ON COLUMN group_estimate.method_version IS 'Version of the analysis.';
COMMENT ON COLUMN group_estimate.seed IS 'Seed of the random numbers.';

CREATE TABLE group_difference (
    family_a VARCHAR NOT NULL,
    family_b VARCHAR NOT NULL,
    corpus_id INTEGER NOT NULL,
    measure VARCHAR NOT NULL,
    item VARCHAR NOT NULL,
    pair_filter VARCHAR,
    depth DOUBLE NOT NULL,
    difference DOUBLE,
    low DOUBLE,
    high DOUBLE,
    p_value DOUBLE,
    n_runs_a INTEGER NOT NULL,
    n_runs_b INTEGER NOT NULL,
    n_sequences INTEGER NOT NULL,
    method_version VARCHAR NOT NULL,
    seed INTEGER NOT NULL
);
COMMENT ON TABLE group_difference IS 'One row per two groups over one corpus, measure, item and relative depth: group b less group a, by the Multi-Bootstrap (Sellam et al. 2022; unpaired seeds, paired sequences).';
COMMENT ON COLUMN group_difference.family_a IS 'The one group: model.family.';
COMMENT ON COLUMN group_difference.family_b IS 'The other group.';
COMMENT ON COLUMN group_difference.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN group_difference.measure IS 'As group_estimate.measure, agreement left out.';
COMMENT ON COLUMN group_difference.item IS 'As group_estimate.item.';
COMMENT ON COLUMN group_difference.pair_filter IS 'Pairs that changes are over; NULL where it does not apply.';
COMMENT ON COLUMN group_difference.depth IS 'Relative depth, layer / n_layer, above 0 to 1: where layers of the two groups meet.';
COMMENT ON COLUMN group_difference.difference IS 'Mean of group b less mean of group a.';
COMMENT ON COLUMN group_difference.low IS 'Lower end of the 95% interval; NULL where a group has fewer than two runs.';
COMMENT ON COLUMN group_difference.high IS 'Upper end of the interval.';
COMMENT ON COLUMN group_difference.p_value IS 'Two-sided p of no difference, from the same resamples.';
COMMENT ON COLUMN group_difference.n_runs_a IS 'Runs in group a.';
COMMENT ON COLUMN group_difference.n_runs_b IS 'Runs in group b.';
COMMENT ON COLUMN group_difference.n_sequences IS 'Sequences that all of them share.';
COMMENT ON COLUMN group_difference.method_version IS 'Version of the analysis.';
COMMENT ON COLUMN group_difference.seed IS 'Seed of the random numbers.';

CREATE TABLE finding (
    claim VARCHAR NOT NULL,
    aspect VARCHAR NOT NULL,
    run_id INTEGER,
    family VARCHAR,
    corpus_id INTEGER NOT NULL,
    statement VARCHAR NOT NULL,
    quantity VARCHAR NOT NULL,
    value DOUBLE,
    low DOUBLE,
    high DOUBLE,
    n BIGINT NOT NULL,
    verdict VARCHAR NOT NULL,
    rule VARCHAR NOT NULL,
    note VARCHAR,
    query VARCHAR NOT NULL,
    method_version VARCHAR NOT NULL
);
COMMENT ON TABLE finding IS 'One row per claim, aspect and run, or claim, aspect and group: the number that decides it, the verdict, the rule, and the query that gives the number.';
COMMENT ON COLUMN finding.claim IS 'F1 to F6.';
COMMENT ON COLUMN finding.aspect IS 'What of the claim: map (F1); a pattern (F2); block (F3); size, depth (F4); ff_in, ff_out (F5); pairs, verdicts (F6, groups only).';
COMMENT ON COLUMN finding.run_id IS 'The run (run.run_id); NULL for a group.';
COMMENT ON COLUMN finding.family IS 'The group (model.family); NULL for a run.';
COMMENT ON COLUMN finding.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN finding.statement IS 'The claim in one sentence.';
COMMENT ON COLUMN finding.quantity IS 'What value is, and what n counts.';
COMMENT ON COLUMN finding.value IS 'The number that decides; NULL when there is none.';
COMMENT ON COLUMN finding.low IS 'Lower end of its 95% interval (over layers: the median of the layers'' lower ends); NULL when there is none.';
COMMENT ON COLUMN finding.high IS 'Upper end of its interval.';
COMMENT ON COLUMN finding.n IS 'What it is estimated from: sequences, dimensions, runs or claims, as quantity says.';
COMMENT ON COLUMN finding.verdict IS 'holds, fails, or not enough data.';
COMMENT ON COLUMN finding.rule IS 'The rule that gives the verdict.';
COMMENT ON COLUMN finding.note IS 'What is missing and what to do about it, or what else is to be known; NULL when nothing is.';
COMMENT ON COLUMN finding.query IS 'SQL that gives value, low, high and n from this warehouse.';
COMMENT ON COLUMN finding.method_version IS 'Version of the analysis.';
