"""What runs on this machine, as tests look for what should not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def naming(text: str) -> dict[int, str]:
    """The command lines that hold a text, by process id."""
    if sys.platform == "linux":
        lines = {
            int(path.name): _command_line(path) for path in Path("/proc").iterdir() if path.name.isdigit()
        }
    else:
        listed = subprocess.run(
            ["ps", "-Aww", "-o", "pid=,args="], capture_output=True, text=True, check=True
        )
        split = (line.split(maxsplit=1) for line in listed.stdout.splitlines())
        lines = {int(pid): command for pid, command in split}
    return {pid: line for pid, line in lines.items() if text in line}


def _command_line(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
