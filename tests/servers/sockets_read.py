"""Waits until a thread has read a socket."""

from __future__ import annotations

import fcntl
import socket
import struct
import termios
import time

_SECONDS = 20.0


def until_read(end: socket.socket) -> None:
    """Wait until nothing that has arrived at this end is left in it; a thread reads it, not the caller."""
    deadline = time.monotonic() + _SECONDS
    while struct.unpack("i", fcntl.ioctl(end, termios.FIONREAD, bytes(4)))[0]:
        assert time.monotonic() < deadline, "no one reads what has arrived"
        time.sleep(0.001)
