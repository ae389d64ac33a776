"""docs/papers.md against its table, and the table against the files and tests that it names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from askwire.bench.papers import ELEMENTS, PAPERS, Element, page

ROOT = Path(__file__).parents[2]


def _name(element: Element) -> str:
    return f"{element.paper}: {element.name}"


def test_the_page_is_what_the_table_makes() -> None:
    assert (ROOT / "docs" / "papers.md").read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("element", ELEMENTS, ids=_name)
def test_an_element_has_its_file_and_its_test(element: Element) -> None:
    assert element.paper in PAPERS
    assert (ROOT / element.place).is_file()
    path, _, name = element.test.partition("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {n.name for n in ast.walk(tree) if isinstance(n, ast.AsyncFunctionDef | ast.FunctionDef)}


def test_no_element_is_listed_twice() -> None:
    names = [_name(element) for element in ELEMENTS]
    assert len(names) == len(set(names))
