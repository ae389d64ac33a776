"""Verbs of two words are read as the one by which states are called."""

from __future__ import annotations

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.linking.rewording.phrasal_verbs import in_one_word
from askwire.planner.embedded.schema import schema_index
from askwire.sql.catalog import Catalog


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("loans that have not come back", "loans that have not returned"),
        ("loans that came back late", "loans that returned late"),
        ("meetings called off in May", "meetings cancelled in May"),
        ("which offers were turned down?", "which offers were rejected ?"),
        ("leases that run out in 2026", "leases that expire in 2026"),
        ("shops that have closed down", "shops that have closed"),
        ("how many people were laid off?", "how many people were dismissed ?"),
        ("parcels sent out of Rome", "parcels sent out of Rome"),
        ("letters handed in to the office", "letters handed in to the office"),
        ("orders with a dropout rate", "orders with a dropout rate"),
        ("players with left hand in the order of age", "players with left hand in the order of age"),
        ("runs out of the field", "runs out of the field"),
    ],
)
def test_two_words_are_read_as_one(question, read, make_table):
    index = schema_index.build(Catalog((make_table(1, "loans", "id:id returned_on:date?"),)))
    assert " ".join(t.text for t in in_one_word(tokenize(question), index)) == read


def test_a_column_that_has_both_words_is_meant(make_table):
    index = schema_index.build(Catalog((make_table(1, "pupils", "id:id drop_out_date:date?"),)))
    tokens = tokenize("pupils that drop out")
    assert in_one_word(tokens, index) == tokens
