"""Candidates are tried as the asker, under caps, in one batch; what happened stands in the verdict."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from doubles.postgres_executor import PostgresExecutor
from servers.databases import Database

from askwire.core.beside import stepwise
from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.core.settings.table import PROBE_MAX_COST, load
from askwire.core.stepped import SteppedExecutor
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Check, Question, ResultSet, Verdict
from askwire.sql.catalog import Catalog, Relation
from askwire.verifier import verify
from askwire.verifier.repair import ScriptedRepairer
from askwire.verifier.review import ScriptedReviewer
from askwire.verifier.subject import Rule, Subject


class StoppedClock:
    """A clock that stands."""

    def monotonic(self) -> float:
        return 0.0


def gate(sql: str) -> str:
    """A gate for tests: it knows one forbidden word."""
    if "forbidden" in sql:
        raise RefusedByGate("the statement uses a forbidden word")
    return sql


@pytest.fixture
async def executor(database: Database) -> AsyncIterator[PostgresExecutor]:
    conn = await psycopg.AsyncConnection.connect(database.dsn(), autocommit=True)
    await conn.execute(
        "CREATE TABLE orders AS SELECT g AS id, NULL::text AS note FROM generate_series(1, 50) g"
    )
    await conn.execute("ANALYZE orders")
    yield PostgresExecutor(conn, gate)
    await conn.close()


async def tried(
    executor: PostgresExecutor,
    *sql: str,
    question: str = "orders",
    settings: dict[str, str] | None = None,
    **more: Any,
) -> list[Verdict]:
    candidates = [Candidate(text, "test") for text in sql]
    trace = more.pop("trace", Trace(StoppedClock()))
    executor.max_cost = load(settings or {})[PROBE_MAX_COST]
    return await verify(Question(question), candidates, executor, load(settings or {}), trace, **more)


async def test_verdicts_come_in_order_with_results_and_checks(executor: PostgresExecutor) -> None:
    first, second = await tried(
        executor,
        "SELECT count(*) FROM orders",
        "SELECT id FROM orders WHERE id > 90",
        question="How many orders?",
    )
    assert first.result is not None
    assert first.result.rows == (("50",),)
    assert [c.rule for c in first.checks if c.held] == [
        "counting",
        "one_number",
        "not_empty",
        "not_all_null",
        "not_zero",
    ]
    assert [c.rule for c in second.checks if not c.held] == [
        "counting",
        "one_number",
        "not_empty",
    ]


async def test_where_models_alone_check_no_rule_says_anything(executor: PostgresExecutor) -> None:
    more: dict[str, Any] = {"question": "How many orders?", "settings": {"checks": "models"}}
    (verdict,) = await tried(executor, "SELECT id FROM orders WHERE id > 90", **more)
    assert verdict.ran
    assert verdict.checks == ()


async def test_all_candidates_share_one_batch_and_equal_texts_run_once(executor: PostgresExecutor) -> None:
    a, b, c = await tried(executor, "SELECT 1", "SELECT 2", "SELECT 1")
    assert executor.batches == 1
    assert executor.statements == 4  # EXPLAIN and run, for two texts
    assert a.result == c.result != b.result


async def test_no_candidates_cost_no_batch(executor: PostgresExecutor) -> None:
    assert await tried(executor) == []
    assert executor.batches == 0


@pytest.mark.parametrize(
    ("sql", "sqlstate", "message"),
    [
        ("SELECT nope FROM orders", "42703", 'column "nope" does not exist'),
        ("SELECT 1 / (id - id) FROM orders", "22012", "division by zero"),
        ("SELEC 1", "42601", 'syntax error at or near "SELEC"'),
        ("SELECT 1; SELECT 2", "42601", "cannot insert multiple commands into a prepared statement"),
        ("CREATE TABLE x (a int)", "42601", 'syntax error at or near "int"'),
        ("SELECT 'forbidden'", "NL006", "the statement uses a forbidden word"),
    ],
)
async def test_a_candidate_that_fails_keeps_its_reason_and_leaves_the_others_alone(
    executor: PostgresExecutor, sql: str, sqlstate: str, message: str
) -> None:
    failed, fine = await tried(executor, sql, "SELECT 1")
    assert (failed.ran, failed.sqlstate, failed.message) == (False, sqlstate, message)
    assert fine.ran


async def test_what_costs_too_much_is_explained_and_not_run(executor: PostgresExecutor) -> None:
    (verdict,) = await tried(executor, "SELECT 1 / (id - id) FROM orders", settings={"probe_max_cost": "0.5"})
    assert (verdict.ran, verdict.sqlstate) == (False, "NL005")
    assert executor.statements == 1
    assert not verdict.checks[0].held
    assert verdict.checks[0].rule == "cost"


async def test_when_half_of_the_time_is_spent_the_rest_stays_untried(executor: PostgresExecutor) -> None:
    class RunningClock:
        now = 0.0

        def monotonic(self) -> float:
            self.now += 3
            return self.now

    first, second = await tried(
        executor, "SELECT 1", "SELECT 2", settings={"timeout": "5s"}, trace=Trace(RunningClock())
    )
    assert first.ran
    assert (second.ran, second.sqlstate) == (False, "NL005")
    assert executor.statements == 2
    recursive = COUNTING.format("> 0") + "TABLE r"
    _, third = await tried(
        executor, "SELECT 1", recursive, settings={"timeout": "5s"}, trace=Trace(RunningClock())
    )
    assert (third.ran, third.sqlstate) == (False, "NL006")
    first, second = await tried(
        executor, "SELECT 1", "SELECT 2", settings={"timeout": "0"}, trace=Trace(RunningClock())
    )
    assert second.ran


async def test_a_text_that_takes_too_long_to_judge_fails_alone(executor: PostgresExecutor) -> None:
    def endless(subject: Subject, /) -> Check | None:
        while "note" in subject.sql:  # until the step is ended
            pass
        return None

    texts = "SELECT note FROM orders", "SELECT count(*) FROM orders"
    candidates, settings = [Candidate(text, "test") for text in texts], load({})
    work = verify(
        *(Question("orders"), candidates, SteppedExecutor(executor), settings, Trace(StoppedClock())),
        rules=(endless,),
    )
    first, second = await stepwise(work, seconds=0.3)
    assert (first.sqlstate, first.ran) == ("NL006", False)
    assert "takes too long to be read" in first.message
    assert second.ran


async def test_rows_are_capped(executor: PostgresExecutor) -> None:
    (verdict,) = await tried(executor, "SELECT id FROM orders", settings={"probe_max_rows": "7"})
    assert verdict.result is not None
    assert (len(verdict.result.rows), verdict.result.truncated) == (7, True)


async def test_a_candidate_that_takes_too_long_says_so(executor: PostgresExecutor) -> None:
    slow = PostgresExecutor(executor._conn, timeout_ms=50)
    late, fine = await tried(slow, "SELECT pg_sleep(30)", "SELECT 1")
    assert (late.ran, late.sqlstate) == (False, "57014")
    assert [c.rule for c in late.checks if not c.held] == ["time"]
    assert fine.ran


COUNTING = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n {}) "


@pytest.mark.parametrize("end", ["SELECT count(*) FROM r", "SELECT n FROM r", "TABLE r;"])
async def test_a_recursion_that_was_not_seen_to_end_is_refused(executor: PostgresExecutor, end: str) -> None:
    slow = PostgresExecutor(executor._conn, timeout_ms=300)
    settings = {"probe_max_rows": "7"}
    endless, fine = await tried(
        slow, COUNTING.format("> 0") + end, COUNTING.format("< 50") + end, settings=settings
    )
    assert (endless.ran, endless.sqlstate) == (False, "NL006")
    assert "recursive" in endless.message
    assert fine.ran


async def test_a_recursion_that_is_not_tried_is_refused(executor: PostgresExecutor) -> None:
    text = COUNTING.format("> 0") + "SELECT count(*) FROM r, orders"
    (verdict,) = await tried(executor, text, settings={"probe_max_cost": "0.5"})
    assert (verdict.ran, verdict.sqlstate) == (False, "NL006")


async def test_nothing_of_a_trial_remains(executor: PostgresExecutor) -> None:
    await executor._conn.execute("CREATE SEQUENCE s")
    (verdict,) = await tried(executor, "SELECT nextval('s')")
    assert verdict.sqlstate == "25006"
    assert executor._conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


async def test_a_lost_session_is_no_verdict(executor: PostgresExecutor) -> None:
    with pytest.raises(DatabaseFailed) as failed:
        await tried(executor, "SELECT pg_terminate_backend(pg_backend_pid())", "SELECT 1")
    assert failed.value.code.startswith(("57P", "08"))


async def test_rules_see_question_catalog_statement_and_result(executor: PostgresExecutor) -> None:
    seen: list[Subject] = []

    def look(subject: Subject, /) -> Check | None:
        seen.append(subject)
        return Check("look", False, "seen")

    rules: list[Rule] = [look]
    catalog = Catalog((Relation(1, "public", "orders", "r", ()),))
    ran, failed = await tried(executor, "SELECT 1", "SELECT nope", catalog=catalog, rules=rules)
    assert [c.rule for c in (*ran.checks, *failed.checks)] == ["look", "look"]
    assert seen[0].catalog is catalog
    assert seen[0].question.text == "orders"
    assert seen[0].result is not None
    assert seen[1].result is None


async def test_the_trace_tells_each_trial(executor: PostgresExecutor) -> None:
    trace = Trace(StoppedClock())
    await tried(executor, "SELECT 1 WHERE false", "SELECT nope", trace=trace)
    empty, failed = trace.to_json()
    assert isinstance(empty, dict)
    assert isinstance(failed, dict)
    assert (empty["stage"], empty["rows"], empty["failed"]) == ("verifier", 0, ["not_empty"])
    assert (failed["sqlstate"], failed["rows"]) == ("42703", None)


async def test_the_trace_tells_what_the_question_demands(executor: PostgresExecutor) -> None:
    trace = Trace(StoppedClock())
    await tried(executor, "SELECT 1", question="How many orders have an id above 5?", trace=trace)
    demanded = trace.to_json()[0]
    assert isinstance(demanded, dict)
    assert (demanded["stage"], demanded["name"]) == ("verifier", "demanded")
    assert demanded["constraints"] == [
        {"kind": "counting", "words": ["How many"]},
        {"kind": "comparison", "words": ["above 5"], "operator": ">", "values": [5.0]},
    ]


NO = Check("critique", False, "count something else", 0.5)
YES = Check("critique", True, "", 0.5)


async def test_a_reviewer_sees_one_text_of_each_answer_and_its_rows(
    executor: PostgresExecutor,
) -> None:
    seen: list[tuple[str, str, int]] = []

    class WatchingReviewer(ScriptedReviewer):
        async def before(self, question: Question, sql: str) -> tuple[Check, ...]:
            seen.append(("before", sql, executor.statements))
            assert executor._conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
            return await super().before(question, sql)

        async def after(self, question: Question, sql: str, result: ResultSet) -> tuple[Check, ...]:
            seen.append(("after", sql, len(result.rows)))
            assert executor._conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
            return await super().after(question, sql, result)

    answer = Check("answer", True, "", 0.5)
    one, other, bad, again = await tried(
        executor,
        "SELECT 1",
        "SELECT nope",
        "SELEC 1",
        "SELECT 1",
        reviewer=WatchingReviewer({"SELECT 1": NO, "SELECT nope": YES}, {"SELECT 1": answer}),
    )
    assert [(when, sql) for when, sql, _ in seen] == [("before", "SELECT 1"), ("after", "SELECT 1")]
    assert one.checks[-2:] == (NO, answer)
    assert one.checks == again.checks
    assert other.checks == bad.checks == ()


async def test_a_reviewer_is_asked_about_the_best_supported_answers(executor: PostgresExecutor) -> None:
    reviewer = ScriptedReviewer({})
    texts = [f"SELECT {number}" for number in (1, 2, 3, 4, 5, 5, 5)]
    candidates = [Candidate(sql, f"e{place}") for place, sql in enumerate(texts)]
    await stepwise(
        verify(
            Question("q"),
            candidates,
            SteppedExecutor(executor),
            load({}),
            Trace(StoppedClock()),
            reviewer=reviewer,
        )
    )
    asked = [sql for when, sql in reviewer.seen if when == "before"]
    assert asked[0] == "SELECT 5"
    assert len(asked) == 3


async def test_what_a_reviewer_objects_to_is_repaired_and_the_repair_is_reviewed(
    executor: PostgresExecutor,
) -> None:
    reviewer = ScriptedReviewer({"SELECT 1": NO, "SELECT 2": NO, "SELECT 3": YES})
    trace = Trace(StoppedClock())
    verdict, original = await tried(
        executor,
        "SELECT 1",
        reviewer=reviewer,
        repairer=ScriptedRepairer(["SELECT 2", "SELECT 3"]),
        trace=trace,
    )
    assert (verdict.sql, verdict.mends) == ("SELECT 3", ("repair by scripted",))
    assert (original.sql, original.mends, original.candidate) == ("SELECT 1", (), verdict.candidate)
    assert original.checks[-1] == NO
    assert verdict.checks[-1] == YES
    assert [e.data["outcome"] for e in trace if e.name == "repair"] == ["not taken", "taken"]


async def test_a_reviewer_that_takes_too_long_is_left_behind_and_everything_is_tried(
    executor: PostgresExecutor,
) -> None:
    class Slow(ScriptedReviewer):
        async def before(self, question: Question, sql: str) -> tuple[Check, ...]:
            if sql == "SELECT 2":
                await asyncio.Event().wait()
            return await super().before(question, sql)

    verdicts = await tried(
        executor, "SELECT 1", "SELECT 2", reviewer=Slow({"SELECT 1": NO}), settings={"timeout": "400ms"}
    )
    assert [v.ran for v in verdicts] == [True, True]
    assert NO in verdicts[0].checks


async def test_without_a_time_out_reviews_have_no_end(executor: PostgresExecutor) -> None:
    reviewer = ScriptedReviewer({"SELECT 1": NO})
    (verdict,) = await tried(executor, "SELECT 1", reviewer=reviewer, settings={"timeout": "0"})
    assert verdict.checks[-1] == NO
