"""The library of tips: what it holds, when a rule applies and when not, and what becomes of it in prompts."""

from __future__ import annotations

from typing import Any

import pytest
from doubles.model_stages import acted, said, staged, to, wrote
from doubles.time_bounds import ProcessorTime
from servers.databases import Database

from askwire.core.errors import ConfigurationError
from askwire.llm.estimate import tokens
from askwire.llm.providers.mock_server import Answer
from askwire.planner.models.guidance.library import Facts, Library, library, read
from askwire.planner.models.guidance.tips import MAX_TIP_TOKENS, Tips

CATEGORIES = {
    "evidence_enforcement": 6,
    "string_matching": 4,
    "output_columns": 5,
    "table_selection": 3,
    "column_interpretation": 2,
    "schema_grounding": 3,
    "join_strategy": 4,
    "filter_implementation": 2,
    "aggregation": 8,
    "sorting_limiting": 3,
    "multi_step_logic": 2,
    "sql_syntax": 3,
    "common_pitfalls": 4,
    "advanced_patterns": 3,
}

Case = dict[str, Any]
CASES: dict[str, tuple[Case, Case]] = {
    "the hint equates a column with something": (
        {"evidence": "exports can be represented as kind = 'E'"},
        {"evidence": "exports refers to kind = 'E'"},
    ),
    "the hint has a formula": (
        {"evidence": "margin is (price - cost) / price"},
        {"evidence": "margin stands in well-known columns and/or views of 2021-03-04"},
    ),
    "the hint says what a value stands for": (
        {"evidence": "'E' stands for exports"},
        {"evidence": "it stands for itself"},
    ),
    "the hint says what a word refers to": ({"evidence": "late refers to status"}, {"evidence": "a referee"}),
    "the question quotes a value": (
        {"question": "boats whose harbour is 'Kiel'"},
        {"question": "the 'Kiel' boats"},
    ),
    "the question asks for extremes or an order": (
        {"question": "the lowest bridge"},
        {"question": "the below-deck rooms of a stopover"},
    ),
    "the question asks for several things": (
        {"question": "show name and age"},
        {"question": "How many boats and crews are there?"},
    ),
    "the question asks for things that fulfil a condition": (
        {"question": "List boats that have sails"},
        {"question": "Of boats that have sails list all"},
    ),
    "the question asks how many": (
        {"question": "How many boats are there?"},
        {"question": "How many boats are there, and in what harbour?"},
    ),
    "the question asks to list a lowest amount": (
        {"question": "list who paid the lowest amount"},
        {"question": "list who paid the lowest price"},
    ),
    "parentheses in the question": ({"question": "enrolment (K-12)"}, {"question": "enrolment K-12"}),
    "parentheses in the hint": ({"evidence": "count(x)"}, {"evidence": "count x"}),
    "the question compares numbers": ({"question": "rooms over 30"}, {"question": "an overview of rooms"}),
    "the question aggregates": ({"question": "the total weight"}, {"question": "the country's weight"}),
    "the question compares aggregates": (
        {"question": "harbours with a total of more than 5"},
        {"question": "harbours with more than 5"},
    ),
    "the question asks to calculate": (
        {"question": "the ratio of sails to boats"},
        {"question": "sails by boat"},
    ),
    "the question asks for a share": ({"question": "what percent is late"}, {"question": "what is accurate"}),
    "the question asks for a list or a count": (
        {"question": "Which boats sail?"},
        {"question": "Boats, which sail"},
    ),
    "the question matches parts of texts": (
        {"question": "boats starting with A"},
        {"question": "unlikely boats"},
    ),
    "the question speaks of names": ({"question": "the titles of books"}, {"question": "the entitled"}),
    "the question speaks of what is missing": (
        {"question": "boats with missing papers"},
        {"question": "boats"},
    ),
    "the plan joins": ({"plan": "joins boats and crews"}, {"plan": "an adjoining room"}),
    "the plan names four tables or more": ({"tables": 4}, {"tables": 3}),
    "the question asks for something and what belongs to it": (
        {"question": "boats and their crews"},
        {"question": "boats and crews"},
    ),
    "the plan nests subqueries": ({"plan": "a nested subquery"}, {"plan": "a subquery"}),
    "the plan joins four times or more": ({"joins": 4}, {"joins": 3}),
    "the plan has four steps or more": ({"steps": 4}, {"steps": 3}),
    "the plan uses WITH": (
        {"plan": "WITH late AS (SELECT id FROM boats) and so on"},
        {"plan": "with all of it select the best"},
    ),
    "the plan speaks of common table expressions": ({"plan": "a CTE for it"}, {"plan": "an object"}),
    "the plan aggregates under conditions": (
        {"plan": "sum(CASE WHEN late THEN 1 END)"},
        {"plan": "in case it is late"},
    ),
    "the plan aggregates different parts": (
        {"plan": "aggregate different years"},
        {"plan": "aggregate all years"},
    ),
    "the plan ranks": ({"plan": "ROW_NUMBER() over it"}, {"plan": "a frank view"}),
    "rows of several kinds in one table": (
        {"question": "only sails", "schema": "id metric_id value"},
        {"question": "only sails", "schema": "id value"},
    ),
    "the plan speaks of columns": ({"plan": "the columns of boats"}, {"plan": "the boats"}),
    "the plan is not sure which column is meant": (
        {"plan": "the column that represents lateness"},
        {"plan": "the column late"},
    ),
    "the plan filters by what it calculates": (
        {"plan": "calculate the margin, filter by it"},
        {"plan": "filter by name"},
    ),
}
"""For each rule: where it holds, and where, close by, it does not."""


def facts(case: Case) -> Facts:
    return Facts(**{"question": "", **case})


def test_there_are_52_entries_under_49_ids_in_14_categories_and_four_are_always_told() -> None:
    tips = library().tips
    assert len(tips) == 52
    assert {tip.id for tip in tips} == {f"TIP{number:03}" for number in range(1, 50)}
    counts = {category: sum(t.category == category for t in tips) for category in CATEGORIES}
    assert counts == CATEGORIES
    assert {tip.category for tip in tips} == set(CATEGORIES)
    assert [tip.id for tip in library().always] == ["TIP009", "TIP019", "TIP035", "TIP038"]
    assert {tip.id for tip in tips if sum(t.id == tip.id for t in tips) == 2} == {
        "TIP043",
        "TIP044",
        "TIP045",
    }
    assert len({tip.text for tip in tips}) == len({tip.title for tip in tips}) == 52


def test_every_entry_is_told_always_or_by_a_rule_and_where_the_rule_is_ours_it_says_so() -> None:
    held = library()
    of_the_paper = {tip for rule in held.rules if not rule.own for tip in rule.tips} | set(held.always)
    ours = {tip for rule in held.rules if rule.own for tip in rule.tips}
    assert of_the_paper | ours == set(held.tips)
    assert not of_the_paper & ours
    assert {f"{tip.id} {tip.category}" for tip in ours} == {
        "TIP007 string_matching",
        "TIP017 schema_grounding",
        "TIP018 schema_grounding",
        "TIP037 sql_syntax",
        "TIP043 output_columns",
        "TIP044 evidence_enforcement",
        "TIP045 evidence_enforcement",
    }


def test_there_is_a_case_for_every_rule() -> None:
    assert {rule.about for rule in library().rules} == set(CASES)


@pytest.mark.parametrize("rule", library().rules, ids=lambda rule: f"{rule.about}, {rule.tips[0].id}")
def test_a_rule_holds_where_it_should_and_is_silent_close_by(rule: Any) -> None:
    fires, silent = CASES[rule.about]
    assert rule.holds(facts(fires))
    assert not rule.holds(facts(silent))
    told = library().chosen(facts(fires))
    assert set(rule.tips) <= set(told)
    assert told[:4] == library().always


def test_without_a_reason_only_four_are_told() -> None:
    assert library().chosen(facts({"question": "boats"})) == library().always


@pytest.mark.parametrize("tip", library().tips, ids=lambda tip: f"{tip.id} {tip.category}")
def test_a_tip_is_short_and_speaks_of_no_other_database(tip: Any) -> None:
    assert tokens(tip.told) < 90
    assert "SQLite" not in tip.told
    assert "REAL" not in tip.told


def test_rules_take_no_time_whatever_the_texts_are() -> None:
    hostile = ("with '" * 700, "means " * 700, "'" * 4000, "can be represented as " * 190, "a = (" * 800)
    taken = ProcessorTime()
    for text in hostile:
        library().chosen(Facts(text, text, text, text * 10, 1, 1, 1))
    assert taken.within(1)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("tips = 3", "tips cannot"),
        ('always = ["TIP001"]\ntips = []\nrules = []', "TIP001"),
        ('always = []\ntips = []\n[[rules]]\nabout = "x"\ntips = []\n', "holds always"),
        ('always = []\ntips = []\n[[rules]]\nabout = "x"\ntips = []\nplan = ["("]\n', "cannot be used"),
        ('always = []\ntips = []\n[[rules]]\nabout = "x"\ntips = []\nplans = ["x"]\n', "'plans'"),
        (
            "always = []\nrules = []\n" + 2 * '[[tips]]\nid = "A"\ncategory = "c"\ntitle = "t"\ntext = "x"\n',
            "twice",
        ),
    ],
)
def test_a_library_that_is_not_sound_is_refused(content: str, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        read(content)


FLEET = """
CREATE TABLE boats (id int PRIMARY KEY, name text, metric_id int);
INSERT INTO boats VALUES (1, 'Ada', 1);
"""
SQL = "SELECT count(*) FROM boats"
SCRIPT = (
    to("logical_plan", said(steps=["find the boats", "rank them"])),
    to("paths", said(steps=[{"paths": ["a join"], "keywords": ["RANK"]}])),
    to("explore", acted("SQL", sql=SQL), times=1),
    to("explore", acted("CONFIRM")),
    to("probe", said(action="done", sql="", columns=[], values=[])),
    to("generate", wrote(SQL)),
)


async def test_tips_stand_in_the_prompts_and_their_ids_in_the_trace(database: Database) -> None:
    async with staged(
        database, FLEET, "how many boats are there?", *SCRIPT, noting=[Tips()], model_strategy="apex"
    ) as at:
        await at.propose()
        (guided,) = at.events("guided")
        ids = [entry.split()[0] for entry in guided["tips"]]
        assert ids[:4] == ["TIP009", "TIP019", "TIP035", "TIP038"]
        assert {"TIP011", "TIP049", "TIP020", "TIP044", "TIP045"} <= set(ids)
        for prompt in at.prompts("explore"):
            assert "[TIP011] 'How many' is one count." in prompt
        (noted,) = at.events("noted")
        assert "note_tips@" in noted["notes"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"model_strategy": "apex", "model_guidance": "off"}, False),
        ({"model_strategy": "pv-sql"}, False),
        ({"model_strategy": "pv-sql", "model_guidance": "on"}, True),
        ({"effort": "thorough"}, True),
        ({"effort": "balanced"}, False),
        ({"effort": "fast", "model_guidance": "on"}, False),
    ],
)
async def test_a_setting_and_the_strategy_decide(
    database: Database, settings: dict[str, Any], told: bool
) -> None:
    script = (Answer(match="nothing else", text=""),) if not told else ()
    async with staged(
        database, FLEET, "how many boats are there?", *SCRIPT, *script, noting=[Tips()], **settings
    ) as at:
        await at.propose()
        assert any("[TIP011]" in asked.prompt for asked in at.server.asked) is told
        assert bool(at.events("guided")) is told


async def test_tips_leave_at_every_level_that_lets_anything_leave(database: Database) -> None:
    async with staged(
        database,
        FLEET,
        "how many boats are there?",
        *SCRIPT,
        noting=[Tips()],
        egress="schema",
        model_guidance="on",
    ) as at:
        await at.propose()
        (prompt,) = at.prompts("generate")
        assert "[TIP011]" in prompt


async def test_too_many_tips_leave_out_those_of_the_last_rules(database: Database) -> None:
    held = library()
    everything = Library(
        held.tips, (*held.always, *(t for t in held.tips if t not in held.always)), held.rules
    )
    async with staged(
        database,
        FLEET,
        "boats",
        *SCRIPT,
        noting=[Tips(everything)],
        model_guidance="on",
        model_probing="off",
    ) as at:
        await at.propose()
        (guided,) = at.events("guided")
        assert 20 < len(guided["tips"]) < 52
        assert guided["tips"][:4] == [f"{t.id} {t.category}" for t in held.always]
        told = [t for t in everything.always if f"{t.id} {t.category}" in guided["tips"]]
        assert sum(tokens(t.told) for t in told) <= MAX_TIP_TOKENS
