"""How large a query can become when the planner puts subqueries instead of what names them.

Owns: a bound from above on the nodes of a planned query. A column of a relation counts one, an output of a
subquery what its expression holds, a subquery in an expression all that it holds, and a CTE that is put
instead of each of its names counts at each. Twenty-four levels of `SELECT x || x AS x FROM (…)` are a
kilobyte of text and sixteen million nodes, and PostgreSQL hears no cancel while it makes them. What grows
behind a view counts one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from pglast import ast
from pglast.enums import A_Expr_Kind, CTEMaterialize, SetOperation

from askwire.sql.safety.nodes import PARTS, Node, of
from askwire.sql.safety.positions import first_location, refusal

MAX_NODES: Final = 50_000
RELATION_WEIGHT: Final = 100
"""What a relation weighs: each costs a planner far more than a node does."""

_MOST_FIELDS: Final = 1600
"""`(row).*` writes the row again for each of its columns, of which PostgreSQL allows so many."""

_BETWEEN: Final = {
    A_Expr_Kind.AEXPR_BETWEEN: (2, 1),
    A_Expr_Kind.AEXPR_NOT_BETWEEN: (2, 1),
    A_Expr_Kind.AEXPR_BETWEEN_SYM: (4, 2),
    A_Expr_Kind.AEXPR_NOT_BETWEEN_SYM: (4, 2),
}
"""How often the parser writes the left and the right side (parse_expr.c, transformAExprBetween)."""


@dataclass(frozen=True, slots=True)
class _Weights:
    """What an item of FROM weighs: its outputs by name, the heaviest, all in one row, and all of it.

    `vague`: it has outputs whose names are not known, each as heavy as the heaviest.
    """

    named: Mapping[str, int]
    heaviest: int = 1
    row: int = 1
    total: int = 1
    vague: bool = False

    def of(self, name: str) -> int:
        return max(self.named.get(name, 1), self.heaviest if self.vague else 1)

    def renamed(self, names: Node) -> _Weights:
        """Under other names: each as heavy as the heaviest, because the order is not followed."""
        if not names:
            return self
        return replace(self, named={**self.named, **{part.sval: self.heaviest for part in names}})


_RELATION: Final = _Weights({}, total=RELATION_WEIGHT)
_Item = tuple[str, _Weights]


def check_expansion(statement: Node) -> None:
    """Raise `RefusedByGate` for a query that could become larger than `MAX_NODES`."""
    if of(statement, ast.SelectStmt):
        _Expansion(statement).query(statement, (), {})


class _Cte:
    """A CTE: its weights are asked for by name, because with RECURSIVE one may name those behind it."""

    def __init__(self, node: Node, outer: tuple[_Item, ...], ctes: Mapping[str, _Cte]) -> None:
        self.node = node
        self._outer = outer
        self._ctes = ctes
        self._weights: _Weights | None = None
        self._asked = False

    def weights(self, expansion: _Expansion) -> _Weights | None:
        """None inside itself: a recursive query is never put instead of its name."""
        if self._weights is None and not self._asked:
            self._asked = True
            found = expansion.query(self.node.ctequery, self._outer, self._ctes)
            self._weights = found.renamed(self.node.aliascolnames)
        return self._weights


class _Expansion:
    """The weights of one statement."""

    def __init__(self, statement: Node) -> None:
        self._statement = statement

    @cached_property
    def _references(self) -> Counter[int]:
        """How often each CTE is named, by the identity of its node."""
        found: Counter[int] = Counter()
        _count_references(self._statement, {}, found)
        return found

    def query(self, node: Node, outer: tuple[_Item, ...], ctes: Mapping[str, _Cte]) -> _Weights:
        """What a query weighs; `outer` are the items that it may name from around it."""
        total = 0
        if node.withClause is not None:
            ctes, total = self._with(node.withClause, outer, ctes)
        if node.op != SetOperation.SETOP_NONE:
            left, right = self.query(node.larg, outer, ctes), self.query(node.rarg, outer, ctes)
            total += left.total + right.total + self._clauses(node, outer, ctes)
            # what names it is planned for each side
            named = {name: weight + right.heaviest for name, weight in left.named.items()}
            heaviest = left.heaviest + right.heaviest
            return _Weights(named, heaviest, left.row + right.row, _bounded(total, node), left.vague)
        items: tuple[_Item, ...] = ()
        for source in node.fromClause or ():
            found, weight = self._source(source, items, outer, ctes)
            items += found
            total += weight
        within = items + outer
        named, row, vague = {}, 0, False
        for target in node.targetList or ():
            if _is_star(target.val):
                qualifier = target.val.fields[-2].sval if len(target.val.fields) > 1 else ""
                for name, weights in items:
                    if qualifier in ("", name):
                        named.update({n: max(w, named.get(n, 1)) for n, w in weights.named.items()})
                        row, vague = row + weights.row, vague or weights.vague
                        # a column of it without a known name may be the heaviest
                        named[_STAR] = max(weights.heaviest, named.get(_STAR, 1))
                continue
            weight = self.weigh(target.val, within, ctes)
            row += weight
            name = target.name or _output(target.val)
            vague = vague or not name
            named[name] = max(weight, named.get(name, 1))
        for number, values in enumerate(zip(*(node.valuesLists or ()), strict=False), 1):
            named[f"column{number}"] = weight = self.weigh(values, outer, ctes)
            row += weight
        total += row + self._clauses(node, within, ctes)
        return _Weights(named, max(named.values(), default=1), max(row, 1), _bounded(total, node), vague)

    def _clauses(self, node: Node, within: tuple[_Item, ...], ctes: Mapping[str, _Cte]) -> int:
        return sum(self.weigh(getattr(node, clause), within, ctes) for clause in _CLAUSES)

    def _with(
        self, clause: Node, outer: tuple[_Item, ...], ctes: Mapping[str, _Cte]
    ) -> tuple[Mapping[str, _Cte], int]:
        """The CTEs in sight behind a WITH, and what those weigh that are planned once."""
        known = dict(ctes)
        made = []
        for node in clause.ctes:
            # with RECURSIVE each sees all
            cte = _Cte(node, outer, known if clause.recursive else dict(known))
            known[node.ctename] = cte
            made.append(cte)
        total = 0
        for cte in made:
            weights = cte.weights(self)
            if weights and not self._is_inlined(cte.node):
                total += weights.total
        return known, total

    def _is_inlined(self, cte: Node) -> bool:
        """Whether it may be put instead of its names (subselect.c, SS_process_ctes)."""
        if cte.ctematerialized == CTEMaterialize.CTEMaterializeDefault:
            return self._references[id(cte)] <= 1
        return bool(cte.ctematerialized == CTEMaterialize.CTEMaterializeNever)

    def _source(
        self, node: Node, before: tuple[_Item, ...], outer: tuple[_Item, ...], ctes: Mapping[str, _Cte]
    ) -> tuple[tuple[_Item, ...], int]:
        """The names that an item of FROM brings, and what it weighs; `before` is what LATERAL may name."""
        if of(node, ast.JoinExpr):
            return self._join(node, before, outer, ctes)
        if of(node, ast.RangeTableSample):
            items, total = self._source(node.relation, before, outer, ctes)
            return items, total + self.weigh((node.args, node.repeatable), before + outer, ctes)
        if of(node, ast.RangeSubselect):
            weights = self.query(node.subquery, before + outer if node.lateral else outer, ctes)
        elif of(node, ast.RangeVar):
            weights = self._named(node, ctes)
        else:
            return (("", _RELATION),), self.weigh(node, before + outer, ctes) + RELATION_WEIGHT
        alias = node.alias
        name = alias.aliasname if alias else getattr(node, "relname", "")
        return ((name, weights.renamed(alias.colnames if alias else None)),), weights.total

    def _named(self, node: Node, ctes: Mapping[str, _Cte]) -> _Weights:
        cte = None if node.schemaname else ctes.get(node.relname)
        weights = cte.weights(self) if cte else None
        return weights if cte and weights and self._is_inlined(cte.node) else _RELATION

    def _join(
        self, node: Node, before: tuple[_Item, ...], outer: tuple[_Item, ...], ctes: Mapping[str, _Cte]
    ) -> tuple[tuple[_Item, ...], int]:
        left, left_total = self._source(node.larg, before, outer, ctes)
        right, right_total = self._source(node.rarg, before + left, outer, ctes)
        items = left + right
        total = left_total + right_total + self.weigh(node.quals, items + before + outer, ctes)
        # a FULL JOIN makes one column of two
        merged = {
            part.sval: _heaviest(left, part.sval) + _heaviest(right, part.sval)
            for part in node.usingClause or ()
        }
        total += sum(merged.values())
        both = sum(weights.heaviest for _, weights in items)
        if node.isNatural:
            total += sum(weights.row for _, weights in items)
        if merged or node.isNatural:
            alias = node.join_using_alias
            one = _Weights(merged, both, both, vague=bool(node.isNatural))
            items = (*items, (alias.aliasname if alias else "", one))
        if node.alias is not None:
            columns: dict[str, int] = {}
            for _, weights in items:
                columns.update({n: max(w, columns.get(n, 1)) for n, w in weights.named.items()})
            row = sum(weights.row for _, weights in items)
            vague = any(weights.vague for _, weights in items)
            whole = _Weights(columns, both, row, vague=vague).renamed(node.alias.colnames)
            items = ((node.alias.aliasname, whole),)
        return items, _bounded(total, node)

    def weigh(self, node: Node, items: tuple[_Item, ...], ctes: Mapping[str, _Cte]) -> int:
        """The nodes of an expression, with what its columns stand for."""
        total = 0
        pending: list[tuple[Node, int]] = [(node, 1)]
        while pending:
            part, times = pending.pop()
            if isinstance(part, tuple):
                pending += [(inner, times) for inner in part]
            elif of(part, ast.ColumnRef):
                total += times * _column(part, items)
            elif of(part, ast.SelectStmt):
                total += times * self.query(part, items, ctes).total
            elif of(part, ast.Node):
                total += times
                pending += [(inner, times * by) for inner, by in _parts(part)]
            _bounded(total, node)
        return total


_STAR: Final = "*"
_CLAUSES: Final = (
    *("distinctClause", "whereClause", "groupClause", "havingClause", "windowClause"),
    *("sortClause", "limitOffset", "limitCount"),
)


def _parts(node: Node) -> Iterator[tuple[Node, int]]:
    """The parts of an expression, and how often each is written when it is analysed."""
    left = right = 1
    if of(node, ast.A_Expr):
        left, right = _BETWEEN.get(node.kind, (1, 1))
        if node.kind == A_Expr_Kind.AEXPR_IN and isinstance(node.rexpr, tuple):
            # Without an array type for both sides (a record, xid) each element is compared in its own copy
            # (transformAExprIn), be it a constant or not.
            left = max(1, len(node.rexpr))
    elif of(node, ast.A_Indirection) and of(node.indirection[-1], ast.A_Star):
        left = right = _MOST_FIELDS
    for name in PARTS[type(node)]:
        part = getattr(node, name)
        if part is not None:
            yield part, left if name in ("lexpr", "arg") else right


def _is_star(node: Node) -> bool:
    return of(node, ast.ColumnRef) and of(node.fields[-1], ast.A_Star)


def _output(node: Node) -> str:
    """The name of an output without AS where that is a column's, else ''."""
    return str(node.fields[-1].sval) if of(node, ast.ColumnRef) else ""


def _heaviest(items: Iterable[_Item], name: str) -> int:
    return max((weights.of(name) for _, weights in items), default=1)


def _column(reference: Node, items: tuple[_Item, ...]) -> int:
    """What a column stands for; a name of an item stands for a row of it."""
    names = [part.sval for part in reference.fields if of(part, ast.String)]
    if _is_star(reference):
        return sum(weights.row for name, weights in items if not names or name == names[-1]) or 1
    rows = sum(weights.row for name, weights in items if name == names[-1])
    if len(names) > 1:
        items = tuple(item for item in items if item[0] == names[-2])
    return max(rows, _heaviest(items, names[-1]))


def _bounded(weight: int, node: Node) -> int:
    if weight > MAX_NODES:
        reason = f"the SQL could become larger than {MAX_NODES} nodes when it is planned"
        raise refusal(reason, first_location(node))
    return weight


def _count_references(node: Node, ctes: Mapping[str, Node], found: Counter[int]) -> None:
    """How often each CTE is named, by the identity of its node."""
    pending: list[Node] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending.extend(part)
        elif of(part, ast.SelectStmt) and part.withClause is not None:
            known = dict(ctes)
            if part.withClause.recursive:
                known.update({cte.ctename: cte for cte in part.withClause.ctes})
            for cte in part.withClause.ctes:
                _count_references(cte.ctequery, known, found)
                known[cte.ctename] = cte
            for name in PARTS[type(part)]:
                if name != "withClause":
                    _count_references(getattr(part, name), known, found)
        elif of(part, ast.RangeVar):
            if not part.schemaname and part.relname in ctes:
                found[id(ctes[part.relname])] += 1
        elif of(part, ast.Node):
            pending.extend(getattr(part, name) for name in PARTS[type(part)])
