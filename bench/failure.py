"""What ends a bench early.

Owns: the one error a bench shows instead of figures.
"""

from __future__ import annotations


class BenchFailure(Exception):
    """A bench cannot go on: a file, a server or a process is not as it must be; the text says which."""
