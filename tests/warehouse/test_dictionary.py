"""The data dictionary is what the schema says, and the schema says something of everything."""

import duckdb

from warehouse import dictionary, migrate, sqlfiles
from warehouse.contract import SHARD_TABLES


def test_dictionary_is_up_to_date() -> None:
    assert dictionary.FILE.read_text(encoding="utf-8") == dictionary.generate(), "run python -m warehouse.dictionary"


def test_everything_has_a_comment() -> None:
    with duckdb.connect(":memory:") as con:
        migrate.migrate(con)
        tables = con.execute(sqlfiles.query("tables")).fetchall()
        columns = con.execute(sqlfiles.query("columns")).fetchall()
    assert [name for name, _, _, comment in tables if not comment] == []
    assert [(table, column) for table, column, _, _, comment in columns if not comment] == []


def test_tables_hold_the_contracts_columns() -> None:
    kinds = {"Int16": "SMALLINT", "Int32": "INTEGER", "Int64": "BIGINT", "Float32": "FLOAT", "Float64": "DOUBLE"}
    kinds |= {"String": "VARCHAR"}
    with duckdb.connect(":memory:") as con:
        migrate.migrate(con)
        rows = con.execute(sqlfiles.query("columns")).fetchall()
    for table, schema in SHARD_TABLES.items():
        target = f"{table}_part" if table in ("layer_dim", "neuron_activation") else table
        found = [(column, type_) for name, column, type_, *_ in rows if name == target]
        wanted = [(column, kinds[str(dtype)]) for column, dtype in schema.items()]
        assert [pair for pair in found if pair[0] not in ("run_id", "shard")] == wanted
