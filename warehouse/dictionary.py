"""The data dictionary, from the comments of the schema itself: `python -m warehouse.dictionary` rewrites it."""

import sys
from pathlib import Path

import duckdb

from warehouse import migrate, sqlfiles

FILE = Path(__file__).parent / "DICTIONARY.md"

_HEAD = """# Data dictionary

Written by `python -m warehouse.dictionary` from the comments in `warehouse/sql/`; change those, not this file.
`layer` counts from 1; `head`, `unit`, `query`, `key`, `pos`, `seq_id` and `dim` count from 0. Views show complete runs
only.
"""


def generate() -> str:
    """Markdown with every table, view and column of this version's schema."""
    with duckdb.connect(":memory:") as con:
        migrate.migrate(con)
        tables = con.execute(sqlfiles.query("tables")).fetchall()
        columns = con.execute(sqlfiles.query("columns")).fetchall()
    sections = [_HEAD]
    for heading, kind in (("Views", "view"), ("Tables", "table")):
        sections.append(f"## {heading}\n")
        for name, _, _, comment in (table for table in tables if table[1] == kind):
            rows = [
                f"| `{column}` | {type_}{'' if nullable or kind == 'view' else ' NOT NULL'} | {_cell(text)} |"
                for table, column, type_, nullable, text in columns
                if table == name
            ]
            head = "| column | type | meaning |\n|---|---|---|"
            sections.append(f"### {name}\n\n{comment or ''}\n\n{head}\n" + "\n".join(rows) + "\n")
    return "\n".join(sections)


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


if __name__ == "__main__":
    FILE.write_text(generate(), encoding="utf-8")
    sys.stdout.write(f"{FILE}\n")
