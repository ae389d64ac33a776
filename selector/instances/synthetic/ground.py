"""What made-up rows are made of: what candidates compare, count, join and use.

Owns: reading that off them once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from askwire.selector.instances.pool import RowPool
from askwire.sql.tracing.boundaries import Boundary, boundaries, counts
from askwire.sql.tracing.identity import Source
from askwire.sql.tracing.neighbours import Link, links
from askwire.sql.tracing.traced import MAX_LISTED_THRESHOLD, TracedQuery

Columns = tuple[int, str]
"""A relation's OID and one of its columns."""


@dataclass(frozen=True)
class Ground:
    """The pool of real rows, and what the candidates say of the columns.

    `boundaries` begins with those that not all of them have: there they part. `counts` are small numbers of
    rows that matter, `thresholds` large ones.
    """

    pool: RowPool
    sources: Mapping[int, Source]
    boundaries: tuple[Boundary, ...]
    counts: tuple[int, ...]
    thresholds: tuple[int, ...]
    links: tuple[Link, ...]
    used: Mapping[int, tuple[str, ...]]


def ground(candidates: Sequence[TracedQuery], pool: RowPool) -> Ground:
    """Read the candidates."""
    sources = {of.number: of for of in pool.sources}
    own = [boundaries(c.scopes) for c in candidates]
    compared = sorted(dict.fromkeys(chain(*own)), key=lambda b: all(b in side for side in own))
    small = set(chain.from_iterable(counts(c.scopes) for c in candidates))
    grouped = [c.scopes for c in candidates if any(s.query.havingClause for s in c.scopes.levels.values())]
    large = set(chain.from_iterable(counts(s, MAX_LISTED_THRESHOLD) for s in grouped)) - small
    used = {
        oid: tuple(sorted(set().union(*(c.scopes.used.get(oid, set()) for c in candidates))))
        for oid in sources
    }
    return Ground(
        pool=pool,
        sources=sources,
        boundaries=tuple(compared),
        counts=tuple(sorted(small)),
        thresholds=tuple(sorted(large)),
        links=tuple(links([c.scopes for c in candidates], sources)),
        used=used,
    )
