"""A look at code before it runs: what it may not do, said so that anyone who wrote it can put it right.

Owns: which syntax, names, attributes and modules pass. It is no boundary (there is always another way to
spell a thing); what holds is `kernel`.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable
from typing import Final

MAX_SCRIPT_CHARACTERS: Final = 20_000
MODULES: Final = frozenset(
    {
        *("pandas", "numpy", "datetime", "math", "re", "collections", "itertools", "functools"),
        *("decimal", "statistics", "string", "operator"),
    }
)
"""What may be imported: all of it is there already."""
NAMES: Final = frozenset(
    {
        *("abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "format"),
        *("frozenset", "id", "int", "isinstance", "iter", "len", "list", "map", "max", "min", "next"),
        *("pow", "print", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum"),
        *("tuple", "type", "zip", "True", "False", "None", "NotImplemented"),
        *("ArithmeticError", "AssertionError", "AttributeError", "Exception", "IndexError", "KeyError"),
        *("LookupError", "StopIteration", "TypeError", "ValueError", "ZeroDivisionError"),
    }
)
"""The builtins a script has."""

_FENCE: Final = re.compile(r"\A\s*```[a-zA-Z0-9_+-]*[ \t]*\n(.*?)(?:\n```\s*)?\Z", re.DOTALL)
_NODES: Final = (
    *(ast.Module, ast.Expression, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Pass),
    *(ast.If, ast.For, ast.While, ast.Break, ast.Continue, ast.With, ast.withitem, ast.Assert, ast.Raise),
    *(ast.Try, ast.ExceptHandler, ast.FunctionDef, ast.Lambda, ast.Return, ast.arguments, ast.arg),
    *(ast.Import, ast.ImportFrom, ast.alias, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred),
    *(ast.Call, ast.keyword, ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.List, ast.Tuple, ast.Set),
    *(ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.IfExp),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.NamedExpr, ast.boolop, ast.operator),
    *(ast.unaryop, ast.cmpop, ast.expr_context),
)
_ALLOWED_CONVERSIONS: Final = frozenset(
    {
        *("to_datetime", "to_dict", "to_frame", "to_list", "to_numeric", "to_numpy", "to_period"),
        *("to_pydatetime", "to_records", "to_string", "to_timedelta", "to_timestamp", "to_flat_index"),
    }
)
_REFUSED: Final = frozenset(
    {
        # ways from pandas and numpy to files, processes and other modules
        *("io", "os", "sys", "core", "compat", "util", "api", "plotting", "builtins", "subprocess", "ctypes"),
        *("ctypeslib", "testing", "distutils", "f2py", "lib", "fromfile", "tofile", "load", "loads", "save"),
        *(
            "savez",
            "savez_compressed",
            "savetxt",
            "loadtxt",
            "genfromtxt",
            "fromregex",
            "memmap",
            "DataSource",
        ),
        *("open_memmap", "dump", "dumps", "HDFStore", "ExcelWriter", "ExcelFile", "show_versions", "test"),
        *("show_config", "frombuffer", "as_ctypes", "plot", "hist", "boxplot", "style", "modules"),
        # ways to run text, or to an attribute by its name
        *("eval", "exec", "compile", "query", "attrgetter", "methodcaller", "format_map", "Formatter"),
        # ways from a function or generator to what lies around it
        *("gi_frame", "gi_code", "gi_yieldfrom", "cr_frame", "ag_frame", "tb_frame", "tb_next"),
        *("f_globals", "f_locals", "f_builtins", "f_back", "f_code", "func_globals", "mro"),
    }
)
_ALTERNATIVES: Final = {
    "query": "compare columns instead: frame[frame['a'] > 1]",
    "eval": "compute with columns instead: frame['a'] + frame['b']",
}


def unfenced(text: str) -> str:
    """Code as a model gives it, without the fence around it."""
    fenced = _FENCE.match(text)
    return (fenced[1] if fenced else text).strip() + "\n"


def refusal(code: str) -> str:
    """Why code is not run, in one line; '' when nothing in it is refused."""
    if len(code) > MAX_SCRIPT_CHARACTERS:
        return f"the code is longer than {MAX_SCRIPT_CHARACTERS} characters"
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        return f"SyntaxError: {error.msg} (line {error.lineno or 0})"
    except ValueError as error:
        return f"ValueError: {error}"
    except (MemoryError, RecursionError) as error:
        return f"{type(error).__name__}: the code cannot be read"
    for node in ast.walk(tree):
        found = _refused(node)
        if found:
            return f"{found} (line {getattr(node, 'lineno', 0)})"
    return ""


def _refused(node: ast.AST) -> str:
    if not isinstance(node, _NODES):
        return f"{type(node).__name__} is not possible here"
    if isinstance(node, ast.Import):
        return _module(alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return _imported_from(node)
    if isinstance(node, ast.Name):
        return _name(node.id)
    if isinstance(node, ast.Attribute):
        return _attribute(node.attr)
    if isinstance(node, ast.FunctionDef):
        return "" if not node.decorator_list else "decorators are not possible here"
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        # 'to_csv' is a method's name wherever pandas takes a function by its name
        return (
            _attribute(node.value)
            if node.value.isidentifier() and _is_method(node.value)
            else _text(node.value)
        )
    return ""


def _module(names: Iterable[str]) -> str:
    for name in names:
        if name not in MODULES:
            return f"module {name!r} is not there; there are {', '.join(sorted(MODULES))}"
    return ""


def _imported_from(node: ast.ImportFrom) -> str:
    if node.level or node.module not in MODULES:
        return _module([node.module or "."])
    for alias in node.names:
        if found := _attribute(alias.name):
            return found
    return "names must be imported one by one" if any(a.name == "*" for a in node.names) else ""


def _name(name: str) -> str:
    if name.startswith("__"):
        return f"the name {name!r} is not possible here"
    if hasattr(builtins, name) and name not in NAMES:
        return f"the function {name!r} is not there"
    return ""


def _attribute(name: str) -> str:
    if name.startswith(("_", "read_")) or name in _REFUSED or _writes(name):
        instead = f"; {_ALTERNATIVES[name]}" if name in _ALTERNATIVES else ""
        return f"{name!r} is not possible here{instead}"
    return ""


def _writes(name: str) -> bool:
    return name.startswith("to_") and name not in _ALLOWED_CONVERSIONS


def _is_method(name: str) -> bool:
    """Whether a text can only be meant as a method that leads outside: data may well say 'load'."""
    leads = name.startswith(("__", "read_")) or name in ("eval", "query", "tofile") or _writes(name)
    return leads and name.isidentifier()


def _text(text: str) -> str:
    return "'__' is not possible in a text here" if "__" in text else ""
