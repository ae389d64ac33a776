"""One ASK as it happens: who asks what, where, and in which session.

Owns: that value. Must not know: what comes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from askwire.proxy.memory.pins import pin_key
from askwire.proxy.session.asker import Asker
from askwire.proxy.session.session_memory import SessionMemory
from askwire.sql.ask import AskOptions
from askwire.sql.catalog import Catalog


@dataclass(frozen=True)
class Occasion:
    """One ASK as it happens: who asks what, where, and in which session."""

    asker: Asker
    catalog: Catalog
    server: str
    memory: SessionMemory
    question: str
    options: AskOptions

    @cached_property
    def key(self) -> str:
        """What tells this ASK from all that may stand for other SQL."""
        return pin_key(self.question, self.options, self.asker.session, self.server, self.catalog.fingerprint)

    @property
    def asked(self) -> str:
        """All that the asker said: the question, and the evidence given with it."""
        return f"{self.question} {self.options.evidence}"
