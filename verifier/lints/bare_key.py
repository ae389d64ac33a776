"""Numbers that stand for rows, instead of what they stand for."""

from __future__ import annotations

import re
from typing import Any, Final

from askwire.sql.catalog import Catalog, Column, Relation
from askwire.verifier.joining import implied_target
from askwire.verifier.lints.linted import Finding, LintSubject
from askwire.verifier.wording import Wording

_ASKS_FOR_KEYS: Final = re.compile(
    r"\b(?:ids?|identifiers?|identification|identity|numbers?|nos?|codes?|keys?|uids?|ssns?|isbns?)\b|#",
    re.IGNORECASE,
)
_ASKS_WHICH: Final = re.compile(r"\b(?:which|what|who|find|list|show|give|return|display)\b", re.IGNORECASE)
_CALLED: Final = frozenset({"name", "title", "label", "fullname", "firstname", "lastname", "fname", "lname"})
_OF_PEOPLE: Final = frozenset({"first", "last", "full", "middle"})
_MAX_OF_ROW: Final = 2
"""Columns whose names begin alike that may still be of the row itself, not of something that it has."""
_PIECES: Final = re.compile(r"[a-z]+")


def bare_key(linted: LintSubject) -> Finding | None:
    """`SELECT airline FROM flights GROUP BY airline` answers "which airlines …" with 1, 7 and 12.

    Only where every column that is shown is such a number, the relation behind it has a name to show, and
    the question names neither a number nor the column.
    """
    effects = linted.subject.effects
    question = linted.subject.question
    text = f"{Wording(question).plain} {question.evidence}"
    if effects is None or effects.star or not effects.outputs:
        return None
    if _ASKS_FOR_KEYS.search(text) or not _ASKS_WHICH.search(text):
        return None
    keys = [_key(o.node, linted) for o in effects.outputs]
    if not keys or None in keys:
        return Finding()
    owner, column, target = next(key for key in keys if key is not None)
    if _named(column, target, text):
        return Finding()
    return Finding(
        f"{owner.name}.{column.name} is a number that stands for a row of {target.name}; show what names it"
    )


def _key(node: Any, linted: LintSubject) -> tuple[Relation, Column, Relation] | None:
    """The relation and column of a number that stands for a row, and the relation of that row."""
    effects = linted.subject.effects
    found = effects.source(node) if effects is not None else None
    if found is None or found[1].category != "N":
        return None
    target = _target(*found, linted.catalog)
    if target is None or not any(_names(c, target) for c in target.columns):
        return None
    return (*found, target)


def _target(relation: Relation, column: Column, catalog: Catalog) -> Relation | None:
    if relation.primary_key == (column.name,):
        return relation
    for key in relation.foreign_keys:
        if key.columns == (column.name,):
            return catalog.by_oid.get(key.target)
    return implied_target(column, relation, catalog)


def _named(column: Column, target: Relation, text: str) -> bool:
    """Whether the question has a word of the column's name that is not the relation's."""
    spoken = {w.rstrip("s") for w in _PIECES.findall(text.lower())}
    own = {w.rstrip("s") for w in _PIECES.findall(target.name.lower())}
    return any(w.rstrip("s") in spoken - own for w in _PIECES.findall(column.name.lower()))


def _names(column: Column, target: Relation) -> bool:
    """Whether a column names the rows of its relation: by being called so, or as the relation is.

    The `ship_name` of an order beside its `ship_city` and `ship_country` names what it is shipped to.
    """
    if column.category != "S" or column.name in target.primary_key:
        return False
    pieces = _PIECES.findall(column.name.lower())
    words, own = (
        {w.rstrip("s") for w in pieces},
        {w.rstrip("s") for w in _PIECES.findall(target.name.lower())},
    )
    if words <= own:
        return True
    beside = [c for c in target.columns if _PIECES.findall(c.name.lower())[:1] == pieces[:1]]
    part = pieces[0].rstrip("s") not in own | _OF_PEOPLE and len(beside) > _MAX_OF_ROW
    return bool(words & _CALLED) and not (part and len(pieces) > 1)
