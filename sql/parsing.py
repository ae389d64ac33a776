"""Parsing a text that no one has judged: a model's, a client's, a file's.

The parser and what reads its tree recurse in C, and a long enough chain (`1+1+1+…`) takes the whole process
with it. Owns: looking first.
"""

from __future__ import annotations

import sys
from typing import Final

from pglast import ast, parser

from askwire.core.errors import RefusedByGate
from askwire.sql.safety.limits import check_limits
from askwire.sql.safety.policy import Policy

MACHINE: Final = Policy()
"""What a machine writes is as large as the gate lets it be."""
CLIENT: Final = Policy(max_bytes=sys.maxsize, max_tokens=sys.maxsize, max_depth=500)
"""What people's programs write may be long, and is not deep."""


def parsed(sql: str, limits: Policy = MACHINE) -> tuple[ast.RawStmt, ...]:
    """The statements of a text; none of one that does not parse, or is too large or too deep to be read."""
    try:
        check_limits(sql, limits)
        return tuple(parser.parse_sql(sql))
    except (RefusedByGate, parser.ParseError, UnicodeEncodeError, RecursionError):
        return ()
