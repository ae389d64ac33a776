"""The checkout under test: its root, its tracked files, and what pyproject.toml says of it."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("core", "files", "language", "llm", "planner", "proxy", "selector", "sql", "store", "verifier")
"""The folders that become packages of the wheel."""


def pyproject() -> dict[str, Any]:
    """pyproject.toml as data."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def tracked_files() -> list[Path]:
    """All files of the checkout that git tracks or would: links and ignored files are left out."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    )
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def packages() -> list[str]:
    """The import names of all packages in the shipped folders."""
    found = [init.parent for folder in SHIPPED for init in (ROOT / folder).rglob("__init__.py")]
    return sorted("askwire." + ".".join(folder.relative_to(ROOT).parts) for folder in found)
