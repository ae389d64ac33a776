"""What of askwire's own state a statement needs, and that it never needs more than that."""

from __future__ import annotations

import pytest

from askwire.sql.state_needs import Need, state_needs


def need(text: str, relation: str = "history", index: int = 0) -> Need:
    return state_needs(text).get((index, relation), Need())


@pytest.mark.parametrize(
    ("text", "column", "needed"),
    [
        ("SELECT question FROM ask.history", "question", True),
        ("SELECT question FROM ask.history", "sql", False),
        ("SELECT count(*) FROM ask.history", "sql", False),
        ('SELECT "sql" FROM ask.history', "sql", True),
        ("SELECT SQL FROM ask.history", "sql", True),
        ("SELECT ask.history.sql FROM ask.history", "sql", True),
        ("SELECT 1 FROM ask.history ORDER BY sql", "sql", True),
        ("SELECT 1 FROM ask.history JOIN ask.pins USING (sql)", "sql", True),
        # whatever may mean all of them
        ("SELECT * FROM ask.history", "sql", True),
        ("SELECT h.* FROM ask.history AS h", "sql", True),
        ("TABLE ask.history", "sql", True),
        ("SELECT h FROM ask.history AS h", "sql", True),
        ("SELECT row_to_json(h) FROM ask.history h", "sql", True),
        ("SELECT row_to_json(history) FROM ask.history", "sql", True),
        ("SELECT count(ask.history) FROM ask.history", "sql", True),
        ("SELECT (h).question FROM ask.history h", "sql", True),
        ("SELECT a FROM ask.history AS h (a, b)", "sql", True),
        ("SELECT 1 FROM ask.history NATURAL JOIN ask.pins", "sql", True),
        ("SELECT 1 FROM (ask.history JOIN ask.pins USING (key)) AS j", "sql", True),
        ('SELECT U&"sq\\006c" FROM ask.history', "sql", True),
        ("SELECT x.question FROM (SELECT * FROM ask.history) x", "sql", True),
        ("no SQL at all FROM ask.history", "sql", True),
    ],
)
def test_columns(text: str, column: str, needed: bool) -> None:
    columns = need(text).columns
    assert (columns is None or column in columns) == needed


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("SELECT question FROM ask.history LIMIT 20", 20),
        ("SELECT * FROM ask.history LIMIT 20", 20),
        ("SELECT question FROM ask.history FETCH FIRST 20 ROWS ONLY", 20),
        ("SELECT question FROM ask.history LIMIT 20 OFFSET 5", 25),
        ("SELECT question || 'x', at::date FROM ask.history ORDER BY at DESC LIMIT 3", 3),
        ("SELECT h.question FROM ask.history AS h ORDER BY h.at DESC LIMIT 3", 3),
        ("SELECT question FROM ask.history WHERE outcome = '00000' AND 'a' = key LIMIT 3", 3),
        # whatever looks at more rows than it returns, or makes others of them
        ("SELECT question FROM ask.history", None),
        ("SELECT question FROM ask.history ORDER BY at LIMIT 3", None),
        ("SELECT question FROM ask.history ORDER BY at DESC NULLS LAST LIMIT 3", None),
        ("SELECT question FROM ask.history ORDER BY at DESC, question LIMIT 3", None),
        ("SELECT question FROM ask.history ORDER BY question LIMIT 3", None),
        ("SELECT elapsed_ms AS at FROM ask.history ORDER BY at DESC LIMIT 3", None),
        ("SELECT at FROM ask.history ORDER BY at DESC FETCH FIRST 3 ROWS WITH TIES", None),
        ("SELECT max(question) FROM ask.history LIMIT 3", None),
        ("SELECT json_arrayagg(question) FROM ask.history LIMIT 3", None),
        ("SELECT unnest(array[question]) FROM ask.history LIMIT 3", None),
        ("SELECT row_number() OVER () FROM ask.history LIMIT 3", None),
        ("SELECT DISTINCT question FROM ask.history LIMIT 3", None),
        ("SELECT question FROM ask.history GROUP BY question LIMIT 3", None),
        ("SELECT 1 FROM ask.history HAVING true LIMIT 3", None),
        ("SELECT question FROM ask.history WHERE pinned LIMIT 3", None),
        ("SELECT question FROM ask.history WHERE key = 'a' OR key = 'b' LIMIT 3", None),
        ("SELECT question FROM ask.history WHERE key = 'a' AND key = 'b' LIMIT 3", None),
        ("SELECT question FROM ask.history WHERE key < 'a' LIMIT 3", None),
        ("SELECT question FROM ask.history, pets LIMIT 3", None),
        ("SELECT question FROM ask.history LEFT JOIN pets ON true LIMIT 3", None),
        ("SELECT question FROM ask.history UNION ALL SELECT 'x' LIMIT 3", None),
        ("SELECT question FROM ask.history WHERE EXISTS (SELECT FROM ask.history) LIMIT 3", None),
        ("SELECT (SELECT count(*) FROM ask.history) FROM ask.history LIMIT 3", None),
        ("SELECT x.question FROM (SELECT question FROM ask.history) x LIMIT 3", None),
        ("WITH x AS (SELECT question FROM ask.history LIMIT 2) SELECT question FROM x LIMIT 3", None),
        ("SELECT question FROM ask.history LIMIT 1 + 2", None),
        ("SELECT question FROM ask.history LIMIT ALL", None),
        ("SELECT question FROM ask.history LIMIT NULL", None),
        ("EXPLAIN SELECT question FROM ask.history LIMIT 3", None),
    ],
)
def test_a_limit_counts_only_where_the_rows_are_taken_as_they_come(text: str, limit: int | None) -> None:
    assert need(text).limit == limit


BOTH = {"key": "a", "role": "b"}


@pytest.mark.parametrize(
    ("text", "equal"),
    [
        ("SELECT count(*) FROM ask.history WHERE outcome = '00000' AND pinned", {"outcome": "00000"}),
        (
            "SELECT 1 FROM ask.history h WHERE h.key = 'a' AND (role = 'b' AND pinned)",
            {"key": "a"} | {"role": "b"},
        ),
        ("SELECT sql FROM ask.history WHERE NOT key = 'a'", {}),
        ("SELECT sql FROM ask.history WHERE key = 'a' OR role = 'b'", {}),
        ("SELECT sql FROM ask.history WHERE key OPERATOR(public.=) 'a'", {}),
        ("SELECT sql FROM ask.history WHERE key = 7", {}),
        ("SELECT sql FROM ask.history WHERE key = 'a'::text", {}),
        ("SELECT sql FROM ask.history WHERE key IN ('a')", {}),
        ("SELECT sql FROM ask.history, ask.pins WHERE key = 'a'", {}),
    ],
)
def test_what_rows_must_equal(text: str, equal: dict[str, str]) -> None:
    assert dict(need(text).equal) == equal


def test_each_statement_of_a_text_has_needs_of_its_own() -> None:
    text = "SELECT sql FROM ask.history LIMIT 2; SELECT question FROM ask.history"
    assert need(text).limit == 2
    assert need(text, index=1).limit is None
