"""Word orders that say the same are read as one; what only looks like them stays."""

from __future__ import annotations

import json
from pathlib import Path

from doubles.case_tables import every, numbered

from askwire.language.text import tokenize
from askwire.planner.embedded.linking.rewording.paraphrases import plainly
from askwire.planner.embedded.schema import schema_index
from askwire.sql.catalog import Catalog

CASES = [json.loads(line) for line in Path(__file__).with_name("paraphrases.jsonl").read_text().splitlines()]


@every("case", numbered(CASES, lambda c: c["question"]))
def test_a_word_order_is_read_as_the_one_that_the_grammar_knows(case, make_table):
    index = schema_index.build(Catalog((make_table(1, "deliveries", "id:id placed:time done:time?"),)))
    tokens = plainly(tokenize(case["question"]), index)
    assert " ".join(f"'{t.lemma}'" if t.kind == "quoted" else t.text for t in tokens) == case["read"]


def test_a_column_of_that_name_is_no_span(make_table):
    table = make_table(1, "deliveries", "id:id delivery_time:int")
    tokens = plainly(tokenize("average delivery time"), schema_index.build(Catalog((table,))))
    assert [t.text for t in tokens] == ["average", "delivery", "time"]
