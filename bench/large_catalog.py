"""A catalog of hundreds of tables that hold nothing a question is about, except one.

Owns: that catalog, the same for the same numbers. Must not know: what is done with it.
"""

from __future__ import annotations

from typing import Final

from askwire.sql.catalog import Catalog, Column, ForeignKey, Relation

QUESTION: Final = "which carrier sent the freight invoices"
"""What is asked of it; the answer lies in table `freight_invoices`."""
_ONE: Final = 417


def large(tables: int, columns: int = 12) -> Catalog:
    """So many tables of so many columns, each referencing the one before; number 417 is asked about."""
    relations = []
    for n in range(tables):
        own = [Column("id", "integer", 23, "N", 1), Column("previous_id", "integer", 23, "N", 2)]
        own += [
            Column(f"attribute_{n:04}_{c:02}", "character varying(40)", 1043, "S", c)
            for c in range(3, columns)
        ]
        last = "carrier" if n == _ONE else f"entered_{n:04}"
        own.append(Column(last, "timestamp without time zone", 1114, "D", columns))
        relations.append(
            Relation(
                n + 1,
                "public",
                "freight_invoices" if n == _ONE else f"ledger_segment_{n:04}",
                "r",
                tuple(own),
                primary_key=("id",),
                foreign_keys=(ForeignKey(("previous_id",), n, ("id",)),) if n else (),
            )
        )
    return Catalog(tuple(relations), search_path=("public",))
