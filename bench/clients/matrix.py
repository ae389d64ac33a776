"""The run: every client's program against one proxy, and the table of what it saw.

Owns: starting programs, reading their lines, the figures and the page.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from psycopg.conninfo import conninfo_to_dict

from askwire.bench.clients.cells import CELLS, Cell, read
from askwire.bench.clients.fixture import books, expected
from askwire.bench.clients.tools import CLIENTS, Client, ToolMissing, Tools
from askwire.bench.proxy_process import ProxyProcess

_CLIENT_TIMEOUT_SECONDS: Final = 240.0
_ABSENT: Final = "–"


@dataclass(frozen=True, slots=True)
class Row:
    """One client: its cells by name, or why it was not run."""

    client: str
    cells: Mapping[str, Cell]
    skipped: str = ""


def run(dsn: str, tools: Tools, names: Sequence[str], told: Callable[[Row], None]) -> list[Row]:
    """Run the clients named (all when none is); `told` hears of each row as it is there."""
    rows = []
    with books(dsn) as conninfo, ProxyProcess(conninfo) as proxy:
        place = conninfo_to_dict(proxy.conninfo)
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment = {
            **inherited,
            **expected(conninfo),
            "PGHOST": str(place["host"]),
            "PGPORT": str(place["port"]),
            "PGDATABASE": str(place["dbname"]),
            "PGUSER": str(place.get("user", "postgres")),
            "PGPASSWORD": str(place.get("password", "")),
            "PGSSLMODE": "disable",
            "PGGSSENCMODE": "disable",
        }
        for client in CLIENTS:
            if not names or client.name in names:
                rows.append(_row(client, tools, environment))
                told(rows[-1])
    return rows


def _row(client: Client, tools: Tools, environment: Mapping[str, str]) -> Row:
    try:
        command, more = tools.command(client)
    except ToolMissing as missing:
        return Row(client.name, {}, str(missing))
    try:
        done = subprocess.run(
            command,
            env={**environment, **more},
            capture_output=True,
            text=True,
            timeout=_CLIENT_TIMEOUT_SECONDS,
            check=False,
        )
        said, failure = done.stdout, done.stderr[-300:] if done.returncode else ""
    except subprocess.TimeoutExpired as expired:
        said = expired.stdout.decode() if isinstance(expired.stdout, bytes) else expired.stdout or ""
        failure = f"it hung for {_CLIENT_TIMEOUT_SECONDS:.0f} s"
    cells = {cell.name: cell for line in said.splitlines() if (cell := read(line))}
    if failure:
        first = next((name for name in CELLS if name not in cells), "plain")
        cells[first] = Cell(first, "failed", failure.replace("\n", " "))
    return Row(client.name, cells)


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """Counts by outcome, and what failed."""
    cells = [(row.client, cell) for row in rows for cell in row.cells.values()]
    return {
        "clients": sum(1 for row in rows if row.cells),
        "skipped": {row.client: row.skipped for row in rows if row.skipped},
        "ok": sum(1 for _, cell in cells if cell.outcome == "ok"),
        "refused": sum(1 for _, cell in cells if cell.outcome == "refused"),
        "failed": [
            f"{client}, {cell.name}: {cell.note}" for client, cell in cells if cell.outcome == "failed"
        ],
    }


def table(rows: Sequence[Row]) -> str:
    """The matrix as a Markdown table, one client a row."""
    lines = ["| client | " + " | ".join(CELLS) + " |", "|---" * (len(CELLS) + 1) + "|"]
    lines += [
        " | ".join((f"| {row.client}", *(_mark(row.cells.get(name)) for name in CELLS))) + " |"
        for row in rows
        if not row.skipped
    ]
    return "\n".join(lines) + "\n"


def _mark(cell: Cell | None) -> str:
    if cell is None:
        return _ABSENT
    return {"ok": "yes", "refused": cell.note, "failed": "FAILED"}[cell.outcome]


def write(rows: Sequence[Row], page: Path) -> None:
    """Put the table between the page's two marks; what people wrote around it stays."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- matrix -->\n")
    _, _, after = rest.partition("<!-- /matrix -->\n")
    page.write_text(f"{before}<!-- matrix -->\n{table(rows)}<!-- /matrix -->\n{after}", encoding="utf-8")
