"""The statements of the admin database, carried out: SHOW …, RELOAD, KILL.

Owns: their grammar, and the tables they answer with.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from askwire.core.errors import AskError, ConfigurationError
from askwire.core.settings.table import TABLE, Settings
from askwire.core.version import VERSION
from askwire.proxy.memory.live import AskStatus
from askwire.proxy.operations.figures import ANSWERED, Figures
from askwire.proxy.operations.setting_values import shown

Value = str | int | float | None
Kind = Literal["text", "bigint", "double"]
"""Types of PostgreSQL that columns have."""


class AdminError(Exception):
    """A statement that cannot be carried out; `sqlstate`, `message` and `hint` are for the client."""

    def __init__(self, sqlstate: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.sqlstate = sqlstate
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Client:
    """A client connection as operators see it; `process_id` is the backend's.

    `former`: it is served by the process that an online restart replaced.
    """

    number: int
    role: str
    database: str
    application: str
    address: str
    phase: str
    process_id: int
    seconds: float
    former: bool = False


@dataclass(frozen=True, slots=True)
class ExpertStatus:
    """An expert as operators see it; `state` says whether its endpoint is asked."""

    name: str
    model: str
    endpoint: str
    state: str


class ServerStatus(Protocol):
    """What the admin database tells of and acts on."""

    settings: Settings

    @property
    def figures(self) -> Figures:
        """What was done since the start."""

    @property
    def alone(self) -> bool:
        """Whether what it tells is always up to date, because there is no other process."""

    async def refresh(self) -> None:
        """Bring what is known of other processes up to date."""

    def clients(self) -> Sequence[Client]:
        """All connections of clients."""

    def experts(self) -> Sequence[ExpertStatus]:
        """All experts, in the order they are asked."""

    def relayed(self) -> tuple[int, int]:
        """Bytes from clients and to clients since the start."""

    def under_way(self) -> Sequence[AskStatus]:
        """The ASKs that are worked on and kept in the history."""

    def reload(self) -> Sequence[str]:
        """Read the settings again; the names of those that changed. Raises ConfigurationError."""

    def kill(self, number: int) -> bool:
        """End a client's session; False when there is none of this number."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a statement comes to: its tag, and rows under `columns`."""

    tag: str
    columns: tuple[tuple[str, Kind], ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()


def _table(columns: str, rows: Sequence[Sequence[Value]]) -> Answer:
    """An answer with these columns, set apart by spaces; `#` behind one marks whole numbers, `%` others."""
    kinds: Mapping[str, Kind] = {"#": "bigint", "%": "double"}
    named = tuple((name.rstrip("#%"), kinds.get(name[-1], "text")) for name in columns.split())
    return Answer("SHOW", named, tuple(tuple(row) for row in rows))


_WORDS: Final = re.compile(r"[^\s;]+")
_COMMENT: Final = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_IGNORED_COMMANDS: Final = frozenset(
    (
        "begin",
        "start",
        "commit",
        "end",
        "rollback",
        "abort",
        "set",
        "reset",
        "discard",
        "deallocate",
        "unlisten",
    )
)
"""What drivers send of their own accord; there is nothing to do for it."""


_QUERY_COMMANDS: Final = frozenset(
    ("select", "with", "table", "values", "insert", "update", "delete", "ask", "explain")
)
"""What clients send to look around, as psql's \\d does, or in the wrong window."""


def carry_out(statement: str, status: ServerStatus) -> Answer:
    """Carry out one statement; raises AdminError."""
    words = _WORDS.findall(_COMMENT.sub(" ", statement))
    if not words:
        return Answer("")
    first, *rest = words
    match first.lower():
        case "show" if len(rest) == 1:
            return _show(rest[0].lower(), status)
        case "show" if not rest:
            return _show("help", status)
        case "reload" if not rest:
            return _reload(status)
        case "kill" if len(rest) < 2:
            return _kill("".join(rest), status)
        case word if word in _QUERY_COMMANDS:
            raise AdminError(
                "0A000",
                "the admin database takes no queries, and has no tables",
                "SHOW HELP lists its commands; connect to another database to ask or query.",
            )
        case "set" | "reset" if name := _ours(rest):
            raise AdminError(
                "55P02",
                f'the admin database changes no setting, and so not "{name}"',
                "Change the configuration and send RELOAD; the console makes settings stricter.",
            )
        case word if word in _IGNORED_COMMANDS:
            return Answer(word.upper())
    raise AdminError("42601", f'unknown command "{" ".join(words[:3])}"', "SHOW HELP lists the commands.")


def _ours(words: Sequence[str]) -> str:
    """The setting of askwire's that a SET or RESET names; '' for none, as in those of drivers."""
    named = [word for word in words if word.lower() not in ("session", "local")]
    name = named[0].partition("=")[0].strip('"').lower() if named else ""
    return name if name.startswith("askwire.") or name in TABLE else ""


def split(text: str) -> list[str]:
    """The statements of a query message."""
    return [part for part in text.split(";") if part.strip()]


def _show(what: str, status: ServerStatus) -> Answer:
    table = _SHOWN.get(what)
    if table is None:
        if what in _PARAMETERS:
            return Answer("SHOW", ((what, "text"),), ((_PARAMETERS[what],),))
        raise AdminError("42704", f'there is nothing to show of "{what}"', "SHOW HELP lists the commands.")
    return table(status)


def _help(status: ServerStatus) -> Answer:
    rows: list[tuple[str, str]] = [
        ("SHOW STATS", "sessions, bytes and ASKs since the start"),
        ("SHOW CLIENTS", "connections of clients"),
        ("SHOW ASKS", "ASKs that are worked on now"),
        ("SHOW EXPERTS", "who is asked, and what was spent"),
        ("SHOW CONFIG", "settings, their values and sources"),
        ("SHOW VERSION", "which askwire this is"),
        ("RELOAD", "read the settings again"),
        ("KILL n", "end the session of client n"),
    ]
    return _table("command what", rows)


def _stats(status: ServerStatus) -> Answer:
    figures = status.figures
    answered = figures.asks[ANSWERED]
    asked = sum(figures.asks.values())
    came, went = status.relayed()
    worked, pinned = figures.ask_seconds[False], figures.ask_seconds[True]
    rows: list[tuple[Value, ...]] = [
        ("sessions opened", figures.sessions_opened),
        ("sessions refused", figures.sessions_refused),
        ("sessions now", len(status.clients())),
        ("bytes from clients", came),
        ("bytes to clients", went),
        ("asks", asked),
        ("asks answered", answered),
        *((f"asks ended with {code}", n) for code, n in sorted(figures.asks.items()) if code != ANSWERED),
        ("asks answered by a pin", figures.pinned),
        ("milliseconds per ask, worked out", round(worked.mean() * 1000)),
        ("milliseconds per ask, pinned", round(pinned.mean() * 1000)),
        ("candidates refused by the gate", figures.gate_refusals),
    ]
    return _table("what value#", rows)


def _clients(status: ServerStatus) -> Answer:
    rows = [
        (
            *(c.number, c.role, c.database, c.application, c.address, c.phase, c.process_id),
            *(int(c.seconds), "former" if c.former else "current"),
        )
        for c in status.clients()
    ]
    columns = "client# role database application address state backend_pid# seconds# process"
    return _table(columns, rows)


def _asks(status: ServerStatus) -> Answer:
    rows = [
        (
            one.key,
            one.role,
            one.database,
            one.question,
            one.spans[-1][0] if one.spans else "",
            int(one.elapsed_ms),
        )
        for one in status.under_way()
    ]
    return _table("ask role database question stage milliseconds#", rows)


def _experts(status: ServerStatus) -> Answer:
    figures = status.figures
    rows: list[tuple[Value, ...]] = []
    for expert in status.experts():
        calls = {outcome: n for (name, outcome), n in figures.calls.items() if name == expert.name}
        rows.append(
            (
                *(expert.name, expert.model, expert.endpoint, expert.state),
                sum(calls.values()),
                sum(n for outcome, n in calls.items() if outcome != "answered"),
                figures.tokens[expert.name, "prompt"],
                figures.tokens[expert.name, "completion"],
                round(figures.cost.get(expert.name, 0.0), 4),
            )
        )
    columns = "expert model endpoint state calls# failed# prompt_tokens# completion_tokens# cost%"
    return _table(columns, rows)


def _config(status: ServerStatus) -> Answer:
    rows: list[tuple[Value, ...]] = []
    for name, setting in TABLE.items():
        given = status.settings.given(name)
        rows.append(
            (
                name,
                shown(status.settings, name),
                given.source if given else "default",
                "yes" if setting.scope == "session" else "no",
                "no" if setting.live else "yes",
            )
        )
    return _table("setting value source session_may_tighten needs_restart", rows)


def _version(status: ServerStatus) -> Answer:
    return _table("version", [(f"askwire {VERSION}",)])


_SHOWN: Final[Mapping[str, Callable[[ServerStatus], Answer]]] = {
    "help": _help,
    "stats": _stats,
    "clients": _clients,
    "asks": _asks,
    "experts": _experts,
    "config": _config,
    "version": _version,
}

_PARAMETERS: Final = {
    "standard_conforming_strings": "on",
    "client_encoding": "UTF8",
    "server_version": f"askwire {VERSION}",
    "transaction_isolation": "read committed",
    "transaction": "read committed",
    "datestyle": "ISO, MDY",
    "timezone": time.tzname[0],
}
"""What drivers ask of their own accord."""


def _reload(status: ServerStatus) -> Answer:
    try:
        changed = status.reload()
    except (AskError, ConfigurationError) as error:
        raise AdminError("F0000", error.message, error.hint) from None
    table = _table("changed", [(name,) for name in changed])
    return Answer("RELOAD", table.columns, table.rows)


def _kill(number: str, status: ServerStatus) -> Answer:
    if not number.isascii() or not number.isdigit():
        raise AdminError(
            "42601",
            f'KILL takes the number of a client, not "{number}"'
            if number
            else "KILL takes the number of a client",
            "SHOW CLIENTS has them.",
        )
    if not status.kill(int(number)):
        raise AdminError("42704", f"there is no client {number}", "SHOW CLIENTS has them.")
    return Answer("KILL")
