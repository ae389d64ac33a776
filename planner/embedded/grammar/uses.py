"""What a frame uses its mentions and values for, in the order in which that is decided.

Owns: the roles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from askwire.planner.embedded.grammar.atoms import (
    AbsenceCondition,
    Atom,
    Beyond,
    Comparison,
    Contains,
    CountCondition,
    Either,
    FlagCondition,
    Frame,
    HintCondition,
    IsNull,
    IsValue,
    Together,
)
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.logical_form.expressions import DAY_NUMBER, MONTH_NUMBER, TIME_OF_DAY

_TELLING_APART: Final = frozenset({"id", "code", "number", "name", "key"})
_HAVING: Final = frozenset({"with", "having"})


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a mention (or value): `role` says what for, `owner` whose it is said to be.

    Roles: entity, context, output, average, extreme, count, number, time, text, sort, group, lacking,
    value, together.
    """

    role: str
    mention: int | None
    owner: int | None = None
    value: int | None = None
    optional: bool = False


def _atom_uses(atom: Atom, encoded: EncodedQuestion) -> Iterator[Use]:
    if isinstance(atom, HintCondition):
        return
    if isinstance(atom, Comparison):
        role = {"N": "number", "D": "time", "Q": "text", "V": "text", "M": "number", "R": "number"}[
            atom.operand.kind
        ]
        if atom.aggregate in {"avg", "sum"}:
            role = "average"
        if atom.operand.kind == "N" and role == "number":
            number = encoded.numbers[atom.operand.number].lemma
            role = "year" if len(number) == 4 and number.isdigit() else role
        if atom.unit:
            role = "time" if atom.unit in {DAY_NUMBER, MONTH_NUMBER, TIME_OF_DAY} else "age"
        if atom.mention is not None:
            yield Use("other" if atom.operand.kind == "M" else role, atom.mention, atom.owner)
        if atom.operand.kind == "M":
            yield Use("other", atom.operand.number)
        if atom.operand.kind == "R":
            yield Use("role", atom.operand.number)
    elif isinstance(atom, IsValue):
        yield Use("value", atom.mention, atom.holder, value=atom.value)
    elif isinstance(atom, Contains):
        if atom.mention is not None:
            yield Use("text", atom.mention)
    elif isinstance(atom, CountCondition):
        if atom.mention is not None:
            yield Use("count", atom.mention)
        for part in atom.part:
            for use in _atom_uses(part, encoded):
                yield replace(use, owner=atom.mention)
    elif isinstance(atom, Beyond):
        if atom.mention is not None:
            yield Use(_compared(atom), atom.mention)
        if atom.within is not None:
            yield Use("group", atom.within)
        for part in atom.inner:
            yield from _atom_uses(part, encoded)
    elif isinstance(atom, AbsenceCondition):
        yield Use("lacking", atom.mention)
        for part in atom.inner:
            # 'owners without invoices with an amount of 100': that of an invoice
            theirs = isinstance(part, (Comparison, FlagCondition)) and not getattr(part, "owner", None)
            for use in _atom_uses(part, encoded):
                # 'shops without sales in May': in May there were no sales
                silent = use.mention is not None and encoded.mentions[use.mention].words == ("time",)
                owned = theirs or (silent and use.owner is None)
                yield replace(use, owner=atom.mention) if owned else use
    elif isinstance(atom, (Either, Together)):
        for part in atom.parts:
            yield from _atom_uses(part, encoded)
    elif isinstance(atom, FlagCondition):
        yield Use("flag", atom.mention)
    elif isinstance(atom, IsNull) and atom.moment:
        yield Use("moment", atom.mention)
    else:
        yield Use("text", atom.mention)


def _said_of(atom: Atom, frame: Frame, encoded: EncodedQuestion) -> int | None:
    """The capital in 'countries that have a capital with more than a million inhabitants'."""
    if not isinstance(atom, Comparison) or atom.mention is None or atom.owner is not None:
        return None
    start = encoded.mentions[atom.mention].start
    beside = (at for at in range(start - 1, 0, -1) if encoded.tokens[at].lower in _HAVING)
    at = next(beside, None)
    said = frame.context
    if set(encoded.mentions[atom.mention].words) <= _TELLING_APART:
        said = (*frame.context, *frame.entities)  # 'products from the supplier with id 2'
    return next((m for m in said if encoded.mentions[m].end == at), None)


def _compared(atom: Beyond) -> str:
    """The role of what is compared with an aggregate, or with what a row of a name has."""
    if atom.aggregate in {"", "count"}:
        return "count" if atom.aggregate else "group" if atom.operator == "=" else "rank"
    return "average" if atom.aggregate in {"avg", "sum"} else "rank"


def counted_of_others(frame: Frame, encoded: EncodedQuestion) -> int | None:
    """The visits of 'how many visits of male carers were there': what is said of carers only says which.

    None where something is said of the others that is no condition on a row of theirs: 'orders of customers
    without reviews'.
    """
    counted = [o for o in frame.outputs if o.aggregate == "count" and o.mention is not None]
    of_groups = any(isinstance(atom, (AbsenceCondition, CountCondition, Beyond)) for atom in frame.atoms)
    if len(counted) != 1 or len(frame.outputs) != 1 or of_groups or counted[0].mention in frame.entities:
        return None
    named = encoded.mentions[counted[0].mention or 0].options[:1]
    return counted[0].mention if any(option.table for option in named) else None


def uses(frame: Frame, encoded: EncodedQuestion) -> list[Use]:
    """The uses of a frame in the order in which they are decided: what it is about first."""
    counted = counted_of_others(frame, encoded)
    found: list[Use] = [] if counted is None else [Use("count", counted, frame.outputs[0].owner)]
    found += [Use("entity", m) for m in frame.entities]
    for output in frame.outputs if counted is None else ():
        role = "output"
        if output.star:
            role = "entity"
        elif output.aggregate in {"avg", "sum"}:
            role = "average"
        elif output.aggregate in {"max", "min", "ago", "ago first"}:
            role = "extreme"
        elif output.aggregate in {"count", "per"}:
            role = "count"
        if output.mention is not None:
            found.append(Use(role, output.mention, output.owner))
    groups = [Use("group", g.mention, g.owner) for g in frame.groups]
    # 'the month with the most orders' is a month of the orders
    silent = [u for u in groups if u.mention is not None and encoded.mentions[u.mention].start < 0]
    found += [u for u in groups if u not in silent]
    if frame.superlative and frame.superlative.mention is not None:
        item = frame.superlative
        role = (
            "group" if item.itself else "count" if item.counted else "average" if item.aggregate else "rank"
        )
        if item.owner is not None and item.owner in frame.context:
            found.append(Use("context", item.owner))
        found.append(Use(role, item.mention, item.owner))
    for atom in frame.atoms:
        whose = _said_of(atom, frame, encoded)
        owner = whose
        if isinstance(atom, Comparison) and atom.owner in frame.context:
            owner = atom.owner
        if owner is not None:
            found.append(Use("context", owner))
        mine = list(_atom_uses(atom, encoded))
        found += mine if whose is None else [replace(mine[0], owner=whose), *mine[1:]]
    for sort in frame.sorts:
        if sort.mention is not None:
            found.append(
                Use("count" if sort.counted else "average" if sort.aggregate else "sort", sort.mention)
            )
    found += [Use("context", m) for m in frame.context]
    found += silent
    if frame.shared is not None:
        found += [Use("together", m) for m in frame.shared[1:]]
    return found
