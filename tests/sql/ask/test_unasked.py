"""Constants that a question does not name: what may not serve other sessions or other days."""

from __future__ import annotations

import pytest

from askwire.sql.unasked import UnaskedParts, unasked, without_unasked

NOTHING = UnaskedParts()


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("dogs in Berlin", "SELECT name FROM pets WHERE city = 'Berlin'"),
        ("dogs in berlin", "SELECT name FROM pets WHERE city ILIKE '%Berlin%'"),
        ("the top 3 pets", "SELECT name FROM pets ORDER BY age DESC LIMIT 3"),
        ("the oldest pet", "SELECT name FROM pets ORDER BY age DESC LIMIT 1"),
        ("pets older than ten", "SELECT name FROM pets WHERE age > 10"),
        ("orders over 1,000", "SELECT id FROM orders WHERE total > 1000"),
        ("share of dogs", "SELECT round(100.0 * count(*) / (SELECT count(*) FROM pets), 2) FROM pets"),
        ("orders per month", "SELECT date_trunc('month', at), count(*) FROM orders GROUP BY 1"),
        ("who has no name", "SELECT id FROM people WHERE name = ''"),
        ("orders per month", "SELECT to_char(at, 'YYYY-MM') FROM orders"),
        ("orders of the last 30 days", "SELECT id FROM orders WHERE at >= current_date - interval '30 days'"),
        ("who ordered twice", "SELECT who FROM orders GROUP BY who HAVING count(*) > 1"),
        ("full names", "SELECT first || ' ' || last FROM people"),
        ("the words of O'Hara", "SELECT words FROM people WHERE name = 'O''Hara'"),
    ],
)
def test_what_the_question_says_is_not_foreign(question: str, sql: str) -> None:
    assert unasked(sql, question) == NOTHING


@pytest.mark.parametrize(
    ("question", "sql", "foreign"),
    [
        ("customers in California", "SELECT id FROM c WHERE state = 'CA'", ("'CA'",)),
        ("the biggest customer's orders", "SELECT id FROM o WHERE who = 42", ("42",)),
        ("dogs", "SELECT 1 FROM p WHERE kind IN ('dog', $$hound$$)", ("'dog'", "$$hound$$")),
        ("an art shop", "SELECT id FROM s WHERE kind = 'art supplies'", ("'art supplies'",)),
        ("code seven", "SELECT id FROM s WHERE code = '0999'", ("'0999'",)),
        ("orders in michigan", "SELECT id FROM o WHERE state = 'MI'", ("'MI'",)),
        ("american customers", "SELECT id FROM c WHERE country = 'US'", ("'US'",)),
        ("who is it", "SELECT id FROM c WHERE code = '\"Smith John 1970\"'", ("'\"Smith John 1970\"'",)),
        ("whose phone", "SELECT id FROM c WHERE phone LIKE '90-990-0999'", ("'90-990-0999'",)),
        ("the overdrawn account", "SELECT id FROM a WHERE balance = -53124", ("53124",)),
        ("which number", "SELECT id FROM a WHERE n IN (+4711)", ("4711",)),
        ("which number", "SELECT coalesce(n, 4711) FROM a", ("4711",)),
    ],
)
def test_what_was_found_in_the_data_is_foreign(question: str, sql: str, foreign: tuple[str, ...]) -> None:
    assert unasked(sql, question).foreign == foreign


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("orders last quarter", "SELECT id FROM o WHERE at >= '2025-07-01' AND at < '2025-10-01'"),
        ("orders last year", "SELECT id FROM o WHERE extract(year FROM at) = 2025"),
        ("orders last month", "SELECT id FROM o WHERE extract(month FROM at) = 1"),
        ("orders last month", "SELECT id FROM o WHERE to_char(at, 'YYYY-MM') = '2025-10'"),
        ("orders last month", "SELECT id FROM o WHERE to_char(at, 'Month') = 'October'"),
        ("orders last year", "SELECT id FROM o WHERE to_char(at, 'YYYY') = '2025'"),
        ("orders in october", "SELECT id FROM o WHERE at >= '2026-10-01' AND at < '2026-11-01'"),
        ("orders on the 5th", "SELECT id FROM o WHERE at = '2026-11-05'"),
        ("orders of 2026 so far", "SELECT id FROM o WHERE at >= '2026-01-01' AND at < '2026-11-22'"),
        ("orders in 2026 until today", "SELECT id FROM o WHERE at >= '2026-01-01' AND at < '2026-11-22'"),
        ("this month's orders, not those of 2024", "SELECT id FROM o WHERE at >= '2026-11-01'"),
        ("who was born in 1990 and is older than 30", "SELECT id FROM p WHERE born < '1990-11-21'"),
        ("orders of 2024", "SELECT id FROM o WHERE at < '2024-11-21'"),
        ("orders of 2024", "SELECT id FROM o WHERE at < '2025-01-02'"),
        ("orders of 2024", "SELECT id FROM o WHERE at < '2024-12-31 14:30'"),
        ("orders of 2024", "SELECT id FROM o WHERE at < '2024-13-45'"),
        ("orders of 2024", "SELECT id FROM o WHERE at < '11/21/2024'"),
    ],
)
def test_a_time_that_was_worked_out_holds_for_a_day(question: str, sql: str) -> None:
    assert unasked(sql, question).dated


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("orders in 2024", "SELECT id FROM o WHERE at >= '2024-01-01' AND at < '2025-01-01'"),
        ("orders in 2024", "SELECT id FROM o WHERE at BETWEEN '2024-01-01' AND '2024-12-31 23:59:59.999'"),
        ("orders since 2024", "SELECT id FROM o WHERE at >= '2024-01-01T00:00:00+00'"),
        ("orders in March 2024", "SELECT id FROM o WHERE at >= '2024-03-01' AND at < '2024-04-01'"),
        ("orders in March 2024", "SELECT id FROM o WHERE to_char(at, 'YYYY-MM') = '2024-03'"),
        ("orders in March 2024", "SELECT id FROM o WHERE to_char(at, 'Mon') = 'Mar'"),
        ("orders in the second quarter of 2024", "SELECT id FROM o WHERE at < '2024-07-01'"),
        ("orders in the last quarter of 2024", "SELECT id FROM o WHERE at >= '2024-10-01'"),
        ("last names of who joined in 2024", "SELECT last FROM p WHERE joined >= '2024-01-01'"),
        ("orders of March 5th, 2024", "SELECT id FROM o WHERE at >= '2024-03-05' AND at < '2024-03-06'"),
        ("orders prior to 5 March 2024 14:30", "SELECT id FROM o WHERE at < '2024-03-05 14:30'"),
        ("orders on the fifth of May 2024", "SELECT id FROM o WHERE at::date = '2024-05-05'"),
        ("orders on 2024-02-28", "SELECT id FROM o WHERE at >= '2024-02-28' AND at < '2024-02-29'"),
        ("films of the 1990s", "SELECT id FROM f WHERE shot >= '1990-01-01' AND shot < '2000-01-01'"),
    ],
)
def test_a_time_that_follows_from_the_question_holds_for_ever(question: str, sql: str) -> None:
    assert unasked(sql, question) == NOTHING


def test_a_date_is_nobody_s_data() -> None:
    assert unasked("SELECT id FROM o WHERE at < '2025-10-01'", "orders before last quarter").foreign == ()


def test_what_the_question_does_not_name_can_be_left_out() -> None:
    sql = "SELECT id FROM c WHERE state = 'CA' AND who = 42 AND city = 'Rome'"
    assert without_unasked(sql, "Rome, California") == (
        "SELECT id FROM c WHERE state = '…' AND who = … AND city = 'Rome'"
    )


def test_any_text_can_be_looked_at() -> None:
    for sql in ("", "'", "E'\\", "((((", "))))", "SELECT 'a", "\ud800", "U&'\\zz'"):
        unasked(sql, sql)
        without_unasked(sql, sql)
