"""Remarks in comments: what was found in the data of a column or a table, behind what people wrote.

Owns: how remarks are written into a comment, and reading them back; the column that a comment names.

    Customer No. [found: refers to customers.id; unit: kilograms]
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.sql.literals import quote_identifier

_REMARK_START: Final = " [found: "
_REMARKS: Final = re.compile(r"(?:^|\s)\[found: (?P<said>[^\[\]]*)\]\s*\Z")
_NAME: Final = r'(?:"(?:[^"]|"")+"|[^\W\d]\w*)'
_REFERS: Final = re.compile(rf"(?:^|; )refers to (?P<table>{_NAME})\.(?P<column>{_NAME})(?=;|$| )")
_NAMED: Final = re.compile(
    r"(?:(?P<lead>[^\W\d_]+(?: [^\W\d_]+){0,2})(?:[,:;]| [–—-])\s+)?"
    r"(?:(?:see|key of|references|refers to|points to|foreign key to|fk(?: to)?|->|→|=) ?)?"
    rf"(?P<table>{_NAME})\.(?P<column>{_NAME})\.?",
    re.IGNORECASE,
)
_DENYING: Final = frozenset(
    (
        *("not", "no", "never", "neither", "former", "formerly", "previously", "deprecated", "obsolete"),
        *("legacy", "old", "unlike", "except", "was", "nicht", "kein", "keine", "pas", "niet", "geen"),
        *("не", "нет"),
    )
)
_MAX_READ_CHARACTERS: Final = 200
"""Characters of a comment that may name a column."""
_WITHOUT_REMARK_SIGNS: Final = str.maketrans({"[": "(", "]": ")", ";": ","})


def with_remarks(comment: str, remarks: Iterable[str]) -> str:
    """The comment with remarks behind it, those that it had left out; without any, the plain comment.

    Brackets and semicolons inside of a remark become other signs, except within quoted names.
    """
    plain = without_remarks(comment)
    said = "; ".join(remarks)
    return f"{plain}{_REMARK_START}{said}]".lstrip() if said else plain


def without_remarks(comment: str) -> str:
    """The comment as people wrote it."""
    if "[found: " not in comment:
        return comment
    found = _REMARKS.search(comment)
    return comment[: found.start()].rstrip() if found else comment


def remark(text: str) -> str:
    """A text as one remark, without the signs that end one."""
    return text.translate(_WITHOUT_REMARK_SIGNS)


def refers_to(table: str, column: str) -> str:
    """The remark that a column refers to another one; '' for names that a remark cannot hold."""
    written = f"{quote_identifier(table)}.{quote_identifier(column)}"
    return "" if set("[];") & set(written) else f"refers to {written}"


def referred_to(comment: str) -> tuple[str, str] | None:
    """The table and the column that a comment says the column refers to, or None."""
    if "refers to " not in comment:
        return None
    found = _REMARKS.search(comment)
    named = _REFERS.search(found["said"]) if found else None
    return (_plain(named["table"]), _plain(named["column"])) if named else None


def named_column(comment: str) -> tuple[str, str] | None:
    """The table and column that a comment names with hardly another word: (emp, id) of 'rep, emp.id'."""
    if "." not in comment:
        return None
    said = without_remarks(comment).strip()
    found = _NAMED.fullmatch(said) if len(said) <= _MAX_READ_CHARACTERS else None
    if found is None or _DENYING & {*(found["lead"] or "").lower().split()}:
        return None
    return _plain(found["table"]), _plain(found["column"])


def _plain(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name
