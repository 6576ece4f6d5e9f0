"""Time and memory of `lenshouse analyze`: six runs of 900 sentences, and a second call with nothing new."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import warehouse
from tests.bench.peak import peak_kib
from tests.warehouse.synthetic import Shape, write_parts
from warehouse import connect

N_RUNS, N_SEQUENCES = 6, 900

_ANNOTATION = """
    INSERT INTO annotation VALUES (1, 'gold', '1', 'en', NULL, 1, now()::TIMESTAMP);
    UPDATE token SET word_id = pos WHERE NOT is_special;
    INSERT INTO word BY NAME
    SELECT
        corpus_id, seq_id, pos AS word_id, 'w' AS form, ['NOUN', 'VERB', 'ADJ', 'DET'][1 + (seq_id + pos) % 4] AS upos,
        2 + (seq_id + pos) % 5 AS zipf, 0 AS char_start, 1 AS char_end
    FROM token WHERE NOT is_special;
    INSERT INTO pair_pattern BY NAME
    WITH pair AS (
        SELECT
            a.corpus_id, a.tokenizer_id, a.seq_id, a.pos AS query, b.pos AS key,
            a.is_special OR b.is_special AS special, a.token_id = b.token_id AS same,
            hash(a.seq_id::INTEGER * 1000 + least(a.pos, b.pos)) % 25 AS drawn
        FROM token AS a JOIN token AS b ON b.seq_id = a.seq_id AND b.pos <> a.pos
    ),
    found AS (
        SELECT *, unnest(list_filter([
            CASE WHEN special THEN 'special' END,
            CASE WHEN NOT special AND abs(query - key) = 1 THEN 'adjacent' END,
            CASE WHEN NOT special AND same THEN 'same_token' END,
            CASE WHEN NOT special AND drawn < 2 THEN 'head_dependent' END,
            CASE WHEN NOT special AND drawn = 3 THEN 'compound' END,
            CASE WHEN NOT special AND drawn = 3 THEN 'mwe' END,
            CASE WHEN NOT special AND drawn = 4 THEN 'subword' END
        ], lambda pattern: pattern IS NOT NULL)) AS pattern
        FROM pair
    )
    SELECT
        corpus_id, tokenizer_id, seq_id, query, key, pattern,
        CASE pattern WHEN 'head_dependent' THEN 'relation ' || (query + key) % 30 END AS relation
    FROM found
    ORDER BY ALL
"""
"""Invented words and patterns, about as many as real text has."""

_ANOTHER_RUN = """
    INSERT INTO model BY NAME
    SELECT * REPLACE ($run AS model_id, 'w' || $run AS weights_sha256, $run AS seed) FROM model WHERE model_id = 1;
    INSERT INTO run BY NAME
    SELECT * REPLACE ($run AS run_id, $run AS model_id, 'run ' || $run AS name, 'f' || $run AS fingerprint)
    FROM run WHERE run_id = 1;
    INSERT INTO token_pair
    SELECT * REPLACE ($run AS run_id, (after_ff * (0.5 + random()))::REAL AS after_ff) FROM token_pair WHERE run_id = 1;
    INSERT INTO token_norm SELECT * REPLACE ($run AS run_id) FROM token_norm WHERE run_id = 1;
    INSERT INTO map_change SELECT * REPLACE ($run AS run_id) FROM map_change WHERE run_id = 1;
    INSERT INTO layer_dim SELECT * REPLACE ($run AS run_id) FROM layer_dim WHERE run_id = 1
"""
"""The first run again with other values, as that of another seed: compared with all others, and one of their group."""


def analysis() -> None:
    """Runs of 6 layers, d=384, over sentences of 23 tokens in the mean; the calls in processes of their own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.duckdb"
        n_pairs = _fill(path)
        print(f"analysis: {N_RUNS} runs of {N_SEQUENCES} sentences, {n_pairs:,} pair rows")
        for call in ("first", "second"):
            started = time.perf_counter()
            command = [sys.executable, "-m", "tests.bench.analysis", str(path)]
            told = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
            print(f"  {call} call: {time.perf_counter() - started:.1f} s with the start of Python: {told}")


def _fill(path: Path) -> int:
    rng = np.random.default_rng(0)
    lengths = tuple(int(n) for n in np.clip(rng.lognormal(np.log(21), 0.45, N_SEQUENCES), 4, 80))
    shape = Shape(6, 384, lengths, (450, 450))
    parts = write_parts(warehouse.parts_folder(path), shape)
    warehouse.register_run(path, parts)
    warehouse.load_shards(path, parts)
    warehouse.complete_run(path, parts)
    with connect.write(path, bulk=True) as con:
        con.execute(_ANNOTATION)
        for run in range(2, N_RUNS + 1):
            con.execute(_ANOTHER_RUN.replace("$run", str(run)))
    return N_RUNS * shape.n_pairs


def _measure(path: Path) -> str:
    cpu = time.process_time()
    found = warehouse.analyze(path)
    return (
        f"{len(found.computed)} results computed, {len(found.up_to_date)} up to date, in {found.seconds:.1f} s "
        f"({time.process_time() - cpu:.1f} s of processor), peak memory {peak_kib() / 2**10:,.0f} MiB"
    )


if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]))))
