"""What a bundle holds: tables, views, queries, and a README on how to see the difference.

Owns: the choice of what is exported, and the texts of the files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.files.names import unique_names
from askwire.selector.instances import Instance, Separation, SharedSeparation
from askwire.selector.instances.presentation.script import (
    ScriptTable,
    before_tables,
    numbered_queries,
    script_tables,
    view_definitions,
)
from askwire.selector.instances.presentation.show import text
from askwire.selector.instances.presentation.show_shared import shared_text
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.literals import quote_identifier

_VALUES_MASKED: Final = """\
The values are masked: they show which rows and values are alike, in columns of type text. The queries need
the real values, so they fail or give other results here; the results above are those on the real rows.
"""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is exported. `findings` is the text for people, `before` what schema.sql begins with.

    `masked`: values are shapes, and all columns are text. `ordered`: the order of the results' rows counts.
    """

    findings: str
    tables: tuple[ScriptTable, ...]
    views: tuple[tuple[Relation, str], ...]
    queries: tuple[str, ...]
    before: tuple[str, ...]
    masked: bool
    ordered: bool


def bundle_of(found: Separation | SharedSeparation, catalog: Catalog, *, masked: bool) -> Bundle | None:
    """The bundle of what was found, made-up rows included; None when no rows tell the queries apart.

    `found` has masked values already where `masked` says so. Of more than two queries the shared rows are
    exported, not those of single pairs.
    """
    instance = _instance(found)
    if instance is None:
        return None
    tables = script_tables(instance, catalog)
    if masked:
        tables = tuple(_as_text(table) for table in tables)
    # On masked values, which are text, views may not even be made.
    views = () if masked else found.views
    return Bundle(
        text(found) if isinstance(found, Separation) else shared_text(found),
        tables,
        views,
        found.candidates,
        tuple(before_tables(tables, views, catalog)),
        masked,
        isinstance(found, Separation) and found.ordered,
    )


def text_files(bundle: Bundle) -> dict[str, str]:
    """The files of a folder or archive, by name: README.txt, SQL for psql, and a CSV file for each table."""
    names = [f"{name}.csv" for name in unique_names([t.name for t in bundle.tables], fallback="table")]
    created = [table.definition for table in bundle.tables]
    schema = ["SET client_encoding = 'UTF8';", *bundle.before, *created, *view_definitions(bundle.views)]
    return {
        "README.txt": _readme(bundle, names),
        "schema.sql": "\n".join(schema) + "\n",
        "load.sql": "".join(map(_copy, bundle.tables, names)),
        "queries.sql": "\n".join(numbered_queries(bundle.queries)) + "\n",
        **dict(zip(names, map(_csv, bundle.tables), strict=True)),
    }


def references(tables: Sequence[ScriptTable]) -> str:
    """A paragraph on foreign keys, empty when there are none."""
    lines = [f"  {table.schema}.{table.name} {key}\n" for table in tables for key in table.references]
    if not lines:
        return ""
    return "Foreign keys, not declared because rows that they name may be left out:\n" + "".join(lines) + "\n"


def reservations(bundle: Bundle) -> str:
    """What the reader must know of the values."""
    return (
        _VALUES_MASKED
        if bundle.masked
        else "The rows hold values of the database: share the bundle with those who may see them.\n"
    )


def _instance(found: Separation | SharedSeparation) -> Instance | None:
    return found.instance or (found.witness if isinstance(found, Separation) else None)


def _as_text(table: ScriptTable) -> ScriptTable:
    columns = tuple(replace(column, type="text", labels=()) for column in table.columns)
    return replace(table, columns=columns)


def _readme(bundle: Bundle, names: Sequence[str]) -> str:
    files = "".join(
        f"  {name}: {table.schema}.{table.name}, {len(table.rows)} row{'' if len(table.rows) == 1 else 's'}\n"
        for name, table in zip(names, bundle.tables, strict=True)
    )
    return (
        f"{bundle.findings}\n"
        "To load it into an empty PostgreSQL database and run the queries, in this folder:\n\n"
        "  createdb scratch\n"
        "  psql -d scratch -f schema.sql -f load.sql -f queries.sql\n\n"
        f'Tables, as CSV in UTF-8; an empty field is NULL, and an empty text is "":\n{files}\n'
        f"{references(bundle.tables)}{reservations(bundle)}"
    )


def _copy(table: ScriptTable, name: str) -> str:
    listed = ", ".join(quote_identifier(column.name) for column in table.columns)
    return f"\\copy {table.quoted} ({listed}) FROM '{name}' WITH (FORMAT csv, HEADER, ENCODING 'UTF8')\n"


def _csv(table: ScriptTable) -> str:
    """All values are quoted, so that COPY tells an empty text from NULL."""
    rows = [tuple(column.name for column in table.columns), *table.rows]
    return "".join(
        ",".join("" if cell is None else '"' + cell.replace('"', '""') + '"' for cell in row) + "\n"
        for row in rows
    )
