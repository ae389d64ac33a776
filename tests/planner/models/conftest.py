"""One database for all stages of a module: each begins with an empty schema."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from servers.databases import Database


@pytest.fixture(scope="module")
def database(make_database: Callable[[], Database]) -> Database:
    """A database that `model_stages.staged` empties."""
    return make_database()
