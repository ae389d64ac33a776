"""What tests of models share: a prompt, a source over a scripted or a mock model, a purse without limits."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from askwire.core.egress import Disclosure, Kind
from askwire.core.protocols import Model
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.llm.breaker import Breaker
from askwire.llm.budget import Limits, ModelUsage, TokenBudget
from askwire.llm.calling import Line
from askwire.llm.egress import Egress, Prompt
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.pace import Pace
from askwire.llm.profiles import profile_of
from askwire.llm.providers.mock_server import Answer, MockServer
from askwire.llm.providers.openai_compatible import OpenAICompatible
from askwire.llm.sources import ExpertSource

KEY = "sk-test-5f1e0c"


class Monotonic:
    def monotonic(self) -> float:
        return time.monotonic()


@dataclass
class Hand:
    """A clock that is moved by hand."""

    now: float = 100.0

    def monotonic(self) -> float:
        return self.now


def config(url: str = "http://127.0.0.1:1/v1", **changed: Any) -> ExpertConfig:
    return ExpertConfig(**{"name": "local", "url": url, "model": "mock", **changed})


def prompt(text: str = "how many orders?") -> Prompt:
    egress = Egress(load({}), Trace(Monotonic()), expert="local", endpoint="127.0.0.1:1")
    return egress.prompt([Disclosure(Kind.QUESTION, text)])


def source(model: Model, **changed: Any) -> ExpertSource:
    one = config(**changed)
    clock = Monotonic()
    return ExpertSource(
        one,
        model,
        profile_of(one.model, one.profile),
        Pace(one.concurrency, one.rate_limit, clock),
        Breaker(one.endpoint, clock),
    )


def free() -> TokenBudget:
    return TokenBudget(Limits(), Limits(), ModelUsage())


def line(
    where: ExpertSource,
    *,
    purse: TokenBudget | None = None,
    seconds: float | None = None,
    chance: float = 0.0,
) -> Line:
    clock = Monotonic()
    deadline = None if seconds is None else clock.monotonic() + seconds
    return Line(where, purse or free(), Trace(clock), clock, deadline, lambda: chance)


@dataclass
class MockEndpoint:
    """A mock server, and the real client in front of it."""

    server: MockServer
    url: str
    model: OpenAICompatible
    changed: dict[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> ExpertSource:
        return source(self.model, url=self.url, **self.changed)


@asynccontextmanager
async def mocked(*answers: Answer, key: str = KEY, **changed: Any) -> AsyncIterator[MockEndpoint]:
    """The real client against a server that answers so."""
    server = MockServer(answers)
    url = await server.start()
    one = config(url, **changed)
    model = OpenAICompatible(
        url=url,
        endpoint=one.endpoint,
        model=one.model,
        key=key,
        profile=profile_of(one.model, one.profile),
        stream=one.stream,
        embedding_model=one.embedding_model,
    )
    await model.open()  # importing what it needs is no part of what is timed
    try:
        yield MockEndpoint(server, url, model, dict(changed))
    finally:
        await model.close()
        await server.stop()
