"""What the lines of a detail table come to: quantity × price × (1 − discount), as a measure of its own.

Owns: which tables hold such lines, what their discount takes away, and what they come to before it. A stock
or a list of prices holds none: nothing was sold there.

    order_details (order_id, product_id, unit_price, quantity, discount) →
    a measure `revenue` of order_details: sum(unit_price * quantity * (1 - discount))
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from askwire.language.text import singular
from askwire.planner.embedded.schema import identifiers
from askwire.planner.embedded.schema.query_log_measures import QueryLogMeasure
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.query_patterns.patterns import ColumnName, Expression

REVENUE: Final = "revenue"
GIVEN: Final = "discount_given"
"""The measure that a sum of discounts stands for, where a discount is a part of a price."""
GROSS: Final = "gross_revenue"
"""What lines come to before their discounts."""
_QUANTITY: Final = frozenset({"quantity", "qty"})
_STOCKED: Final = frozenset({"stock", "hand", "reorder", "available", "inventory", "per", "min", "max"})
"""Quantities that tell what there is, or what belongs in a box, and not what was sold."""
_PRICE: Final = frozenset({"price"})
_LISTED: Final = frozenset({"list", "standard", "cost", "retail", "suggested", "msrp"})
_PERCENT: Final = frozenset({"percent", "percentage", "pct"})
_AMOUNT: Final = frozenset({"amount", "total", "subtotal", "revenue", "sale", "value"})
_MAX_PERCENT: Final = 100.0


def line_amounts(catalog: Catalog) -> Iterator[QueryLogMeasure]:
    """The measures of the tables whose lines have a quantity, a price and a discount."""
    for relation in catalog:
        yield from _of(relation)


def is_stock(column: Column) -> bool:
    """Whether a number tells what there is on stock, and not what was sold."""
    return bool(_STOCKED & _words(column))


def _of(relation: Relation) -> Iterator[QueryLogMeasure]:
    if relation.kind not in "rpf" or not relation.foreign_keys:
        return
    numbers = [c for c in relation.columns if c.category == "N" and not _is_key(relation, c)]
    quantity = _only([c for c in numbers if _QUANTITY & _words(c) and not is_stock(c)])
    discounts = [c for c in numbers if "discount" in _words(c)]
    discount = _only(discounts)
    price = _only([c for c in numbers if _PRICE & _words(c) and not _LISTED & _words(c) and c != discount])
    if quantity is None or price is None or (discount is None and discounts):
        return
    rest = [c for c in numbers if c not in (quantity, price, discount)]
    written = any(_AMOUNT & _words(c) for c in rest)  # what a line comes to is written in it
    if discount is None:
        if written:
            return
        sold, each = (ColumnName(relation.schema, relation.name, c.name) for c in (quantity, price))
        yield QueryLogMeasure(REVENUE, (REVENUE,), ("sum(", each, " * ", sold, ")"), "sum", 0, ())
        return
    part = _taken(discount)
    if not part or (written and not _is_part(discount)):
        return
    named = [ColumnName(relation.schema, relation.name, c.name) for c in (price, quantity, discount)]
    whole: Expression = ("sum(", named[0], " * ", named[1], " * (1 - ", named[2], f"{part[0]}))")
    given: Expression = ("sum(", named[0], " * ", named[1], " * ", named[2], f"{part[0]})")
    gross: Expression = ("sum(", named[0], " * ", named[1], ")")
    if not written:
        yield QueryLogMeasure(REVENUE, (REVENUE,), whole, "sum", 0, ())
    yield QueryLogMeasure(GROSS, tuple(GROSS.split("_")), gross, "sum", 0, ())
    yield QueryLogMeasure(GIVEN, tuple(GIVEN.split("_")), given, "sum", 0, ())


def _taken(discount: Column) -> tuple[str] | None:
    """How a discount becomes a part of a price: as it is, or out of a hundred; None where that is open."""
    words = _words(discount)
    if "amount" in words:
        return None
    values = [float(v) for v in discount.common_values if v.replace(".", "", 1).isdigit()]
    most = max(values, default=0.0)
    if _PERCENT & words or 1.0 < most <= _MAX_PERCENT:
        return (" / 100.0",)
    return ("",) if most <= 1.0 and not discount.type_name.startswith(("int", "small", "big")) else None


def _is_part(discount: Column) -> bool:
    """Whether a discount is known to be a part of a price, and 'discount' is all that it is called.

    Else the word alone would rather be what was given than the column, and 'with a discount' a sum.
    """
    if _words(discount) - _PERCENT != {"discount"}:
        return False
    values = [float(v) for v in discount.common_values if v.replace(".", "", 1).isdigit()]
    return bool(_PERCENT & _words(discount)) or 0.0 < max(values, default=0.0) < 1.0


def _words(column: Column) -> set[str]:
    glued = identifiers.words(column.name)  # `unitprice`
    return {singular(piece.lower()) for piece in (*identifiers.pieces(column.name), *glued)}


def _only(columns: list[Column]) -> Column | None:
    return columns[0] if len(columns) == 1 else None


def _is_key(relation: Relation, column: Column) -> bool:
    keys = chain(relation.primary_key, *(key.columns for key in relation.foreign_keys))
    return column.name in set(keys)
