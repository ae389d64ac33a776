"""A statement that sets a parameter of askwire's which does not exist, or to what cannot be read.

PostgreSQL takes any name with a dot, so that a misspelt one would do nothing and say nothing. It refuses such
names itself under a prefix that an extension has reserved (MarkGUCPrefixReserved); so does askwire under its
own. Owns: what is wrong with an assignment. Must not know: where it stands in a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from askwire.core.errors import AskError, InvalidSetting, ServerSetting, UnknownSetting
from askwire.core.settings import TABLE
from askwire.sql.parameters import Assignment, find_assignments

PREFIX: Final = "askwire"


def wrong_assignment(text: str) -> AskError | None:
    """The error that the first wrong assignment of a text deserves; None where all are right."""
    wrongs = (_wrong(assignment) for assignment in find_assignments(text, PREFIX))
    return next((wrong for wrong in wrongs if wrong is not None), None)


def wrong_at_start(login: Mapping[str, str]) -> Iterator[AskError]:
    """The same for what a session is started with; PostgreSQL only warns of that, and nobody is kept out.

    `login` are the parameters of the start-up packet. Its `options` are read as a backend's command line.
    """
    prefix = f"{PREFIX}."
    given = [(name.lower(), value) for name, value in login.items()]
    given += [(m["name"].lower(), m["value"]) for m in _OPTION.finditer(login.get("options", ""))]
    for name, value in given:
        if name.startswith(prefix):
            wrong = _wrong(Assignment(name.removeprefix(prefix), value))
            if wrong is not None:
                yield wrong


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
            hint="It is the operator's: askwire.toml, the environment or the command line gives it.",
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
