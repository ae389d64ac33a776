"""What a statement puts together from many rows, and what reads it in one go, beyond the reach of a time-out.

Owns: a bound from above on the time of all calls of a statement that nothing can interrupt, arithmetic on
numbers of many digits (`numbers`) among them. How long a value can become is followed from where it is made
(aggregates, ARRAY of a subquery, series, recursion, doubling) to the functions and operators that read it;
what those cost is measured (`costs`). Tables count with the planner's own estimate of their rows, a column
with what a long value usually comes to: very long values of the data are not seen here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pglast import ast
from pglast.enums import A_Expr_Kind, SetOperation, SubLinkType

from askwire.sql.catalog import Catalog
from askwire.sql.safety.arguments import series_rows
from askwire.sql.safety.constants import number_constant
from askwire.sql.safety.growth.costs import (
    AGGREGATES,
    CASTS,
    FRACTIONAL_POWER,
    FUNCTIONS,
    GATHERING,
    OPERATORS,
    POWER,
    SHORT_RESULTS,
    SPLITTING,
    USUAL,
    Cost,
    Shape,
)
from askwire.sql.safety.growth.numbers import (
    MAX_DIGITS,
    TOO_MANY_DIGITS,
    few_times,
    is_double,
    may_say_exponent,
    outputs,
    power,
    shortens,
)
from askwire.sql.safety.growth.sizes import (
    BY_CATEGORY,
    CONTAINER_TYPES,
    ENDLESS,
    MANY,
    MAX_VALUE_CHARACTERS,
    NOTHING,
    SMALL,
    TEXT,
    Size,
    constant,
    made,
)
from askwire.sql.safety.nodes import PARTS, Node, of
from askwire.sql.safety.positions import first_location, refusal

BUDGET_NS: Final = 1e10
"""What the calls of one statement may take together, in the slowest case."""

_MAX_ROWS: Final = 1e8
_UNKNOWN_ROWS: Final = 1e5
_FUNCTION_ROWS: Final = 1000.0


@dataclass(frozen=True, slots=True)
class _Source:
    """An item of FROM, or a query: its rows, and its outputs by name."""

    rows: float
    named: Mapping[str, Size]
    name: str = ""

    @property
    def largest(self) -> Size:
        return Size(
            max((size.length for size in self.named.values()), default=TEXT.length),
            max((size.count for size in self.named.values()), default=TEXT.count),
        )

    @property
    def row(self) -> Size:
        return sum(self.named.values(), NOTHING) if self.named else MANY

    def renamed(self, name: str, names: Node) -> _Source:
        largest = self.largest
        return _Source(self.rows, {**self.named, **{part.sval: largest for part in names or ()}}, name)


_Sources = tuple[_Source, ...]
_Ctes = Mapping[str, _Source]


def check_growth(statement: Node, catalog: Catalog) -> None:
    """Raise `RefusedByGate` for a query whose calls could outlast a time-out by more than `BUDGET_NS`."""
    if of(statement, ast.SelectStmt):
        _Growth(catalog).query(statement, (), {})


class _Growth:
    """The sizes of one statement, and what its calls have cost so far.

    `enclosing` is how many rows the queries around an expression's subquery have at most.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._spent = 0.0
        self.enclosing = 1.0

    def query(self, node: Node, outer: _Sources, ctes: _Ctes) -> _Source:
        """The rows and outputs of a query; `outer` are the items that it may name from around it."""
        if node.withClause is not None:
            ctes = self._with(node.withClause, outer, ctes)
        if node.op != SetOperation.SETOP_NONE:
            left, right = self.query(node.larg, outer, ctes), self.query(node.rarg, outer, ctes)
            others = list(right.named.values())
            if len(others) != len(left.named):
                others = [right.largest] * len(left.named)
            named = {
                name: size.or_(other) for (name, size), other in zip(left.named.items(), others, strict=True)
            }
            return self._limited(node, _Source(min(left.rows + right.rows, _MAX_ROWS), named))
        items: _Sources = ()
        for item in node.fromClause or ():
            items += self._from(item, items, outer, ctes)
        rows = 1.0
        for source in items:
            rows = min(rows * max(source.rows, 1.0), _MAX_ROWS)
        scope = _Scope(self, items + outer, ctes, rows, len(items))
        named = {}
        for number, target in enumerate(node.targetList or ()):
            if of(target.val, ast.ColumnRef) and of(target.val.fields[-1], ast.A_Star):
                for source in items:
                    named.update(source.named)
                continue
            size = scope.size(target.val)
            name = target.name or _output(target.val) or f"?{number}"
            named[name] = size.or_(named.get(name, NOTHING))
        for values in node.valuesLists or ():
            for number, value in enumerate(values, 1):
                column = f"column{number}"
                named[column] = scope.size(value).or_(named.get(column, NOTHING))
        for clause in _CLAUSES:
            scope.size(getattr(node, clause))
        if node.valuesLists:
            rows = float(len(node.valuesLists))
        elif not node.groupClause and scope.gathers:
            rows = 1.0
        rows = min(rows * scope.made, _MAX_ROWS)
        return self._limited(node, _Source(rows, named))

    def _limited(self, node: Node, source: _Source) -> _Source:
        most = number_constant(node.limitCount) if node.limitCount is not None else None
        if most is None or most >= source.rows:
            return source
        return _Source(max(most, 1.0), source.named)

    def _with(self, clause: Node, outer: _Sources, ctes: _Ctes) -> _Ctes:
        known = dict(ctes)
        if clause.recursive:
            # one may name those behind it, and itself
            for cte in clause.ctes:
                known[cte.ctename] = _Source(_MAX_ROWS, {}, cte.ctename)
        for cte in clause.ctes:
            query = cte.ctequery
            if clause.recursive and of(query, ast.SelectStmt) and query.op != SetOperation.SETOP_NONE:
                known[cte.ctename] = self._recursive(cte, outer, known)
            else:
                found = self.query(query, outer, known)
                known[cte.ctename] = found.renamed(cte.ctename, cte.aliascolnames)
        return known

    def _recursive(self, cte: Node, outer: _Sources, ctes: _Ctes) -> _Source:
        """A query that may name itself: what a step adds to grows slowly, what it doubles has no end."""
        first = self.query(cte.ctequery.larg, outer, ctes)
        aliases = [part.sval for part in cte.aliascolnames or ()]
        names = (*aliases, *list(first.named)[len(aliases) :])
        digits = outputs(cte.ctequery.larg)
        if not len(digits) == len(first.named) == len(names):
            digits = [None] * len(names)
        before = [_STEP if most is None else Size(most) for most in digits]
        again = _Source(_MAX_ROWS, dict(zip(names, before, strict=True)), cte.ctename)
        step = self.query(cte.ctequery.rarg, outer, {**ctes, cte.ctename: again})
        sizes = list(step.named.values())
        if not len(sizes) == len(first.named) == len(names):
            sizes = [step.largest.or_(first.largest)] * len(names)
        else:
            sizes = [size.or_(new) for size, new in zip(first.named.values(), sizes, strict=True)]
        for number, (most, size) in enumerate(zip(digits, sizes, strict=True)):
            # a number stays one, whatever is done to it
            doubled = ENDLESS if max(size.length, size.count) > _DOUBLED else size
            sizes[number] = doubled if most is None else Size(most)
        return _Source(_MAX_ROWS, dict(zip(names, sizes, strict=True)), cte.ctename)

    def _from(self, node: Node, before: _Sources, outer: _Sources, ctes: _Ctes) -> _Sources:
        if of(node, ast.JoinExpr):
            left = self._from(node.larg, before, outer, ctes)
            items = left + self._from(node.rarg, before + left, outer, ctes)
            _Scope(self, items + before + outer, ctes, 1.0).size(node.quals)
            if node.alias is None:
                return items
            rows = 1.0
            named: dict[str, Size] = {}
            for source in items:
                rows, named = min(rows * max(source.rows, 1.0), _MAX_ROWS), {**named, **source.named}
            return (_Source(rows, named).renamed(node.alias.aliasname, node.alias.colnames),)
        if of(node, ast.RangeTableSample):
            return self._from(node.relation, before, outer, ctes)
        alias = node.alias
        name = alias.aliasname if alias else ""
        if of(node, ast.RangeSubselect):
            source = self.query(node.subquery, before + outer if node.lateral else outer, ctes)
        elif of(node, ast.RangeVar):
            source, name = self._relation(node, ctes), name or node.relname
        else:
            source = self._function(node, before + outer, ctes)
        return (source.renamed(name, alias.colnames if alias else None),)

    def _relation(self, node: Node, ctes: _Ctes) -> _Source:
        if not node.schemaname and node.relname in ctes:
            return ctes[node.relname]
        relation = self._catalog.find(node.relname, node.schemaname or "")
        if relation is None:
            return _Source(_UNKNOWN_ROWS, {})
        rows = relation.estimated_rows
        named = {column.name: BY_CATEGORY.get(column.category, SMALL) for column in relation.columns}
        return _Source(1.5 * rows + 20 if rows > 0 else _UNKNOWN_ROWS, named)

    def _function(self, node: Node, within: _Sources, ctes: _Ctes) -> _Source:
        scope = _Scope(self, within, ctes, 1.0)
        rows = 1.0
        named: dict[str, Size] = {}
        for call, definitions in node.functions:
            size = scope.size(call)
            name = call.funcname[-1].sval if of(call, ast.FuncCall) else ""
            if name == "generate_series":
                made = series_rows(call) or _FUNCTION_ROWS
                size = SMALL if size.length < _MIN_LONG_NUMBER_DIGITS else size
            elif name in SPLITTING:
                made, size = max(size.count, 1.0), Size(size.length, 1.0)
            else:
                made = _FUNCTION_ROWS
            rows = max(rows, min(made, _MAX_ROWS))
            alias = node.alias.aliasname if node.alias else name
            named |= dict.fromkeys((name, alias, "value", "key"), size)
            named |= {definition.colname: size for definition in definitions or node.coldeflist or ()}
        return _Source(rows, named)

    def spend(self, cost: Cost, arguments: list[Size], node: Node) -> None:
        """Count one call; raises `RefusedByGate` when all together are too much."""
        first, second = (*arguments, SMALL, SMALL)[:2]
        total = min(sum(size.length for size in arguments), MAX_VALUE_CHARACTERS)
        units = {
            Shape.LENGTH: total,
            Shape.LENGTHS: _long(first.length) * _long(second.length),
            Shape.COUNTS: first.count * second.count,
            Shape.SQUARE: total * total,
            Shape.DIGITS: _digits(arguments[:2]),
            Shape.CALL: 1.0,
        }[cost.shape]
        self._spent += cost.nanoseconds * units + USUAL.nanoseconds * total
        if self._spent > BUDGET_NS:
            why, hint = TOO_MANY_DIGITS if cost.shape in (Shape.DIGITS, Shape.CALL) else _TOO_MUCH_GATHERED
            reason = f"it could run for long where no time-out reaches it: {why}"
            raise refusal(reason, first_location(node), hint)


_TOO_MUCH_GATHERED: Final = (
    "values put together from many rows are read in one call",
    "Aggregate fewer rows, or compare the rows themselves.",
)


_MIN_LONG_NUMBER_DIGITS: Final = 1000

_MAX_SHORT_CHARACTERS: Final = 100
"""Characters up to which a text is short."""

_STEP: Final = Size(1e6, 1e6)
"""What a recursive query makes of an output that it adds to at each step: every step copies all of it, and
more would take too long."""

_DOUBLED: Final = 1.5 * _STEP.length

_CLAUSES: Final = (
    *("distinctClause", "whereClause", "groupClause", "havingClause", "windowClause"),
    *("sortClause", "limitOffset", "limitCount"),
)


def _long(length: float) -> float:
    """A length where it matters: what is short is found at once."""
    return length if length > _MAX_SHORT_CHARACTERS else 1.0


def _digits(sizes: list[Size]) -> float:
    return min(sizes[0].length, MAX_DIGITS) * min(sizes[-1].length, MAX_DIGITS) if sizes else 0.0


class _Scope:
    """The sizes of expressions at one level of names.

    `gathers` once an aggregate was met; `made` is how many rows functions make of one.
    """

    def __init__(self, growth: _Growth, items: _Sources, ctes: _Ctes, rows: float, own: int = 0) -> None:
        self._growth = growth
        self._items = items
        self._ctes = ctes
        self._rows = rows
        self._own = items[:own]
        self.gathers = False
        self.made = 1.0

    def size(self, node: Node) -> Size:
        """What an expression comes to; what its calls cost is counted on the way."""
        if node is None:
            return NOTHING
        if isinstance(node, tuple):
            return sum(map(self.size, node), NOTHING)
        sized = _SIZES.get(type(node))
        if sized is not None:
            return sized(self, node)
        parts = [self.size(getattr(node, name)) for name in PARTS.get(type(node), ())]
        return SMALL if of(node, *_BOOLEAN_NODES) else sum(parts, NOTHING)

    def column(self, node: Node) -> Size:
        """What a name stands for: a column, or a row of an item."""
        names = [part.sval for part in node.fields if of(part, ast.String)]
        if not names or of(node.fields[-1], ast.A_Star):
            rows = [item.row for item in self._items if not names or item.name == names[-1]]
            return sum(rows, NOTHING)
        for item in self._items:
            if len(names) > 1 and item.name != names[-2]:
                continue
            if names[-1] in item.named:
                return item.named[names[-1]]
            if len(names) == 1 and item.name == names[-1]:
                return item.row
        unknown = [item.largest for item in self._items if len(names) < 2 or item.name == names[-2]]
        return max(unknown, key=lambda size: size.length, default=TEXT)

    def call(self, node: Node) -> Size:
        """What a function makes."""
        name = node.funcname[-1].sval
        arguments = [self.size(argument) for argument in node.args or ()]
        ordered = [self.size(sort.node) for sort in node.agg_order or ()]
        self.size((node.agg_filter, node.over))
        self._growth.spend(FUNCTIONS.get(name, USUAL), arguments, node)
        if name in AGGREGATES and node.over is None:
            self.gathers = True
        total = sum(arguments, NOTHING)
        if name == "generate_series":
            self.made = max(self.made, series_rows(node) or _FUNCTION_ROWS)
        elif name in SPLITTING:
            self.made = max(self.made, made(name, node, arguments, total).count)
        if name in GATHERING:
            return total.times(self._gathered(node.args))
        if name in SHORT_RESULTS:
            return SMALL
        if name in ("power", "pow") and len(arguments) == 2:
            return self._power(arguments[0], node.args, node)
        if name == "numeric" and may_say_exponent(node.args):
            return Size(MAX_DIGITS, 1.0)
        if node.agg_within_group:
            return sum(ordered, total)
        return made(name, node, arguments, total)

    def gathered(self, node: Node) -> Size:
        """JSON_ARRAYAGG and JSON_OBJECTAGG."""
        self.gathers = True
        return self.size(node.arg).times(self._gathered(node.arg))

    def _gathered(self, node: Node) -> float:
        """How many rows an aggregate reads: of the query around it where it names nothing of its own one."""
        pending, named = [node], False
        while pending:
            part = pending.pop()
            if isinstance(part, tuple):
                pending.extend(part)
            elif of(part, ast.ColumnRef):
                named = True
                names = [field.sval for field in part.fields if of(field, ast.String)]
                if any(item.named and _names(item, names) for item in self._own):
                    return self._rows
            else:
                pending.extend(getattr(part, name) for name in PARTS.get(type(part), ()))
        return max(self._rows, self._growth.enclosing) if named else self._rows

    def _power(self, base: Size, sides: tuple[Node, Node], node: Node) -> Size:
        if is_double(*sides):
            return SMALL
        exponent = sides[1]
        result = Size(power(base.length, exponent), 1.0)
        self._growth.spend(POWER, [result], node)
        if not few_times(exponent):
            self._growth.spend(FRACTIONAL_POWER, [], node)
        return result

    def operator(self, node: Node) -> Size:
        """What an operator makes of its sides."""
        left, right = self.size(node.lexpr), self.size(node.rexpr)
        name = node.name[-1].sval
        if node.kind in (A_Expr_Kind.AEXPR_LIKE, A_Expr_Kind.AEXPR_ILIKE, A_Expr_Kind.AEXPR_SIMILAR):
            name = "~~" if node.kind != A_Expr_Kind.AEXPR_SIMILAR else "~"
        self._growth.spend(OPERATORS.get(name, USUAL), [left, right], node)
        if name == "^" and node.kind == A_Expr_Kind.AEXPR_OP:
            return self._power(left, (node.lexpr, node.rexpr), node)
        if name in _ARITHMETIC and node.kind == A_Expr_Kind.AEXPR_OP:
            most = max(left.length, right.length, min(left.length + right.length, 2 * MAX_DIGITS))
            return Size(most, max(left.count, right.count))
        if node.kind == A_Expr_Kind.AEXPR_NULLIF:
            return left
        return left + right if node.kind == A_Expr_Kind.AEXPR_OP and name not in _COMPARISONS else SMALL

    def subquery(self, node: Node) -> Size:
        """What a subquery in an expression comes to."""
        around = self._growth.enclosing
        self._growth.enclosing = max(around, self._rows)
        source = self._growth.query(node.subselect, self._items, self._ctes)
        self._growth.enclosing = around
        tested = self.size(node.testexpr)
        if node.subLinkType == SubLinkType.ARRAY_SUBLINK:
            return source.row.times(source.rows)
        if node.operName:
            cost = OPERATORS.get(node.operName[-1].sval, USUAL)
            self._growth.spend(cost, [tested, source.row], node)
        return source.row if node.subLinkType == SubLinkType.EXPR_SUBLINK else SMALL

    def cast(self, node: Node) -> Size:
        """What a cast makes: of a text that is read, as many elements as characters may say."""
        size = self.size(node.arg)
        name = node.typeName.names[-1].sval
        self._growth.spend(CASTS.get(name, USUAL), [size], node)
        if shortens(node.typeName):
            return SMALL
        if name == "numeric" and may_say_exponent(node.arg):
            size = size.or_(Size(MAX_DIGITS, 1.0))
        holds = node.typeName.arrayBounds or name in CONTAINER_TYPES
        return Size(size.length, max(size.count, size.length / 2)) if holds else size

    def array(self, node: Node) -> Size:
        """ARRAY[…]."""
        elements = [self.size(element) for element in node.elements or ()]
        return Size(
            min(sum(e.length for e in elements), MAX_VALUE_CHARACTERS),
            min(sum(max(e.count, 1.0) for e in elements), MAX_VALUE_CHARACTERS),
        )

    def one_of(self, node: Node) -> Size:
        """CASE, COALESCE, GREATEST: one of several values."""
        if of(node, ast.CaseExpr):
            self.size((node.arg, *(when.expr for when in node.args)))
            values = (*(when.result for when in node.args), node.defresult)
        else:
            values = node.args
        size = NOTHING
        for value in values:
            size = size.or_(self.size(value))
        return size


_SIZES: Final[Mapping[type, Callable[[_Scope, Node], Size]]] = {
    ast.A_Const: lambda _scope, node: constant(node),
    ast.ColumnRef: _Scope.column,
    ast.FuncCall: _Scope.call,
    ast.JsonArrayAgg: _Scope.gathered,
    ast.JsonObjectAgg: _Scope.gathered,
    ast.A_Expr: _Scope.operator,
    ast.SubLink: _Scope.subquery,
    ast.TypeCast: _Scope.cast,
    ast.A_ArrayExpr: _Scope.array,
    **dict.fromkeys((ast.CaseExpr, ast.CoalesceExpr, ast.MinMaxExpr), _Scope.one_of),
    **dict.fromkeys((ast.TypeName, ast.String, ast.SQLValueFunction), lambda _scope, _node: NOTHING),
}

_BOOLEAN_NODES: Final = (ast.BoolExpr, ast.NullTest, ast.BooleanTest, ast.JsonIsPredicate, ast.GroupingFunc)
_ARITHMETIC: Final = frozenset("*/%")
_COMPARISONS: Final = frozenset(
    ("=", "<>", "!=", "<", "<=", ">", ">=", "@>", "<@", "&&", "~", "!~", "~*", "!~*")
)


def _names(item: _Source, names: list[str]) -> bool:
    """Whether a column's name means one of this item, or all of it."""
    if len(names) > 1 and item.name == names[-2]:
        return True
    return len(names) == 1 and (names[0] in item.named or names[0] == item.name)


def _output(node: Node) -> str:
    """The name of an output without AS."""
    if of(node, ast.ColumnRef):
        return str(node.fields[-1].sval)
    return str(node.funcname[-1].sval) if of(node, ast.FuncCall) else ""
