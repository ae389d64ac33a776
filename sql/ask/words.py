"""What one word does to the level it stands on: which query, command or clause begins there.

Owns: the words of PostgreSQL's grammar around a query.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from askwire.sql.ask import frames
from askwire.sql.ask.frames import Frame, HiddenName, Level
from askwire.sql.ask.site import Command, Place
from askwire.sql.ask.tokens import Tokens
from askwire.sql.scan import Kind


@dataclass(slots=True)
class State:
    """How far a statement has been read: its open levels, and what it is."""

    tokens: Tokens
    frames: list[Frame] = field(default_factory=lambda: [Frame(Level.QUERY, Place.STATEMENT, alone=True)])
    command: Command | None = None


def read_word(state: State, frame: Frame, index: int, begins: bool, item: bool) -> None:
    """Note in `frame` what the token at `index`, no parenthesis, leads to.

    `begins` and `item` say what could begin at it: a query, or an item of FROM.
    """
    word, before = state.tokens.words[index], state.tokens.at(index - 1)
    if before == "." or word == ".":
        frame.may_begin = frame.verb == "insert into" and word != "."
        return
    if frame.listing and _read_list(state, frame, index):
        return
    if word == ",":
        frame.item = frame.clause == "from"
        return
    if word == ";":
        if len(state.frames) == 1:
            frame.verb = frame.clause = ""
            frame.may_begin = True
        return
    if word in frames.SET_OPERATIONS and not (before == "as" and frame.clause == "list"):
        frame.clause, frame.may_begin, frame.operand = "", True, True
    elif frame.operand and begins and word in ("all", "distinct") and before in frames.SET_OPERATIONS:
        frame.may_begin = True
    elif begins and _begins(state, frame, index):
        frame.operand = frame.after_with = False
    elif not _read_command(state, frame, index):
        _read_clause(state, frame, index, item)
        if begins and frame.level is Level.EXPRESSION:
            frame.clause = ""


def _begins(state: State, frame: Frame, index: int) -> bool:
    """Whether the word at `index`, where a query may begin, begins one or another command."""
    word = state.tokens.words[index]
    if word == "with":
        frame.listing = frame.naming = True
        frame.recursive = False
    elif word in frames.STARTS:
        if len(state.frames) == 1:
            state.command = state.command or Command.QUERY
        frame.verb, frame.clause = word, "list" if word == "select" else ""
    elif word in frames.CHANGES:
        _is(state, word)
        frame.verb, frame.clause = word, ""
    elif len(state.frames) > 1:
        return False
    elif word in ("explain", "copy", "declare", "prepare"):
        _is(state, word)
        frame.verb = word
        if word == "explain":
            frame.may_begin, frame.place = True, Place.EXPLAIN
    elif word == "create":
        frame.verb, frame.creates = word, ""
    else:
        return False
    return True


def _is(state: State, command: str) -> None:
    if len(state.frames) == 1:
        state.command = state.command or frames.COMMANDS[command]


def _read_list(state: State, frame: Frame, index: int) -> bool:
    """Whether the token belongs to the list of WITH queries that is being read."""
    word = state.tokens.words[index]
    if word == "recursive" and state.tokens.at(index - 1) == "with":
        frame.recursive = True
    elif word == ",":
        frame.naming, frame.may_begin, frame.after_with = True, False, False
    elif frame.naming:
        frame.naming = False
        token = state.tokens.all[index]
        source = state.tokens.source(index)
        quoted = token.kind is Kind.QUOTED_IDENTIFIER
        frame.named = source[1:-1].replace('""', '"') if quoted else word
        if frame.recursive:
            frame.hidden, frame.named = HiddenName(frame.named, frame.hidden), ""
    elif frame.after_with and (word in frames.STARTS or word in frames.CHANGES):
        frame.listing = False
        _begins(state, frame, index)
        frame.after_with = False
    else:
        # SEARCH and CYCLE stand between the list and the query
        frame.may_begin = frame.after_with
    return True


def _read_command(state: State, frame: Frame, index: int) -> bool:
    """Whether the word leads to the query inside another command."""
    word, verb, before = state.tokens.words[index], frame.verb, state.tokens.at(index - 1)
    if verb == "insert" and word == "into":
        frame.verb, frame.place = "insert into", Place.INSERT
    elif verb == "insert into":
        if word in ("values", "default", "on", "returning"):
            frame.verb = "insert"
        else:
            frame.may_begin = word != "as"
            if word == "as":
                frame.verb = "insert as"
    elif verb == "insert as":
        frame.verb, frame.may_begin = "insert into", True
    elif verb == "explain" and word in frames.EXPLAIN_WORDS:
        frame.may_begin = True
    elif verb == "create" and not frame.creates and word not in frames.MODIFIERS:
        materialized = word == "view" and before == "materialized"
        frame.creates = "materialized view" if materialized else word
    elif verb == "create" and word == "create":
        frame.creates = ""
    elif verb == "create" and word == "as" and frame.creates in frames.CREATED:
        _is(state, frame.creates)
        frame.may_begin, frame.place = True, frames.CREATED[frame.creates]
    elif (verb, word) in (("prepare", "as"), ("declare", "for")):
        frame.may_begin = True
        frame.place = Place.PREPARE if verb == "prepare" else Place.CURSOR
    else:
        return False
    return True


def _read_clause(state: State, frame: Frame, index: int, item: bool) -> None:
    word, verb, before = state.tokens.words[index], frame.verb, state.tokens.at(index - 1)
    if frame.clause == "from":
        if word in frames.END_OF_FROM or (verb == "merge" and word == "when"):
            frame.clause = ""
        elif word in ("join", "lateral", "only"):
            frame.item = word != "only"
            frame.lateral = word == "lateral"
    elif word == "from":
        distinct = before == "distinct" and state.tokens.at(index - 2) in ("is", "not")
        if not distinct and ((verb == "select" and frame.clause == "list") or verb == "update"):
            frame.clause, frame.item, frame.lateral = "from", True, False
    elif word == "using" and verb in ("delete", "merge"):
        frame.clause, frame.item, frame.lateral = "from", True, False
    elif word in frames.END_OF_FROM and not (before == "as" and frame.clause == "list"):
        frame.clause = ""
