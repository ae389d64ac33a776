"""Keys without a row: what refers to a table that nothing declares may stand for rows it does not have.

Owns: leaving out a table that is joined by such a key and adds nothing to it: 'which plane flew the most'.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from askwire.planner.embedded.logical_form.ir import Member, NullTest, Query, Term, columns_of
from askwire.planner.embedded.schema.joins import Edge, Tree
from askwire.planner.embedded.schema.schema_index import SchemaIndex


def with_strays(index: SchemaIndex, query: Query, tree: Tree | None) -> Query:
    """The query without tables of which it reads nothing but the key that groups it, by no declared key.

    A plane that is missing in the table of planes has its flights nevertheless.
    """
    plain = query.combine is None and query.star is None and query.outer is None
    if tree is None or not plain or not query.group:
        return query
    joined = Counter(t for e in tree.edges for t in (e.left, e.right))
    for edge in tree.edges:
        if edge.guessed and joined[edge.right] == 1 and len(edge.on) == 1:
            query = _without(index, query, edge)
    return query


def _without(index: SchemaIndex, query: Query, edge: Edge) -> Query:
    ((referring, key),) = edge.on
    own = [c for c in columns_of(query) if index.columns[c].table == edge.right]
    looked_up = (c.column for c in query.where if isinstance(c, Member))
    if set(own) != {key} or key in looked_up or Term(key) not in query.group:
        return query
    here = replace(Term(key), column=referring)

    def moved(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(dict.fromkeys(here if term == Term(key) else term for term in terms))

    order = tuple((here if term == Term(key) else term, falls) for term, falls in query.order)
    known = NullTest(referring, negated=True)
    where = (*query.where, known) if index.columns[referring].column.may_be_empty else query.where
    left = query.with_(
        select=moved(query.select),
        group=moved(query.group),
        order=order,
        where=tuple(dict.fromkeys(where)),
        tables=query.tables - {edge.right} | {edge.left},
    )
    return query if any(index.columns[c].table == edge.right for c in columns_of(left)) else left
