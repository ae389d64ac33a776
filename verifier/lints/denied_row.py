"""Denying one row where the thing itself is denied."""

from __future__ import annotations

import re
from typing import Final

from pglast import ast

from askwire.sql.catalog import Relation
from askwire.verifier.effects import Effects
from askwire.verifier.lints.linted import Finding, LintSubject
from askwire.verifier.wording import Wording

_DENIES: Final = re.compile(
    r"\b(?:do|does|did|have|has|had) not\b|\b(?:do|does|did|have|has|had|ca)n't\b|\bnever\b|\bcannot\b",
    re.IGNORECASE,
)
_DOUBTFUL: Final = re.compile(
    r"\bonly\b|\bleast\b|\bother than\b|\bnot (?:more|less|fewer|later|earlier)\b", re.IGNORECASE
)

_MAX_DISTINCT_SHARE: Final = 0.9


def denied_row(linted: LintSubject) -> Finding | None:
    """`… JOIN speaks ON … WHERE language <> 'English'` keeps every country with one more language.

    "Countries that do not speak English" have no row with English: NOT EXISTS, NOT IN or EXCEPT says that.
    Decided by keys: the relation of the condition has several rows for one of what is shown.
    """
    effects = linted.subject.effects
    text = Wording(linted.subject.question).plain
    if effects is None or not _DENIES.search(text) or _DOUBTFUL.search(text):
        return None
    if effects.groups or any(s.startswith("except") for s in effects.sets):
        return None
    if {"not in", "not exists", "all"} & set(effects.sublinks) or effects.outer_joins:
        return None
    looked = False
    for comparison in effects.comparisons:
        if comparison.operator != "<>" or comparison.place != "filter":
            continue
        found = effects.source(comparison.left) if isinstance(comparison.left, ast.ColumnRef) else None
        if found is None or not isinstance(comparison.right, ast.A_Const):
            continue
        looked = True
        if _several(found[0], effects):
            return Finding(
                f"{found[0].name} has several rows for one of what is shown, and <> denies one of them; "
                "use NOT EXISTS"
            )
    return Finding() if looked else None


def _several(relation: Relation, effects: Effects) -> bool:
    shown = [effects.source(o.node) for o in effects.outputs]
    for key in relation.foreign_keys:
        if len(key.columns) != 1 or not _repeats(relation, key.columns[0]):
            continue
        for found in shown:
            if found is None:
                continue
            owner, column = found
            if owner.oid == key.target and owner.oid != relation.oid:
                return True
            if owner.oid == relation.oid and (column.name,) == key.columns:
                return True
    return False


def _repeats(relation: Relation, name: str) -> bool:
    """Whether a column is known to hold the same value in several rows."""
    if any(key == (name,) for key in (relation.primary_key, *relation.unique_keys)):
        return False
    distinct = relation.by_name[name].distinct if name in relation.by_name else 0
    if distinct < 0:
        return distinct > -_MAX_DISTINCT_SHARE
    return 0 < distinct < relation.estimated_rows * _MAX_DISTINCT_SHARE
