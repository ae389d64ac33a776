"""Tables and columns that a model names in an answer, as far as they are there.

Owns: reading them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from askwire.llm.answers import read_objects, read_text, read_texts
from askwire.sql.catalog import Catalog, Relation

_MAX_NAME_LENGTH: Final = 140
"""Characters of a name: two identifiers, a dot and quotes."""
MAX_NAMES: Final = 400
"""Tables, and columns of a table, that an answer may name."""


def table_named(catalog: Catalog, text: str, among: Mapping[int, Relation]) -> Relation | None:
    """The relation that a text names as SQL would, or by its bare name alone; None where it names none."""
    parts = [part.strip().strip('"') for part in text.split("(", maxsplit=1)[0].split(".")]
    found = catalog.find(parts[-1], parts[-2] if len(parts) > 1 else "")
    if found is None and len(parts) == 1:
        alike = [relation for relation in among.values() if relation.name == parts[0]]
        found = alike[0] if len(alike) == 1 else None
    return found if found is not None and found.oid in among else None


def tables_in(
    catalog: Catalog, document: Mapping[str, Any] | None, field: str, among: Mapping[int, Relation]
) -> list[Relation]:
    """The relations of a list of names."""
    named = (
        table_named(catalog, text, among) for text in read_texts(document, field, MAX_NAMES, _MAX_NAME_LENGTH)
    )
    return [relation for relation in named if relation is not None]


def columns_in(
    catalog: Catalog, document: Mapping[str, Any] | None, field: str, among: Mapping[int, Relation]
) -> dict[int, frozenset[str]]:
    """The columns of a list of `{"table": …, "columns": […]}`, by the OID of their relation."""
    found: dict[int, frozenset[str]] = {}
    for entry in read_objects(document, field, MAX_NAMES):
        relation = table_named(catalog, read_text(entry, "table", _MAX_NAME_LENGTH), among)
        if relation is not None:
            found[relation.oid] = found.get(relation.oid, frozenset()) | known_columns(
                relation, read_texts(entry, "columns", MAX_NAMES, _MAX_NAME_LENGTH)
            )
    return found


def known_columns(relation: Relation, names: Iterable[str]) -> frozenset[str]:
    """Those of the names, bare or behind the relation's, that are columns of it."""
    bare = (name.rpartition(".")[2].strip().strip('"') for name in names)
    return frozenset(name for name in bare if name in relation.by_name)
