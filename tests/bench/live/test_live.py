"""`ask bench live` against a mock model: the estimate, a run, its continuation, and its replay."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files as files_of
from pathlib import Path
from typing import Any

import psycopg
import pytest
from doubles.model_doubles import config
from doubles.model_stages import acted, said, to, wrote
from servers.databases import ANALYZED, Database

from askwire.bench import cli
from askwire.bench.failure import BenchFailure
from askwire.bench.live.ablations import ABLATIONS
from askwire.bench.live.estimate import most_of
from askwire.bench.live.options import STRATEGIES
from askwire.bench.live.oracle import details
from askwire.bench.live.ways import ways
from askwire.core.settings.models import STRATEGIES as MODEL_STRATEGIES
from askwire.core.settings.table import load
from askwire.llm.providers.mock_server import Answer, MockServer

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
    to("probe_or_write", said(action="done", sql="", columns=[], values=[])),
    to("logical_plan", said(steps=["find boats", "count them"])),
    to("merge_plans", said(steps=["find boats", "count them"])),
    to("paths", said(steps=[{"paths": ["a scan"], "keywords": ["COUNT"]}])),
    to("plan", said(steps=["count"], columns=[{"name": "count", "type": "bigint"}])),
    to("critique", said(sound=True, trouble="")),
    to("explore", acted("SQL", sql=COUNT, reading="boats")),
    to("confirm", said(confirmed=True, missing="")),
    to("act", said(thought="", action="FINISH", sql=COUNT, reading="boats")),
    to("repair", wrote(COUNT)),
    to("demands", said(demands=["boats are counted"])),
    to("demands_met", said(unmet=[])),
    to("review", said(sound=True, problems=[])),
    to("answer", said(answers=True, not_needed=[], problems=[])),
    to("prune_drop", said(tables=[], columns=[])),
    to("prune_keep", said(tables=["boats"], columns=[])),
    to("roles", said(tables=[{"table": "boats", "roles": ["target"], "why": "x", "columns": ["name"]}])),
    to("profile", said(queries=[{"why": "to see", "sql": "SELECT name FROM boats"}])),
    to("decide", said(relevant=True, columns=["name", "harbour"], summary="boats")),
    to(
        "synthesize",
        said(tables=[{"table": "boats", "columns": ["name", "harbour"]}], rejected=[], queries=[], done=True),
    ),
    Answer(
        match=r"Kiel(?s:.)*\nWrite the query", text=wrote("SELECT name FROM boats WHERE harbour = 'Kiel'")
    ),
    to("generate", wrote(COUNT)),
)


class MockEndpoint:
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

    def __enter__(self) -> MockEndpoint:
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
        connection.execute(ANALYZED)
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
def served(*answers: Answer) -> Iterator[MockEndpoint]:
    with MockEndpoint(answers or ANSWERS) as at:
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


def test_a_model_is_told_what_an_ask_tells_it_that_the_question_demands(live: Any) -> None:
    with served() as at:
        live(at.url, "--only", "auto, balanced", "--limit", "1", "--yes")
        prompt = at.server.asked[0].prompt
    assert 'question "\\"how many\\": a count, or a sum where a column holds the quantity"' in prompt


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


def test_kept_answers_are_asked_again_without_a_network_and_changed_prompts_are_listed(
    live: Any, files: Path, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is kept is small and quotes no prompt; a new comment in the catalog changes every prompt."""
    only = ("--only", "auto, fast", "--strategy", "recap")
    file = files / "answers.jsonl"
    with served() as at:
        first = live(at.url, *only, "--yes", "--keep", str(file))
        asked = len(at.server.asked)

    def again(*more: str, code: int = 0) -> dict[str, Any]:
        given = ["--dsn", database.dsn(), "--questions", str(files / "questions.jsonl")]
        assert cli.main(["live", *given, "--answers", str(file), *more]) == code
        printed = capsys.readouterr()
        return json.loads(printed.out) if code == 0 else {"said": printed.err}

    text = file.read_text()
    assert len(text.splitlines()) == asked
    assert not any(word in text for word in (KEY, "Lagos", "You write SQL", "how many boats"))
    whole = again()
    same = ("asked", "answered", "errors", "calls", "score")
    for row in ("auto, fast", "recap, as it is"):
        assert {name: whole["rows"][row][name] for name in same} == {
            name: first["rows"][row][name] for name in same
        }
    assert (whole["unchanged"], whole["changed"]) == (6, [])
    live(at.url, *only, "--replay", "--keep", str(file))
    assert file.read_text() == text  # each answer is kept once
    assert again("--only", "auto, fast", "--limit", "1")["unchanged"] == 1
    assert "no answers of these rows" in again("--only", "auto, thorough", code=1)["said"]
    assert "takes no --out" in again("--out", str(files / "other"), code=1)["said"]
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute("COMMENT ON TABLE shop.boats IS 'what sails'")
    found = again("--only", "auto, fast")
    assert found["unchanged"] == 0
    assert found["changed"] == [f"auto, fast: {one['id']}" for one in QUESTIONS]
    assert found["rows"]["auto, fast"]["answered"] == 0
    renewed = again("--renew")
    assert renewed["changed"] == []
    assert {name: renewed["rows"]["auto, fast"][name] for name in same} == {
        name: first["rows"]["auto, fast"][name] for name in same
    }
    new = file.read_text()
    assert answers_in(new) == answers_in(text)
    assert new != text
    assert again()["changed"] == []
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute("COMMENT ON TABLE shop.boats IS NULL")
    begun = next(line for line in new.splitlines(keepends=True) if "recap" in line)
    file.write_text(begun)
    assert again("--renew")["changed"] == [f"recap, as it is: {json.loads(begun)['id']}"]
    assert file.read_text() == begun, "a question that is not answered whole stays as it is"
    assert "--renew takes --answers" in live(at.url, "--renew", code=1)["said"]


def answers_in(text: str) -> list[str]:
    return sorted(json.loads(line)["answer"] for line in text.splitlines())


ANSWERS_KEPT = Path(str(files_of("askwire.bench.live"))) / "answers"


def test_a_trial_is_kept_by_ways_that_are_there_and_small() -> None:
    kept = sorted(ANSWERS_KEPT.glob("*.jsonl"))
    assert [file.stem for file in kept] == ["business", "defog", "made", "spider"]
    assert sum(file.stat().st_size for file in kept) < 1_000_000
    known = {way.slug for way in ways("balanced")}
    for file in kept:
        for line in map(json.loads, file.read_text().splitlines()):
            assert set(line) == {"way", "id", "prompt", "answer"}
            assert line["way"] in known
            assert len(line["prompt"]) == 16


def test_a_trial_is_asked_again_over_schemas_of_ours(
    database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each question is answered, or listed because a prompt of it has changed since."""
    bench = ANSWERS_KEPT.parents[1]
    names = ("claims", "saas")
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        for name in names:
            connection.execute((bench / "schemas" / f"{name}.sql").read_bytes())
        connection.execute(ANALYZED)
    questions = tmp_path / "made.jsonl"
    questions.write_text("".join((bench / "questions" / f"{name}.jsonl").read_text() for name in names))
    given = ["--dsn", database.dsn(), "--questions", str(questions), "--only", "auto, balanced"]
    assert cli.main(["live", *given, "--answers", str(ANSWERS_KEPT / "made.jsonl")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["unchanged"] + len(found["changed"]) == found["rows"]["auto, balanced"]["asked"] == 8
    assert found["rows"]["auto, balanced"]["answered"] >= found["unchanged"]


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


def test_several_experts_work_together_and_a_replay_comes_to_the_same(live: Any, files: Path) -> None:
    only = ("--strategy", "ssev", "--only", "ssev, Tables 3 to 5, stage 6", "--limit", "2")
    other = [to("generate", wrote("select harbour from boats b where b.id > 1")), *ANSWERS]
    with served() as at, served(*other) as beside:
        own = ("--expert", "2:temperature=0.7", "--expert", "2:samples=2")
        more = ("--url", beside.url, "--model", "other", *own)
        first = live(at.url, *only, *more, "--yes")
        asked = [len(one.server.asked) for one in (at, beside)]
        assert min(asked) > 0
        assert {a.body["model"] for a in beside.server.asked} == {"other"}
        url = at.url
    again = live(url, *only, *more, "--replay")
    assert again["identical"] is True, again
    assert again["rows"] == first["rows"]
    everything = "".join(path.read_text() for path in (files / "run" / "exchanges").rglob("*.jsonl"))
    assert everything.count('"status": 200') == sum(asked)
    assert first["rows"]["ssev, as it is"]["calls"] > 4
    refused = live(url, *only, "--replay", code=1)
    assert "something else (experts)" in refused["said"]


def test_settings_and_documents_hold_for_every_way(live: Any, files: Path) -> None:
    (files / "notes").mkdir()
    (files / "notes" / "boats.md").write_text("# Boats\n\nBoats are counted by their keel numbers.\n")
    only = ("--only", "auto, balanced", "--only", "recap, as it is", "--limit", "1")
    more = ("--set", "model_probes=0", "--knowledge", str(files / "notes"))
    with served() as at:
        live(at.url, *only, *more, "--yes")
        prompts = [asked.prompt for asked in at.server.asked]
        url = at.url
    assert not [prompt for prompt in prompts if "Before the query is written you may look" in prompt]
    writing = ("Write the query. ", "You follow the plan, one step after the other")
    told = [prompt for prompt in prompts if any(words in prompt for words in writing)]
    assert len(told) == 2
    assert all("counted by their keel numbers" in prompt for prompt in told)
    assert live(url, *only, *more, "--replay")["identical"] is True
    (files / "notes" / "boats.md").write_text("# Boats\n\nBoats are not counted.\n")
    assert "something else (knowledge)" in live(url, *only, *more, "--replay", code=1)["said"]
    assert "something else (settings, knowledge)" in live(url, *only, "--replay", code=1)["said"]


WORST = (
    Answer(status=500, times=2),
    to("probe", said(action="probe", sql="SELECT name FROM boats LIMIT 1", columns=[], values=[])),
    to("probe_or_write", said(action="probe", sql="SELECT name FROM boats LIMIT 1", columns=[], values=[])),
    to("search_schema", said(action="FIND", words="nothing like it", table="", columns=[])),
    to("review", said(sound=False, problems=[{"words": "boats", "fault": "count the boats"}])),
    to(
        "answer",
        said(answers=False, not_needed=[], problems=[{"words": "boats", "fault": "count the boats"}]),
    ),
    to("plan", said(steps=["count"], columns=[{"name": "count", "type": "bigint"}])),
    to("critique", said(sound=False, trouble="be clearer")),
    to("explore", acted("EXPLORE", queries=["SELECT name FROM boats", "SELECT 1 FROM boats"])),
    *(
        to(name, wrote(f"SELECT no_such_column_{n}, '{'x' * 100 * n}' FROM boats"), times=1)
        for n in range(1, 9)
        for name in ("generate", "repair")
    ),
    *ANSWERS[:-1],
    to("generate", wrote("SELECT no_such_column FROM boats")),
)
"""Everything that can be done again is: calls that fail, looks, searches, plans, reviews, repairs."""


@pytest.mark.parametrize(
    "limits",
    [
        (),
        ("--set", "ask_calls=9"),
        ("--set", "ask_tokens=9000"),
        ("--set", "ask_cost=20"),
        ("--set", "ask_calls=0", "--set", "ask_tokens=30000"),
    ],
    ids=lambda given: " ".join(given[1::2]) or "as it is",
)
def test_no_run_costs_more_than_the_most_that_is_told_before(live: Any, limits: tuple[str, ...]) -> None:
    only = ("--only", "auto, thorough", "--strategy", "apex", "--strategy", "recap", "--limit", "1")
    with served(*WORST) as at:
        told = live(at.url, *only, *limits)["estimate"]
        found = live(at.url, *only, *limits, "--yes")["rows"]
    for row, came in found.items():
        if row in told["ways"]:
            assert 0 < came["cost"] <= told["ways"][row]["most"]
    assert told["ways"]["recap, as it is"]["cost"] < told["ways"]["recap, as it is"]["most"]
    assert found["recap, as it is"]["calls"] > told["ways"]["recap, as it is"]["calls"] or limits


def test_the_most_is_what_prices_and_budgets_say() -> None:
    one = config(price_in=1.0, price_out=4.0, max_tokens=1000, context=10_000)

    def most(**given: str) -> float:
        return most_of(load(given), one)

    # 40 calls of 1,000 tokens at 4, and the other 60,000 of 100,000 tokens at 1
    assert most() == pytest.approx((40_000 * 4 + 60_000 * 1) / 1e6)
    assert most(ask_calls="2") == pytest.approx((2000 * 4 + 18_000 * 1) / 1e6)
    assert most(ask_calls="0") == pytest.approx(100_000 * 4 / 1e6)
    assert most(ask_cost="0.1") == 0.1
    assert most(ask_calls="0", ask_tokens="0") == float("inf")
    assert most_of(load({"ask_calls": "0", "ask_tokens": "0"}), config()) == 0


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
    assert "takes its --model" in live(url, "--url", url, code=1)["said"]
    assert "of the Nth" in live(url, "--expert", "2:samples=3", code=1)["said"]
    assert "takes NAME=VALUE" in live(url, "--set", "repairs", code=1)["said"]
    assert "unknown setting" in live(url, "--set", "repairz=1", code=1)["said"]
    assert "an option of its own" in live(url, "--set", "egress=schema", code=1)["said"]
    assert "holds no Markdown file" in live(url, "--knowledge", "/nowhere", code=1)["said"]
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
    assert not {*told} & {*explored}, "the oracle stands instead of exploring"
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
