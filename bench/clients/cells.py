"""What every client is asked to do, and how it may end.

Each program under `programs/` prints one JSON object per line, {"cell", "outcome", "note"}, for the cells it
can do. The matrix has one column per cell, in this order.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, Literal

Outcome = Literal["ok", "refused", "failed"]
"""'refused': the clear error that docs/clients.md promises there; the note is its SQLSTATE."""

CELLS: Final = {
    "plain": "ASK 'question' through the client's plainest call gives the rows of PostgreSQL",
    "question": "the question as a parameter: ASK $1",
    "parameters": "a literal question, and parameters elsewhere in the statement",
    "prepared": "one prepared statement executed eight times",
    "describe": "the columns are known before anything is executed",
    "cursor": "rows fetched in small portions through a cursor or a fetch size",
    "limit 0": "SELECT * FROM (ASK …) AS t LIMIT 0, and the same through ask('…')",
    "count": "SELECT count(*) FROM (ASK …) AS t",
    "copy": "COPY (ASK …) TO STDOUT",
    "multi": "another statement in front, in one message where the client can",
    "transaction": "inside BEGIN … COMMIT with the client's own transaction handling",
    "error": "an ASK that cannot be answered: its SQLSTATE, then the session goes on",
    "cancel": "a running ASK is canceled: 57014, then the session goes on",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """How one cell ended for one client."""

    name: str
    outcome: Outcome
    note: str = ""


def read(line: str) -> Cell | None:
    """One line of a program's output; None for anything that is not a cell."""
    if not line.startswith('{"cell"'):
        return None
    found = json.loads(line)
    if found["cell"] not in CELLS or found["outcome"] not in ("ok", "refused", "failed"):
        return None
    return Cell(found["cell"], found["outcome"], found.get("note", ""))
