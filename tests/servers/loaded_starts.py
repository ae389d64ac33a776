"""Starts of `askwire` for which its modules need not be loaded again.

Loading them takes half a second of processor time, and tests start several hundred processes. A process that
has loaded them and does nothing else makes a copy of itself for each start. The copy is a child of the
test's process, as one made by `subprocess` is: its number, its signals, its parent, descriptors, folder and
environment are those of a new program. Its command line, as other programs list it, is not.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import platform
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, NoReturn, Self
from unittest import mock

_MODULE: Final = "askwire.proxy.cli"
_LOADED: Final = ("askwire.proxy.server", "askwire.proxy.prefork", "askwire.proxy.demo.demo")
_CLONE: Final = {"x86_64": 56, "aarch64": 220}
"""The number of the system call, by machine."""
_CLONE_PARENT: Final = 0x8000
_MOST: Final = 1 << 17
"""Bytes of a command line with its environment."""
_DESCRIPTORS: Final = 64
_ONCE: Final = ("PYTHON", "LD_", "TZ")
"""How the names of variables begin that a process reads once."""
_USUAL: Final = (-1, None, None, None, -1, None)
"""The arguments `process_group` to `preexec_fn` of a process that asks for nothing special."""

_really = subprocess._fork_exec  # type: ignore[attr-defined]


def possible() -> bool:
    """Whether a process can make a child of its parent here: clone(2) with CLONE_PARENT."""
    return sys.platform == "linux" and platform.machine() in _CLONE


class LoadedProcess:
    """The process that has them; a context manager."""

    def __enter__(self) -> Self:
        self._asking, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with asked:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(asked.fileno())],
                env={**os.environ, "PYTHONPATH": _import_path()},
                pass_fds=[asked.fileno()],
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._asking.close()  # it ends
        self._process.wait()

    @contextmanager
    def used(self) -> Iterator[None]:
        """Let `subprocess` start `python -m askwire.proxy.cli` from it."""
        with mock.patch.object(subprocess, "_fork_exec", _Starts(self._asking)):
            yield


def _import_path() -> str:
    return os.pathsep.join(filter(None, sys.path))


class _Starts:
    """Replacement for `subprocess._fork_exec`."""

    def __init__(self, maker: socket.socket) -> None:
        self._maker = maker

    def __call__(self, command: Sequence[str], programs: Sequence[bytes], *how: Any) -> int:
        """Return the new process's number; the arguments are those of CPython 3.11 to 3.14."""
        environment = dict(os.environ) if how[3] is None else _decoded(how[3])
        closed, kept, folder, _, stdin, _, _, stdout, _, stderr, _, failing, restored, apart, *others = how
        usual = closed and restored and tuple(others[:6]) == _USUAL
        if not (usual and _is_ours(command, environment)):
            made: int = _really(command, programs, *how)
            return made
        kept = [number for number in kept if number != failing]
        streams = [given if given >= 0 else own for own, given in enumerate((stdin, stdout, stderr))]
        request = {
            "command": list(command),
            "environment": environment,
            "folder": os.fsdecode(folder or os.getcwd()),
            "apart": bool(apart),
            "places": [0, 1, 2, *kept],
        }
        socket.send_fds(self._maker, [json.dumps(request).encode()], [*streams, *kept])
        made = int(self._maker.recv(20) or b"0")
        if made <= 0:
            raise ChildProcessError("the process that has the modules made no other")
        return made


def _decoded(environment: Sequence[bytes]) -> dict[str, str]:
    pairs = (os.fsdecode(one).partition("=") for one in environment)
    return {name: value for name, _, value in pairs}


def _is_ours(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    options = [option for option in command[1:] if option != "-P"]
    own = {**os.environ, "PYTHONPATH": _import_path()}
    same = _of_the_interpreter(environment) == _of_the_interpreter(own)
    return command[0] == sys.executable and options[:2] == ["-m", _MODULE] and same


def _of_the_interpreter(environment: Mapping[str, str]) -> dict[str, str]:
    """What a process reads of its environment only when it starts, but for what changes no outcome here."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(_ONCE) and name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    }


def _serve(number: int) -> None:
    """Make a copy of this process for each request; in a copy, run what was asked for."""
    for module in (_MODULE, *_LOADED):
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # what is not looked at is not copied
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for what it makes
    with socket.socket(fileno=number) as asked:
        while True:
            text, descriptors, _, _ = socket.recv_fds(asked, _MOST, _DESCRIPTORS)
            if not text:
                return
            made = _copied()
            if not made:
                break
            asked.send(str(made).encode())
            for descriptor in descriptors:
                os.close(descriptor)
    _become(json.loads(text), descriptors)


def _copied() -> int:
    """Fork, for this process's parent: 0 in the copy, its number here."""
    ctypes.pythonapi.PyOS_BeforeFork()
    made: int = ctypes.PyDLL(None).syscall(
        _CLONE[platform.machine()], _CLONE_PARENT | signal.SIGCHLD, *(ctypes.c_long(0),) * 4
    )
    if made:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
        if made < 0:
            raise ChildProcessError("no process was made")
    else:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    return made


def _become(request: Mapping[str, Any], descriptors: Sequence[int]) -> NoReturn:
    """Run a command line in this process, as the interpreter does."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if request["apart"]:
        os.setsid()
    places = request["places"]
    above = max(*places, *descriptors) + 1
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, above + number)  # out of the way of the places
    for number, place in enumerate(places):
        os.dup2(above + number, place)
    for number in {*descriptors, *range(above, above + len(places))}.difference(places):
        os.close(number)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.orig_argv = request["command"]
    arguments = sys.orig_argv[sys.orig_argv.index(_MODULE) + 1 :]
    program = importlib.import_module(_MODULE)
    sys.argv = [str(program.__file__), *arguments]
    sys.exit(program.main(arguments))


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
