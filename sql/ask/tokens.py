"""The tokens of one statement as a walk over it looks at them: by number, as words, in matched parentheses.

Owns: what can be said of single tokens and their neighbours.
"""

from __future__ import annotations

from typing import NoReturn

from askwire.sql.scan import STRING_KINDS, Kind
from askwire.sql.statements import Reader, Statement, fold


class Tokens:
    """The tokens of `statement`; `words` are unquoted words folded, signs as they stand, "" for the rest."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.all = statement.tokens
        self.words = [self._word(index) for index in range(len(self.all))]
        self._closers = self._matched()

    def at(self, index: int) -> str:
        """The word at `index`, '' outside the statement."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def source(self, index: int) -> str:
        """The token as the user wrote it."""
        token = self.all[index]
        return self.statement.text[token.start : token.end]

    def reader(self, index: int) -> Reader:
        """A reader that stands at the token."""
        return Reader(self.statement, index)

    def fail(self, index: int, hint: str = "") -> NoReturn:
        """Raise a syntax error at the token."""
        self.reader(index).fail(hint)

    def constant_after(self, index: int) -> int:
        """Where the question of an ASK at `index` would stand; -1 where none does."""
        index += 1
        if self.at(index) == "(":
            index = self._closers.get(index, len(self.all)) + 1
        if index < len(self.all) and self.all[index].kind in {*STRING_KINDS, Kind.PARAMETER}:
            return index
        return -1

    def options_at(self, index: int) -> bool:
        """Whether parentheses begin here that hold a name first, as the options of an ASK do."""
        named = self.all[index + 1].kind if index + 1 < len(self.all) else None
        return self.at(index) == "(" and named in (Kind.IDENTIFIER, Kind.QUOTED_IDENTIFIER)

    def name(self, index: int) -> str:
        """The identifier as the catalog has it, '' for another token."""
        if self.all[index].kind is Kind.QUOTED_IDENTIFIER:
            return self.source(index)[1:-1].replace('""', '"')
        return self.words[index] if self.all[index].kind is Kind.IDENTIFIER else ""

    def calls(self, index: int, function: str) -> bool:
        """Whether a call of the function with a question begins here: `ask('…'` or `ask($1`, in any case."""
        if not function or self.at(index + 1) != "(" or index + 2 >= len(self.all):
            return False
        return fold(self.name(index)) == function and self.all[index + 2].kind in {
            *STRING_KINDS,
            Kind.PARAMETER,
        }

    def alias_at(self, index: int) -> bool:
        """Whether an alias of an item of FROM stands here, with or without AS."""
        if index >= len(self.all):
            return False
        if self.all[index].kind in (Kind.QUOTED_IDENTIFIER, Kind.UNICODE_IDENTIFIER):
            return True
        if self.all[index].kind is not Kind.IDENTIFIER:
            return False
        from pglast import keywords  # noqa: PLC0415 (loading the parser costs more than most callers need)

        word = self.words[index]
        return word == "as" or not (
            word in keywords.RESERVED_KEYWORDS or word in keywords.TYPE_FUNC_NAME_KEYWORDS
        )

    def _word(self, index: int) -> str:
        if self.all[index].kind is Kind.IDENTIFIER:
            return fold(self.source(index))
        if self.all[index].kind in (Kind.PUNCTUATION, Kind.OPERATOR):
            return self.source(index)
        return ""

    def _matched(self) -> dict[int, int]:
        """The index of each closing parenthesis by that of its opening one."""
        opened: list[int] = []
        closers = {}
        for index, word in enumerate(self.words):
            if word == "(":
                opened.append(index)
            elif word == ")" and opened:
                closers[opened.pop()] = index
        return closers
