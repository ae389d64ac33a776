"""Source archives.

Owns: unpacking them.
"""

from __future__ import annotations

import tarfile
from pathlib import Path


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a tar archive into a folder; nothing in it may leave that, or become a device.

    Python before 3.11.4 has no such filter: there, an archive is trusted as the package's build is.
    """
    with tarfile.open(archive) as opened:
        if hasattr(tarfile, "data_filter"):
            opened.extractall(folder, filter="data")
        else:
            opened.extractall(folder)  # noqa: S202
