"""The names that an item of a FROM clause has: its alias, and its columns under an alias list.

Owns: PostgreSQL's rules for them.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, Final

from pglast import ast

from askwire.sql.tracing.tree import is_a, strings


def alias_of(alias: Any) -> tuple[str, tuple[str, ...]]:
    """An alias and the column names with it; '' and nothing where there is none."""
    return (alias.aliasname or "", strings(alias.colnames)) if alias is not None else ("", ())


def function_names(node: Any) -> tuple[str, tuple[str, ...]]:
    """The name and the columns of a function in FROM: those given, else those PostgreSQL gives them.

    Of functions that return rows of several columns only those that take JSON apart are known.
    """
    alias, aliases = alias_of(node.alias)
    calls = [part[0] for part in node.functions or ()]
    called = [strings(c.funcname)[-1] if is_a(c, ast.FuncCall) else "" for c in calls]
    defined = tuple(d.colname for d in node.coldeflist or ())
    own = [_JSON_PAIRS if name in _JSON_EACH else (name,) for name in called]
    if len(own) == 1 and own[0] is not _JSON_PAIRS and alias:
        own = [(alias,)]
    names = (*(defined or chain.from_iterable(own)), *(("ordinality",) if node.ordinality else ()))
    return alias or called[0], renamed(names, aliases)


_JSON_EACH: Final = frozenset({"json_each", "json_each_text", "jsonb_each", "jsonb_each_text"})
_JSON_PAIRS: Final = ("key", "value")


def renamed(names: tuple[str, ...], aliases: tuple[str, ...]) -> tuple[str, ...]:
    """Column names under an alias list, which may be shorter."""
    return (*aliases, *names[len(aliases) :])
