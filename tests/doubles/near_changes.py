"""Which test modules are near what has changed since the last commit; `./ask test --quick` runs them whole.

Near are a test module that changed itself, and the modules in the folder of tests that mirrors a changed
file's folder when they import that file or are named after it: for `sql/scan.py` those of `tests/sql/`.
Where that folder has no test modules, the one above it stands for it.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path, PurePosixPath


def changed(root: Path) -> list[str]:
    """The files that git finds changed or new; none where there is no git."""
    listings = (["diff", "--name-only", "-z", "HEAD"], ["ls-files", "--others", "--exclude-standard", "-z"])
    names: list[str] = []
    for listing in listings:
        try:
            listed = subprocess.run(["git", *listing], cwd=root, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return []
        names += filter(None, listed.stdout.split("\0"))
    return names


def near(root: Path, names: Iterable[str]) -> set[Path]:
    """The test modules near files of the checkout, which are named from its root."""
    found = set()
    for name in map(PurePosixPath, names):
        if name.suffix != ".py":
            continue
        if name.parts[0] == "tests":
            found.add(root / name)
            continue
        imports = _imports_of(name)
        for module in _mirroring(root / "tests", name.parent):
            if module.stem == f"test_{name.stem}" or imports.search(module.read_text(encoding="utf-8")):
                found.add(module)
    return {path for path in found if path.is_file() and path.name.startswith("test_")}


def _mirroring(tests: Path, folder: PurePosixPath) -> list[Path]:
    """The test modules of the folder that mirrors one, or of the nearest above it that has any."""
    for mirrored in (folder, *folder.parents):
        if modules := list((tests / mirrored).glob("test_*.py")):
            return modules
    return []


def _imports_of(name: PurePosixPath) -> re.Pattern[str]:
    """Finds an import of a file of the package: itself, or its name out of its folder."""
    folder = r"\.".join(("askwire", *map(re.escape, name.parent.parts)))
    if name.stem == "__init__":
        return re.compile(rf"\b{folder} import\b")
    own = re.escape(name.stem)
    return re.compile(rf"\b{folder}(?:\.{own}\b| import (?:\([^)]*|[^\n]*)\b{own}\b)")
