"""A file of questions: one a line, as it is or as a whole ASK with its options.

Owns: that format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final

from askwire.core.errors import AskSyntaxError, ConfigurationError
from askwire.core.failures import reason
from askwire.sql.ask import AskOptions, Place, find_asks

_KEPT_OPTIONS: Final = ("evidence", "candidates", "budget", "experts")
"""The options that can change which SQL a question stands for."""


@dataclass(frozen=True, slots=True)
class LockQuestion:
    """One question with the options it is asked with."""

    question: str
    options: AskOptions = field(default_factory=AskOptions)

    @property
    def given(self) -> dict[str, str | int]:
        """The options that were set, by name."""
        plain = AskOptions()
        return {
            n: getattr(self.options, n)
            for n in _KEPT_OPTIONS
            if getattr(self.options, n) != getattr(plain, n)
        }


def asked_with(question: str, given: Mapping[str, object]) -> LockQuestion:
    """The inverse of `Asked.given`; raises ValueError for what no option takes."""
    unknown = sorted(set(given) - set(_KEPT_OPTIONS))
    if unknown:
        raise ValueError(f"unknown option {unknown[0]!r}")
    kinds = {"evidence": str, "candidates": int, "budget": int, "experts": str}
    for name, value in given.items():
        if type(value) is not kinds[name]:
            raise ValueError(f"option {name!r} takes {'text' if kinds[name] is str else 'a whole number'}")
    return LockQuestion(question, AskOptions(**given))  # type: ignore[arg-type]


def read_questions(path: Path) -> tuple[LockQuestion, ...]:
    """The questions of a file: a line each; empty lines and those that begin with # are ignored.

    A line that begins with the word ASK and a parenthesis or a quote is read as the statement, so that
    options can be given. Raises ConfigurationError for a file that cannot be read, and for a line, by number,
    that is no question or asks what an earlier one did.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read {path}: {reason(error)}") from None
    found: dict[LockQuestion, int] = {}
    for number, written in enumerate(lines, 1):
        line = written.strip()
        if not line or line.startswith("#"):
            continue
        try:
            asked = _read(line)
        except ValueError as error:
            raise ConfigurationError(f"{path}, line {number}: {error}") from None
        if asked in found:
            raise ConfigurationError(f"{path}, line {number}: the same question as in line {found[asked]}")
        found[asked] = number
    if not found:
        raise ConfigurationError(f"{path} holds no question", hint="Write one a line.")
    return tuple(found)


def _read(line: str) -> LockQuestion:
    try:
        sites = find_asks(line)
    except AskSyntaxError as error:
        if _is_statement(line):
            raise ValueError(error.message) from None
        return LockQuestion(line)
    if len(sites) != 1 or not _is_statement(line):
        return LockQuestion(line)
    site = sites[0]
    if site.place is not Place.STATEMENT or site.parameter is not None or line[site.end :].strip(" ;"):
        raise ValueError("an ASK that is not the whole line")
    unfit = [f.name for f in fields(AskOptions) if f.name not in _KEPT_OPTIONS and _set(site.options, f.name)]
    if unfit:
        names = ", ".join(name.upper() for name in _KEPT_OPTIONS)
        raise ValueError(f"ASK option {unfit[0].upper()} has no place in a lock; {names} have")
    return LockQuestion(site.question, site.options)


def _is_statement(line: str) -> bool:
    rest = line[3:].lstrip()
    return line[:3].upper() == "ASK" and (rest[:1] in ("(", "'", "$") or rest[:2].upper() == "E'")


def _set(options: AskOptions, name: str) -> bool:
    return bool(getattr(options, name) != getattr(AskOptions(), name))
