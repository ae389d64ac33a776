"""The confidence of an answer: what speaks against it lowers it, and some of it keeps it from being high."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest

from askwire.core.settings.confidence_levels import HIGH, LEVELS, LOW, MEDIUM, higher, level_of, reaches
from askwire.core.types import Candidate, Check, Cluster, ResultColumn, ResultSet, Verdict
from askwire.selector import confidence
from askwire.selector.strategy import RankedCluster

QUESTION = "How many customers are in Oslo?"
SQL = "SELECT count(*) FROM customers WHERE city = 'Oslo'"


def verdict(sql: str = SQL, answer: str | None = "3", score: float = 0.0, *checks: Check) -> Verdict:
    candidate = Candidate(sql, "embedded", score, 0.8, signals=MappingProxyType({"joins": 1.0}))
    return Verdict(candidate, sql, checks, ResultSet((ResultColumn("count", 20),), ((answer,),)))


def standing(support: float, *verdicts: Verdict) -> RankedCluster:
    return RankedCluster(Cluster(verdicts), support, support, {"confidence": 0.0})


def signals(best: Verdict, *others: RankedCluster, question: str = QUESTION) -> Mapping[str, float]:
    return confidence.signals(question, [standing(0.9, best)], others)


def test_a_plain_answer_has_high_confidence_and_a_doubtful_one_low() -> None:
    plain = signals(verdict())
    assert level_of(confidence.probability(plain)) == HIGH
    doubts = {"not_empty": 1.0, "support": 7.0, "words_unplaced": 3.0, "checks": 3.0, "near": 3.0}
    assert level_of(confidence.probability({**plain, **doubts})) == LOW


def test_no_signal_raises_the_confidence() -> None:
    """Each signal alone, from nothing to much of it, on top of a plain answer and of a doubtful one."""
    names = {"support", "mass", "joins", "words_unplaced", "uncovered", "short_names", "keyless"}
    names |= {"near", "other_tables", "not_empty", "null_cells", "unmet:per", "assignment", "weakest_link"}
    for base in ({"support": 1.0}, {"support": 3.0, "assignment": 1.0}):
        for name in names:
            found = [
                confidence.probability({**base, name: base.get(name, 0.0) + n}) for n in (0, 0.5, 1, 2, 4)
            ]
            assert found == sorted(found, reverse=True), name


@pytest.mark.parametrize("name", ["uncovered", "not_all_null"])
def test_an_unused_word_or_a_result_of_nulls_is_never_high(name: str) -> None:
    sure = {"support": 0.0}
    assert level_of(confidence.probability(sure)) == HIGH
    assert level_of(confidence.probability({**sure, name: 1.0})) != HIGH


@pytest.mark.parametrize(
    "name",
    [
        "kind_unlike",
        "clause_unread",
        "sense_lost",
        "unit_unproven",
        "owner_unshown",
        "measure_lost",
        "group_elsewhere",
        "event_unread",
        "nothing_read",
        "ungrouped",
        "share_of_what",
        "values_unclean",
    ],
)
def test_another_kind_or_rows_that_a_clause_does_not_choose_are_no_answer(name: str) -> None:
    """'customers who bought a keyboard' returned all customers, at 0.81."""
    assert level_of(confidence.probability({"support": 0.0, name: 1.0})) == LOW


@pytest.mark.parametrize(
    ("sql", "level"),
    [
        ("SELECT name FROM item WHERE price < 80", LOW),
        ("SELECT name FROM item WHERE price < 0.8 * list", HIGH),
    ],
)
def test_a_number_in_the_place_of_a_part_is_no_answer(sql: str, level: str) -> None:
    """'sold at less than 80% of the list price' was read as a list price below 80, at 0.93."""
    found = confidence.of_wording("items sold at less than 80% of the list price", sql)
    assert level_of(confidence.probability({"support": 0.0, **found})) == level


def test_rows_are_not_their_value() -> None:
    """'the value of all orders' listed the orders, at 0.85."""
    asked = "what is the value of all orders in 2024?"
    rows = confidence.of_wording(asked, "SELECT id FROM orders WHERE day >= '2024-01-01'")
    summed = confidence.of_wording(asked, "SELECT sum(amount) FROM orders WHERE day >= '2024-01-01'")
    assert confidence.is_guess(rows)
    assert not confidence.is_guess(summed)


@pytest.mark.parametrize(
    ("asked", "sql"),
    [
        ("What is the average market value of Brazilian forwards?", "SELECT avg(mkt_val_m) FROM plyr"),
        ("Which players have a market value of over 80 million?", "SELECT name FROM plyr WHERE mkt > 80"),
        ("How many customers have an active value of 1?", "SELECT count(*) FROM customer WHERE active = 1"),
        ("What is the average value of all orders?", "SELECT avg(paid) FROM orders"),
    ],
)
def test_a_value_that_is_a_column_is_no_value_of_rows(asked: str, sql: str) -> None:
    assert not confidence.of_wording(asked, sql).get("unmet:worth")


def test_a_column_of_shares_holds_the_part_that_is_asked_for() -> None:
    asked = "languages spoken by more than 50 percent of the people"
    assert not confidence.of_wording(asked, "SELECT name FROM spoken WHERE percentage > 50").get("unmet:part")
    assert confidence.of_wording(asked, "SELECT name FROM spoken WHERE people > 50")["unmet:part"]


def test_the_first_by_what_lies_far_away_is_no_answer() -> None:
    """'who is the oldest professor' was the one who shares an activity with the oldest student, at 0.79."""
    far = {"support": 0.0, "s:limited": 1.0, "unnamed_tables": 3.0}
    assert level_of(confidence.probability(far)) == LOW
    assert not confidence.is_guess({**far, "unnamed_tables": 2.0})
    assert not confidence.is_guess({**far, "s:grouped": 1.0})


@pytest.mark.parametrize("asked", ["asks:average", "asks:total"])
def test_a_figure_that_no_word_names_is_no_answer_for_a_word_left_out(asked: str) -> None:
    """'average track length in minutes' returned the average of the only price, at 0.89."""
    guess = {"support": 0.0, "uncovered": 1.0, "names_unsaid:shown": 1.0, asked: 1.0}
    assert level_of(confidence.probability(guess)) == LOW
    assert not any(confidence.is_guess(guess | {name: 0.0}) for name in guess if name != "support")


@pytest.mark.parametrize(
    ("asked", "sql", "level"),
    [
        ("total fines of a street", "SELECT street FROM fines WHERE street = 'High Street'", LOW),
        ("total fines of a street", "SELECT sum(fine) FROM fines WHERE street = 'High Street'", HIGH),
        ("total injuries of crash 7", "SELECT inj_tot FROM crash WHERE id = 7", HIGH),
        ("overall rating of player 7", "SELECT overall_rating FROM player WHERE id = 7", HIGH),
        ("the average fine", "SELECT max(fine) FROM fines", LOW),
        ("the average fine", "SELECT avg(fine) FROM fines", HIGH),
    ],
)
def test_a_figure_that_is_not_worked_out_is_no_answer(asked: str, sql: str, level: str) -> None:
    found = confidence.of_wording(asked, sql)
    assert level_of(confidence.probability({"support": 0.0, **found})) == level


@pytest.mark.parametrize(
    ("asked", "shown", "met"),
    [
        ("clients with more than two bills, and how many", "c.name", False),
        ("clients with more than two bills, show name and count", "c.name", False),
        ("clients with more than two bills, and how many", "c.name, count(*) AS number_of_bills", True),
        ("clients with more than two bills", "c.name", True),
        ("clients in Oslo and with the number of bills above two", "c.name", True),
    ],
)
def test_a_number_that_is_only_compared_is_not_shown(asked: str, shown: str, met: bool) -> None:
    """'work orders with more than 2 inspections, show number and count' showed no count, at 0.72."""
    sql = f"SELECT {shown} FROM c JOIN bill AS b ON b.c_id = c.id GROUP BY c.name HAVING count(*) > 2"
    assert confidence.is_guess(confidence.of_wording(asked, sql)) is not met


@pytest.mark.parametrize(
    ("question", "sql", "unclean"),
    [
        (
            "Which pets have no visits?",
            "SELECT name FROM pets WHERE id NOT IN (SELECT pet FROM visits)",
            False,
        ),
        ("female pets", "SELECT p.name FROM visits AS v JOIN pets AS p ON v.pet = p.id", False),
        ("Which breeds are there?", "SELECT breed FROM pets", True),
        ("Which pet breeds are there?", "SELECT breed FROM pets", True),
    ],
)
def test_things_may_be_called_alike(question: str, sql: str, unclean: bool) -> None:
    """'Which pets have no visits?' was refused because three of the pets are called Bella."""
    listed = ResultSet((ResultColumn("name", 25),), (("Bella",), ("Bella",), ("Bella",), ("Max",)))
    found = signals(replace(verdict(sql), result=listed), question=question)
    assert bool(found.get("values_unclean")) is unclean


@pytest.mark.parametrize(
    ("sql", "values", "clean"),
    [
        ("SELECT DISTINCT color FROM product", ("red", "blue", None), False),
        ("SELECT DISTINCT color FROM product", ("red", "blue"), True),
        ("SELECT color FROM product", ("red", "red", "blue"), False),
        ("SELECT color FROM product", ("red", "red", "blue", "green"), True),
        ("SELECT color FROM product ORDER BY price", ("red", "red", "blue"), True),
        ("SELECT max(price) FROM product GROUP BY color", ("5", "5", "7"), True),
        ("SELECT DISTINCT color FROM product", (None,), True),
    ],
)
def test_a_list_of_values_holds_each_once_and_no_null(
    sql: str, values: tuple[str | None, ...], clean: bool
) -> None:
    """'what different colours do our bikes come in' returned a row without a colour, at 0.76."""
    listed = ResultSet((ResultColumn("color", 25),), tuple((value,) for value in values))
    found = signals(replace(verdict(sql), result=listed), question="which colours are there?")
    assert bool(found.get("values_unclean")) is not clean
    found = signals(replace(verdict(sql), result=listed), question="the colours of our products")
    assert bool(found.get("values_unclean")) is (not clean and "DISTINCT" in sql)


def test_a_result_of_nulls_is_seen() -> None:
    null = Check("not_all_null", held=False, message="it returns only NULL", odds=0.5)
    assert signals(verdict(SQL, None, 0.0, null))["not_all_null"] == 1.0


@pytest.mark.parametrize(
    ("question", "sql", "unmet"),
    [
        ("What share of orders was late?", "SELECT count(*) FROM orders", "share"),
        ("What share of orders was late?", "SELECT 100.0 * a / b FROM orders", ""),
        ("Orders per customer", "SELECT count(*) FROM orders", "per"),
        ("Orders per customer", "SELECT c, count(*) FROM orders GROUP BY c", ""),
        ("Customers outside Norway", "SELECT name FROM customers WHERE country = 'Norway'", "negation"),
        ("Customers outside Norway", "SELECT name FROM customers WHERE country <> 'Norway'", ""),
        ("The tallest player", "SELECT name FROM players", "superlative"),
        ("The tallest player", "SELECT name FROM players ORDER BY height DESC LIMIT 1", ""),
        ("Films longer than 90 minutes", "SELECT title FROM films", "comparison"),
        ("Films longer than 90 minutes", "SELECT title FROM films WHERE length > 90", ""),
        ("Which guests have interest in golf?", "SELECT name FROM guests", ""),
    ],
)
def test_what_is_asked_for_and_not_in_the_sql(question: str, sql: str, unmet: str) -> None:
    found = {name for name in confidence.of_wording(question, sql) if name.startswith("unmet:")}
    assert found == ({f"unmet:{unmet}"} if unmet else set())


def test_rivals_that_look_as_good_count_and_others_do_not() -> None:
    other = "SELECT count(*) FROM customer_list WHERE city = 'Oslo'"
    near = signals(verdict(), standing(0.1, verdict(other, "4", -0.5)))
    far = signals(verdict(), standing(0.1, verdict(other, "4", -9.0)))
    same = signals(verdict(), standing(0.1, verdict(other, "3", -0.5)))
    assert (near["near"], near["other_tables"]) == (1.0, 1.0)
    assert not {"near", "other_tables"} & (far.keys() | same.keys())


def test_it_speaks_of_answers_that_nobody_voted_for_or_ruled_on() -> None:
    own = standing(0.8, verdict())
    assert confidence.applies([own])
    assert not confidence.applies([replace(own, terms={"confidence": 0.0, "votes": 1.0})])
    assert not confidence.applies([replace(own, reason="the judge named it")])
    foreign = replace(verdict(), candidate=Candidate(SQL, "model"))
    assert not confidence.applies([own, standing(0.1, foreign)])


def test_levels_are_those_of_the_confidence_that_is_shown() -> None:
    assert [level_of(c) for c in (0.8951, 0.8949, 0.66, 0.2, None)] == [HIGH, MEDIUM, MEDIUM, LOW, LOW]
    assert [reaches(0.7, level) for level in LEVELS] == [False, True, True]
    assert higher(MEDIUM, LOW) == MEDIUM


def test_of_two_readings_that_score_alike_neither_is_answered() -> None:
    other = RankedCluster(Cluster((verdict("SELECT 2", "2"),)), 0.3, 0.3, {"confidence": 0.0})
    apart = RankedCluster(Cluster((verdict("SELECT 2", "2", -3.0),)), 0.3, 0.3, {"confidence": 0.0})
    assert confidence.is_guess(signals(verdict(), other))
    assert level_of(confidence.probability(signals(verdict(), other))) == LOW
    assert not confidence.is_guess(signals(verdict(), apart))


@pytest.mark.parametrize(
    ("sql", "speaks"),
    [
        ("SELECT name FROM client WHERE id NOT IN (SELECT client_id FROM bill)", False),
        (
            "SELECT name FROM client WHERE NOT EXISTS (SELECT 1 FROM (SELECT client_id FROM bill"
            " WHERE client_id IS NOT NULL) AS x(key) WHERE x.key = id)",
            False,
        ),
        (
            "SELECT name FROM client WHERE id NOT IN (SELECT client_id FROM bill WHERE day > '2024-01-01')",
            False,
        ),
        ("SELECT name FROM client WHERE id NOT IN (SELECT x FROM bill WHERE y IN (SELECT 1))", True),
        ("SELECT name FROM client WHERE city = 'Oslo'", True),
    ],
)
def test_that_nobody_is_without_is_an_answer(sql: str, speaks: bool) -> None:
    """'clients who never bought anything' was refused because all of them bought something."""
    empty = Check("not_empty", held=False, message="no rows")
    assert bool(signals(verdict(sql, None, 0.0, empty)).get("not_empty")) is speaks
