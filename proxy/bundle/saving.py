"""Writing a bundle to a place that the user names, whole or not at all.

Owns: which ending means which form, the refusal to overwrite, and where partial files lie.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Final

from askwire.core.errors import ConfigurationError
from askwire.core.failures import reason
from askwire.proxy.bundle.contents import Bundle, text_files
from askwire.proxy.bundle.duckdb_file import write_duckdb

DUCKDB: Final = ".duckdb"
ZIP: Final = ".zip"


def check_place(place: str) -> None:
    """Raise ConfigurationError when no bundle can be written to `place`: done before the search starts.

    `….duckdb` is a DuckDB database, `….zip` an archive, and a name without an ending, or with a slash at its
    end, a folder.
    """
    path = Path(place)
    if not path.name or (path.suffix not in {"", DUCKDB, ZIP} and not place.endswith("/")):
        raise ConfigurationError(
            f"the ending of {place!r} names no form of a bundle",
            hint="Name a .duckdb file, a .zip file, or a folder, which has no ending or a / at its end.",
        )
    if os.path.lexists(path):
        raise _exists(place)
    if not path.absolute().parent.is_dir():
        raise ConfigurationError(
            f"cannot write {place!r}: its folder does not exist", hint="Make the folder, or name another."
        )
    if not os.access(path.absolute().parent, os.W_OK | os.X_OK):
        raise ConfigurationError(
            f"cannot write {place!r}: its folder is not writable", hint="Name a place in another folder."
        )
    if _is_duckdb(place) and importlib.util.find_spec("duckdb") is None:
        raise ConfigurationError(
            "writing a .duckdb file needs the library duckdb",
            hint="Install it: pip install 'askwire[files]'; or name a .zip file or a folder.",
        )


def save(bundle: Bundle, place: str) -> None:
    """Write the bundle; raises ConfigurationError, and then nothing is left at `place`."""
    path = Path(place)
    try:
        with tempfile.TemporaryDirectory(prefix=".askwire-", dir=path.absolute().parent) as folder:
            making = Path(folder, "bundle")
            if _is_duckdb(place):
                write_duckdb(bundle, making)
            elif path.suffix == ZIP and not place.endswith("/"):
                with zipfile.ZipFile(making, "w", zipfile.ZIP_DEFLATED) as archive:
                    for name, text in text_files(bundle).items():
                        archive.writestr(f"{path.stem}/{name}", text)
            else:
                making.mkdir()
                for name, text in text_files(bundle).items():
                    (making / name).write_text(text, encoding="utf-8", newline="")
            if os.path.lexists(path):  # made while the search ran
                raise _exists(place)
            making.rename(path)
    except OSError as error:
        raise ConfigurationError(
            f"cannot write {place!r}: {reason(error)}", hint="Name a place in another folder."
        ) from None


def _is_duckdb(place: str) -> bool:
    return place.endswith(DUCKDB)


def _exists(place: str) -> ConfigurationError:
    return ConfigurationError(
        f"{place!r} exists already and is not overwritten", hint="Name another place, or remove it."
    )
