"""Words of structure as people mistype them."""

from __future__ import annotations

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.linking.rewording.wording import spelled_right


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("the naems of all customers and theor cities", "the name of all customers and their cities"),
        ("Cound the number of orders", "count the number of orders"),
        ("whare are the customers", "where are the customers"),
        ("avrage price", "average price"),
        ("the lowset and the hihgest price", "the lowest and the highest price"),
        ("customers witout orders", "customers without orders"),
        ("coresponding customers", "corresponding customers"),
        ("customers who payed", "customers who paid"),
        ("percentge of customers", "percentage of customers"),
        ("waht is teh price", "what is the price"),
    ],
)
def test_one_typing_error_is_read_as_what_is_meant(said, meant, index):
    read = " ".join(t.lemma if t.lower == "names" else t.lower for t in spelled_right(tokenize(said), index))
    assert read == meant


@pytest.mark.parametrize(
    "said",
    [
        "orders per shipper",
        "tickets without an assignee",
        "over 200 attendees",
        "customers in Whare",
        "ordes of customers",
        "the customer of each order",
    ],
)
def test_a_word_of_its_own_stays(said, index):
    tokens = tokenize(said)
    assert spelled_right(tokens, index) == tokens
