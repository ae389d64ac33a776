"""What the tests of askwire's memory ask about."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pets import TABLES, filled
from running_proxy import OwnDatabase


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    """A database with pets, and a role that may read them."""
    with filled(empty_database, TABLES, "reader") as database:
        yield database
