"""Figures: what an ASK's trace adds to them, and what monitoring reads."""

from __future__ import annotations

import pytest
from doubles.living_sessions import LiveSession
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from askwire.core.protocols import StoreStatus
from askwire.core.trace import Json, Trace
from askwire.proxy.operations.exposition import Now, openmetrics
from askwire.proxy.operations.figures import Distribution, Figures

CALL: dict[str, Json] = {
    "expert": "local",
    "step": "write",
    "prompt_tokens": 100,
    "completion_tokens": 7,
    "cost": 0.25,
}


class TickingClock:
    """A clock that is a second later each time it is looked at."""

    def __init__(self) -> None:
        self._now = 0.0

    def monotonic(self) -> float:
        self._now += 1.0
        return self._now


def asked() -> Figures:
    figures = Figures()
    trace = Trace(TickingClock())
    trace.record("session", "read")
    trace.record("egress", "left", expert="local", bytes=512)
    trace.record("model", "called", outcome="answered", **CALL)
    trace.record("model", "called", outcome="timeout", **{**CALL, "completion_tokens": 0})
    trace.record("verifier", "tried", sqlstate="NL006")
    trace.record("verifier", "tried", sqlstate=None)
    figures.asked(trace, "00000")
    pinned = Trace(TickingClock())
    pinned.record("pin", "used")
    figures.asked(pinned, "00000")
    figures.asked(Trace(TickingClock()), "NL003")
    return figures


def samples(figures: Figures, now: Now | None = None) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    text = openmetrics(figures, now or Now((), StoreStatus())).decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_distribution_counts_up_to_its_bounds() -> None:
    distribution = Distribution((1.0, 2.0))
    for value in (0.5, 1.0, 1.5, 2.0, 9.0):
        distribution.add(value)
    assert distribution.counts == [2, 2, 1]
    assert distribution.mean() == pytest.approx(2.8)


def test_an_ask_is_counted_by_how_it_ended() -> None:
    figures = asked()
    assert (figures.asks, figures.pinned, figures.gate_refusals) == ({"00000": 2, "NL003": 1}, 1, 1)
    assert figures.tokens == {("local", "prompt"): 200, ("local", "completion"): 7}
    assert figures.calls == {("local", "answered"): 1, ("local", "timeout"): 1}
    assert figures.cost == {"local": 0.5}


def test_each_stage_gets_the_time_that_led_to_its_steps() -> None:
    figures = asked()
    assert figures.stage_seconds["model"].total == pytest.approx(2.0)
    assert figures.stage_seconds["verifier"].total == pytest.approx(2.0)
    assert figures.stage_seconds["session"].total == pytest.approx(1.0)


def test_the_exposition_is_openmetrics() -> None:
    found = samples(
        asked(), Now([LiveSession("relay")] * 3 + [LiveSession("asking")], StoreStatus(12, 7, 2, "disk full"))
    )
    assert found["askwire_sessions", (("phase", "relay"),)] == 3
    assert found["askwire_asks_total", (("sqlstate", "NL003"),)] == 1
    assert found["askwire_asks_pinned_total", ()] == 1
    assert found["askwire_ask_seconds_count", (("pinned", "no"),)] == 2
    assert found["askwire_ask_seconds_bucket", (("le", "+Inf"), ("pinned", "yes"))] == 1
    assert found["askwire_model_tokens_total", (("expert", "local"), ("kind", "prompt"))] == 200
    assert found["askwire_egress_bytes_total", (("expert", "local"),)] == 512
    assert found["askwire_store_failing", ()] == 1
    assert found["askwire_store_waiting", ()] == 12
    assert (found["askwire_store_written_total", ()], found["askwire_store_lost_total", ()]) == (7, 2)


def test_buckets_only_grow() -> None:
    text = openmetrics(asked(), Now((), StoreStatus())).decode()
    rising = [
        float(line.rsplit(" ", 1)[1])
        for line in text.splitlines()
        if line.startswith("askwire_stage_seconds_bucket{") and 'stage="model"' in line
    ]
    assert rising == sorted(rising)
    assert rising[-1] == 1


def test_a_process_that_did_nothing_has_all_its_metrics() -> None:
    assert samples(Figures())["askwire_asks_total", (("sqlstate", "00000"),)] == 0


def test_statements_that_are_heard_are_told_by_what_became_of_them() -> None:
    figures = Figures()
    figures.statements.update({"kept": 4, "dropped": 1})
    found = samples(figures)
    name = "askwire_statements_heard_total"
    told = {outcome: found[name, (("outcome", outcome),)] for outcome in ("kept", "dropped", "passed over")}
    assert told == {"kept": 4, "dropped": 1, "passed over": 0}
