"""Which query levels group rows, and which look at their neighbours.

Owns: the names of PostgreSQL's built-in aggregates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pglast import ast

from askwire.sql.tracing.tree import strings, walk

AGGREGATES: Final = frozenset(
    (
        "any_value",
        "array_agg",
        "avg",
        "bit_and",
        "bit_or",
        "bit_xor",
        "bool_and",
        "bool_or",
        "corr",
        "count",
        "covar_pop",
        "covar_samp",
        "cume_dist",
        "dense_rank",
        "every",
        "json_agg",
        "json_agg_strict",
        "json_object_agg",
        "json_object_agg_strict",
        "json_object_agg_unique",
        "json_object_agg_unique_strict",
        "jsonb_agg",
        "jsonb_agg_strict",
        "jsonb_object_agg",
        "jsonb_object_agg_strict",
        "jsonb_object_agg_unique",
        "jsonb_object_agg_unique_strict",
        "max",
        "min",
        "mode",
        "percent_rank",
        "percentile_cont",
        "percentile_disc",
        "range_agg",
        "range_intersect_agg",
        "rank",
        "regr_avgx",
        "regr_avgy",
        "regr_count",
        "regr_intercept",
        "regr_r2",
        "regr_slope",
        "regr_sxx",
        "regr_sxy",
        "regr_syy",
        "stddev",
        "stddev_pop",
        "stddev_samp",
        "string_agg",
        "sum",
        "var_pop",
        "var_samp",
        "variance",
        "xmlagg",
    )
)
ORDER_DEPENDENT: Final = frozenset(
    (
        "any_value",
        "array_agg",
        "json_agg",
        "json_agg_strict",
        "json_object_agg",
        "json_object_agg_strict",
        "jsonb_agg",
        "jsonb_agg_strict",
        "string_agg",
        "xmlagg",
        "mode",
    )
)
"""Aggregates whose value depends on the order of their input."""


def aggregate_calls(query: Any) -> Iterator[ast.FuncCall]:
    """The aggregate calls of one query level, those of nested queries left out."""
    parts = tuple(p for p in (query.targetList, query.havingClause, query.sortClause) if p is not None)
    for node in walk(parts, into_queries=False):
        if isinstance(node, ast.FuncCall) and node.over is None:
            marked = node.agg_star or node.agg_distinct or node.agg_filter or node.agg_order
            if marked or strings(node.funcname)[-1] in AGGREGATES:
                yield node


def is_aggregated(query: Any) -> bool:
    """Whether a query level gives one row for each group."""
    return bool(query.groupClause or query.havingClause) or any(True for _ in aggregate_calls(query))


def is_windowed(query: Any) -> bool:
    """Whether a query level calls window functions."""
    parts = tuple(p for p in (query.targetList, query.sortClause) if p is not None)
    return any(isinstance(n, ast.FuncCall) and n.over is not None for n in walk(parts, into_queries=False))
