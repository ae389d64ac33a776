"""Questions that were answered before, with their queries, as examples (SSEV's demonstrations).

What the role itself confirmed on this database, what an operator approved there, and seeds that come with
askwire; the most similar ones, by masked questions. Owns: which examples are shown and how much of each. Of
what others confirmed no value is shown at any level of `egress`; of the role's own, values need `rows` (or
are masked).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from askwire.core.beside import beside, on_loop
from askwire.core.egress import Disclosure, Kind, Piece, in_pieces
from askwire.core.errors import DatabaseFailed, RefusedByGate, StoreFailed
from askwire.core.protocols import Store
from askwire.core.records import CONSOLE, Demonstration
from askwire.core.settings.memory import OPERATORS
from askwire.llm.estimate import tokens
from askwire.planner.expert import ExpertContext
from askwire.planner.models.expert_task import ExpertTask
from askwire.planner.models.notes import Note, SoFar, note_of
from askwire.planner.models.retrieval import embedding
from askwire.planner.models.retrieval.masking import (
    MASK,
    Names,
    constants,
    plain_shape,
    query_pieces,
    question_pieces,
    shape,
    told_of_others,
)
from askwire.planner.models.texts.lexical import Index, words

MAX_EXAMPLE_TOKENS: Final = 1000
"""Tokens of all examples together."""
_MAX_EXAMPLE_CHARACTERS: Final = 1800
_MAX_RECORDS_PER_AUTHOR: Final = 300
"""Records of each author that are looked at, the latest."""
_MAX_CHECKED_EXAMPLES: Final = 40
"""Examples of which it is seen whether the asker could run them."""
_STORE_TIMEOUT_SECONDS: Final = 0.25


@dataclass(frozen=True)
class Example:
    """A question and its query. `names` are words of its schema; `others`: somebody else asked it."""

    question: str
    sql: str
    names: frozenset[str]
    seed: bool = False
    others: bool = False
    values: frozenset[str] = field(default_factory=frozenset)

    @property
    def shape(self) -> tuple[str, ...]:
        """What it has in common with other questions: all of it that may be embedded."""
        masked = shape(self.question, self.names, self.values)
        return plain_shape(masked) if self.others else masked

    @property
    def known_by(self) -> tuple[str, ...]:
        """The words it is found by: names of the same schema count besides."""
        return self.shape if self.seed else (*self.shape, *words(self.question))


@cache
def seeds() -> tuple[Example, ...]:
    """The examples that come with askwire."""
    data = tomllib.loads((files(__package__) / "seeds.toml").read_text("utf-8"))
    return tuple(
        Example(
            one["question"],
            one["sql"],
            frozenset(words(one["names"])),
            seed=True,
            values=constants(one["sql"]),
        )
        for one in data["seeds"]
    )


class Demonstrations:
    """`planner.models.notes.Noting` over a store; `server` as the records have it. Without a store: seeds."""

    name = "demonstrations"

    def __init__(self, store: Store | None = None, server: str = "") -> None:
        self._store = store
        self._server = server
        self._names = Names()
        self._vectors = embedding.Vectors()

    async def note(self, asking: ExpertTask, so_far: SoFar) -> Note | None:
        """The examples for one question, the most similar last; the trace says how many of which kind."""
        course, planning = asking.course, asking.planning
        if not course.demonstrations:
            return None
        names = await beside(self._names.of, planning.catalog)
        known = await self._confirmed(planning, names)
        ranked = await self._ranked(asking, known, names)
        own = await _possible(planning, ranked, course.demonstrations)
        more: list[Example] = []
        room = min(course.seeds, course.demonstrations - len(own))
        if room > 0:
            more = (await self._ranked(asking, seeds(), names))[:room]
        left = so_far.bound(MAX_EXAMPLE_TOKENS)
        told: list[list[Disclosure]] = [[], []]
        for example in (*own, *more):
            part = _told(example, asking, names)
            left -= tokens(part.text)
            if left < 0:
                break
            told[example.seed].insert(0, part)
        asking.record("demonstrated", confirmed=len(told[0]), seeds=len(told[1]), known=len(known))
        return note_of(asking.prompts["note_examples"], examples=told[1], own=told[0])

    async def _confirmed(self, planning: ExpertContext, names: frozenset[str]) -> list[Example]:
        """What the role confirmed here, and what operators approved; nothing where the store fails."""
        if self._store is None:
            return []
        session = planning.session
        place: dict[str, str | bool] = {"server": self._server, "database": session.database}
        authors: list[dict[str, str | bool]] = [{"role": session.current_user}]
        operators: frozenset[str] = planning.settings[OPERATORS]
        # what was approved from the console counts, no matter who was logged in there
        authors += [{"approved_by": operator} for operator in (*sorted(operators), CONSOLE)]
        found: dict[str, Demonstration] = {}
        for author in authors:
            try:
                records = await on_loop(
                    self._store.find(
                        Demonstration,
                        place | author,
                        limit=_MAX_RECORDS_PER_AUTHOR,
                        timeout=_STORE_TIMEOUT_SECONDS,
                    )
                )
            except StoreFailed:
                return []
            found |= {record.key: record for record in records if record.key not in found}
        # where rows belong to tenants, one role stands for several of them
        shared = any(relation.row_security for relation in planning.catalog)
        return await beside(_examples, found.values(), names, session.current_user, shared)

    async def _ranked(
        self, asking: ExpertTask, known: Sequence[Example], names: frozenset[str]
    ) -> list[Example]:
        """Those that are similar, the most similar first."""
        question = asking.planning.question.text
        if known and asking.course.similarity == "embedding":
            near = await self._vectors.near(asking, shape(question, names), [e.shape for e in known])
            if near is not None:
                return [known[number] for number in near]
        return await beside(_by_words, question, known, names)


def _examples(
    records: Iterable[Demonstration], names: frozenset[str], role: str, shared: bool
) -> list[Example]:
    return [
        Example(
            record.question,
            record.sql,
            names,
            others=shared or record.role != role,
            values=constants(record.sql),
        )
        for record in records
        if len(record.sql) + len(record.question) <= _MAX_EXAMPLE_CHARACTERS
    ]


def _by_words(question: str, known: Sequence[Example], names: frozenset[str]) -> list[Example]:
    asked = (*shape(question, names), *words(question))
    index = Index(example.known_by for example in known)
    return [known[number] for number, _ in index.best(asked, 0.0)]


async def _possible(planning: ExpertContext, ranked: Sequence[Example], most: int) -> list[Example]:
    """The first of them whose query this asker could run now: what it reads is there and may be read."""
    possible: list[Example] = []
    if not ranked:
        return possible
    async with planning.executor.batch() as batch:
        for example in ranked[: min(2 * most, _MAX_CHECKED_EXAMPLES)]:
            if len(possible) == most:
                break
            try:
                await batch.explain(example.sql)
            except (RefusedByGate, DatabaseFailed) as error:
                if isinstance(error, DatabaseFailed) and error.session_lost:
                    raise
                continue
            possible.append(example)
    return possible


def _told(example: Example, asking: ExpertTask, names: frozenset[str]) -> Disclosure:
    """One example as far as the policy lets it be shown."""
    if example.seed:
        return Disclosure(Kind.EXAMPLE, f"{example.question} → {example.sql}")
    if example.others:
        question, sql = told_of_others(example.question, example.sql, names)
        return Disclosure(Kind.EXAMPLE, f"{question} → {sql}")
    pieces = [
        *question_pieces(example.question, names, example.values),
        Piece(" → "),
        *query_pieces(example.sql),
    ]
    if asking.shares_shapes:
        return in_pieces(Kind.EXAMPLE_WITH_VALUES, pieces)
    return Disclosure(Kind.EXAMPLE, "".join(MASK if piece.is_value else piece.text for piece in pieces))
