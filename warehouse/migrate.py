"""Bring a warehouse file to this version's schema: numbered migrations, then the views.

`python -m warehouse.migrate PATH` upgrades a file and says which schema it is at.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from graphlib import TopologicalSorter

import duckdb

from warehouse import sqlfiles
from warehouse.errors import WarehouseError, disk_is_full
from warehouse.sqlfiles import SqlFile


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit what the block did, or nothing of it when the block raises."""
    con.begin()
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()


def known_version() -> int:
    """The schema that this version of Lenshouse writes."""
    return version_of(sqlfiles.folder("migrations")[-1])


def version_of(migration: SqlFile) -> int:
    """Number of a migration: `0003_words` is 3."""
    return int(migration.name.split("_", 1)[0])


def file_version(con: duckdb.DuckDBPyConnection) -> int | None:
    """Schema of an open file; 0 when it holds nothing at all, None when what it holds is not a warehouse."""
    try:
        [(version,)] = con.execute(sqlfiles.query("schema_version")).fetchall()
    except duckdb.CatalogException:
        return None if con.execute(sqlfiles.query("table_names")).fetchall() else 0
    return version


def migrate(
    con: duckdb.DuckDBPyConnection,
    migrations: Sequence[SqlFile] | None = None,
    views: Sequence[SqlFile] | None = None,
) -> None:
    """Apply pending migrations, each with its record in one transaction, then renew views that changed.

    The caller has checked that the file is a warehouse, and of no newer schema. A migration that fails leaves the
    file at the one before it.
    """
    migrations = sqlfiles.folder("migrations") if migrations is None else migrations
    views = sqlfiles.folder("views") if views is None else views
    done = file_version(con) or 0
    pending = [migration for migration in migrations if version_of(migration) > done]
    for migration in pending:
        try:
            with transaction(con):
                con.execute(migration.text)
                con.execute(sqlfiles.query("record_migration"), [version_of(migration), migration.name])
        except duckdb.Error as error:
            if disk_is_full(str(error)):
                raise
            first_line = str(error).splitlines()[0]
            message = (
                f"migration {migration.name} failed and was rolled back ({first_line}); "
                "the file is as it was: report this with the line above"
            )
            raise WarehouseError(message) from error
    _renew_views(con, views)


def is_current(con: duckdb.DuckDBPyConnection) -> bool:
    """Whether an open file has this version's schema and its views, word for word."""
    if file_version(con) != known_version():
        return False
    recorded = dict(con.execute(sqlfiles.query("view_hashes")).fetchall())
    return recorded == {view.name: view.sha256 for view in sqlfiles.folder("views")}


def _renew_views(con: duckdb.DuckDBPyConnection, views: Sequence[SqlFile]) -> None:
    """Create every view anew when the text of one has changed: views build on each other."""
    recorded = dict(con.execute(sqlfiles.query("view_hashes")).fetchall())
    wanted = {view.name: view.sha256 for view in views}
    if recorded == wanted:
        return
    texts = {view.name: view.text for view in views}
    with transaction(con):
        for name in recorded:
            con.execute(f'DROP VIEW IF EXISTS "{name}"')
        con.execute("DELETE FROM schema_view")
        for name in view_order(tuple(views)):
            con.execute(texts[name])
            con.execute(sqlfiles.query("record_view"), [name, wanted[name]])


@cache
def view_order(views: tuple[SqlFile, ...]) -> tuple[str, ...]:
    """Names of the views, each after those that its text reads from."""
    names = {view.name for view in views}
    graph = {view.name: names & set(re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", view.text)) for view in views}
    return tuple(TopologicalSorter(graph).static_order())


def main(arguments: Sequence[str]) -> int:
    """Upgrade the files named on the command line; a file that is missing is not created."""
    from warehouse import connect
    from warehouse.paths import warehouse_path

    for argument in arguments:
        path = connect.existing(warehouse_path(argument))
        with connect.write(path) as con:
            sys.stdout.write(f"{path}: schema {file_version(con)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
