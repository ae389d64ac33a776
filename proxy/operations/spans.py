"""ASKs as OpenTelemetry spans, where OpenTelemetry is installed and told where to send them.

Owns: which spans an ASK has, and their attributes, by OpenTelemetry's conventions for databases and
generative AI. A span tells what an ASK did and how long it took; never a question, SQL, or data. Source:
opentelemetry.io, "Semantic conventions".
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from askwire.core.trace import Json, Trace, TraceEvent
from askwire.core.version import VERSION
from askwire.llm.embedding import STEP as EMBEDDING
from askwire.proxy.operations.figures import ANSWERED

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Tracer

log = logging.getLogger("askwire.spans")

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_NANO: Final = 1_000_000_000


class Spans(Protocol):
    """Who is shown about ASKs that have ended."""

    def ended(self, trace: Trace, outcome: str) -> None:
        """One ASK has ended; `outcome` is '00000' or its error's SQLSTATE."""


class NoSpans:
    """No one listens."""

    def ended(self, trace: Trace, outcome: str) -> None:
        """Nothing is shown."""


class TracedSpans:
    """Spans for a tracer: one per ASK, under it one per stage and one per call of a model.

    `models` are the names that experts' endpoints know their models by.
    """

    def __init__(self, tracer: Tracer, models: Mapping[str, str] = MappingProxyType({})) -> None:
        self._tracer = tracer
        self._models = models

    def ended(self, trace: Trace, outcome: str) -> None:
        """Tell an ASK as a span that ends now."""
        from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context  # noqa: PLC0415

        began = time.time_ns() - round(trace.elapsed * _NANO)
        database = next((str(e.data["database"]) for e in trace if "database" in e.data), "")
        endpoints = {
            str(e.data.get("expert")): str(e.data.get("endpoint")) for e in trace if e.name == "left"
        }
        ask = self._tracer.start_span(
            f"ASK {database}".rstrip(),
            kind=SpanKind.SERVER,
            start_time=began,
            attributes={
                "db.system.name": "postgresql",
                "db.operation.name": "ASK",
                **({"db.namespace": database} if database else {}),
                "db.response.status_code": outcome,
                "askwire.ask.id": trace.id,
                "askwire.pinned": any(e.stage == "pin" and e.name == "used" for e in trace),
            },
        )
        if outcome != ANSWERED:
            ask.set_status(Status(StatusCode.ERROR, outcome))
            ask.set_attribute("error.type", outcome)
        within = set_span_in_context(ask)
        before = 0.0
        stage, entered = "", 0.0
        for event in trace:
            if event.stage != stage:
                self._stage(stage, began, entered, before, within)
                stage, entered = event.stage, before
            if event.stage == "model" and event.name == "called":
                self._call(event, endpoints.get(str(event.data.get("expert")), ""), began, within)
            before = event.at
        self._stage(stage, began, entered, before, within)
        ask.end(began + round(trace.elapsed * _NANO))

    def _stage(self, stage: str, began: int, entered: float, left: float, within: Context) -> None:
        if stage:
            span = self._tracer.start_span(stage, context=within, start_time=began + round(entered * _NANO))
            span.end(began + round(left * _NANO))

    def _call(self, event: TraceEvent, endpoint: str, began: int, within: Context) -> None:
        from opentelemetry.trace import SpanKind, Status, StatusCode  # noqa: PLC0415

        told = event.data
        ended = began + round(event.at * _NANO)
        expert = str(told.get("expert"))
        operation = "embeddings" if told.get("step") == EMBEDDING else "chat"
        model = self._models.get(expert, "")
        address, _, port = endpoint.rpartition(":")
        where: dict[str, str | int] = {}
        if address and port.isdigit():
            where = {"server.address": address, "server.port": int(port)}
        call = self._tracer.start_span(
            f"{operation} {model or expert}",
            context=within,
            kind=SpanKind.CLIENT,
            start_time=ended - round(_number(told.get("took_ms")) * _NANO / 1000),
            attributes={
                "gen_ai.operation.name": operation,
                # whose protocol is spoken: which company's it is, no one has said
                "gen_ai.provider.name": "openai",
                **({"gen_ai.request.model": model} if model else {}),
                **where,
                "askwire.expert": expert,
                "gen_ai.usage.input_tokens": int(_number(told.get("prompt_tokens"))),
                "gen_ai.usage.output_tokens": int(_number(told.get("completion_tokens"))),
                "askwire.step": str(told.get("step")),
            },
        )
        outcome = str(told.get("outcome"))
        if outcome != "answered":
            call.set_status(Status(StatusCode.ERROR, outcome))
            call.set_attribute("error.type", outcome)
        call.end(ended)


def open_spans(models: Mapping[str, str] = MappingProxyType({})) -> Spans:
    """Spans for the exporter that OTEL_EXPORTER_OTLP_ENDPOINT names; no one's where there is none.

    `models` are the names of experts' models.
    Of OpenTelemetry's own variables, those that name the service, its resources, headers and sampling count.
    """
    if not any(os.environ.get(name) for name in _ENDPOINTS):
        return NoSpans()
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError:
        log.warning("spans are asked for, and OpenTelemetry is not installed: pip install askwire[telemetry]")
        return NoSpans()
    os.environ.setdefault("OTEL_SERVICE_NAME", "askwire")
    provider = TracerProvider(resource=Resource.create({"service.version": VERSION}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return TracedSpans(provider.get_tracer("askwire", VERSION), models)


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
