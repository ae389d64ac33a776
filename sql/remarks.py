"""Remarks in comments: what was found in the data of a column or a table, behind what people wrote.

Owns: how remarks are written into a comment, and reading them back; columns that comments name.

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
_NAMED: Final = re.compile(rf"(?<![\w.\"])(?P<table>{_NAME})\.(?P<column>{_NAME})(?![\w\"]|\.\w)")
_DENIED: Final = re.compile(
    r"\b(?:not|no|never|unlike|instead of|before|formerly)\s+(?:in |the )?\Z", re.IGNORECASE
)
_MAX_READ_CHARACTERS: Final = 500
"""Characters of a comment in which names are looked for."""
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


def named_columns(comment: str) -> list[tuple[str, str]]:
    """The pairs of a table and a column that a comment names: (emp, emp_id) of 'sales rep, emp.emp_id'."""
    if "." not in comment:
        return []
    said = without_remarks(comment)[:_MAX_READ_CHARACTERS]
    return [
        (_plain(named["table"]), _plain(named["column"]))
        for named in _NAMED.finditer(said)
        if not _DENIED.search(said, 0, named.start())
    ]


def _plain(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name
