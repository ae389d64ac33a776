"""'Number' may be the name of a column, and not how many there are."""

from __future__ import annotations

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.linking.rewording.numbered import by_number
from askwire.planner.embedded.schema import schema_index
from askwire.sql.catalog import Catalog


@pytest.fixture
def index(make_table):
    invoices = make_table(1, "invoices", "id:id invoice_number:text status:text issued_on:date")
    lines = make_table(2, "lines", "id:id invoice_id:id quantity:int", keys={"invoice_id": 1})
    return schema_index.build(Catalog((invoices, lines)))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (
            "the number and status of the invoice from May",
            "the invoice number and status of the invoice from May",
        ),
        ("show number , status of each invoice", "show invoice number , status of each invoice"),
        ("what are the numbers of all invoices", "what are the invoice number of all invoices"),
        ("numbers of the invoices", "numbers of the invoices"),
        ("the number of invoices", "the number of invoices"),
        ("the numbers of all invoices per status", "the numbers of all invoices per status"),
        ("the number and total of the lines", "the number and total of the lines"),
        (
            "the number of lines and the status of each invoice",
            "the number of lines and the status of each invoice",
        ),
        ("how many invoices", "how many invoices"),
    ],
)
def test_a_number_that_is_kept_is_read_as_its_column(said, meant, index):
    assert " ".join(t.text for t in by_number(tokenize(said), index)) == meant
