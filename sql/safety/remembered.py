"""The gate, remembering what it has let pass.

Owns: the texts that passed, by catalog and policy. One ASK shows the gate the same texts again and again (a
candidate, its plan, its rows, the chosen answer), and the look-ups of one schema are those of the next
question. What was refused is judged again: no one asks for it often.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from typing import Final

from askwire.sql import safety
from askwire.sql.catalog import Catalog
from askwire.sql.safety.policy import Policy

_MAX_TEXTS: Final = 1000
_MAX_TEXT_CHARACTERS: Final = 8000
"""Characters of a text that is remembered: all of them together take 16 MB at most."""


class Gate:
    """`safety.check` with a bounded memory; safe to be called from several threads.

    A verdict holds for the very catalog it was made with, not for one that is equal: a catalog that was read
    again starts from nothing.
    """

    def __init__(self, texts: int = _MAX_TEXTS) -> None:
        self._texts = texts
        self._passed: OrderedDict[
            tuple[int, Policy, str], tuple[weakref.ref[Catalog], safety.PassedStatement]
        ] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._passed)

    def check(self, sql: str, catalog: Catalog, policy: Policy) -> safety.PassedStatement:
        """What `safety.check` says; raises `core.errors.RefusedByGate`."""
        key = (id(catalog), policy, sql)
        with self._lock:
            known = self._passed.get(key)
            if known and known[0]() is catalog:
                self._passed.move_to_end(key)
                return known[1]
        passed = safety.check(sql, catalog, policy)
        # the text that passed is what comes back, and passes as it stands
        for text in {sql, passed.sql}:
            self._remember((id(catalog), policy, text), weakref.ref(catalog), passed)
        return passed

    def _remember(
        self, key: tuple[int, Policy, str], catalog: weakref.ref[Catalog], passed: safety.PassedStatement
    ) -> None:
        if len(key[2]) > _MAX_TEXT_CHARACTERS:
            return
        with self._lock:
            self._passed[key] = catalog, passed
            self._passed.move_to_end(key)
            while len(self._passed) > self._texts:
                self._passed.popitem(last=False)
