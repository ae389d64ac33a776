"""What relations declare of their rows beyond keys and NOT NULL, and which rows break it.

Owns: the statement that reads CHECK constraints, generated columns, bounds of partitions and uniqueness by
more than columns, and the queries that hold rows against them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.types import Cell, ResultSet
from askwire.sql.literals import array_text, quote_identifier
from askwire.sql.qualified import EQ, NE
from askwire.sql.tracing.identity import Source

_WRITTEN_ONCE: Final = (
    "'{16,17,18,19,20,21,23,25,26,700,701,1042,1082,1083,1114,1184,1700,2950,3500}'::pg_catalog.oid[]"
)
"""Types, as operator classes name them, whose equal values have one text (numbers one value); enums too."""

DECLARED: Final = f"""
WITH RECURSIVE part(root, oid, kind) AS (
  SELECT c.oid, c.oid, c.relkind FROM pg_catalog.pg_class c WHERE c.oid {EQ} ANY($1::pg_catalog.oid[])
  UNION ALL
  SELECT part.root, c.oid, c.relkind FROM part
  JOIN pg_catalog.pg_inherits i ON i.inhparent {EQ} part.oid AND part.kind {EQ} 'p'
  JOIN pg_catalog.pg_class c ON c.oid {EQ} i.inhrelid
), checks(oid, columns, rule) AS (
  SELECT k.conrelid, (SELECT pg_catalog.json_agg(a.attname) FROM pg_catalog.pg_attribute a
                      WHERE a.attrelid {EQ} k.conrelid
                        AND a.attnum {EQ} ANY(k.conkey)),
         pg_catalog.pg_get_expr(k.conbin, k.conrelid)
  FROM pg_catalog.pg_constraint k WHERE k.contype {EQ} 'c'
)
SELECT 'check', oid, columns::pg_catalog.text, rule FROM checks
WHERE oid {EQ} ANY($1::pg_catalog.oid[])
UNION ALL
SELECT 'generated', a.attrelid, pg_catalog.json_build_array(a.attname)::pg_catalog.text,
       pg_catalog.pg_get_expr(d.adbin, d.adrelid)
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_attrdef d ON d.adrelid {EQ} a.attrelid AND d.adnum {EQ} a.attnum
WHERE a.attrelid {EQ} ANY($1::pg_catalog.oid[]) AND a.attgenerated {NE} '' AND NOT a.attisdropped
UNION ALL
SELECT 'bounds', part.root, NULL, pg_catalog.string_agg(pg_catalog.concat('(',
         coalesce(pg_catalog.pg_get_partition_constraintdef(part.oid), 'true'), ') AND (',
         coalesce((SELECT pg_catalog.string_agg(pg_catalog.concat('(', c.rule, ')'), ' AND ')
                   FROM checks c WHERE c.oid {EQ} part.oid), 'true'), ')'), ' OR ')
FROM part JOIN pg_catalog.pg_class r ON r.oid {EQ} part.root
WHERE part.kind {NE} 'p' AND (r.relkind {EQ} 'p' OR r.relispartition)
GROUP BY part.root
UNION ALL
SELECT 'alone', part.root, NULL, NULL
FROM part JOIN pg_catalog.pg_index i ON i.indrelid {EQ} part.oid
WHERE i.indisexclusion OR i.indisunique AND (i.indpred IS NOT NULL OR i.indexprs IS NOT NULL
      OR (pg_catalog.to_jsonb(i) OPERATOR(pg_catalog.->>) 'indnullsnotdistinct') {EQ} 'true'
      OR EXISTS (SELECT FROM pg_catalog.unnest(i.indcollation) u(oid)
                 JOIN pg_catalog.pg_collation c ON c.oid {EQ} u.oid AND NOT c.collisdeterministic)
      OR EXISTS (SELECT FROM pg_catalog.unnest(i.indclass) u(oid)
                 JOIN pg_catalog.pg_opclass o ON o.oid {EQ} u.oid
                 WHERE o.opcintype {NE} ALL ({_WRITTEN_ONCE})))
GROUP BY part.root
"""
"""Rows (kind, relation, columns as JSON, expression) for the relations `$1`."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What one relation declares: conditions under which a row breaks it.

    `columns` are those that the conditions look at, None for any. `alone`: two rows may exclude each other
    in a way that columns do not tell.
    """

    conditions: tuple[str, ...] = ()
    columns: frozenset[str] | None = frozenset()
    alone: bool = False

    def touches(self, changed: Sequence[str]) -> bool:
        """Whether a row with these columns changed may break a condition."""
        return bool(self.conditions) and (self.columns is None or not self.columns.isdisjoint(changed))


def read_rules(found: ResultSet) -> dict[int, Rules]:
    """What `DECLARED` found, by relation."""
    rules: dict[int, Rules] = {}
    for kind, oid, columns, expression in found.rows:
        known = rules.get(int(oid or 0), Rules())
        if kind == "alone":
            rules[int(oid or 0)] = Rules(known.conditions, known.columns, alone=True)
            continue
        looked_at = frozenset(json.loads(columns)) if kind == "check" and columns else None
        both = known.columns is not None and looked_at is not None
        rules[int(oid or 0)] = Rules(
            (*known.conditions, _broken(kind or "", columns or "", expression or "")),
            (known.columns or frozenset()) | (looked_at or frozenset()) if both else None,
            known.alone,
        )
    return rules


def _broken(kind: str, columns: str, expression: str) -> str:
    if kind == "generated":
        name = quote_identifier(json.loads(columns)[0])
        # IS DISTINCT FROM would look its operator up through search_path
        kept, made = f"{name}::pg_catalog.text", f"({expression})::pg_catalog.text"
        return f"COALESCE({kept} {NE} {made}, ({kept} IS NULL) {NE} ({made} IS NULL))"
    return f"({expression}) IS {'FALSE' if kind == 'check' else 'NOT TRUE'}"


def planned(of: Source, rules: Rules) -> str:
    """A query that calls what the rules of a relation call, for the gate."""
    name = quote_identifier(of.relation.name)
    return f"SELECT 1 FROM {of.qualified} AS {name} WHERE {' OR '.join(rules.conditions)}"


def breaking(
    asked: Sequence[tuple[Source, Rules, Sequence[int]]], rows: Mapping[int, Sequence[str]]
) -> tuple[str, list[Cell]]:
    """A query for (relation, position) of those rows of a pool that break a rule, and its parameters."""
    parameters: list[Cell] = []
    return " UNION ALL ".join(_breaking(asked, rows, parameters)), parameters


def _breaking(
    asked: Sequence[tuple[Source, Rules, Sequence[int]]],
    rows: Mapping[int, Sequence[str]],
    parameters: list[Cell],
) -> Iterator[str]:
    for of, rules, positions in asked:
        parameters.append(array_text(rows[of.number][p - 1] for p in positions))
        parameters.append(array_text(map(str, positions)))
        at = len(parameters)
        yield (
            f"SELECT {of.number}, _aw_o._aw_k FROM pg_catalog.unnest(${at}::pg_catalog.int4[])"
            f" WITH ORDINALITY AS _aw_o(_aw_k, _aw_n), LATERAL"
            f" pg_catalog.unnest(ARRAY[(${at - 1}::{of.qualified}[])[_aw_o._aw_n]])"
            f" AS {quote_identifier(of.relation.name)} WHERE {' OR '.join(rules.conditions)}"
        )
