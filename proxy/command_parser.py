"""The command line's parser, whose errors repeat no password that somebody typed.

Owns: what argparse says of arguments it does not know.
"""

from __future__ import annotations

import argparse
import re
from typing import Final, NoReturn

_IN_URL: Final = re.compile(r"(://[^\s/@:]*:)[^\s/]*(@)")
_NAMED: Final = re.compile(r"(?i)((?:password|api[-_]?key|token|secret)\s*[=\s]\s*)('[^']*'|[^\s'&]+)")


class CommandParser(argparse.ArgumentParser):
    """An ArgumentParser for command lines that hold secrets."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, without passwords, and exit with status 2."""
        super().error(_NAMED.sub(r"\1***", _IN_URL.sub(r"\1***\2", message)))
