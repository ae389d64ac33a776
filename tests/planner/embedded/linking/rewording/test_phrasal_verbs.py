"""Verbs of two words are read as the one by which a time or a flag is called."""

from __future__ import annotations

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.linking.rewording.phrasal_verbs import in_one_word
from askwire.planner.embedded.schema import schema_index
from askwire.sql.catalog import Catalog


@pytest.fixture
def index(make_table):
    return schema_index.build(
        Catalog(
            (
                make_table(1, "loans", "id:id customer_id:id returned_on:date? valid_until:date"),
                make_table(2, "customers", "id:id first_name:text last_name:text city:text"),
                make_table(3, "meetings", "id:id cancelled:bool status:text"),
            )
        )
    )


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("loans that have not come back", "loans that have not returned"),
        ("loans that came back late", "loans that returned late"),
        ("meetings called off in May", "meetings cancelled in May"),
        ("leases that run out in 2026", "leases that expire in 2026"),
        # as nothing need be called
        ("meetings carried out in May", "meetings performed in May"),
        ("people who carried out a check", "people who performed a check"),
        # no column says when or whether
        ("which offers were turned down?", "which offers were turned down ?"),
        ("meetings that were put off", "meetings that were put off"),
        # people return nothing by coming back
        ("customers who came back in 2024", "customers who came back in 2024"),
        ("which customers came back?", "which customers came back ?"),
        # no verb of two words
        ("parcels sent out of Rome", "parcels sent out of Rome"),
        ("players with left hand in the order of age", "players with left hand in the order of age"),
        ("runs out of the field", "runs out of the field"),
    ],
)
def test_two_words_are_read_as_one(question, read, index):
    assert " ".join(t.text for t in in_one_word(tokenize(question), index)) == read
