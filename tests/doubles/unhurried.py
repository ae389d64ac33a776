"""Time enough for what the code under test does within a deadline of its own, on a busy machine too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from askwire.selector.instances import meaning


@contextmanager
def unhurried() -> Iterator[None]:
    """Meanwhile readings that answer alike are compared to the end: 600 ms of a busy machine may be none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meaning, "BUDGET", replace(meaning.BUDGET, milliseconds=60_000, statement_ms=30_000))
        yield
