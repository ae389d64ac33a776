"""The rows behind an answer: a query rewritten so that it lists, for each of its rows, the base rows used.

Owns: the rewriting of one query level and of what it nests (derived tables, WITH queries, set operations,
sublinks, windows), on `scopes`. What is not followed row by row (recursive WITH queries, joins with an alias)
adds no tokens and is named in `by_value`.

A lineage is a text: tokens of `identity`, separated by RECORD, those of a group's members by MEMBER. Forms of
a query:

    rows      SELECT name FROM singer WHERE age > 20 GROUP BY name ORDER BY 1 LIMIT 3
           →  SELECT concat_ws(RS, textcat('0' US, singer.id::text)) AS l FROM singer WHERE age > 20

    derived   SELECT name, count(*) FROM singer GROUP BY name
           →  SELECT name, count(*), array_to_string((array_agg(concat_ws(…)))[1:24], GS) AS l
              FROM singer GROUP BY name

    groups    SELECT DISTINCT name FROM singer LIMIT 3
           →  SELECT array_to_string((array_agg(l))[1:24], GS) AS l
              FROM (SELECT name, concat_ws(…) AS l FROM singer) AS g(c1, l) GROUP BY c1 ORDER BY count(*) DESC
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from pglast import ast
from pglast.enums import LimitOption, SetOperation

from askwire.sql.literals import quote_identifier
from askwire.sql.printing import to_sql
from askwire.sql.qualified import EQ
from askwire.sql.tracing.aggregates import is_aggregated, is_windowed
from askwire.sql.tracing.identity import RECORD_SQL, Source, token
from askwire.sql.tracing.kept_out import flip
from askwire.sql.tracing.lineage_text import cells, joined, some, some_of
from askwire.sql.tracing.ordering import order_by, partitions
from askwire.sql.tracing.scopes import Scope, Scopes, star_columns, star_of
from askwire.sql.tracing.tree import copy_node, copy_tree, is_a, is_set_operation, walk

MAX_MEMBERS: Final = 24
"""Rows of one group, or equal rows of DISTINCT, that a lineage lists."""
WINDOW_NEIGHBOURS: Final = 4
"""Rows before and behind within a window's partition."""


@dataclass(eq=False)
class Lineage:
    """The rewriting of one query.

    `sources` are the relations by OID, `members` is how many rows of a group are listed. `by_value` collects
    what was not followed.
    """

    scopes: Scopes
    sources: Mapping[int, Source]
    members: int = MAX_MEMBERS
    by_value: set[str] = field(default_factory=set)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _cte_columns: dict[int, tuple[str, str]] = field(default_factory=dict)

    def rows(self, query: Any, *, flipped: bool = False, ordered: bool = False, only: str = "") -> list[str]:
        """Queries with one column, the lineage of a joined row; grouping, DISTINCT and LIMIT dropped.

        A set operation gives one for each side and, but for UNION ALL, one for both. `flipped` turns NOT IN
        and NOT EXISTS round, so that what they keep out is listed with what keeps it out. `ordered` keeps the
        order (for a sublink that takes the first row). `only` is one more condition.
        """
        if query.valuesLists:
            return []
        lead = self._with(query)
        if is_set_operation(query):
            sides = self.rows(query.larg, flipped=flipped) + self.rows(query.rarg, flipped=flipped)
            found = [f"{lead}{side}" if not side.startswith("WITH") else side for side in sides]
            if not (query.all and query.op == SetOperation.SETOP_UNION):
                column = self._name()
                combined = self.derived(query, column, lead="")
                found.append(f"{lead}SELECT {column} AS l FROM ({combined}) AS {self._name()}")
            return found
        source, tokens = self._from(query)
        tokens += self._sublinks(query)
        if not tokens:
            return []
        where = self._where(query, flipped=flipped)
        if only:
            where = f"{where} AND ({only})" if where else f" WHERE {only}"
        order = order_by(query) if ordered else ""
        return [f"{lead}SELECT {joined(tokens)} AS l{source}{where}{order}"]

    def groups(self, query: Any, *, mixed: bool = False) -> str:
        """A query for the lineage of each group of rows, or of each set of equal rows that become one.

        Large groups first, or those in the query's order; `mixed`: those first in which several rows of each
        relation meet. LIMIT and HAVING do not count. Empty for a query that puts no rows together.
        """
        if query.groupClause:
            column = self._name()
            grouped = self._whole(query, column, mixed=mixed)
            return f"SELECT {column} AS l FROM ({grouped}) AS {self._name()}"
        if query.valuesLists or (query.distinctClause is None and not is_set_operation(query)):
            return ""
        names, _ = cells(len(self.scopes.output(query)))
        most = "pg_catalog.count(*)"
        if is_set_operation(query):
            if query.op != SetOperation.SETOP_UNION:
                most = f"LEAST(pg_catalog.count(*) FILTER (WHERE s {EQ} 0), pg_catalog.sum(s))"
            lead = self._with(query)
            a, b = self._name(), self._name()
            rows = (
                f"{lead}SELECT {a}.*, 0 FROM ({self.derived(query.larg, self._name())}) AS {a}"
                f" UNION ALL SELECT {b}.*, 1 FROM ({self.derived(query.rarg, self._name())}) AS {b}"
            )
        else:
            a = self._name()
            rows = f"SELECT {a}.*, 0 FROM ({self._whole(query, self._name())}) AS {a}"
        return (
            f"SELECT {some('l', self.members)} AS l FROM ({rows}) AS {self._name()}({names}, l, s)"
            f" GROUP BY {names} ORDER BY {most} DESC"
        )

    def _whole(self, query: Any, column: str, *, mixed: bool = False) -> str:
        """A query level as `derived`, without DISTINCT, HAVING and LIMIT."""
        rest = _without(query, "distinctClause", "havingClause", "limitCount", "limitOffset")
        rest.limitOption = LimitOption.LIMIT_OPTION_DEFAULT
        lead = self._with(query)
        source, tokens = self._from(query)
        tail = self._tail(rest)
        if query.groupClause and (mixed or not query.sortClause):
            rest.sortClause = None
            counts = [f"pg_catalog.count(DISTINCT {t})" for t in tokens if mixed]
            largest = f"LEAST({', '.join(counts)})" if counts else "pg_catalog.count(*)"
            tail = f"{self._tail(rest)} ORDER BY {largest} DESC"
        return f"{lead}SELECT {self._list(query, column, tokens)}{source}{self._where(query)}{tail}"

    def derived(self, query: Any, column: str, lead: str | None = None) -> str:
        """The query with its own columns and a last one, `column`, that holds the lineage of each row."""
        lead = self._with(query) if lead is None else lead
        if query.valuesLists:
            name = self._name()
            return f"SELECT {name}.*, NULL::pg_catalog.text AS {column} FROM ({to_sql(query)}) AS {name}"
        if is_set_operation(query):
            return lead + self._set_operation(query, column)
        source, tokens = self._from(query)
        distinct = ""
        if query.distinctClause is not None:
            keys = [to_sql(n) for n in query.distinctClause if n is not None]
            keys = keys or [str(i) for i in range(1, len(self.scopes.output(query)) + 1)]
            distinct = f"DISTINCT ON ({', '.join(keys)}) "
        tail = self._tail(_without(query, "distinctClause"))
        listed = self._list(query, column, tokens)
        return f"{lead}SELECT {distinct}{listed}{source}{self._where(query)}{tail}"

    def _list(self, query: Any, column: str, tokens: list[str]) -> str:
        """The select list of a level, and the lineage."""
        tokens = [*tokens, *self._sublinks(query)]
        own = joined(tokens) if tokens else "NULL::pg_catalog.text"
        if is_aggregated(query):
            own = some(own, self.members)
        elif is_windowed(query):
            own = self._window(query, own)
        targets = [self._target(t, query) for t in query.targetList or ()]
        return ", ".join([*targets, f"{own} AS {column}"])

    def _tail(self, level: Any) -> str:
        """What follows WHERE."""
        rest = _without(level, "withClause", "fromClause", "whereClause")
        rest.targetList = _ONE
        return to_sql(rest).removeprefix("SELECT 1")

    def _name(self) -> str:
        return f"_aw_l{next(self._numbers)}"

    # FROM

    def _from(self, query: Any) -> tuple[str, list[str]]:
        """The FROM clause with lineage versions in it, and the token expressions of its items."""
        if not query.fromClause:
            return "", []
        scope = self.scopes.scope(query)
        replaced: dict[str, str] = {}
        tokens: list[str] = []
        items = [self._item(n, scope, replaced, tokens, hidden=False) for n in query.fromClause]
        text = ", ".join(to_sql(n) for n in items)
        for placeholder, derived in replaced.items():
            text = text.replace(placeholder, derived)
        return f" FROM {text}", tokens

    def _item(
        self, node: Any, scope: Scope, replaced: dict[str, str], tokens: list[str], *, hidden: bool
    ) -> Any:
        if isinstance(node, ast.JoinExpr):
            new = ast.JoinExpr(
                jointype=node.jointype,
                isNatural=node.isNatural,
                usingClause=node.usingClause,
                join_using_alias=node.join_using_alias,
                quals=node.quals,
                alias=node.alias,
                rtindex=0,
            )
            inside = hidden or node.alias is not None
            if node.alias is not None:
                self.by_value.add(f"the join {node.alias.aliasname}")
            new.larg = self._item(node.larg, scope, replaced, tokens, hidden=inside)
            new.rarg = self._item(node.rarg, scope, replaced, tokens, hidden=inside)
            return new
        item = next(i for i in scope.items if i.node is node)
        if hidden:
            return node
        if item.relation is not None:
            tokens.append(token(self.sources[item.relation.oid], item.name))
            return node
        if item.cte is not None:
            known = self._cte_columns.get(id(item.cte.node))
            if known is None:
                self.by_value.add(f"the recursive WITH query {item.cte.node.ctename}")
                return node
            name, column = known
            tokens.append(f"{quote_identifier(item.name)}.{column}")
            return ast.RangeVar(
                relname=name,
                inh=True,
                relpersistence="p",
                alias=node.alias or ast.Alias(aliasname=item.name),
            )
        if is_a(node, ast.RangeSubselect):
            if node.subquery.valuesLists or not item.name:
                return node
            column = self._name()
            placeholder = f"_aw_p{next(self._numbers)}_"
            lateral = "LATERAL " if node.lateral else ""
            replaced[placeholder] = f"{lateral}({self.derived(node.subquery, column)})"
            tokens.append(f"{quote_identifier(item.name)}.{column}")
            return ast.RangeVar(relname=placeholder, inh=True, relpersistence="p", alias=node.alias)
        return node

    def _with(self, query: Any) -> str:
        """The WITH clause: each query as it is, and its lineage version beside it."""
        clause = query.withClause
        if clause is None:
            return ""
        parts: list[str] = []
        for node in clause.ctes:
            parts.append(to_sql(node))
            inner = node.ctequery
            recursive = clause.recursive and any(
                isinstance(n, ast.RangeVar) and n.relname == node.ctename for n in walk(inner)
            )
            if recursive or inner.valuesLists:
                continue
            column = self._name()
            name = f"_aw_c{next(self._numbers)}"
            body = self.derived(inner, column)
            columns = ""
            if node.aliascolnames:
                aliases = [quote_identifier(n.sval) for n in node.aliascolnames]
                names = [quote_identifier(n) for n in self.scopes.output(inner)]
                columns = f"({', '.join([*aliases, *names[len(aliases) :], column])})"
            parts.append(f"{name}{columns} AS ({body})")
            self._cte_columns[id(node)] = (name, column)
        return f"WITH {'RECURSIVE ' if clause.recursive else ''}{', '.join(parts)} "

    # the select list, DISTINCT, ORDER BY

    def _target(self, target: Any, query: Any) -> str:
        """One item of the select list; a star becomes its columns, lineage versions have one more."""
        star = star_of(target)
        if star is None:
            return to_sql(target)
        scope = self.scopes.scope(query)
        return ", ".join(
            f"{quote_identifier(name)}.{quote_identifier(column)}" if name else quote_identifier(column)
            for name, column in star_columns(scope, star)
        )

    def _window(self, query: Any, own: str) -> str:
        """A row's neighbours in the partition of each window decide over its value."""
        frame = f"ROWS BETWEEN {WINDOW_NEIGHBOURS} PRECEDING AND {WINDOW_NEIGHBOURS} FOLLOWING"
        near = [
            f"pg_catalog.array_to_string(pg_catalog.array_agg({own}) OVER"
            f" ({f'PARTITION BY {p} ' if p else ''}{frame}), {RECORD_SQL})"
            for p in partitions(query)
        ]
        return f"pg_catalog.concat_ws({RECORD_SQL}, {', '.join([own, *near])})"

    # set operations

    def _set_operation(self, query: Any, column: str) -> str:
        names = self.scopes.output(query)
        left, right = self._name(), self._name()
        sides = f"({self.derived(query.larg, left)}) UNION ALL ({self.derived(query.rarg, right)})"
        kind = query.op.name
        tail = copy_tree(query)
        if kind == "SETOP_UNION" and query.all:
            inner = sides
            own = quote_identifier(left)
        else:
            left_cells, numbers = cells(len(names))
            a, b = self._name(), self._name()
            inner = (
                f"SELECT {left_cells}, s, l FROM"
                f" (SELECT {a}.*, 0 FROM ({self.derived(query.larg, left)}) AS {a}"
                f" UNION ALL SELECT {b}.*, 1 FROM ({self.derived(query.rarg, right)}) AS {b})"
                f" AS {self._name()}({left_cells}, l, s)"
            )
            having = {
                "SETOP_UNION": "",
                "SETOP_INTERSECT": f" HAVING pg_catalog.bool_or(s {EQ} 0) AND pg_catalog.bool_or(s {EQ} 1)",
                "SETOP_EXCEPT": f" HAVING pg_catalog.bool_and(s {EQ} 0)",
            }[kind]
            own = (
                f"pg_catalog.concat_ws({RECORD_SQL}, pg_catalog.min(l) FILTER (WHERE s {EQ} 0),"
                f" pg_catalog.min(l) FILTER (WHERE s {EQ} 1))"
            )
            inner = f"SELECT {left_cells}, {own} FROM ({inner}) AS {self._name()} GROUP BY {numbers}{having}"
        tail.withClause = tail.larg = tail.rarg = None
        tail.op = SetOperation.SETOP_NONE
        tail.targetList = _ONE
        listed = ", ".join([*map(quote_identifier, names), column])
        rest = to_sql(tail).removeprefix("SELECT 1")
        return f"SELECT * FROM ({inner}) AS {self._name()}({listed}){rest}"

    # sublinks

    def _where(self, query: Any, *, flipped: bool = False) -> str:
        if query.whereClause is None:
            return ""
        condition = flip(copy_tree(query.whereClause)) if flipped else query.whereClause
        return f" WHERE {to_sql(condition)}"

    def _sublinks(self, query: Any) -> list[str]:
        """The rows of sublinks in WHERE, the select list, HAVING, ORDER BY and the joins' conditions."""
        found: list[str] = []
        joins = [n.quals for n in walk(query.fromClause, into_queries=False) if isinstance(n, ast.JoinExpr)]
        parts = (query.targetList, query.whereClause, query.havingClause, query.sortClause, tuple(joins))
        for node in walk(tuple(p for p in parts if p is not None), into_queries=False):
            if isinstance(node, ast.SubLink):
                found.extend(self._sublink(node))
        return found

    def _sublink(self, node: Any) -> list[str]:
        query = node.subselect
        kind = node.subLinkType.name
        if kind == "ANY_SUBLINK" and len(self.scopes.output(query)) == 1:
            column, value = self._name(), f"_aw_k{next(self._numbers)}"
            operator = node.operName[-1].sval if node.operName else "="
            body = self.derived(query, column)
            inner = (
                f"SELECT {column} AS l FROM ({body}) AS {self._name()}({value}, {column})"
                f" WHERE ({to_sql(node.testexpr)}) {operator} {value}"
            )
            return [some_of(inner)]
        inner_rows = self.rows(query, ordered=kind == "EXPR_SUBLINK")
        return [some_of(inner) for inner in inner_rows]


_ONE: Final = (ast.ResTarget(val=ast.A_Const(val=ast.Integer(ival=1), isnull=False)),)


def _without(query: Any, *clauses: str) -> Any:
    """A copy of a query level without some of its clauses, which shares the others."""
    new = copy_node(query, lambda value: value)
    for name in clauses:
        setattr(new, name, None)
    return new
