"""The positions and traps of sql/ask/cases/*.sql, as data.

A case is a block: its name behind `--`, the text, and what is expected of it:

    --> the rewritten text, each ASK replaced by the SQL it asks for (`SELECT 1 AS a` for a parameter)
    --@ for each ASK the place and the command, whether it could be a constant, and the WITH names around it
    --! position: message of the error, from a placeholder in every ASK's place
    --? the error's hint
    --~ position: form and kind of an ASK in code that is kept for later
    --# the SQLSTATE by which PostgreSQL refuses the text as it stands

A case without `-->` and `--!` holds no ASK.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent.parent / "sql" / "ask" / "cases"
MARKS: Final = {
    "--> ": "rewritten",
    "--@ ": "places",
    "--! ": "error",
    "--? ": "hint",
    "--~ ": "misplaced",
    "--# ": "sqlstate",
}
QUESTION_OF_PARAMETER: Final = "SELECT 1 AS a"


@dataclass(frozen=True)
class Case:
    """One block; what it does not say is ''."""

    name: str
    text: str
    rewritten: str = ""
    places: str = ""
    error: str = ""
    hint: str = ""
    misplaced: str = ""
    sqlstate: str = ""


def cases() -> list[Case]:
    """All cases, with the file in their names."""
    return [
        _case(path.stem, block)
        for path in sorted(FOLDER.glob("*.sql"))
        for block in path.read_text("utf-8").strip("\n").split("\n\n")
    ]


def _case(stem: str, block: str) -> Case:
    name, *lines = block.split("\n")
    assert name.startswith("-- "), name
    text = [line for line in lines if line[:4] not in MARKS]
    marks = {MARKS[line[:4]]: line[4:] for line in lines if line[:4] in MARKS}
    return Case(f"{stem}: {name[3:]}", "\n".join(text), **marks)
