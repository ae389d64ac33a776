"""Comparisons with a number: 'more than 10', 'at least two', 'between 1990 and 2000'."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pglast import ast

from askwire.sql.tracing.tree import strings
from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence, other_units
from askwire.verifier.effects import Effects
from askwire.verifier.wording import MONTH, NUMBER_WORDS, Wording, among, in_other_units, number

_N: Final = (
    rf"\$?(\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|{'|'.join(NUMBER_WORDS)})\b"
    r"(?!-\w|,\d|\.\d|/|:|%|\s?(?:percent|%|hundred|thousand|million|billion|dozen|k\b|m\b|standard|times"
    r"|months?|days?|weeks?|hours?|minutes?"
    rf"|[ap]\.?m\b|o'clock|(?:of )?{MONTH}))"
)
_UP: Final = r"more|greater|larger|higher|bigger|longer|older|later|heavier|taller|faster|better"
_DOWN: Final = r"less|fewer|smaller|lower|shorter|younger|earlier|lighter|slower|cheaper"
_PATTERNS: Final = tuple(
    (operator, re.compile(pattern))
    for operator, pattern in (
        ("between", rf"\bbetween (?:the years? )?{_N}(?: \w+)? and {_N}"),
        ("<=", rf"\b(?:no|not)(?: \w+)? (?:{_UP}) than {_N}|\b(?:at most|up to|a maximum of) {_N}"),
        (">=", rf"\b(?:no|not)(?: \w+)? (?:{_DOWN}) than {_N}|\b(?:at least|a minimum of) {_N}"),
        (">=", rf"\b{_N} (?:\w+ )?or (?:more|higher|greater|above|older|later)\b(?! than| \$?\d)"),
        ("<=", rf"\b{_N} (?:\w+ )?or (?:less|fewer|lower|below|younger|earlier)\b(?! than| \$?\d)"),
        ("> or", rf"\b(?:{_UP})(?: \w+)? than or (?:equal|equals)(?: to)? {_N}"),
        ("< or", rf"\b(?:{_DOWN})(?: \w+)? than or (?:equal|equals)(?: to)? {_N}"),
        (">=", rf"\b(?:in|on|at) (?:or|and) (?:after|above|over) {_N}"),
        ("<=", rf"\b(?:in|on|at) (?:or|and) (?:before|below|under) {_N}"),
        (">", rf"\b(?:{_UP})(?: \w+){{0,2}} than {_N}|\b(?:above|exceed(?:s|ing)?|over|after) {_N}"),
        ("<", rf"\b(?:{_DOWN})(?: \w+){{0,2}} than {_N}|\b(?:below|under|before) {_N}"),
    )
)
_OPERATORS: Final = {"> or": ">=", "< or": "<="}
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_DENIED: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_NEGATION: Final = re.compile(
    rf"\b(?:not|never|n't|no|without)\b(?!(?: \w+)? (?:{_UP}|{_DOWN}) than\b)(?:(?!\bbut\b)[^,.]){{0,25}}\Z"
)
_MAX_DENIAL_DISTANCE: Final = 60
"""How far in front of a comparison what denies it may stand; the 'no' of a 'no less than' there does not."""
_YEAR: Final = re.compile(r"\A\d{4}")
_YEARS: Final = re.compile(r"\A(\d{1,3})\s*(?:years?|y)\b", re.IGNORECASE)
_MIN_LISTED_VALUES: Final = 2
"""Values that stand for a range when they are listed: one alone is that value and no other."""


def extract(wording: Wording) -> Iterable[Constraint]:
    """Each comparison once; 'at least one' demands nothing, and a denied comparison is left alone."""
    taken: list[tuple[int, int]] = []
    for name, pattern in _PATTERNS:
        for found in pattern.finditer(wording.plain):
            start, end = found.span()
            if any(a < end and start < b for a, b in taken):
                continue
            taken.append((start, end))
            values = tuple(number(g) for g in found.groups() if g)
            operator = _OPERATORS.get(name, name)
            if (operator == ">=" and values[0] <= 1) or _NEGATION.search(
                wording.plain, max(0, start - _MAX_DENIAL_DISTANCE), start
            ):
                continue
            if operator == ">" and values[0] == 0:
                continue
            span = wording.span(found)
            message = f'the question says "{span.text}", and the SQL does not compare that way'
            last = max(n for n, g in enumerate(found.groups(), 1) if g)
            # the unit behind the second number is that of the first: what it is worth, for both
            unit_of = 1.0 if operator == "between" else values[-1]
            others = in_other_units(wording.plain, *found.span(last), unit_of)
            yield Constraint("comparison", (span,), message, operator=operator, values=values, others=others)


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """The comparison itself, turned round, or with the neighbouring whole number: > 2 is >= 3.

    So are the values that fit, listed: `IN (4, 5)`; and `now() - interval '2 years'`, whichever way it goes.
    """
    bounds = list(_bounds(evidence.effects))
    if constraint.operator == "between":
        low, high = sorted(float(v) for v in constraint.values)
        return any(
            _bounded(bounds, ">=", low * scale) and _bounded(bounds, "<=", high * scale)
            for scale in (1.0, *constraint.others)
        )
    value, others = float(constraint.values[0]), other_units(constraint, evidence.effects)
    if _listed(evidence.effects, constraint.operator, value) or _ago(evidence.effects, value):
        return True
    if value == 1 and constraint.operator == ">" and _twice(evidence.effects):
        return True
    denied = any(s.startswith("except") for s in evidence.effects.sets) or {"not in", "not exists"} & set(
        evidence.effects.sublinks
    )
    if denied and _bounded(bounds, _DENIED[constraint.operator], value, others):
        return True
    return _bounded(bounds, constraint.operator, value, others)


def _twice(effects: Effects) -> bool:
    """Whether a table is read twice and its rows told apart: there is more than one."""
    return len(set(effects.relations)) < len(effects.relations)


def _listed(effects: Effects, operator: str, value: float) -> bool:
    """Whether the values listed for a column all lie on that side, from the number or its neighbour on."""
    listed: dict[tuple[str, ...], set[float]] = {}
    for c in effects.comparisons:
        if c.operator in {"=", "in"} and not c.negated and isinstance(c.left, ast.ColumnRef):
            parts = c.right if isinstance(c.right, tuple) else (c.right,)
            found = {bound for part in parts for bound, _ in _constants(effects, part)}
            listed.setdefault(strings(c.left.fields), set()).update(found)
    return any(
        len(values) >= _MIN_LISTED_VALUES
        and all(v == value or (v > value) == (operator[0] == ">") for v in values)
        and not values.isdisjoint({value - 1, value, value + 1})
        for values in listed.values()
    )


def _ago(effects: Effects, value: float) -> bool:
    """Whether the number is one of years that are taken from a date, or added to it."""
    return any(
        (found := _YEARS.match(text)) is not None and float(found[1]) == value for text in effects.texts
    )


def _bounded(
    bounds: list[tuple[str, float, bool]], operator: str, value: float, others: tuple[float, ...] = ()
) -> bool:
    """Whether something is compared that way with the number, or with the whole number beside it.

    Whether the number itself belongs to it is not asked: people say "over 20" and mean 20 as well.
    """
    step = 1 if operator[0] == ">" else -1
    near = {value, value + step, value - step}
    return any(
        found[0] == operator[0]
        and (abs(bound - value) <= 1 if dated else bound in near or among(bound, others))
        for found, bound, dated in bounds
    )


def _bounds(effects: Effects) -> Iterator[tuple[str, float, bool]]:
    """Every constant that something is compared with: operator, number, whether it is the year of a date."""
    for c in effects.comparisons:
        if c.operator == "between" and isinstance(c.right, tuple) and len(c.right) == 2:
            if c.negated:
                yield from (
                    (o, v, d) for o, n in zip("<>", c.right, strict=True) for v, d in _constants(effects, n)
                )
            else:
                yield from (
                    (o, v, d)
                    for o, n in zip((">=", "<="), c.right, strict=True)
                    for v, d in _constants(effects, n)
                )
        elif c.operator in _TURNED:
            operator = c.operator
            if c.negated:
                continue
            yield from ((operator, v, d) for v, d in _constants(effects, c.right))
            yield from ((_TURNED[operator], v, d) for v, d in _constants(effects, c.left))
        elif c.operator in {"=", "in"}:
            continue


def _constants(effects: Effects, node: Any) -> Iterator[tuple[float, bool]]:
    if not isinstance(node, ast.Node):
        return
    for part in effects.below(node):
        if isinstance(part, ast.A_Const):
            match part.val:
                case ast.Integer(ival=value):
                    yield float(value or 0), False
                case ast.Float(fval=str(text)):
                    yield float(text), False
                case ast.String(sval=str(text)):
                    year = _YEAR.match(text)
                    try:
                        yield float(text), False
                    except ValueError:
                        if year is not None:
                            yield float(year[0]), True


RULE: Final = ConstraintRule("comparison", extract, holds)
