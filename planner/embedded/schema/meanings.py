"""What codes mean, as comments say it: 'Weather: 1=Clear, 2=Rain' → 1 clear, 2 rain.

Owns: reading the lists that comments hold.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.sql.catalog import Column

MAX_CODES: Final = 60
"""Codes of one comment that are kept."""
_MAX_COMMENT_CHARACTERS: Final = 2000
_MAX_MEANING_WORDS: Final = 5
_CODE: Final = r"(?<![\w.-])['\"`]?(?P<code>-?[A-Za-z0-9][\w+./]{0,11})['\"`]?"
_MARKS: Final = tuple(
    re.compile(_CODE + mark)
    for mark in (
        r"\s*(?:=>|==?)\s*",
        r"\s*(?:->|→|\s[-\u2013\u2014]\s|[-\u2013\u2014](?=[A-Za-z]))\s*",
        r"\s*:\s+",
    )
)
"""How a code is told from its meaning, the surest way first."""
_BARE: Final = re.compile(
    r"(?P<code>[A-Z]{1,3}|[0-9]{1,3}|[A-Z][0-9]{1,2})\s+(?P<meaning>[A-Za-z][^:=]{1,40})"
)
_BEHIND: Final = re.compile(r"(?P<meaning>[A-Za-z][A-Za-z /-]{1,40}?)\s*\((?P<code>[A-Z]{1,3}|[0-9]{1,3})\)")
_ENDS: Final = re.compile(r"[)\]}\n|]|\.(?:\s|$)|[,;]\s*(?:NULL|null)\b")
_List = list[tuple[str, str]]


def read_meanings(column: Column) -> tuple[tuple[str, str], ...]:
    """(stored value, what it means in lower case) of each code that the comment of a column explains.

    Codes stand before '=', a dash or ':'; or bare before their meaning, where every part of a list begins so
    ('K fatal, A serious'); or in brackets behind it. Of a number column only numbers are codes; at least two
    are wanted.
    """
    if not column.comment or column.category not in "NSE":
        return ()
    found, _ = _read(column)
    kept = {code: meaning.strip(" .,;/'\"`").lower() for code, meaning in found}
    if len(kept) < 2:
        return ()
    stored = {v.strip().casefold(): v for v in (*column.common_values, *column.enum_labels)}
    return tuple((stored.get(c.casefold(), c), m) for c, m in kept.items() if m)[:MAX_CODES]


def said_of_yes(column: Column) -> str:
    """What a yes-or-no column says yes to, where its comment is that and no more ('Hit and run'); else ''."""
    said = column.comment.strip().rstrip(".").lower()
    said = re.sub(
        r"^(?:whether|if|flag(?: for)?|indicates(?: whether| if)?|is|was|were)\s+|\s+(?:flag|indicator|y/n)$",
        "",
        said,
    )
    return (
        said if re.fullmatch(r"[a-z][a-z -]{2,40}", said) and len(said.split()) <= _MAX_MEANING_WORDS else ""
    )


_MAX_STATE_WORDS: Final = 2
"""Words of a state: 'open', 'not billed' says another."""
_DENYING: Final = frozenset(
    {"not", "no", "never", "none", "nobody", "nothing", "without", "unless", "until", "longer", "yet", "one"}
)
_EMPTY: Final = re.compile(
    r"\b(?:null|empty|blank|not set|unset)\b(?: \w+)?\s*(?:=|:|means|while|when|if|for|as long as)\s*"
    r"(?:still |currently |it is |they are |the )*(?P<said>[a-z][a-z -]{2,30})",
    re.IGNORECASE,
)


_HIDES: Final = re.compile(
    r"\bsoft[- ]?delet|\b(?:rows?|records?|entries|those) (?:with|that have) (?:a|any) (?:value|date|time)\b"
    r"[^.;]*\b(?:hidden|excluded|ignored|left out|not (?:shown|counted))",
    re.I,
)


def hides_rows(column: Column) -> bool:
    """Whether a comment says that rows with a value, or with true, are hidden, as deleted ones are."""
    told = column.type_name == "boolean" or (column.category == "D" and not column.not_null)
    return told and _HIDES.search(column.comment or "") is not None


def said_of_empty(column: Column) -> str:
    """What a comment says of rows that have nothing in a column: 'NULL = still open' → open; else ''."""
    found = _EMPTY.search(column.comment) if column.comment and not column.not_null else None
    said = found["said"].lower().split() if found else []
    return "" if len(said) > _MAX_STATE_WORDS or not _DENYING.isdisjoint(said) else " ".join(said)


_YES_OR_NO: Final = re.compile(r"\b(?:true|false|t|f|y|n|yes|no|1|0)\s*(?:=|:|means\b)", re.IGNORECASE)


def of_the_column(column: Column) -> str:
    """The part of a comment that may say what the column is: what stands before the values it explains."""
    explained = _YES_OR_NO.search(column.comment)
    return column.comment[: explained.start()] if explained else without_codes(column)


def without_codes(column: Column) -> str:
    """The comment without the codes it explains: what is left says what the column is."""
    _, at = _read(column)
    return column.comment[:at]


def _read(column: Column) -> tuple[_List, int]:
    """The codes with their meanings, and where in the comment they begin."""
    comment = column.comment[:_MAX_COMMENT_CHARACTERS]
    for mark in _MARKS:
        places = [m for m in mark.finditer(comment) if _fits(column, m["code"])]
        if len(places) > 1:
            ends = [m.start() for m in places[1:]] + [len(comment)]
            found = [
                (m["code"], _ENDS.split(comment[m.end() : end], maxsplit=1)[0])
                for m, end in zip(places, ends, strict=True)
            ]
            return found, places[0].start()
    parts = list(re.finditer(r"[^,;:(\[]+(?=[,;)\].]|$)", comment))
    bare = [(p.start(), m) for p in parts if (m := _BARE.fullmatch(p.group().strip()))]
    if len(bare) > 1 and len(bare) >= len(parts) - 1 and all(_fits(column, m["code"]) for _, m in bare):
        return [(m["code"], m["meaning"]) for _, m in bare], bare[0][0]
    behind = [m for m in _BEHIND.finditer(comment) if _fits(column, m["code"])]
    if len(behind) > 1:
        return [(m["code"], m["meaning"].strip(" -/")) for m in behind], behind[0].start()
    return [], len(column.comment)


def _fits(column: Column, code: str) -> bool:
    if column.category == "N":
        return re.fullmatch(r"-?[0-9]{1,9}", code) is not None
    values = {v.strip().casefold() for v in (*column.common_values, *column.enum_labels)}
    written = code.isupper() or code.isdigit() or len(code) == 1
    return code.casefold() in values or (written and (not values or len(code) <= 3))
