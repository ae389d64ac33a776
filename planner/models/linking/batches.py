"""A large schema in batches for pruning (APEX-SQL, section 4.2.5).

Tables with the same columns stand once in a batch, with the names of all of them. Owns: groups and batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from askwire.core.egress import Disclosure, Kind
from askwire.planner.models.ranking import Links
from askwire.planner.models.schema_text import lines_of, names_of, tokens_of
from askwire.sql.catalog import Catalog, Relation

MAX_BATCH_TOKENS: Final = 12_000
"""Tokens of a batch at most; the paper has 8 to 12 thousand."""


@dataclass(frozen=True)
class Group:
    """Relations with the same columns: one is shown, the others are named."""

    relations: tuple[Relation, ...]
    parts: tuple[Disclosure, ...]
    size: int


@dataclass(frozen=True)
class Batch:
    """Groups that are judged together."""

    groups: tuple[Group, ...]

    @property
    def parts(self) -> tuple[Disclosure, ...]:
        """The batch for a prompt."""
        return tuple(part for group in self.groups for part in group.parts)

    @property
    def relations(self) -> tuple[Relation, ...]:
        """All relations of it."""
        return tuple(relation for group in self.groups for relation in group.relations)

    @property
    def size(self) -> int:
        """Tokens, about."""
        return sum(group.size for group in self.groups)


def groups_of(catalog: Catalog, links: Links) -> Iterator[Group]:
    """The relations of `links` in groups, in their order: a group stands where its best relation does."""
    alike: dict[tuple[tuple[str, str], ...], list[Relation]] = {}
    for relation in links.relations:
        alike.setdefault(tuple((c.name, c.type_name) for c in relation.columns), []).append(relation)
    for relations in alike.values():
        yield _group(catalog, relations, links)


def _group(catalog: Catalog, relations: Sequence[Relation], links: Links) -> Group:
    parts = lines_of(catalog, relations[0], links)
    others = tuple(relation.name for relation in relations[1:])
    for line in names_of(catalog, relations[1:]):
        parts.append(Disclosure(Kind.NAME, f"with the same columns: {line}", names=others))
    return Group(tuple(relations), tuple(parts), tokens_of(parts))


def batches_of(groups: Iterable[Group], largest: int, most: int) -> list[Batch]:
    """At most `most` batches of at most `largest` tokens, about equal; groups beyond these are left out.

    A group that is larger than a batch is left out too.
    """
    chosen: list[Group] = []
    room = largest * most
    for group in groups:
        if group.size > largest:
            continue
        if group.size > room:
            break
        chosen.append(group)
        room -= group.size
    total = sum(group.size for group in chosen)
    wanted = total / max(1, ceil(total / largest))
    batches: list[list[Group]] = [[]]
    size = 0
    for group in chosen:
        if batches[-1] and (size + group.size > largest or (size >= wanted and len(batches) < most)):
            if len(batches) == most:
                break
            batches.append([])
            size = 0
        batches[-1].append(group)
        size += group.size
    return [Batch(tuple(batch)) for batch in batches if batch]
