"""ASK with models: the whole server, the real client and a mock model, in front of a real PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from doubles.model_doubles import KEY, config
from doubles.soonest import soonest
from servers.running_proxy import OwnDatabase

from askwire.core.clock import MonotonicClock
from askwire.core.settings.table import load
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.providers.mock_server import Answer, MockServer
from askwire.llm.sources import open_sources
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.server import Server

SHOP = """
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, state text NOT NULL);
COMMENT ON COLUMN customers.state IS 'two letters';
CREATE TABLE orders (
    id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, placed date NOT NULL,
    required date NOT NULL, shipped date, amount numeric(10,2) NOT NULL
);
INSERT INTO customers VALUES (1, 'Harbor & Sons', 'CA'), (2, 'Mill Street', 'NY'), (3, 'North Pier', 'CA');
INSERT INTO orders VALUES
    (1, 1, '2023-01-02', '2023-01-09', '2023-01-12', 10),
    (2, 1, '2023-02-02', '2023-02-09', '2023-02-05', 20),
    (3, 2, '2023-03-02', '2023-03-09', '2023-03-20', 30), (4, 3, '2023-04-02', '2023-04-09', NULL, 40);
ANALYZE customers; ANALYZE orders;
"""
LATE = (
    "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id "
    "WHERE o.shipped > o.required AND c.state = 'CA'"
)
QUESTION = "which dispatches reached sunbelt clientele behind time?"
"""Nothing that the embedded engine understands."""


def said(**document: object) -> str:
    return json.dumps(document)


def wrote(sql: str) -> str:
    return said(reading="late orders of Californian customers", sql=sql)


PROBE = r"Looks left: \d\."
WRITE = r"Write the query\."
REPAIR = r"Write it anew\."
DONE = Answer(match=PROBE, text=said(action="done", sql="", columns=[], values=[]))


@dataclass
class ModelProxy:
    """A running proxy with one model expert called `local`."""

    model: MockServer
    server: Server
    resolver: AskResolver
    port: int
    database: OwnDatabase

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[psycopg.AsyncConnection[tuple[Any, ...]]]:
        connection = await psycopg.AsyncConnection.connect(
            f"host=127.0.0.1 port={self.port} dbname={self.database.name} user=postgres", autocommit=True
        )
        async with connection:
            yield connection

    def prompts(self, match: str) -> list[str]:
        return [a.prompt for a in self.model.asked if match in a.prompt]


@asynccontextmanager
async def served(
    database: OwnDatabase,
    *given_answers: Answer | ExpertConfig,
    expert: dict[str, object] | None = None,
    **given: str,
) -> AsyncIterator[ModelProxy]:
    """The server with `local`, which answers so, and with the further experts among what is given."""
    others = [one for one in given_answers if isinstance(one, ExpertConfig)]
    answers = [one for one in given_answers if isinstance(one, Answer)]
    with database.owner() as connection:
        connection.execute(f"DROP TABLE IF EXISTS orders, customers; {SHOP}")
    model = MockServer(answers)
    url = await model.start()
    settings = load(
        {"backend": f"host=127.0.0.1 port={database.port}", "listen": "127.0.0.1:0", "pins": "off", **given}
    )
    configs = [config(url, key_env="MODEL_KEY", **(expert or {})), *others]
    resolver = AskResolver(settings, sources=open_sources(configs, {"MODEL_KEY": KEY}, MonotonicClock()))
    await resolver.prepare()
    server = Server(settings, resolver)
    _, port = await server.start()
    try:
        yield ModelProxy(model, server, resolver, port, database)
    finally:
        await server.stop()
        await resolver.close()
        await model.stop()


async def asked(at: ModelProxy, statement: str) -> list[tuple[Any, ...]]:
    async with at.connection() as connection:
        return await (await connection.execute(statement)).fetchall()


async def why(at: ModelProxy, question: str = QUESTION, options: str = "") -> dict[str, Any]:
    ((document,),) = await asked(at, f"ASK (WHY, FORMAT JSON{options}) '{question}'")
    assert isinstance(document, dict)
    return document


def steps(report: dict[str, Any], stage: str, name: str) -> list[dict[str, Any]]:
    return [e for e in report["trace"] if e["stage"] == stage and e["name"] == name]


async def test_a_model_looks_into_the_data_and_answers_what_the_engine_cannot(database: OwnDatabase) -> None:
    look = "SELECT DISTINCT state FROM customers LIMIT 5"
    script = [
        Answer(match=PROBE, times=1, text=said(action="probe", sql=look, columns=[], values=[])),
        Answer(
            match=PROBE,
            times=1,
            text=said(
                action="probe",
                sql="SELECT shipped, required FROM orders LIMIT 3",
                columns=["customers.state", "customers.country"],
                values=[
                    {"said": "Californian", "stored": "CA"},
                    {"said": "Californian", "stored": "California"},
                ],
            ),
        ),
        DONE,
        Answer(match=WRITE, text=wrote(LATE)),
    ]
    async with served(database, *script, egress="rows") as at:
        assert await asked(at, f"ASK '{QUESTION}'") == [(1,)]
        first, second, third = at.prompts("Looks left: ")
        (write,) = at.prompts("Write the query.")
    assert 'row "CA"' in second
    assert look in second
    assert 'row "CA"' not in first
    # confirmed: a column that exists, a value that was seen
    assert "columns that matter: customers.state" in write
    assert "'Californian' is stored as 'CA'" in write
    assert "country" not in write
    assert "'California'" not in write
    # what the prompts of an ASK begin with is the same, so that an endpoint reads it once
    stable = first[: first.index("Use the relations and columns above")]
    assert all(p.startswith(stable.rstrip()) for p in (second, third, write))


async def test_below_rows_no_value_leaves_and_nothing_is_looked_at(database: OwnDatabase) -> None:
    async with served(database, Answer(match=WRITE, text=wrote(LATE)), egress="schema") as at:
        assert await asked(at, f"ASK '{QUESTION}'") == [(1,)]
        (only,) = [a.prompt for a in at.model.asked]
    assert "customers(id int key, name text, state text)" in only
    assert "two letters" in only
    for value in ("CA", "NY", "Harbor", "Mill Street", "2023", "10.00"):
        assert value not in only


@pytest.mark.parametrize("effort", ["fast", "balanced", "thorough"])
@pytest.mark.parametrize("style", ["pv-sql", "ssev"])
async def test_masked_shows_shapes_and_no_value(database: OwnDatabase, style: str, effort: str) -> None:
    late = "SELECT o.id FROM orders o WHERE o.shipped > o.required"
    script = [
        Answer(
            match=CRITIQUE,
            text=said(sound=False, problems=[{"words": "behind time", "fault": "look at the dates again"}]),
        ),
        Answer(match=PROBE, text=said(action="probe", sql="SELECT name FROM customers")),
        Answer(text=wrote(late)),
    ]
    settings = {"egress": "masked", "review": "critique, answer", "effort": effort, "on_ambiguity": "best"}
    expert: dict[str, object] = {"style": style}
    async with served(database, *script, expert=expert, **settings) as at:
        report = await why(at)
        prompts = [a.prompt for a in at.model.asked]
    assert prompts
    for prompt in prompts:
        for value in ("'CA'", "'NY'", "| CA", "| NY", "Harbor", "Mill", "Pier", "2023", "10.00", "40.00"):
            assert value not in prompt
    assert not steps(report, "planner", "probed")
    left = [e for e in report["trace"] if e["stage"] == "egress"]
    assert {e["policy"] for e in left} == {"masked"}
    if effort != "fast" or style == "ssev":
        assert any("XX" in prompt for prompt in prompts)
        assert any(e["masked"] for e in left)


async def test_what_this_expert_may_be_told_narrows_the_setting(database: OwnDatabase) -> None:
    expert: dict[str, object] = {"egress": "none"}
    async with served(database, Answer(text="x"), egress="rows", expert=expert) as at:
        with pytest.raises(psycopg.Error) as caught:
            await asked(at, f"ASK '{QUESTION}'")
        assert caught.value.sqlstate == "NL004"
        assert at.model.asked == []


async def test_a_failed_look_is_something_to_know(database: OwnDatabase) -> None:
    script = [
        Answer(match=PROBE, times=1, text=said(action="probe", sql="SELECT nothing FROM orders")),
        Answer(match=PROBE, times=1, text=said(action="probe", sql="DELETE FROM orders RETURNING 1")),
        DONE,
        Answer(match=WRITE, text=wrote(LATE)),
    ]
    async with served(database, *script, egress="rows") as at:
        assert await asked(at, f"ASK '{QUESTION}'") == [(1,)]
        assert await asked(at, "SELECT count(*) FROM orders") == [(4,)]
        _, second, third = at.prompts("Looks left: ")
    assert 'sqlstate "42703"' in second
    assert 'column \\"nothing\\" does not exist' in second
    assert 'sqlstate "NL006"' in third


FAULTS = {
    "429": Answer(status=429),
    "500": Answer(status=500),
    "cut": Answer(text="x" * 500, cut=True),
    "malformed": Answer(raw="{"),
    "refusal": Answer(refusal="no"),
    "no query": Answer(text="I do not know."),
    "late": Answer(text="x", delay=60_000),
    "401": Answer(status=401),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_model_that_fails_leaves_the_others_alone(database: OwnDatabase, fault: str) -> None:
    async with served(database, FAULTS[fault], timeout="3s") as at:
        assert await asked(at, "ASK 'how many customers are there?'") == [(3,)]


@pytest.mark.parametrize(
    "question", ["how many customers are there?", QUESTION], ids=["others answer", "no one answers"]
)
async def test_a_model_that_fails_at_every_call_is_shown_with_its_failures(
    database: OwnDatabase, question: str
) -> None:
    answered = question != QUESTION
    told: list[str] = []
    async with served(database, FAULTS["401"], timeout="3s", pins="off") as at, at.connection() as connection:
        connection.add_notice_handler(lambda d: told.append(d.message_detail or ""))
        await connection.execute("SET askwire.notices = full")
        for _ in range(3):
            with nullcontext() if answered else pytest.raises(psycopg.Error):
                await connection.execute(f"ASK '{question}'")
        await at.resolver.memories.history.settled()
        shown = await connection.execute("SELECT expert, estimated, answered, failed FROM ask.experts")
        assert await shown.fetchall() == [("local", None, 0, 3)]
        reports = await connection.execute(f"ASK (WHY) '{question}'")
        remarks = [what for kind, what in await reports.fetchall() if kind == "remark"]
    assert [detail for detail in told if "It failed on 3 of 3 questions." in detail] == told[2:3]
    assert ['Expert "local" has no answer: ' in remark for remark in remarks] == [True] * answered


@pytest.mark.parametrize("fault", FAULTS)
async def test_when_nobody_is_left_the_model_s_failure_is_said(database: OwnDatabase, fault: str) -> None:
    async with served(database, FAULTS[fault], timeout="3s") as at:
        with pytest.raises(psycopg.Error) as caught:
            await asked(at, f"ASK '{QUESTION}'")
    assert caught.value.sqlstate == {"late": "NL005", "no query": "NL002"}.get(fault, "NL004")
    assert KEY not in str(caught.value)


async def test_a_call_is_made_again_where_that_is_safe(database: OwnDatabase) -> None:
    script = [Answer(status=503, times=1), Answer(status=429, times=1), Answer(match=WRITE, text=wrote(LATE))]
    async with served(database, *script) as at:
        report = await why(at)
        (call,) = steps(report, "model", "called")
    assert (call["tries"], call["outcome"]) == (3, "answered")
    assert report["sql"].startswith("SELECT o.id")


async def test_a_query_that_fails_is_written_anew_by_who_wrote_it(database: OwnDatabase) -> None:
    broken = LATE.replace("o.shipped", "o.shipping_day")
    script = [Answer(match=WRITE, text=wrote(broken)), DONE, Answer(match=REPAIR, text=wrote(LATE))]
    async with served(database, *script, egress="rows") as at:
        assert await asked(at, f"ASK '{QUESTION}'") == [(1,)]
        (repair,) = at.prompts("Write it anew.")
    assert "SELECT o.id FROM orders o" in repair
    assert 'o.shipping_day\\" is not a known column' in repair


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE orders",
        "SELECT 1; DROP TABLE orders",
        "SELECT pg_sleep(30)",
        "DELETE FROM orders RETURNING id",
        "SELECT pg_read_file('/etc/passwd')",
        "COPY orders TO PROGRAM 'id'",
    ],
)
async def test_what_a_model_is_talked_into_runs_nowhere(database: OwnDatabase, sql: str) -> None:
    script = [Answer(match=PROBE, text=said(action="probe", sql=sql)), Answer(text=wrote(sql))]
    async with served(database, *script, egress="rows") as at:
        with pytest.raises(psycopg.Error) as caught:
            await asked(at, f"ASK '{QUESTION}'")
        assert caught.value.sqlstate == "NL006"
        assert await asked(at, "SELECT count(*) FROM orders") == [(4,)]


async def test_what_the_gate_refuses_says_which_setting_allows_it(database: OwnDatabase) -> None:
    async with served(database, DONE, Answer(match=WRITE, text=wrote("SELECT public.reached()"))) as at:
        with pytest.raises(psycopg.Error) as caught:
            await asked(at, f"ASK '{QUESTION}'")
    assert caught.value.diag.message_detail == (
        'function "public.reached" is not allowed: SELECT public.reached()'
    )
    assert caught.value.diag.message_hint == "The operator can allow functions by name: allowed_functions."


async def test_a_budget_that_is_spent_is_said_and_the_engine_needs_none(database: OwnDatabase) -> None:
    async with served(database, Answer(match=WRITE, text=wrote(LATE))) as at:
        with pytest.raises(psycopg.Error) as caught:
            await asked(at, f"ASK (BUDGET 100) '{QUESTION}'")
        assert caught.value.sqlstate == "NL005"
        assert at.model.asked == []
        assert await asked(at, "ASK (BUDGET 100) 'how many customers are there?'") == [(3,)]


@pytest.mark.parametrize(
    "limit", [{"day_calls": "1"}, {"day_tokens": "2500"}, {"day_cost": "0.0245"}], ids=str
)
async def test_a_role_s_day_is_counted(database: OwnDatabase, limit: dict[str, str]) -> None:
    expert: dict[str, object] = {"price_in": 10.0, "price_out": 10.0}
    async with served(database, Answer(match=WRITE, text=wrote(LATE)), expert=expert, **limit) as at:
        assert await asked(at, f"ASK '{QUESTION}'") == [(1,)]
        with pytest.raises(psycopg.Error) as caught:
            await asked(at, f"ASK '{QUESTION}'")
    assert caught.value.sqlstate == "NL005"
    assert "this role for today" in str(caught.value)


async def test_experts_are_chosen_and_a_session_only_narrows(database: OwnDatabase) -> None:
    async with served(database, Answer(match=WRITE, text=wrote(LATE))) as at:
        await asked(at, "ASK (EXPERTS 'embedded') 'how many customers are there?'")
        assert at.model.asked == []
        report = await why(at, "how many customers are there?", ", EXPERTS 'local'")
        assert {c["expert"] for c in report["candidates"]} == {"local"}
        async with at.connection() as connection:
            await connection.execute("SET askwire.experts = 'embedded'")
            with pytest.raises(psycopg.Error, match="no expert may be asked here") as caught:
                await connection.execute("ASK (EXPERTS 'local') 'how many customers are there?'")
            assert caught.value.sqlstate == "NL004"
        with pytest.raises(psycopg.Error, match="no expert of these names"):
            await asked(at, "ASK (EXPERTS 'nobody') 'how many customers are there?'")


async def test_a_canceled_ask_stops_its_calls_within_100_ms(database: OwnDatabase) -> None:
    async def canceled() -> float:
        async with served(database, Answer(text="x", delay=60_000)) as at, at.connection() as connection:
            asking = asyncio.create_task(connection.execute(f"ASK '{QUESTION}'"))
            async with asyncio.timeout(20):
                while not at.model.asked:  # noqa: ASYNC110 - the server has no event for it
                    await asyncio.sleep(0)
            began = time.perf_counter()
            await connection.cancel_safe()
            async with asyncio.timeout(20):
                await at.model.gone.wait()
            took = time.perf_counter() - began
            with pytest.raises(psycopg.errors.QueryCanceled):
                await asking
            assert await (await connection.execute("SELECT 1")).fetchall() == [(1,)]
            return took

    assert await soonest(canceled, 0.1) < 0.1


async def test_why_tells_what_each_stage_spent_and_nothing_secret(database: OwnDatabase) -> None:
    expert: dict[str, object] = {"price_in": 2.0, "price_out": 8.0}
    async with served(
        database, DONE, Answer(match=WRITE, text=wrote(LATE)), egress="rows", expert=expert
    ) as at:
        rows = await asked(at, f"ASK (WHY) '{QUESTION}'")
        report = await why(at)
    spent = [what for step, what in rows if step == "spent"]
    assert len(spent) == 2
    assert spent[0].startswith("local, probe_or_write: 1 call, ")
    assert spent[1].startswith("local, generate: 1 call, ")
    assert "cost 0.00" in spent[0]
    versions = {e["file"]: e["version"] for e in steps(report, "model", "called")}
    assert set(versions) == {"probe_or_write", "generate"}
    assert all(len(v) == 12 for v in versions.values())
    assert KEY not in json.dumps(report)


@pytest.mark.parametrize(("options", "code"), [("", "NL004"), (", BUDGET 100", "NL005")])
async def test_why_tells_what_failed_too(database: OwnDatabase, options: str, code: str) -> None:
    async with served(database, Answer(status=503)) as at:
        report = await why(at, QUESTION, options)
    assert report["error"]["code"] == code
    assert [(s["step"], s["calls"], s["failed"]) for s in report["spent"]] == (
        [("generate", 1, 1)] if code == "NL004" else []
    )


async def test_with_more_effort_it_writes_again_over_what_it_used(database: OwnDatabase) -> None:
    simple = "SELECT name FROM customers WHERE state = 'CA'"
    script = [DONE, Answer(match=WRITE, text=wrote(simple))]
    async with served(database, *script, egress="rows", effort="thorough") as at:
        await asked(at, f"ASK '{QUESTION}'")
        first, second = at.prompts("Write the query.")
        assert "orders(" in first
        assert "orders(" not in second
        assert "customers(" in second
        at.model.asked.clear()
        async with at.connection() as connection:
            await connection.execute("SET askwire.effort = 'fast'")
            await connection.execute(f"ASK '{QUESTION}'")
        assert at.prompts("Looks left: ") == []
        assert len(at.prompts("Write the query.")) == 1


async def test_samples_that_say_the_same_are_one_candidate(database: OwnDatabase) -> None:
    script = [
        Answer(match=WRITE, times=1, text=wrote("SELECT id FROM orders WHERE shipped > required")),
        Answer(match=WRITE, times=1, text=wrote("select  ID from orders where (shipped > required);")),
        Answer(match=WRITE, text="```sql\nSELECT o.id FROM orders o WHERE o.shipped IS NULL\n```"),
    ]
    expert: dict[str, object] = {"samples": 3, "temperature": 0.8}
    async with served(database, *script, expert=expert, on_ambiguity="best") as at:
        report = await why(at, QUESTION)
    (written,) = steps(report, "planner", "wrote")
    assert [d["votes"] for d in written["drafts"]] == [2, 1]


async def test_what_two_experts_say_in_other_spellings_is_run_once_and_counts_for_both(
    database: OwnDatabase,
) -> None:
    one = "SELECT o.id FROM orders AS o WHERE (o.shipped > o.required)"
    alike = "select orders.id from orders where orders.shipped > orders.required"
    other = "SELECT o.id FROM orders o WHERE o.shipped IS NULL"
    sent: dict[str, int] = {}
    reports: dict[str, dict[str, Any]] = {}
    for second in (one, one, alike, alike, other):  # what is read once and kept is sent in addition
        there = MockServer([Answer(match=WRITE, text=wrote(second))])
        more = config(await there.start(), name="second")
        async with served(database, Answer(match=WRITE, text=wrote(one)), more, on_ambiguity="best") as at:
            report = reports[second] = await why(at, QUESTION)
        await there.stop()
        (event,) = steps(report, "session", "sent")
        sent[second] = min(sent.get(second, 1000), event["statements"])
    assert sent[alike] == sent[one] < sent[other]
    for second in (one, alike):
        told = [(c["expert"], c["also"], c["sql"]) for c in reports[second]["candidates"]]
        assert [(expert, also) for expert, also, _ in told] == [("local", ["second"]), ("second", ["local"])]
        assert len({sql for *_, sql in told}) == 1
        assert [len(cluster) for cluster in reports[second]["clusters"]] == [2]
    (merged,) = steps(reports[alike], "planner", "merged")
    assert (merged["expert"], merged["same_as"]) == ("second", one)
    assert steps(reports[one], "planner", "merged") == []


async def test_a_query_of_two_experts_is_written_anew_by_the_second_where_the_first_cannot(
    database: OwnDatabase,
) -> None:
    broken, alike = "SELECT o.id / 0 FROM orders o", "select x.id / 0 from orders x"
    script = [Answer(match=WRITE, text=wrote(broken)), Answer(match=REPAIR, status=400)]
    there = MockServer(
        [
            Answer(match=WRITE, text=wrote(alike)),
            Answer(match=REPAIR, text=wrote("SELECT o.id FROM orders o")),
        ]
    )
    more = config(await there.start(), name="second")
    async with served(database, *script, more, effort="fast") as at:
        assert len(await asked(at, f"ASK '{QUESTION}'")) == 4
    assert len([a for a in there.asked if "SELECT o.id / 0" in a.prompt]) == 1
    await there.stop()


CRITIQUE = r"You review SQL for PostgreSQL before it runs"
ANSWER = r"Does the result answer the question"


async def test_models_are_asked_for_opinions_only_where_that_is_wanted(database: OwnDatabase) -> None:
    script = [
        Answer(match=CRITIQUE, status=500),
        Answer(match=ANSWER, status=500),
        DONE,
        Answer(text=wrote(LATE)),
    ]
    async with served(database, *script, egress="rows") as at:
        report = await why(at)
    assert not at.prompts("review")
    assert not [e for e in report["trace"] if e["name"] in ("reviewed", "no review")]


async def test_what_a_critic_objects_to_is_written_anew_and_seen_again(database: OwnDatabase) -> None:
    early = LATE.replace("o.shipped > o.required", "o.shipped > o.placed")
    script = [
        Answer(
            match=CRITIQUE,
            times=1,
            text=said(sound=False, problems=[{"words": "behind time", "fault": "compare with required"}]),
        ),
        Answer(match=CRITIQUE, text=said(sound=True, problems=[])),
        Answer(match=ANSWER, text=said(answers=True, not_needed=[], problems=[])),
        DONE,
        Answer(match=REPAIR, text=wrote(LATE)),
        Answer(match=WRITE, text=wrote(early)),
    ]
    async with served(database, *script, egress="rows", review="critique, answer") as at:
        report = await why(at)
        (repair,) = at.prompts("Write it anew.")
        answers = at.prompts("Does the result answer")
    assert report["sql"].startswith("SELECT o.id")
    assert "required" in report["sql"]
    assert "compare with required" in repair
    assert 'row "1"' in answers[-1]
    reviews = [(e["strategy"], e["held"]) for e in steps(report, "verifier", "reviewed")]
    assert reviews == [("critique", False), ("answer", True), ("critique", True), ("answer", True)]
    checks = {c["rule"]: c["held"] for c in report["checks"]}
    assert (checks["critique"], checks["answer"]) == (True, True)
    assert {"review critique", "review answer"} <= {e["step"] for e in steps(report, "model", "called")}


async def test_below_rows_no_answer_is_shown_to_a_model(database: OwnDatabase) -> None:
    script = [
        Answer(match=CRITIQUE, text=said(sound=True, problems=[])),
        Answer(match=WRITE, text=wrote(LATE)),
    ]
    async with served(database, *script, egress="schema", review="critique, answer") as at:
        report = await why(at)
        assert not at.prompts("Does the result answer")
    assert [e["strategy"] for e in steps(report, "verifier", "reviewed")] == ["critique"]
    assert [e["strategy"] for e in steps(report, "verifier", "no review")] == ["answer"]
