"""The process that waits with pandas imported and a child at the ready, one for each run.

Owns: the order of things, the child's way to its work, and what of it is passed on. It starts with an empty
environment, holds no file but its two pipes and knows no secret; once pandas is imported it leaves networks,
files and privileges behind, and says over its output what holds. A request is read by the child that serves
it, and an answer is wiped out once it is passed on: no child finds in the memory it begins with what another
one was given.

A message is its length as four bytes, then JSON. A request: `code`, and `tables` (name → columns, kinds,
rows). An answer: `columns` and `rows`, or an `error`. An answer comes from a stranger's hands: anyone who
reads it checks it.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from askwire.selector.sandbox import child, kernel

LENGTH: Final = struct.Struct(">I")
MAX_REQUEST_BYTES: Final = 32 * 1024 * 1024
_BEGUN: Final = b"\x01"
_WALL_GRACE_SECONDS: Final = 0.5
"""Seconds of wall time beyond the processor time that a run may have."""
_BUFFER_BYTES: Final = 1 << 16


def main(seconds: float, memory: int, most: int, checked: bool) -> None:
    """Serve standard input and output until the input ends.

    A run may take so many `seconds` of processor time and bytes of `memory`; its answer has at most `most`
    bytes. `checked`: the text is looked at first.
    """
    requests, answers = os.dup(0), os.dup(1)
    for number in (0, 1, 2):
        os.close(number)
    sys.stdin = sys.stdout = sys.stderr = None
    try:
        work = child.ready(checked=checked)
        space = _address_space()
        layers = kernel.enclose()
        missing = _proved(space)
    except (ImportError, OSError, kernel.LayerMissing) as error:
        missing = str(error) or type(error).__name__
    if missing:
        _send(answers, json.dumps({"off": missing}).encode())
        return
    _send(answers, json.dumps({"layers": [*layers, "limits", "seccomp"]}).encode())
    gc.collect()
    gc.freeze()
    serve = partial(_serve, requests=requests, work=work, memory=space + memory, seconds=seconds)
    buffer = bytearray(most + 1)
    while True:
        run = _Run(serve)
        if not run.begun():
            return
        size, why = run.read(buffer, time.monotonic() + seconds + _WALL_GRACE_SECONDS)
        ended = "" if size and not why else why or run.ended()
        _send(answers, json.dumps({"error": ended}).encode() if ended else memoryview(buffer)[:size])
        buffer[:] = bytes(len(buffer))
        run.reap()


def prove() -> None:
    """Without pandas: say over standard output whether the layers hold on this machine, or what does not."""
    space = _address_space()
    try:
        kernel.enclose()
        said = _proved(space)
    except (OSError, kernel.LayerMissing) as error:
        said = str(error)
    os.write(1, (said or "holds").encode())


def _proved(space: int) -> str:
    """Shut a child in as any other and let it try; what is missing, '' when all holds."""
    run = _Run(partial(_try, space=space))
    buffer = bytearray(_BUFFER_BYTES)
    size, why = run.read(buffer, time.monotonic() + 5.0) if run.begun() else (0, "it does not begin")
    ended = why or ("" if size else run.ended())
    run.reap()
    told = ended or bytes(buffer[:size]).decode("ascii", "replace")
    return "" if told == "held" else f"the layers of the kernel do not hold: {told}"


def _try(writing: int, space: int) -> None:
    os.write(writing, _BEGUN)
    kernel.lock(writing, memory=space + (64 << 20), seconds=2)
    os.write(writing, ", ".join(kernel.escapes()).encode() or b"held")


def _serve(writing: int, requests: int, work: Callable[[bytes], bytes], memory: int, seconds: float) -> None:
    """In a child: wait for a request, and once shut in, do what it says."""
    request = _receive(requests)
    if request is None:
        return
    os.write(writing, _BEGUN)
    kernel.lock(writing, memory=memory, seconds=max(1, round(seconds + 0.5)))
    told = memoryview(work(request))
    while told:
        told = told[os.write(writing, told) :]


class _Run:
    """One child and the pipe it answers by."""

    def __init__(self, task: Callable[[int], None]) -> None:
        self._reading, writing = os.pipe()
        parent = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            code = 1
            try:
                gc.disable()
                kernel.end_with_parent(parent)
                os.close(self._reading)
                task(writing)
                code = 0
            finally:
                os._exit(code)
        os.close(writing)

    def begun(self) -> bool:
        """Wait for the child to begin; False when there is nothing more to do."""
        return os.read(self._reading, 1) == _BEGUN

    def read(self, buffer: bytearray, deadline: float) -> tuple[int, str]:
        """Bytes that came until the child closed its end, or why they were not waited for; it has ended."""
        size = 0
        waiting = select.poll()
        waiting.register(self._reading, select.POLLIN | select.POLLHUP)
        try:
            while True:
                left = deadline - time.monotonic()
                if left <= 0 or not waiting.poll(left * 1000):
                    return 0, "it took too long"
                part = os.readv(self._reading, [memoryview(buffer)[size:]])
                if not part:
                    return size, ""
                size += part
                if size == len(buffer):
                    return 0, f"the answer is larger than {len(buffer) - 1} bytes"
        finally:
            os.close(self._reading)
            os.kill(self._pid, signal.SIGKILL)

    def ended(self) -> str:
        """How a child ended that was silent."""
        _, status = os.waitpid(self._pid, 0)
        if not os.WIFSIGNALED(status):
            return "it ended without an answer"
        number = os.WTERMSIG(status)
        return "it took too long" if number == signal.SIGXCPU else f"it was ended by signal {number}"

    def reap(self) -> None:
        """Let the child be gone; an answer goes first, this takes some milliseconds."""
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)


def _address_space() -> int:
    """Bytes of address space in use: what a child has to begin with."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _receive(file: int) -> bytes | None:
    head = _exactly(file, LENGTH.size)
    if head is None:
        return None
    (size,) = LENGTH.unpack(head)
    return _exactly(file, size) if size <= MAX_REQUEST_BYTES else None


def _exactly(file: int, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        part = os.read(file, min(1 << 20, size - len(parts)))
        if not part:
            return None
        parts += part
    return bytes(parts)


def _send(file: int, body: bytes | memoryview) -> None:
    for part in (LENGTH.pack(len(body)), body):
        left = memoryview(part)
        while left:
            left = left[os.write(file, left) :]
