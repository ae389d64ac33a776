"""No pattern of a rewording takes long with any text: a question may be made of one word over and over."""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator, Mapping

import pytest

from askwire.planner.embedded.linking import rewording

MODULES = sorted(module.name for module in pkgutil.iter_modules(rewording.__path__))
LINES = (
    "the " * 300,
    "show me the " * 100,
    "first and last " * 100,
    "which of our " * 100,
    "how much do the " * 75,
    "for each of all the " * 60,
    "and of the 1 " * 80,
    "per a : last " * 80,
    "not in or with no " * 60,
)
MOST_SECONDS = 0.25
"""Of processor time: the slowest takes a fiftieth of it, one that tries all ways to divide a text minutes."""


def _patterns(value: object, depth: int = 3) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, (tuple, list, frozenset, Mapping)):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _patterns(part, depth - 1)


@pytest.mark.parametrize("name", MODULES)
def test_a_pattern_costs_little_with_any_text(name):
    module = importlib.import_module(f"{rewording.__name__}.{name}")
    slow = []
    for pattern in {p for value in vars(module).values() for p in _patterns(value)}:
        for line in LINES:
            began = time.process_time()
            pattern.fullmatch(line.strip())
            pattern.match(line.strip())
            pattern.search(line.strip())
            if time.process_time() - began > MOST_SECONDS:
                slow.append((line[:16], pattern.pattern[:80]))
    assert not slow
