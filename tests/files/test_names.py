"""Names that people gave become plain SQL names, each once."""

from __future__ import annotations

import pytest

from askwire.files.names import MAX_NAME_BYTES, free_name, plain_name, unique_names

PLAIN = {
    "Customer Name": "customer_name",
    "orderDate": "order_date",
    "CustomerID": "customer_id",
    "HTTPServer": "http_server",
    "Umsatz (€)": "umsatz_eur",
    "Total Sales ($)": "total_sales_usd",
    "% of total": "percent_of_total",
    "Größe": "grosse",
    "O'Brien": "obrien",
    "a.b-c": "a_b_c",
    "  padded  ": "padded",
    "2024": "c_2024",
    "user": "user_",
    "Order": "order_",
    "名前": "名前",
    "İlçe Adı": "ilce_adi",
    "x\x00y": "x_y",
}


@pytest.mark.parametrize(("original", "plain"), PLAIN.items())
def test_a_name_needs_no_quotes(original: str, plain: str) -> None:
    assert plain_name(original, fallback="column") == plain


def test_a_table_is_not_called_by_a_reserved_word() -> None:
    assert plain_name("Order", fallback="t", table=True) == "orders"
    assert plain_name("2024", fallback="t", table=True) == "t_2024"


def test_a_name_without_letters_is_numbered() -> None:
    assert unique_names(["", "***", "a"], fallback="column") == ["column_1", "column_2", "a"]


def test_the_same_name_comes_once_and_takes_no_other_ones_name() -> None:
    assert unique_names(["a", "A", "a_2", "a"], fallback="column") == ["a", "a_3", "a_2", "a_4"]
    assert free_name("sales", {"sales", "sales_2"}) == "sales_3"


def test_long_names_stay_different() -> None:
    long = ["x" * 80 + end for end in "ab"]
    names = unique_names(long, fallback="column")
    assert len(set(names)) == 2
    assert all(len(name.encode()) <= MAX_NAME_BYTES for name in names)
    assert len(plain_name("ü名" * 40, fallback="c").encode()) <= MAX_NAME_BYTES
