"""Finding the ASKs of a message, and what each needs when SQL takes its place.

Owns: from a text to its sites.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from askwire.sql.ask.commands import WORDS, is_command
from askwire.sql.ask.misplaced import storing
from askwire.sql.ask.site import AskSite
from askwire.sql.ask.walk import MAX_ASKS, Walk, too_many
from askwire.sql.scan import Kind
from askwire.sql.statements import Statement, fold, split

# What can follow the word where it may be an ASK: a constant, a parameter, a parenthesis, a comment; an alias
# in quotes, which is how some tools write the question; or what teaches, to say that it cannot stand there.
_FOLLOWED: Final = rf"\s*+(?:['$(\"]|/\*|--|[eEnN]'|[uU]&'|[aA][sS]\b|(?i:{'|'.join(sorted(WORDS))})\b)"
_BEFORE: Final = r"(?<![A-Za-z0-9_$\x80-\U0010ffff])"
_AFTER: Final = r"(?![A-Za-z0-9_$\x80-\U0010ffff])"


def might_hold_ask(payload: bytes, function_name: str = "ask") -> bool:
    """Whether the bytes can hold an ASK at all; cheap, and never false for a message that does."""
    lower = payload.lower()
    return b"ask" in lower or (
        function_name not in ("ask", "") and function_name.encode("utf-8", "surrogatepass") in lower
    )


def find_asks(
    text: str, *, standard_conforming_strings: bool = True, function_name: str = "ask"
) -> tuple[AskSite, ...]:
    """The ASKs of a message in order; empty when there are none.

    `function_name` is the function that asks as an item of FROM, in lower case; '' for none. Raises
    `core.errors.AskSyntaxError` with a position in `text` for an ASK that is malformed or not possible at its
    place, and nothing else, for any text. A text that does not use the word is not scanned. Statements that
    teach (ASK RIGHT) are no sites: `find_commands` finds them; nor is what stands in code that is kept for
    later: `find_misplaced` does.
    """
    word, candidate = _patterns(function_name)
    if word.search(text) is None:
        return ()
    statements = list(split(text, standard_conforming_strings=standard_conforming_strings))
    sites: list[AskSite] = []
    for statement in statements:
        if not _worth_a_walk(statement, candidate) or is_command(statement) or storing(statement):
            continue
        found = Walk(statement, len(statements), function_name).sites()
        sites += found
        if len(sites) > MAX_ASKS:
            raise too_many(sites[MAX_ASKS].start)
    return tuple(sites)


def _worth_a_walk(statement: Statement, candidate: re.Pattern[str]) -> bool:
    first = statement.first
    if first.kind is Kind.IDENTIFIER and fold(statement.text[first.start : first.end]) == "ask":
        return True
    return candidate.search(statement.text, first.start, statement.end) is not None


@cache
def _patterns(function_name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The words on their own, and the words where an ASK may be.

    Only ASCII letters fold: PostgreSQL does not read U+017F as an s.
    """
    words = "|".join("".join(_letters(name)) for name in dict.fromkeys(("ask", function_name)) if name)
    word = rf"{_BEFORE}(?:{words}){_AFTER}"
    return re.compile(word), re.compile(rf'{word}"?{_FOLLOWED}')


def _letters(name: str) -> Iterator[str]:
    for letter in name:
        if letter.isascii() and letter.isalpha():
            yield f"[{letter.lower()}{letter.upper()}]"
        else:
            yield re.escape(letter)
