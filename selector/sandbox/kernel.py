"""What the kernel is asked to deny: Linux namespaces, Landlock, limits, another user, a list of system calls.

Owns: these layers, by ctypes, and the proof that they hold (`escapes`). `enclose` is for the zygote once its
imports are done, `lock` for a child that is about to run a stranger's code and keeps one open file. After
landlock(7) and seccomp(2).
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import socket
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Final

NOBODY: Final = 65534

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER: Final = 2
_NEWUSER, _NEWNET, _NEWIPC, _NEWUTS = 0x10000000, 0x40000000, 0x08000000, 0x04000000

_CLOSE_RANGE: Final = 436
_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446
_LANDLOCK_VERSION: Final = 1
_FILES: Final = ((1, 0x1FFF), (2, 0x2000), (3, 0x4000), (5, 0x8000))
"""By version of Landlock: rights over files that it began to handle."""

_PROT_EXEC: Final = 4
_EPERM: Final = 1
_X32: Final = 0x40000000
_ARCHITECTURES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def _numbered(listed: str) -> Mapping[str, int]:
    return MappingProxyType({name: int(number) for name, number in map(str.split, listed.split(","))})


_CALLS: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {
        "x86_64": _numbered(
            "write 1, mmap 9, mprotect 10, munmap 11, brk 12, rt_sigprocmask 14, rt_sigreturn 15, "
            "sched_yield 24, mremap 25, madvise 28, exit 60, gettimeofday 96, sigaltstack 131, gettid 186, "
            "time 201, futex 202, restart_syscall 219, clock_gettime 228, exit_group 231, getrandom 318"
        ),
        "aarch64": _numbered(
            "write 64, exit 93, exit_group 94, futex 98, clock_gettime 113, sched_yield 124, "
            "restart_syscall 128, sigaltstack 132, rt_sigprocmask 135, rt_sigreturn 139, gettimeofday 169, "
            "gettid 178, brk 214, munmap 215, mremap 216, mmap 222, mprotect 226, madvise 233, getrandom 278"
        ),
    }
)
"""The system calls that computing takes. Nothing here opens, connects, forks, signals or runs anything."""

_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _DENY, _KILL = 0x7FFF0000, 0x00050000 | _EPERM, 0x80000000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Places in the kernel's description of a call."""


class LayerMissing(Exception):
    """A layer without which nothing may run cannot be had; the text says which."""


def unsupported() -> str:
    """Why this machine cannot hold a sandbox, as far as that shows without trying; '' when it may."""
    if platform.system() != "Linux":
        return f"{platform.system()} has no kernel layer that askwire knows"
    if platform.machine() not in _ARCHITECTURES:
        return f"the system calls of {platform.machine()} are not known"
    return ""


def enclose() -> list[str]:
    """Leave networks, files and privileges behind for good; the names of the layers that hold.

    What a system does not have is left out: `lock` is what everything hangs on.
    """
    layers = []
    libc = _libc()
    root = os.geteuid() == 0
    apart = _NEWNET | _NEWIPC | _NEWUTS | (0 if root else _NEWUSER)
    if libc.unshare(apart) == 0:
        layers.append("namespaces")
    if root:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        layers.append("user")
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise LayerMissing("no_new_privs is refused")
    if _landlock(libc):
        layers.append("landlock")
    return layers


def end_with_parent(parent: int) -> None:
    """Have this process killed when the one that forked it ends, or at once where that has ended already.

    `parent` is the process id of the one that forked it.
    """
    _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before it could be asked for
        os.kill(os.getpid(), signal.SIGKILL)


def lock(keep: int, *, memory: int, seconds: int) -> None:
    """Shut this process in: one open file that can be written to, so much memory, so much processor time.

    `memory` is in bytes, of address space. There is no way back. Raises LayerMissing when the list of system
    calls is not taken: nothing may run then.
    """
    libc = _libc()
    _close_all_but(libc, keep)
    for limit, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_NOFILE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    # at the hard limit it is SIGKILL, which does not say why
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    _filter(libc, program(platform.machine(), keep))


def program(machine: str, keep: int) -> bytes:
    """The filter of system calls for one kind of machine: what is allowed, the rest fails with EPERM.

    Writing is allowed to the file `keep` alone, memory never as something to run. Calls of another
    architecture's numbering end the process.
    """
    calls = _CALLS[machine]
    steps: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_ABOVE, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
    ]
    for name, number in calls.items():
        only = _ARGUMENT_CHECKS.get(name)
        body = only(keep) if only else [(_RETURN, 0, 0, _ALLOW)]
        steps += [(_EQUAL, 0, len(body), number), *body]
    steps.append((_RETURN, 0, 0, _DENY))
    return b"".join(struct.pack("=HBBI", code, yes, no, value) for code, yes, no, value in steps)


def _to_file(keep: int) -> list[tuple[int, int, int, int]]:
    return [
        (_LOAD, 0, 0, _ARGUMENTS + 4),
        (_EQUAL, 0, 3, 0),
        (_LOAD, 0, 0, _ARGUMENTS),
        (_EQUAL, 0, 1, keep),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _DENY),
    ]


def _not_to_run(_keep: int) -> list[tuple[int, int, int, int]]:
    return [
        (_LOAD, 0, 0, _ARGUMENTS + 16),
        (_ANY_BIT, 1, 0, _PROT_EXEC),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _DENY),
    ]


_ARGUMENT_CHECKS: Final[Mapping[str, Callable[[int], list[tuple[int, int, int, int]]]]] = MappingProxyType(
    {"write": _to_file, "mmap": _not_to_run, "mprotect": _not_to_run}
)
"""Calls that are allowed with some arguments only."""


def _close_all_but(libc: ctypes.CDLL, keep: int) -> None:
    for first, last in ((0, keep - 1), (keep + 1, 0xFFFFFFFF)):
        if first <= last and libc.syscall(_CLOSE_RANGE, ctypes.c_uint(first), ctypes.c_uint(last), 0) != 0:
            os.closerange(first, min(last, os.sysconf("SC_OPEN_MAX")) + 1)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _filter(libc: ctypes.CDLL, steps: bytes) -> None:
    held = ctypes.create_string_buffer(steps, len(steps))
    given = _Program(len(steps) // 8, ctypes.addressof(held))
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise LayerMissing("no_new_privs is refused")
    if libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(given), 0, 0) != 0:
        raise LayerMissing("the kernel takes no filter of system calls (seccomp)")


def _landlock(libc: ctypes.CDLL) -> bool:
    """Give up all files, and with newer kernels TCP, and signals and sockets of others."""
    libc.syscall.restype = ctypes.c_long
    version = libc.syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _LANDLOCK_VERSION)
    if version < 1:
        return False
    files = sum(rights for since, rights in _FILES if version >= since)
    attributes = [files, *([3] if version >= 4 else ()), *([3] if version >= 6 else ())]
    given = struct.pack(f"={len(attributes)}Q", *attributes)
    held = ctypes.create_string_buffer(given, len(given))
    ruleset = libc.syscall(_LANDLOCK_CREATE_RULESET, held, ctypes.c_size_t(len(given)), 0)
    if ruleset < 0:
        return False
    try:
        return bool(libc.syscall(_LANDLOCK_RESTRICT_SELF, ctypes.c_int(ruleset), 0) == 0)
    finally:
        os.close(ruleset)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def escapes() -> list[str]:
    """What this process can still do and should not: empty in a child that is locked."""
    libc = _libc()
    got_through = []
    for name, attempt in (
        ("open a file", lambda: os.close(os.open("/", os.O_RDONLY))),
        ("see a file", lambda: os.stat("/")),
        ("reach the network", lambda: socket.socket().close()),
        ("use a pipe", os.pipe),
        ("signal", lambda: os.kill(os.getppid(), 0)),
        ("run a program", lambda: os.execv("/bin/true", ["true"])),
    ):
        with suppress(OSError):
            attempt()
            got_through.append(name)
    with suppress(OSError):
        if os.fork() == 0:
            os._exit(0)
        got_through.append("fork")
    if libc.mmap(None, ctypes.c_size_t(4096), 7, 0x22, -1, 0) not in (-1, 0xFFFFFFFF):
        got_through.append("make memory to run")
    return got_through
