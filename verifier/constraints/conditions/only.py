"""Nothing else: 'only one country', 'who bought only books'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pglast import ast

from askwire.language.text import TIMES_WORDS
from askwire.sql.catalog import Relation
from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.effects import Effects, number_of
from askwire.verifier.wording import Wording

_ONE: Final = re.compile(
    r"\b(?:with|have|has|had|having|by|in|of|to|from|at) (?:only|exactly|just) (?:one|1|a single)\b"
    r"(?! of\b|[-,.:%/]\d|-)"
)
_WHO: Final = r"\b(?:who|that|which)(?: have| has| had)? "
_NOTHING_ELSE: Final = re.compile(
    rf"{_WHO}only (?:ever )?[a-z]+"
    rf"|{_WHO}[a-z]+ (?:only|exclusively) (?!(?:one|1|once|a|in|if|when|for|after|before)\b)[a-z]+"
    r"|\b(?:with|have|has|had|having|made|placed|sold|bought|issued|opened|signed|held) only "
    r"(?!(?:one|1|once|a|in|if|when|for|after|before|the|two|three|those|at)\b)[a-z]+"
    r"|\bwhose [a-z]+(?: [a-z]+)? (?:is|are|was|were) (?:all|only) [a-z]+"
    r"|\b(?:nothing|none) (?:but|except|other than) [a-z]+"
    r"|\b(?:does|do|did) ?(?:not|n't) [a-z]+ anything (?:but|except|other than)\b"
)
_BOUNDS: Final = re.compile(
    r"\bnot only\b|\bn't only\b"
    r"|\bonly (?:if|when|since|after|before|until|for|in|on|at|by|from|the|less|more|fewer|\d+"
    rf"|{'|'.join(TIMES_WORDS)})\b"
)
_DENYING: Final = frozenset({"not in", "not exists", "all"})


def extract(wording: Wording) -> Iterable[Constraint]:
    """'with only one station': a number; 'who speak only French': and no other language. Not 'not only'."""
    found = wording.search(_ONE)
    if found is not None:
        span = wording.span(found)
        message = f'the question says "{span.text}": the SQL must see that there is no second one'
        yield Constraint("only", (span,), message, k=1)
        return
    found = wording.search(_NOTHING_ELSE)
    if found is not None and wording.search(_BOUNDS) is None:
        span = wording.span(found)
        message = f'the question says "{span.text}": the SQL must also see that there is nothing else'
        yield Constraint("only", (span,), message)


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """Something is counted or denied, or each thing has one value anyway."""
    effects = evidence.effects
    denies = (
        bool(_DENYING & set(effects.sublinks))
        or any(s.startswith("except") for s in effects.sets)
        or effects.outer_joins > 0
        or any(c.window for c in effects.calls)
        or effects.called("bool_and", "every", "bool_or")
    )
    if denies or any(c.place == "having" for c in effects.calls):
        return True
    if constraint.k is not None:
        return any(
            number_of(node) in {1.0, 2.0}
            for c in effects.comparisons
            for node in (c.left, c.right)
            if isinstance(node, ast.Node)
        ) or any(c.name == "count" for c in effects.calls)
    compared = [
        found[0]
        for c in effects.comparisons
        if c.operator in {"=", "in", "like"}
        and c.place == "filter"
        and isinstance(c.left, ast.ColumnRef)
        and (found := effects.source(c.left)) is not None
        and isinstance(c.right, ast.A_Const | tuple)
    ]
    return not any(_several(relation, effects) for relation in compared)


def _several(relation: Relation, effects: Effects) -> bool:
    """Whether several rows of a relation that is not shown itself may belong to one row of what is."""
    shown = {found[0].oid for o in effects.outputs if (found := effects.source(o.node)) is not None}
    keys = (relation.primary_key, *relation.unique_keys)
    return relation.oid not in shown and any(
        key.target in shown and not any(own and set(own) <= set(key.columns) for own in keys)
        for key in relation.foreign_keys
    )


RULE: Final = ConstraintRule("only", extract, holds)
