"""Words that change what is meant are never dropped in silence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.ranking.unconsumed_symbols import kind_of
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Column, Relation

Plans = Callable[..., ExpertContext]
MakeTable = Callable[..., Relation]


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("orders shipped late", "late"),
        ("how many late orders are there?", "late"),
        ("which customers or suppliers live in Paris?", "or"),
        ("how many non-refundable things do customers have?", "refundable"),
    ],
)
async def test_a_word_without_a_place_is_told_as_uncovered(question: str, word: str, plan: Plans) -> None:
    for candidate in await EmbeddedEngine().propose(plan(question)):
        assert word in candidate.uncovered or word in candidate.sql.lower().split()


@pytest.mark.parametrize(
    ("question", "word", "columns"),
    [
        ("late deliveries", "late", "deliveries.shipped_on, deliveries.required_on"),
        ("which deliveries were overdue?", "overdue", "deliveries.shipped_on, deliveries.required_on"),
        ("the most expensive delivery", "expensive", "deliveries.price"),
        ("the cheapest delivery", "cheapest", "deliveries.price"),
    ],
)
async def test_a_word_that_stands_for_columns_it_does_not_name_is_told(
    question: str, word: str, columns: str, plan: Plans, make_table: MakeTable
) -> None:
    deliveries = make_table(1, "deliveries", "id:id price:money required_on:date shipped_on:date")
    best = (await EmbeddedEngine().propose(plan(question, catalog=Catalog((deliveries,)))))[0]
    found = {a.span.text: a.target for a in best.alignments if a.kind == "column"}
    assert found[word] == columns
    spans = [a.span for a in best.alignments]
    assert spans == sorted(spans, key=lambda s: s.start)
    assert all(question[s.start : s.end] == s.text for s in spans)


async def test_nobody_without_a_late_delivery_is_refused_where_late_is_known(
    plan: Plans, make_table: MakeTable
) -> None:
    shops = make_table(2, "shops", "id:id name:text")
    deliveries = make_table(
        1, "deliveries", "id:id shop_id:id required_on:date shipped_on:date", keys={"shop_id": 2}
    )
    planning = plan("shops without late deliveries", catalog=Catalog((deliveries, shops)))
    best = (await EmbeddedEngine().propose(planning))[0]
    assert "shipped_on > required_on" in best.sql
    assert best.uncovered == ()
    assert best.confidence is not None
    assert best.confidence > 0.6


@pytest.mark.parametrize(
    ("symbol", "kind"),
    [("GT~old", "compare"), ("MAX", "extreme"), ("N0", "number"), ("V1", "value"), ("not", "negation")],
)
def test_what_was_lost_has_a_kind(symbol: str, kind: str) -> None:
    assert kind_of(symbol) == kind


CLIENTS = Catalog(
    (
        Relation(
            oid=1,
            schema="public",
            name="accounts",
            kind="r",
            columns=(
                Column("id", "integer", 23, "N", 1, True),
                Column("name", "text", 25, "S", 2, True),
                Column("fee", "numeric", 1700, "N", 3, True, comment="Monthly charge that was negotiated"),
                Column("opened_on", "date", 1082, "D", 4, True),
                Column("status", "text", 25, "S", 5, True, comment="Decision: R = rejected, A = approved"),
            ),
            primary_key=("id",),
            comment="Clients that went through onboarding, in Oslo or elsewhere. Ask the tardy clerk.",
            on_path=True,
        ),
    )
)


@pytest.mark.parametrize(
    ("question", "word", "used"),
    [
        # the table's comment says it of every row
        ("how many accounts went through onboarding in 2024?", "onboarding", True),
        ("how many accounts did the tardy open?", "tardy", False),
        # the comment of a column counts where the column is read
        ("what is the total negotiated fee of accounts?", "negotiated", True),
        ("how many negotiated accounts are there?", "negotiated", False),
        # one value of a column is none of what the rows are
        ("how many rejected accounts are there?", "rejected", True),
        # what may be a value has to have its place
        ("how many accounts are there in Oslo?", "Oslo", False),
    ],
)
async def test_a_word_by_which_a_comment_says_what_is_read_is_used(
    question: str, word: str, used: bool, plan: Plans
) -> None:
    first = (await EmbeddedEngine().propose(plan(question, CLIENTS)))[0]
    assert (word not in first.uncovered) == used
