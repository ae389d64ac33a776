"""Counting: 'how many', 'number of', 'count the'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from pglast import ast

from askwire.sql.catalog import Column
from askwire.sql.tracing.tree import strings
from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence, is_key
from askwire.verifier.effects import Effects, call_name
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\bhow many(?: (years|months|weeks|days|hours|minutes|times))?\b"
    r"|\b(?:the|a|total|and|overall|exact|largest|smallest|greatest|most|least|highest|lowest|fewest|maximum"
    r"|minimum|average|by|their|its|with|or|of) number of (?!days|years|months|hours|weeks)(\w+)"
    r"|\b(?:the|total|with|and) quantity of (?!days|years|months|hours|weeks)(\w+)"
    r"|^\s*(?:please )?count (?:the|all|how)\b"
)
_COUNTS: Final = ("count", "sum", "regr_count", "array_length", "cardinality", "max", "min", "avg")
_PARTS: Final = frozenset({"age", "date_part", "extract"})
_STORED: Final = re.compile(
    r"num|count|(?:^|_)no(?:_|$)|nbr|qty|quantity|amount|total|capacity|population|attendance|rank"
    r"|size|times"
)


def extract(wording: Wording) -> Iterable[Constraint]:
    """'How many singers are there', 'the number of pets', 'count the flights'."""
    found = wording.search(_ASKS)
    if found is not None:
        span = wording.span(found)
        yield Constraint(
            "counting",
            (span,),
            f'"{span.text}" asks for a count or the sum of a quantity, and the SQL has neither',
            words=tuple(filter(None, found.groups())),
        )


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """A live count or sum does it, and so does a stored number, or how often one fits into another.

    That is a numeric column that is no key, or one named like a count or like what is counted; and what lies
    between two values: 'how many days did it take' is `shipped - ordered`.
    """
    effects = evidence.effects
    return (
        effects.called(*_COUNTS)
        or any(c.window for c in effects.calls)
        or effects.called("div")
        or any(place == "shown" for _, place in effects.divisions)
        or any(_STORED.search(name) for name in effects.names)
        or any(_is_amount(o.node, effects) or _is_span(o.node, effects) for o in effects.outputs)
        or any(_is_amount(node, effects) for o in effects.orderings for node, _ in o.keys)
        or any(word[:4] in c.name for word in constraint.words for c in _measured(effects))
    )


def _is_amount(node: Any, effects: Effects) -> bool:
    """Whether an expression is a number that stands for no thing: a key counts nothing."""
    return effects.is_number(node) and not is_key(effects.source(node))


def _measured(effects: Effects) -> Iterable[Column]:
    """The columns that are shown or ordered by, keys apart."""
    nodes = [o.node for o in effects.outputs] + [n for o in effects.orderings for n, _ in o.keys]
    for node in nodes:
        if not is_key(effects.source(node)):
            yield from effects.columns_in(node)


def _is_span(node: Any, effects: Effects) -> bool:
    """Whether an expression is how much one value is beyond another, or a part of such a span."""
    found = effects.origin(node)
    if isinstance(found, ast.A_Expr):
        return strings(found.name) == ("-",) and found.lexpr is not None
    return isinstance(found, ast.FuncCall) and call_name(found) in _PARTS


RULE: Final = ConstraintRule("counting", extract, holds)
