"""Which pages of docs/ are generated, and by what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from askwire.bench import configuration_page
from reference import commands, errors, statements

PAGES: Final[Mapping[str, Callable[[Path], str]]] = {
    "configuration.md": lambda _root: configuration_page.render(),
    "statements.md": lambda _root: statements.render(),
    "errors.md": errors.render,
    "commands.md": commands.render,
}
"""By name of page, what writes it from the source under a folder."""
