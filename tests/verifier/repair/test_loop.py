"""When repair ends, and which repair is taken."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from askwire.core.trace import Trace
from askwire.core.types import Check, Question, ResultColumn, ResultSet
from askwire.verifier.attempt import Outcome
from askwire.verifier.repair import ScriptedRepairer, Trouble
from askwire.verifier.repair.loop import TriedText, regressions, repaired

FOUND = Outcome(ResultSet((ResultColumn("a", 23),), (("1",),)))
NOTHING = Outcome(ResultSet((ResultColumn("a", 23),), ()))
FAILED = Outcome(sqlstate="42703", message='column "b" does not exist')


class StoppedClock:
    """A clock that stands."""

    def monotonic(self) -> float:
        return 0.0


def checks(**held: bool) -> tuple[Check, ...]:
    return tuple(Check(rule, ok, "" if ok else f"no {rule}", 0.05) for rule, ok in held.items())


async def run(
    first: TriedText, known: Sequence[TriedText], answers: Sequence[str | None], rounds: int = 5
) -> tuple[TriedText, ScriptedRepairer, list[object]]:
    texts = {t.sql: t for t in known}

    async def attempt(sql: str) -> TriedText:
        return texts[sql]

    repairer, trace = ScriptedRepairer(answers), Trace(StoppedClock())
    best = await repaired(
        Question("q"),
        first,
        repairer,
        attempt,
        trace,
        rounds=rounds,
        grounding=("size is 'small' or 'large'",),
    )
    return best, repairer, [e.data["outcome"] for e in trace]


async def test_what_is_clean_is_not_repaired() -> None:
    first = TriedText("a", FOUND, checks(top_k=True))
    best, repairer, _ = await run(first, (), ["b"])
    assert best is first
    assert not repairer.requests


async def test_a_failed_text_is_repaired_until_it_is_clean() -> None:
    best, repairer, outcomes = await run(
        TriedText("a", FAILED, ()),
        [TriedText("b", FAILED, ()), TriedText("c", FOUND, checks(top_k=True))],
        ["b", " c ", "d"],
    )
    assert best.sql == "c"
    assert outcomes == ["not taken", "taken"]
    first, second = repairer.requests
    assert (first.sql, first.trouble, first.attempts) == ("a", Trouble.COLUMN, ())
    assert "join that relation" in first.hint
    assert first.message == 'column "b" does not exist'
    assert first.grounding == ("size is 'small' or 'large'",)
    assert (second.sql, second.attempts) == ("a", ("b",))


async def test_it_stops_when_the_text_stays_or_comes_again_or_nobody_knows_more() -> None:
    first = TriedText("a", FAILED, ())
    best, _, outcomes = await run(first, (), ["a"])
    assert (best, outcomes) == (first, ["repeated itself"])
    best, _, outcomes = await run(first, [TriedText("b", FAILED, ())], ["b", "b"])
    assert (best, outcomes) == (first, ["not taken", "repeated itself"])
    best, _, outcomes = await run(first, (), [None])
    assert (best, outcomes) == (first, ["gave up"])


async def test_at_most_so_many_rounds() -> None:
    known = [TriedText(text, FAILED, ()) for text in "bcdefg"]
    _, repairer, _ = await run(TriedText("a", FAILED, ()), known, list("bcdefg"), rounds=5)
    assert len(repairer.requests) == 5
    _, repairer, _ = await run(TriedText("a", FAILED, ()), known, list("bcdefg"), rounds=0)
    assert not repairer.requests


async def test_no_round_begins_when_it_is_late() -> None:
    async def attempt(sql: str) -> TriedText:
        return TriedText(sql, FAILED, ())

    answers, repairer = iter([False, True]), ScriptedRepairer(["b", "c"])
    first = TriedText("a", FAILED, ())
    await repaired(
        Question("q"), first, repairer, attempt, Trace(StoppedClock()), rounds=5, late=lambda: next(answers)
    )
    assert len(repairer.requests) == 1


async def test_a_repair_that_breaks_what_held_is_not_taken() -> None:
    first = TriedText("a", FOUND, checks(top_k=False, distinct=True))
    worse = TriedText("b", FOUND, checks(top_k=True, distinct=False))
    good = TriedText("c", FOUND, checks(top_k=True, distinct=True))
    best, repairer, outcomes = await run(first, [worse, good], ["b", "c"])
    assert (best.sql, best.mends) == ("c", ("repair by scripted",))
    assert outcomes == ["not taken", "taken"]
    assert repairer.requests[0].violations == ("no top_k",)
    assert repairer.requests[0].trouble is Trouble.VIOLATION
    assert regressions(first.checks, worse.checks) == ("distinct",)


async def test_a_repair_that_is_no_better_is_not_taken() -> None:
    first = TriedText("a", FOUND, checks(top_k=False))
    best, _, _ = await run(first, [TriedText("b", FAILED, checks(top_k=True))], ["b"])
    assert best is first
    best, _, _ = await run(first, [TriedText("b", FOUND, checks(top_k=False))], ["b"])
    assert best is first


async def test_nothing_found_is_repaired_where_a_value_is_not_in_the_data() -> None:
    found = TriedText("b", FOUND, checks(literal_occurs=True))
    first = TriedText("a", NOTHING, (*checks(literal_occurs=False, not_empty=False),))
    best, repairer, _ = await run(first, [found], ["b"])
    assert best.sql == found.sql
    assert repairer.requests[0].trouble is Trouble.NO_RESULT
    assert repairer.requests[0].violations == ("no literal_occurs",)


@pytest.mark.parametrize("finding", ["not_empty", "not_zero", "not_all_null"])
async def test_nothing_found_may_be_right(finding: str) -> None:
    nothing = TriedText("a", NOTHING, checks(**{finding: False}))
    best, repairer, _ = await run(nothing, (), ["b"])
    assert best is nothing
    assert not repairer.requests


async def test_mere_evidence_asks_for_no_repair() -> None:
    weak = TriedText("a", FOUND, (Check("not_zero", False, "it returns a single zero", 0.5),))
    best, repairer, _ = await run(weak, (), ["b"])
    assert best is weak
    assert not repairer.requests


def objection(*, held: bool = False) -> tuple[Check, ...]:
    return (Check("critique", held, "" if held else "count orders", 0.5),)


async def test_an_objection_asks_for_a_repair_and_stands_while_its_model_has_it() -> None:
    first = TriedText("a", FOUND, objection())
    still = TriedText("b", FOUND, objection())
    mended = TriedText("c", FOUND, objection(held=True))
    best, repairer, outcomes = await run(first, [still, mended], ["b", "c"])
    assert (best.sql, outcomes) == ("c", ["not taken", "taken"])
    assert repairer.requests[1].attempts == ()
    assert repairer.requests[0].violations == ("count orders",)
    assert repairer.requests[0].trouble is Trouble.VIOLATION


async def test_a_model_that_has_no_more_looks_does_not_stop_a_repair() -> None:
    best, _, outcomes = await run(TriedText("a", FOUND, objection()), [TriedText("b", FOUND, ())], ["b"])
    assert (best.sql, outcomes) == ("b", ["taken"])


async def test_a_text_that_only_a_model_objects_to_may_come_again() -> None:
    first = TriedText("a", FOUND, (*checks(top_k=False), *objection()))
    opposed = TriedText("b", FOUND, (*checks(top_k=True), *objection()))
    worse = TriedText("c", FOUND, (*checks(top_k=False), *objection()))
    _, repairer, _ = await run(first, [opposed, worse], ["b", "c", None])
    assert [request.attempts for request in repairer.requests] == [(), ("a",), ("a", "c")]


async def test_a_repair_that_breaks_a_rule_to_please_a_model_is_not_taken() -> None:
    first = TriedText("a", FOUND, (*checks(top_k=True), *objection()))
    pleasing = TriedText("b", FOUND, (*checks(top_k=False), *objection(held=True)))
    best, _, outcomes = await run(first, [pleasing], ["b"])
    assert (best, outcomes) == (first, ["not taken", "gave up"])


async def test_a_model_that_objects_to_a_repair_it_was_not_asked_about_does_not_stop_it() -> None:
    first = TriedText("a", FAILED, objection(held=True))
    best, _, outcomes = await run(first, [TriedText("b", FOUND, objection())], ["b"])
    assert best.sql == "b"
    assert outcomes[0] == "taken"
    assert regressions(first.checks, best.checks) == ()


async def test_a_table_that_is_not_there_is_told_as_such() -> None:
    refused = Outcome(sqlstate="NL006", message='relation "x" does not exist', cause="42P01")
    best, repairer, _ = await run(TriedText("a", refused, ()), [TriedText("b", FOUND, ())], ["b"])
    assert best.sql == "b"
    assert repairer.requests[0].trouble is Trouble.TABLE
