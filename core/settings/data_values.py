"""The settings of values that are looked up to understand questions: which columns not, and how much.

Owns: these rows of the table.
"""

from __future__ import annotations

from typing import Final

from askwire.core.settings.parsing import parse_size
from askwire.core.settings.setting import Setting
from askwire.core.settings.strictness import LOWER

_QUALIFIED_NAME_PARTS: Final = 3


def parse_columns(value: str) -> frozenset[str]:
    """Columns as 'schema.table.column', separated by commas; '*' stands for any text within a part."""
    found = frozenset(filter(None, (name.strip() for name in value.split(","))))
    for name in found:
        if len(name.split(".")) != _QUALIFIED_NAME_PARTS or not all(name.split(".")):
            raise ValueError(f"{name!r} is not schema.table.column")
    return found


VALUES_OFF: Final = Setting(
    "values_off",
    "",
    parse_columns,
    "Columns whose values askwire neither keeps nor looks up to understand a question, nor names in what it "
    "tells: `schema.table.column`, separated by commas, with `*` for any text (`hr.*.salary, *.*.ssn`). A "
    "column whose comment says `askwire: no values` is one of them. A question has to name such a column and "
    "quote what it holds as it is stored (`whose full name is 'Ada Stone'`). SQL may read them as ever: this "
    "is not a privilege.",
    live=False,
)
VALUE_MEMORY: Final = Setting(
    "value_memory",
    "4MB",
    parse_size,
    "The most that values looked up for one question may take; columns of tables that the question names "
    "come first, and what is beyond is left out. They are forgotten with the question. In tables above "
    "200,000 rows a value is found by an index on its column; quoted ones and names also without, among up "
    "to 3 million values; and others in PostgreSQL's statistics alone (`ANALYZE`).",
    min,
    strictness=LOWER,
)
VALUE_SETTINGS: Final = (VALUES_OFF, VALUE_MEMORY)
