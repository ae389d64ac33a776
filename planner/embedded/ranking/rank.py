"""Features of a candidate, and the score that orders candidates.

Owns: the feature vector and the linear score over it. Weights come from `weights.json` (fitted by
`bench/train_embedded`), zero for a feature it does not hold.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from askwire.planner.embedded.grammar.atoms import Frame
from askwire.planner.embedded.interpretation.resolve import Assignment
from askwire.planner.embedded.logical_form.ir import AnyOf, Compare, Member, Query
from askwire.planner.embedded.ranking.unconsumed_symbols import kind_of

_CONTEXT: Final = frozenset({"group_said_first", "group_said_last", "lacking", "negated"})
_HABITS: Final = frozenset(
    {"group_first", "group_last", "numbers_first", "group_names", "except", "except_row"}
)
"""Choices that English does not decide, and training questions by their author's habit: the order of columns,
and whether namesakes stay apart."""
_OPENINGS: Final = (
    ("how_many", re.compile(r"\bhow many\b|\bnumber of\b|\bcount\b", re.I)),
    ("different", re.compile(r"\b(?:different|distinct|unique)\b", re.I)),
    ("all", re.compile(r"\ball\b", re.I)),
    ("which", re.compile(r"\bwhich\b", re.I)),
    ("each", re.compile(r"\beach\b|\bevery\b|\bper\b", re.I)),
    ("who", re.compile(r"\bwho\b|\bwhose\b", re.I)),
    ("list", re.compile(r"^(?:list|show|give|find|return)\b", re.I)),
    ("total", re.compile(r"\btotal\b|\boverall\b", re.I)),
    ("ids", re.compile(r"\bids?\b|\bcodes?\b", re.I)),
)


def features(
    question: str,
    frame: Frame,
    chosen: Assignment,
    query: Query,
    flags: frozenset[str],
    *,
    encoding: int,
    join_cost: float,
    tables: int,
    named_tables: int,
    guessed: int,
    unused: int,
    unused_values: int,
    uncovered: int,
    variant: int,
    edge_cue: float = 0.0,
    keys_shown: int = 0,
    named: int = 0,
) -> dict[str, float]:
    """The features of one candidate by name."""
    found = {
        "assignment": chosen.score,
        "encoding": float(encoding),
        "join_cost": join_cost,
        "unnamed_tables": float(max(0, tables - named_tables)),
        "missing_tables": float(max(0, named_tables - tables)),
        "guessed": float(guessed),
        "unused": float(unused),
        "unused_values": float(unused_values),
        "uncovered": float(min(uncovered, 6)),
        "variant": float(variant),
        "edge_cue": edge_cue,
        "keys_shown": float(keys_shown),
        "nothing_named": float(named == 0),
        "columns": float(len(query.select)),
        "no_condition": float(not query.where and not query.having),
    }
    for symbol in frame.lost:
        found[f"lost:{kind_of(symbol)}"] = 1.0
    found["lost_symbols"] = float(min(len(frame.lost), 4))
    shape = _shape(query, tables)
    plain = "distinct" not in flags and "distinct" not in frame.flags
    found.update(dict.fromkeys(_names(tuple(shape), flags, _openings(question), plain), 1.0))
    return found


@lru_cache(maxsize=1024)
def _names(
    shape: tuple[str, ...], flags: frozenset[str], words: tuple[str, ...], plain: bool
) -> tuple[str, ...]:
    """The features that are there or not: of a shape, of choices, and of both with the question's words."""
    found = [f"s:{name}" for name in shape]
    for flag in flags:
        found.append(f"f:{flag}")
        if flag in _HABITS:
            continue
        found += [f"f:{flag}&f:{other}" for other in flags & _CONTEXT]
        found += [f"f:{flag}&{word}" for word in words]
        found += [f"f:{flag}&s:{name}" for name in shape]
    if plain:
        found += [f"plain&{word}" for word in words]
    return tuple(found)


@lru_cache(maxsize=64)
def _openings(question: str) -> tuple[str, ...]:
    return tuple(name for name, pattern in _OPENINGS if pattern.search(question))


def _shape(query: Query, tables: int) -> list[str]:
    shape = []
    if tables > 1:
        shape.append("joined")
    if query.group:
        shape.append("grouped")
    if query.having:
        shape.append("having")
    if query.order:
        shape.append("ordered")
    if query.limit is not None:
        shape.append("limited")
    if query.combine:
        shape.append("combined")
    if any(isinstance(c, AnyOf) for c in query.where):
        shape.append("either")
    if any(isinstance(c, Member) and c.negated for c in query.where):
        shape.append("lacking")
    if any(isinstance(c, Compare) and isinstance(c.right, Query) for c in query.where):
        shape.append("nested")
    if query.partition:
        shape.append("of_each")
    if query.over:
        shape.append("averaged")
    if any(t.aggregate for t in query.select):
        shape.append("aggregate")
    if query.where:
        shape.append("filtered")
    return shape


@cache
def _weights() -> Mapping[str, float]:
    text = files("askwire.planner.embedded.ranking").joinpath("weights.json").read_text("utf-8")
    weights: dict[str, float] = json.loads(text)["rank"]
    return weights


def score(found: Mapping[str, float], weights: Mapping[str, float] | None = None) -> float:
    """The weighted sum of features; higher is better."""
    table = _weights() if weights is None else weights
    # exact, so that the order in which features come cannot turn a tie
    return math.fsum(value * table.get(name, 0.0) for name, value in found.items())
