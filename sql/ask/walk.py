"""Reading a statement's tokens for the places where an ASK may stand.

Owns: following clauses and parentheses as far as needed to tell a query from an expression and an item of
FROM from a name; one pass, no recursion, for any text.

This is no parser: what it takes for an ASK is replaced, and PostgreSQL's own grammar judges the result.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final, NoReturn

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask import frames
from askwire.sql.ask.commands import WORDS
from askwire.sql.ask.findings import FoundAsk, follows, read_found
from askwire.sql.ask.frames import Frame, HiddenName, Level
from askwire.sql.ask.site import AskSite, Command, Place
from askwire.sql.ask.tokens import Tokens
from askwire.sql.ask.words import State, read_word
from askwire.sql.scan import Kind
from askwire.sql.statements import Statement

MAX_ASKS: Final = 64
"""How many ASKs one message can hold: each of them is worked on for seconds, and may cost money."""


def too_many(start: int) -> AskSyntaxError:
    """The error for the first ASK beyond `MAX_ASKS`."""
    return AskSyntaxError(f"one message can hold at most {MAX_ASKS} ASKs", position=start + 1)


class Walk:
    """One pass over one statement; `sites` is called once."""

    def __init__(self, statement: Statement, statement_count: int, function_name: str) -> None:
        self._state = State(Tokens(statement))
        self._tokens = self._state.tokens
        self._count = statement_count
        self._function = function_name
        self._found: list[FoundAsk] = []
        self._aliases = Counter[str]()

    def sites(self) -> list[AskSite]:
        """The statement's ASKs in order; raises `AskSyntaxError`."""
        index = 0
        while index < len(self._tokens.all):
            index = self._step(index)
        return [self._site(found) for found in self._found]

    def _step(self, index: int) -> int:
        """Read the token at `index`, or the ASK that begins there; returns where to go on."""
        frame, word = self._state.frames[-1], self._tokens.words[index]
        if word not in ("(", ")", "[", "]"):
            after = self._asked(frame, index)
            if after > index:
                frame.may_begin = frame.item = frame.first = False
                return after
        if word in ("(", "["):
            self._open(frame, index)
        elif word in (")", "]"):
            self._close(index)
        else:
            begins, item = frame.may_begin, frame.item
            frame.may_begin = frame.item = False
            read_word(self._state, frame, index, begins, item)
            frame.first = False
        return index + 1

    def _asked(self, frame: Frame, index: int) -> int:
        """Behind the ASK that begins at `index`, or `index` when none does."""
        if self._tokens.at(index - 1) == "." or self._tokens.at(index + 1) == ".":
            return index
        if self._tokens.words[index] == "ask":
            if frame.level is Level.FROM and frame.first:
                self._refuse_renamed(index)
            if frame.may_begin and frame.level is Level.QUERY and self._tokens.at(index + 1) in WORDS:
                self._refuse_command(index)
            constant = self._tokens.constant_after(index)
            if index == 0 or (constant >= 0 and frame.may_begin and not frame.naming):
                return self._keyword(frame, index)
            if constant >= 0 and frame.item:
                self._tokens.fail(
                    constant,
                    "Write an ASK among the items of FROM in parentheses: FROM (ASK 'question').",
                )
        if frame.item and self._tokens.calls(index, self._function):
            return self._call(frame, index)
        return index

    def _keyword(self, frame: Frame, index: int) -> int:
        ambiguous = frame.level is Level.EXPRESSION and frame.first
        try:
            found = read_found(self._tokens.reader(index), self._tokens.statement)
        except AskSyntaxError:
            if ambiguous and not self._tokens.options_at(index + 1):
                # the empty constant of a type called ask, or one with a type modifier: (ask(3) 'x')
                return index
            raise
        after = found.after
        follower = self._tokens.at(after)
        ambiguous = ambiguous and found.asked.parameter is None
        if ambiguous and after < len(self._tokens.all):
            if follower not in (")", ";", *frames.SET_OPERATIONS, *frames.TAILS):
                # more follows the constant, so it is one: (ask 'x' || 'y')
                return index
            ambiguous = follower == ")"
        if frame.lateral and frame.first:
            self._fail_lateral(index)
        if follower and not follows(frame, follower):
            self._tokens.fail(after)
        if not follower and after < len(self._tokens.all):
            self._tokens.fail(after)
        while (
            self._tokens.at(after) == ";"
            and self._tokens.at(after + 1) in (")", ";")
            and len(self._state.frames) > 1
        ):
            after += 1
            found = replace(found, end=self._tokens.all[after - 1].end, after=after)
        operand = frame.operand or follower in frames.SET_OPERATIONS
        place = Place.SET_OPERATION if operand else frame.place
        wrapped = frame.after_with or (follower in frames.TAILS and not frame.operand)
        if frame.first and self._tokens.at(after) == ")":
            frame.sole = len(self._found)
        self._remember(
            replace(found, place=place, wrapped=wrapped, could_be_literal=ambiguous, hidden=frame.hidden)
        )
        frame.operand = frame.after_with = frame.listing = False
        return after

    def _call(self, frame: Frame, index: int) -> int:
        found = read_found(self._tokens.reader(index), self._tokens.statement, call=True)
        after = found.after
        if frame.lateral:
            self._fail_lateral(index)
        if (self._tokens.at(after), self._tokens.at(after + 1)) == ("with", "ordinality"):
            self._tokens.fail(after, "An ASK has no ordinality; use row_number() over its rows.")
        named = after + (self._tokens.at(after) == "as")
        if self._tokens.at(after) == "as" and self._tokens.at(named) == "(":
            self._tokens.fail(named, "The columns of an ASK have their types; write only names: AS t (a, b).")
        found = replace(found, form="function", place=Place.FROM_ITEM, hidden=frame.hidden)
        if not self._tokens.alias_at(after):
            # what PostgreSQL calls the rows of a function
            found = replace(found, alias=self._new_alias(self._tokens.name(index)), alias_at=found.end)
        self._remember(found)
        return after

    def _remember(self, found: FoundAsk) -> None:
        self._found.append(found)
        if len(self._found) > MAX_ASKS:
            raise too_many(found.start)

    def _new_alias(self, name: str) -> str:
        self._aliases[name] += 1
        return name if self._aliases[name] == 1 else f"{name}_{self._aliases[name]}"

    def _open(self, frame: Frame, index: int) -> None:
        inner = self._opened(frame, index)
        inner.hidden = frame.hidden
        inner.alone = frame.first and frame.level is not Level.OTHER
        self._state.frames.append(inner)
        frame.may_begin = frame.item = frame.first = False

    def _opened(self, frame: Frame, index: int) -> Frame:
        before = self._tokens.at(index - 1)
        if self._tokens.words[index] == "[":
            return Frame(Level.OTHER, Place.SUBQUERY, may_begin=False)
        if frame.item:
            lateral = frame.lateral and (before == "lateral" or frame.first)
            return Frame(Level.FROM, Place.FROM_ITEM, item=True, lateral=lateral, clause="from")
        if frame.listing and before in ("as", "materialized"):
            return Frame(Level.QUERY, Place.CTE)
        if frame.may_begin and not frame.naming:
            place = Place.SUBQUERY if frame.place is Place.STATEMENT else frame.place
            if frame.operand:
                place = Place.SET_OPERATION
            level = frame.level if frame.first and len(self._state.frames) > 1 else Level.QUERY
            return Frame(level, place)
        if frame.verb == "copy" and before == "copy":
            return Frame(Level.QUERY, Place.COPY)
        if before in ("exists", "array") and self._tokens.at(index - 2) != ".":
            return Frame(Level.QUERY, Place.SUBQUERY)
        token = self._tokens.all[index - 1] if index else None
        words = token is not None and token.kind is Kind.IDENTIFIER
        if (
            (words and before in frames.BEFORE_EXPRESSIONS and self._tokens.at(index - 2) != ".")
            or (self._tokens.at(index - 2), before) in frames.BEFORE_EXPRESSIONS_IN_PAIRS
            or before in ("(", "[", ",")
            or (token is not None and token.kind is Kind.OPERATOR)
            or before in (":=", "=>", ":")
        ):
            return Frame(Level.EXPRESSION, Place.SUBQUERY)
        return Frame(Level.OTHER, Place.SUBQUERY, may_begin=False)

    def _close(self, index: int) -> None:
        if len(self._state.frames) == 1:
            return
        inner = self._state.frames.pop()
        frame = self._state.frames[-1]
        after = index + 1
        if inner.sole >= 0:
            if inner.alone and self._tokens.at(after) == ")" and len(self._state.frames) > 1:
                frame.sole = inner.sole
            elif inner.level is Level.FROM:
                if not self._tokens.alias_at(after):
                    found = self._found[inner.sole]
                    self._found[inner.sole] = replace(
                        found,
                        alias=self._new_alias(self._function or "ask"),
                        alias_at=self._tokens.all[index].end,
                    )
            elif inner.level is Level.QUERY:
                tailed = self._tokens.at(after) in frames.TAILS and not frame.operand
                if tailed or frame.after_with:
                    self._found[inner.sole] = replace(self._found[inner.sole], wrapped=True)
        if frame.listing and inner.place is Place.CTE:
            frame.hidden = HiddenName(frame.named, frame.hidden) if frame.named else frame.hidden
            frame.may_begin = frame.after_with = True
        elif frame.verb in ("insert into", "explain"):
            frame.may_begin = True

    def _refuse_command(self, index: int) -> NoReturn:
        raise AskSyntaxError(
            f"ASK {self._tokens.at(index + 1).upper()} is not possible inside another statement",
            hint="Write it as a statement of its own.",
            position=self._tokens.all[index].start + 1,
        )

    def _refuse_renamed(self, index: int) -> None:
        """`FROM (ASK AS "how many")` is what some tools make of `FROM (ASK 'how many')`."""
        alias = index + 1 + (self._tokens.at(index + 1) == "as")
        if alias >= len(self._tokens.all) or self._tokens.at(alias + 1) != ")":
            return
        if self._tokens.all[alias].kind is Kind.QUOTED_IDENTIFIER:
            self._tokens.fail(
                alias,
                "The question of an ASK is a string constant. A tool that rewrites SQL may have changed"
                " the quotes; the form ask('question') survives that.",
            )

    def _fail_lateral(self, index: int) -> NoReturn:
        raise AskSyntaxError(
            "an ASK cannot be LATERAL",
            hint="An ASK cannot refer to other items of FROM; leave out LATERAL.",
            position=self._tokens.all[index].start + 1,
        )

    def _site(self, found: FoundAsk) -> AskSite:
        return found.site(self._tokens.statement.index, self._count, self._state.command or Command.QUERY)
