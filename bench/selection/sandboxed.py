"""What a run in the sandbox takes: `python -m askwire.bench.selection.sandboxed [--runs N]`.

Owns: two scripts as a model writes them, run by turns, the median of each, and the processor time of a run:
that of all processes that take part, less what a sandbox takes that runs nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import time
from typing import Final

from askwire.core.types import ResultColumn, ResultSet
from askwire.selector.sandbox.running import Sandbox, SandboxOff

SCRIPTS: Final = {
    "filter": "result = pd.DataFrame({'n': [len(t[t['b'] == 'x'])]})",
    "merge and group": "result = t.merge(t, on='a').groupby('a').size().reset_index(name='n')",
}
_TABLE: Final = ResultSet((ResultColumn("a", 23), ResultColumn("b", 25)), (("1", "x"), ("2", None)))


async def measure(runs: int) -> dict[str, dict[str, float]]:
    """Milliseconds of wall time by script, and of processor time in the mean; raises SandboxOff."""
    idle = _spent()
    await _timed(0)
    began = _spent()
    found = await _timed(runs)
    cpu = (_spent() - began) - (began - idle)
    return {**found, "processor time": {"mean_ms": round(1000 * cpu / (runs * len(SCRIPTS)), 1)}}


def _spent() -> float:
    """Seconds of processor time of this process and of all that it has started and that have ended."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


async def _timed(runs: int) -> dict[str, dict[str, float]]:
    sandbox = Sandbox()
    took: dict[str, list[float]] = {name: [] for name in SCRIPTS}
    try:
        await sandbox.start()
        for _ in range(runs):
            for name, code in SCRIPTS.items():
                began = time.perf_counter()
                await sandbox.run(code, {"t": _TABLE})
                took[name].append((time.perf_counter() - began) * 1000)
    finally:
        await sandbox.close()
    return {
        name: {
            "min_ms": round(min(times), 1),
            "p50_ms": round(sorted(times)[len(times) // 2], 1),
            "p95_ms": round(sorted(times)[int(len(times) * 0.95)], 1),
        }
        for name, times in took.items()
        if times
    }


def main() -> int:
    """Print one JSON object; 1 where there is no sandbox."""
    parser = argparse.ArgumentParser(prog="sandboxed", description="What a run in the sandbox takes.")
    parser.add_argument("--runs", type=int, default=100)
    options = parser.parse_args()
    try:
        print(json.dumps(asyncio.run(measure(options.runs))))  # noqa: T201
    except SandboxOff as off:
        print(f"askwire: {off}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
