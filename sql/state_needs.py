"""What a query needs of askwire's own state: which columns, and which rows where it says so plainly.

Owns: reading that off a statement, erring on the side of everything. PostgreSQL filters and cuts all the
same; what is left out here is only what it would throw away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from pglast import ast
from pglast.enums import (
    A_Expr_Kind,
    BoolExprType,
    LimitOption,
    SetOperation,
    SortByDir,
    SortByNulls,
)
from pglast.visitors import Ancestor, Visitor

from askwire.sql.parsing import CLIENT, parsed
from askwire.sql.scan import Kind, significant
from askwire.sql.state_relations import SCHEMA
from askwire.sql.statements import fold

_QUOTED: Final = frozenset((Kind.QUOTED_IDENTIFIER, Kind.UNICODE_IDENTIFIER))


@dataclass(frozen=True, slots=True)
class Need:
    """What a statement needs of one relation.

    `columns`: at most these names, None for all. `equal`: only rows whose text columns equal these values.
    `limit`: only so many of those rows, in the order in which the relation has them; None for all.
    """

    columns: frozenset[str] | None = None
    equal: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    limit: int | None = None


EVERYTHING: Final = Need()


def state_needs(text: str, ordered_by: str = "at") -> dict[tuple[int, str], Need]:
    """What each statement of a text, by its index, needs of the relations that it reads.

    A relation that is not in there is needed whole. Relations have their rows by `ordered_by`, descending.
    `SELECT question FROM ask.history WHERE key = 'a' LIMIT 3` needs the columns question and key, rows whose
    key is 'a', and three of them.
    """
    statements = parsed(text, CLIENT)
    words = _words(text)
    found: dict[tuple[int, str], Need] = {}
    for index, statement in enumerate(statements):
        reading = _ReadCounter()
        reading(statement)
        columns = None if reading.everything else words
        for relation in reading.relations:
            found[index, relation] = Need(columns)
        plain = _plain(statement.stmt, reading)
        if plain is not None:
            (relation,) = reading.relations
            found[index, relation] = _rows(plain, relation, columns, ordered_by)
    return found


def _words(text: str) -> frozenset[str] | None:
    """All names in a text, and more; None where one of them cannot be read plainly."""
    words = set()
    for token in significant(text):
        source = text[token.start : token.end]
        if token.kind is Kind.UNICODE_IDENTIFIER:
            return None
        if token.kind in _QUOTED:
            words.add(source[1:-1].replace('""', '"'))
        elif token.kind is Kind.IDENTIFIER:
            words.add(fold(source))
    return frozenset(words)


class _ReadCounter(Visitor):
    """How often which relation is read, and whether anything may mean all columns of one."""

    def __init__(self) -> None:
        super().__init__()
        self.relations: list[str] = []
        self.everything = False
        self.subqueries = 0
        self._called: set[str] = set()
        self._last: set[str] = set()

    def visit_RangeVar(self, _ancestors: Ancestor, node: ast.RangeVar) -> None:  # noqa: N802 - pglast's
        if node.schemaname == SCHEMA:
            self.relations.append(node.relname or "")
            self._note(node.relname or "")
            if node.alias is not None:
                self._note(node.alias.aliasname or "")
                self.everything |= bool(node.alias.colnames)

    def visit_JoinExpr(self, _ancestors: Ancestor, node: ast.JoinExpr) -> None:  # noqa: N802 - pglast's
        self.everything |= bool(node.isNatural)
        if node.alias is not None or node.join_using_alias is not None:
            self.everything = True

    def visit_A_Star(self, _ancestors: Ancestor, _node: ast.A_Star) -> None:  # noqa: N802 - pglast's
        self.everything = True

    def visit_ColumnRef(self, _ancestors: Ancestor, node: ast.ColumnRef) -> None:  # noqa: N802 - pglast's
        last = (node.fields or (None,))[-1]
        if isinstance(last, ast.A_Star):
            self.everything = True
        elif isinstance(last, ast.String):
            # a whole row, where it is what a relation is called
            self._last.add(last.sval or "")
            self.everything |= last.sval in self._called

    def visit_SubLink(self, _ancestors: Ancestor, _node: ast.SubLink) -> None:  # noqa: N802 - pglast's
        self.subqueries += 1

    def _note(self, name: str) -> None:
        self._called.add(name)
        self.everything |= name in self._last


def _plain(statement: object, reading: _ReadCounter) -> ast.SelectStmt | None:
    """The statement, where it is a SELECT from one relation of ours and nothing else."""
    if not isinstance(statement, ast.SelectStmt) or len(reading.relations) != 1 or reading.subqueries:
        return None
    items = statement.fromClause or ()
    if (
        statement.op != SetOperation.SETOP_NONE
        or statement.withClause is not None
        or statement.lockingClause
        or len(items) != 1
        or not isinstance(items[0], ast.RangeVar)
    ):
        return None
    return statement


def _rows(statement: ast.SelectStmt, relation: str, columns: frozenset[str] | None, ordered_by: str) -> Need:
    (item,) = statement.fromClause or ()
    called = {relation} if item.alias is None else {item.alias.aliasname}
    conditions = _conjuncts(statement.whereClause)
    equal: dict[str, str] = {}
    pushed = True
    for condition in conditions:
        pair = _equality(condition, called)
        if pair is None or equal.get(pair[0], pair[1]) != pair[1]:
            pushed = False
        else:
            equal[pair[0]] = pair[1]
    limit = _limit(statement, ordered_by) if pushed else None
    return Need(columns, equal, limit)


def _conjuncts(condition: ast.Node | None) -> Sequence[ast.Node]:
    if condition is None:
        return ()
    if isinstance(condition, ast.BoolExpr) and condition.boolop == BoolExprType.AND_EXPR:
        return [part for one in condition.args or () for part in _conjuncts(one)]
    return (condition,)


def _equality(condition: ast.Node, called: set[str]) -> tuple[str, str] | None:
    """`column = 'text'`, either way round."""
    if not isinstance(condition, ast.A_Expr) or condition.kind != A_Expr_Kind.AEXPR_OP:
        return None
    if [name.sval for name in condition.name or ()] != ["="]:
        return None
    sides = (condition.lexpr, condition.rexpr)
    for column, value in (sides, sides[::-1]):
        if isinstance(column, ast.ColumnRef) and isinstance(value, ast.A_Const):
            names = [getattr(part, "sval", "") for part in column.fields or ()]
            own = len(names) == 1 or (len(names) == 2 and names[0] in called)
            if own and isinstance(value.val, ast.String):
                return names[-1], value.val.sval or ""
    return None


def _limit(statement: ast.SelectStmt, ordered_by: str) -> int | None:
    """How many rows the statement takes off the top; None where it takes all, or cannot be shown."""
    whole = (
        statement.groupClause,
        statement.havingClause,
        statement.distinctClause,
        statement.windowClause,
    )
    with_ties = statement.limitOption == LimitOption.LIMIT_OPTION_WITH_TIES
    by_row = all(_is_by_row(target.val) for target in statement.targetList or ())
    if any(whole) or not by_row or with_ties or not _as_it_is(statement, ordered_by):
        return None
    count, skipped = _number(statement.limitCount), _number(statement.limitOffset)
    if count is None or (statement.limitOffset is not None and skipped is None):
        return None
    return count + (skipped or 0)


def _is_by_row(node: object) -> bool:
    """Whether an output is made of one row and makes no further ones: columns, constants, operators."""
    if isinstance(node, ast.TypeCast):
        return _is_by_row(node.arg)
    if isinstance(node, ast.A_Expr):
        return all(side is None or _is_by_row(side) for side in (node.lexpr, node.rexpr))
    return isinstance(node, (ast.ColumnRef, ast.A_Const))


def _as_it_is(statement: ast.SelectStmt, ordered_by: str) -> bool:
    """Whether the rows are taken in the order that the relation has."""
    if not statement.sortClause:
        return True
    first, *more = statement.sortClause
    names = [getattr(part, "sval", "") for part in getattr(first.node, "fields", None) or ()]
    renamed = any(target.name == ordered_by for target in statement.targetList or ())
    return (
        not more
        and not renamed
        and names[-1:] == [ordered_by]
        and first.sortby_dir == SortByDir.SORTBY_DESC
        and first.sortby_nulls == SortByNulls.SORTBY_NULLS_DEFAULT
    )


def _number(node: ast.Node | None) -> int | None:
    value = node.val if isinstance(node, ast.A_Const) else None
    return value.ival if isinstance(value, ast.Integer) else None
