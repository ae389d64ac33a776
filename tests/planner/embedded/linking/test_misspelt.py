"""Values that a question writes with a typing error, or without their accents."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine

CITIES = ("Paris", "Oakland", "São Paulo", "Kitchener", "Barnesley", "Barnesbey")
NAMES = ("Ada Stone", "Harbor & Sons", "Amara Barnes")


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("customers in Oaklnd", "city = 'Oakland'"),
        ("customers in Oaklannd", "city = 'Oakland'"),
        ("customers in Oalkand", "city = 'Oakland'"),
        ("how many customers are in kitchner?", "city = 'Kitchener'"),
        ("customers in Sao Paulo", "city = 'São Paulo'"),
        ("how many orders did Amara Barns place?", "name = 'Amara Barnes'"),
        ("wich customers are in Prais?", "city = 'Paris'"),
    ],
)
async def test_a_value_one_error_away_is_meant(question, condition, plan):
    values = {("customers", "city"): CITIES, ("customers", "name"): NAMES}
    candidates = await EmbeddedEngine().propose(plan(question, values=values))
    assert condition in candidates[0].sql
    assert not candidates[0].uncovered


@pytest.mark.parametrize(
    "question",
    ["customers in Barnesey", "customers in Xaklund", "customers who like kitchens", "customers in orchid"],
)
async def test_what_may_be_several_values_or_a_word_is_none(question, plan):
    values = {("customers", "city"): CITIES, ("customers", "name"): NAMES}
    candidates = await EmbeddedEngine().propose(plan(question, values=values))
    assert "=" not in candidates[0].sql
    assert candidates[0].uncovered
