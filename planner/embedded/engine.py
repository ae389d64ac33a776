"""The embedded engine: question → ranked candidates, with no model.

Owns: the order of the passes (`PASSES`: words, hints, names, values, queries) and their bounds. The rooms
that the passes work in, from the top; each imports only those below it:

    ranking          proposals → features, score, confidence, coverage, and what people's own queries add
    rendering        logical form → SQL, what a join counts twice, and the reading in words
    interpretation   frame → columns and tables chosen jointly, and queries in logical form
    grammar          links → one line of typed symbols → its clauses (`grammar.rules`) → frames
    linking          words → tables, columns, values, codes, units, and the hints given with a question
    schema           catalog → index of its words, roles, join graph, measures of the query log
    logical_form     the values that a query is made of before it is SQL; they import nothing

`schemas` keeps what was prepared of the last catalogs, and `askwire.language` holds the English of all rooms.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from askwire.core.errors import BeyondEngine, NotInDatabase
from askwire.core.settings.data_values import VALUE_MEMORY
from askwire.core.types import Candidate
from askwire.language.lexicon import ENDS, FUNCTION_WORDS, SOFT_WORDS
from askwire.language.rate_words import as_duration, as_participles, rates
from askwire.language.text import Token, tokenize
from askwire.language.times import TimeSpan, time_spans
from askwire.planner.embedded.grammar.clauses import Watch
from askwire.planner.embedded.grammar.encode import encode
from askwire.planner.embedded.grammar.frames import frames
from askwire.planner.embedded.interpretation.assemble import Assembler
from askwire.planner.embedded.interpretation.denials import not_known
from askwire.planner.embedded.interpretation.resolve import Resolver
from askwire.planner.embedded.interpretation.row_nouns import rows_said
from askwire.planner.embedded.linking import implicit_columns
from askwire.planner.embedded.linking.aggregate_names import added_up
from askwire.planner.embedded.linking.blocked import blocked_tokens, shares_named
from askwire.planner.embedded.linking.definitions import explained
from askwire.planner.embedded.linking.hints import HintedQuestion as Explained
from askwire.planner.embedded.linking.hints import Hints
from askwire.planner.embedded.linking.linker import STEM, Linker, Mention
from askwire.planner.embedded.linking.participles import without_deeds
from askwire.planner.embedded.linking.rewording.exclusions import takes_in
from askwire.planner.embedded.linking.rewording.keyed import by_key
from askwire.planner.embedded.linking.rewording.manner import Manner, without_manner
from askwire.planner.embedded.linking.rewording.numbered import by_number
from askwire.planner.embedded.linking.rewording.paraphrases import plainly
from askwire.planner.embedded.linking.rewording.respelled import (
    below_zero,
    by_formula,
    denied_apart,
    in_years,
    taken_apart,
    than_set,
    units_of_dates,
)
from askwire.planner.embedded.linking.rewording.spelled_out import spelled_out
from askwire.planner.embedded.linking.rewording.wording import (
    capitals_apart,
    change_wanted,
    negations_apart,
    ranking_of_none,
    spelled_right,
    without_heads,
    without_quotes,
    written_out,
)
from askwire.planner.embedded.linking.value_reads import Hit, Room
from askwire.planner.embedded.linking.values import look_up
from askwire.planner.embedded.ranking.agreement import Agreement
from askwire.planner.embedded.ranking.confidence import confidences
from askwire.planner.embedded.ranking.coverage import shown, with_losses
from askwire.planner.embedded.ranking.drafting import Way, proposals_of
from askwire.planner.embedded.ranking.filter_variants import FilterVariant, as_usual
from askwire.planner.embedded.ranking.proposal import Proposal
from askwire.planner.embedded.ranking.reliance import Reliance
from askwire.planner.embedded.rendering.description import reading
from askwire.planner.embedded.rendering.naming_outputs import output_names
from askwire.planner.embedded.schema.rivals import is_view, names_view
from askwire.planner.embedded.schema.schema_index import SchemaIndex
from askwire.planner.embedded.schemas import Schema, Schemas
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog
from askwire.sql.presentation.output_names import with_output_names

RETURNED: Final = 15
MAX_DRAFTS: Final = 160
MAX_MENTIONS: Final = 24
"""More mentions than this in one question are beyond the engine; the bound keeps every search small."""


class EmbeddedEngine:
    """An `Expert` of rules; keeps the indexes of the last few catalogs it saw, and nothing else."""

    def __init__(self, weights: Mapping[str, float] | None = None) -> None:
        """`weights` replace the fitted ones; training starts from such."""
        self._weights = weights
        self._schemas = Schemas()

    @property
    def name(self) -> str:
        """The name shown to users."""
        return "embedded"

    def index(self, catalog: Catalog, *, whole: bool) -> SchemaIndex:
        """The schema index that the numbers in proposals refer to; training reads it."""
        return self._schemas.schema(catalog, whole).index

    async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
        """Candidates, best first, at most `RETURNED`.

        What the asker's search_path reaches is what a question is about; the rest of the catalog counts only
        where no word names anything on the path, and views where one is named or tables do not suffice.
        Raises NotInDatabase when no word of the question names anything here, BeyondEngine when words do but
        no query follows from them.
        """
        on_path = [relation.on_path for relation in planning.catalog]
        reached = (False, True) if any(on_path) and not all(on_path) else (True,)
        views: tuple[bool, ...] = (True,)
        if any(is_view(relation) for relation in planning.catalog):
            spoken = frozenset(token.lemma for token in tokenize(planning.question.text))
            views = (True,) if names_view(spoken, planning.catalog) else (False, True)
        *others, last = [(whole, view) for whole in reached for view in views]
        for whole, view in others:
            try:
                return await self._proposed(planning, whole=whole, views=view)
            except NotInDatabase:
                continue
            except BeyondEngine:
                if (whole, not view) not in [*others, last] or view:
                    raise
        return await self._proposed(planning, whole=last[0], views=last[1])

    async def _proposed(self, planning: ExpertContext, *, whole: bool, views: bool) -> Sequence[Candidate]:
        proposals = await self.proposals(planning, whole=whole, views=views)
        schema = self._schemas.schema(planning.catalog, whole, planning.query_patterns, views=views)
        index = schema.index
        if schema.customs:
            proposals = schema.customs.favoured(proposals)
        kept = [with_losses(index, p) for p in proposals[:RETURNED]]
        sure = confidences(kept)
        planning.trace.record("planner", "embedded", whole=whole, candidates=len(kept), drafts=len(proposals))
        customs = schema.customs
        given = [FilterVariant(p, c) for p, c in zip(kept, sure, strict=True)]
        if customs and not takes_in(tokenize(planning.question.text)):
            given = as_usual(given, customs.filters(schema.graph))[:RETURNED]
        relied = Reliance(index)
        found = [
            Candidate(
                sql=with_output_names(one.proposal.sql, output_names(index, one.proposal.query)),
                expert=self.name,
                score=round(one.proposal.score, 4),
                confidence=round(one.confidence, 4),
                reading=one.told(reading(index, one.proposal.query)),
                alignments=shown(index, one.proposal),
                uncovered=tuple(
                    as_asked(planning.question.text, one.proposal.encoded.tokens, text)
                    for text in one.proposal.uncovered
                ),
                join_path=one.proposal.path,
                leaves_out=tuple(not_known(index, one.proposal.query)),
                cited=(*one.filters, *customs.cited(one.proposal)) if customs else (),
                signals=relied.signals(one.proposal),
            )
            for one in given
        ]
        if customs and found:
            planning.trace.record("planner", "customs", cited=list(found[0].cited))
        return found

    async def proposals(
        self, planning: ExpertContext, *, whole: bool = True, views: bool = True
    ) -> list[Proposal]:
        """All ranked proposals with their features; training and `propose` read them.

        `whole` takes in relations off the search_path, `views` what shows rows of others.
        """
        work = await self.begin(planning, whole=whole, views=views)
        for each in PASSES:
            work = await each(work)
        return work.proposals

    async def begin(
        self, planning: ExpertContext, *, whole: bool = True, views: bool = True, watch: Watch | None = None
    ) -> Work:
        """What the first pass begins with; a trace runs the passes one by one, and gives a `watch`."""
        schema = await self._schemas.prepared(planning, whole, views)
        room = Room(planning.settings[VALUE_MEMORY])
        return Work(planning, schema, Linker(schema.index), room, self._weights, watch=watch)


@dataclass(frozen=True)
class Work:
    """What is known of one question; each pass returns it with its own part filled in.

    `read` are the tokens in the words of the schema with the hints applied to them, `closed` the places of
    tokens that no name may take, `near` the tables that some name speaks of, `asked` the question without
    what explains its words, `evidence` what does, `manner` how the answer is to be made.
    """

    planning: ExpertContext
    schema: Schema
    linker: Linker
    room: Room
    weights: Mapping[str, float] | None
    tokens: tuple[Token, ...] = ()
    asked: str = ""
    evidence: str = ""
    manner: Manner = field(default_factory=Manner)
    hints: Hints | None = None
    read: Explained = field(default_factory=lambda: Explained(()))
    times: tuple[TimeSpan, ...] = ()
    closed: frozenset[int] = frozenset()
    mentions: Sequence[Mention] = ()
    near: frozenset[int] = frozenset()
    hits: Sequence[Hit] = ()
    proposals: list[Proposal] = field(default_factory=list)
    watch: Watch | None = None

    @property
    def index(self) -> SchemaIndex:
        """The schema index of the catalog."""
        return self.schema.index

    @property
    def unlinked(self) -> bool:
        """Whether no word names a table, a column or a value, and no hint says what one means."""
        return not (self.mentions or self.hits or self.read.given or self.read.mentions)


async def cut_into_words(work: Work) -> Work:
    """The tokens in the words of the schema; raises BeyondEngine where a change or no row is wanted."""
    asked, told = explained(work.planning.question.text)
    spoken = tokenize(asked)
    if wanted := change_wanted(spoken):
        raise BeyondEngine(
            f'ASK answers questions and changes nothing, and this begins with "{wanted}"',
            hint="Write the statement in SQL, or ask which rows it would be about.",
        )
    if none := ranking_of_none(spoken):
        raise BeyondEngine(
            f'"{none}" asks for no row',
            hint="Ask for 1 row or more, as in top 5.",
        )
    plain, manner = without_manner(spoken, work.index.by_word)
    plain, spelled = spelled_out(plain, work.index)
    manner = replace(manner, spelled=spelled)
    evidence = "\n".join(filter(None, (work.planning.question.evidence, told)))
    return replace(work, tokens=_worded(plain, work.schema), asked=asked, manner=manner, evidence=evidence)


async def apply_hints(work: Work) -> Work:
    """What the hint given with the question, and the question itself, say that its words mean."""
    hints = Hints(work.index, work.evidence, work.tokens)
    return replace(work, hints=hints, read=hints.apply(work.tokens, work.linker))


async def link_names(work: Work) -> Work:
    """The times of the question, and the words that name tables and columns."""
    tokens = work.read.tokens
    times = _times(tokens, work.planning.session.today, work.index)
    names = [column.full for column in work.index.columns]
    closed = blocked_tokens(tokens, times, work.schema.units) | _going_on(tokens, work.linker, work.index)
    closed = (closed | rates(tokens, names)) - shares_named(tokens, names)
    mentions = await asyncio.to_thread(work.linker.spans, tokens, closed)
    mentions += rows_said(tokens, work.linker, closed)
    return replace(work, times=times, closed=closed, mentions=mentions)


async def link_values(work: Work) -> Work:
    """The words that are values of the data, looked up as the asker; a column in sight comes first."""
    columns = work.index.columns
    near = frozenset(o.index if o.table else columns[o.index].table for m in work.mentions for o in m.options)
    named = _named(work.mentions) | work.closed
    found = await look_up(work.planning.executor, work.index, work.read.tokens, near, named, work.room)
    mentions, hits = without_deeds(work.index, work.read.tokens, work.mentions, found)
    return replace(work, near=near, mentions=mentions, hits=hits)


async def open_quotes(work: Work) -> Work:
    """The same without quotes around what no column holds whole, where its parts are values."""
    loose = without_quotes(work.asked, work.read.tokens, work.hits)
    if loose == work.asked or work.hints is None:
        return work
    # a quoted text that nothing holds whole may be several values ('First Last')
    asked, _ = without_manner(tokenize(loose), work.index.by_word)
    asked, _ = spelled_out(asked, work.index)
    read = work.hints.apply(_worded(asked, work.schema), work.linker)
    hits = await look_up(work.planning.executor, work.index, read.tokens, work.near, room=work.room)
    if not any(h.quality > 0.6 for h in hits):
        return work
    return await link_names(replace(work, read=read, hits=hits))


async def refuse_unknown(work: Work) -> Work:
    """The same; raises NotInDatabase when no word of the question names anything here."""
    tokens, read = work.read.tokens, work.read
    if work.evidence:
        work.planning.trace.record(
            "planner", "hints", used=len(read.given) + len(read.mentions), unread=read.unread
        )
    if work.unlinked and tokens and tokens[0].lower != "who":
        raise _nothing_known(work.asked, tokens)
    return work


async def propose_queries(work: Work) -> Work:
    """The ranked proposals; raises NotInDatabase or BeyondEngine where there is none."""
    found = await asyncio.to_thread(_search, work)
    if not found and work.unlinked:
        raise _nothing_known(work.asked, work.read.tokens)
    if not found:
        raise _beyond(work)
    return replace(work, proposals=found)


PASSES: Final[tuple[Callable[[Work], Awaitable[Work]], ...]] = (
    cut_into_words,
    apply_hints,
    link_names,
    link_values,
    open_quotes,
    refuse_unknown,
    propose_queries,
)
"""The passes in the order in which they work on a question."""


def _search(work: Work) -> list[Proposal]:
    """The proposals of every encoding, frame and assignment, best first, each SQL once."""
    schema, index, read = work.schema, work.index, work.read
    text = work.planning.question.text
    best: dict[str, Proposal] = {}
    drafts = 0
    encodings = encode(
        read.tokens, work.linker, work.mentions, work.hits, work.times, read.given, read.mentions
    )
    for number, encoded in enumerate(encodings):
        if len(encoded.mentions) + len(encoded.values) > MAX_MENTIONS:
            continue
        agreement = Agreement(index, work.linker, encoded)
        for frame in frames(index, schema.graph, encoded, work.linker, work.watch):
            resolver = Resolver(index, schema.graph, encoded)
            for chosen in resolver.assignments(frame):
                assembler = Assembler(index, schema.graph, encoded, frame, chosen)
                way = Way.of(index, text, encoded, agreement, number, frame, chosen)
                for plain in assembler.drafts():
                    query = work.manner.of(plain.query)
                    if query is None:
                        continue
                    draft = replace(plain, query=query)
                    drafts += 1
                    if drafts > MAX_DRAFTS * (number + 1):
                        break
                    for proposal in proposals_of(index, schema.graph, way, draft, work.weights):
                        known = best.get(proposal.sql)
                        if known is None or known.score < proposal.score:
                            best[proposal.sql] = proposal
    return sorted(best.values(), key=lambda p: (-p.score, p.sql))


def _worded(tokens: tuple[Token, ...], schema: Schema) -> tuple[Token, ...]:
    """A question's tokens in the words of the schema."""
    spelled = spelled_right(
        plainly(below_zero(capitals_apart(tokens, schema.index.by_word)), schema.index), schema.index
    )
    dated = than_set(units_of_dates(in_years(spelled), schema.index), schema.index)
    right = denied_apart(by_formula(dated, schema.index), schema.index)
    right = taken_apart(right, schema.index)
    right = as_participles(written_out(right, schema.abbreviations), schema.index.by_word)
    right = by_number(as_duration(right, schema.index.by_word), schema.index)
    right = without_heads(by_key(right, schema.index), schema.index)
    return added_up(negations_apart(right, schema.index), schema.index)


def _named(mentions: Sequence[Mention]) -> frozenset[int]:
    """The tokens that name tables or columns, rather than something like them."""
    return frozenset(
        at
        for m in mentions
        if m.best >= STEM * 0.8 or (m.best >= 0.5 and m.options[0].table)
        for at in range(m.start, m.end)
    )


def _going_on(tokens: Sequence[Token], linker: Linker, index: SchemaIndex) -> frozenset[int]:
    """Words like 'open' that no name holds, where the schema has the time at which it ends.

    Such a time counts where its table is named, or where the question names no table.
    """
    spoken = {t.lemma for t in tokens}
    named = {t.index for t in index.tables if t.words and t.words[-1] in spoken}
    found = set()
    for at, token in enumerate(tokens):
        if token.lower in ENDS and token.lower not in index.by_word:
            ends = {index.columns[o.index].table for o in implicit_columns.ended(linker, token.lower).options}
            if ends & named or (ends and not named):
                found.add(at)
    return frozenset(found)


def _times(tokens: Sequence[Token], today: str, index: SchemaIndex) -> tuple[TimeSpan, ...]:
    """The times of a question, without months that are columns here ('the temperature in February')."""
    return tuple(
        span
        for span in time_spans(tokens, today)
        if not (span.month and span.end - span.start == 1 and tokens[span.start].lemma in index.by_word)
    )


def as_asked(question: str, tokens: Sequence[Token], text: str) -> str:
    """Words of tokens as the question has them, also where a rewording has put others in their place."""
    asked = question.lower()
    said = {t.text: question[t.start : t.end] for t in tokens if t.text.lower() not in asked}
    return " ".join(said.get(word) or word for word in text.split())


def _content(question: str, tokens: Sequence[Token]) -> list[str]:
    told = (t for t in tokens if t.kind in {"word", "quoted"})
    content = (t for t in told if not {t.lower, t.lemma} & (FUNCTION_WORDS | SOFT_WORDS))
    said = dict.fromkeys(as_asked(question, [t], t.text) for t in content)
    return [words for words in said if any(map(str.isalnum, words))]


def _nothing_known(question: str, tokens: Sequence[Token]) -> NotInDatabase:
    words = _content(question, tokens)
    return NotInDatabase(
        "the question names nothing this database holds",
        detail=f"No table, column or value matches: {', '.join(words[:12])}." if words else "",
        hint="Name tables, columns or values as the database does.",
    )


def _beyond(work: Work) -> BeyondEngine:
    tokens = work.read.tokens
    yearless = [(t.start, t.end) for t in work.times if t.yearless]
    spans = [(m.start, m.end) for m in work.mentions] + [(h.start, h.end) for h in work.hits] + yearless
    placed = {at for start, end in spans for at in range(start, end)}
    words = _content(work.asked, [t for at, t in enumerate(tokens) if at not in placed])
    times = [" ".join(t.text for t in tokens[start:end]) for start, end in yearless]
    return BeyondEngine(
        "the question is beyond what the embedded engine understands",
        detail=f"Words not understood: {', '.join(words[:12])}."
        if words
        else "Its words are known, but not how they go together.",
        hint=f'Say the year of "{times[0]}" too.'
        if times and not words
        else "Ask more plainly, for one thing at a time.",
    )
