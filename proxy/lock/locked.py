"""What a lock holds of each question, and the file it stands in.

Owns: the values, and their form as TOML, made to be read and compared line by line in a review.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import tomli_w

from askwire.core.errors import ConfigurationError
from askwire.core.failures import reason
from askwire.proxy.lock.parameters import Parameter
from askwire.proxy.lock.questions import LockQuestion, asked_with

T = TypeVar("T")

VERSION: Final = 2
OLDEST_VERSION: Final = 1
"""Version 1 has no parameters, and a list of lines for the rows of a rival."""

DIFFERS: Final = "differs"
AGREES: Final = "agrees"
TIES: Final = "differs by ties"
UNDECIDED: Final = "not compared"
_STATES: Final = (DIFFERS, AGREES, TIES, UNDECIDED)

_FILE_HEADER: Final = """\
# What these questions stand for, found by askwire and reviewed by people.
# `askwire lock --check` fails when an answer's SQL changes, or when a rejected reading that agreed with the
# chosen one no longer does. Write it again with `askwire lock`; do not edit it by hand.

"""


@dataclass(frozen=True, slots=True)
class Rival:
    """A reading that was not chosen.

    `state` says how its answer compares with the chosen one's on the data there was; `rows` are lines that
    show rows of the database on which they differ, or made-up ones where `made_up`.
    """

    sql: str
    reading: str
    state: str
    rows: tuple[str, ...] = ()
    made_up: bool = False


@dataclass(frozen=True, slots=True)
class LockedAnswer:
    """One question and what it stands for: `sql`, or the error `refused` with (`sqlstate` and message).

    `today` is set where the SQL depends on the day it was made. `parameters` are its constants that say what
    is asked for; a file of version 1 does not tell them.
    """

    asked: LockQuestion
    sql: str = ""
    reading: str = ""
    confidence: float | None = None
    today: str = ""
    sqlstate: str = ""
    message: str = ""
    rivals: tuple[Rival, ...] = ()
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and as whom the questions were asked."""

    database: str
    role: str
    search_path: tuple[str, ...]
    server_version: int
    fingerprint: str
    experts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lock:
    """A whole lock file."""

    setting: Setting
    questions: tuple[LockedAnswer, ...]


def write(lock: Lock, path: Path) -> None:
    """Write a lock; raises ConfigurationError when the file cannot be written."""
    document = {
        "version": VERSION,
        "asked": {
            "database": lock.setting.database,
            "role": lock.setting.role,
            "search_path": list(lock.setting.search_path),
            "server_version": lock.setting.server_version,
            "schema_fingerprint": lock.setting.fingerprint,
            "experts": list(lock.setting.experts),
        },
        "question": [_as_table(locked) for locked in lock.questions],
    }
    written = tomli_w.dumps(document)
    if r"\r\n" not in written:  # on lines of its own such a text would lose them: TOML ends lines as it likes
        written = tomli_w.dumps(document, multiline_strings=True)
    try:
        path.write_text(_FILE_HEADER + written, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ConfigurationError(f"cannot write {path}: {reason(error)}") from None


def _as_table(locked: LockedAnswer) -> dict[str, Any]:
    table = {
        "question": locked.asked.question,
        "options": locked.asked.given,
        "reading": locked.reading,
        "sql": _block(locked.sql),
        "confidence": locked.confidence,
        "today": locked.today,
        "refused": locked.sqlstate,
        "message": locked.message,
        "parameters": [{"value": p.value, "type": p.type, "from": p.source} for p in locked.parameters],
        "rival": [_rival_table(rival) for rival in locked.rivals],
    }
    return {name: value for name, value in table.items() if value not in ("", None, [], {})}


def _rival_table(rival: Rival) -> dict[str, Any]:
    table: dict[str, Any] = {"reading": rival.reading, "sql": _block(rival.sql), "answer": rival.state}
    if rival.rows:
        table["made_up_rows" if rival.made_up else "rows"] = _block("\n".join(rival.rows))
    return table


def _block(text: str) -> str:
    """A text that begins on a line of its own where it has several."""
    return f"{text}\n" if "\n" in text else text


def read(path: Path) -> Lock:
    """Read a lock; raises ConfigurationError for a file that is none, naming what is wrong in it."""
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigurationError(
            f"lock file {path} does not exist", hint="Write one: askwire lock QUESTIONS."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read {path}: {reason(error)}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path} is not a lock file: {error}") from None
    if "version" not in document:
        raise ConfigurationError(f"{path} is not a lock file", hint="Write one: askwire lock QUESTIONS.")
    version = document["version"]
    if version not in range(OLDEST_VERSION, VERSION + 1):
        raise ConfigurationError(
            f"{path} is a lock file of version {version}; "
            f"this askwire reads versions {OLDEST_VERSION} to {VERSION}"
        )
    try:
        where = _Table(document["asked"])
        setting = Setting(
            where.text("database"),
            where.text("role"),
            where.texts("search_path"),
            where.whole("server_version"),
            where.text("schema_fingerprint"),
            where.texts("experts"),
        )
        return Lock(setting, tuple(_locked(_Table(table)) for table in document.get("question", [])))
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"{path} is not a lock file: {error}") from None


def _locked(table: _Table) -> LockedAnswer:
    rivals = []
    for entry in table.tables("rival"):
        rival = _Table(entry)
        state = rival.text("answer")
        if state not in _STATES:
            raise ValueError(f"unknown answer {state!r}")
        made_up = rival.lines("made_up_rows")
        rows = made_up or rival.lines("rows")
        rivals.append(
            Rival(rival.text("sql").strip(), rival.text("reading"), state, rows, made_up=bool(made_up))
        )
    question = table.text("question")
    if not question:
        raise ValueError("a question without words")
    return LockedAnswer(
        asked_with(question, table.table("options")),
        table.text("sql").strip(),
        table.text("reading"),
        table.share("confidence"),
        table.text("today"),
        table.text("refused"),
        table.text("message"),
        tuple(rivals),
        tuple(
            Parameter(found.text("value"), found.text("type"), found.text("from"))
            for found in map(_Table, table.tables("parameters"))
        ),
    )


class _Table:
    """A table of the file, whose values are looked at before they are used; ValueError says what is wrong."""

    def __init__(self, table: Mapping[str, object]) -> None:
        if not isinstance(table, dict):
            raise ValueError(f"a table was expected, not {table!r}")
        self._table = table

    def text(self, name: str) -> str:
        return self._value(name, str, "")

    def whole(self, name: str) -> int:
        return self._value(name, int, 0)

    def share(self, name: str) -> float | None:
        return self._value(name, float, 0.0) if name in self._table else None

    def texts(self, name: str) -> tuple[str, ...]:
        values: list[object] = self._value(name, list, [])
        if not all(isinstance(value, str) for value in values):
            raise ValueError(f"{name} is {values!r}")
        return tuple(str(value) for value in values)

    def lines(self, name: str) -> tuple[str, ...]:
        """Lines of a text, or a list of them."""
        if not isinstance(self._table.get(name), str):
            return self.texts(name)
        return tuple(self.text(name).removesuffix("\n").split("\n"))

    def table(self, name: str) -> Mapping[str, object]:
        return self._value(name, dict, {})

    def tables(self, name: str) -> Sequence[Mapping[str, object]]:
        return self._value(name, list, [])

    def _value(self, name: str, kind: type[T], absent: T) -> T:
        value = self._table.get(name, absent)
        if not isinstance(value, kind):
            raise ValueError(f"{name} is {value!r}")
        return value
