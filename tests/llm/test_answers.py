"""What models write: the part that was asked for is found, whatever stands around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwire.llm.answers import read_object, read_sql, read_text, without_reasoning

SQL = "SELECT a FROM t WHERE b > 1"


@pytest.mark.parametrize(
    "text",
    [
        f'{{"sql": "{SQL}"}}',
        f'{{"reading": "x", "sql": "{SQL};"}}',
        f'Sure! Here it is:\n```json\n{{"sql": "{SQL}",}}\n```\nAnything else?',
        f'<think>{{"sql": "SELECT wrong"}}</think>\n{{"sql": "{SQL}"}}',
        f'so I think {{"sql": "wrong"}}</think>{{"sql": "{SQL}"}}',
        f'{{not json}} {{"sql": "{SQL}"}}',
        f"```sql\n{SQL};\n```",
        f"```\n{SQL}\n```",
        f"First:\n```python\nprint(1)\n```\nthen\n```postgresql\n{SQL}\n```",
        f"```sql\n{SQL}",
        f"{SQL};",
        f"The query is\n{SQL};\n\nIt lists what you want.",
        '{"sql": "SELECT a\nFROM t WHERE b > 1"}'.replace("\n", " "),
    ],
)
def test_the_query_is_found(text: str) -> None:
    assert read_sql(text) == SQL


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I do not know.",
        '{"sql": ""}',
        '{"sql": 7}',
        '{"sql": null}',
        "```python\nselect = 1\n```",
        "<think>SELECT 1",
    ],
)
def test_where_there_is_none_nothing_is_made_up(text: str) -> None:
    assert read_sql(text) == ""


def test_of_an_answer_that_was_cut_only_a_whole_object_counts() -> None:
    assert read_sql(f'{{"sql": "{SQL}"}} and', cut=True) == SQL
    for text in (SQL, f"```sql\n{SQL}\n```", f"```sql\n{SQL}", f'{{"sql": "{SQL}'):
        assert read_sql(text, cut=True) == ""


def test_line_breaks_inside_json_strings_are_taken() -> None:
    assert read_sql('{"sql": "SELECT 1\n  AS a"}') == "SELECT 1\n  AS a"


def test_only_text_is_text() -> None:
    assert read_text({"a": ["x"]}, "a") == ""
    assert read_text({"a": " x "}, "a") == "x"
    assert read_text({"a": "xyz"}, "a", 2) == "xy"
    assert read_text(None, "a") == ""


@given(st.text(alphabet='{}[]",:\\`<>/thinksel \n') | st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    read_sql(text)
    without_reasoning(text)
    found = read_object(text)
    assert found is None or isinstance(found, dict)


def test_depth_and_length_are_bounded() -> None:
    assert read_object('{"a":' * 100_000) is None
    assert read_object("{" * 1_000_000) is None
    assert read_sql("x" * 1_000_000) == ""
