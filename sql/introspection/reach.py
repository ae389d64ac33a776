"""What reading a relation, or naming a function, can reach.

Owns: the closure over views, policies and children, and which names need a type of the user's own. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from askwire.sql.safety.functions import review

REPEATABLE: Final = frozenset(f"pg_catalog.{name}" for name in review().allowed)
"""Functions that give every session of a role the same answer, but for the time."""


@dataclass(slots=True)
class Reach:
    """Direct edges by relation OID: whom a view, a materialized view or a policy reads, and what they run.

    By the OID of a type: what the checks of a domain run and convert to, and which domains with checks a
    value of any type holds. Functions are 'schema.name'; of pg_catalog only those that are not immutable.
    """

    view_reads: dict[int, frozenset[int]] = field(default_factory=dict)
    stored_reads: dict[int, frozenset[int]] = field(default_factory=dict)
    policy_reads: dict[int, frozenset[int]] = field(default_factory=dict)
    view_runs: dict[int, frozenset[str]] = field(default_factory=dict)
    policy_runs: dict[int, frozenset[str]] = field(default_factory=dict)
    children: dict[int, frozenset[int]] = field(default_factory=dict)
    table_runs: dict[int, frozenset[str]] = field(default_factory=dict)
    view_types: dict[int, frozenset[int]] = field(default_factory=dict)
    policy_types: dict[int, frozenset[int]] = field(default_factory=dict)
    check_runs: dict[int, frozenset[str]] = field(default_factory=dict)
    check_types: dict[int, frozenset[int]] = field(default_factory=dict)
    checked: dict[int, frozenset[int]] = field(default_factory=dict)
    foreign: frozenset[int] = frozenset()
    secured: frozenset[int] = frozenset()

    def converting(self, *types: int) -> tuple[str, ...]:
        """The functions that converting a value to one of these types runs: checks of domains within."""
        runs: set[str] = set()
        seen: set[int] = set()
        waiting = list(types)
        while waiting:
            domains = self.checked.get(waiting.pop(), frozenset()) - seen
            seen |= domains
            for domain in domains:
                runs |= self.check_runs.get(domain, frozenset())
                waiting += self.check_types.get(domain, frozenset())
        return tuple(sorted(runs))

    def reading(self, oid: int, *, row_security: bool) -> tuple[tuple[str, ...], bool]:
        """The functions that reading a relation runs, and whether it reaches a foreign table.

        `row_security` says whether its own policies apply to the asker. Behind a view another role's policies
        may apply: there all of them count. A materialized view is only read, not run.
        """
        runs: set[str] = set()
        seen = {oid}
        waiting = [oid]
        while waiting:
            node = waiting.pop()
            runs |= self.view_runs.get(node, frozenset()) | self.table_runs.get(node, frozenset())
            runs.update(self.converting(*self.view_types.get(node, ())))
            found = self.view_reads.get(node, frozenset()) | self.children.get(node, frozenset())
            if row_security if node == oid else node in self.secured:
                runs |= self.policy_runs.get(node, frozenset())
                runs.update(self.converting(*self.policy_types.get(node, ())))
                found |= self.policy_reads.get(node, frozenset())
            waiting += found - seen
            seen |= found
        return tuple(sorted(runs)), not seen.isdisjoint(self.foreign)

    def shows_secured(self, oid: int) -> bool:
        """Whether what a view or materialized view shows may depend on who asks, beyond the role's name.

        It does over a table that has row-level security, and where a query runs what can look at the session:
        any function that is neither immutable nor one of the gate's.
        """
        seen = {oid}
        waiting = [oid]
        while waiting:
            node = waiting.pop()
            found = self.view_reads.get(node, frozenset()) | self.stored_reads.get(node, frozenset())
            waiting += found - seen
            seen |= found
        runs = frozenset[str]().union(*(self.view_runs.get(node, ()) for node in seen))
        return bool(runs - REPEATABLE) or not (seen - {oid}).isdisjoint(self.secured)


def typed(overloads: Iterable[tuple[str, Sequence[int]]]) -> dict[str, frozenset[int]]:
    """The names all of whose overloads need a type of the user's own, with those types.

    [('area', [7, 8]), ('area', [9]), ('lower', []), ('lower', [7])] → {'area': {7, 8, 9}}
    """
    found: dict[str, frozenset[int]] = {}
    open_names: set[str] = set()
    for name, types in overloads:
        if not types:
            open_names.add(name)
        found[name] = found.get(name, frozenset()) | frozenset(types)
    return {name: types - {0} for name, types in found.items() if name not in open_names}
