"""What walking over messages costs: nanoseconds per message, compiled and in Python, without any socket.

    python -m askwire.proxy.wire.timing

Prints one JSON object; `./ask bench performance` runs it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Final

from askwire.proxy.wire import messages, passage
from askwire.proxy.wire.pipeline import Pipeline
from askwire.proxy.wire.walker import BackendWalker

_ROWS: Final = 2000
_REPEATS: Final = 200
_TINY: Final = messages.frame(b"D", b"\0\1\0\0\0\1x")
_ANSWER: Final = _TINY * _ROWS + messages.frame(b"C", b"SELECT 2000\0") + messages.frame(b"Z", b"I")
_TEXT: Final = b"SELECT abalance FROM pgbench_accounts WHERE aid = 4711; "


def measure() -> dict[str, float]:
    """Nanoseconds per message of a backend's stream, and per kB of a text looked at for the word ASK."""
    figures: dict[str, float] = {"walker_python_ns": _walk(BackendWalker())}
    kilobytes = len(_TEXT) * _ROWS / 1000
    search = passage.pattern(passage.words_of("ask")).search
    figures["look_python_ns_per_kb"] = _best(lambda: search(_TEXT * _ROWS), kilobytes)
    if passage.IS_COMPILED:
        figures["walker_compiled_ns"] = _walk(passage.backend_walker())
        words = passage.words(passage.words_of("ask"))
        figures["look_compiled_ns_per_kb"] = _best(lambda: words.search(_TEXT * _ROWS), kilobytes)
    figures["replay_ns_per_query"] = _best(_replayed, _ROWS)
    return {name: round(value, 1) for name, value in figures.items()}


def _walk(walker: BackendWalker) -> float:
    return _best(lambda: walker.feed(_ANSWER), _ROWS + 2)


def _replayed() -> None:
    passage.replay(Pipeline(), b"I", b"Q\0\xc3\7SELECT\0\xda\1I" * _ROWS)


def _best(work: Callable[[], object], parts: float) -> float:
    """The best of some repeats, in nanoseconds per part: what else runs here only ever adds."""
    taken = []
    for _ in range(_REPEATS):
        began = time.process_time_ns()
        work()
        taken.append(time.process_time_ns() - began)
    return min(taken) / parts


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"compiled": passage.IS_COMPILED, **measure()}) + "\n")
