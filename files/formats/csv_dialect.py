"""How a CSV file is written: what separates its fields, how they are quoted, and whether it has a header.

Owns: telling that from the file's beginning.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from askwire.files.formats.spellings import NULL_ALWAYS, SPELLINGS

SAMPLE_LINES: Final = 1_000
MAX_TITLE_LINES: Final = 30
"""Lines of titles above a table, at most."""

_DELIMITERS: Final = ("\t", ";", "|", ",", ":", " ")
_MIN_RAGGED_SHARE: Final = 0.05
"""From this share of short rows on, they are the file's way to leave out empty fields."""

_TYPED_PATTERNS = tuple(one.looks for one in SPELLINGS if one.type != "boolean")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}\Z")


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way to write CSV. `skip` lines stand above the table; `names` are '' for columns without one.

    `header` says that the first line after these holds the names. `pad` says that short rows are whole: their
    last fields were left out.
    """

    delimiter: str
    quote: str
    escape: str
    skip: int
    header: bool
    names: tuple[str, ...]
    pad: bool = False


def tell_dialect(head: str, *, whole: bool, tabs: bool = False) -> Dialect | None:
    """The dialect of a file that begins with `head`, which is all of it if `whole`; None for no fields.

    `tabs` says that the file's name promises tabs.
    """
    lines = list(io.StringIO(head, newline=""))
    if not whole and len(lines) > 1:
        lines.pop()  # it may be cut
    lines = lines[:SAMPLE_LINES]
    best: tuple[float, str, str, list[tuple[int, list[str]]]] | None = None
    quotes = ('"', "'") if re.search(r"(?m)(?:^|[,;\t|])'[^'\n]*'(?:[,;\t|]|$)", head) else ('"',)
    for quote in quotes:
        for delimiter in _DELIMITERS:
            records = _records(lines, delimiter, quote, _escape(head, quote))
            score = _score(records, delimiter, tabs=tabs)
            if best is None or score > best[0] + 1e-9:
                best = (score, delimiter, quote, records)
    if best is None or not best[3]:
        return None
    score, delimiter, quote, records = best
    if score <= 0:  # one column
        delimiter, quote = ("\t" if tabs else ","), '"'
        records = _records(lines, delimiter, quote, quote)
    width = _width(records)
    wide = (n for n, (_, fields) in enumerate(records[:MAX_TITLE_LINES]) if len(fields) >= max(2, width - 1))
    above = 0 if width == 1 else next(wide, 0)
    while above < len(records) - 1 and _is_comment(records[above][1], records[above + 1][1]):
        above += 1
    skip = records[above][0]
    rows = [fields for _, fields in records[above:]]
    header = _has_header(rows)
    names = tuple(name.strip() for name in rows[0]) if header else ("",) * width
    if header and len(names) + 1 == width:  # names for all columns but one
        last = all(len(row) < width or not row[-1].strip() for row in rows[1:])
        names = (*names, "") if last else ("", *names)
    elif header and len(names) < width:
        names = (*names, *("",) * (width - len(names)))
    short = sum(len(row) < len(names) for row in rows[1:])
    return Dialect(
        delimiter,
        quote,
        _escape(head, quote),
        skip,
        header,
        names,
        pad=short > max(1, _MIN_RAGGED_SHARE * len(rows)),
    )


def _records(lines: Sequence[str], delimiter: str, quote: str, escape: str) -> list[tuple[int, list[str]]]:
    """Records with the number of lines before them, empty ones left out."""
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=quote,
        doublequote=escape == quote,
        escapechar=None if escape == quote else escape,
        skipinitialspace=delimiter != " ",
    )
    records = []
    before = 0
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                records.append((before, fields))
            before = reader.line_num
    except csv.Error:  # a field beyond the limit of the reader: what was read is enough
        pass
    return records


def _escape(head: str, quote: str) -> str:
    backslashes = head.count("\\" + quote)
    return "\\" if backslashes and backslashes > head.count(quote * 2) else quote


def _width(records: Sequence[tuple[int, list[str]]]) -> int:
    """The number of fields most records have; of two as frequent ones the greater."""
    counts = Counter(len(fields) for _, fields in records)
    return max(counts, key=lambda width: (counts[width] * (1 if width > 1 else 0.99), width))


def _score(records: Sequence[tuple[int, list[str]]], delimiter: str, *, tabs: bool) -> float:
    """How well a delimiter explains the records, 0 for not at all."""
    if not records:
        return 0.0
    width = _width(records)
    if width == 1:
        return 0.0
    share = sum(len(fields) == width for _, fields in records) / len(records)
    first = len(records[0][1]) == width
    if delimiter in " :" and (share < 1 or width < 3 or len(records) < 3):
        return 0.0
    usual = {" ": -0.6, ":": -0.6}.get(delimiter, 0.0) + (0.5 if delimiter == "\t" and tabs else 0.0)
    return share + 0.3 * first - 0.3 / width + usual


def _is_comment(fields: Sequence[str], following: Sequence[str]) -> bool:
    """A line that begins with # above another one; if it is as wide as what follows, it has the names."""
    return fields[0].startswith("#") and (len(fields) != len(following) or following[0].startswith("#"))


def _has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row holds names: no values, and nothing that comes again in its column."""
    first = [cell.strip() for cell in rows[0]]
    if not any(first):
        return False
    below = [row for row in rows[1:] if list(row) != list(rows[0])]  # files put together repeat their header
    typed = [cell for cell in first if cell and any(looks.match(cell) for looks in _TYPED_PATTERNS)]
    if typed:
        # Years head the columns of a table of figures; names stand before them.
        return all(_YEAR.match(cell) for cell in typed) and len(set(first)) == len(first) > len(typed)
    if not below:
        return len(first) > 1 or rows[0] is not rows[-1] or bool(re.match(r"[A-Za-z_ ]+\Z", first[0]))
    for number, cell in enumerate(first):
        values = [row[number].strip() for row in below if number < len(row)]
        present = [value for value in values if value not in NULL_ALWAYS]
        if (
            present
            and all(any(looks.match(value) for looks in _TYPED_PATTERNS) for value in present[:50])
            and cell
        ):
            return True  # a word above values
    return not any(
        cell and any(len(row) > number and row[number].strip() == cell for row in below)
        for number, cell in enumerate(first)
    )
