"""Putting SQL instead of ASKs, and finding the way back from the result to the user's text.

Owns: the text of the rewritten message and the correspondence of its positions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask.site import AskSite
from askwire.sql.literals import quote_identifier
from askwire.sql.scan import Kind, significant

_NEAR: Final = re.compile(r'\A(.* at or near )"(.*)"\Z', re.DOTALL)
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class _Edit:
    """`written` instead of characters `start` to `end`; positions inside it map to `origin`."""

    start: int
    end: int
    written: str
    origin: int


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text with SQL instead of its ASKs.

    `marks` are pairs of offsets, counted from 0, ascending in both: a piece of `text` begins at the first,
    which is the second in the user's text; a negative second says that the whole piece is ours and belongs
    to the character at its complement.
    """

    text: str
    original: str
    marks: tuple[tuple[int, int], ...]

    def original_position(self, position: int) -> int | None:
        """The position in the user's text for one in `text`; both count characters from 1, as `P` does.

        A position inside substituted SQL is that of its ASK. The end of the text (one past its last
        character) maps to the end. None for a position outside the text.
        """
        offset = position - 1
        if not 0 <= offset <= len(self.text):
            return None
        begins, source = self.marks[bisect_right(self.marks, offset, key=lambda mark: mark[0]) - 1]
        return ~source + 1 if source < 0 else source + offset - begins + 1


def substitute(text: str, replacements: Sequence[tuple[AskSite, str]]) -> Rewritten:
    """`text` with `(SQL)` instead of each ASK and every other character as it was.

    `ASK 'how many'; COMMIT` becomes `(SELECT count(*) FROM t); COMMIT`, `FROM (ASK 'q')` becomes
    `FROM ((SELECT …)) AS ask`, and `ASK 'q' LIMIT 3` becomes `(SELECT * FROM (SELECT …) AS ask) LIMIT 3`. A
    `;` or comment at the end of the SQL is left out, so that the closing parenthesis stands. Raises
    ValueError when two sites overlap.
    """
    pieces: list[str] = []
    marks: list[tuple[int, int]] = []
    position = written = 0
    for edit in sorted(_edits(replacements), key=lambda edit: edit.start):
        if edit.start < position:
            raise ValueError("two ASKs of one text overlap")
        marks += ((written, position), (written + edit.start - position, ~edit.origin))
        pieces += (text[position : edit.start], edit.written)
        written += edit.start - position + len(edit.written)
        position = edit.end
    pieces.append(text[position:])
    marks.append((written, position))
    return Rewritten("".join(pieces), text, tuple(_without_empty(marks, written)))


def reads_back(rewritten: Rewritten, *, server_version: int = 0) -> None:
    """Check that a rewritten text is SQL; raises `AskSyntaxError` at the user's own position.

    Calling it with a placeholder for each ASK (`SELECT NULL`) tells a text that can never be right before
    anyone is asked. `server_version` is the backend's, as in `server_version_num`: one that is newer than our
    copy of the grammar may know more than we do, so nothing is refused for it, and its own errors are
    mapped by `original_position` like any other.
    """
    from pglast import parser  # noqa: PLC0415 (loading the parser costs more than most callers need)

    if server_version // 10_000 > parser.get_postgresql_version()[0]:
        return
    message, offset = _parse_error(rewritten.text)
    if not message:
        return
    if offset is None:
        raise AskSyntaxError(message, position=len(rewritten.original) + 1)
    position = rewritten.original_position(offset + 1) or 0
    raise AskSyntaxError(message, position=position)


def _parse_error(text: str) -> tuple[str, int | None]:
    """PostgreSQL's message for a text that does not parse and where, from 0; '' when it does."""
    from pglast import parser  # noqa: PLC0415

    try:
        parser.split(text)
    except (parser.ParseError, UnicodeEncodeError):
        # Positions behind characters of several bytes come out wrong, so the same text is read in ASCII.
        try:
            parser.split(_NOT_ASCII.sub("_", text))
        except parser.ParseError as error:
            message, offset = error.args[0], error.args[1] if len(error.args) > 1 else None
            near = _NEAR.match(message)
            if near and offset is not None:
                message = f'{near[1]}"{text[offset : offset + len(near[2])]}"'
            return message, offset
    return "", None


def _edits(replacements: Sequence[tuple[AskSite, str]]) -> Iterator[_Edit]:
    for site, sql in replacements:
        body = f"({_body(sql)})"
        if site.wrapped:
            body = f"(SELECT * FROM {body} AS ask)"
        if not site.alias:
            yield _Edit(site.start, site.end, body, site.start)
        elif site.alias_at == site.end:
            yield _Edit(site.start, site.end, f"{body} AS {quote_identifier(site.alias)}", site.start)
        else:
            yield _Edit(site.start, site.end, body, site.start)
            alias = f" AS {quote_identifier(site.alias)}"
            yield _Edit(site.alias_at, site.alias_at, alias, max(site.alias_at - 1, 0))


def _without_empty(marks: list[tuple[int, int]], end: int) -> Iterator[tuple[int, int]]:
    """The marks of pieces that hold a character, and the last one, which holds the text's end."""
    for mark, following in pairwise(marks):
        if mark[0] < following[0]:
            yield mark
    yield marks[-1]


def _body(sql: str) -> str:
    end = 0
    for token in significant(sql):
        if not (token.kind is Kind.PUNCTUATION and sql[token.start : token.end] == ";"):
            end = token.end
    return sql[:end]
