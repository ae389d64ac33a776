"""Words of a question → tables and columns."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.linking.linker import Linker


def _named(index, option):
    if option.table:
        return index.tables[option.index].relation.name
    column = index.columns[option.index]
    return f"{index.tables[column.table].relation.name}.{column.column.name}"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("customer",), "customers"),
        (("customer", "name"), "customers.name"),
        (("unit", "price"), "order_lines.unit_price"),
        (("client",), "customers"),
        (("custommer",), "customers"),
        (("revenue",), "order_lines.amount"),
    ],
)
def test_links(index, words, expected):
    assert _named(index, Linker(index).options(words)[0]) == expected
