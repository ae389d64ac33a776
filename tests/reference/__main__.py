"""Write the generated pages of docs/: `python -m reference [FOLDER]`."""

from __future__ import annotations

import sys
from pathlib import Path

from reference.pages import PAGES

ROOT = Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    for name, render in PAGES.items():
        (folder / name).write_text(render(ROOT), encoding="utf-8")
        sys.stdout.write(f"{folder / name}\n")
