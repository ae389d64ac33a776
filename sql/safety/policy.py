"""What an administrator lets machine-written SQL do. The defaults are the strictest that are useful."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Policy:
    """The gate's settings.

    `system_catalogs` lets pg_catalog's and information_schema's relations be read; `foreign_tables` lets
    relations be read that reach a foreign server or program. `allowed_functions`, `allowed_operators` and
    `allowed_types` hold 'schema.name' of objects outside pg_catalog; machine-written SQL must write the
    schema too. Columns of an allowed type may be read whatever its casts and checks run. A view or policy
    that runs functions outside pg_catalog needs all of them allowed.

    `max_bytes` (UTF-8) and `max_tokens` bound the text, `max_depth` the levels of the parse tree,
    `max_queries` the SELECTs nested in each other, `max_relations` the relations named, counted with
    repetition. `max_series_rows` bounds the rows of generate_series, all calls of a statement multiplied;
    `max_text` the characters that repeat, lpad, rpad and format may make, repetitions multiplied.
    """

    system_catalogs: bool = False
    foreign_tables: bool = False
    allowed_functions: frozenset[str] = frozenset()
    allowed_operators: frozenset[str] = frozenset()
    allowed_types: frozenset[str] = frozenset()
    max_bytes: int = 65_536
    max_tokens: int = 10_000
    max_depth: int = 200
    max_queries: int = 30
    max_relations: int = 64
    max_series_rows: int = 1_000_000
    max_text: int = 100_000
