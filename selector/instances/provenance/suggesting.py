"""Which row sets to try, from the terms of two candidates.

Owns: own, other and common terms, their singles, pairs and doubling unions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, islice, product

from askwire.selector.instances.references import RowRef, RowSet


@dataclass
class Terms:
    """The terms found so far: of each candidate, of their difference, and what comes with neither."""

    first: list[RowSet] = field(default_factory=list)
    second: list[RowSet] = field(default_factory=list)
    difference: list[RowSet] = field(default_factory=list)
    witnesses: list[RowSet] = field(default_factory=list)
    answers: list[RowSet] = field(default_factory=list)
    groups: list[list[RowSet]] = field(default_factory=list)
    """The members of each group of rows that a candidate puts together."""

    def all(self) -> list[RowSet]:
        """Every term, those that tell most first."""
        return list(
            dict.fromkeys(
                chain(
                    self.difference,
                    *zip_longest_flat(self.first, self.second),
                    self.witnesses,
                    self.answers,
                    *zip_longest_flat(*self.groups),
                )
            )
        )


def zip_longest_flat(*lists: Sequence[RowSet]) -> Iterator[list[RowSet]]:
    """The first of each, the second of each, and so on."""
    for i in range(max(map(len, lists), default=0)):
        yield [entries[i] for entries in lists if i < len(entries)]


def union(terms: Iterable[RowSet]) -> RowSet:
    """The rows of several terms."""
    return tuple(sorted(set(chain.from_iterable(terms))))


def suggest(terms: Terms, limit: int, *, largest: int, wide: bool = False) -> list[RowSet]:
    """Row sets to try first: few rows that tell much, then unions that double; at most `limit`.

    `largest` bounds the rows of a set; `wide` tries more terms alone and fewer pairs.
    """
    second, first = set(terms.second), set(terms.first)
    own = [t for t in terms.first if t not in second]
    other = [t for t in terms.second if t not in first]
    common = [t for t in terms.first if t in second]
    shared = common or terms.first
    many = 2 if wide else 1
    small: list[Iterable[Sequence[RowSet]]] = [
        ([t] for t in terms.difference[:8]),
        ([t] for t in own[: 5 * many]),
        ([t] for t in other[: 5 * many]),
        ([t] for t in common[:5]),
        ([t] for t in terms.witnesses[: 6 * many]),
        ([t] for t in terms.answers[: 4 * many]),
        product(own[:3], other[:3]),
        combinations(common[:4], 2),
        combinations(own[:3], 2),
        combinations(other[:3], 2),
        product(own[:3] or other[:3], common[:2]),
        product(terms.difference[:2], shared[:2]),
        product(terms.witnesses[:3], shared[:2]),
        combinations(terms.answers[:3], 2),
    ]
    if terms.groups:
        small.insert(len(small) // 2, islice(profiles(terms.groups), 3 * limit // 8))
    everything = terms.all()
    unions: list[list[RowSet]] = []
    for size in (3, 6, 12, 24, 48):
        unions.extend(
            source[:size]
            for source in (own, other, common, everything)
            if len(source) > size // 2 or size == 3
        )
        unions.append([*own[: size // 2], *other[: size // 2]])
    reserved = [union(u) for u in unions if u]
    kept = [s for s in dict.fromkeys(reserved) if s and len(s) <= largest]
    singles = (union(s) for s in chain.from_iterable(small))
    chosen = list(islice(dict.fromkeys(s for s in singles if s), max(0, limit - len(kept))))
    return list(dict.fromkeys([*chosen, *kept]))[:limit]


def profiles(groups: Sequence[Sequence[RowSet]]) -> Iterator[Sequence[RowSet]]:
    """A few members of one, two or three groups, in the numbers that tell ways of grouping and ranking apart.

    Two of one group and one of another rank by count; two of one group agree where rows are put together;
    2 + 2 of a group that splits in two against 3 of another rank differently by the whole and by its parts.
    """
    many = [g for g in groups if len(g) > 1]
    several = [_halves(g) for g in many]
    for i in range(4):
        for group in many[i : i + 1]:
            yield _unlike(group)
        for one, other in islice(_apart(groups), i, i + 1):
            yield [one[0], other[0]]
        for one, other in islice(_apart(many), i, i + 1):
            yield [*one[:2], other[0]]
            yield [*other[:2], one[0]]
    for parts in filter(None, several):
        for other in islice((g for g in groups if len(g) > 2 and not set(g) & set(parts)), 2):
            yield [*parts, *other[:3]]
    for group in many[:4]:
        yield group[:3]
        yield group[:8]
    for threshold in sorted({len(g) for g in groups if len(g) > 8}, reverse=True):
        yield next(g for g in groups if len(g) == threshold)


def _apart(groups: Sequence[Sequence[RowSet]]) -> Iterator[tuple[Sequence[RowSet], Sequence[RowSet]]]:
    """Pairs of groups that have no member in common."""
    for one, other in combinations(groups, 2):
        if not set(one) & set(other):
            yield one, other


def _unlike(group: Sequence[RowSet]) -> list[RowSet]:
    """A group's first member, and the one that has least in common with it."""
    return [group[0], min(group[1:], key=lambda other: len(set(other) & set(group[0])))]


def _halves(group: Sequence[RowSet]) -> list[RowSet]:
    """Two members and two others of a group that splits by a row that members share; empty if none does."""
    by_row: dict[RowRef, list[RowSet]] = {}
    for member in group:
        for row in member:
            by_row.setdefault(row, []).append(member)
    parts = [m[:2] for m in by_row.values() if 1 < len(m) < len(group)]
    return next(([*a, *b] for a, b in combinations(parts, 2) if not set(a) & set(b)), [])


def triples(terms: Terms, limit: int) -> list[RowSet]:
    """Unions of two and three terms, those first in which two share a row: a group and one beside it."""
    known = terms.all()[:24]
    pairs = [(a, b) for a, b in combinations(known, 2) if not set(a).isdisjoint(b)]
    found: dict[RowSet, None] = {}
    for i in range(max(len(pairs), len(known))):
        found.update(
            {union((*pair, t)): None for pair in pairs[i : i + 1] for t in known[:8] if t not in pair}
        )
        found.update({union(pair): None for pair in pairs[i : i + 1]})
        found.update({union(three): None for three in combinations(known[i : i + 4], 3)})
        if len(found) >= limit:
            break
    return list(islice(found, limit))
