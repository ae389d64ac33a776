"""A start that loads no modules is like one that does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from servers.loaded_starts import possible

pytestmark = [
    pytest.mark.skipif(not possible(), reason="this system makes no child for another process"),
    pytest.mark.usefixtures("loaded_starts"),
]

WAITS = [sys.executable, "-m", "askwire.proxy.cli", "store", "import", "--store"]
"""Waits for its input."""


@contextmanager
def waiting(folder: Path, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits; it has a descriptor more than its streams."""
    path = os.pathsep.join(filter(None, sys.path))
    with (folder / "log").open("wb") as log:
        started = subprocess.Popen(
            [*WAITS, "s"],
            cwd=folder,
            env={"PYTHONPATH": path, **more},
            stdin=subprocess.PIPE,
            stderr=log,
            pass_fds=[log.fileno()],
        )
        with started:
            yield started


def of(process: subprocess.Popen[bytes], name: str) -> Path:
    return Path(f"/proc/{process.pid}/{name}")


def loads_nothing(process: subprocess.Popen[bytes]) -> bool:
    return b"loaded_starts.py" in of(process, "cmdline").read_bytes()


def held_open(process: subprocess.Popen[bytes]) -> set[str]:
    """What the descriptors of a process lead to, but for those that it closes meanwhile: it reads modules."""
    found = set()
    for path in of(process, "fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(os.readlink(path))
    return found


def test_it_is_a_child_with_the_streams_folder_and_descriptors_it_was_given(tmp_path: Path) -> None:
    with waiting(tmp_path) as process:
        assert process.stdin is not None
        process.stdin.write(b"{")
        process.stdin.close()
        assert process.wait(60) == 2
        assert (tmp_path / "log").read_bytes().count(b"\n") == 1
    with waiting(tmp_path) as process:
        assert loads_nothing(process)
        parent = of(process, "stat").read_text().rpartition(")")[2].split()[1]
        assert int(parent) == os.getpid()
        while of(process, "cwd").readlink() != tmp_path:
            assert process.poll() is None
        opened = held_open(process)
        assert str(tmp_path / "log") in opened
        assert not [one for one in opened if one.startswith("socket:")]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == -signal.SIGTERM


def test_ctrl_c_reaches_it(tmp_path: Path) -> None:
    with waiting(tmp_path) as process:
        while of(process, "cwd").readlink() != tmp_path:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(60) not in (0, 1)


@pytest.mark.parametrize("variable", ["PYTHONIOENCODING", "TZ"])
def test_one_that_needs_an_interpreter_of_its_own_has_one(tmp_path: Path, variable: str) -> None:
    with waiting(tmp_path, **{variable: ""}) as process:
        assert not loads_nothing(process)
        process.kill()
