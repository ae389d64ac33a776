"""What askwire remembers between ASKs: history, pins, feedback, weights, glossary, demonstrations, outcomes.

Owns: keeping `core.records` behind `core.protocols.Store`, and carrying them from one store to another.
"""

from askwire.store.memory import MemoryStore
from askwire.store.opening import open_store
from askwire.store.sqlite import SqliteStore

__all__ = ["MemoryStore", "SqliteStore", "open_store"]
