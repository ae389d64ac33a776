"""What operators' documents and the glossary say about a question (ReCAPAgent-SQL's knowledge retriever).

Owns: which sections are shown, and of what kind they are. They are data as all that strangers write: what
they say is no instruction.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from askwire.core.beside import on_loop
from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import StoreFailed
from askwire.core.protocols import Document, Documents, Store
from askwire.core.records import Term
from askwire.core.settings.memory import OPERATORS
from askwire.core.settings.models import KNOWLEDGE_HOLDS
from askwire.llm.estimate import tokens
from askwire.planner.expert import ExpertContext
from askwire.planner.models.expert_task import ExpertTask
from askwire.planner.models.notes import Note, SoFar, note_of
from askwire.planner.models.texts.evidence import MAX_WHOLE_CHARACTERS, named_columns
from askwire.planner.models.texts.lexical import Index, words
from askwire.planner.models.texts.sections import Section, sections

MAX_KNOWLEDGE_TOKENS: Final = 1000
_ROOM_SHARE: Final = 0.8
"""Of the room that notes have: what others confirmed has to find a place as well."""
"""Tokens of all that is shown about documents and words."""
_MAX_SECTIONS: Final = 8
_MIN_SCORE_SHARE: Final = 0.3
"""Of the best section's score, what another one must have to be shown."""
_MAX_TERMS: Final = 1000
_STORE_TIMEOUT_SECONDS: Final = 0.25


class _Shelf:
    """The documents in sections, with their index: made once for each state of the documents."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.sections: tuple[Section, ...] = tuple(
            section for document in documents for section in sections(document.name, document.text)
        )
        self._index = Index(words(section.told) for section in self.sections)

    def about(self, asked: Sequence[str]) -> list[Section]:
        """Sections by how much they share with the words asked for, the best first."""
        return [
            self.sections[number] for number, _ in self._index.best(asked, _MIN_SCORE_SHARE)[:_MAX_SECTIONS]
        ]


class Knowledge:
    """`planner.models.notes.Noting` over documents and a store's glossary; `server` as records have it."""

    name = "knowledge"

    def __init__(
        self, documents: Documents | None = None, store: Store | None = None, server: str = ""
    ) -> None:
        self._documents = documents
        self._store = store
        self._server = server
        self._shelf = _Shelf(())
        self._making: asyncio.Task[_Shelf] | None = None

    async def note(self, asking: ExpertTask, so_far: SoFar) -> Note | None:
        """What is known of the question; the trace names the sections that were shown."""
        if not asking.course.knowledge:
            return None
        planning = asking.planning
        asked = words(
            " ".join(
                (planning.question.text, planning.question.evidence[:MAX_WHOLE_CHARACTERS], *so_far.steps)
            )
        )
        shelf = await on_loop(self._read())
        rows = planning.settings[KNOWLEDGE_HOLDS] == "rows"
        kind = Kind.DOCUMENT_WITH_VALUES if rows else Kind.DOCUMENT
        told: list[Disclosure] = []
        names: list[str] = []
        left = so_far.bound(MAX_KNOWLEDGE_TOKENS, _ROOM_SHARE)
        terms = await self._terms(planning, asked)
        for section in (*terms, *shelf.about(asked)):
            left -= tokens(section.told)
            if left < 0:
                break
            told.append(Disclosure(Kind.DOCUMENT if section in terms else kind, section.told))
            names.append(section.heading)
        asking.record("consulted", sections=names, of=len(shelf.sections))
        texts = [part.text for part in told if asking.egress.level.lets(part.kind)]
        columns = named_columns(
            [*texts, planning.question.evidence], planning.catalog, so_far.shown.relations
        )
        return note_of(asking.prompts["note_knowledge"], knowledge=told, columns=columns if texts else ())

    async def _read(self) -> _Shelf:
        if self._documents is None:
            return self._shelf
        documents = await self._documents.read()
        if documents is not self._shelf.documents:
            if self._making is None:
                self._making = asyncio.create_task(asyncio.to_thread(_Shelf, documents))
            making = self._making
            try:
                # it goes on when an ASK has no time left for it: the next one finds it done
                self._shelf = await asyncio.shield(making)
            finally:
                if making.done() and self._making is making:
                    self._making = None
        return self._shelf

    async def _terms(self, planning: ExpertContext, asked: Sequence[str]) -> list[Section]:
        """Words of the role's own glossary and of operators' that the question has in another form.

        Those that it has as they stand are part of its hint already.
        """
        if self._store is None:
            return []
        place: dict[str, str | bool] = {"server": self._server, "database": planning.session.database}
        operators: frozenset[str] = planning.settings[OPERATORS]
        role = planning.session.current_user
        found: dict[str, Section] = {}
        for speaker in (role, *sorted(operators - {role})):
            try:
                records = await on_loop(
                    self._store.find(
                        Term, place | {"role": speaker}, limit=_MAX_TERMS, timeout=_STORE_TIMEOUT_SECONDS
                    )
                )
            except StoreFailed:
                return []
            for record in records:
                stems = words(record.term)
                said = f"{record.term}: {record.meaning}"
                if stems and set(stems) <= set(asked) and said not in planning.question.evidence:
                    found.setdefault(record.term.lower(), Section(record.term, record.meaning))
        return list(found.values())[:_MAX_SECTIONS]
