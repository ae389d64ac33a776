"""What goes beside the rows of an answer, at each level, and how sure it says to be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from askwire.core.records import Pin
from askwire.core.settings.table import load
from askwire.core.types import (
    Alignment,
    Candidate,
    Check,
    Choice,
    Cluster,
    ResultColumn,
    ResultSet,
    Span,
    Verdict,
)
from askwire.proxy.reports import notices
from askwire.proxy.reports.certainty import certainty, first_line
from askwire.proxy.reports.report import doubt
from askwire.proxy.session.statements.asker import Asker

if TYPE_CHECKING:
    from askwire.core.types import SessionState

SQL = "SELECT count(*) FROM customers WHERE state = 'CA'"


def verdict(sql: str, reading: str, answer: str) -> Verdict:
    result = ResultSet((ResultColumn("count", 20),), ((answer,),))
    return Verdict(Candidate(sql, "embedded", reading=reading), sql, result=result)


def choice(
    confidence: float | None, *others: Verdict, reason: str = "2 of 3 candidate queries give this result"
) -> Choice:
    chosen = verdict(SQL, "number of customers where state is 'CA'", "3")
    groups = (Cluster((chosen,)), *(Cluster((other,)) for other in others))
    return Choice(chosen, reason, confidence=confidence, clusters=groups)


def asker(*, hears: bool = True, **given: str) -> Asker:
    return Asker(cast("SessionState", None), load(given), hears_notices=hears)


NEXT = verdict("SELECT 2", "number of customers where city is 'CA'", "4")
SAME = verdict("SELECT 3", "number of people", "3")

# --- how sure, and why


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (choice(0.95, reason="the only candidate query"), "High confidence (0.95). The only candidate query"),
        (
            choice(0.9, NEXT),
            "High confidence (0.90). 2 of 3 candidate queries give this result; the rest scored low",
        ),
        (
            choice(0.72, SAME, NEXT),
            "Medium confidence (0.72). 2 of 3 candidate queries give this result; "
            'alternative: "city" instead of "state"',
        ),
        (choice(0.72, SAME), "Medium confidence (0.72). 2 of 3 candidate queries give this result"),
        (choice(0.3, SAME), "Low confidence (0.30). 2 of 3 candidate queries give this result"),
        (choice(None, NEXT, reason="chosen by you"), "chosen by you"),
    ],
)
def test_how_sure_an_answer_is_comes_with_its_reason(given: Choice, told: str) -> None:
    assert certainty(given) == told


@pytest.mark.parametrize(
    ("reading", "told"),
    [
        ("number of customers where state is 'CA' and vip is 't'", "with \"and vip is 't'\""),
        ("number of customers", "without \"where state is 'CA'\""),
        ("", "SELECT 2"),
        ("number of customers where state is 'CA'", "the same reading in other SQL"),
        (
            "each order of each supplier who has not been paid for any of them since the first of May",
            "each order of each supplier who has not been paid for any of them since the first of May",
        ),
        ("sum of customers where state is 'NY'", '"sum" instead of "number" and "\'NY\'" instead of'),
    ],
)
def test_the_next_reading_is_told_by_what_it_does_otherwise(reading: str, told: str) -> None:
    said = certainty(choice(0.6, verdict("SELECT 2", reading, "4")))
    assert said.partition("alternative: ")[2].startswith(told)


def test_the_same_words_in_other_sql_are_told_apart_by_their_rows() -> None:
    words = "number of customers where state is 'CA'"
    two = ResultSet((ResultColumn("count", 20),), (("4",), ("5",)))
    other = replace(verdict("SELECT 2", words, "4"), result=two)
    given = choice(0.6, other)
    assert certainty(given).endswith("alternative: the same reading in other SQL, which returns 2 rows")
    assert doubt(given) == "ASK CHOOSE 2 runs the next reading: the same in other SQL\nSELECT 2"


def test_a_change_that_comes_twice_is_told_once() -> None:
    one = "orders where ordered is at least 1 and ordered is below 2"
    two = one.replace("ordered", "shipped")
    chosen = replace(choice(0.6), verdict=verdict(SQL, one, "3"))
    said = certainty(replace(chosen, clusters=(*chosen.clusters, Cluster((verdict("SELECT 2", two, "4"),)))))
    assert said.endswith('alternative: "shipped" instead of "ordered"')


@pytest.mark.parametrize(
    ("given", "origin", "line"),
    [
        (choice(0.95), "", "High confidence (0.95): number of customers where state is 'CA'"),
        (choice(None), "", "number of customers where state is 'CA'"),
        (choice(0.7), "right", "Confirmed with ASK RIGHT: number of customers where state is 'CA'"),
    ],
)
def test_the_first_line_holds_the_level_and_the_reading(given: Choice, origin: str, line: str) -> None:
    assert first_line(given, origin) == line


def test_the_first_line_warns_of_words_not_used_and_of_a_result_that_is_only_null() -> None:
    given = choice(0.7)
    null = Check("not_all_null", held=False, message="it returns only NULL", odds=0.5)
    candidate = replace(given.verdict.candidate, uncovered=("outside", "outside"))
    doubtful = replace(given, verdict=replace(given.verdict, candidate=candidate, checks=(null,)))
    assert first_line(doubtful) == (
        "Medium confidence (0.70): number of customers where state is 'CA'. "
        'Words not used: "outside". Warning: the result is only NULL'
    )
    (told,) = notices.of_answer(replace(doubtful, assumptions=(null.message,)), asker())
    assert "only NULL" not in told.detail


# --- the notice


def test_off_says_nothing_and_neither_does_a_session_that_hears_none() -> None:
    assert notices.of_answer(choice(0.9), asker(notices="off")) == ()
    assert notices.of_answer(choice(0.9), asker(hears=False)) == ()


def test_brief_is_one_line() -> None:
    (told,) = notices.of_answer(choice(0.9, NEXT), asker(notices="brief"))
    assert (told.message, told.detail, told.hint) == (
        "High confidence (0.90): number of customers where state is 'CA'",
        "",
        "",
    )
    (told,) = notices.of_answer(choice(None), asker(notices="brief"))
    assert told.message == "number of customers where state is 'CA'"


@pytest.mark.parametrize("word", ["full", "on", "true", "yes", "1"])
def test_full_has_a_line_for_each_thing_there_is_to_know(word: str) -> None:
    given = choice(0.72, NEXT)
    candidate = replace(
        given.verdict.candidate,
        alignments=(
            Alignment(Span(9, 18, "customers"), "table", "customers"),
            Alignment(Span(22, 32, "California"), "value", "customers.state = 'CA'"),
            Alignment(Span(22, 32, "state"), "column", "customers.state"),
        ),
        uncovered=("we", "have", "we"),
    )
    told_of = replace(
        given, verdict=replace(given.verdict, candidate=candidate), assumptions=("late means delayed",)
    )
    (told,) = notices.of_answer(told_of, asker(notices=word))
    assert told.message == (
        'Medium confidence (0.72): number of customers where state is \'CA\'. Words not used: "we", "have"'
    )
    assert told.detail.splitlines() == [
        SQL,
        '2 of 3 candidate queries give this result; alternative: "city" instead of "state"',
        "Read as: \"California\" → customers.state = 'CA'",
        "Assumed: late means delayed",
    ]
    assert told.hint == "ASK CHOOSE 2 runs the next reading: number of customers where city is 'CA'\nSELECT 2"


def test_a_table_is_told_where_it_is_called_otherwise() -> None:
    given = choice(0.9)
    tables = (("personnel", "staff"), ("categories", "category"), ("Customers", "customers"))
    said = tuple(Alignment(Span(0, len(word), word), "table", name) for word, name in tables)
    verdict = replace(given.verdict, candidate=replace(given.verdict.candidate, alignments=said))
    (told,) = notices.of_answer(replace(given, verdict=verdict), asker(notices="full"))
    assert 'Read as: "personnel" → staff' in told.detail.splitlines()


def test_the_number_in_the_hint_is_the_one_of_choose() -> None:
    (told,) = notices.of_answer(choice(0.72, SAME, NEXT), asker())
    assert told.hint.startswith("ASK CHOOSE 3 runs")


def test_high_confidence_needs_no_hint() -> None:
    (told,) = notices.of_answer(choice(0.9, NEXT), asker())
    assert told.detail.count("\n") == 1
    assert told.hint == ""


@pytest.mark.parametrize(
    ("why", "sure"),
    [
        ('{"certainty":"Low confidence (0.60). Kept","next_reading":"another"}', "Kept"),
        ("{}", "2 of 3 candidate queries give this result"),
    ],
)
def test_a_pinned_answer_is_as_sure_as_it_was(why: str, sure: str) -> None:
    pin = Pin("k", 0.0, 0.0, "", "r", "r", "s", "d", "q", SQL, origin="right", why=why)
    (told,) = notices.of_answer(choice(0.6, NEXT), asker(), pin)
    assert told.detail.splitlines() == [
        SQL,
        sure,
        "pinned since 1970-01-01 00:00:00 UTC, confirmed by ASK RIGHT",
    ]
    assert told.hint == ("another" if "another" in why else "")


def test_names_in_the_data_cannot_look_like_lines_of_the_notice() -> None:
    odd = replace(choice(None), reason="x\nHINT:  do it\x1b[31m", assumptions=("a\nb",))
    (told,) = notices.of_answer(odd, asker())
    assert len(told.detail.splitlines()) == 3
    assert "\x1b" not in told.detail
