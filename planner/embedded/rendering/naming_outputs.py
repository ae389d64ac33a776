"""Names for what a query works out, as a person would write them: `number_of_orders`, `average_freight`.

Owns: the names of aggregates. Columns keep their own names, and what has one already keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from askwire.language.text import singular
from askwire.planner.embedded.logical_form.ir import Compare, Condition, Literal, Query, Term, is_of_keys
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_CALLED: Final = {"avg": "average", "sum": "total", "max": "max", "min": "min", "median": "median"}
_OF_TIMES: Final = {"max": "latest", "min": "earliest"}
_MAX_NAME_LENGTH: Final = 40
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_NO_NAME: Final = re.compile(r"\W+")


def output_names(index: SchemaIndex, query: Query) -> tuple[str, ...]:
    """A name for each output, '' where it needs none; none at all for a query of all columns.

    Query(select=(customers.name, count(*) of orders)) → ('', 'number_of_orders'). A lone aggregate keeps
    PostgreSQL's name, but for one that has none there.
    """
    if query.star is not None or query.over:
        return ()
    names = tuple(_name(index, query, term) for term in query.select)
    of_parts = [replace(term, part=()) for term in query.select if term.part and not term.against]
    if len(of_parts) > len(set(of_parts)):  # one figure of several kinds: the kind is part of its name
        names = tuple(
            _of_part(_figure(index, query, replace(term, part=())), term.part)
            if term.part and not term.against
            else ("growth_percent" if term.percent else "change")
            if term.against
            else name
            for name, term in zip(names, query.select, strict=True)
        )
    if len(names) == 1 and query.select[0].per is None and query.select[0].rows_of is None:
        return ()
    return names


def _name(index: SchemaIndex, query: Query, term: Term) -> str:
    if term.rows_of is not None and not term.aggregate:
        return _kept(f"number_of_{_plural(index, term.rows_of)}")
    if term.rows_of is not None or is_of_keys(term):
        return "ratio"
    if not term.aggregate or term.window or term.part:
        return ""
    if term.factor is not None and term.operator == "-" and index.columns[term.factor].kind == "time":
        unit = f"_{term.unit}s" if term.unit else ""
        return _kept(f"{_CALLED[term.aggregate]}_duration{unit}") if term.aggregate in _CALLED else ""
    if term.unit:
        return ""
    if term.column is not None and term.column in index.measured and term.per is None:
        return ""
    if term.aggregate == "count":
        counted = _counted(index, query, term)
        return _kept(f"number_of_{counted}") if counted else ""
    column = index.columns[term.column] if term.column is not None else None
    if column is None:
        return ""
    if term.per is not None:
        one = "_".join(index.tables[index.columns[term.per].table].words)
        return _kept(f"average_{one}_value")
    what = "value" if term.factor is not None and term.operator == "*" else column.column.name
    if term.factor is not None and term.operator != "*":
        return ""
    word = _OF_TIMES.get(term.aggregate, "") if column.kind == "time" else ""
    word = word or _CALLED.get(term.aggregate, "")
    if not word:
        return ""
    if what.lower().startswith(word):
        word = "overall"  # 'total_total' says it twice
    return _kept(f"{word}_{what}")


def _figure(index: SchemaIndex, query: Query, term: Term) -> str:
    """The name of a figure: what people call a measure, else what is worked out."""
    measured = None if term.column is None else index.measured.get(term.column)
    own = measured is not None and measured.aggregate == term.aggregate
    return measured.name if measured is not None and own else _name(index, query, term)


def _of_part(name: str, part: Sequence[Condition]) -> str:
    """The name of a figure of some rows, with what tells them apart: `number_of_orders_2024`."""
    told = [
        f"{'not ' if c.operator == '<>' else ''}{c.right.value}"
        for c in part
        if isinstance(c, Compare) and isinstance(c.right, Literal)
    ]
    bounds = sorted(_DAY.fullmatch(text) is not None for text in told)
    if len(told) == 2 and all(bounds):
        first, last = sorted(told)
        year, month = int(first[:4]), int(first[5:7])
        if first.endswith("-01-01") and last == f"{year + 1}-01-01":
            first = first[:4]
        elif first.endswith("-01") and last == f"{year + month // 12}-{month % 12 + 1:02}-01":
            first = first[:7]
        told = [first]
    which = "_".join(_NO_NAME.sub("_", text.lower()).strip("_") for text in told)
    return _kept(f"{name or 'of'}_{which}") if which else ""


def _counted(index: SchemaIndex, query: Query, term: Term) -> str:
    """The plural of what is counted, '' where a join decides what that is."""
    if term.column is not None:
        column = index.columns[term.column]
        if column.primary:
            return _plural(index, column.table)
        return f"different_{column.column.name}" if term.distinct else ""
    grouped = {index.columns[t.column].table for t in query.group if t.column is not None and not t.unit}
    others = sorted(query.tables - grouped)
    keyed = (index.columns[t.column] for t in query.group if t.column is not None)
    own = term.of is not None and (term.of not in {c.table for c in keyed if c.primary} or not others)
    table = term.of if own else others[0] if len(others) == 1 else None
    return "" if table is None else _plural(index, table)


def _plural(index: SchemaIndex, table: int) -> str:
    """The name of a table that is a plural, else the plural of its words: people, crash_reports."""
    name = index.tables[table].relation.name.lower()
    if singular(name.rpartition("_")[2]) != name.rpartition("_")[2]:
        return name
    *words, last = index.tables[table].words
    if last.endswith("y") and last[-2:-1] not in set("aeiou"):
        last = f"{last[:-1]}ies"
    else:
        last += "es" if last.endswith(("s", "x", "ch", "sh", "z")) else "s"
    return "_".join([*words, last])


def _kept(name: str) -> str:
    """A name that needs no quotes and is not too long, '' of others."""
    plain = name.isascii() and name == name.lower() and name.isidentifier()
    return name if plain and len(name) <= _MAX_NAME_LENGTH else ""
