"""The log: one line per record, whatever is in it, with the session it belongs to."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from datetime import datetime

import pytest

from askwire.proxy.log import _Json, _OneLine, ask_id, session_id

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


MARKED = """
import logging, sys, threading
from askwire.proxy import log
log.configure("info", sys.argv[1])
log.mark("w1")
log.configure("info", sys.argv[1])
log.session_id.set("17")
said = logging.getLogger("askwire.store").info
said("one")
thread = threading.Thread(target=said, args=("two",))
thread.start()
thread.join()
"""


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_thread_of_a_worker_says_which_worker_it_is_of(form: str) -> None:
    told = subprocess.run(
        [sys.executable, "-c", MARKED, form],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ).stderr.splitlines()
    if form == "json":
        assert [json.loads(line)["session"] for line in told] == ["17", "w1"]
    else:
        assert ["[17]" in told[0], "[w1]" in told[1]] == [True, True]


def test_a_record_carries_its_ask() -> None:
    tokens = session_id.set("17"), ask_id.set("ab12")
    try:
        assert " INFO [17 ab12] askwire.session: hello" in lines("hello")
    finally:
        session_id.reset(tokens[0])
        ask_id.reset(tokens[1])


def test_a_record_can_be_one_json_object() -> None:
    token = ask_id.set("ab12")
    try:
        record = logging.LogRecord("askwire.ask", logging.WARNING, "", 0, "from %s", ("me\n\u2028",), None)
        line = _Json().format(record)
    finally:
        ask_id.reset(token)
    told = json.loads(line)
    assert line.isascii()
    assert "\n" not in line
    assert datetime.fromisoformat(told.pop("time")).tzinfo is not None
    assert told == {"level": "warning", "logger": "askwire.ask", "message": "from me\n\u2028", "ask": "ab12"}


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
