"""What a walk over a statement notes of an ASK before the whole statement is known.

Owns: one finding, and what may follow an ASK.
"""

from __future__ import annotations

from dataclasses import dataclass

from askwire.sql.ask import frames
from askwire.sql.ask.question import AskText, read_call, read_keyword
from askwire.sql.ask.site import AskSite, Command, Form, Place
from askwire.sql.statements import Reader, Statement


@dataclass(frozen=True, slots=True)
class FoundAsk:
    """One ASK and what its surroundings told so far; `after` is the index of the token behind it.

    `hidden` are the WITH queries in scope.
    """

    start: int
    end: int
    asked: AskText
    after: int
    form: Form = "keyword"
    place: Place = Place.STATEMENT
    could_be_literal: bool = False
    wrapped: bool = False
    alias: str = ""
    alias_at: int = 0
    hidden: frames.HiddenName | None = None

    def site(self, index: int, count: int, command: Command) -> AskSite:
        """The finding as what callers see."""
        return AskSite(
            self.start,
            self.end,
            self.asked.question,
            self.asked.options,
            self.asked.parameter,
            index,
            count,
            form=self.form,
            place=self.place,
            command=command,
            could_be_literal=self.could_be_literal,
            wrapped=self.wrapped,
            alias=self.alias,
            alias_at=self.alias_at,
            hidden=_names(self.hidden),
        )


def read_found(reader: Reader, statement: Statement, *, call: bool = False) -> FoundAsk:
    """Read the ASK at the reader, in its form; raises `AskSyntaxError`."""
    token = reader.peek()
    assert token is not None  # noqa: S101 (the caller looked)
    read = read_call if call else read_keyword
    asked = read(reader, statement.standard_conforming_strings)
    return FoundAsk(token.start, asked.end, asked, reader.index)


def follows(frame: frames.Frame, word: str) -> bool:
    """Whether the word or sign can stand behind an ASK on a level."""
    if word in (")", ";") or word in frames.SET_OPERATIONS or word in frames.TAILS:
        return True
    if frame.place is Place.INSERT:
        return word in ("on", "returning")
    return frame.place in (Place.VIEW, Place.TABLE_AS) and word == "with"


def _names(hidden: frames.HiddenName | None) -> frozenset[str]:
    names = set[str]()
    while hidden is not None:
        names.add(hidden.name)
        hidden = hidden.before
    return frozenset(names)
