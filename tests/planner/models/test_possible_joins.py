"""Joins that no key declares: told by names, by comments, or only by values."""

from __future__ import annotations

import time
from dataclasses import replace

from data.shop_catalog import column
from doubles.time_bounds import slower

from askwire.planner.embedded.entry import build_index
from askwire.planner.models.possible_joins import Join, confirmed, undeclared_joins
from askwire.sql.catalog import Catalog, ForeignKey, Relation


def table(oid: int, name: str, *columns: str, rows: float = 100.0) -> Relation:
    """A relation whose first column is its key; columns are integers but for those that say `:text`."""
    made = []
    for place, told in enumerate(columns, 1):
        named, _, kind = told.partition(":")
        made.append(replace(column(named, kind or "int", place), distinct=-1.0 if place == 1 else 40.0))
    return Relation(oid, "public", name, "r", tuple(made), (columns[0],), estimated_rows=rows)


def said(joins: tuple[Join, ...]) -> dict[str, bool]:
    return {f"{j.relation.name}.{j.column} = {j.other.name}.{j.other_column}": j.possible for j in joins}


def test_names_that_are_short_for_a_table_or_end_as_a_key_does_are_possible() -> None:
    orders = table(2, "sold", "sales_order_no", "c_no")
    catalog = Catalog(
        (
            table(1, "suppliers", "supplier_id", "country:text", rows=42.0),
            table(6, "cust", "c_no"),
            replace(orders, foreign_keys=(ForeignKey(("c_no",), 6, ("c_no",)),)),
            table(3, "bought", "purchase_order_no", "supp_id"),
            table(4, "itm", "itm_no", "pref_supp", "max_supp", "supp_name:text", "num_suppliers", "supps"),
            table(5, "Shipments", "ShipmentId", "OrderNo", "OrderKind:text"),
        ),
        search_path=("public",),
    )
    assert said(undeclared_joins(build_index(catalog))) == {
        "bought.supp_id = suppliers.supplier_id": True,
        "itm.pref_supp = suppliers.supplier_id": True,
        "Shipments.OrderNo = sold.sales_order_no": True,
        "Shipments.OrderNo = bought.purchase_order_no": True,
    }


def test_a_column_not_called_a_key_that_few_rows_are_referred_to_by_is_none() -> None:
    suppliers = table(1, "suppliers", "supplier_id", rows=4000.0)
    items = table(2, "itm", "itm_no", "pref_supp")
    assert undeclared_joins(build_index(Catalog((suppliers, items), search_path=("public",)))) == ()


def test_a_comment_tells_a_possible_join() -> None:
    orders = table(1, "so_hdr", "so_no", "rep_id")
    rep = replace(orders.columns[1], comment="sales rep, emp.emp_id")
    orders = replace(orders, columns=(orders.columns[0], rep))
    catalog = Catalog((orders, table(2, "emp", "emp_id", "boss:text")), search_path=("public",))
    assert said(undeclared_joins(build_index(catalog))) == {"so_hdr.rep_id = emp.emp_id": True}


def test_what_is_only_possible_is_a_join_where_values_say_which() -> None:
    one, other, third = (table(n, name, "id", "order_no") for n, name in enumerate(("a", "b", "c")))
    sales = Join(one, "order_no", other, "id", possible=True)
    bought = Join(one, "order_no", third, "id", possible=True)
    named = Join(one, "b_id", other, "id")

    def kept(*told: bool | None) -> list[Join]:
        joins = [replace(j, supported=t) for j, t in zip((sales, bought, named), told, strict=True)]
        return [replace(j, supported=None) for j in confirmed(joins)]

    assert kept(True, False, None) == [sales, named]
    assert kept(None, None, True) == [named]
    assert kept(True, True, False) == []


def test_keys_are_not_compared_with_every_column() -> None:
    names = [f"{chr(97 + n % 26)}{chr(97 + n // 26)}thing" for n in range(400)]
    tables = [
        table(n, name, f"{name}_id", *(f"c{n}_{c}" for c in range(20))) for n, name in enumerate(names, 1)
    ]
    index = build_index(Catalog(tuple(tables), search_path=("public",)))
    began = time.thread_time()
    undeclared_joins(index)
    assert time.thread_time() - began < 2 * slower(time.thread_time)
