"""The server's side of the sandbox: start the zygote, hand it code and tables, read what comes back.

Owns: the process and its protocol, time-outs, starting it again, and whether there can be a sandbox here at
all. An answer is data from a stranger: it is checked field by field.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from askwire.core.types import Cell, ResultColumn, ResultSet
from askwire.selector.sandbox import kernel
from askwire.selector.sandbox.child import LONGEST_CELL, MOST_COLUMNS, MOST_ROWS
from askwire.selector.sandbox.static import unfenced
from askwire.selector.sandbox.zygote import LENGTH, MAX_REQUEST_BYTES

_START_TIMEOUT_SECONDS: Final = 60.0
"""Seconds that importing pandas may take on a busy machine."""
_ZYGOTE_GRACE_SECONDS: Final = 5.0
"""Seconds beyond a run's own limit after which the zygote is given up."""
_FOLDER: Final = Path(__file__).parent
_BEGIN: Final = """
import sys, types
for name, folder in (("askwire", ""), ("askwire.selector", sys.argv[2])):
    package = types.ModuleType(name)
    package.__path__ = [folder] if folder else []
    sys.modules[name] = package
from askwire.selector.sandbox import zygote
if sys.argv[1] == "prove":
    zygote.prove()
else:
    zygote.main(float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]), sys.argv[6] == "checked")
"""
"""The zygote takes this folder's modules and nothing else of askwire."""

_NUMBER, _TEXT, _TRUTH, _TIMESTAMP = 701, 25, 16, 1114
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d)?\Z")
_KINDS: Final = {
    **dict.fromkeys((20, 21, 23, 26, 700, 701, 1700), "number"),
    **dict.fromkeys((1082, 1114, 1184), "date"),
    16: "truth",
}


class SandboxOff(Exception):
    """There is no sandbox here; the text says why. Code of strangers is not run then."""


class CodeFailed(Exception):
    """Code that was run, or refused, and gave no result; the text is one line for anyone who wrote it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use: `seconds` of processor time, `memory` and `answer` in bytes."""

    seconds: float = 2.0
    memory: int = 256 << 20
    answer: int = 1 << 20


def _lacking() -> str:
    """What this machine has not got for a sandbox, with the remedy where there is one; '' for nothing."""
    if reason := kernel.unsupported():
        return reason
    if importlib.util.find_spec("pandas") is None:
        command = os.environ.get("ASKWIRE_COMMAND")
        remedy = f"{command} solver" if command else "pip install 'askwire[solver]'"
        return f"pandas is not installed; run {remedy}"
    return ""


def available() -> str:
    """Why there is no sandbox on this machine; '' when there is one. Tries it out, in some 50 ms.

    Whether pandas is installed counts as well; that it can be used is seen when it starts.
    """
    if reason := _lacking():
        return reason
    try:
        said = subprocess.run(
            _command("prove"),
            env={},
            cwd="/",
            capture_output=True,
            timeout=_START_TIMEOUT_SECONDS,
            check=False,
        ).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no process can be started for it: {error}"
    return "" if said == "holds" else said or "the layers of the kernel cannot be had"


class Sandbox:
    """One zygote, started when it is first needed; runs are one at a time. `close` must be called.

    Starting it takes seconds on a busy machine. Anyone who gives up waiting leaves it to the next one.

    `checked` looks at the text first (`static`), for readable errors; what holds is the kernel.
    """

    def __init__(self, limits: Limits = Limits(), *, checked: bool = True) -> None:
        self._limits = limits
        self._checked = checked
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._starting: asyncio.Task[asyncio.subprocess.Process] | None = None
        self.layers: tuple[str, ...] = ()
        """What holds, once it has started."""

    @property
    def pid(self) -> int | None:
        """The zygote's process id, while it is there."""
        return self._process.pid if self._process is not None else None

    async def start(self) -> None:
        """Have the zygote ready. Raises SandboxOff where there can be none."""
        async with self._turn:
            await self._started()

    async def run(self, code: str, tables: Mapping[str, ResultSet]) -> ResultSet:
        """What code leaves under the name `result`, given tables as frames of these names.

        Columns of the answer are numbers, truth values or text. Raises CodeFailed and SandboxOff.
        """
        request = {
            "code": unfenced(code),
            "tables": {name: _as_json(table) for name, table in tables.items()},
        }
        async with self._turn:
            process = await self._started()
            try:
                async with asyncio.timeout(self._limits.seconds + _ZYGOTE_GRACE_SECONDS):
                    await _send(process, request)
                    answer = await _received(process, self._limits.answer)
            except (TimeoutError, OSError, EOFError, ValueError):
                await self._end()
                raise CodeFailed("it ended without an answer") from None
            except BaseException:
                # the answer that is under way belongs to this run: no one else may get it
                await self._end()
                raise
        return _result(answer)

    async def close(self) -> None:
        """End the zygote."""
        async with self._turn:
            if self._starting is not None:
                self._starting.cancel()
                await asyncio.gather(self._starting, return_exceptions=True)
            await self._end()

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._begin())
            self._starting.add_done_callback(_seen)
        return await asyncio.shield(self._starting)

    async def _begin(self) -> asyncio.subprocess.Process:
        """A new zygote, once it has proved that its layers hold."""
        if reason := _lacking():
            raise SandboxOff(reason)
        process: asyncio.subprocess.Process | None = None
        try:
            process = await asyncio.create_subprocess_exec(
                *_command("serve", *self._bounds()),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"},
                cwd="/",
                start_new_session=True,
            )
            async with asyncio.timeout(_START_TIMEOUT_SECONDS):
                told = await _received(process, 1 << 16)
            if "layers" not in told:
                raise SandboxOff(str(told.get("off", "the layers of the kernel cannot be had")))
        except (OSError, EOFError, ValueError, TimeoutError):
            await _killed(process)
            raise SandboxOff("the process that runs code cannot be started") from None
        except BaseException:
            await _killed(process)
            raise
        self.layers = tuple(map(str, told["layers"]))
        self._process = process
        return process

    def _bounds(self) -> tuple[str, ...]:
        limits = self._limits
        bounds = map(str, (limits.seconds, limits.memory, limits.answer))
        return (*bounds, "checked" if self._checked else "unchecked")

    async def _end(self) -> None:
        process, self._process = self._process, None
        await _killed(process)


async def _killed(process: asyncio.subprocess.Process | None) -> None:
    """End a zygote and what it has forked; what is left in its pipes is dropped, or no end would be seen."""
    if process is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            process.kill()
        with suppress(TimeoutError):
            async with asyncio.timeout(_ZYGOTE_GRACE_SECONDS):
                while process.stdout is not None and await process.stdout.read(1 << 16):
                    pass
                await process.wait()


def _seen(starting: asyncio.Task[asyncio.subprocess.Process]) -> None:
    """No one may be left to hear that it cannot be started; the next one tries again."""
    if not starting.cancelled():
        starting.exception()


def _command(task: str, *given: str) -> list[str]:
    return [sys.executable, "-I", "-B", "-c", _BEGIN, task, str(_FOLDER.parent), *given]


async def _send(process: asyncio.subprocess.Process, request: Mapping[str, Any]) -> None:
    body = json.dumps(request).encode()
    if len(body) > MAX_REQUEST_BYTES or process.stdin is None:
        raise ValueError("the tables are too large")
    process.stdin.write(LENGTH.pack(len(body)) + body)
    await process.stdin.drain()


async def _received(process: asyncio.subprocess.Process, most: int) -> dict[str, Any]:
    if process.stdout is None:
        raise EOFError
    (size,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
    if size > most:
        raise ValueError("the answer is too large")
    body = await process.stdout.readexactly(size)
    try:
        told = json.loads(body)
    except RecursionError:
        raise ValueError("the answer is nested too deep") from None
    if not isinstance(told, dict):
        raise ValueError("the answer is not an object")
    return told


def _as_json(table: ResultSet) -> dict[str, Any]:
    return {
        "columns": [column.name for column in table.columns],
        "kinds": [_KINDS.get(column.type_oid, "text") for column in table.columns],
        "rows": table.rows,
    }


def _result(answer: Mapping[str, Any]) -> ResultSet:
    """A stranger's answer as a result; raises CodeFailed for anything it should not be."""
    columns, rows = answer.get("columns"), answer.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        raise CodeFailed(str(answer.get("error", "it ended without an answer"))[: 2 * LONGEST_CELL])
    sound = len(rows) <= MOST_ROWS and len(columns) <= MOST_COLUMNS
    sound = sound and all(isinstance(row, list) and len(row) == len(columns) for row in rows)
    if not sound or not all(_plain(cell) for row in (columns, *rows) for cell in row):
        raise CodeFailed("the answer is no table")
    kinds = [_kind([row[n] for row in rows]) for n in range(len(columns))]
    return ResultSet(
        tuple(ResultColumn(str(c), k) for c, k in zip(columns, kinds, strict=True)),
        tuple(tuple(map(_text, row)) for row in rows),
    )


def _plain(cell: object) -> bool:
    if isinstance(cell, str):
        return len(cell) <= LONGEST_CELL
    return cell is None or isinstance(cell, bool | int) or (isinstance(cell, float) and math.isfinite(cell))


def _kind(cells: Sequence[object]) -> int:
    values = [cell for cell in cells if cell is not None]
    if values and all(isinstance(v, bool) for v in values):
        return _TRUTH
    if values and all(isinstance(v, int | float) for v in values):
        return _NUMBER
    return _TIMESTAMP if values and all(_MOMENT.match(str(v)) for v in values) else _TEXT


def _text(cell: Any) -> Cell:
    if cell is None:
        return None
    if isinstance(cell, bool):
        return "t" if cell else "f"
    return repr(cell) if isinstance(cell, int | float) else str(cell)
