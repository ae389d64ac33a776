"""What a run will cost, before anything is sent: prompts are made and counted, a script answers them.

Owns: the estimate, and the bound on what it can come to.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import repeat
from math import inf
from typing import Any, Final

from askwire.bench.live.ways import Way, alike
from askwire.bench.models.run import source
from askwire.bench.models.script import Script
from askwire.bench.models.scripted_model import ScriptedModel
from askwire.bench.question_files import BenchQuestion
from askwire.core.settings.budgets import ASK_CALLS, ASK_COST, ASK_TOKENS
from askwire.core.settings.table import Settings
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.profiles import profile_of
from askwire.llm.sources import ExpertSource

SAMPLED_QUESTIONS: Final = 8
"""Questions of which prompts are made, spread over the file."""
ANSWER_TOKENS: Final = 250
"""Tokens that an answer is taken to have; reasoning models write many times as much."""

AskOne = Callable[[BenchQuestion, Way, Sequence[ExpertSource]], Awaitable[Mapping[str, Any]]]
_SUMMED: Final = ("questions", "calls", "prompt_tokens", "completion_tokens", "cost")


async def estimate(
    ways: Sequence[tuple[Way, Sequence[BenchQuestion]]],
    configs: Sequence[ExpertConfig],
    ask_one: AskOne,
    settings: Callable[[Way], Settings],
) -> dict[str, Any]:
    """Calls, tokens and cost of all ways over the questions left of each; per way by its first row.

    `most` is a bound: what the budgets of the ASKs let them spend (None: nothing bounds that). `alike` are
    rows that the sample does not tell from those they are compared with.
    """
    rows: dict[str, Any] = {}
    sent: dict[str, dict[str, str]] = {}
    for way, left in ways:
        sample = left[:: max(1, len(left) // SAMPLED_QUESTIONS)][:SAMPLED_QUESTIONS]
        calls = tokens = cost = 0.0
        for one in sample:
            # each expert answers alike, so each has its share
            scripted = [source(config, ScriptedModel(repeat(Script().answer))) for config in configs]
            line = await ask_one(one, way, scripted)
            calls += line["calls"]
            tokens += line["prompt_tokens"]
            cost += line["cost"] + _answers(line, configs)
            for row in way.rows:
                sent.setdefault(row, {})[one.id] = line["sent"]
        times = len(left) / len(sample) if sample else 0.0
        bound = sum(most_of(settings(way), config) for config in configs) * len(left)
        rows[way.rows[0]] = {
            "questions": len(left),
            "calls": round(calls * times),
            "prompt_tokens": round(tokens * times),
            "completion_tokens": round(calls * times * ANSWER_TOKENS),
            "cost": round(cost * times, 4),
            "most": None if bound == inf else round(bound, 4),
        }
    total: dict[str, Any] = {key: round(sum(row[key] for row in rows.values()), 4) for key in _SUMMED}
    bounds = [row["most"] for row in rows.values()]
    total["most"] = None if None in bounds else round(sum(bounds), 4)
    return {"ways": rows, "total": total, "alike": alike(sent)}


def most_of(settings: Settings, config: ExpertConfig) -> float:
    """The most that one ASK can spend on an expert; infinite where neither calls nor tokens are bounded.

    An ASK begins no call that its budget would not pay for at its longest answer, so that with prompts of x
    tokens and answers of y, x + y is at most `ask_tokens`, and neither more than `ask_calls` of the longest.
    That holds for endpoints that count no more tokens of a prompt than askwire estimates, keep to the longest
    answer they are given, and charge nothing for calls that fail.
    """
    calls, tokens = settings[ASK_CALLS] or inf, settings[ASK_TOKENS] or inf
    longest = config.max_tokens + profile_of(config.model, config.profile).headroom
    prompts, answers = calls * max(0, config.context - longest), calls * longest
    prices = {"in": config.price_in, "out": config.price_out}
    room = {"in": prompts, "out": answers}
    spent, left = 0.0, tokens
    for kind in sorted(prices, key=lambda kind: -prices[kind]):  # the dearer ones first
        much = min(room[kind], left)
        spent += prices[kind] * much / 1_000_000 if prices[kind] else 0.0
        left -= much if much != inf else 0
    return min(spent, settings[ASK_COST] or inf)


def _answers(line: Mapping[str, Any], configs: Sequence[ExpertConfig]) -> float:
    """What answers of `ANSWER_TOKENS` tokens cost instead of the script's."""
    price = sum(config.price_out for config in configs) / len(configs)
    longer: float = line["calls"] * ANSWER_TOKENS - line["completion_tokens"]
    return longer * price / 1_000_000
