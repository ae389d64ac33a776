"""The texts of all errors, read from the source that raises them.

Owns: finding every call that makes an error of the tree in core/errors.py, and writing its texts with
the variable parts in angle brackets. Nothing is imported or run but the tree itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDERS: Final = ("core", "sql", "language", "llm", "planner", "verifier", "selector", "store", "proxy")
"""The folders that are shipped."""


LOG_IN: Final = "log-in"
"""Under this name stand errors that end a connection; their texts begin with the SQLSTATE."""
_SQLSTATE: Final = re.compile(r"[0-9A-Z]{5}")


@dataclass(frozen=True, order=True)
class ErrorText:
    """One error as the source writes it; parts that vary are `‹named›`."""

    message: str
    detail: str
    hint: str


def texts_of(root: Path, classes: Mapping[str, object]) -> dict[str, list[ErrorText]]:
    """By name of class, the texts that the source under `root` gives it, each once and sorted."""
    found: dict[str, set[ErrorText]] = {name: set() for name in (*classes, LOG_IN)}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            for name, text in _of_module(ast.parse(path.read_text("utf-8")), classes):
                found[name].add(text)
    return {name: sorted(texts) for name, texts in found.items()}


def _of_module(tree: ast.Module, classes: Mapping[str, object]) -> Iterator[tuple[str, ErrorText]]:
    constants = {
        target.id: node.value
        for node in tree.body
        for target in _targets(node)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name in classes:
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and _is_init(call.func):
                    yield from _text(node.name, call, constants)
        elif isinstance(node, ast.Call):
            name = _made_by(node.func)
            if name in classes:
                yield from _text(name, node, constants)


def _made_by(function: ast.expr) -> str:
    """The class of the error that a call makes, '' for none: the gate's helpers make its refusals."""
    name = function.attr if isinstance(function, ast.Attribute) else ""
    if isinstance(function, ast.Name):
        name = function.id
    return "RefusedByGate" if name in ("refuse", "refusal") else name


def _targets(node: ast.stmt) -> Iterator[ast.Name]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    yield from (target for target in targets if isinstance(target, ast.Name))


def _is_init(function: ast.expr) -> bool:
    """Whether a function is `super().__init__`."""
    return isinstance(function, ast.Attribute) and function.attr == "__init__"


def _text(name: str, call: ast.Call, constants: Mapping[str, ast.expr]) -> Iterator[tuple[str, ErrorText]]:
    given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    message = call.args[0] if call.args else given.get("message")
    if message is None or not _has_words(message, constants):
        return
    parts = (message, given.get("detail"), given.get("hint"))
    text = ErrorText(*(_written(part, constants) if part else "" for part in parts))
    if _SQLSTATE.fullmatch(text.message):
        told = " ".join(_written(part, constants) for part in call.args)
        yield LOG_IN, ErrorText(told, text.detail, text.hint)
    else:
        yield name, text


def _has_words(node: ast.expr, constants: Mapping[str, ast.expr]) -> bool:
    """Whether a text says anything by itself: a message that another function makes is found there."""
    written = _written(node, constants)
    return any(not part.startswith("‹") and part.strip(" :;,.()") for part in _parts(written))


def _parts(text: str) -> list[str]:
    """A text cut at its variable parts, which begin with `‹`."""
    parts: list[str] = []
    for piece in text.split("›"):
        before, bracket, named = piece.partition("‹")
        parts.append(before)
        if bracket:
            parts.append("‹" + named)
    return parts


def _written(node: ast.expr, constants: Mapping[str, ast.expr]) -> str:
    """An expression as text: literals as they are, what varies as a name in angle brackets."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_written(value, constants) for value in values)
        case ast.FormattedValue(value=value):
            return _written(value, constants)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _written(left, constants) + _written(right, constants)
        case ast.IfExp(body=body, orelse=other):
            pair = [_written(part, constants) for part in (body, other)]
            return " / ".join(filter(None, pair))
        case ast.Name(id=name):
            constant = constants.get(name)
            return str(constant.value) if isinstance(constant, ast.Constant) else f"‹{_name(node)}›"
        case _:
            return f"‹{_name(node)}›"


def _name(node: ast.expr) -> str:
    """What to call a part that varies: the last name in its expression."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name.strip("_")
        case ast.Call(func=function, args=[argument, *_]) if _name(function) in _TRANSPARENT:
            return _name(argument)
        case ast.Call(func=function):
            return _name(function)
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
        case ast.Subscript(slice=ast.Name(id=name)):
            return name.strip("_").lower()
        case ast.Subscript(value=value) | ast.Starred(value=value) | ast.Await(value=value):
            return _name(value)
        case _:
            return "…"


_TRANSPARENT: Final = frozenset({"str", "reason", "repr", "len", "counted", "join", "quoted", "sorted"})
"""Functions that change how a value is written and not which it is."""
