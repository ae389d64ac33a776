"""What keeps a suite from being run.

Owns: the one error that skips a suite.
"""

from __future__ import annotations


class SuiteUnavailable(Exception):
    """A suite cannot be prepared or run on this machine; the message says why."""
