"""PostgreSQL's own functions and operators that a question may need (ReCAPAgent-SQL's syntax retriever).

Read from the server's catalog, with its comments, as the asker and once per version. Owns: that reading, and
which of them are told: only what the gate lets every query use. Must not know: the gate's reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.beside import beside
from askwire.core.egress import Disclosure, Kind
from askwire.core.types import Row
from askwire.llm.estimate import tokens
from askwire.planner.models.asking import Asking
from askwire.planner.models.notes import Note, SoFar, note_of
from askwire.planner.models.retrieving.lexical import Index, words
from askwire.sql.literals import array_text
from askwire.sql.safety.functions import review
from askwire.sql.safety.operators import ALLOWED

MOST: Final = 300
"""Tokens of all that is told."""
_TOLD: Final = 10
_LEAST: Final = 0.5
_FORMS: Final = 3
"""Ways to call one function that are told."""
_KEPT: Final = 4
_TIMEOUT_MS: Final = 2000

# OIDs below 16384 are the server's own: nobody's function or comment is among them
_FUNCTIONS: Final = """
SELECT p.proname,
       p.proname || '(' || pg_catalog.pg_get_function_arguments(p.oid) || ') returns '
           || pg_catalog.pg_get_function_result(p.oid),
       pg_catalog.obj_description(p.oid, 'pg_proc')
FROM pg_catalog.pg_proc p
WHERE p.oid < 16384 AND p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace
  AND p.prokind IN ('f', 'a', 'w') AND p.proname = ANY ($1::pg_catalog.text[])
  AND pg_catalog.obj_description(p.oid, 'pg_proc') !~ '^(implementation of|internal|I/O|deprecated|convert )'
ORDER BY p.proname, p.pronargs, p.oid
"""
_OPERATORS: Final = """
SELECT o.oprname,
       pg_catalog.concat_ws(' ', pg_catalog.format_type(nullif(o.oprleft, 0), NULL), o.oprname,
           pg_catalog.format_type(nullif(o.oprright, 0), NULL)),
       coalesce(pg_catalog.obj_description(o.oid, 'pg_operator'),
           pg_catalog.obj_description(o.oprcode, 'pg_proc'))
FROM pg_catalog.pg_operator o
WHERE o.oid < 16384 AND o.oprnamespace = 'pg_catalog'::pg_catalog.regnamespace
  AND o.oprname = ANY ($1::pg_catalog.text[])
  AND coalesce(pg_catalog.obj_description(o.oid, 'pg_operator'),
          pg_catalog.obj_description(o.oprcode, 'pg_proc')) !~ '^(implementation of|internal|deprecated)'
ORDER BY o.oprname, o.oid
"""


@dataclass(frozen=True, slots=True)
class Described:
    """A function or operator: its name, the ways to call it, and what PostgreSQL says of it."""

    name: str
    forms: tuple[str, ...]
    comment: str

    @property
    def told(self) -> str:
        """As a prompt has it."""
        return f"{'; '.join(self.forms[:_FORMS])}: {self.comment}"


class _Manual:
    """All of one version, with an index."""

    def __init__(self, rows: Sequence[Row]) -> None:
        forms: dict[tuple[str, str], list[str]] = {}
        for name, form, comment in rows:
            forms.setdefault((name or "", comment or ""), []).append(form or "")
        self._entries = [Described(name, tuple(ways), comment) for (name, comment), ways in forms.items()]
        self._index = Index(words(f"{one.name} {one.name} {one.comment}") for one in self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def about(self, asked: Sequence[str]) -> list[Described]:
        """What shares words with those asked for, the best first."""
        found: dict[str, Described] = {}
        for number, _ in self._index.best(asked, _LEAST):
            found.setdefault(self._entries[number].name, self._entries[number])
        return list(found.values())[:_TOLD]


class Functions:
    """`planner.models.notes.Noting` over the catalog of functions; kept for the last few versions."""

    name = "functions"

    def __init__(self) -> None:
        self._known: dict[int, _Manual] = {}

    async def note(self, asking: Asking, so_far: SoFar) -> Note | None:
        """The functions that may be of use; the trace names them. Raises DatabaseFailed."""
        if not asking.course.syntax:
            return None
        manual = await self._manual(asking)
        asked = words(" ".join((asking.planning.question.text, *so_far.steps, *so_far.keywords)))
        told: list[Described] = []
        left = so_far.bound(MOST)
        for one in manual.about(asked):
            left -= tokens(one.told)
            if left < 0:
                break
            told.append(one)
        asking.record("looked up", functions=[one.name for one in told], of=len(manual))
        return note_of(
            asking.prompts["note_functions"],
            functions=[Disclosure(Kind.FUNCTION, one.told) for one in told],
        )

    async def _manual(self, asking: Asking) -> _Manual:
        version = asking.planning.session.server_version
        if version not in self._known:
            async with asking.planning.executor.batch() as batch:
                called = await batch.read(
                    _FUNCTIONS, [array_text(sorted(review().allowed))], timeout_ms=_TIMEOUT_MS
                )
                signs = await batch.read(_OPERATORS, [array_text(sorted(ALLOWED))], timeout_ms=_TIMEOUT_MS)
            manual = await beside(_Manual, (*called.rows, *signs.rows))
            self._known[version] = manual
            for old in list(self._known)[:-_KEPT]:
                del self._known[old]
        return self._known[version]
