"""ASK HELP, and the statements that teach: ASK CHOOSE, RIGHT, WRONG, LEARN, FORGET and APPROVE.

Owns: recognising them as whole statements, and their arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask.question import read_text
from askwire.sql.scan import Kind
from askwire.sql.statements import Reader, Statement, fold, split

CommandKind = Literal["choose", "right", "wrong", "learn", "forget", "approve", "help"]

_FORMS: Final[dict[str, str]] = {
    "choose": "Write ASK CHOOSE n, with the number of a reading.",
    "right": "Write ASK RIGHT.",
    "wrong": "Write ASK WRONG, or ASK WRONG 'the right SQL'.",
    "learn": "Write ASK LEARN 'term' AS 'meaning'.",
    "forget": "Write ASK FORGET 'term', or ASK FORGET n with a number of ask.glossary or ask.history.",
    "approve": "Write ASK APPROVE 'key', with a key of ask.feedback.",
    "help": "Write ASK HELP.",
}
WORDS: Final = frozenset(_FORMS)
"""What follows ASK in one of these statements."""

_LARGEST_INTEGER: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class AskCommand:
    """One of these statements: characters `start` to `end` (exclusive, without `;`), counted from 0.

    `number` is the reading of CHOOSE, from 1, or the row that FORGET takes back. `term` and `meaning` are
    those of LEARN, `term` that of FORGET and the key of APPROVE; `sql` is the right SQL given with WRONG.
    What was not given is 0 or ''.
    """

    kind: CommandKind
    start: int
    end: int
    statement_index: int
    statement_count: int
    number: int = 0
    term: str = ""
    meaning: str = ""
    sql: str = ""


def find_commands(text: str, *, standard_conforming_strings: bool = True) -> tuple[AskCommand, ...]:
    """The teaching statements of a message in order; empty when there are none.

    Raises `AskSyntaxError` with a position in `text` for one that is malformed, and nothing else.
    """
    statements = list(split(text, standard_conforming_strings=standard_conforming_strings))
    return tuple(_read(statement, len(statements)) for statement in statements if is_command(statement))


def is_command(statement: Statement) -> bool:
    """Whether the statement begins as a teaching statement does."""
    if not _is_word(statement, statement.first.start, statement.first.end, "ask"):
        return False
    reader = Reader(statement, 1)
    return reader.at_word(*_FORMS)


def _is_word(statement: Statement, start: int, end: int, word: str) -> bool:
    return statement.first.kind is Kind.IDENTIFIER and fold(statement.text[start:end]) == word


def _read(statement: Statement, count: int) -> AskCommand:
    reader = Reader(statement, 1)
    conforming = statement.standard_conforming_strings
    token = reader.take()
    assert token is not None  # noqa: S101 (is_command looked)
    word = fold(reader.source(token))
    form = _FORMS[word]
    number, term, meaning, sql = 0, "", "", ""
    kind: CommandKind
    if word == "choose":
        kind = "choose"
        number = _read_number(reader, word)
    elif word in ("right", "help"):
        kind = "right" if word == "right" else "help"
    elif word == "wrong":
        kind = "wrong"
        if reader.peek() is not None:
            sql = read_text(reader, conforming, form)
    elif word == "learn":
        kind = "learn"
        term = _read_filled(reader, conforming, form)
        if not reader.at_word("as"):
            reader.fail(form)
        reader.take()
        meaning = _read_filled(reader, conforming, form)
    elif word == "forget" and (token := reader.peek()) is not None and token.kind is Kind.NUMBER:
        kind = "forget"
        number = _read_number(reader, word)
    else:
        kind = "approve" if word == "approve" else "forget"
        term = _read_filled(reader, conforming, form)
    if reader.peek() is not None:
        reader.fail(form)
    end = statement.tokens[-1].end
    return AskCommand(kind, statement.first.start, end, statement.index, count, number, term, meaning, sql)


def _read_number(reader: Reader, word: str) -> int:
    form = _FORMS[word]
    token = reader.peek()
    source = reader.source(token) if token is not None else ""
    if token is None or token.kind is not Kind.NUMBER or not source.isdigit():
        reader.fail(form)
    # A longer run of digits is out of range whatever it says, and need not be converted to be refused.
    if len(source) > 10 or not 1 <= int(source) <= _LARGEST_INTEGER:
        raise AskSyntaxError(
            f"{word.upper()} requires a positive integer", hint=form, position=token.start + 1
        )
    reader.take()
    return int(source)


def _read_filled(reader: Reader, conforming: bool, form: str) -> str:
    token = reader.peek()
    value = read_text(reader, conforming, form)
    if not value.strip():
        assert token is not None  # noqa: S101 (it was read)
        raise AskSyntaxError("the text must not be empty", hint=form, position=token.start + 1)
    return value
