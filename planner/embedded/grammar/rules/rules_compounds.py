"""Rules for words that belong together: kind of decor, codes of document types, name of the catalog entries.

Owns: which of two mentions beside 'of' only rounds off the other. Must not know: schemas, except what the
scan tells of a mention.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.scanning import Scan, each, word_of

_KINDS: Final = frozenset({"kind", "kinds", "sort", "sorts"})
_GENERIC: Final = frozenset({"name", "names", "code", "codes", "id", "ids", "title", "titles"})
_ALL: Final = r"(?:(?:the|all|each|every|a|an|different|distinct) )*"


def compounds(scan: Scan) -> None:
    """'M0 of M1' where M0 is 'kind', or 'name' of what is itself a column."""
    _kinds(scan)
    _columns_of(scan)


def _kinds(scan: Scan) -> None:
    """'what kind of decor': the decor."""

    def dropped(match: re.Match[str]) -> str | None:
        kind, what = int(match["k"]), int(match["m"])
        if word_of(scan, kind) not in _KINDS or "column!" not in scan.kind(what):
            return None
        scan.encoded.spent.add(kind)
        return f"M{what}"

    each(rf"M(?P<k>\d+) of {_ALL}M(?P<m>\d+)", scan, dropped)


def _columns_of(scan: Scan) -> None:
    """'the codes of document types': `document_type_code`, where document types are columns, no table."""

    def called(asked: int, whose: int) -> int | None:
        if word_of(scan, asked) not in _GENERIC:
            return None
        return scan.compound(whose, asked)

    def whole(match: re.Match[str]) -> str | None:
        whose = int(match["m"])
        if "table" in scan.kind(whose):
            return None
        found = [called(int(match[n]), whose) for n in ("b", "a") if match[n]]
        numbers = [n for n in found if n is not None]
        if len(numbers) < len(found):
            return None
        return " and ".join(f"M{n}" for n in numbers)

    each(rf"(?:M(?P<b>\d+) and (?:the )?)?M(?P<a>\d+) of {_ALL}M(?P<m>\d+)", scan, whole)
