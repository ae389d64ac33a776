"""The selector answers on evidence, asks back rarely and to the point, and says why nothing can be chosen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from askwire.core.errors import AmbiguousQuestion, AskError, BeyondEngine, DatabaseFailed, RefusedByGate
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import (
    Alignment,
    Candidate,
    Check,
    Choice,
    Question,
    ResultColumn,
    ResultSet,
    Row,
    Span,
    Verdict,
)
from askwire.selector import confidence, select
from askwire.selector.strategy import Case, RankedCluster

INT4, TEXT = 23, 25
EMPTY = Check("not_empty", False, "it returns no rows", odds=0.5)
BROKEN = Check("top_k", False, "the SQL has no limit of 3", odds=0.05)


class StoppedClock:
    """A clock that stands."""

    def monotonic(self) -> float:
        return 0.0


def table(*rows: Row, oids: tuple[int, ...] = (INT4,), truncated: bool = False) -> ResultSet:
    return ResultSet(tuple(ResultColumn(f"c{i}", oid) for i, oid in enumerate(oids)), rows, truncated)


def numbers(*values: int, truncated: bool = False) -> ResultSet:
    return table(*((str(v),) for v in values), truncated=truncated)


def whole(*columns: str, digest: str) -> ResultSet:
    """An answer that was cut off, and of which the database has looked at all rows."""
    return ResultSet(tuple(ResultColumn(name, INT4) for name in columns), (), True, digest)


def verdict(
    sql: str,
    confidence: float | None = None,
    result: ResultSet | None = None,
    *checks: Check,
    sqlstate: str = "",
    message: str = "",
    hint: str = "",
    **candidate: Any,
) -> Verdict:
    made = Candidate(sql, candidate.pop("expert", "embedded"), confidence=confidence, **candidate)
    return Verdict(made, sql, checks, result, sqlstate, message, hint=hint)


def chosen(*verdicts: Verdict, trace: Trace | None = None, **settings: str) -> Choice:
    into = Trace(StoppedClock()) if trace is None else trace
    loaded = load({"answer_confidence": "0", **settings})
    return asyncio.run(select(Question("q"), verdicts, loaded, into))


def test_one_candidate_is_the_only_reading() -> None:
    choice = chosen(verdict("a", 0.9, numbers(1)))
    assert (choice.verdict.sql, choice.reason) == ("a", "the only candidate query")
    assert choice.confidence == pytest.approx(0.9)
    assert choice.assumptions == ()


def test_candidates_with_equal_answers_agree_and_their_confidences_add_up() -> None:
    choice = chosen(
        verdict("b", 0.3, table(("3.0",), oids=(1700,))),
        verdict("a", 0.4, numbers(3)),
        verdict("c", 0.2, numbers(4)),
    )
    assert (choice.verdict.sql, choice.reason) == ("a", "2 of 3 candidate queries give this result")
    assert choice.confidence == pytest.approx(0.7)
    assert [[v.sql for v in c.verdicts] for c in choice.clusters] == [["a", "b"], ["c"]]
    assert (
        chosen(verdict("a", 0.3, numbers(1)), verdict("b", 0.3, numbers(1))).reason
        == "all 2 candidate queries give this result"
    )


def test_the_best_scored_represents_a_cluster_without_confidences() -> None:
    choice = chosen(verdict("a", None, numbers(1), score=1.0), verdict("b", None, numbers(1), score=2.0))
    assert choice.verdict.sql == "b"


def test_a_failed_check_costs_the_representation_of_its_cluster() -> None:
    assert chosen(verdict("a", 0.5, numbers(1), BROKEN), verdict("b", 0.4, numbers(1))).verdict.sql == "b"


def test_without_confidences_every_expert_has_one_vote() -> None:
    lone = chosen(
        *(verdict(f"x{i}", None, numbers(i), expert="x") for i in range(3)),
        verdict("y", None, numbers(9), expert="y"),
    )
    assert lone.verdict.sql == "y"


def test_experts_that_agree_are_surer_than_either_and_are_counted_as_voices() -> None:
    engine = [verdict("a", 0.6, numbers(1)), verdict("b", 0.2, numbers(1)), verdict("c", 0.1, numbers(2))]
    model = verdict("m", None, numbers(1), expert="model")
    together = chosen(*engine, model)
    assert together.reason == "all 2 experts agree"
    assert together.confidence is not None
    alone = [chosen(*engine).confidence or 0, chosen(model).confidence or 0]
    assert together.confidence > max(alone)
    third = verdict("z", None, numbers(3), expert="other")
    assert chosen(*engine, model, third).reason == "2 of 3 experts give this answer"


@pytest.mark.parametrize("broken", ["SELECT missing", "", "no SQL at all"])
def test_an_unsure_answer_is_refused_also_beside_candidates_that_failed(broken: str) -> None:
    unsure = verdict("a", 0.003, numbers(1))
    failed = verdict(broken, None, sqlstate="42703", message="no such column", expert="model")
    assert isinstance(raised(unsure, answer_confidence="0.4"), BeyondEngine)
    assert isinstance(raised(unsure, failed, answer_confidence="0.4"), BeyondEngine)


def test_an_empty_answer_loses_to_a_rival_with_nearly_its_confidence_and_beats_a_weak_one() -> None:
    empty = verdict("empty", 0.5, numbers(), EMPTY)
    assert chosen(empty, verdict("full", 0.45, numbers(1))).verdict.sql == "full"
    alone = chosen(empty, verdict("full", 0.1, numbers(1)))
    assert alone.verdict.sql == "empty"
    assert alone.assumptions == ("it returns no rows",)


def test_a_candidate_that_fails_by_its_own_making_leaves_its_share_to_the_others() -> None:
    failed = verdict("a", 0.6, sqlstate="42703", message="no such column")
    choice = chosen(failed, verdict("b", 0.3, numbers(1)), answer_confidence="0.7")
    assert choice.verdict.sql == "b"
    assert choice.confidence == pytest.approx(0.75)


@pytest.mark.parametrize("sqlstate", ["55P03", "53200", "58030"])
def test_a_lesser_reading_is_no_answer_while_the_best_cannot_be_tried(sqlstate: str) -> None:
    best = verdict("a", 0.6, sqlstate=sqlstate, message="not now")
    error = raised(best, verdict("b", 0.3, numbers(1)), answer_confidence="0")
    assert isinstance(error, DatabaseFailed)
    assert (error.code, error.message) == (sqlstate, "not now")


@pytest.mark.parametrize("sqlstate", ["NL006", "42501"])
def test_a_candidate_that_may_not_run_keeps_its_share(sqlstate: str) -> None:
    choice = chosen(verdict("a", 0.6, sqlstate=sqlstate, message="no"), verdict("b", 0.3, numbers(1)))
    assert choice.confidence == pytest.approx(0.3)


@pytest.mark.parametrize("sqlstate", ["NL005", "57014"])
def test_a_candidate_too_expensive_to_try_can_be_chosen(sqlstate: str) -> None:
    cost = Check("cost", False, "its plan costs too much")
    untried = verdict("a", 0.6, None, cost, sqlstate=sqlstate)
    choice = chosen(untried, verdict("b", 0.3, numbers(1)))
    assert choice.verdict.sql == "a"
    assert choice.assumptions == ("its plan costs too much",)


def raised(*verdicts: Verdict, **settings: str) -> AskError:
    with pytest.raises(AskError) as error:
        chosen(*verdicts, trace=None, **settings)
    return error.value


def test_two_readings_with_nearly_equal_support_are_ambiguous() -> None:
    error = raised(
        verdict("SELECT 1", 0.45, numbers(412), reading="late = shipped after the required date"),
        verdict("SELECT 2", 0.42, numbers(1, 2), reading="late = status is 'delayed'"),
        answer_confidence="0.5",
    )
    assert isinstance(error, AmbiguousQuestion)
    assert error.message == "two readings fit, and their results differ"
    assert error.detail == (
        "1  late = shipped after the required date  (412)\n   SELECT 1\n"
        "2  late = status is 'delayed'  (2 rows)\n   SELECT 2"
    )
    assert "on_ambiguity" in error.hint
    bound = raised(verdict("a", 0.5, numbers(1)), verdict("b", 0.49, numbers(2)), on_ambiguity="error")
    assert bound.hint == "ASK CHOOSE 1 or ASK CHOOSE 2 runs one of them and keeps it for this question."


def test_three_readings_are_shown_and_never_more() -> None:
    error = raised(*(verdict(f"s{i}", 0.24, numbers(i)) for i in range(4)))
    assert error.message == "three readings fit, and their results differ"


NOT_AMBIGUOUS: dict[str, Sequence[Verdict]] = {
    "far apart": (verdict("a", 0.5, numbers(1)), verdict("b", 0.35, numbers(2))),
    "the rival broke a rule": (verdict("a", 0.5, numbers(1)), verdict("b", 0.9, numbers(2), BROKEN)),
    "the rival is empty": (verdict("a", 0.5, numbers(1)), verdict("b", 0.95, numbers(), EMPTY)),
    "the rival failed": (verdict("a", 0.5, numbers(1)), verdict("b", 0.5, sqlstate="42703")),
    "the rival shows one more column": (
        verdict("a", 0.5, numbers(1, 2)),
        verdict("b", 0.49, table(("x", "1"), ("y", "2"), oids=(TEXT, INT4))),
    ),
    "the rival only repeats rows": (verdict("a", 0.5, numbers(1, 2)), verdict("b", 0.49, numbers(1, 2, 2))),
    "the rival only swaps columns": (
        verdict("a", 0.5, table(("x", "1"), oids=(TEXT, INT4))),
        verdict("b", 0.49, table(("1", "x"), oids=(INT4, TEXT))),
    ),
    "both were cut off": (
        verdict("a", 0.5, numbers(1, truncated=True)),
        verdict("b", 0.49, numbers(2, truncated=True)),
    ),
    "both were cut off, and the whole only swaps columns": (
        verdict("a", 0.5, whole("x", "n", digest="9 1")),
        verdict("b", 0.49, whole("n", "x", digest="9 2")),
    ),
    "one was cut off, and has no row that the other has not": (
        verdict("a", 0.5, numbers(1, 2, 3)),
        verdict("b", 0.49, numbers(1, 1, 2, 2, truncated=True)),
    ),
    "the rival was not tried": (verdict("a", 0.5, numbers(1)), verdict("b", 0.49, sqlstate="NL005")),
}


@pytest.mark.parametrize("verdicts", NOT_AMBIGUOUS.values(), ids=NOT_AMBIGUOUS.keys())
def test_no_question_is_asked_back_when(verdicts: Sequence[Verdict]) -> None:
    assert chosen(*verdicts).verdict.sql == "a"


def test_a_different_column_of_equal_length_is_a_rival() -> None:
    error = raised(
        verdict("a", 0.5, numbers(1, 2)), verdict("b", 0.49, table(("x", "3"), ("y", "4"), oids=(TEXT, INT4)))
    )
    assert isinstance(error, AmbiguousQuestion)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (whole("x", digest="9 1"), whole("x", digest="9 2")),
        (whole("x", digest="9 1"), whole("y", digest="8 1")),
        (numbers(1, 2), numbers(1, 2, 3, truncated=True)),
        (numbers(1, 4, truncated=True), numbers(1, 2, 3)),
    ],
)
def test_large_answers_that_differ_for_certain_are_rivals(first: ResultSet, second: ResultSet) -> None:
    assert isinstance(raised(verdict("a", 0.5, first), verdict("b", 0.49, second)), AmbiguousQuestion)


def test_readings_that_were_voted_for_and_failed_as_much_are_rivals() -> None:
    soft = Check("wide_pattern", False, "the pattern finds more", odds=0.7)
    one, other = (
        verdict(sql, None, numbers(n), soft, expert=expert)
        for sql, n, expert in (("SELECT 1", 1, "x"), ("SELECT 2", 2, "y"))
    )
    assert isinstance(raised(one, other, ambiguity_margin="0.5"), AmbiguousQuestion)
    worse = verdict("SELECT 2", None, numbers(2), soft, EMPTY, expert="y")
    assert chosen(one, worse, ambiguity_margin="0.9").verdict.sql == "SELECT 1"
    sure, nearly = (
        verdict(sql, confidence, numbers(n), soft) for sql, confidence, n in (("a", 0.5, 1), ("b", 0.49, 2))
    )
    assert chosen(sure, nearly).verdict.sql == "a"


def test_on_ambiguity_best_answers_and_says_what_it_assumed() -> None:
    choice = chosen(
        verdict("a", 0.5, numbers(1)),
        verdict("b", 0.49, numbers(2), reading="the other"),
        on_ambiguity="best",
    )
    assert choice.verdict.sql == "a"
    assert choice.assumptions == ("another reading fits as well: the other",)


def test_the_margin_is_a_setting() -> None:
    pair = verdict("a", 0.5, numbers(1)), verdict("b", 0.35, numbers(2))
    assert chosen(*pair, ambiguity_margin="0.1").verdict.sql == "a"
    assert isinstance(raised(*pair, ambiguity_margin="0.2"), AmbiguousQuestion)
    equal = verdict("a", 0.5, numbers(1)), verdict("b", 0.5, numbers(2))
    assert chosen(*equal, ambiguity_margin="0").verdict.sql == "a"


def test_where_every_word_has_a_place_it_is_said_what_speaks_against_the_reading() -> None:
    against = raised(verdict("SELECT 1", 0.1, table(), EMPTY, BROKEN), answer_confidence="0.5")
    assert against.detail.startswith("Not answered because: it returns no rows; the SQL has no limit of 3.\n")
    placed = (Alignment(Span(0, 6, "orders"), "table", "orders"),)
    unsure = raised(verdict("SELECT 1", 0.1, numbers(1), alignments=placed), answer_confidence="0.5")
    assert unsure.detail.startswith("Every word is known, but how they belong together is uncertain.\n")
    others = (verdict(f"SELECT {n}", 0.1, numbers(n), alignments=placed) for n in (1, 2))
    torn = raised(*others, answer_confidence="0.5", ambiguity_margin="0")
    assert torn.detail.startswith("Every word is known, but several queries fit about equally well.\n")
    assert "as in the database" not in unsure.hint + against.hint


def test_below_the_confidence_asked_for_nothing_is_answered() -> None:
    unsure = verdict("SELECT 1", 0.4, numbers(1), uncovered=("quirky", "quirky"), reading="all orders")
    error = raised(unsure, verdict("SELECT 2", 0.05, numbers(2)), answer_confidence="0.5")
    assert isinstance(error, BeyondEngine)
    assert error.detail == 'Words not used: "quirky".\n1  all orders  (1)\n   SELECT 1'
    pair = verdict("a", 0.2, numbers(1)), verdict("b", 0.19, numbers(2))
    assert isinstance(
        raised(*pair, answer_confidence="0.5"), BeyondEngine
    )  # neither fits well enough to ask back
    best = verdict("a", 0.45, numbers(1)), verdict("b", 0.44, numbers(2))
    assert isinstance(raised(*best, answer_confidence="0.5", on_ambiguity="best"), BeyondEngine)


def test_nothing_can_be_chosen() -> None:
    refused = verdict(
        "SELECT f()", 0.5, sqlstate="NL006", message="function f is not allowed", hint="Ask for it."
    )
    broken = verdict("SELECT x", 0.4, sqlstate="42703", message='column "x" does not exist')
    gate = raised(refused, refused)
    assert isinstance(gate, RefusedByGate)
    assert gate.detail == "function f is not allowed: SELECT f()"
    assert gate.hint == "Ask for it."
    database = raised(refused, broken)
    assert isinstance(database, BeyondEngine)
    assert database.detail == 'The best one: column "x" does not exist\n   SELECT x'
    denied = raised(verdict("SELECT x", 0.4, sqlstate="42501", message="permission denied"))
    assert isinstance(denied, DatabaseFailed)
    assert (denied.code, denied.message) == ("42501", "permission denied")
    assert isinstance(raised(), BeyondEngine)


def test_another_strategy_drops_in() -> None:
    class LastStrategy:
        name = "last"

        async def rank(self, case: Case) -> list[RankedCluster]:
            return [RankedCluster(c, 1.0 - i / 2) for i, c in enumerate(reversed(case.clusters))]

    verdicts = [verdict("a", 0.9, numbers(1)), verdict("b", 0.1, numbers(2))]
    trace = Trace(StoppedClock())
    choice = asyncio.run(select(Question("q"), verdicts, load(), trace, strategy=LastStrategy()))
    assert choice.verdict.sql == "b"
    ranked, chose = trace
    assert (ranked.stage, ranked.name, ranked.data["strategy"]) == ("selector", "ranked", "last")
    assert (chose.name, chose.data["sql"]) == ("chose", "b")


class _VoteStrategy:
    """Ranks the first reading first, with the support of a vote."""

    name = "voted"

    def __init__(self, reason: str = "", confidence: float = 0.6) -> None:
        self._reason = reason
        self._confidence = confidence

    async def rank(self, case: Case) -> list[RankedCluster]:
        first, *others = case.clusters
        return [
            RankedCluster(first, 0.6, self._confidence, {"votes": 1.0}, self._reason),
            *(RankedCluster(c, 0.4 / len(others), 0.1, {"votes": 0.0}) for c in others),
        ]


@pytest.mark.parametrize(("sure", "answered"), [(0.5, False), (0.7, True)])
def test_an_answer_of_the_engine_alone_is_as_sure_as_without_others(
    sure: float, answered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confidence, "probability", lambda found: sure)
    own = verdict("a", 0.9, numbers(1), signals={"words": 0.4})
    other = verdict("m", None, numbers(7), expert="model")
    trace = Trace(StoppedClock())
    work = select(Question("q"), [own, other], load({}), trace, strategy=_VoteStrategy())
    if answered:
        assert asyncio.run(work).verdict.sql == "a"
    else:
        with pytest.raises(BeyondEngine):
            asyncio.run(work)
    assert [e.data["confidence"] for e in trace if e.name == "alone"] == [sure]


def test_a_judge_may_rule_for_what_the_engine_alone_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confidence, "probability", lambda found: 0.1)
    own = verdict("a", 0.9, numbers(1), signals={"words": 0.4})
    other = verdict("m", None, numbers(7), expert="model")
    work = select(
        Question("q"),
        [own, other],
        load({}),
        Trace(StoppedClock()),
        strategy=_VoteStrategy("it won its duel"),
    )
    assert asyncio.run(work).verdict.sql == "a"


@pytest.mark.parametrize(
    ("asked", "reason", "sure", "answered"),
    [
        ({}, "", 0.2, True),
        ({}, "", 0.1, False),
        ({}, "the judge named it", 0.1, True),
        ({"answer_confidence": "0.65"}, "", 0.6, False),  # its default, and the session's word all the same
        ({"answer_confidence": "0.65"}, "", 0.7, True),
    ],
)
def test_a_confidence_that_is_stated_decides_whether_to_answer(
    asked: dict[str, str], reason: str, sure: float, answered: bool
) -> None:
    verdicts = [verdict("a", None, numbers(1), expert="model"), verdict("b", 0.2, numbers(7))]
    settings = load({}).for_session(asked)
    work = select(
        Question("q"), verdicts, settings, Trace(StoppedClock()), strategy=_VoteStrategy(reason, sure)
    )
    if answered:
        assert asyncio.run(work).confidence == sure
    else:
        with pytest.raises(BeyondEngine):
            asyncio.run(work)


def test_what_a_judge_put_first_is_as_sure_as_the_ruling_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class OverruledStrategy:
        name = "overruled"

        async def rank(self, case: Case) -> list[RankedCluster]:
            first, second = case.clusters
            return [RankedCluster(second, 0.8, 0.1, {}, "the judge named it"), RankedCluster(first, 0.2, 0.8)]

    monkeypatch.setattr(confidence, "probability", lambda found: 0.92)
    own = [verdict(sql, 0.5, numbers(n), signals={"words": 0.4}) for n, sql in enumerate("ab")]
    work = select(Question("q"), own, load({}), Trace(StoppedClock()), strategy=OverruledStrategy())
    with pytest.raises(BeyondEngine):
        asyncio.run(work)


def test_an_answer_that_somebody_else_gives_too_is_not_the_engines_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(confidence, "probability", lambda found: 0.1)
    own = verdict("a", 0.9, numbers(1), signals={"words": 0.4})
    same_rows = verdict("m", None, numbers(1), expert="model")
    trace = Trace(StoppedClock())
    choice = asyncio.run(select(Question("q"), [own, same_rows], load({}), trace, strategy=_VoteStrategy()))
    assert choice.verdict.sql in ("a", "m")
    assert not [e for e in trace if e.name == "alone"]


def test_several_rows_of_one_name_are_told_as_that() -> None:
    """'tracks longer than Sanctuary', of which there are two, spoke of a subquery."""
    error = raised(verdict("a", 0.6, sqlstate="21000", message="more than one row returned by a subquery"))
    assert isinstance(error, BeyondEngine)
    assert error.message == "the question compares with one row, and several have that name"
    mixed = raised(
        verdict("a", 0.6, sqlstate="21000", message="more than one"),
        verdict("b", 0.3, sqlstate="42703", message="no such column"),
    )
    assert mixed.message == "no reading of the question runs on this database"
