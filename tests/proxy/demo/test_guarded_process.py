"""A server process is never left alone, whatever interrupts its start."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from askwire.proxy.demo.guarded_process import GuardedProcess


class _InterruptedAfter:
    """`Popen`, with a signal that arrives as soon as one of the programs runs."""

    def __init__(self, program: str, number: int) -> None:
        self._program = program
        self._number = number
        self.started: list[subprocess.Popen[bytes]] = []

    def __call__(self, command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        self.started.append(_POPEN(command, **options))
        if command[0] == self._program:
            signal.raise_signal(self._number)
        return self.started[-1]


_POPEN = subprocess.Popen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_between_start_and_guard_ends_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    popen = _InterruptedAfter("sleep", number)
    monkeypatch.setattr(subprocess, "Popen", popen)
    before = signal.signal(number, interrupt)
    try:
        with open(tmp_path / "log", "wb") as log, pytest.raises(KeyboardInterrupt):
            GuardedProcess(
                ["sleep", "600"],
                pid_file=tmp_path / "pid",
                log=log,
                environment=os.environ,
                account=None,
            )
        assert signal.getsignal(number) is interrupt
    finally:
        signal.signal(number, before)
        running = [process for process in popen.started if process.poll() is None]
        for process in running:
            process.kill()
            process.wait()
    assert len(popen.started) == 2
    assert running == []
