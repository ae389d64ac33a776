"""One ASK as it happens: who asks what, where, and in which session.

Owns: that value. Must not know: what comes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from askwire.proxy.memory.pins import Answering, pin_key
from askwire.proxy.session.asker import Asker
from askwire.proxy.session.session_memory import SessionMemory
from askwire.sql.ask import AskOptions
from askwire.sql.catalog import Catalog


@dataclass(frozen=True)
class Occasion:
    """One ASK as it happens: who asks what, where, and in which session, and which experts may answer."""

    asker: Asker
    catalog: Catalog
    server: str
    memory: SessionMemory
    question: str
    options: AskOptions
    experts: tuple[str, ...] = ()

    @cached_property
    def key(self) -> str:
        """What tells this ASK from all that may stand for other SQL."""
        return self._key(Answering(self.experts, self.asker.settings))

    @cached_property
    def spoken_key(self) -> str:
        """The same for what a person said of it, which holds whoever is asked."""
        return self._key(None)

    def _key(self, answering: Answering | None) -> str:
        fingerprint = self.catalog.fingerprint
        session = self.asker.session
        return pin_key(self.question, self.options, session, self.server, fingerprint, answering)

    @property
    def asked(self) -> str:
        """All that the asker said: the question, and the evidence given with it."""
        return f"{self.question} {self.options.evidence}"
