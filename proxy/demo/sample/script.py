"""The sample as one psql script: tables, COPY blocks, keys and indexes, comments, ANALYZE.

Owns: the order of the script and COPY's text format. Keys and indexes follow the data because building them
once is faster than keeping them.
"""

from __future__ import annotations

from datetime import date
from importlib.resources import files
from typing import TextIO

from askwire.proxy.demo.sample.rows import Value
from askwire.proxy.demo.sample.shop import build

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def write_sql(out: TextIO) -> None:
    """Write the sample shop as a script for psql, to be run in an empty database with UTF-8 encoding.

    Always the same text. The script runs in one transaction and stops at the first error.
    """
    out.write("\\set ON_ERROR_STOP on\nSET client_encoding = 'UTF8';\nSET client_min_messages = warning;\n")
    out.write("BEGIN;\n\n")
    out.write(_part("tables.sql"))
    for table, rows in build().tables.items():
        out.write(f"\nCOPY {table} FROM stdin;\n")
        out.writelines("\t".join(map(_field, row)) + "\n" for row in rows)
        out.write("\\.\n")
    for name in ("keys.sql", "comments.sql"):
        out.write(f"\n{_part(name)}")
    out.write("\nCOMMIT;\nANALYZE;\n")


def _part(name: str) -> str:
    return files("askwire.proxy.demo.sample").joinpath(name).read_text(encoding="utf-8")


def _field(value: Value) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, date):
        return value.isoformat()
    return str(value).translate(_ESCAPES)
