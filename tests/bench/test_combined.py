"""Combined questions: what goes with what, the gold of each, and the outcomes by head and filter."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doubles.case_tables import every

import askwire.bench.cli
from askwire.bench.cli import main
from askwire.bench.combined import outcomes
from askwire.bench.combined.records import described, read
from askwire.bench.combined.voices import VOICES, voice
from askwire.bench.execution import Runner
from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import read_lines
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres

if TYPE_CHECKING:
    from servers.databases import Database

SCHEMA = "webshop"
SECOND = "lettings"
TIMES = {"year", "quarter", "half", "month", "months", "since", "until"}


@pytest.fixture(scope="module")
def dsn(make_database: Callable[[], Database], postgres_server: EmbeddedPostgres) -> str:
    """A database with the schemas that are asked about."""
    database = make_database()
    scripts = Path(askwire.bench.cli.__file__).parent / "schemas"
    options = ["--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "--dbname", database.dsn()]
    files = [f"--file={scripts / schema}.sql" for schema in (SCHEMA, SECOND)]
    subprocess.run(
        [postgres_server.binaries.program("psql"), *options, *files],
        env=postgres_server.environment(),
        check=True,
        timeout=60,
    )
    return database.dsn()


@pytest.fixture(scope="module")
def file(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("combined") / "questions.jsonl"
    assert main(["combine", "--dsn", dsn, "--schema", SCHEMA, "--questions", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def lines(file: Path) -> list[dict[str, Any]]:
    return list(read_lines(file))


@pytest.fixture(scope="module")
def second(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Questions of the second voice."""
    path = tmp_path_factory.mktemp("combined") / "second.jsonl"
    asked = ["combine", "--dsn", dsn, "--voice", "second", "--schema", SECOND]
    assert main([*asked, "--questions", str(path)]) == 0
    return list(read_lines(path))


@every("described", {f"{name} {schema}": (name, schema) for name in VOICES for schema in described(name)})
def test_descriptions_of_records_are_complete(described: tuple[str, str]) -> None:
    for record in read(*described):
        assert record.parents
        phrases = [phrase for one in record.categories for phrase in [*one.phrases, *one.denied]]
        assert all(phrase.count("{}") == 1 for phrase in phrases)
        assert all(len(one.values) > 1 for one in record.categories)
        assert all("t." in one.label for one in record.categories if one.label)
        assert all(f"{one.alias}." in where for one in record.parents for _, where in one.conditions)


def test_phrases_of_one_kind_are_joined_before_those_about_parents(lines: list[dict[str, Any]]) -> None:
    measured = [line for line in lines if len({"above", "below", "between"} & {*line["filters"]}) > 1]
    assert measured
    assert all(re.search(" and (with|whose) ", line["question"]) for line in measured)
    assert not any(re.search("female customers (and )?(with|whose) ", line["question"]) for line in lines)


def test_every_head_is_asked_with_none_to_three_filters(lines: list[dict[str, Any]]) -> None:
    assert len(lines) > 200
    assert len({line["question"] for line in lines}) == len({line["id"] for line in lines}) == len(lines)
    assert {len(line["filters"]) for line in lines} == {0, 1, 2, 3}
    assert {line["head"] for line in lines} >= {"count", "share", "parents without", "count per month"}
    assert all(len(TIMES & {*line["filters"]}) <= 1 for line in lines)


def test_every_gold_query_runs_and_the_first_finds_something(
    dsn: str, lines: list[dict[str, Any]], second: list[dict[str, Any]]
) -> None:
    for line in lines + second:
        with Runner(dsn, line["db_id"], timeout=10) as runner:
            found = [runner.run(gold) for gold in line["golds"]]
            assert found[0], line["question"]


def test_first_ones_are_asked_for_only_without_ties(dsn: str, lines: list[dict[str, Any]]) -> None:
    limited = [line["golds"][0].rpartition(" LIMIT ") for line in lines if " LIMIT " in line["golds"][0]]
    assert limited
    with Runner(dsn, SCHEMA, timeout=10) as runner:
        for gold, _, limit in limited:
            assert len(runner.run(f"{gold} FETCH FIRST {limit} ROWS WITH TIES")) == int(limit)


def test_a_value_with_a_time_of_its_own_meets_no_other_time(lines: list[dict[str, Any]]) -> None:
    cancelled = [line for line in lines if "cancelled" in line["golds"][0].partition(" WHERE ")[2]]
    assert any("'cancelled'" in line["golds"][0] for line in cancelled)
    assert not [line for line in cancelled if TIMES & {*line["filters"]} and line["head"] != "share"]


def test_a_seed_gives_the_same_questions_and_another_others(dsn: str, file: Path, tmp_path: Path) -> None:
    asked = ["combine", "--dsn", dsn, "--schema", SCHEMA, "--questions"]
    assert (
        main([*asked, str(tmp_path / "same")]) == main([*asked, str(tmp_path / "other"), "--seed", "2"]) == 0
    )
    assert (tmp_path / "same").read_bytes() == file.read_bytes() != (tmp_path / "other").read_bytes()


def test_any_gold_query_is_right_and_the_outcomes_are_grouped(
    dsn: str, file: Path, lines: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    predictions, details = tmp_path / "predictions", tmp_path / "details"
    predictions.write_text(
        "".join(json.dumps({"id": line["id"], "sql": line["golds"][-1]}) + "\n" for line in lines)
    )
    score = ["score", "--dsn", dsn, "--questions", str(file), "--predictions", str(predictions)]
    assert main([*score, "--details", str(details)]) == 0
    capsys.readouterr()
    assert main(["combine", "--questions", str(file), "--details", str(details)]) == 0
    *printed, last = capsys.readouterr().out.splitlines()
    assert (json.loads(last)["questions"], json.loads(last)["right"]) == (len(lines), 100.0)
    assert printed[-1].split()[:3] == ["all", str(len(lines)), "100.0"]


def test_the_voices_share_no_schema_and_every_head_has_other_wordings() -> None:
    assert not {*described("first")} & {*described("second")}
    first, other = ({wording for head in voice(name).heads for wording in head.wordings} for name in VOICES)
    assert not first & other
    assert all(len(head.wordings) > 1 for name in VOICES for head in voice(name).heads)


def test_the_second_voice_asks_each_head_once_of_all_tables(second: list[dict[str, Any]]) -> None:
    asked = [(line["head"], len(line["filters"])) for line in second]
    assert len({*asked}) == len(asked) > 100
    assert {line["id"].split("-")[1] for line in second} == {one.title for one in read("second", SECOND)}


def test_a_head_that_needs_a_year_is_asked_with_one(second: list[dict[str, Any]]) -> None:
    needs = {head.name: {*head.needs} for head in voice("second").heads if head.needs}
    needing = [line for line in second if line["head"] in needs]
    assert needing
    assert all(needs[line["head"]] & {*line["filters"]} for line in needing)


def test_a_record_with_several_times_is_dated_by_its_participle_once(second: list[dict[str, Any]]) -> None:
    times = {kind.name for kind in voice("second").kinds if kind.about == "time"}
    about = {head.name for head in voice("second").heads if "time" in head.about}
    reported = [line for line in second if "maintenance" in line["question"]]
    dated = [line for line in reported if line["head"] in about or times & {*line["filters"]}]
    assert dated
    assert [line["question"] for line in dated if line["question"].count("reported") != 1] == []


def test_an_answer_may_show_a_group_before_or_after_its_figure(second: list[dict[str, Any]]) -> None:
    breakdowns = [line["golds"] for line in second if line["head"] == "breakdown"]
    assert breakdowns
    for first, other in breakdowns:
        assert re.match(r"SELECT t\.\w+ AS g, count\(\*\) FROM ", first)
        assert re.match(r"SELECT count\(\*\), t\.\w+ AS g FROM ", other)


def test_records_by_something_are_not_asked_for_by_something_else(second: list[dict[str, Any]]) -> None:
    asked = [line["question"] for line in second]
    assert any(" payments by " in question for question in asked)
    assert not [one for one in asked if re.search(" payments by .* by (method|amount)", one)]


QUESTIONS = [
    {"id": "a", "head": "count", "filters": []},
    {"id": "b", "head": "count", "filters": ["year", "value"]},
    {"id": "c", "head": "list", "filters": ["value"]},
    {"id": "d", "head": "count", "filters": []},
]
OUTCOMES = [
    {"id": "a", "answered": True, "right": True},
    {"id": "b", "answered": True, "right": False},
    {"id": "c", "answered": False, "right": False},
    {"id": "d", "answered": False, "right": False},
]


def test_outcomes_count_by_head_by_filter_and_by_number_of_filters() -> None:
    found = outcomes.figures(QUESTIONS, OUTCOMES)
    assert (found["questions"], found["right"], found["wrong"]) == (4, 25.0, 25.0)
    assert found["heads"]["count"] == {
        "questions": 3,
        "right": 33.3,
        "wrong": 33.3,
        "0 filters": 50.0,
        "2 filters": 0.0,
    }
    assert found["filters"]["value"]["questions"] == 2
    assert found["numbers"]["0 filters"]["right"] == 50.0
    assert outcomes.table(found)[1].split() == ["count", "3", "33.3", "33.3", "50.0", "-", "0.0", "-"]


def test_a_question_without_an_outcome_is_a_failure() -> None:
    with pytest.raises(BenchFailure, match="d has no outcome"):
        outcomes.figures(QUESTIONS, OUTCOMES[:3])
    with pytest.raises(BenchFailure, match="no questions"):
        outcomes.figures([], OUTCOMES)


def test_a_schema_of_the_other_voice_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["combine", "--questions", "q", "--dsn", "dbname=x", "--schema", SECOND]
    assert main(asked) == 1
    assert f"the first voice has no schema {SECOND}" in capsys.readouterr().err


@every("given", {"neither": [], "both": ["--dsn", "dbname=x", "--details", "y"]})
def test_a_database_or_outcomes_are_given(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["combine", "--questions", "q", *given]) == 1
    assert "needs --dsn to write questions, or --details" in capsys.readouterr().err
