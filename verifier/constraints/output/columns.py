"""How many output columns the question enumerates: 'the name and age of'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.core.types import Span
from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.wording import Wording

_OPENING: Final = re.compile(
    r"\A\s*(?:(?:please|can you|could you) )?(?:(?:what|which) (?:is|are|was|were)|find|find out|list"
    r"|list out|show|show me|give|give me"
    r"|return|tell me|display|get|select|report|provide|compute|calculate)(?: me"
    r"| us)?\s+(?:all(?: of)? )?(?:the |all |out )*"
)
_MAX_ENUMERATED_CHARACTERS: Final = 120
"""Characters of one enumerated thing; more are not looked at."""
_END: Final = re.compile(
    r"\s*(?:\b(?:of|for|from|in|on|at|by|with|that|which|who|whose|where|when|have|has|having|is|are|was"
    r"|were|did|do|does|to|sorted"
    r"|ordered|belonging|used|held|among|located|given|than|associated|made|ordering|owned)\b|[?.;:—\x00]|\Z)"
)
_SEPARATOR: Final = re.compile(
    r"\s*,\s*(?:and\s+)?(?:the\s+|all\s+)?|\s+and\s+(?:also\s+)?(?:the\s+|all\s+)?"
)
_ITEM: Final = re.compile(
    r"(?:(?:different|distinct|unique|average|total|maximum|minimum|first|last|full) )*[a-z]+(?: [a-z]+){0,2}"
)
_FURTHER: Final = re.compile(
    r"\band (?:their|its|his|her|the|how|what|also|which|whose|show|list|give|find|return|for each|then"
    r"|other|average|number|count|each)\b"
    r"|\b(?:as well as|along with|together with|in addition|plus|including|respectively|each|every|per"
    r"|both|or|also|different|distinct|all information|"
    r"corresponding|by|with (?:the|their|its) (?:number|total|average|count|corresponding))\b|,"
)
_VAGUE: Final = re.compile(
    r"\b(?:information|info|details?|everything|data|records?|rows?|contents?|attributes|properties"
    r"|columns|fields|statistics|summary"
    r"|breakdown|distribution|difference|comparison|relationship|pairs?|list|lists|combinations?|members?"
    r"|people|addresses|address"
    r"|location|range|percentage|ratio|rate|trend|top|best|each|every|coordinates|contacts?|type and"
    r"|history|score|total|sum|corresponding|together)\b"
)
_COMPUTED: Final = re.compile(
    r"\b(?:number|numbers|amount|count|total|average|mean|max|min|maximum|minimum|highest|lowest|oldest|youngest|types?"
    r"|units?|longest|shortest|sum|latest|earliest)\b"
)
_ALONE: Final = re.compile(r" (?:of|for) (?!.*\band\b)[^.?;]*[.?]?\s*\Z")
_ACRONYM: Final = re.compile(r"\b(?!IDs?\b)[A-Z]{2,}")
"""An abbreviation may stand for more than one column."""
_NAMES: Final = re.compile(r"\b(?:names?|full names?)\b")
_NAME_PARTS: Final = re.compile(
    r"first|last|middle|fname|lname|given|family|fore|sur|forename|^[fl]_?nm?$|^[fl]_name$"
)
_FULL_NAME_PARTS: Final = 2


def extract(wording: Wording) -> Iterable[Constraint]:
    """'Show the name and age of every singer': two columns.

    Silent when the rest of the question may ask for more, and when an item can be more than one column.
    """
    plain = wording.plain
    items, start, position = enumerated(plain)
    if not items or _FURTHER.search(plain, position) or any(_VAGUE.search(item) for item in items):
        return
    if len(items) == 1 and (_COMPUTED.search(items[0]) or not _ALONE.match(plain, position)):
        return
    if _ACRONYM.search(wording.question.text, start, position):
        return
    span = Span(start, position, wording.question.text[start:position])
    message = f'the question asks for "{span.text}": the SQL needs {_told(len(items))}'
    yield Constraint("columns", (span,), message, k=len(items), words=items)


def enumerated(plain: str) -> tuple[tuple[str, ...], int, int]:
    """The things a question begins by listing, and where they begin and end; none where that is not plain.

    'show the name and age of every singer' lists 'name' and 'age'.
    """
    opening = _OPENING.match(plain)
    if opening is None:
        return (), 0, 0
    items: list[str] = []
    position = opening.end()
    while (found := _item(plain, position)) is not None:
        items.append(found)
        position += len(found)
        if _END.match(plain, position):
            return tuple(items), opening.end(), position
        separator = _SEPARATOR.match(plain, position)
        if separator is None:
            break
        position = separator.end()
    return (), 0, 0


def _told(count: int) -> str:
    return "one column" if count == 1 else f"{count} columns"


def _item(plain: str, position: int) -> str | None:
    """The words of one enumerated thing, up to what ends or separates it."""
    stop = min(len(plain), position + _MAX_ENUMERATED_CHARACTERS)
    for pattern in (_END, _SEPARATOR):
        found = pattern.search(plain, position, stop)
        if found is not None:
            stop = min(stop, found.start())
    text = plain[position:stop]
    return text if _ITEM.fullmatch(text) else None


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """As many columns as are named; a name may be in two parts."""
    effects = evidence.effects
    if effects.star or not effects.outputs:
        return True
    parts = [o for o in effects.outputs if _NAME_PARTS.search(o.name)]
    named = any(_NAMES.search(item) for item in constraint.words)
    # who is asked for is shown by first and last name
    whole = len(parts) % _FULL_NAME_PARTS == 0 and not any(
        _NAME_PARTS.search(item) for item in constraint.words
    )
    spare = len(parts) if named else len(parts) // _FULL_NAME_PARTS if whole else 0
    wanted = constraint.k or 0
    return wanted <= len(effects.outputs) <= wanted + spare


RULE: Final = ConstraintRule("columns", extract, holds)
