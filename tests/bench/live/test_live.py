"""`ask bench live` against a mock model: the estimate, a run, its continuation, and its replay."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from databases import Database
from model_stages import acted, said, to, wrote

from askwire.bench import cli
from askwire.bench.failure import BenchFailure
from askwire.bench.live.options import STRATEGIES
from askwire.bench.live.oracle import details
from askwire.bench.live.ways import ways
from askwire.core.model_settings import STRATEGIES as MODEL_STRATEGIES
from askwire.llm.providers.mock_server import Answer, MockServer
from askwire.planner.models.ablations import ABLATIONS

KEY = "sk-live-7d1f"
SHOP = """
CREATE SCHEMA shop;
CREATE TABLE shop.boats (id int PRIMARY KEY, name text, harbour text);
INSERT INTO shop.boats VALUES (1, 'Ada', 'Kiel'), (2, 'Bea', 'Lagos'), (3, 'Cleo', 'Kiel');
"""
QUESTIONS = (
    {"id": "q/1", "question": "how many boats are there?", "gold_sql": "SELECT count(*) FROM boats"},
    {
        "id": "../2",
        "question": "names of boats in Kiel",
        "gold_sql": "SELECT name FROM boats WHERE harbour = 'Kiel'",
    },
    {"id": "q3", "question": "list all harbours", "gold_sql": "SELECT DISTINCT harbour FROM boats"},
)
COUNT = "SELECT count(*) FROM boats"
ANSWERS = (
    to("probe", said(action="done", sql="", columns=[], values=[])),
    to("logical_plan", said(steps=["find boats", "count them"])),
    to("merge_plans", said(steps=["find boats", "count them"])),
    to("paths", said(steps=[{"paths": ["a scan"], "keywords": ["COUNT"]}])),
    to("plan", said(steps=["count"], columns=[{"name": "count", "type": "bigint"}])),
    to("critique", said(sound=True, trouble="")),
    to("explore", acted("SQL", sql=COUNT, reading="boats")),
    to("repair", wrote(COUNT)),
    to("demands", said(demands=["boats are counted"])),
    to("demands_met", said(unmet=[])),
    Answer(
        match=r"Kiel(?s:.)*\nWrite the query", text=wrote("SELECT name FROM boats WHERE harbour = 'Kiel'")
    ),
    to("generate", wrote(COUNT)),
)


class Served:
    """A mock server in a thread of its own: the bench has its own loop."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.server = MockServer(answers)
        self.url = ""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    @property
    def written(self) -> int:
        """How many queries were asked for; repairs are calls of their own."""
        return sum("Write the query. " in asked.prompt for asked in self.server.asked)

    def __enter__(self) -> Served:
        self._thread.start()
        self.url = asyncio.run_coroutine_threadsafe(self.server.start(), self._loop).result(10)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self.server.stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


@pytest.fixture
def files(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(SHOP)
        connection.execute("ANALYZE")
    lines = (json.dumps({"db_id": "shop", "evidence": "", **one}) + "\n" for one in QUESTIONS)
    (tmp_path / "questions.jsonl").write_text("".join(lines))
    monkeypatch.setenv("LIVE_KEY", KEY)
    return tmp_path


@pytest.fixture
def live(database: Database, files: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(url: str, *more: str, code: int = 0) -> dict[str, Any]:
        given = ["--dsn", database.dsn(), "--questions", str(files / "questions.jsonl")]
        given += [
            "--out",
            str(files / "run"),
            "--url",
            url,
            "--model",
            "mock",
            "--expert",
            "key_env=LIVE_KEY",
        ]
        given += ["--expert", "price_in=1000", "--expert", "price_out=2000", *more]
        assert cli.main(["live", *given]) == code
        printed = capsys.readouterr()
        return json.loads(printed.out) if code == 0 else {"said": printed.err}

    return run


@contextmanager
def served(*answers: Answer) -> Iterator[Served]:
    with Served(answers or ANSWERS) as at:
        yield at


def test_without_yes_the_cost_is_estimated_and_nothing_is_asked(live: Any, files: Path) -> None:
    with served() as at:
        found = live(at.url, "--only", "auto, balanced", "--only", "pv-sql, Table 11, K = 1")
        assert at.server.asked == []
    total = found["estimate"]["total"]
    assert total["questions"] == 6
    assert total["calls"] > 6
    assert total["cost"] == pytest.approx(
        (total["prompt_tokens"] * 1000 + total["completion_tokens"] * 2000) / 1e6, rel=0.01
    )
    assert total["most"] > total["cost"]
    assert "nothing was asked" in found["note"]
    assert not (files / "run").exists()


SOME = ("--only", "auto, balanced", "--strategy", "recap", "--strategy", "apex", "--yes")


def test_a_run_is_recorded_and_its_replay_needs_no_network_and_comes_to_the_same(
    live: Any, files: Path
) -> None:
    with served() as at:
        first = live(at.url, *SOME, "--expert", "temperature=0.7", "--expert", "samples=2")
        url = at.url
        asked = len(at.server.asked)
    row = first["rows"]["auto, balanced"]
    assert (row["asked"], row["answered"]) == (3, 3)
    assert row["score"]["questions"] == 3
    assert row["calls"] >= 3
    assert row["cost"] > 0
    again = live(url, *SOME[:-1], "--replay", "--expert", "temperature=0.7", "--expert", "samples=2")
    assert again["identical"] is True
    assert again["rows"] == first["rows"]
    everything = "".join(path.read_text() for path in (files / "run").rglob("*") if path.is_file())
    assert KEY not in everything
    assert everything.count('"status": 200') == asked
    assert all(path.resolve().is_relative_to(files) for path in (files / "run").rglob("*"))
    assert {path.stat().st_mode & 0o077 for path in (files / "run" / "exchanges").rglob("*.jsonl")} == {0}


def test_what_was_asked_is_not_asked_again_and_what_was_cut_off_is(live: Any, files: Path) -> None:
    only = ("--only", "auto, fast", "--yes")
    with served() as at:
        live(at.url, *only, "--limit", "3")
        assert at.written == 3
        (file,) = (files / "run").glob("*.jsonl")
        lines = file.read_bytes().splitlines(keepends=True)
        file.write_bytes(lines[0] + lines[1][:10])  # the run was killed while it wrote
        found = live(at.url, *only, "--limit", "3")
        assert at.written == 5
        assert found["rows"]["auto, fast"]["asked"] == 3
        assert live(at.url, *only, "--limit", "3")["rows"] == found["rows"]
        assert at.written == 5
        url = at.url
    assert live(url, *only[:-1], "--limit", "3", "--replay")["identical"] is True


FAULTS = {
    "429, then an answer": (Answer(status=429, times=1), *ANSWERS),
    "500 always": (Answer(status=500),),
    "401": (Answer(status=401),),
    "refusal": (Answer(refusal="no"),),
    "malformed": (Answer(raw="{"),),
    "cut": (Answer(text="x" * 4000, cut=True),),
    "no answer in time": (Answer(text="x", delay=60_000),),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_replayed_as_they_were(live: Any, fault: str) -> None:
    only = ("--only", "auto, fast", "--limit", "1", "--expert", "timeout=3s")
    with served(*FAULTS[fault]) as at:
        first = live(at.url, *only, "--yes")
        url = at.url
    assert first["rows"]["auto, fast"]["answered"] == (1 if fault == "429, then an answer" else 0)
    again = live(url, *only, "--replay")
    assert again["identical"] is True, again
    assert again["rows"] == first["rows"]


def test_a_change_of_what_is_measured_is_refused_and_a_replay_that_differs_is_told(
    live: Any, files: Path
) -> None:
    only = ("--only", "auto, fast", "--limit", "1")
    with served() as at:
        live(at.url, *only, "--yes")
        url = at.url
    assert "something else (egress)" in live(url, *only, "--yes", "--egress", "schema", code=1)["said"]
    assert "something else (questions)" in live(url, "--only", "auto, fast", "--replay", code=1)["said"]
    (file,) = (files / "run" / "exchanges").rglob("*.jsonl")
    file.write_text(file.read_text().replace("count(*)", "max(id)"))
    found = live(url, *only, "--replay")
    assert found["identical"] is False
    assert found["differing"] == ["auto, fast: q/1"]


def test_the_bound_on_cost_ends_a_run_that_the_same_command_continues(live: Any) -> None:
    only = ("--only", "auto, fast", "--yes", "--jobs", "1")
    with served() as at:
        assert "is spent; --most is" in live(at.url, *only, "--most", "0.000001", code=1)["said"]
        assert at.written == 1
        assert live(at.url, *only)["rows"]["auto, fast"]["asked"] == 3
        assert at.written == 3


def test_mistakes_are_told(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "http://127.0.0.1:1/v1"
    assert "no row of that name" in live(url, "--only", "nonsense", code=1)["said"]
    assert "FIELD=VALUE" in live(url, "--expert", "price_in", code=1)["said"]
    assert "unknown field" in live(url, "--expert", "prise=3", code=1)["said"]
    assert "holds no run" in live(url, "--only", "auto, fast", "--replay", code=1)["said"]
    monkeypatch.delenv("LIVE_KEY")
    assert "LIVE_KEY is not set" in live(url, "--only", "auto, fast", "--yes", code=1)["said"]


def test_a_folder_of_something_else_is_left_alone(live: Any, files: Path) -> None:
    (files / "run").mkdir()
    (files / "run" / "thesis.txt").write_text("x")
    with served() as at:
        assert "holds something else" in live(at.url, "--only", "auto, fast", "--yes", code=1)["said"]
        assert live(at.url, "--only", "auto, fast")["note"]
    assert [path.name for path in (files / "run").iterdir()] == ["thesis.txt"]


def test_each_strategy_can_be_named_alone(live: Any) -> None:
    with served() as at:
        for name in STRATEGIES:
            rows = live(at.url, "--strategy", name)["estimate"]["ways"]
            assert list(rows) == [f"{name}, as it is"]


def test_every_row_of_every_paper_is_a_way_and_equal_settings_are_asked_once() -> None:
    found = ways("balanced")
    rows = [row for way in found for row in way.rows]
    assert len(rows) == len(set(rows)) == len(ABLATIONS) + 3 + 4
    assert {f"{a.strategy}, {a.table}, {a.row}" for a in ABLATIONS} <= set(rows)
    assert len({way.slug for way in found}) == len(found) < len(rows)
    with pytest.raises(BenchFailure):
        ways("balanced", ["no such row"])


def test_an_oracle_tells_what_the_right_sql_does(live: Any) -> None:
    only = ("--only", "apex, Table 4", "--yes")
    with served() as at:
        found = live(at.url, *only)
        told = [asked.prompt for asked in at.server.asked if "Conditions: harbour = 'Kiel'." in asked.prompt]
        explored = [asked.prompt for asked in at.server.asked if "is one action" in asked.prompt]
        url = at.url
    assert told
    assert not {*told} & {*explored}, "the oracle stands in the place of exploring"
    assert {"apex, Table 4, Oracle Exploration", "apex, Table 4, w/o Exploration"} <= set(found["rows"])
    assert live(url, *only[:-1], "--replay")["identical"] is True


def test_without_right_sql_there_is_no_oracle(live: Any, files: Path) -> None:
    file = files / "questions.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    kept = ({name: value for name, value in line.items() if name != "gold_sql"} for line in lines)
    file.write_text("".join(json.dumps(line) + "\n" for line in kept))
    with served() as at:
        assert "no row of that name" in live(at.url, "--only", "Oracle", code=1)["said"]


def test_what_the_right_sql_does_is_told_by_kind() -> None:
    sql = (
        "SELECT o.name, count(*) FROM owners o JOIN pets p ON p.owner = o.id "
        "WHERE p.kind IN ('dog', 'cat') AND p.born > date '2020-01-01' "
        "GROUP BY o.name ORDER BY count(*) DESC"
    )
    told = details(sql)
    assert told.startswith("Joins: p.owner = o.id. Conversions: ")
    assert "Functions: count." in told
    assert "p.kind IN ('dog', 'cat')" in told
    assert "Groups: o.name." in told
    assert "Order: count(*)." in told
    assert details("SELECT id FROM t") == details("not SQL") == ""


def test_verification_by_a_model_takes_the_place_of_the_rules(live: Any) -> None:
    with served() as at:
        live(at.url, "--only", "pv-sql, Table 5, LLM verify", "--limit", "1", "--yes")
        prompts = [asked.prompt for asked in at.server.asked]
    assert sum("List what a query has to do" in prompt for prompt in prompts) == 1
    assert sum("Which of the demands" in prompt for prompt in prompts) == 1


def test_all_ways_run_and_replay(live: Any) -> None:
    with served() as at:
        first = live(at.url, "--limit", "1", "--yes")
        url = at.url
    assert len(first["rows"]) == len(ABLATIONS) + 7
    assert all(row["answered"] == 1 for row in first["rows"].values())
    again = live(url, "--limit", "1", "--replay")
    assert again["identical"] is True, again["differing"]


def test_the_option_offers_the_strategies_of_the_setting() -> None:
    assert set(STRATEGIES) == set(MODEL_STRATEGIES)
