"""PV-SQL's ten kinds of constraint: each trigger of the paper's Table 9, and criterion of its Table 10."""

from __future__ import annotations

import pytest
from data.shop_statements import subject
from pglast import parse_sql

from askwire.core.types import Question
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.verifier.checklist import demanded, hold
from askwire.verifier.subject import Subject

TRIGGERS = {
    "distinct": [
        "the unique cities of members",
        "the distinct cities of members",
        "the different cities of members",
        "cities of members with no duplicates",
        "deduplicated cities of members",
    ],
    "top_k": [
        "top 3 members by age",
        "the first 3 members by age",
        "bottom 3 members by age",
        "the highest 3 payments",
        "the lowest 3 payments",
        "best 3 members",
        "worst 3 members",
    ],
    "ranking": [
        "rank the members by age",
        "show the ranking of members by age",
        "the position of each member by age",
        "who was placed third?",
        "the standings after the last visit",
    ],
    "counting": [
        "how many members are there?",
        "count the members of Rome",
        "the number of members",
        "the total number of members",
        "the quantity of visits of each member",
    ],
    "percentage": [
        "what percentage of members is from Rome?",
        "what percent of members is from Rome?",
        "what % of members is from Rome?",
        "the ratio of visits to members",
        "the success rate of visits",
        "the proportion of members from Rome",
        "the fraction of members from Rome",
    ],
    "summation": [
        "the total paid by members",
        "the sum of payments",
        "the overall amount paid",
        "the combined payments of members",
        "the aggregate amount paid",
    ],
    "average": [
        "the average age of members",
        "the mean of the ages",
        "the avg age of members",
        "what do members pay on average?",
        "the typical age of members",
    ],
    "extreme": [
        "the maximum age",
        "the minimum age",
        "the max age",
        "the min age",
        "the largest payment",
        "the smallest payment",
        "the member with the most visits",
        "the member with the least visits",
        "the highest payment",
        "the lowest payment",
    ],
    "temporal": [
        "the latest visit",
        "the earliest visit",
        "the most recent visit",
        "the newest member",
        "the oldest member",
        "when was the last visit?",
        "when was the first visit?",
    ],
    "comparison": [
        "members older than 30",
        "visits that cost more than 30",
        "visits that cost less than 30",
        "visits with a price greater than 30",
        "members with fewer than 30 points",
        "members with at least 30 points",
        "members with at most 30 points",
        "members with no more than 30 points",
        "visits whose price exceeds 30",
    ],
}

CRITERIA = [
    ("distinct", "the different cities of members", "SELECT DISTINCT city FROM member", True),
    ("distinct", "the different cities of members", "SELECT city FROM member GROUP BY city", True),
    ("distinct", "the different cities of members", "SELECT city FROM member", False),
    ("top_k", "top 3 members by age", "SELECT name FROM member ORDER BY age DESC LIMIT 3", True),
    ("top_k", "top 3 members by age", "SELECT name FROM member LIMIT 3", False),
    ("top_k", "top 3 members by age", "SELECT name FROM member ORDER BY age LIMIT 3", False),
    ("top_k", "top 3 members by age", "SELECT name FROM member ORDER BY age DESC LIMIT 5", False),
    ("top_k", "bottom 3 members by age", "SELECT name FROM member ORDER BY age LIMIT 3", True),
    ("top_k", "bottom 3 members by age", "SELECT name FROM member ORDER BY age DESC LIMIT 3", False),
    ("top_k", "top 3 by age, cheapest first", "SELECT name FROM member ORDER BY age LIMIT 3", True),
    ("ranking", "show the rank of each member", "SELECT rank() OVER (ORDER BY age) FROM member", True),
    ("ranking", "show each member and their rank", "SELECT name FROM member ORDER BY age", False),
    ("ranking", "rank the members by age", "SELECT name FROM member ORDER BY age", True),
    ("counting", "how many members are there?", "SELECT count(*) FROM member", True),
    ("counting", "how many members are there?", "SELECT id FROM member", False),
    ("counting", "how many visits are there?", "SELECT member_id FROM visit", False),
    ("percentage", "what % of members is from Rome?", "SELECT count(*) FROM member", False),
    ("percentage", "what % of members is from Rome?", "SELECT 100.0 * count(id) / 3 FROM member", True),
    ("summation", "the total paid by members", "SELECT sum(paid) FROM visit", True),
    ("summation", "the total paid by members", "SELECT max(paid) FROM visit", False),
    ("average", "the average age of members", "SELECT avg(age) FROM member", True),
    ("average", "the average age of members", "SELECT age FROM member", False),
    ("extreme", "the highest age", "SELECT max(age) FROM member", True),
    ("extreme", "the highest age", "SELECT age FROM member ORDER BY age DESC LIMIT 1", True),
    ("extreme", "the highest age", "SELECT age FROM member", False),
    ("extreme", "the fastest member", "SELECT name FROM member ORDER BY age LIMIT 1", True),
    ("temporal", "the latest visit", "SELECT paid FROM visit ORDER BY day DESC LIMIT 1", True),
    ("temporal", "the latest visit", "SELECT paid FROM visit ORDER BY day LIMIT 1", False),
    ("temporal", "the latest visit", "SELECT paid FROM visit ORDER BY id DESC LIMIT 1", False),
    ("comparison", "members older than 30", "SELECT name FROM member WHERE age > 30", True),
    ("comparison", "members older than 30", "SELECT name FROM member WHERE age < 30", False),
]


@pytest.mark.parametrize(
    ("kind", "question"), [(kind, question) for kind, asked in TRIGGERS.items() for question in asked]
)
def test_each_trigger_fires(kind: str, question: str) -> None:
    assert kind in {constraint.kind for constraint in demanded(Question(question))}


@pytest.mark.parametrize(("kind", "question", "sql", "held"), CRITERIA)
def test_each_criterion_is_held_against_the_sql(kind: str, question: str, sql: str, held: bool) -> None:
    constraints = [c for c in demanded(Question(question)) if c.kind == kind]
    (check,) = hold(subject(question, sql), constraints)
    assert check.held is held


RACES = Catalog(
    (
        Relation(
            1,
            "public",
            "lap",
            "r",
            (
                Column("id", "integer", 0, "N", 1),
                Column("driver", "text", 0, "S", 2),
                Column("milliseconds", "integer", 0, "N", 3),
                Column("speed", "numeric", 0, "N", 4),
                Column("use_kwh", "numeric", 0, "N", 5, comment="average use per segment"),
            ),
            primary_key=("id",),
        ),
    )
)


def held(question: Question, sql: str) -> dict[str, bool]:
    statement = parse_sql(sql)[0].stmt
    assert statement is not None
    checks = hold(Subject(question, RACES, sql, statement, None), demanded(question))
    return {check.rule: check.held for check in checks}


@pytest.mark.parametrize(
    ("word", "order", "right"),
    [
        ("fastest", "milliseconds", True),
        ("fastest", "milliseconds DESC", False),
        ("slowest", "milliseconds DESC", True),
        ("slowest", "milliseconds", False),
        ("fastest", "speed DESC", True),
        ("fastest", "speed", False),
        ("slowest", "speed", True),
        ("fastest", "use_kwh", True),
        ("slowest", "use_kwh", True),
    ],
)
def test_which_end_is_the_fastest_what_is_measured_tells(word: str, order: str, right: bool) -> None:
    sql = f"SELECT driver FROM lap ORDER BY {order} LIMIT 1"
    assert held(Question(f"Who drove the {word} lap?"), sql)["extreme"] is right


def test_the_hint_says_which_end_is_meant() -> None:
    sql = "SELECT driver FROM lap ORDER BY use_kwh LIMIT 1"
    assert not held(Question("Whose lap has the highest use?"), sql)["extreme"]
    assert held(Question("Whose lap has the highest use?", "highest use refers to MIN(use_kwh)"), sql)[
        "extreme"
    ]


def test_a_column_whose_comment_says_average_is_one() -> None:
    question = Question("What is the average use of each lap's segments?")
    assert held(question, "SELECT use_kwh FROM lap")["average"]
    assert not held(question, "SELECT speed FROM lap")["average"]
