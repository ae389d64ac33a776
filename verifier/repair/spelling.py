"""Literals that find nothing as they are spelled.

Owns: the texts to try instead.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from pglast import ast

from askwire.core.protocols import Batch
from askwire.sql.catalog import Catalog
from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import Untraceable, parse_query, walk
from askwire.verifier.live_facts import read_effects
from askwire.verifier.repair.mends.quoted_literals import ignore_case
from askwire.verifier.value_probes import compared_literals, probe


async def respelled(batch: Batch, sql: str, catalog: Catalog) -> AsyncIterator[tuple[str, str]]:
    """Other texts for a statement that found nothing, each with the name of the mend.

    `literal_case`: `WHERE status = 'Shipped'` becomes `WHERE status = 'shipped'` where the column has that
    spelling and no other. `ignore_case`: `LIKE` becomes `ILIKE`.
    """
    try:
        tree = parse_query(sql)
    except Untraceable:
        return
    effects = read_effects(tree, catalog)
    literals = compared_literals(effects) if effects is not None else ()
    spelled = {
        p.literal.value: p.variants[0]
        for p in await probe(batch, literals)
        if not p.occurs and len(p.variants) == 1
    }
    if spelled:
        for node in walk(tree):
            if isinstance(node, ast.String) and node.sval in spelled:
                node.sval = spelled[node.sval]
        yield "literal_case", to_sql(tree)
    if ignore_case(tree):
        yield "ignore_case", to_sql(tree)
