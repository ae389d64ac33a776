"""SQL from pglast's parse trees: what `RawStream` writes, in a third of its time.

Owns: printing whole trees, or parts of one.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from pglast import ast
from pglast.printers import get_printer_for_node
from pglast.stream import RawStream, maybe_double_quote_name
from pglast.visitors import Ancestor

_NOTHING: Final = nullcontext()
set_field: Final = object.__setattr__
"""Without pglast's check of the value's type: what is set here comes from a tree."""


def to_sql(tree: Any) -> str:
    """A node, or the statements of a text, as SQL.

    Raises NotImplementedError and RecursionError where pglast does.
    """
    if isinstance(tree, tuple):
        return "; ".join(map(to_sql, tree))
    stream = _Stream()
    _tell_ancestors(tree, Ancestor(Ancestor(), (tree,), 0))
    stream.print_node(tree)
    return str(stream.getvalue())


class _Context:
    """Printing in another context of expressions, and back."""

    __slots__ = ("_before", "_context", "_stream")

    def __init__(self, stream: RawStream, context: Any) -> None:
        self._stream, self._context = stream, context

    def __enter__(self) -> None:
        self._before = self._stream.expr_context
        self._stream.expr_context = self._context

    def __exit__(self, *_: object) -> None:
        self._stream.expr_context = self._before


class _Parentheses:
    __slots__ = ("_stream",)

    def __init__(self, stream: RawStream) -> None:
        self._stream = stream

    def __enter__(self) -> None:
        self._stream.write("(")

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._stream.write(")")


class _Stream(RawStream):
    """A stream that makes no generator for each operand, and writes a name of several parts at once."""

    def push_indent(self, amount: int = 0, relative: bool = True) -> AbstractContextManager[None]:
        return _NOTHING

    def push_expr_context(self, ctx: Any) -> AbstractContextManager[None]:
        return _NOTHING if ctx is self.expr_context else _Context(self, ctx)

    def expression(self, need_parens: bool) -> AbstractContextManager[None]:
        return _Parentheses(self) if need_parens else _NOTHING

    def print_name(self, nodes: Any, sep: str = ".") -> None:
        if type(nodes) is tuple and sep == "." and all(type(n) is ast.String for n in nodes):
            self.write(".".join([maybe_double_quote_name(n.sval) for n in nodes]))
            self.separator()
        else:
            super().print_name(nodes, sep)

    def print_node(self, node: Any, is_name: bool = False, is_symbol: bool = False) -> None:
        if is_name or not isinstance(node, ast.Node):
            super().print_node(node, is_name, is_symbol)
        else:
            get_printer_for_node(node)(node, self)
            self.separator()


def _tell_ancestors(node: Any, above: Ancestor) -> None:
    """What `populate_ancestors` does, which takes half of the time of RawStream."""
    set_field(node, "ancestors", above)
    for name in CHILD_FIELDS[type(node)] or ():
        value = getattr(node, name)
        if value is None:
            continue
        kind = type(value)
        if kind is tuple:
            _tell_parts(value, Ancestor(above, node, name))
        elif CHILD_FIELDS[kind] is not None:
            _tell_ancestors(value, Ancestor(above, node, name))


def _tell_parts(parts: Any, within: Ancestor) -> None:
    for i, part in enumerate(parts):
        kind = type(part)
        if kind is tuple:
            _tell_parts(part, Ancestor(within, parts, i))
        elif CHILD_FIELDS[kind] is not None:
            _tell_ancestors(part, Ancestor(within, parts, i))


class _ChildFields(dict[Any, tuple[str, ...] | None]):
    def __missing__(self, kind: Any) -> tuple[str, ...] | None:
        found = None
        if issubclass(kind, ast.Node):
            types = {name: types for name, (_, types, _) in kind.__slots__.items()}
            found = tuple(name for name, kinds in types.items() if _holds_nodes(kinds))
        self[kind] = found
        return found


CHILD_FIELDS: Final = _ChildFields()
"""For a class of nodes the fields that can hold nodes; None for any other class."""


def _holds_nodes(kinds: Any) -> bool:
    each = kinds if isinstance(kinds, tuple) else (kinds,)
    return any(k is tuple or issubclass(k, ast.Node) for k in each)
