"""What each stage of an ASK spent on models, told from its trace.

Owns: the sums and their wording.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from askwire.core.trace import Json, Trace, TraceEvent


@dataclass
class _Share:
    """One stage of one expert."""

    expert: str
    step: str
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    took_ms: float = 0.0
    estimated: bool = False
    failed: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


def _shares(trace: Trace) -> list[_Share]:
    shares: dict[tuple[str, str], _Share] = {}
    for event in trace:
        if event.stage == "model" and event.name == "called":
            key = str(event.data["expert"]), str(event.data["step"])
            _count(shares.setdefault(key, _Share(*key)), event)
    return list(shares.values())


def _count(share: _Share, event: TraceEvent) -> None:
    def number(name: str) -> float:
        value = event.data[name]
        return value if isinstance(value, int | float) else 0.0

    share.calls += 1
    share.prompt_tokens += int(number("prompt_tokens"))
    share.completion_tokens += int(number("completion_tokens"))
    share.cost += number("cost")
    share.took_ms += number("took_ms")
    share.estimated |= bool(event.data["estimated"])
    share.failed += event.data["outcome"] != "answered"


def shares(trace: Trace) -> list[Json]:
    """Each stage's share as JSON-ready objects, in the order the stages began."""
    found = _shares(trace)
    total = sum(share.tokens for share in found)
    return [
        {
            "expert": s.expert,
            "step": s.step,
            "calls": s.calls,
            "failed": s.failed,
            "prompt_tokens": s.prompt_tokens,
            "completion_tokens": s.completion_tokens,
            "share": round(s.tokens / total, 3) if total else 0.0,
            "cost": round(s.cost, 6),
            "took_ms": round(s.took_ms, 1),
            "estimated": s.estimated,
        }
        for s in found
    ]


def lines(trace: Trace) -> Iterable[str]:
    """The same, a line each: 'local, probe: 2 calls, 812 + 64 tokens (70 %), 1240 ms'."""
    found = _shares(trace)
    total = sum(share.tokens for share in found)
    for s in found:
        about = "about " if s.estimated else ""
        of_all = f" ({round(100 * s.tokens / total)} %)" if total else ""
        failed = f", {s.failed} failed" if s.failed else ""
        cost = f", cost {s.cost:.4f}" if s.cost else ""
        yield (
            f"{s.expert}, {s.step}: {s.calls} call{'s' if s.calls > 1 else ''}{failed}, "
            f"{about}{s.prompt_tokens} + {s.completion_tokens} tokens{of_all}{cost}, {round(s.took_ms)} ms"
        )
