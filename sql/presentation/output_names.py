"""Names for what a query shows: each column has one, and no two have the same.

Owns: when an output column of the outermost query lacks a name or shares one, and what to call it then.
PostgreSQL lets outputs be called `?column?` or alike, but a view, a table made of them, and most tools do
not.

    SELECT c.name, p.name, sum(l.price) / count(*) FROM … →
    SELECT c.name, p.name AS products_name, sum(l.price) / count(*) AS sum_price_per_count FROM …
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pglast import ast, parse_sql
from pglast.enums import A_Expr_Kind, SetOperation, SubLinkType
from pglast.parser import ParseError

from askwire.sql.literals import quote_identifier
from askwire.sql.parsing import parsed
from askwire.sql.printing import to_sql
from askwire.sql.scan import Token, significant
from askwire.sql.tracing.tree import is_a, walk

_MAX_INITIALS_LENGTH: Final = 4
"""Aliases up to this long are mostly initials, and are silent."""
_MAX_NAME_LENGTH: Final = 40
_MAX_QUERY_CHARACTERS: Final = 20_000
"""Characters; no one reads the names of a longer query."""
_SIGNS: Final = {"+": "plus", "-": "minus", "*": "times", "/": "per", "%": "mod"}
_BEHIND_TARGETS: Final = frozenset(
    {"from", "where", "group", "having", "window", "union", "intersect", "except", "order", "limit"}
    | {"offset", "fetch", "for", "into"}
)
_NO_END: Final = frozenset({("distinct", "from"), ("within", "group")})
"""Words that end the list of outputs elsewhere: IS DISTINCT FROM, WITHIN GROUP."""
_BY_KEY: Final = frozenset({"->", "->>", "#>", "#>>"})
_CALLED_AS: Final = {"avg": "average", "sum": "total"}
"""Aggregates, as people name what they give."""
_TIME_PART_FUNCTIONS: Final = frozenset({"date_trunc", "extract", "date_part"})
_MEDIAN: Final = 0.5
_TIME_PART_NAMES: Final = {
    "fmday": "weekday",
    "day": "day",
    "isodow": "weekday",
    "dow": "weekday",
    "fmmonth": "month",
}
"""Parts of a time, as functions are shown them → what people call them."""
_NAMELESS: Final = (ast.A_Expr, ast.A_Const, ast.BoolExpr, ast.NullTest, ast.BooleanTest, ast.ParamRef)
_SELF_NAMING_QUERY: Final = re.compile(
    r"SELECT (?:DISTINCT )?(?P<outputs>{0}(?:, {0})*) FROM ".format(
        r"(?:(?:count|sum|avg|min|max)\((?:DISTINCT )?[a-z0-9_.*]+\)|[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?)"
    )
)
"""A query that begins with columns and aggregates of them: these have the names that stand there."""
_HUNDRED: Final = frozenset({"100", "100.0", "100.00"})


def with_output_names(sql: str, wanted: Sequence[str] = ()) -> str:
    """The query with an alias for each output that has no name of its own; as it is where all have one.

    `wanted` are names for outputs by their place, '' for none, given to those without an alias. A query that
    does not parse, several statements, and outputs by `*` that might share a name stay as they are. Only the
    list of outputs of the outermost query (the first of a set operation) changes.
    """
    if not any(wanted) and _has_names(sql):
        return sql
    if any(wanted) and (plainly := _with_wanted(sql, wanted)):
        return plainly
    try:
        return _with_output_names(sql, wanted) if len(sql) <= _MAX_QUERY_CHARACTERS and parsed(sql) else sql
    except (ParseError, NotImplementedError, RecursionError):
        return sql


def _with_wanted(sql: str, wanted: Sequence[str]) -> str:
    """The query with the wanted names, where it can be seen without parsing that they fit; else ''."""
    said = _SELF_NAMING_QUERY.match(sql)
    outputs = said["outputs"].split(", ") if said else []
    if said is None or len(outputs) != len(wanted):
        return ""
    names = [
        name or (o.partition("(")[0] if o.endswith(")") else o.rpartition(".")[2])
        for o, name in zip(outputs, wanted, strict=True)
    ]
    given = [name for name in wanted if name]
    read = any(re.search(rf"\b{re.escape(name)}\b", sql) for name in given)  # ORDER BY would mean the output
    plain = all("." in o or o.endswith(")") or _plain(o) for o in outputs)
    if read or not plain or len(set(names)) != len(names):
        return ""
    told = [f"{o} AS {quote_identifier(w)}" if w else o for o, w in zip(outputs, wanted, strict=True)]
    return f"{sql[: said.start('outputs')]}{', '.join(told)}{sql[said.end('outputs') :]}"


def _has_names(sql: str) -> bool:
    """Whether it can be seen without parsing that every output has a name of its own."""
    said = _SELF_NAMING_QUERY.match(sql)
    if said is None:
        return False
    outputs = said["outputs"].split(", ")
    names = {o.partition("(")[0] if o.endswith(")") else o.rpartition(".")[2] for o in outputs}
    plain = all("." in o or o.endswith(")") or _plain(o) for o in outputs)  # CURRENT_DATE is no column
    return plain and len(names) == len(outputs)


def _with_output_names(sql: str, wanted: Sequence[str]) -> str:
    tree = parse_sql(sql)
    if len(tree) != 1 or not is_a(tree[0].stmt, ast.SelectStmt):
        return sql
    select = _outermost(tree[0].stmt)
    if not select.targetList or any(_is_star(t.val) for t in select.targetList):
        return sql
    given = wanted if len(wanted) == len(select.targetList) else ()
    aliases = _aliases(select, _columns_named(tree[0].stmt), given)
    if not aliases:
        return sql
    named = _spliced(sql, select, aliases)
    return named if named and _differs_in_names_only(sql, named) else sql


def _outermost(select: Any) -> Any:
    while select.op != SetOperation.SETOP_NONE:
        select = select.larg
    return select


def _is_star(node: Any) -> bool:
    return is_a(node, ast.ColumnRef) and is_a(node.fields[-1], ast.A_Star)


def _aliases(select: Any, columns: frozenset[str], given: Sequence[str]) -> dict[int, str]:
    """The outputs that need another name: place in the list → name; `given` are names by place.

    No name is taken that a column has which the query reads: ORDER BY would mean the output by it.
    """
    found: dict[int, str] = {}
    names = [target.name or _own_name(target.val) for target in select.targetList]
    taken = {*columns, *filter(None, names)}
    seen: set[str] = set()
    numbers: dict[str, int] = {}
    for place, (target, name) in enumerate(zip(select.targetList, names, strict=True)):
        called = given[place] if given else ""
        better = "" if target.name else called or _unit(target.val) or _key(target.val) or _behind(target.val)
        if name and name not in seen and not better:
            seen.add(name)
            continue
        if target.name:
            continue  # its writer has called two outputs alike
        base = better or _qualified(target.val, select) or _described(target.val) or _plain(name) or "value"
        wanted, number = base, numbers.get(base, 1)
        while wanted in taken:
            number += 1
            wanted = f"{base}_{number}"
        numbers[base] = number
        taken.add(wanted)
        seen.add(wanted)
        found[place] = wanted
    return found


def _columns_named(statement: Any) -> frozenset[str]:
    read = (_own_name(node) for node in walk(statement) if is_a(node, ast.ColumnRef))
    return frozenset(filter(None, read))


def _plain(name: str | None) -> str:
    return name if name and name == quote_identifier(name) else ""


def _own_name(node: Any) -> str | None:
    """What PostgreSQL calls an output (FigureColname of parse_target.c), None where it says `?column?`."""
    if is_a(node, ast.ColumnRef):
        return _last(node.fields)
    if is_a(node, ast.A_Indirection):
        return _last(node.indirection) or _own_name(node.arg)
    if is_a(node, ast.FuncCall):
        return str(node.funcname[-1].sval)
    if is_a(node, ast.TypeCast):
        return _own_name(node.arg) or str(node.typeName.names[-1].sval)
    if is_a(node, ast.CollateClause):
        return _own_name(node.arg)
    if is_a(node, ast.CaseExpr):
        return _own_name(node.defresult) or "case"
    if is_a(node, ast.SubLink):
        return _of_sublink(node)
    if is_a(node, ast.A_Expr) and node.kind == A_Expr_Kind.AEXPR_NULLIF:
        return "nullif"
    # others have a word of PostgreSQL's; that it is no one else's is enough here
    return None if node is None or is_a(node, *_NAMELESS) else type(node).__name__


def _of_sublink(node: Any) -> str | None:
    if node.subLinkType == SubLinkType.EXISTS_SUBLINK:
        return "exists"
    if node.subLinkType == SubLinkType.ARRAY_SUBLINK:
        return "array"
    if node.subLinkType == SubLinkType.EXPR_SUBLINK:
        inner = _outermost(node.subselect)
        if inner.targetList:
            return inner.targetList[0].name or _own_name(inner.targetList[0].val)
    return None


def _last(fields: Any) -> str | None:
    return next((f.sval for f in reversed(fields) if is_a(f, ast.String)), None)


def _unit(node: Any) -> str:
    """The unit that a time is cut to: 'month' of date_trunc('month', …)::date; 'age', 'weekday'."""
    while is_a(node, ast.TypeCast):
        node = node.arg
    if is_a(node, ast.FuncCall) and node.args:
        unit = node.args[0]
        if (
            node.funcname[-1].sval in _TIME_PART_FUNCTIONS
            and is_a(unit, ast.A_Const)
            and is_a(unit.val, ast.String)
        ):
            of = node.args[-1]
            aged = is_a(of, ast.FuncCall) and of.funcname[-1].sval == "age"
            return (
                "age"
                if aged
                else _TIME_PART_NAMES.get(str(unit.val.sval).lower(), str(unit.val.sval).lower())
            )
        if node.funcname[-1].sval == "percentile_cont" and is_a(
            unit.val if is_a(unit, ast.A_Const) else None, ast.Float
        ):
            return "median" if float(unit.val.fval) == _MEDIAN else ""
        written = node.args[-1]
        if node.funcname[-1].sval == "to_char" and is_a(written, ast.A_Const):
            return _TIME_PART_NAMES.get(str(getattr(written.val, "sval", "")).lower(), "")
    return ""


def _key(node: Any) -> str:
    """The last key that a value of JSON is read by: 'city' of (profile ->> 'city')::text."""
    while is_a(node, ast.TypeCast):
        node = node.arg
    if not is_a(node, ast.A_Expr) or node.name[-1].sval not in _BY_KEY:
        return ""
    key = node.rexpr
    if not is_a(key, ast.A_Const) or not is_a(key.val, ast.String):
        return ""
    last = key.val.sval.strip("{}").rpartition(",")[2].strip('"')
    return _plain(re.sub(r"\W+", "_", last).strip("_").lower())


def _qualified(node: Any, select: Any) -> str:
    """A column with the name of its table before it."""
    if not is_a(node, ast.ColumnRef) or len(node.fields) < 2:
        return ""
    qualifier = node.fields[-2].sval
    tables = list(_tables(select.fromClause or ()))
    table = next((r.relname for r in tables if _known_as(r) == qualifier), qualifier)
    if sum(r.relname == table for r in tables) > 1 and len(qualifier) > _MAX_INITIALS_LENGTH:
        table = qualifier  # of one table read in two roles, the role tells them apart
    return f"{table}_{_last(node.fields)}"


def _known_as(table: Any) -> str:
    return str(table.alias.aliasname if table.alias else table.relname)


def _tables(items: Any) -> Iterator[Any]:
    for item in items:
        if is_a(item, ast.RangeVar):
            yield item
        elif is_a(item, ast.JoinExpr):
            yield from _tables((item.larg, item.rarg))


def _described(node: Any) -> str:
    """Words for an expression: 'average_price'; '' where there are none, or too many."""
    if _is_percent(node):
        return "percent"
    if _is_share(node):
        return "ratio" if getattr(_divisor(node), "agg_filter", None) is not None else "share"
    words = _average(node) or _words(node)
    return words if len(words) <= _MAX_NAME_LENGTH and not words[:1].isdigit() else ""


def _average(node: Any) -> str:
    """'average_price' of a sum that is divided by how many different ones there are."""
    if not is_a(node, ast.A_Expr) or node.kind != A_Expr_Kind.AEXPR_OP or node.name[-1].sval != "/":
        return ""
    part, whole = node.lexpr, _divisor(node)
    while is_a(part, ast.TypeCast):
        part = part.arg
    calls = all(is_a(side, ast.FuncCall) and side.over is None for side in (part, whole))
    if not calls or (part.funcname[-1].sval, whole.funcname[-1].sval) != ("sum", "count"):
        return ""
    inner = _words(part.args[0]) if part.args else ""
    return f"average_{inner}" if inner else ""


def _behind(node: Any) -> str:
    """What is shown about groups before: a running total, or what came to the one before."""
    found: Iterator[Any] = walk(node)
    calls = [n for n in found if is_a(n, ast.FuncCall) and n.over is not None]
    names = {n.funcname[-1].sval for n in calls}
    if "lag" in names:
        return "growth_percent" if _is_percent(node) else "change"
    ordered = is_a(node, ast.FuncCall) and node in calls and bool(node.over.orderClause)
    return "running_total" if ordered and names <= {"sum", "count"} else ""


def _is_percent(node: Any) -> bool:
    """Whether a hundred times a ratio."""
    if not is_a(node, ast.A_Expr) or node.kind != A_Expr_Kind.AEXPR_OP:
        return False
    if node.name[-1].sval == "*":
        return _is_hundred(node.lexpr) or _is_hundred(node.rexpr)
    return node.name[-1].sval == "/" and _is_percent(node.lexpr)


def _is_share(node: Any) -> bool:
    """Whether rows that satisfy something of all, or of others, or what one group has of what all have."""
    if not is_a(node, ast.A_Expr) or node.name[-1].sval != "/":
        return False
    part = node.lexpr
    while is_a(part, ast.TypeCast):
        part = part.arg
    if not is_a(part, ast.FuncCall):
        return False
    whole = _divisor(node)
    of_all = is_a(whole, ast.FuncCall) and whole.over is not None and not whole.over.partitionClause
    if of_all or part.agg_filter is None:
        return of_all
    calls = is_a(whole, ast.FuncCall) and bool(part.args) and bool(whole.args)
    same = calls and part.funcname[-1].sval == whole.funcname[-1].sval
    return (same and part.args[0] == whole.args[0]) or _words(node.rexpr) == "count"


def _divisor(node: Any) -> Any:
    """What is divided by, without the NULLIF around it."""
    whole = node.rexpr
    nullif = is_a(whole, ast.A_Expr) and whole.kind == A_Expr_Kind.AEXPR_NULLIF
    return whole.lexpr if nullif else whole


def _is_hundred(node: Any) -> bool:
    if not is_a(node, ast.A_Const) or node.isnull:
        return False
    if is_a(node.val, ast.Integer):
        return bool(node.val.ival == 100)
    return is_a(node.val, ast.Float) and node.val.fval in _HUNDRED


def _words(node: Any) -> str:
    if is_a(node, ast.ColumnRef):
        return _last(node.fields) or ""
    if is_a(node, ast.A_Const) and is_a(node.val, ast.Integer):
        return str(node.val.ival)
    if is_a(node, ast.TypeCast):
        return _words(node.arg)
    if is_a(node, ast.FuncCall):
        name = node.funcname[-1].sval
        inner = [_words(a) for a in node.args or ()]
        if name == "count":
            return "_".join(filter(None, ("number_of", *inner[:1]))) if inner else "count"
        return "_".join(filter(None, (_CALLED_AS.get(name, name), *inner[:1])))
    if is_a(node, ast.A_Expr) and node.kind == A_Expr_Kind.AEXPR_NULLIF:
        return _words(node.lexpr)
    if is_a(node, ast.A_Expr) and node.kind == A_Expr_Kind.AEXPR_OP and node.name[-1].sval in _SIGNS:
        sides = [_words(node.lexpr), _words(node.rexpr)]
        return f"_{_SIGNS[node.name[-1].sval]}_".join(sides) if all(sides) else "".join(sides)
    return ""


def _spliced(sql: str, select: Any, aliases: dict[int, str]) -> str:
    """The text with the aliases behind their outputs; '' where it cannot be shown where one ends."""
    starts = [target.location or 0 for target in select.targetList]
    tokens = list(significant(sql, start=starts[0]))
    ends = _ends(sql, tokens, starts)
    if len(ends) != len(starts):
        return ""
    pieces, before = [], 0
    for place in sorted(aliases):
        pieces += [sql[before : ends[place]], f" AS {quote_identifier(aliases[place])}"]
        before = ends[place]
    return "".join([*pieces, sql[before:]])


def _ends(sql: str, tokens: list[Token], starts: list[int]) -> list[int]:
    """Where each output ends: before the comma that the next one stands behind, or what follows the list."""
    ends = []
    depth, before, word = 0, starts[0], ""
    upcoming = set(starts[1:])
    for number, token in enumerate(tokens):
        text = sql[token.start : token.end].lower()
        if depth == 0:
            following = tokens[number + 1].start if number + 1 < len(tokens) else -1
            if text == "," and following in upcoming:
                ends.append(before)
            elif text in (")", ";") or (text in _BEHIND_TARGETS and (word, text) not in _NO_END):
                break
        if len(text) == 1:
            depth += (text in "([") - (text in ")]")
        before, word = token.end, text
    return [*ends, before]


def _differs_in_names_only(sql: str, named: str) -> bool:
    tree, original = parse_sql(named), parse_sql(sql)
    for target in _outermost(tree[0].stmt).targetList or ():
        target.name = None
    for target in _outermost(original[0].stmt).targetList or ():
        target.name = None
    return to_sql(tree) == to_sql(original)
