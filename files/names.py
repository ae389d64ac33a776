"""Plain SQL names for columns, tables and schemas, from names that people gave them.

Owns: the rules of these names.

    'Customer Name'  → customer_name        'Umsatz (€)'    → umsatz_eur
    'orderDate'      → order_date           '% of total'    → percent_of_total
    'user'           → user_                '2024'          → c_2024
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

MAX_NAME_BYTES: Final = 63
"""Bytes of a name in PostgreSQL; longer ones would be cut there, two of them perhaps to the same."""

_WORDS_FOR_SIGNS: Final = {
    "%": " percent ",
    "#": " number ",
    "&": " and ",
    "€": " eur ",
    "$": " usd ",
    "£": " gbp ",
    "¥": " jpy ",
    "°": " deg ",
    "+": " plus ",
    "@": " at ",
    "µ": "u",
    "ß": "ss",
    "æ": "ae",
    "ø": "o",
    "œ": "oe",
    "đ": "d",
    "ł": "l",
    "ı": "i",
    "²": "2",
    "³": "3",
}

# Words that PostgreSQL reads as something else where a column or table is named, its reserved words and those
# that only may stand there after AS.
_RESERVED: Final = frozenset(
    [
        "all",
        "analyse",
        "analyze",
        "and",
        "any",
        "array",
        "as",
        "asc",
        "asymmetric",
        "authorization",
        "binary",
        "both",
        "case",
        "cast",
        "check",
        "collate",
        "collation",
        "column",
        "concurrently",
        "constraint",
        "create",
        "cross",
        "current_catalog",
        "current_date",
        "current_role",
        "current_schema",
        "current_time",
        "current_timestamp",
        "current_user",
        "default",
        "deferrable",
        "desc",
        "distinct",
        "do",
        "else",
        "end",
        "except",
        "false",
        "fetch",
        "for",
        "foreign",
        "freeze",
        "from",
        "full",
        "grant",
        "group",
        "having",
        "ilike",
        "in",
        "initially",
        "inner",
        "intersect",
        "into",
        "is",
        "isnull",
        "join",
        "lateral",
        "leading",
        "left",
        "like",
        "limit",
        "localtime",
        "localtimestamp",
        "natural",
        "not",
        "notnull",
        "null",
        "offset",
        "on",
        "only",
        "or",
        "order",
        "outer",
        "overlaps",
        "placing",
        "primary",
        "references",
        "returning",
        "right",
        "select",
        "session_user",
        "similar",
        "some",
        "symmetric",
        "system_user",
        "table",
        "tablesample",
        "then",
        "to",
        "trailing",
        "true",
        "union",
        "unique",
        "user",
        "using",
        "variadic",
        "verbose",
        "when",
        "where",
        "window",
        "with",
        "ctid",
        "xmin",
        "xmax",
        "cmin",
        "cmax",
        "tableoid",
        "oid",
    ]
)
_PLURALS: Final = {"user": "users", "order": "orders", "group": "groups", "table": "tables", "case": "cases"}


def plain_name(original: str, *, fallback: str, table: bool = False) -> str:
    """One SQL name that needs no quotes; `fallback` where the original has no letters or digits at all."""
    text = unicodedata.normalize("NFKC", original).strip()
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", text).lower()
    text = "".join(_WORDS_FOR_SIGNS.get(sign, sign) for sign in text)
    decomposed = unicodedata.normalize("NFKD", text)
    text = unicodedata.normalize("NFC", "".join(c for c in decomposed if not unicodedata.combining(c)))
    text = re.sub(r"[\W_]+", "_", re.sub("['’]", "", text)).strip("_")
    if not text:
        return fallback
    if text[0].isdigit() or not text[0].isalpha():
        text = ("t_" if table else "c_") + text
    if text in _RESERVED:
        text = _PLURALS[text] if table and text in _PLURALS else text + "_"
    return _cut(text, MAX_NAME_BYTES)


def unique_names(originals: Sequence[str], *, fallback: str, taken: Iterable[str] = ()) -> list[str]:
    """Plain names of these, in order; a name that comes again gets _2, _3 and so on."""
    used = set(taken)
    wanted = [plain_name(name, fallback=f"{fallback}_{n}") for n, name in enumerate(originals, 1)]
    reserved = set(wanted)
    names = []
    for name in wanted:
        chosen = name if name not in used else _numbered(name, used | reserved)
        used.add(chosen)
        names.append(chosen)
    return names


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """A name, with a number behind it where it is taken."""
    used = set(taken)
    return wanted if wanted not in used else _numbered(wanted, used)


def _numbered(name: str, used: set[str]) -> str:
    number = 2
    while (numbered := f"{_cut(name, MAX_NAME_BYTES - 1 - len(str(number)))}_{number}") in used:
        number += 1
    return numbered


def _cut(text: str, most: int) -> str:
    if len(text.encode()) <= most:
        return text
    return text.encode()[:most].decode(errors="ignore").rstrip("_")
