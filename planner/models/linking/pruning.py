"""Dual-pathway pruning: a column goes when one pass drops it and the other does not keep it (section 3.2.2).

Both passes look at the same batch, in prompts that begin alike, at the same time. Owns: the passes and what
their answers come to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from askwire.core.egress import Disclosure
from askwire.core.errors import BudgetSpent, NoExpert
from askwire.llm.answers import read_object
from askwire.planner.models.expert_task import ExpertTask, drafts, side_by_side
from askwire.planner.models.linking.batches import Batch
from askwire.planner.models.linking.names import columns_in, tables_in
from askwire.sql.catalog import Relation

Columns = dict[int, frozenset[str]]
"""Columns by the OID of their relation."""
PASSES: Final[Mapping[str, tuple[str, ...]]] = {
    "both": ("prune_drop", "prune_keep"),
    "drop": ("prune_drop",),
    "keep": ("prune_keep",),
}
_NAMES: Final = {"type": "array", "items": {"type": "string"}}
COLUMNS: Final[Mapping[str, object]] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"table": {"type": "string"}, "columns": _NAMES},
        "required": ["table", "columns"],
        "additionalProperties": False,
    },
}
SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {"tables": _NAMES, "columns": COLUMNS},
    "required": ["tables", "columns"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class _NamedParts:
    """What one pass named: whole relations, and columns of others."""

    tables: frozenset[int]
    columns: Mapping[int, frozenset[str]]

    def of(self, relation: Relation) -> frozenset[str]:
        """The columns of a relation that it names."""
        if relation.oid in self.tables:
            return frozenset(relation.by_name)
        return self.columns.get(relation.oid, frozenset())


async def prune(asking: ExpertTask, batches: Sequence[Batch], steps: Sequence[str]) -> Columns:
    """What is left of all batches: columns by relation, none for those that are gone.

    A pass that fails is silent: the other one decides alone; where both do, or the only one, the batch is
    left out. Raises the failure where every pass of every batch failed.
    """
    passes = PASSES[asking.course.pruning]

    async def one(batch: Batch, name: str) -> _NamedParts | NoExpert | BudgetSpent:
        try:
            return await _named(asking, batch, name, drafts(steps))
        except (NoExpert, BudgetSpent) as error:
            return error

    named = await side_by_side(one(batch, name) for batch in batches for name in passes)
    left: Columns = {}
    failures: list[NoExpert | BudgetSpent] = []
    for number, batch in enumerate(batches):
        row = named[number * len(passes) : (number + 1) * len(passes)]
        answers = dict(zip(passes, row, strict=True))
        failures += [answer for answer in answers.values() if not isinstance(answer, _NamedParts)]
        left |= _left(batch, answers.get("prune_drop"), answers.get("prune_keep"))
    if failures and len(failures) == len(batches) * len(passes):
        raise failures[0]
    return left


async def _named(asking: ExpertTask, batch: Batch, name: str, steps: Sequence[Disclosure]) -> _NamedParts:
    inputs = {"schema": batch.parts, "question": asking.question, "steps": steps}
    completion = await asking.ask(name, inputs, SCHEMA)
    document: Mapping[str, Any] | None = read_object(completion.text)
    if document is None:
        return _NamedParts(frozenset(), {})
    catalog = asking.planning.catalog
    among = {relation.oid: relation for relation in batch.relations}
    tables = frozenset(relation.oid for relation in tables_in(catalog, document, "tables", among))
    return _NamedParts(tables, columns_in(catalog, document, "columns", among))


def _left(batch: Batch, dropped: object, kept: object) -> Columns:
    """(all − dropped) ∪ kept, or what the only pass that answered makes of it."""
    left: Columns = {}
    for relation in batch.relations:
        everything = frozenset(relation.by_name)
        columns: frozenset[str] = frozenset()
        if isinstance(dropped, _NamedParts):
            columns = everything - dropped.of(relation)
        if isinstance(kept, _NamedParts):
            columns |= kept.of(relation)
        if columns:
            left[relation.oid] = columns
    return left
