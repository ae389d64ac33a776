"""What the user sees while files are loaded."""

from __future__ import annotations

import io
from pathlib import Path

from askwire.files.data_set import LoadedFile, Report
from askwire.files.formats.relation import Reject
from askwire.files.loading import LoadedTable
from askwire.files.telling import Bar, told


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_every_file_and_every_loss_is_told() -> None:
    table = LoadedTable(
        "public", "sales", "Sales", 1, 2, ("a: stays text",), (Reject(17, "2 fields", "1,2"),)
    )
    other = LoadedTable("north", "sales", "Sales", 2000, 3)
    report = Report(
        (
            LoadedFile(Path("a.csv"), (table,), True, 1, Path("/kept/a.csv")),
            LoadedFile(Path("b.csv"), (other,), True),
            LoadedFile(Path("c.csv"), (other,), False),
        ),
        failed=("'d.json' is not valid JSON. Correct it there.",),
        passed_over=tuple(f"{n}.png" for n in range(10)),
    )
    lines = list(told(report))
    assert lines[:6] == [
        "sales: 1 row, 2 columns, from a.csv",
        "    a: stays text",
        "    1 line could not be read; the first: line 17: 2 fields",
        "    all of them are in /kept/a.csv",
        "north.sales: 2,000 rows, 3 columns, from b.csv",
        "c.csv: unchanged, not read again (sales)",
    ]
    assert lines[6] == "not loaded: 'd.json' is not valid JSON. Correct it there."
    assert lines[-1] == "passed over: 2 more files"
    assert "c.csv" not in "".join(told(report, fresh_only=True))


def test_the_bar_is_for_terminals_only() -> None:
    plain, terminal = io.StringIO(), Terminal()
    for stream in (plain, terminal):
        bar = Bar(stream)
        bar("sales", 0, 100)
        bar._last = 0.0
        bar("sales", 50, 100)
        bar.clear()
    assert plain.getvalue() == ""
    assert "sales: looking at all rows" in terminal.getvalue()
    assert "] 50%, 0.0 MB" in terminal.getvalue().replace("  50%", " 50%")
    assert terminal.getvalue().endswith("\r\x1b[K")
