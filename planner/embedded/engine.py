"""The embedded engine: question → ranked candidates, with no model.

Owns: the order of the parts (tokens, links, values, encodings, frames, assignments, queries, ranking) and
their bounds. Must not know: how any part works, or what happens to candidates afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from askwire.core.errors import BeyondEngine, NotInDatabase
from askwire.core.types import Candidate
from askwire.core.value_settings import VALUE_MEMORY
from askwire.language.lexicon import ENDS, FUNCTION_WORDS, SOFT_WORDS
from askwire.language.rate_words import as_participles
from askwire.language.text import Token, tokenize
from askwire.language.times import TimeSpan, time_spans
from askwire.planner.embedded.grammar.encode import encode
from askwire.planner.embedded.grammar.frames import frames
from askwire.planner.embedded.interpretation.assemble import Assembler
from askwire.planner.embedded.interpretation.denials import not_known
from askwire.planner.embedded.interpretation.resolve import Resolver
from askwire.planner.embedded.interpretation.rows_said import rows_said
from askwire.planner.embedded.linking import unsaid
from askwire.planner.embedded.linking.blocked import blocked_tokens
from askwire.planner.embedded.linking.hints import Hints
from askwire.planner.embedded.linking.hints import Reading as Explained
from askwire.planner.embedded.linking.linker import STEM, Linker, Mention
from askwire.planner.embedded.linking.respelled import by_formula, in_years
from askwire.planner.embedded.linking.value_reads import Hit, Room
from askwire.planner.embedded.linking.values import look_up
from askwire.planner.embedded.linking.wording import (
    change_wanted,
    negations_apart,
    spelled_right,
    without_quotes,
    written_out,
)
from askwire.planner.embedded.ranking.agreement import Agreement
from askwire.planner.embedded.ranking.confidence import confidences
from askwire.planner.embedded.ranking.coverage import shown, with_losses
from askwire.planner.embedded.ranking.drafting import Way, proposals_of
from askwire.planner.embedded.ranking.proposal import Proposal
from askwire.planner.embedded.ranking.usual import Usual, as_usual
from askwire.planner.embedded.rendering.reading import reading
from askwire.planner.embedded.schema.schema_index import SchemaIndex
from askwire.planner.embedded.schemas import Schema, Schemas
from askwire.planner.expert import Planning
from askwire.sql.catalog import Catalog
from askwire.sql.output_names import with_output_names

RETURNED: Final = 15
MAX_DRAFTS: Final = 160
MAX_MENTIONS: Final = 24
"""More mentions than this in one question are beyond the engine; the bound keeps every search small."""


class EmbeddedEngine:
    """An `Expert` of rules; keeps the indexes of the last few catalogs it saw, and nothing else."""

    def __init__(self, weights: Mapping[str, float] | None = None) -> None:
        """`weights` rank in the place of the fitted ones; training starts from such."""
        self._weights = weights
        self._schemas = Schemas()

    @property
    def name(self) -> str:
        """The name shown to users."""
        return "embedded"

    def index(self, catalog: Catalog, *, whole: bool) -> SchemaIndex:
        """The schema index that the numbers in proposals refer to; training reads it."""
        return self._schemas.schema(catalog, whole).index

    async def propose(self, planning: Planning) -> Sequence[Candidate]:
        """Candidates, best first, at most `RETURNED`.

        What the asker's search_path reaches is what a question is about; the rest of the catalog counts only
        where no word names anything on the path. Raises NotInDatabase when no word of the question
        names anything here, BeyondEngine when words do but no query follows from them.
        """
        on_path = [relation.on_path for relation in planning.catalog]
        if all(on_path) or not any(on_path):
            return await self._proposed(planning, whole=True)
        try:
            return await self._proposed(planning, whole=False)
        except NotInDatabase:
            return await self._proposed(planning, whole=True)

    async def _proposed(self, planning: Planning, *, whole: bool) -> Sequence[Candidate]:
        proposals = await self.proposals(planning, whole=whole)
        schema = self._schemas.schema(planning.catalog, whole, planning.habits)
        index = schema.index
        if schema.customs:
            proposals = schema.customs.favoured(proposals)
        kept = [with_losses(index, p) for p in proposals[:RETURNED]]
        sure = confidences(kept)
        planning.trace.record("planner", "embedded", whole=whole, candidates=len(kept), drafts=len(proposals))
        customs = schema.customs
        given = [Usual(p, c) for p, c in zip(kept, sure, strict=True)]
        if customs:
            given = as_usual(given, customs.filters(schema.graph))[:RETURNED]
        found = [
            Candidate(
                sql=with_output_names(one.proposal.sql),
                expert=self.name,
                score=round(one.proposal.score, 4),
                confidence=round(one.confidence, 4),
                reading=one.told(reading(index, one.proposal.query)),
                alignments=shown(index, one.proposal),
                uncovered=one.proposal.uncovered,
                join_path=one.proposal.path,
                leaves_out=tuple(not_known(index, one.proposal.query)),
                cited=(*one.filters, *customs.cited(one.proposal)) if customs else (),
            )
            for one in given
        ]
        if customs and found:
            planning.trace.record("planner", "customs", cited=list(found[0].cited))
        return found

    async def proposals(self, planning: Planning, *, whole: bool = True) -> list[Proposal]:
        """All ranked proposals with their features; training and `propose` read them.

        `whole` takes in relations off the search_path.
        """
        schema = await self._schemas.prepared(planning, whole)
        text = planning.question.text
        spoken = tokenize(text)
        if wanted := change_wanted(spoken):
            raise BeyondEngine(
                f'ASK answers questions and changes nothing, and this begins with "{wanted}"',
                hint="Write the statement in SQL, or ask which rows it would be about.",
            )
        tokens = _worded(spoken, schema)
        linker = Linker(schema.index)
        hints = Hints(schema.index, planning.question.evidence, tokens)
        told = hints.apply(tokens, linker)
        tokens = told.tokens
        times = _times(tokens, planning.session.today, schema.index)
        closed = blocked_tokens(tokens, times, schema.units) | _going_on(tokens, linker, schema.index)
        mentions = await asyncio.to_thread(linker.spans, tokens, closed)
        mentions += rows_said(tokens, linker, closed)
        near = frozenset(
            o.index if o.table else schema.index.columns[o.index].table for m in mentions for o in m.options
        )
        named = _named(mentions) | closed
        room = Room(planning.settings[VALUE_MEMORY])
        hits = await look_up(planning.executor, schema.index, tokens, near, named, room)
        loose = without_quotes(text, tokens, hits)
        if loose != text:
            # a quoted text that nothing holds whole may be several values ('First Last')
            again = _worded(tokenize(loose), schema)
            loosened = hints.apply(again, linker)
            again = loosened.tokens
            more = await look_up(planning.executor, schema.index, again, near, room=room)
            if any(h.quality > 0.6 for h in more):
                tokens, hits, told = again, more, loosened
                times = _times(tokens, planning.session.today, schema.index)
                closed = blocked_tokens(tokens, times, schema.units) | _going_on(tokens, linker, schema.index)
                mentions = await asyncio.to_thread(linker.spans, tokens, closed)
                mentions += rows_said(tokens, linker, closed)
        if planning.question.evidence:
            planning.trace.record(
                "planner", "hints", used=len(told.given) + len(told.mentions), unread=told.unread
            )
        nothing = not (mentions or hits or told.given or told.mentions)
        if nothing and tokens and tokens[0].lower != "who":
            raise _nothing_known(tokens)
        found = await asyncio.to_thread(self._search, schema, text, told, linker, mentions, hits, times)
        if not found and nothing:
            raise _nothing_known(tokens)
        if not found:
            raise _beyond(tokens, mentions, hits)
        return found

    def _search(
        self,
        schema: Schema,
        text: str,
        told: Explained,
        linker: Linker,
        mentions: Sequence[Mention],
        hits: Sequence[Hit],
        times: Sequence[TimeSpan],
    ) -> list[Proposal]:
        best: dict[str, Proposal] = {}
        drafts = 0
        encodings = encode(told.tokens, linker, mentions, hits, times, told.given, told.mentions)
        for number, encoded in enumerate(encodings):
            if len(encoded.mentions) + len(encoded.values) > MAX_MENTIONS:
                continue
            agreement = Agreement(schema.index, linker, encoded)
            for frame in frames(schema.index, schema.graph, encoded, linker):
                resolver = Resolver(schema.index, schema.graph, encoded)
                for chosen in resolver.assignments(frame):
                    assembler = Assembler(schema.index, schema.graph, encoded, frame, chosen)
                    way = Way.of(text, encoded, agreement, number, frame, chosen)
                    for draft in assembler.drafts():
                        drafts += 1
                        if drafts > MAX_DRAFTS * (number + 1):
                            break
                        for proposal in proposals_of(schema.index, schema.graph, way, draft, self._weights):
                            known = best.get(proposal.sql)
                            if known is None or known.score < proposal.score:
                                best[proposal.sql] = proposal
        return sorted(best.values(), key=lambda p: (-p.score, p.sql))


def _worded(tokens: tuple[Token, ...], schema: Schema) -> tuple[Token, ...]:
    """A question's tokens in the words of the schema."""
    right = by_formula(in_years(spelled_right(tokens, schema.index)), schema.index)
    right = as_participles(written_out(right, schema.abbreviations), schema.index.by_word)
    return negations_apart(right, schema.index)


def _named(mentions: Sequence[Mention]) -> frozenset[int]:
    """The tokens that name tables or columns, rather than something like them."""
    return frozenset(
        at
        for m in mentions
        if m.best >= STEM * 0.8 or (m.best >= 0.5 and m.options[0].table)
        for at in range(m.start, m.end)
    )


def _going_on(tokens: Sequence[Token], linker: Linker, index: SchemaIndex) -> frozenset[int]:
    """Words like 'open' that no name holds, where the schema has the time at which it ends."""
    return frozenset(
        at
        for at, t in enumerate(tokens)
        if t.lower in ENDS and t.lower not in index.by_word and unsaid.ended(linker, t.lower).options
    )


def _times(tokens: Sequence[Token], today: str, index: SchemaIndex) -> tuple[TimeSpan, ...]:
    """The times of a question, without months that are columns here ('the temperature in February')."""
    return tuple(
        span
        for span in time_spans(tokens, today)
        if not (span.month and span.end - span.start == 1 and tokens[span.start].lemma in index.by_word)
    )


def _content(tokens: Sequence[Token]) -> list[str]:
    return [
        t.text
        for t in tokens
        if t.kind in {"word", "quoted"} and not {t.lower, t.lemma} & (FUNCTION_WORDS | SOFT_WORDS)
    ]


def _nothing_known(tokens: Sequence[Token]) -> NotInDatabase:
    words = _content(tokens)
    return NotInDatabase(
        "the question names nothing this database holds",
        detail=f"No table, column or value matches: {', '.join(words[:12])}." if words else "",
        hint="Name tables, columns or values as the database does.",
    )


def _beyond(tokens: Sequence[Token], mentions: Sequence[Mention], hits: Sequence[Hit]) -> BeyondEngine:
    spans = [(m.start, m.end) for m in mentions] + [(h.start, h.end) for h in hits]
    placed = {at for start, end in spans for at in range(start, end)}
    words = _content([t for at, t in enumerate(tokens) if at not in placed])
    return BeyondEngine(
        "the question is beyond what the embedded engine understands",
        detail=f"It could not place: {', '.join(words[:12])}."
        if words
        else "Its words are known, but not how they go together.",
        hint="Ask more plainly, for one thing at a time.",
    )
