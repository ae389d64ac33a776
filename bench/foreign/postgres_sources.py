"""PostgreSQL's own tests: its sources, of the version that is installed, and what is built of them.

Owns: fetching, unpacking, and building the tests' driver and library; the server, psql and initdb are the
installed ones.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from askwire.bench.foreign.archives import unpack
from askwire.bench.foreign.missing import SuiteUnavailable
from askwire.bench.foreign.spare_server import installed

_DONE_MARKER: Final = ".prepared"
# what needs libraries whose headers are not everywhere; the tests' own programs use none of them
_CONFIGURE: Final = ("./configure", "-q", "--without-readline", "--without-zlib", "--without-icu")
_BUILT_FOLDERS: Final = (
    "src/backend generated-headers",
    "src/test/regress",
    "src/test/isolation",
    "src/test/modules/libpq_pipeline",
    "src/interfaces/ecpg",
    "src/interfaces/ecpg/test",
)
# these have the output of Bison and Flex in their sources
_NEWEST_MAJOR_VERSION: Final = 16


def built(folder: Path) -> tuple[Path, str]:
    """The folder of PostgreSQL's sources with its tests built, and their version.

    They are of the server that the system's packages installed. An archive of the sources that is in
    `folder`/sources is taken; else Debian's source package is fetched. Raises Missing.
    """
    programs = installed()
    tree = folder / "environments" / f"postgresql-{programs.version}"
    if (tree / _DONE_MARKER).exists():
        return tree, programs.version
    if programs.major > _NEWEST_MAJOR_VERSION:
        raise SuiteUnavailable(f"the tests of PostgreSQL {programs.version} are built with Bison and Flex")
    for needed in ("gcc", "make"):
        if shutil.which(needed) is None:
            raise SuiteUnavailable(f"{needed} is not installed")
    archive = _archive(folder / "sources", programs.major, programs.version, programs.package)
    shutil.rmtree(tree, ignore_errors=True)
    tree.parent.mkdir(parents=True, exist_ok=True)
    unpack(archive, tree.parent)
    if not tree.is_dir():
        raise SuiteUnavailable(f"{archive.name} does not hold {tree.name}")
    _run(_CONFIGURE, tree)
    for place in _BUILT_FOLDERS:
        _run(["make", "-s", "-C", *place.split()], tree)
    (tree / _DONE_MARKER).touch()
    return tree, programs.version


def _archive(sources: Path, major: int, version: str, package: str) -> Path:
    sources.mkdir(parents=True, exist_ok=True)
    names = (f"postgresql-{version}.tar.*", f"postgresql-{major}_{version}.orig.tar.*")
    if not _found(sources, names):
        if shutil.which("apt-get") is None:
            raise SuiteUnavailable(f"there is no apt-get; put postgresql-{version}.tar.bz2 into {sources}")
        wanted = f"postgresql-{major}" + (f"={package}" if package else "")
        _run(["apt-get", "source", "-q", "--download-only", wanted], sources)
    archives = _found(sources, names)
    if not archives:
        raise SuiteUnavailable(
            f"the source package is of another version; put postgresql-{version}.tar.bz2 into {sources}"
        )
    return archives[0]


def _found(sources: Path, names: Sequence[str]) -> list[Path]:
    archives = [path for name in names for path in sorted(sources.glob(name))]
    return [path for path in archives if tarfile.is_tarfile(path)]


def _run(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no word why"]
        raise SuiteUnavailable(f"{' '.join(command[:4])}: {last[0]}")
