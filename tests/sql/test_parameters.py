"""Where a text sets parameters of a prefix."""

from __future__ import annotations

import pytest

from askwire.sql.parameters import Assignment, find_assignments


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SET askwire.notices = off", [("notices", "off", 4)]),
        ("set local AskWire.\"Notices\" to 'off'", [("notices", "off", 10)]),
        ("SET SESSION askwire.candidates = 5", [("candidates", "5", 12)]),
        ("SET askwire.max_error TO 0.25", [("max_error", "0.25", 4)]),
        ("SET askwire.experts = a, 'b c'", [("experts", "a, b c", 4)]),
        ("SET askwire.x TO DEFAULT", [("x", None, 4)]),
        ("RESET askwire.x", [("x", None, 6)]),
        ("SELECT 1; SET askwire.a = 1; SET askwire.b = 2", [("a", "1", 14), ("b", "2", 33)]),
        ("ALTER ROLE ada SET askwire.timeout = '5s'", [("timeout", "5s", 19)]),
        ("ALTER DATABASE shop SET askwire.pins = off", [("pins", "off", 24)]),
        ("SELECT set_config('askwire.x', 'y', false)", [("x", "y", 19)]),
        ("SELECT pg_catalog.set_config('askwire.x', $1, false)", [("x", None, 30)]),
        # a comment makes the places uncertain
        ("SET /* askwire.a */ askwire.b = 1", [("b", "1", -1)]),
        # none of the prefix
        ("SET work_mem = '1MB'", []),
        ("SET askwired.x = 1", []),
        ("SELECT 'SET askwire.x = 1'", []),
        ("SHOW askwire.x", []),
        ("SELECT current_setting('askwire.x', true)", []),
        ("SELECT my.set_config('askwire.x', 'y', false)", []),
        ("SELECT set_config($1, 'askwire.', false)", []),
        ("UPDATE askwire.t SET a = 1", []),
        ("RESET ALL", []),
        ("SET askwire.x = ", []),
    ],
)
def test_assignments_are_found(text: str, found: list[tuple[str, str | None, int]]) -> None:
    assert find_assignments(text, "askwire") == tuple(Assignment(*one) for one in found)
