"""All makers of notes, in the order in which prompts hold their notes.

Owns: that list.
"""

from __future__ import annotations

from askwire.core.protocols import Documents, Store
from askwire.planner.models.guidance.tips import Tips
from askwire.planner.models.notes import NoteMaker
from askwire.planner.models.retrieval.demonstrations import Demonstrations
from askwire.planner.models.retrieval.functions import Functions
from askwire.planner.models.retrieval.knowledge import Knowledge
from askwire.planner.models.retrieval.query_log import QueryLogNotes


def makers(
    store: Store | None = None, server: str = "", documents: Documents | None = None
) -> tuple[NoteMaker, ...]:
    """One of each kind, shared by all experts of a process; `server` as the records of the store have it."""
    return (
        Knowledge(documents, store, server),
        Demonstrations(store, server),
        QueryLogNotes(),
        Functions(),
        Tips(),
    )
