"""What a run will cost, before anything is sent: prompts are made and counted, a script answers them.

Owns: the estimate. Must not know: the endpoint.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import repeat
from typing import Any, Final

from askwire.bench.live.ways import Way
from askwire.bench.models.run import source
from askwire.bench.models.script import Script
from askwire.bench.question_files import Asked
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.scripted import ScriptedModel
from askwire.llm.sources import ExpertSource

SAMPLE: Final = 8
"""Questions of which prompts are made, spread over the file."""
ANSWER: Final = 250
"""Tokens that an answer is taken to have; reasoning models write many times as much."""

AskOne = Callable[[Asked, Way, ExpertSource], Awaitable[Mapping[str, Any]]]


async def estimate(
    ways: Sequence[tuple[Way, Sequence[Asked]]], config: ExpertConfig, ask_one: AskOne
) -> dict[str, Any]:
    """Calls, tokens and cost of all ways over the questions left of each; per way by its first row."""
    rows: dict[str, Any] = {}
    for way, left in ways:
        sample = left[:: max(1, len(left) // SAMPLE)][:SAMPLE]
        calls = tokens = 0.0
        for one in sample:
            scripted = source(config, ScriptedModel(repeat(Script().answer)))
            line = await ask_one(one, way, scripted)
            calls += line["calls"]
            tokens += line["prompt_tokens"]
        times = len(left) / len(sample) if sample else 0.0
        rows[way.rows[0]] = {
            "questions": len(left),
            "calls": round(calls * times),
            "prompt_tokens": round(tokens * times),
            "completion_tokens": round(calls * times * ANSWER),
            "cost": _cost(config, tokens * times, calls * times * ANSWER),
            "most": _cost(config, tokens * times, calls * times * config.max_tokens),
        }
    total = {
        key: round(sum(row[key] for row in rows.values()), 4)
        for key in ("questions", "calls", "prompt_tokens", "completion_tokens", "cost", "most")
    }
    return {"ways": rows, "total": total}


def _cost(config: ExpertConfig, prompts: float, answers: float) -> float:
    return round((prompts * config.price_in + answers * config.price_out) / 1_000_000, 4)
