"""Whether tables are joined to each other by keys, and what joins them where they are not.

Owns: shortest ways through the graph of a catalog's foreign keys.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Final

from askwire.sql.catalog import Catalog

MAX_JOINS: Final = 4
"""Joins of a way that are still worth adding."""


def parts_of(catalog: Catalog, oids: Iterable[int]) -> list[set[int]]:
    """Some relations in sets that keys join, the largest first."""
    chosen = set(oids)
    near = catalog.neighbors
    parts: list[set[int]] = []
    left = set(chosen)
    while left:
        part = {left.pop()}
        queue = deque(part)
        while queue:
            for other in near.get(queue.popleft(), frozenset()) & left:
                left.discard(other)
                part.add(other)
                queue.append(other)
        parts.append(part)
    return sorted(parts, key=lambda part: (-len(part), min(part)))


def joined(catalog: Catalog, oids: Iterable[int]) -> set[int]:
    """These relations, and those on shortest ways between them; what no short way reaches stays apart."""
    near = catalog.neighbors
    parts = parts_of(catalog, oids)
    if not parts:
        return set()
    together, waiting = parts[0], parts[1:]
    while waiting:
        ways = [(way, part) for part in waiting if (way := _way(near, together, part)) is not None]
        if not ways:
            break
        way, part = min(ways, key=lambda found: (len(found[0]), found[0]))
        together |= part | set(way)
        waiting = [other for other in waiting if other is not part]
    return together.union(*waiting)


def _way(near: Mapping[int, frozenset[int]], start: set[int], goal: set[int]) -> list[int] | None:
    """The relations between two sets on a shortest way, None where it is too long or there is none."""
    before: dict[int, int] = {}
    queue = deque((oid, 0) for oid in sorted(start))
    seen = set(start)
    while queue:
        oid, steps = queue.popleft()
        if steps == MAX_JOINS:
            continue
        for other in sorted(near.get(oid, ())):
            if other in goal:
                way = [oid]
                while way[-1] not in start:
                    way.append(before[way[-1]])
                return way[:-1]
            if other not in seen:
                seen.add(other)
                before[other] = oid
                queue.append((other, steps + 1))
    return None
