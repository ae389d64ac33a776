"""Row sets that keep to what their tables declare, of those made up.

Owns: what of that is held against which rows, and what is done where it cannot be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.selector.instances.pool import RowPool
from askwire.selector.instances.references import RowRef, RowSet
from askwire.selector.instances.search_batch import SearchBatch
from askwire.sql.literals import array_text
from askwire.sql.tracing.declared import DECLARED, Rules, breaking, planned, read_rules


class Declarations:
    """What the relations of a pool declare beyond keys; see `read`."""

    def __init__(self, pool: RowPool, probing: SearchBatch, rules: Mapping[int, Rules]) -> None:
        self._pool = pool
        self._probing = probing
        self._rules = rules
        self._unknown: set[int] = set()
        self._told: dict[RowRef, bool] = {}

    @classmethod
    async def read(cls, pool: RowPool, probing: SearchBatch) -> Declarations:
        """Ask the catalogs, and the gate about what the conditions call."""
        numbers = [of.number for of in pool.sources if of.relation.kind in "rpf"]
        found = await probing.read(DECLARED, [array_text(map(str, numbers))])
        declared = cls(pool, probing, read_rules(found))
        for of in pool.sources:
            rules = declared._rules.get(of.number)
            if rules is not None and rules.conditions:
                try:
                    await probing.plan(planned(of, rules))
                except (RefusedByGate, DatabaseFailed):
                    declared._unknown.add(of.number)
        return declared

    async def kept(self, sets: Sequence[RowSet], changed: Mapping[RowRef, Sequence[str]]) -> list[RowSet]:
        """The row sets without those that break something, or may; `changed` are a row's made-up columns."""
        if not self._rules:
            return list(sets)
        await self._tell({r for s in sets for r in s if r in changed and r not in self._told}, changed)
        return [s for s in sets if not any(self._told.get(r) for r in s) and not self._collides(s, changed)]

    def _collides(self, chosen: RowSet, changed: Mapping[RowRef, Sequence[str]]) -> bool:
        alone = [oid for oid, rules in self._rules.items() if rules.alone]
        rows = [[r for r in chosen if r[0] == oid] for oid in alone]
        return any(len(few) > 1 and any(r in changed for r in few) for few in rows)

    async def _tell(self, new: set[RowRef], changed: Mapping[RowRef, Sequence[str]]) -> None:
        asked: list[RowRef] = []
        for row in sorted(new):
            rules = self._rules.get(row[0])
            self._told[row] = False
            if rules is not None and rules.touches(changed[row]):
                self._told[row] = row[0] in self._unknown
                asked.append(row)
        sources = [of for of in self._pool.sources if of.number not in self._unknown]
        positions = [[p for oid, p in asked if oid == of.number] for of in sources]
        wanted = [(of, self._rules[of.number], ps) for of, ps in zip(sources, positions, strict=True) if ps]
        if not wanted:
            return
        try:
            found = await self._probing.read(*breaking(wanted, self._pool.rows))
            broken = [(int(oid or 0), int(position or 0)) for oid, position in found.rows]
        except DatabaseFailed:
            broken = asked  # a row on which a condition fails could not be inserted
        self._told.update(dict.fromkeys(broken, True))
