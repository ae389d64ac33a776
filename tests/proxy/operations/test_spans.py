"""Spans: what an ASK tells OpenTelemetry, and that it tells no question, SQL or data."""

from __future__ import annotations

import sys

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from askwire.core.trace import Trace
from askwire.proxy.operations.spans import NoSpans, TracedSpans, open_spans


class Clock:
    """A clock that is set by hand, in seconds."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


def told(exporter: InMemorySpanExporter, outcome: str = "00000") -> dict[str, ReadableSpan]:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    clock = Clock()
    trace = Trace(clock)
    steps = (
        (0.5, "session", "read", {"relations": 3, "database": "shop"}),
        (0.5, "egress", "left", {"expert": "local", "endpoint": "10.0.0.5:8081"}),
        (
            *(2.0, "model", "called"),
            {
                "expert": "local",
                "step": "write",
                "outcome": "timeout",
                "took_ms": 1000.0,
                "prompt_tokens": 10,
                "completion_tokens": 2,
            },
        ),
        (3.0, "verifier", "tried", {"sql": "SELECT secret"}),
    )
    for at, stage, name, data in steps:
        clock.now = at
        trace.record(stage, name, **data)  # type: ignore[arg-type]
    clock.now = 4.0
    TracedSpans(provider.get_tracer("test"), {"local": "qwen3:14b"}).ended(trace, outcome)
    return {span.name: span for span in exporter.get_finished_spans()}


def seconds(span: ReadableSpan) -> float:
    assert span.start_time is not None
    assert span.end_time is not None
    return round((span.end_time - span.start_time) / 1e9, 3)


def test_an_ask_is_a_span_over_its_stages(exporter: InMemorySpanExporter) -> None:
    spans = told(exporter)
    assert {name: seconds(span) for name, span in spans.items()} == {
        "ASK shop": 4.0,
        "session": 0.5,
        "egress": 0.0,
        "model": 1.5,
        "chat qwen3:14b": 1.0,
        "verifier": 1.0,
    }
    ask = spans["ASK shop"].context
    assert ask is not None
    for name, span in spans.items():
        assert name == "ASK shop" or (span.parent is not None and span.parent.span_id == ask.span_id)


def test_it_follows_the_conventions(exporter: InMemorySpanExporter) -> None:
    spans = told(exporter, "NL003")
    ask, call = spans["ASK shop"], spans["chat qwen3:14b"]
    assert ask.attributes is not None
    assert call.attributes is not None
    assert (ask.kind, ask.status.status_code) == (SpanKind.SERVER, StatusCode.ERROR)
    said = {name: value for name, value in ask.attributes.items() if not name.startswith("askwire.")}
    assert said == {
        "db.system.name": "postgresql",
        "db.namespace": "shop",
        "db.operation.name": "ASK",
        "db.response.status_code": "NL003",
        "error.type": "NL003",
    }
    assert call.kind == SpanKind.CLIENT
    assert {name: value for name, value in call.attributes.items() if not name.startswith("askwire.")} == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "qwen3:14b",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 2,
        "server.address": "10.0.0.5",
        "server.port": 8081,
        "error.type": "timeout",
    }


def test_nothing_of_a_question_leaves(exporter: InMemorySpanExporter) -> None:
    assert not [s for s in told(exporter).values() if "secret" in s.to_json()]


def test_nobody_listens_until_an_endpoint_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", raising=False)
    assert isinstance(open_spans(), NoSpans)


def test_without_opentelemetry_it_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    assert isinstance(open_spans(), NoSpans)
    assert "pip install askwire[telemetry]" in caplog.text
