"""What kinds of words an answer leaves out, and that the confidence hears of them."""

from __future__ import annotations

import json
from importlib.resources import files
from types import SimpleNamespace

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.ranking.confidence import MAX_MASS_LOG_ODDS, confidences, signals
from askwire.planner.embedded.ranking.coverage import with_losses
from askwire.planner.embedded.ranking.uncovered_words import KINDS, is_verb


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("which customers dwell in Paris?", "verb"),
        ("how many orders did each employee process?", "verb"),
        ("list the flimsy products", "which"),
        ("customers and their horoscope", "word"),
        ("orders from Xanadu", "value"),
        ("How many customers in Paris bought products in Paris city", "linked"),
    ],
)
async def test_a_word_left_out_has_a_kind(question, kind, plan):
    planning, engine = plan(question), EmbeddedEngine()
    best = (await engine.proposals(planning))[0]
    told = with_losses(engine.index(planning.catalog, whole=True), best)
    assert {k: v for k, v in told.features.items() if k.startswith("left:")} == {f"left:{kind}": 1.0}


async def test_an_answer_with_a_place_for_every_word_leaves_out_nothing(plan):
    planning, engine = plan("how many orders does each customer have?"), EmbeddedEngine()
    best = (await engine.proposals(planning))[0]
    assert with_losses(engine.index(planning.catalog, whole=True), best) == best


async def test_a_text_that_a_pattern_holds_is_not_left_out(plan):
    planning, engine = (
        plan("which customers live in a city containing the substring 'Paris'?"),
        EmbeddedEngine(),
    )
    best = (await engine.proposals(planning))[0]
    told = with_losses(engine.index(planning.catalog, whole=True), best)
    assert "%Paris%" in told.sql
    assert "Paris" not in told.uncovered
    assert "left:value" not in told.features


@pytest.mark.parametrize(
    ("question", "at", "verb"),
    [
        ("languages spoken in Aruba", 1, True),
        ("the spoken language", 1, False),
        ("agents who handle tickets", 2, True),
        ("tickets with a handle", 3, False),
        ("status and shipping", 2, False),
    ],
)
def test_what_is_done_is_told_from_things(question, at, verb):
    assert is_verb(tokenize(question), at, {0}) is verb


def ranked(score, **features):
    return SimpleNamespace(
        score=score, features={k.replace("left_", "left:"): v for k, v in features.items()}
    )


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "key"])
def test_confidence_falls_with_every_kind_of_word_left_out(kind):
    clear = confidences([ranked(5.0), ranked(3.0)])[0]
    assert confidences([ranked(5.0, **{f"left_{kind}": 1.0}), ranked(3.0)])[0] < clear


def test_a_proposal_alone_is_no_surer_than_one_that_won_clearly():
    assert signals([ranked(1.0)])["mass"] == MAX_MASS_LOG_ODDS
    assert confidences([ranked(1.0)]) == [confidences([ranked(9.0), ranked(1.0)])[0]]


def test_nothing_that_speaks_against_an_answer_raises_its_confidence():
    told = json.loads(files("askwire.planner.embedded.ranking").joinpath("weights.json").read_text("utf-8"))
    against = set(told["confidence"]) - {"bias", "mass", "assignment"}
    assert all(told["confidence"][name] <= 0 for name in against)
