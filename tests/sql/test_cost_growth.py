"""What a function of `sql/` costs grows as the text does: at twice the size 2.6 times at the most.

Lines of Python are counted, which is the same on any machine; what one call into C costs is seen in
processor time, at sizes where a cost that grows with the square is many times the linear one.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import time
from contextlib import suppress
from types import FrameType
from typing import Any

import pytest
from data import growth_calls
from data.growth_shapes import DEEP, WIDE, Shape

import askwire.sql
from askwire.core.errors import AskError
from askwire.sql.tracing.tree import Untraceable

pytestmark = pytest.mark.slow

MOST = 2.6
_FEW = 1_000
"""Lines below which what is done once outweighs what grows."""
_LINES_AT = 25
_SECONDS_AT = 40
_TIMES = 8
_MOST_SECONDS = 24
"""Eight times the text: linear work takes 8 times as long, square work 64 times."""
_PLAINLY = 10
"""Up to which one measurement of the small text is enough: square work would have to be 6 times off."""
SLOW = ("dialect.translated",)
"""Where counting lines takes long: sqlglot's own, of which the time is measured."""
_SHORT = 0.02
"""Seconds of processor time in which nothing is measured."""
_REFUSED = (AskError, Untraceable, NotImplementedError, RecursionError, ValueError)
_SHAPES = {**WIDE, **{f"deep {name}": shape for name, shape in DEEP.items()}}


def public_functions() -> dict[str, Any]:
    """All public functions of `sql/`, by module and name."""
    found = {}
    for info in pkgutil.walk_packages(askwire.sql.__path__, "askwire.sql."):
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            own = getattr(value, "__module__", "") == info.name
            if own and not name.startswith("_") and inspect.isfunction(inspect.unwrap(value)):
                found[f"{info.name.removeprefix('askwire.sql.')}.{name}"] = value
    return found


def test_every_public_function_has_a_call_or_a_reason_for_none() -> None:
    named = growth_calls.CALLS.keys() | growth_calls.EXEMPT.keys()
    assert public_functions().keys() == named
    assert not growth_calls.CALLS.keys() & growth_calls.EXEMPT.keys()


def lines(work: growth_calls.Work) -> int:
    """How many lines of Python run; a call and a return count as one too."""
    count = 0

    def step(_frame: FrameType, _event: str, _argument: object) -> Any:
        nonlocal count
        count += 1
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        _run(work)
    finally:
        sys.settrace(before)
    return count


def seconds(work: growth_calls.Work) -> float:
    began = time.thread_time()
    _run(work)
    return time.thread_time() - began


def _run(work: growth_calls.Work) -> None:
    with suppress(*_REFUSED):
        work()


def works(call: growth_calls.Call, shape: Shape, size: int) -> growth_calls.Work | None:
    try:
        return call(shape(size))
    except _REFUSED:
        return None


@pytest.mark.parametrize("name", [n for n in growth_calls.CALLS if n not in SLOW])
def test_lines_grow_as_the_text_does(name: str) -> None:
    call, grown = growth_calls.CALLS[name], {}
    for said, shape in _SHAPES.items():
        large = works(call, shape, 2 * _LINES_AT)
        if large is None or (twice := lines(large)) <= MOST * _FEW:
            continue
        if (small := works(call, shape, _LINES_AT)) is None:
            continue
        once = max(lines(small), _FEW)
        if twice > MOST * once and (twice := lines(large)) > MOST * once:  # what is made once is made now
            grown[said] = (once, twice)
    assert not grown


@pytest.mark.parametrize("name", growth_calls.CALLS)
def test_time_grows_as_the_text_does(name: str) -> None:
    call, grown = growth_calls.CALLS[name], {}
    for said, shape in WIDE.items():
        large = works(call, shape, _TIMES * _SECONDS_AT)
        if large is None or (took := seconds(large)) < _SHORT:
            continue
        small = works(call, shape, _SECONDS_AT)
        assert small is not None
        least = seconds(small)
        if took > _PLAINLY * least:
            least = min(least, *(seconds(small) for _ in range(2)))
        if took > _MOST_SECONDS * least:
            took = min(took, *(seconds(large) for _ in range(2)))
        if took > _MOST_SECONDS * max(least, _SHORT / _TIMES):
            grown[said] = (round(least, 4), round(took, 4))
    assert not grown
