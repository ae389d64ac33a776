"""What fixtures may share: workers steal tests, so that a process may come back to a module."""

from __future__ import annotations

import ast
from pathlib import Path

from house.checkout import ROOT


def _of_modules(path: Path) -> list[str]:
    """The fixtures of modules in a file that make something in the folder of all modules."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name != "module_folder":
            made = "".join(map(ast.unparse, node.decorator_list))
            if "scope='module'" in made and any(a.arg == "open_folder" for a in node.args.args):
                found.append(f"{path.relative_to(ROOT)}: {node.name}")
    return found


def test_a_module_has_a_new_folder_each_time() -> None:
    assert [name for path in sorted((ROOT / "tests").rglob("*.py")) for name in _of_modules(path)] == []
