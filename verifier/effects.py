"""What of a statement reaches its answer: the values every check looks at.

Owns: the facts of one statement (calls, comparisons, orderings, set operations, constants, outputs), each
with the place it stands in, and following a column to the expression it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pglast import ast

from askwire.sql.catalog import Column, Relation
from askwire.sql.tracing.tree import is_a, strings, walk

Place = Literal["shown", "filter", "having", "order", "group", "join", "used"]
"""Where a fact stands: 'shown' flows into the output, 'used' is computed for another place."""

RANKS: Final = frozenset({"rank", "dense_rank", "row_number", "percent_rank", "cume_dist", "ntile"})
_PLAIN_CALLS: Final = frozenset(
    {"round", "trunc", "floor", "ceil", "ceiling", "abs", "lower", "upper", "trim"}
)
_NUMBERS: Final = frozenset({"N"})


@dataclass(frozen=True, slots=True)
class Call:
    """A live function call; `window` with OVER, `star` for count(*), `distinct` for count(DISTINCT x)."""

    name: str
    node: Any
    place: Place
    distinct: bool
    star: bool
    window: bool

    @property
    def shown(self) -> bool:
        """Whether its value flows into the output."""
        return self.place == "shown"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A live comparison after its negations: NOT (a > b) is a <= b; 'between', 'in', 'like' as they are."""

    operator: str
    left: Any
    right: Any
    place: Place
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Ordering:
    """An ORDER BY, LIMIT or DISTINCT ON that shapes the answer.

    `keys` pairs each expression with whether it descends; `limit` is None without one and -1 where it is no
    plain number; `top` when it stands at the statement's own level; `ties` for WITH TIES, `firsts` for
    DISTINCT ON, which keeps the first of each group.
    """

    keys: tuple[tuple[Any, bool], ...]
    limit: int | None
    top: bool
    ties: bool = False
    firsts: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """One column of the answer: its name, and the expression that makes it."""

    name: str
    node: Any


@dataclass(frozen=True)
class Effects:
    """A statement's live facts.

    `star` when the output holds a `*` over relations that are not known. `sets` are 'union', 'union all',
    'intersect', 'except'; `groups` the grouping expressions of each grouped level; `sublinks` the kinds of
    live sublinks ('exists', 'not exists', 'in', 'not in', 'all', 'value'); `relations` the base relations by
    name, one entry for each time they are read, `sizes` how many rows each is estimated to have (-1: not
    known); `meanings` and `columns` follow column references by the `id` of their nodes, which `references`
    and the statement keep alive.
    """

    calls: tuple[Call, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    orderings: tuple[Ordering, ...] = ()
    outputs: tuple[Output, ...] = ()
    star: bool = False
    sets: tuple[str, ...] = ()
    groups: tuple[tuple[Any, ...], ...] = ()
    distinct: bool = False
    sublinks: tuple[str, ...] = ()
    negations: int = 0
    null_tests: int = 0
    outer_joins: int = 0
    divisions: tuple[tuple[Any, Place], ...] = ()
    additions: int = 0
    numbers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    relations: tuple[str, ...] = ()
    sizes: tuple[float, ...] = ()
    keyed: bool = False
    windows: tuple[tuple[tuple[Any, bool], ...], ...] = ()
    partitions: int = 0
    meanings: Mapping[int, Any] = field(default_factory=dict)
    columns: Mapping[int, tuple[Relation, Column]] = field(default_factory=dict)
    references: tuple[Any, ...] = ()

    def origin(self, node: Any) -> Any:
        """The expression behind a node: columns of derived tables followed, casts and rounding taken off."""
        for _ in range(32):
            followed = self.meanings.get(id(node), node)
            if is_a(followed, ast.TypeCast):
                followed = followed.arg
            elif is_a(followed, ast.CoalesceExpr) or (
                is_a(followed, ast.FuncCall) and call_name(followed) in _PLAIN_CALLS
            ):
                followed = followed.args[0] if followed.args else followed
            if followed is node:
                break
            node = followed
        return node

    def below(self, node: Any) -> Iterator[Any]:
        """All nodes of an expression, columns of derived tables followed, nested queries included."""
        stack, seen = [node], set()
        while stack:
            for part in walk(stack.pop()):
                if id(part) in seen:
                    continue
                seen.add(id(part))
                yield part
                if id(part) in self.meanings:
                    stack.append(self.meanings[id(part)])

    def calls_in(self, node: Any) -> frozenset[str]:
        """The names of the functions called in an expression, columns followed."""
        return frozenset(call_name(n) for n in self.below(node) if is_a(n, ast.FuncCall))

    def source(self, node: Any) -> tuple[Relation, Column] | None:
        """The base column an expression is, nothing else computed, with its relation."""
        return self.columns.get(id(self.origin(node)))

    def column(self, node: Any) -> Column | None:
        """The base column an expression is, nothing else computed."""
        source = self.source(node)
        return source[1] if source is not None else None

    def columns_in(self, node: Any) -> list[Column]:
        """The base columns an expression reads."""
        return [self.columns[id(n)][1] for n in self.below(node) if id(n) in self.columns]

    @property
    def said(self) -> tuple[str, ...]:
        """What the statement says in words: names, text constants, and the comments of columns it reads."""
        comments = {column.comment for _, column in self.columns.values() if column.comment}
        return (*self.names, *self.texts, *sorted(comments))

    def is_number(self, node: Any) -> bool:
        """Whether an expression is a column of a numeric type."""
        column = self.column(node)
        return column is not None and column.category in _NUMBERS

    def called(self, *names: str, shown: bool = False) -> bool:
        """Whether one of these functions is called, `shown`: for the output."""
        return any(c.name in names and (c.shown or not shown) for c in self.calls)

    @property
    def constants(self) -> tuple[str, ...]:
        """All live constants as written."""
        return (*self.numbers, *self.texts)


def call_name(node: Any) -> str:
    """The name of the called function without its schema."""
    names = strings(node.funcname)
    return names[-1] if names else ""


def number_of(node: Any) -> float | None:
    """The value of a numeric constant, plain, cast or as text; None for anything else."""
    while is_a(node, ast.TypeCast):
        node = node.arg
    if not is_a(node, ast.A_Const):
        return None
    match node.val:
        case ast.Integer(ival=int(value)):
            return float(value)
        case ast.Float(fval=str(text)) | ast.String(sval=str(text)):
            try:
                return float(text)
            except ValueError:
                return None
    return 0.0 if is_a(node.val, ast.Integer) else None
