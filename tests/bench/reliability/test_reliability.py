"""The reliability bench: what is left out is not seen, signals never help, levels are counted as said."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from servers.databases import Database

from askwire.bench.failure import BenchFailure
from askwire.bench.reliability import fit, levels
from askwire.bench.reliability.outcomes import Outcome, on_empty_tables
from askwire.bench.reliability.sources import Source, read_sources
from askwire.core.settings.confidence_levels import HIGH, LOW, MEDIUM
from askwire.selector.confidence import probability


def outcomes(count: int = 300, databases: int = 20) -> list[Outcome]:
    """Answers that are wrong the more often the more `joins` they have; `luck` tells nothing."""
    dice = random.Random(7)
    found = []
    for number in range(count):
        joins = float(dice.randrange(4))
        right = dice.random() < 0.95 - 0.25 * joins
        signals = {"joins": joins, "luck": dice.random()}
        found.append(Outcome("made", f"db{number % databases}", str(number), signals, right, True, 0.5))
    return found


def test_a_fit_finds_what_speaks_against_answers() -> None:
    model = fit.fitted(outcomes(), {"made": 300.0})
    sure = [probability({"joins": float(n)}, model) for n in range(4)]
    assert sure == sorted(sure, reverse=True)
    assert sure[0] > 0.85
    assert sure[3] < 0.5


def test_a_signal_that_speaks_for_answers_is_passed_over() -> None:
    turned = [replace(o, right=not o.right) for o in outcomes()]
    model = fit.fitted(
        [replace(o, signals={"joins": (o.signals or {})["joins"]}) for o in turned], {"made": 300.0}
    )
    assert probability({"joins": 3.0}, model) == pytest.approx(probability({}, model))


def test_the_same_outcomes_give_the_same_fit() -> None:
    assert fit.fitted(outcomes(), {"made": 300.0}) == fit.fitted(outcomes(), {"made": 300.0})


def test_a_database_that_is_left_out_is_not_seen() -> None:
    """Its own outcomes, turned around, change nothing about its probabilities."""
    first = outcomes()
    fold = fit.fold_of("db0")
    second = [replace(o, right=not o.right) if fit.fold_of(o.database) == fold else o for o in first]
    one, two = (fit.left_out(found, {"made": 300.0}) for found in (first, second))
    assert one[0] == two[0]
    assert any(a != b for a, b in zip(one, two, strict=True))


def test_a_source_that_is_left_out_is_not_seen_under_another_name() -> None:
    own = outcomes(200)
    other = [replace(o, source="copies", right=not o.right) for o in own]
    third = [replace(o, source="third", database=f"x{o.database}") for o in outcomes(200)]
    weight = {"made": 200.0, "copies": 200.0, "third": 200.0}
    models = fit.source_left_out([*own, *other, *third], weight)
    assert models[0] == models[200] == fit.fitted(third, weight)


def test_levels_count_answers_and_what_was_stated() -> None:
    one = outcomes(1)[0]
    judged = [
        (replace(one, right=True), 0.95),
        (replace(one, right=False, in_other_order=True), 0.93),
        (replace(one, right=False), 0.7),
        (replace(one, right=True), 0.1),
        (replace(one, signals=None), 0.99),
    ]
    told = levels.by_level(judged)
    assert told[HIGH] == {"answers": 2, "right": 2, "right_in_order": 1, "percent": 100.0, "stated": 94.0}
    assert (told[MEDIUM]["percent"], told[LOW]["percent"]) == (0.0, 100.0)
    assert not levels.holds(told)
    assert levels.ended(judged)["made"]["now"] == {"right": 1, "wrong": 2, "refused": 2}


def test_error_rates_need_enough_outcomes_and_rise_with_what_is_allowed() -> None:
    found = outcomes(400)
    model = fit.fitted(found, {"made": 400.0})
    judged = [(o, probability(o.signals or {}, model)) for o in found]
    rates = [least for _, least in levels.error_rates(judged) if least is not None]
    assert rates == sorted(rates, reverse=True)
    assert {least for _, least in levels.error_rates(judged[:50])} == {None}


def test_sources_take_so_many_of_each_database(tmp_path: Path) -> None:
    lines = [
        {"id": f"{d}{n}", "db_id": d, "question": "How many?", "gold_sql": "SELECT 1"}
        for d in "ab"
        for n in range(9)
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    (tmp_path / "s.toml").write_text(
        '[[source]]\nname = "x"\ndsn = "d"\nquestions = "q.jsonl"\neach = 3\n', "utf-8"
    )
    (source,) = read_sources(tmp_path / "s.toml")
    taken = [line["id"] for line in source.lines()]
    assert sorted(one[0] for one in taken) == ["a", "a", "a", "b", "b", "b"]
    assert "a0" not in [line["id"] for line in replace(source, each=0).lines(without={"a0"})]
    assert Source.database({"database": "shop", "db_id": "public"}) == "shop"


def test_questions_on_empty_tables_are_left_out_and_empty_answers_are_not(
    make_database: Callable[[], Database], tmp_path: Path
) -> None:
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        conn.execute(
            "CREATE SCHEMA shop; CREATE TABLE shop.client (id int); CREATE TABLE shop.bill (id int);"
            "INSERT INTO shop.client VALUES (1)"
        )
    lines = [
        {"id": str(number), "db_id": "shop", "question": "Which?", "gold_sql": sql, "trivial": True}
        for number, sql in enumerate(
            (
                "SELECT id FROM client WHERE id = 2",
                "SELECT id FROM client WHERE id IN (SELECT id FROM bill)",
                "WITH c AS (SELECT id FROM client) SELECT id FROM c WHERE id > 2",
                "SELECT count(*) FROM shop.bill",
            )
        )
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert on_empty_tables(Source("shop", database.dsn(), tmp_path / "q.jsonl")) == {"1", "3"}


def test_a_source_with_a_field_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('[[source]]\nname = "x"\ndns = "d"\nquestions = "q"\n', "utf-8")
    with pytest.raises(BenchFailure, match="dns"):
        read_sources(tmp_path / "s.toml")
