"""Words that change what is meant are never dropped in silence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.losses import kind_of
from askwire.planner.expert import Planning
from askwire.sql.catalog import Catalog, Column, Relation

Plans = Callable[..., Planning]


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("orders shipped late", "late"),
        ("how many late orders are there?", "late"),
        ("which customers or suppliers live in Paris?", "or"),
        ("how many non-delayed things do customers have?", "non-delayed"),
    ],
)
async def test_a_word_without_a_place_is_told_as_uncovered(question: str, word: str, plan: Plans) -> None:
    for candidate in await EmbeddedEngine().propose(plan(question)):
        assert word in candidate.uncovered or word in candidate.sql.lower().split()


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
        ("how many rejected accounts are there by status?", "rejected", False),
        # what may be a value has to have its place
        ("how many accounts are there in Oslo?", "Oslo", False),
    ],
)
async def test_a_word_by_which_a_comment_says_what_is_read_is_used(
    question: str, word: str, used: bool, plan: Plans
) -> None:
    first = (await EmbeddedEngine().propose(plan(question, CLIENTS)))[0]
    assert (word not in first.uncovered) == used
