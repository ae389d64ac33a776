"""A query in words: what it shows, of which rows, in which order, read off its syntax tree.

Owns: one phrase per query, so that an asker is shown what runs and not what its author says of it. What has
no words of its own is shown as SQL. Words follow those of the embedded engine's own readings.
Nodes are `Any`: what pglast declares optional is there in the trees that its parser makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pglast import ast, enums
from pglast.stream import RawStream

from askwire.sql.parsing import parsed
from askwire.sql.presentation import phrases

MAX_CHARACTERS: Final = 400
_AGGREGATES: Final = {"avg": "average", "sum": "total", "max": "largest", "min": "smallest"}
_PLAIN: Final = frozenset({"lower", "upper", "trim", "btrim"})
"""Functions that change the spelling of a text and not what is asked of it."""
_SIGNS: Final = {"*": "×", "-": "−", "/": "÷", "+": "+", "||": "followed by"}
_LIKE: Final = {"~~": "is like", "!~~": "is not like", "~~*": "matches", "!~~*": "does not match"}
_JOINT: Final = {
    enums.SetOperation.SETOP_UNION: "together with",
    enums.SetOperation.SETOP_INTERSECT: "and also",
    enums.SetOperation.SETOP_EXCEPT: "but not",
}
_OUTER: Final = {
    enums.JoinType.JOIN_LEFT: "also without {right}",
    enums.JoinType.JOIN_RIGHT: "also without {left}",
    enums.JoinType.JOIN_FULL: "also without {left} or {right}",
}
_QUALIFIED_NAME_PARTS: Final = 2
_Kind = enums.A_Expr_Kind


def in_words(sql: str) -> str:
    """One phrase, without a full stop; '' for what is no single query.

    `SELECT c.name, sum(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id WHERE o.year = 2024
    GROUP BY c.name ORDER BY 2 DESC LIMIT 3` → 'Top 3 customers.name by total orders.total where orders.year
    is 2024'.
    """
    found = parsed(sql)
    statement = found[0].stmt if len(found) == 1 else None
    if not isinstance(statement, ast.SelectStmt):
        return ""
    text = _select(statement, {})
    return text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS - 1]}…"


def _select(statement: Any, outer: Mapping[str, str], *, exists: bool = False) -> str:
    defined = [
        f"{cte.ctename}: {_select(cte.ctequery, outer)}"
        for cte in (statement.withClause.ctes if statement.withClause else ())
        if isinstance(cte.ctequery, ast.SelectStmt)
    ]
    if statement.op != enums.SetOperation.SETOP_NONE:
        both = (_select(arm, outer) for arm in (statement.larg, statement.rarg))
        text = f", {_JOINT.get(statement.op, 'with')} ".join(both) + _ordered(statement, _Scope({}, ()))
    elif statement.valuesLists:
        text = "given values"
    else:
        text = _plain_select(statement, outer, exists=exists)
    return f"{text} (with {'; '.join(defined)})" if defined else text


def _plain_select(statement: Any, outer: Mapping[str, str], *, exists: bool) -> str:
    names: dict[str, str] = {}
    notes: list[str] = []
    conditions: list[Any] = []
    for item in statement.fromClause or ():
        _read_from(item, names, notes, conditions, outer)
    scope = _Scope({**outer, **names}, tuple(names.values()))
    targets = [target.val for target in statement.targetList or ()]
    first = None if exists else _first(statement, scope, targets)
    listed = [value for value in targets if first is None or scope.words(value) != first.by] or targets
    shown = "a row" if exists else ", ".join(scope.words(value) for value in listed)
    if statement.distinctClause:
        shown = f"distinct {shown}"
    groups = [scope.words(_meant(item, targets)) for item in statement.groupClause or ()]
    if first is not None and set(groups) <= {scope.words(value) for value in targets}:
        groups = []  # the first few of what is shown are of each of it
    subject = shown + (f" per {', '.join(groups)}" if groups else "")
    wheres = [
        node for node in (statement.whereClause, *conditions, statement.havingClause) if node is not None
    ]
    parts = [part for node in wheres for part in _conjuncts(node)]
    without = {id(part): said for part in parts if (said := _without(part, scope))}
    said = " and ".join(_spans([part for part in parts if id(part) not in without], scope))
    rest = "".join(f" {each}" for each in without.values()) + (f" where {said}" if said else "")
    named = f"{subject} {rest} {first.by if first else ''}"
    unnamed = [name for name in dict.fromkeys(names.values()) if exists or f"{name}." not in named]
    if unnamed and (len(unnamed) == len(set(names.values())) or "number of rows" in named):
        subject = f"{shown} of {' with '.join(unnamed)}{subject[len(shown) :]}"
    rest += "".join(f", {note}" for note in dict.fromkeys(notes))
    return f"{first.said(subject)}{rest}" if first else subject + rest + _ordered(statement, scope, targets)


@dataclass(frozen=True)
class _First:
    """The first `many` by `by`, or the one in `place`."""

    many: int
    by: str
    descending: bool
    place: int
    kind: str

    def said(self, subject: str) -> str:
        """The phrase for the first few of `subject`."""
        return phrases.first_of(
            self.many, subject, self.by, descending=self.descending, kind=self.kind, place=self.place
        )


def _first(statement: Any, scope: _Scope, targets: Sequence[Any]) -> _First | None:
    """The first few of one order, None of all other orders and limits."""
    many, skipped = _whole(statement.limitCount), _whole(statement.limitOffset)
    keys: Sequence[Any] = statement.sortClause or ()
    if many is None or len(keys) != 1 or (statement.limitOffset is not None and (many != 1 or not skipped)):
        return None
    node = _sorted_by(keys[0], statement, targets)
    descending = keys[0].sortby_dir == enums.SortByDir.SORTBY_DESC
    # numbers have a bottom; of what a column holds its name does not tell
    kind = "" if descending or isinstance(node, ast.FuncCall) else "text"
    return _First(many, scope.words(node), descending, (skipped or 0) + 1, kind)


def _sorted_by(item: Any, statement: Any, targets: Sequence[Any]) -> Any:
    """The expression that a key of ORDER BY stands for: a place in the list of outputs, or a name in it."""
    node = _meant(item.node, targets)
    if isinstance(node, ast.ColumnRef) and node.fields and len(node.fields) == 1:
        name = getattr(node.fields[0], "sval", "")
        named = (t for t in statement.targetList or () if isinstance(t, ast.ResTarget) and t.name)
        return next((target.val for target in named if target.name == name), node)
    return node


def _read_from(
    item: Any,
    names: dict[str, str],
    notes: list[str],
    conditions: list[Any],
    outer: Mapping[str, str],
) -> list[str]:
    """Note what an item of FROM brings; the relations in it."""
    if isinstance(item, ast.RangeVar):
        name = item.relname or ""
        names[(item.alias and item.alias.aliasname) or name] = name
        return [name]
    if isinstance(item, ast.JoinExpr):
        left = _read_from(item.larg, names, notes, conditions, outer)
        right = _read_from(item.rarg, names, notes, conditions, outer)
        if item.jointype in _OUTER:
            notes.append(_OUTER[item.jointype].format(left=" and ".join(left), right=" and ".join(right)))
        elif item.quals is not None:
            conditions += (part for part in _conjuncts(item.quals) if not _joins(part))
        return [*left, *right]
    alias = item.alias.aliasname if getattr(item, "alias", None) else ""
    if (listed := _elements_of(item)) is not None:
        parts = _fields(listed)
        names[alias] = names.get(parts[0], parts[0])
        notes.append(f"{names[alias]}.{parts[-1]} one by one")
        return []
    names[alias] = alias
    if isinstance(item, ast.RangeSubselect) and isinstance(item.subquery, ast.SelectStmt):
        notes.append(f"where {alias or 'that'} is ({_select(item.subquery, outer)})")
    elif not isinstance(item, ast.RangeSubselect):
        notes.append(f"from {RawStream()(item)}")
    return [alias]


def _elements_of(item: Any) -> Any:
    """The column of a table whose elements stand under its own name: `unnest(f.tags) AS e(tags)`."""
    functions: Any = item.functions if isinstance(item, ast.RangeFunction) else ()
    called: Any = functions[0][0] if len(functions) == 1 else None
    if not isinstance(called, ast.FuncCall) or _called(called) != "unnest" or len(_arguments(called)) != 1:
        return None
    column: Any = _list(_arguments(called)[0])
    named = [name.sval for name in item.alias.colnames or ()] if item.alias else []
    if not isinstance(column, ast.ColumnRef) or len(_fields(column)) != _QUALIFIED_NAME_PARTS:
        return None
    return column if named == _fields(column)[-1:] else None


def _list(node: Any) -> Any:
    """What is taken apart: the column of `string_to_array(column, ', ')`, else the node itself."""
    apart = isinstance(node, ast.FuncCall) and _called(node) in {"string_to_array", "string_to_table"}
    return _arguments(node)[0] if apart else node


def _called(node: Any) -> str:
    return node.funcname[-1].sval or ""


def _arguments(node: Any) -> Sequence[Any]:
    return node.args or ()


def _fields(node: Any) -> list[str]:
    return [field.sval or "" for field in node.fields if isinstance(field, ast.String)]


def _text(node: Any) -> str | None:
    """The text of a constant, a cast one too (`DATE '1997-01-01'`)."""
    while isinstance(node, ast.TypeCast):
        node = node.arg
    value = node.val if isinstance(node, ast.A_Const) else None
    return value.sval if isinstance(value, ast.String) else None


def _compared(node: Any) -> tuple[str, str | None]:
    """The operator of a comparison and the text of the constant on its right."""
    if not isinstance(node, ast.A_Expr) or node.kind != _Kind.AEXPR_OP or not node.name:
        return "", None
    return node.name[-1].sval or "", _text(node.rexpr)


def _spans(parts: Sequence[Any], scope: _Scope) -> Iterator[str]:
    """Conditions in words; two bounds of one time as the span that they are."""
    rest = list(parts)
    while rest:
        part = rest.pop(0)
        operator, low = _compared(part)
        said = ""
        for other in rest if operator == ">=" and low else ():
            bound, high = _compared(other)
            same = bound in {"<", "<="} and scope.words(other.lexpr) == scope.words(part.lexpr)
            if same and (said := phrases.within(low or "", high or "", inclusive=bound == "<=")):
                rest.remove(other)
                break
        yield f"{scope.words(part.lexpr)} is {said}" if said else scope.words(part)


def _without(node: Any, scope: _Scope) -> str:
    """'without any orders' of NOT EXISTS or NOT IN over the rows of another relation; '' of all else."""
    if not isinstance(node, ast.BoolExpr) or node.boolop != enums.BoolExprType.NOT_EXPR:
        return ""
    (link,) = node.args or (None,)
    inner = link.subselect if isinstance(link, ast.SubLink) else None
    if link is None or not isinstance(inner, ast.SelectStmt) or len(inner.fromClause or ()) != 1:
        return ""
    kinds = {enums.SubLinkType.EXISTS_SUBLINK, enums.SubLinkType.ANY_SUBLINK}
    source = inner.fromClause[0] if inner.fromClause else None
    plain = not (inner.groupClause or inner.havingClause or inner.limitCount or inner.op)
    if link.subLinkType not in kinds or link.operName or not isinstance(source, ast.RangeVar) or not plain:
        return ""
    if link.subLinkType == enums.SubLinkType.ANY_SUBLINK and not all(
        isinstance(target.val, ast.ColumnRef) for target in inner.targetList or ()
    ):
        return ""
    conditions = [part for part in _conjuncts(inner.whereClause) if part and not _joins(part)]
    own = (source.alias and source.alias.aliasname) or source.relname or ""
    name = source.relname or ""
    names = _Scope({**scope.names, own: name}, (name,))
    said = " and ".join(_spans(conditions, names))
    return f"without any {source.relname}{f' ({said})' if said else ''}"


def _joins(node: Any) -> bool:
    """Whether a condition compares two columns: what ties relations together goes without saying."""
    return isinstance(node, ast.A_Expr) and all(
        isinstance(side, ast.ColumnRef) for side in (node.lexpr, node.rexpr)
    )


def _conjuncts(node: Any) -> Iterator[Any]:
    if isinstance(node, ast.BoolExpr) and node.boolop == enums.BoolExprType.AND_EXPR:
        for part in node.args or ():
            yield from _conjuncts(part)
    else:
        yield node


def _meant(item: Any, targets: Sequence[Any]) -> Any:
    """The expression that a place in the list of outputs stands for: `GROUP BY 1`."""
    place = _whole(item)
    return targets[place - 1] if place is not None and 1 <= place <= len(targets) else item


def _ordered(statement: Any, scope: _Scope, targets: Sequence[Any] = ()) -> str:
    limit = statement.limitCount
    many = f"the first {scope.words(limit)} " if limit is not None and not _is_null(limit) else ""
    if statement.limitOffset is not None:
        skipped = _whole(statement.limitOffset)
        if skipped is not None and _whole(limit) == 1:
            many = f"number {skipped + 1} "
        else:
            many = f"after {scope.words(statement.limitOffset)}, {many}"
    keys = []
    for item in statement.sortClause or ():
        node = _sorted_by(item, statement, targets)
        if statement.op != enums.SetOperation.SETOP_NONE and _whole(node) is not None:
            keys.append(f"column {_whole(node)}")
            continue
        downward = item.sortby_dir == enums.SortByDir.SORTBY_DESC
        keys.append(f"{scope.words(node)}{', largest first' if downward else ''}")
    if keys:
        return f", {many}by {' and '.join(keys)}"
    return f", {many.strip()} rows" if many else ""


def _whole(node: Any) -> int | None:
    """The value of a constant whole number."""
    if isinstance(node, ast.A_Const) and isinstance(node.val, ast.Integer):
        return int(node.val.ival or 0)
    return None


def _is_null(node: Any) -> bool:
    return isinstance(node, ast.A_Const) and bool(node.isnull)


class _Scope:
    """The names that a query's expressions use, and words for these expressions."""

    def __init__(self, names: Mapping[str, str], own: Sequence[str]) -> None:
        self.names = names
        self._own = tuple(dict.fromkeys(own))

    def words(self, node: Any) -> str:
        """Words for one expression or condition; its SQL where there are none."""
        method = getattr(self, f"_{type(node).__name__}", None)
        return method(node) if method is not None else RawStream()(node)

    def _all(self, nodes: Iterable[Any] | None) -> list[str]:
        return [self.words(node) for node in nodes or ()]

    def _ColumnRef(self, node: Any) -> str:  # noqa: N802 - pglast's naming
        parts = [field.sval or "" for field in node.fields if isinstance(field, ast.String)]
        if isinstance(node.fields[-1], ast.A_Star):
            return f"all of {self.names.get(parts[-1], parts[-1])}" if parts else "all columns"
        if len(parts) > 1:
            return f"{self.names.get(parts[-2], parts[-2])}.{parts[-1]}"
        return f"{self._own[0]}.{parts[0]}" if len(self._own) == 1 and self._own[0] else parts[0]

    def _A_Const(self, node: Any) -> str:  # noqa: N802
        return RawStream()(node)

    def _TypeCast(self, node: Any) -> str:  # noqa: N802
        return self.words(node.arg)

    def _FuncCall(self, node: Any) -> str:  # noqa: N802
        name = node.funcname[-1].sval or ""
        args = self._all(node.args)
        if name == "count":
            text = f"number of {'different ' if node.agg_distinct else ''}{', '.join(args) or 'rows'}"
        elif name in _AGGREGATES and len(args) == 1:
            text = f"{_AGGREGATES[name]} {'different ' if node.agg_distinct else ''}{args[0]}"
        elif name in ("extract", "date_part", "date_trunc") and len(args) == 2:
            text = f"{args[0].strip(chr(39))} of {args[1]}"
        elif name in _PLAIN and len(args) == 1:
            text = args[0]
        else:
            text = f"{name}({', '.join(args)})"
        if node.agg_filter is not None:
            text += f" where {self.words(node.agg_filter)}"
        if node.over is not None:
            parts = self._all(node.over.partitionClause)
            text += f" for each {', '.join(parts)}" if parts else " over all rows"
            if node.over.orderClause:
                keys = [
                    self.words(key.node)
                    + (", largest first" if key.sortby_dir == enums.SortByDir.SORTBY_DESC else "")
                    for key in node.over.orderClause
                ]
                text += f" in the order of {' and '.join(keys)}"
        return text

    def _A_Expr(self, node: Any) -> str:  # noqa: N802
        operator = "".join(part.sval or "" for part in node.name or () if isinstance(part, ast.String))
        left = self.words(node.lexpr) if node.lexpr is not None else ""
        if node.kind == _Kind.AEXPR_IN and isinstance(node.rexpr, tuple):
            said = "is none of" if operator == "<>" else "is one of"
            return f"{left} {said} {', '.join(self._all(node.rexpr))}"
        if node.kind in (_Kind.AEXPR_BETWEEN, _Kind.AEXPR_NOT_BETWEEN) and isinstance(node.rexpr, tuple):
            low, high = self._all(node.rexpr)
            negated = "not " if node.kind == _Kind.AEXPR_NOT_BETWEEN else ""
            bounds = [_text(bound) for bound in node.rexpr]
            if said := phrases.within(bounds[0] or "", bounds[1] or "", inclusive=True):
                return f"{left} is {negated}{said}"
            return f"{left} is {negated}between {low} and {high}"
        if node.kind in (_Kind.AEXPR_LIKE, _Kind.AEXPR_ILIKE):
            return f"{left} {_LIKE.get(operator, operator)} {self.words(node.rexpr)}"
        listed = _list(node.rexpr) if node.kind in (_Kind.AEXPR_OP_ANY, _Kind.AEXPR_OP_ALL) else None
        held = isinstance(listed, ast.ColumnRef)
        if held and node.kind == _Kind.AEXPR_OP_ANY and operator == "=":
            return f"{self.words(listed)} includes {left}"
        if held and node.kind == _Kind.AEXPR_OP_ALL and operator in {"<>", "!="}:
            return f"{self.words(listed)} does not include {left}"
        if node.kind == _Kind.AEXPR_NULLIF:
            return f"{left} unless it is {self.words(node.rexpr)}"
        if node.kind != _Kind.AEXPR_OP or not isinstance(node.rexpr, ast.Node):
            return RawStream()(node)
        right = self.words(node.rexpr)
        if operator in phrases.COMPARED:
            return phrases.compared(left, operator, right, moment=_text(node.rexpr))
        if operator in _SIGNS and left:
            left, right = (
                f"({text})" if _is_sum(side) and operator in "*/-" else text
                for text, side in ((left, node.lexpr), (right, node.rexpr))
            )
            return f"{left} {_SIGNS[operator]} {right}"
        return RawStream()(node)

    def _BoolExpr(self, node: Any) -> str:  # noqa: N802
        parts = self._all(node.args)
        if node.boolop == enums.BoolExprType.NOT_EXPR:
            return f"not ({parts[0]})"
        joint = " and " if node.boolop == enums.BoolExprType.AND_EXPR else " or "
        return f"({joint.join(parts)})"

    def _BooleanTest(self, node: Any) -> str:  # noqa: N802
        kind = enums.BoolTestType
        said = {kind.IS_TRUE: "true", kind.IS_NOT_TRUE: "not true", kind.IS_FALSE: "false"}
        known = said.get(node.booltesttype)
        return f"{self.words(node.arg)} is {known}" if known else RawStream()(node)

    def _NullTest(self, node: Any) -> str:  # noqa: N802
        negated = node.nulltesttype != enums.NullTestType.IS_NULL
        return phrases.empty(self.words(node.arg), negated=negated)

    def _CoalesceExpr(self, node: Any) -> str:  # noqa: N802
        first, *others = self._all(node.args)
        return f"{first} (or {', '.join(others)} where empty)" if others else first

    def _CaseExpr(self, node: Any) -> str:  # noqa: N802
        cases = [f"{self.words(when.result)} when {self.words(when.expr)}" for when in node.args or ()]
        if node.arg is not None:
            cases = [f"{case} (of {self.words(node.arg)})" for case in cases]
        other = f", else {self.words(node.defresult)}" if node.defresult is not None else ""
        return f"{', '.join(cases)}{other}"

    def _SubLink(self, node: Any) -> str:  # noqa: N802
        kind = enums.SubLinkType
        if node.subLinkType == kind.EXISTS_SUBLINK:
            return f"there is {_select(node.subselect, self.names, exists=True)}"
        inner = _select(node.subselect, self.names)
        if node.subLinkType == kind.ANY_SUBLINK and not node.operName:
            return f"{self.words(node.testexpr)} is one of ({inner})"
        if node.subLinkType == kind.EXPR_SUBLINK:
            return f"({inner})"
        return RawStream()(node)


def _is_sum(node: object) -> bool:
    return isinstance(node, ast.A_Expr) and any(
        isinstance(part, ast.String) and part.sval in ("+", "-") for part in node.name or ()
    )
