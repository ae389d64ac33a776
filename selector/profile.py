"""What a statement and its answer look like, as a few traits with a few values each.

Owns: the traits: how many columns of which kind are shown, how they are named, how rows are ordered and cut,
which comparisons and aggregates stand in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from pglast import ast, enums
from pglast.visitors import Visitor

from askwire.core.types import ResultSet
from askwire.sql.parsing import parsed

AGGREGATES: Final = ("avg", "count", "max", "min", "sum")
COMPARISONS: Final = ("<", "<=", ">", ">=")
MANY_COLUMNS: Final = "more"
_NUMBERS: Final = frozenset({20, 21, 23, 26, 700, 701, 1700})
_TIMES: Final = frozenset({1082, 1083, 1114, 1184, 1266})
_TYPED_COLUMNS: Final = 3


def profile(sql: str, result: ResultSet | None = None) -> Mapping[str, str]:
    """The traits of one SELECT; empty for what is no single SELECT.

    `SELECT name FROM t ORDER BY age DESC LIMIT 1` → columns 1, names yes, order desc-1, key column,
    distinct no, …; with a result also types 't', texts 1, numbers 0.
    """
    found = parsed(sql)
    statement = found[0].stmt if len(found) == 1 else None
    if not isinstance(statement, ast.SelectStmt):
        return {}
    traits = _shown(_first_arm(statement)) | _ordered(statement) | _within(statement)
    if result is not None and result.columns:
        traits |= kinds(tuple(column.type_oid for column in result.columns))
    return traits


def kinds(type_oids: tuple[int, ...]) -> dict[str, str]:
    """The traits that the types of an answer's columns have: 't' text, 'n' number, 'd' date or time."""
    letters = "".join("n" if oid in _NUMBERS else "d" if oid in _TIMES else "t" for oid in type_oids)
    return {
        "types": letters if len(letters) <= _TYPED_COLUMNS else MANY_COLUMNS,
        "texts": str(min(3, letters.count("t"))),
        "numbers": str(min(3, letters.count("n"))),
    }


def _first_arm(statement: ast.SelectStmt) -> ast.SelectStmt:
    """The SELECT whose columns a set operation shows."""
    while statement.op != enums.SetOperation.SETOP_NONE and statement.larg is not None:
        statement = statement.larg
    return statement


def _shown(select: ast.SelectStmt) -> dict[str, str]:
    """What the select list says."""
    targets = [target.val for target in select.targetList or ()]
    last = [t.fields[-1] for t in targets if isinstance(t, ast.ColumnRef) and t.fields]
    names = [field.sval or "" for field in last if isinstance(field, ast.String)]
    found: Counter[str] = Counter()
    for target in targets:
        found += _Parts.of(target).functions
    star = any(isinstance(field, ast.A_Star) for field in last)
    return {
        "columns": "star" if star else str(min(len(targets), 4)),
        "names": _yes(any("name" in name for name in names)),
        "distinct": _yes(bool(select.distinctClause)),
        **{f"shows {name}": _yes(found[name] > 0) for name in AGGREGATES},
    }


def _ordered(statement: ast.SelectStmt) -> dict[str, str]:
    """How the rows of the answer are ordered and cut, and by what."""
    direction, key = "none", "none"
    if statement.sortClause:
        first = statement.sortClause[0]
        direction = "desc" if first.sortby_dir == enums.SortByDir.SORTBY_DESC else "asc"
        key = "aggregate" if any(_Parts.of(first).functions[name] for name in AGGREGATES) else "column"
    cut = "none"
    if statement.limitCount is not None:
        value = statement.limitCount.val if isinstance(statement.limitCount, ast.A_Const) else None
        cut = "1" if isinstance(value, ast.Integer) and value.ival == 1 else "n"
    return {"order": f"{direction}-{cut}", "key": key}


def _within(statement: ast.SelectStmt) -> dict[str, str]:
    """What stands anywhere in the statement."""
    parts = _Parts.of(statement)
    return {
        "outer join": _yes(parts.outer),
        "counts distinct": _yes(parts.counts_distinct),
        **{f"says {name}": _yes(parts.comparisons[name] > 0) for name in COMPARISONS},
    }


def _yes(value: bool) -> str:
    return "yes" if value else "no"


class _Parts(Visitor):
    """Counts what the traits look for below one node."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: Counter[str] = Counter()
        self.comparisons: Counter[str] = Counter()
        self.counts_distinct = False
        self.outer = False

    @classmethod
    def of(cls, node: ast.Node) -> _Parts:
        """The parts below a node, itself included."""
        parts = cls()
        parts(node)
        return parts

    def visit_FuncCall(self, _ancestors: Any, node: ast.FuncCall) -> None:  # noqa: N802 - pglast's naming
        last = node.funcname[-1] if node.funcname else None
        if isinstance(last, ast.String):
            self.functions[last.sval or ""] += 1
        self.counts_distinct |= bool(node.agg_distinct)

    def visit_A_Expr(self, _ancestors: Any, node: ast.A_Expr) -> None:  # noqa: N802
        if node.kind == enums.A_Expr_Kind.AEXPR_OP:
            self.comparisons["".join(p.sval or "" for p in node.name or () if isinstance(p, ast.String))] += 1

    def visit_JoinExpr(self, _ancestors: Any, node: ast.JoinExpr) -> None:  # noqa: N802
        self.outer |= node.jointype != enums.JoinType.JOIN_INNER
