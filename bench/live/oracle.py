"""What the right SQL does, in a few words: APEX-SQL's ablation with oracle exploration.

The paper has a model write down how the right query parses, converts and joins what is there, and gives that
instead of exploring. Here rules read it off the query: joins, conversions, functions, and how values are
written. Owns: that text. Nothing but this ablation may see it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pglast import ast, enums, parse_sql
from pglast.parser import ParseError
from pglast.stream import RawStream

from askwire.sql.tracing.tree import walk

_MAX_FACTS_PER_KIND: Final = 12


def details(sql: str) -> str:
    """How a query does what it does, one sentence for each kind of thing; '' where that is silent.

    `SELECT count(*) FROM pets p JOIN owners o ON o.id = p.owner WHERE kind = 'dog'` → "Joins: o.id = p.owner.
    Functions: count. Conditions: kind = 'dog'."
    """
    try:
        nodes = list(walk(parse_sql(sql)))
    except ParseError:
        return ""
    compared = [n for n in nodes if isinstance(n, ast.A_Expr) and n.lexpr is not None]
    joins = [n for n in compared if _is_column(n.lexpr) and _is_column(n.rexpr)]
    conditions = [n for n in compared if _is_column(n.lexpr) and _holds_constant(n.rexpr)]
    selects = [n for n in nodes if isinstance(n, ast.SelectStmt)]
    told = {
        "Joins": map(_text, joins),
        "Conversions": (_text(n) for n in nodes if isinstance(n, ast.TypeCast)),
        "Functions": (_text(n).partition("(")[0] for n in nodes if isinstance(n, ast.FuncCall)),
        "Conditions": map(_text, conditions),
        "Groups": (_text(item) for s in selects for item in s.groupClause or ()),
        "Order": (_text(item.node) for s in selects for item in s.sortClause or ()),
        "Set operations": (
            op.name.removeprefix("SETOP_").lower()
            for s in selects
            if (op := s.op) is not None and op != enums.SetOperation.SETOP_NONE
        ),
    }
    return " ".join(f"{kind}: {', '.join(found)}." for kind, of in told.items() if (found := _few(of)))


def _few(of: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(of))[:_MAX_FACTS_PER_KIND]


def _text(node: ast.Node) -> str:
    return RawStream()(node)


def _is_column(node: object) -> bool:
    return isinstance(node, ast.ColumnRef)


def _holds_constant(node: object) -> bool:
    items = node if isinstance(node, tuple) else (node,)
    return bool(items) and all(isinstance(item, ast.A_Const | ast.TypeCast) for item in items)
