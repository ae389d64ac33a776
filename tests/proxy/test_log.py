"""The log: one line per record, whatever is in it, with the session it belongs to."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from askwire.proxy.log import _OneLine, session_id

SCRIPT = """
import logging, sys
from askwire.proxy import log
log.configure(sys.argv[1])
log.configure(sys.argv[1])
for name in ("askwire.session", "asyncio"):
    for level in ("debug", "info", "warning"):
        getattr(logging.getLogger(name), level)("said")
"""


def lines(message: str, *arguments: object, exc_info: object = None) -> str:
    record = logging.LogRecord("askwire.session", logging.INFO, "", 0, message, arguments, exc_info)  # type: ignore[arg-type]
    return _OneLine().format(record)


def test_a_client_cannot_forge_a_line() -> None:
    said = lines("from %s", "me\n2026-01-01 00:00:00 ERROR [-] root: \x1b[2Jgone\r\n\x7f")
    assert said.count("\n") == 0
    assert "\x1b" not in said
    assert r"me\n2026-01-01" in said


def test_a_traceback_is_one_line_too() -> None:
    try:
        raise ValueError("why")
    except ValueError:
        said = lines("failed", exc_info=sys.exc_info())
    assert said.count("\n") == 0
    assert "ValueError: why" in said


def test_a_record_carries_its_session() -> None:
    assert " INFO [-] askwire.session: hello" in lines("hello")
    token = session_id.set("17")
    try:
        assert " INFO [17] askwire.session: hello" in lines("hello")
    finally:
        session_id.reset(token)


@pytest.mark.parametrize(
    ("level", "records"),
    [
        ("debug", ["askwire.session"] * 3 + ["asyncio"] * 3),
        ("info", ["askwire.session"] * 2 + ["asyncio"]),
        ("error", []),
    ],
)
def test_the_level_holds_for_askwire_and_libraries_are_quiet(level: str, records: list[str]) -> None:
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT, level],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        check=True,
    )
    assert [line.split(": ")[0].split()[-1] for line in said.stderr.splitlines()] == records
