"""The experts of a process: each one's model with what its calls are bound by.

Owns: making them of what was configured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.protocols import Clock, Model
from askwire.llm.breaker import Breaker
from askwire.llm.budget import Price
from askwire.llm.expert_table import ExpertConfig, read_key
from askwire.llm.pace import Pace, SharedBounds
from askwire.llm.profiles import Profile, profile_of
from askwire.llm.providers.openai_compatible import OpenAICompatible, check_installed

_UNLIMITED_TIMEOUT_SECONDS: Final = 86_400.0

MakeModel = Callable[[ExpertConfig, str, Profile], Model]
"""What makes the model of an expert, given its key and profile."""


@dataclass(frozen=True)
class ExpertSource:
    """`llm.calling.Source` of one configured expert; `timeout` in seconds."""

    config: ExpertConfig
    model: Model
    profile: Profile
    pace: Pace
    breaker: Breaker

    @property
    def name(self) -> str:
        """The name it was configured under."""
        return self.config.name

    @property
    def price(self) -> Price:
        """What its tokens cost."""
        return Price(self.config.price_in, self.config.price_out)

    @property
    def timeout(self) -> float:
        """The longest a call may take."""
        return self.config.timeout / 1000 or _UNLIMITED_TIMEOUT_SECONDS

    @property
    def max_tokens(self) -> int:
        """The longest answer, reasoning not counted."""
        return self.config.max_tokens


def http_model(config: ExpertConfig, key: str, profile: Profile) -> Model:
    """The model of an expert at its endpoint."""
    return OpenAICompatible(
        url=config.url,
        endpoint=config.endpoint,
        model=config.model,
        key=key,
        profile=profile,
        connections=config.concurrency,
        stream=config.stream,
        embedding_model=config.embedding_model,
        api_version=config.api_version,
    )


def open_sources(
    configs: Sequence[ExpertConfig],
    environment: Mapping[str, str],
    clock: Clock,
    make: MakeModel = http_model,
    *,
    shared: SharedBounds | None = None,
) -> tuple[ExpertSource, ...]:
    """The sources of all experts; those at one endpoint share a breaker. Nothing is connected yet.

    `shared`: how often an expert may be called at once and per minute holds for all processes together that
    share it.

    Raises ConfigurationError for a key that is not there, and where what models need is not installed.
    """
    if configs and make is http_model:
        check_installed()
    breakers: dict[str, Breaker] = {}
    sources = []
    for config in configs:
        profile = profile_of(config.model, config.profile)
        sources.append(
            ExpertSource(
                config,
                make(config, read_key(config, environment), profile),
                profile,
                Pace(config.concurrency, config.rate_limit, clock, shared, config.name),
                breakers.setdefault(config.endpoint, Breaker(config.endpoint, clock)),
            )
        )
    return tuple(sources)
