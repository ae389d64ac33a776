"""Reading a statement's tokens for the places where an ASK may stand.

Owns: following clauses and parentheses as far as needed to tell a query from an expression and an item of
FROM from a name; one pass, no recursion, for any text. Must not know: what an ASK says.

This is no parser: what it takes for an ASK is replaced, and PostgreSQL's own grammar judges the result.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NoReturn

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask import frames
from askwire.sql.ask.findings import Found, Refusal, follows, read_found
from askwire.sql.ask.frames import Frame, Hidden, Level
from askwire.sql.ask.question import reads_as_call
from askwire.sql.ask.site import AskSite, Command, Place
from askwire.sql.scan import STRING_KINDS, Kind
from askwire.sql.statements import Reader, Statement, fold

LARGEST_NUMBER: Final = 64
"""How many ASKs one message can hold: each of them is worked on for seconds, and may cost money."""


def too_many(start: int) -> AskSyntaxError:
    """The error for the first ASK beyond `LARGEST_NUMBER`."""
    return AskSyntaxError(f"one message can hold at most {LARGEST_NUMBER} ASKs", position=start + 1)


class Walk:
    """One pass over one statement; `sites` is called once."""

    def __init__(self, statement: Statement, statement_count: int, function_name: str) -> None:
        self._statement = statement
        self._count = statement_count
        self._function = function_name
        self._tokens = statement.tokens
        self._words = [self._word(index) for index in range(len(self._tokens))]
        self._closers = self._matched()
        self._frames = [Frame(Level.QUERY, Place.STATEMENT, alone=True)]
        self._found: list[Found] = []
        self._command: Command | None = None
        self._refusal: Refusal | None = None
        self._aliases = 0

    def sites(self) -> list[AskSite]:
        """The statement's ASKs in order; raises `AskSyntaxError`."""
        index = 0
        while index < len(self._tokens):
            index = self._step(index)
        return [self._site(found) for found in self._found]

    def _word(self, index: int) -> str:
        """An unquoted word folded, a sign as it stands, '' for everything else."""
        token = self._tokens[index]
        if token.kind is Kind.IDENTIFIER:
            return fold(self._statement.text[token.start : token.end])
        if token.kind in (Kind.PUNCTUATION, Kind.OPERATOR):
            return self._statement.text[token.start : token.end]
        return ""

    def _matched(self) -> dict[int, int]:
        """The index of each closing parenthesis by that of its opening one."""
        opened: list[int] = []
        closers = {}
        for index, word in enumerate(self._words):
            if word == "(":
                opened.append(index)
            elif word == ")" and opened:
                closers[opened.pop()] = index
        return closers

    def _at(self, index: int) -> str:
        return self._words[index] if 0 <= index < len(self._words) else ""

    def _step(self, index: int) -> int:
        """Read the token at `index`, or the ASK that begins there; returns where to go on."""
        frame, word = self._frames[-1], self._words[index]
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
            self._read_word(frame, index, begins, item)
            frame.first = False
        return index + 1

    # -- an ASK -----------------------------------------------------------------------------------------

    def _asked(self, frame: Frame, index: int) -> int:
        """Behind the ASK that begins at `index`, or `index` when none does."""
        if self._at(index - 1) == "." or self._at(index + 1) == ".":
            return index
        if self._words[index] == "ask":
            if frame.level is Level.FROM and frame.first:
                self._refuse_renamed(index)
            constant = self._constant_after(index)
            if index == 0 or (constant >= 0 and frame.may_begin and not frame.naming):
                return self._keyword(frame, index)
            if constant >= 0 and frame.item:
                self._fail(
                    constant,
                    "Write an ASK among the items of FROM in parentheses: FROM (ASK 'question').",
                )
        if frame.item and self._names_function(index) and reads_as_call(self._statement, index):
            return self._call(frame, index)
        return index

    def _constant_after(self, index: int) -> int:
        """Where the question of an ASK at `index` would stand; -1 where none does."""
        index += 1
        if self._at(index) == "(":
            index = self._closers.get(index, len(self._tokens)) + 1
        if index < len(self._tokens) and self._tokens[index].kind in {*STRING_KINDS, Kind.PARAMETER}:
            return index
        return -1

    def _keyword(self, frame: Frame, index: int) -> int:
        found = read_found(Reader(self._statement, index), self._statement)
        after = found.after
        follower = self._at(after)
        ambiguous = frame.level is Level.EXPRESSION and frame.first and found.asked.parameter is None
        if ambiguous and not (follower == "" and after >= len(self._tokens)):
            if follower not in (")", ";", *frames.SET_OPERATIONS, *frames.TAILS):
                # more follows the constant, so it is one: (ask 'x' || 'y')
                return index
            ambiguous = follower == ")"
        if self._refusal is not None:
            if ambiguous:
                return index
            self._refusal.fail(self._tokens[index].start)
        if frame.lateral and frame.first:
            self._fail_lateral(index)
        if follower and not follows(frame, follower):
            self._fail(after)
        if not follower and after < len(self._tokens):
            self._fail(after)
        while self._at(after) == ";" and self._at(after + 1) in (")", ";") and len(self._frames) > 1:
            after += 1
            found = replace(found, end=self._tokens[after - 1].end, after=after)
        operand = frame.operand or follower in frames.SET_OPERATIONS
        place = Place.SET_OPERATION if operand else frame.place
        wrapped = frame.after_with or (follower in frames.TAILS and not frame.operand)
        if frame.first and self._at(after) == ")":
            frame.sole = len(self._found)
        self._remember(
            replace(found, place=place, wrapped=wrapped, could_be_literal=ambiguous, hidden=frame.hidden)
        )
        if frame.verb in ("", "insert"):
            frame.verb = frame.verb or "ask"
            frame.creates = ""
        frame.operand = frame.after_with = frame.listing = False
        return after

    def _call(self, frame: Frame, index: int) -> int:
        found = read_found(Reader(self._statement, index), self._statement, call=True)
        after = found.after
        if self._refusal is not None:
            self._refusal.fail(self._tokens[index].start)
        if frame.lateral:
            self._fail_lateral(index)
        if (self._at(after), self._at(after + 1)) == ("with", "ordinality"):
            self._fail(after, "An ASK has no ordinality; use row_number() over its rows.")
        named = after + (self._at(after) == "as")
        if self._at(after) == "as" and self._at(named) == "(":
            self._fail(named, "The columns of an ASK have their types; write only names: AS t (a, b).")
        found = replace(found, form="function", place=Place.FROM_ITEM, hidden=frame.hidden)
        if not self._has_alias(after):
            found = replace(found, alias=self._new_alias(), alias_at=found.end)
        self._remember(found)
        return after

    def _remember(self, found: Found) -> None:
        self._found.append(found)
        if len(self._found) > LARGEST_NUMBER:
            raise too_many(found.start)

    def _names_function(self, index: int) -> bool:
        token = self._tokens[index]
        if not self._function or self._at(index + 1) != "(":
            return False
        if token.kind is Kind.QUOTED_IDENTIFIER:
            name = self._statement.text[token.start + 1 : token.end - 1]
            return fold(name) == self._function
        return self._words[index] == self._function

    def _has_alias(self, index: int) -> bool:
        if index >= len(self._tokens):
            return False
        if self._tokens[index].kind in (Kind.QUOTED_IDENTIFIER, Kind.UNICODE_IDENTIFIER):
            return True
        if self._tokens[index].kind is not Kind.IDENTIFIER:
            return False
        from pglast import keywords  # noqa: PLC0415 (loading the parser costs more than most callers need)

        word = self._words[index]
        return word == "as" or not (
            word in keywords.RESERVED_KEYWORDS or word in keywords.TYPE_FUNC_NAME_KEYWORDS
        )

    def _new_alias(self) -> str:
        self._aliases += 1
        name = self._function or "ask"
        return name if self._aliases == 1 else f"{name}_{self._aliases}"

    # -- parentheses ------------------------------------------------------------------------------------

    def _open(self, frame: Frame, index: int) -> None:
        inner = self._opened(frame, index)
        inner.hidden = frame.hidden
        inner.alone = frame.first and frame.level is not Level.OTHER
        self._frames.append(inner)
        frame.may_begin = frame.item = frame.first = False

    def _opened(self, frame: Frame, index: int) -> Frame:
        before = self._at(index - 1)
        if self._words[index] == "[":
            return Frame(Level.OTHER, Place.SUBQUERY, may_begin=False)
        if frame.item:
            lateral = frame.lateral and (before == "lateral" or frame.first)
            return Frame(Level.FROM, Place.FROM_ITEM, item=True, lateral=lateral, clause="from")
        if frame.may_begin and not frame.naming:
            place = Place.SUBQUERY if frame.place is Place.STATEMENT else frame.place
            if frame.operand:
                place = Place.SET_OPERATION
            level = frame.level if frame.first and len(self._frames) > 1 else Level.QUERY
            return Frame(level, place)
        if frame.listing and before in ("as", "materialized"):
            return Frame(Level.QUERY, Place.CTE)
        if frame.verb == "copy" and before == "copy":
            return Frame(Level.QUERY, Place.COPY)
        if before in ("exists", "array") and self._at(index - 2) != ".":
            return Frame(Level.QUERY, Place.SUBQUERY)
        token = self._tokens[index - 1] if index else None
        words = token is not None and token.kind is Kind.IDENTIFIER
        if (
            (words and before in frames.BEFORE_EXPRESSIONS and self._at(index - 2) != ".")
            or (self._at(index - 2), before) in frames.BEFORE_EXPRESSIONS_IN_PAIRS
            or before in ("(", "[", ",")
            or (token is not None and token.kind is Kind.OPERATOR)
            or before in (":=", "=>", ":")
        ):
            return Frame(Level.EXPRESSION, Place.SUBQUERY)
        return Frame(Level.OTHER, Place.SUBQUERY, may_begin=False)

    def _close(self, index: int) -> None:
        if len(self._frames) == 1:
            return
        inner = self._frames.pop()
        frame = self._frames[-1]
        after = index + 1
        if inner.sole >= 0:
            if inner.alone and self._at(after) == ")" and len(self._frames) > 1:
                frame.sole = inner.sole
            elif inner.level is Level.FROM:
                if not self._has_alias(after):
                    found = self._found[inner.sole]
                    self._found[inner.sole] = replace(
                        found, alias=self._new_alias(), alias_at=self._tokens[index].end
                    )
            elif inner.level is Level.QUERY:
                tailed = self._at(after) in frames.TAILS and not frame.operand
                if tailed or frame.after_with:
                    self._found[inner.sole] = replace(self._found[inner.sole], wrapped=True)
        if frame.listing and inner.place is Place.CTE:
            frame.hidden = Hidden(frame.named, frame.hidden) if frame.named else frame.hidden
            frame.may_begin = frame.after_with = True
        elif frame.verb in ("insert into", "explain"):
            frame.may_begin = True

    # -- words ------------------------------------------------------------------------------------------

    def _read_word(self, frame: Frame, index: int, begins: bool, item: bool) -> None:
        word, before = self._words[index], self._at(index - 1)
        if before == "." or word == ".":
            frame.may_begin = frame.verb == "insert into" and word != "."
            return
        if frame.listing and self._read_list(frame, index):
            return
        if word == ",":
            frame.item = frame.clause == "from"
            return
        if word == ";":
            if len(self._frames) == 1 or self._refusal is not None:
                frame.verb = frame.clause = ""
                frame.may_begin = True
            return
        if word in frames.SET_OPERATIONS and not (before == "as" and frame.clause == "list"):
            frame.clause, frame.may_begin, frame.operand = "", True, True
        elif frame.operand and begins and word in ("all", "distinct") and before in frames.SET_OPERATIONS:
            frame.may_begin = True
        elif begins and self._begins(frame, index):
            frame.operand = frame.after_with = False
        elif not self._read_command(frame, index):
            self._read_clause(frame, index, item)
            if begins and frame.level is Level.EXPRESSION:
                frame.clause = ""

    def _begins(self, frame: Frame, index: int) -> bool:
        """Whether the word at `index`, where a query may begin, begins one or another command."""
        word = self._words[index]
        if word == "with":
            frame.listing = frame.naming = True
            frame.recursive = False
        elif word in frames.STARTS:
            if len(self._frames) == 1:
                self._command = self._command or Command.QUERY
            frame.verb, frame.clause = word, "list" if word == "select" else ""
        elif word in frames.CHANGES:
            self._is(word)
            frame.verb, frame.clause = word, ""
        elif len(self._frames) > 1:
            return False
        elif word in ("explain", "copy", "declare", "prepare"):
            self._is(word)
            frame.verb = word
            if word == "explain":
                frame.may_begin, frame.place = True, Place.EXPLAIN
        elif word == "create":
            frame.verb, frame.creates = word, ""
        else:
            return False
        return True

    def _is(self, command: str) -> None:
        if len(self._frames) == 1:
            self._command = self._command or frames.COMMANDS[command]

    def _read_list(self, frame: Frame, index: int) -> bool:
        """Whether the token belongs to the list of WITH queries that is being read."""
        word = self._words[index]
        if word == "recursive" and self._at(index - 1) == "with":
            frame.recursive = True
        elif word == ",":
            frame.naming, frame.may_begin = True, False
        elif frame.naming:
            frame.naming = False
            token = self._tokens[index]
            source = self._statement.text[token.start : token.end]
            quoted = token.kind is Kind.QUOTED_IDENTIFIER
            frame.named = source[1:-1].replace('""', '"') if quoted else word
            if frame.recursive:
                frame.hidden, frame.named = Hidden(frame.named, frame.hidden), ""
        elif frame.after_with and (word in frames.STARTS or word in frames.CHANGES):
            frame.listing = False
            self._begins(frame, index)
            frame.after_with = False
        else:
            # SEARCH and CYCLE stand between the list and the query
            frame.may_begin = frame.after_with
        return True

    def _read_command(self, frame: Frame, index: int) -> bool:
        """Whether the word leads to the query inside another command."""
        word, verb, before = self._words[index], frame.verb, self._at(index - 1)
        if verb == "insert" and word == "into":
            frame.verb, frame.place = "insert into", Place.INSERT
        elif verb == "insert into":
            if word in ("values", "default"):
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
            if word in frames.ROUTINES:
                self._refusal = Refusal.ROUTINE
            elif word == "rule":
                self._refusal = Refusal.RULE
        elif verb == "create" and word == "create":
            frame.creates = ""
        elif verb == "create" and word == "as" and frame.creates in frames.CREATED:
            self._is(frame.creates)
            frame.may_begin, frame.place = True, frames.CREATED[frame.creates]
        elif (verb, word) in (("prepare", "as"), ("declare", "for")):
            frame.may_begin = True
            frame.place = Place.PREPARE if verb == "prepare" else Place.CURSOR
        elif self._refusal is not None and word in ("atomic", "do", "also", "instead"):
            frame.may_begin = True
        else:
            return False
        return True

    def _read_clause(self, frame: Frame, index: int, item: bool) -> None:
        word, verb, before = self._words[index], frame.verb, self._at(index - 1)
        if frame.clause == "from":
            if word in frames.END_OF_FROM or (verb == "merge" and word == "when"):
                frame.clause = ""
            elif word in ("join", "lateral", "only"):
                frame.item = word != "only"
                frame.lateral = word == "lateral"
        elif word == "from":
            distinct = before == "distinct" and self._at(index - 2) in ("is", "not")
            if not distinct and ((verb == "select" and frame.clause == "list") or verb == "update"):
                frame.clause, frame.item, frame.lateral = "from", True, False
        elif word == "using" and verb in ("delete", "merge"):
            frame.clause, frame.item, frame.lateral = "from", True, False
        elif word in frames.END_OF_FROM and not (before == "as" and frame.clause == "list"):
            frame.clause = ""

    # -- errors -----------------------------------------------------------------------------------------

    def _refuse_renamed(self, index: int) -> None:
        """`FROM (ASK AS "how many")` is what some tools make of `FROM (ASK 'how many')`."""
        alias = index + 1 + (self._at(index + 1) == "as")
        if alias >= len(self._tokens) or self._at(alias + 1) != ")":
            return
        if self._tokens[alias].kind is Kind.QUOTED_IDENTIFIER:
            self._fail(
                alias,
                "The question of an ASK is a string constant. A tool that writes SQL anew may have changed"
                " the quotes; the form ask('question') survives that.",
            )

    def _fail_lateral(self, index: int) -> NoReturn:
        raise AskSyntaxError(
            "an ASK cannot be LATERAL",
            hint="An ASK cannot refer to other items of FROM; leave out LATERAL.",
            position=self._tokens[index].start + 1,
        )

    def _fail(self, index: int, hint: str = "") -> NoReturn:
        Reader(self._statement, index).fail(hint)

    def _site(self, found: Found) -> AskSite:
        return found.site(self._statement.index, self._count, self._command or Command.QUERY)
