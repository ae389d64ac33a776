"""Word orders that say the same are read as one; what only looks like them stays."""

from __future__ import annotations

import json
from pathlib import Path

from doubles.case_tables import every, numbered

from askwire.language.text import tokenize
from askwire.planner.embedded.linking.rewording.paraphrases import plainly
from askwire.planner.embedded.linking.rewording.respelled import below_zero
from askwire.planner.embedded.schema import schema_index
from askwire.sql.catalog import Catalog

CASES = [json.loads(line) for line in Path(__file__).with_name("paraphrases.jsonl").read_text().splitlines()]


@every("case", numbered(CASES, lambda c: c["question"]))
def test_a_word_order_is_read_as_the_one_that_the_grammar_knows(case, make_table):
    index = schema_index.build(Catalog((make_table(1, "deliveries", "id:id placed:time done:time?"),)))
    tokens = plainly(tokenize(case["question"]), index)
    assert " ".join(f"'{t.lemma}'" if t.kind == "quoted" else t.text for t in tokens) == case["read"]


def test_pieces_are_a_quantity_where_rows_have_one(make_table):
    index = schema_index.build(Catalog((make_table(1, "order_lines", "id:id quantity:int"),)))
    tokens = plainly(tokenize("top 10 plants by number of pieces ordered in 2024"), index)
    assert " ".join(t.text for t in tokens) == "top 10 plants by total quantity ordered in 2024"
    tokens = plainly(tokenize("the number of pieces of each order"), index)
    assert " ".join(t.text for t in tokens) == "total quantity of each order"
    tokens = plainly(tokenize("how many copies were returned, and the copies sold?"), index)
    said = " ".join(t.text for t in tokens)
    assert said == "total quantity returned , and the copies sold ?"


def test_a_number_below_zero_is_one_number():
    for said, read in (
        ("plants for below minus 15 degrees", "plants for below -15 degrees"),
        ("plants that survive minus 15", "plants that survive -15"),
        ("the price minus 5", "the price minus 5"),
    ):
        assert " ".join(t.text for t in below_zero(tokenize(said))) == read
