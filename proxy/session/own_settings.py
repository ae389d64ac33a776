"""A statement that sets or shows a parameter of askwire's.

PostgreSQL takes any name with a dot, so that a misspelt one would do nothing without a word. It refuses such
names itself under a prefix that an extension has reserved (MarkGUCPrefixReserved); so does askwire under its
own. It knows no parameter with a dot before it is set; askwire shows its own at any time, as they are in
force. Owns: what is wrong with an assignment, which of them are capped, and the query instead of a SHOW.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from askwire.core.errors import (
    AskError,
    ConfigurationError,
    InvalidSetting,
    ServerSetting,
    UnknownSetting,
)
from askwire.core.settings.table import TABLE, Settings
from askwire.sql.literals import quote_literal
from askwire.sql.parameters import Assignment, find_assignments, find_shown
from askwire.store.postgres.address import without_password

PREFIX: Final = "askwire"

_SECRET_WORDS: Final = ("backend", "key", "token", "password", "secret")
"""Settings named so may hold secrets: a connection string can hold a password."""


def wrong_assignment(text: str) -> AskError | None:
    """The error that the first wrong assignment of a text deserves; None where all are right."""
    wrongs = (_wrong(assignment) for assignment in find_assignments(text, PREFIX))
    return next((wrong for wrong in wrongs if wrong is not None), None)


def wrong_at_start(login: Mapping[str, str]) -> Iterator[AskError]:
    """The same for what a session is started with; PostgreSQL only warns of that, and no one is kept out.

    `login` are the parameters of the start-up packet. Its `options` are read as a backend's command line.
    """
    for assignment in _given_at_start(login):
        wrong = _wrong(assignment)
        if wrong is not None:
            yield wrong


def _given_at_start(login: Mapping[str, str]) -> Iterator[Assignment]:
    prefix = f"{PREFIX}."
    given = [(name.lower(), value) for name, value in login.items()]
    given += [(m["name"].lower(), m["value"]) for m in _OPTION.finditer(login.get("options", ""))]
    for name, value in given:
        if name.startswith(prefix):
            yield Assignment(name.removeprefix(prefix), value)


def capped(text: str, settings: Settings) -> Iterator[str]:
    """What is said of each assignment of a text that the operator's settings leave without its effect."""
    for assignment in find_assignments(text, PREFIX):
        if told := _capped(assignment, settings):
            yield told


def capped_at_start(login: Mapping[str, str], settings: Settings) -> Iterator[str]:
    """The same for what a session is started with."""
    for assignment in _given_at_start(login):
        if told := _capped(assignment, settings):
            yield told


def _capped(assignment: Assignment, settings: Settings) -> str:
    setting = TABLE.get(assignment.name)
    if setting is None or setting.tighten is None or not assignment.value:
        return ""
    try:
        asked = setting.parse(assignment.value)
        tightened = settings.for_session({assignment.name: assignment.value})
    except (ValueError, ConfigurationError):
        return ""
    if tightened[setting] == asked:
        return ""
    text = in_force(assignment.name, tightened)
    given = settings.given(assignment.name)
    source = f", by {given.source}" if given else ""
    return f'"{PREFIX}.{assignment.name}" stays at "{text}": the operator allows no more{source}'


def in_force(name: str, settings: Settings, asked: str = "") -> str:
    """A setting's value in force as it was written: by the session (`asked`), the operator or the default.

    Without the password of a URL.
    """
    setting, given = TABLE[name], settings.given(name)
    held = settings[setting]
    for text in (asked, given.text if given else "", setting.default):
        try:
            if (text or text == setting.default) and setting.parse(text) == held:
                return without_password(text)
        except ValueError:
            continue
    return _as_text(held)


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(sorted(value)) if isinstance(value, frozenset) else "" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class ShownSettings:
    """A text with queries on `ask.settings` instead of SHOW, and the way back from its positions."""

    text: str
    names: tuple[str, ...]
    _places: tuple[tuple[int, int, int], ...]

    def original_position(self, position: int) -> int:
        """The position in the client's text for one in `text`, both from 1; within a query its SHOW's."""
        shift = 0
        for start, length, written in self._places:
            if position - 1 < start + shift:
                break
            if position - 1 < start + shift + written:
                return start + 1
            shift += written - length
        return position - shift


def showing(text: str, settings: Settings, *, prepared: bool) -> ShownSettings | None:
    """A text whose SHOW of askwire's own parameters can be answered; None where it has none.

    A `prepared` one shows what was in force when it was prepared, and once the session has set another value
    that one.
    """
    found = [s for s in find_shown(text, PREFIX) if s.name in TABLE]
    if not found:
        return None
    pieces: list[str] = []
    places: list[tuple[int, int, int]] = []
    at = 0
    for one in found:
        query = _shown_by(one.name, in_force(one.name, settings), prepared=prepared)
        pieces += (text[at : one.start], query)
        places.append((one.start, one.end - one.start, len(query)))
        at = one.end
    return ShownSettings("".join((*pieces, text[at:])), tuple(s.name for s in found), tuple(places))


def _shown_by(name: str, configured: str, *, prepared: bool) -> str:
    now = f"pg_catalog.current_setting('{PREFIX}.{name}', true)"
    later = (
        f"CASE COALESCE({now}, '') WHEN COALESCE(session, '') THEN value"
        f" WHEN '' THEN {quote_literal(configured)} ELSE {now} END"
    )
    value = later if prepared else "value"
    return (
        f'SELECT {value} AS "{PREFIX}.{name}" FROM ask.settings'
        f" WHERE name OPERATOR(pg_catalog.=) {quote_literal(name)}"
    )


_OPTION: Final = re.compile(r"(?:-c\s*|--)(?P<name>[\w.]+)=(?P<value>(?:\\.|\S)*)")


def _wrong(assignment: Assignment) -> AskError | None:
    name, position = assignment.name, assignment.start + 1
    setting = TABLE.get(name)
    if setting is None:
        return UnknownSetting(
            f'invalid configuration parameter name "{PREFIX}.{name}"',
            detail=f'"{PREFIX}" is a reserved prefix.',
            hint=meant(name),
            position=position,
        )
    if setting.tighten is None:
        return ServerSetting(
            f'parameter "{PREFIX}.{name}" cannot be changed in a session',
            hint="Only the operator can change it: in askwire.toml, the environment or the command line.",
            position=position,
        )
    if assignment.value:
        try:
            setting.parse(assignment.value)
        except ValueError as error:
            return InvalidSetting(
                f'invalid value for parameter "{PREFIX}.{name}": "{assignment.value}"',
                detail=f"{str(error)[:1].upper()}{str(error)[1:]}.",
                position=position,
            )
    return None


def meant(name: str) -> str:
    """One sentence: the parameter that a misspelt name may mean, or where all of them stand."""
    ours = [known for known, setting in TABLE.items() if setting.tighten is not None]
    near = get_close_matches(name, ours, n=1)
    if near:
        return f'Perhaps you meant "{PREFIX}.{near[0]}".'
    return "SELECT name, help FROM ask.settings WHERE scope = 'session' lists those that there are."


def holds_secret(name: str) -> bool:
    """Whether a setting of this name may hold something that is shown to no one."""
    return any(word in _SECRET_WORDS for word in name.split("_"))
