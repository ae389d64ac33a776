"""Builds the compiled part of the relay into the environment of the Python that runs this file.

    python proxy/wire/building.py [--once]

With --once it prints nothing, and does nothing when the same source has met the same compiler before. For
checkouts; an installation builds it with everything else (pyproject.toml, ext-modules).

Owns: the one compiler call. Prints the path, or why there is none; either way the exit status is 0, because
askwire works without. Only the standard library: nothing of askwire need be importable.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).with_name("compiled.c")
_PARTS: Final = (
    SOURCE,
    *map(SOURCE.with_name, ("look.h", "ring.h", "tls.h", "tls_objects.h")),
)
_BUILD_TIMEOUT_SECONDS: Final = 120


def target() -> Path:
    """Where this Python finds it: a part of the namespace `askwire` among the installed packages."""
    name = "_compiled" + (sysconfig.get_config_var("EXT_SUFFIX") or ".so")
    return Path(sysconfig.get_path("platlib"), "askwire", name)


def build(path: Path) -> str:
    """Compile to `path`; why that was not possible, or ''."""
    linker = shlex.split(sysconfig.get_config_var("LDSHARED") or "") or ["cc", "-shared"]
    linker[:1] = shlex.split(os.environ.get("CC", "")) or linker[:1]
    include = sysconfig.get_path("include")
    if not Path(include, "Python.h").is_file():
        return f"Python's headers are not in {include}"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        # beside its place, and moved there: a server that runs has the old one in its memory
        made = Path(folder, path.name)
        command = [*linker, "-O2", "-fPIC", f"-I{include}", str(SOURCE), "-o", str(made)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_BUILD_TIMEOUT_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"there is no C compiler ({error})"
        if done.returncode:
            return (done.stderr.strip().splitlines() or ["the compiler printed nothing"])[0]
        made.replace(path)
    return ""


def build_once(path: Path) -> None:
    """Build unless that was done, or tried, with this source, interpreter and compiler."""
    tried = path.with_name("_compiled.tried")
    compiler = shutil.which(os.environ.get("CC", "cc"))
    sources = b"".join(part.read_bytes() for part in _PARTS)
    wanted = f"{hashlib.sha256(sources).hexdigest()} {sys.version} {compiler}"
    try:
        if tried.is_file() and tried.read_text(encoding="utf-8") == wanted:
            return
        build(path)
        tried.write_text(wanted, encoding="utf-8")
    except OSError:
        return  # an environment that is not ours to write


if __name__ == "__main__":
    if sys.argv[1:] == ["--once"]:
        build_once(target())
    else:
        why_not = build(target())
        sys.stdout.write(f"not compiled: {why_not}\n" if why_not else f"{target()}\n")
