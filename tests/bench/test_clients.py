"""The client matrix: what it reads, counts and writes; the clients themselves run by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwire.bench.clients import matrix
from askwire.bench.clients.cells import CELLS, Cell, read
from askwire.bench.clients.tools import CLIENTS, PROGRAMS, ToolMissing, Tools

ROWS = [
    matrix.Row("good", {name: Cell(name, "ok") for name in CELLS}),
    matrix.Row("half", {"plain": Cell("plain", "ok"), "question": Cell("question", "refused", "NL007")}),
    matrix.Row("bad", {"plain": Cell("plain", "failed", "no rows")}),
    matrix.Row("absent", {}, "java is not on this machine"),
]


def test_a_line_is_a_cell_only_when_it_is_a_known_one() -> None:
    assert read('{"cell": "plain", "outcome": "ok", "note": "x"}') == Cell("plain", "ok", "x")
    assert read('{"cell": "sideways", "outcome": "ok"}') is None
    assert read('{"cell": "plain", "outcome": "perhaps"}') is None
    assert read("warning: something else") is None


def test_figures_count_outcomes_and_name_what_failed_or_was_skipped() -> None:
    assert matrix.figures(ROWS) == {
        "clients": 3,
        "skipped": {"absent": "java is not on this machine"},
        "ok": len(CELLS) + 1,
        "refused": 1,
        "failed": ["bad, plain: no rows"],
    }


def test_the_table_replaces_only_what_stands_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "clients.md"
    page.write_text("above\n<!-- matrix -->\nold\n<!-- /matrix -->\nbelow\n", encoding="utf-8")
    matrix.write(ROWS, page)
    lines = page.read_text(encoding="utf-8").splitlines()
    assert (lines[0], lines[1], lines[-2], lines[-1]) == (
        "above",
        "<!-- matrix -->",
        "<!-- /matrix -->",
        "below",
    )
    assert "| half | yes | NL007 | – |" in "\n".join(lines)
    assert "| bad | FAILED | – |" in "\n".join(lines)
    assert "old" not in lines
    assert not any("absent" in line for line in lines)


def test_every_client_has_its_program() -> None:
    assert {client.program for client in CLIENTS} <= {path.name for path in PROGRAMS.iterdir()}


def test_a_client_that_is_not_installed_is_missing_not_failed(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match="is not installed"):
        Tools(tmp_path).command(next(client for client in CLIENTS if client.name == "asyncpg"))
