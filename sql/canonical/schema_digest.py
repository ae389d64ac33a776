"""What a catalog holds, as a digest that two databases with the same schema share.

Owns: what of a catalog is schema: names, types, keys, comments; not OIDs, statistics or counts of rows.
(`Catalog.fingerprint` differs after any DDL in one database.)
"""

from __future__ import annotations

import hashlib
import json

from askwire.sql.catalog import Catalog, Relation


def schema_digest(catalog: Catalog) -> str:
    """16 hexadecimal digits, the same for the same relations in any order and any database."""
    names = {relation.oid: f"{relation.schema}.{relation.name}" for relation in catalog}
    shapes = sorted(json.dumps(_shape(relation, names), ensure_ascii=True) for relation in catalog)
    return hashlib.sha256("\n".join(shapes).encode()).hexdigest()[:16]


def _shape(relation: Relation, names: dict[int, str]) -> list[object]:
    columns = [(c.name, c.type_name, c.not_null, c.comment, c.enum_labels) for c in relation.columns]
    foreign = sorted(
        [list(key.columns), names.get(key.target, ""), list(key.target_columns)]
        for key in relation.foreign_keys
    )
    unique = sorted(map(list, relation.unique_keys))
    return [
        relation.schema,
        relation.name,
        relation.kind,
        relation.comment,
        relation.on_path,
        columns,
        list(relation.primary_key),
        unique,
        foreign,
    ]
