"""The embedded engine: question → ranked candidates, with no model.

Owns: the order of the parts (tokens, links, values, encodings, frames, assignments, queries, ranking) and
their bounds. Must not know: how any part works, or what happens to candidates afterwards.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.errors import BeyondEngine, NotInDatabase
from askwire.core.types import Alignment, Candidate, Span
from askwire.planner.embedded import clauses, head, schema_index
from askwire.planner.embedded.assemble import Assembler, Draft
from askwire.planner.embedded.atoms import Frame
from askwire.planner.embedded.confidence import confidences
from askwire.planner.embedded.encode import UNITS, Encoded, attribute_mention, blocked_tokens, degree, encode
from askwire.planner.embedded.ir import Query
from askwire.planner.embedded.joins import JoinGraph
from askwire.planner.embedded.lexicon import ATTRIBUTES, ENDS, FUNCTION_WORDS, SOFT_WORDS
from askwire.planner.embedded.linker import Linker, Mention
from askwire.planner.embedded.rank import features, score
from askwire.planner.embedded.reading import reading
from askwire.planner.embedded.render import CannotJoin, Renderer
from askwire.planner.embedded.repairs import repaired
from askwire.planner.embedded.resolve import Assignment, Resolver
from askwire.planner.embedded.schema_index import SchemaIndex, is_flag
from askwire.planner.embedded.text import Token, tokenize
from askwire.planner.embedded.times import TimeSpan, time_spans
from askwire.planner.embedded.values import Hit, look_up
from askwire.planner.embedded.wording import abbreviations, negations_apart, without_quotes, written_out
from askwire.planner.expert import Planning
from askwire.sql.catalog import Catalog

RETURNED: Final = 15
_BEFORE_A_VALUE: Final = frozenset({"in", "at", "from", "near", "named", "called", "titled"})
MAX_DRAFTS: Final = 160
MAX_MENTIONS: Final = 24
"""More mentions than this in one question are beyond the engine; the bound keeps every search small."""
_KEPT_SCHEMAS: Final = 4


@dataclass(frozen=True)
class Proposal:
    """A candidate before it is shown: its SQL, its features and what it rests on."""

    sql: str
    query: Query
    features: dict[str, float]
    score: float
    encoded: Encoded
    assignment: Assignment
    uncovered: tuple[str, ...]
    path: tuple[str, ...]


@dataclass(frozen=True)
class _Schema:
    """A catalog prepared for questions; `whole` when relations off the search_path are part of it."""

    source: Catalog
    whole: bool
    catalog: Catalog
    index: SchemaIndex
    graph: JoinGraph
    units: frozenset[str]
    abbreviations: Mapping[str, str]


class EmbeddedEngine:
    """An `Expert` of rules; keeps the indexes of the last few catalogs it saw, and nothing else."""

    def __init__(self) -> None:
        self._schemas: list[_Schema] = []

    @property
    def name(self) -> str:
        """The name shown to users."""
        return "embedded"

    def _schema(self, catalog: Catalog, whole: bool) -> _Schema:
        for known in self._schemas:
            if known.source is catalog and known.whole == whole:
                return known
        near = catalog if whole else replace(catalog, relations=tuple(r for r in catalog if r.on_path))
        index = schema_index.build(near)
        units = frozenset(c.words[0] for c in index.columns if len(c.words) == 1 and c.kind != "time")
        schema = _Schema(catalog, whole, near, index, JoinGraph(index), units, abbreviations(near))
        self._schemas = [schema, *self._schemas][:_KEPT_SCHEMAS]
        return schema

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
        index = self._schema(planning.catalog, whole).index
        kept = [_with_losses(index, p) for p in proposals[:RETURNED]]
        sure = confidences(kept)
        planning.trace.record("planner", "embedded", whole=whole, candidates=len(kept), drafts=len(proposals))
        return [
            Candidate(
                sql=p.sql,
                expert=self.name,
                score=round(p.score, 4),
                confidence=c,
                reading=reading(index, p.query),
                alignments=tuple(a for a in _alignments(index, p) if not _is_lost(a, p.sql)),
                uncovered=p.uncovered,
                join_path=p.path,
            )
            for p, c in zip(kept, sure, strict=True)
        ]

    async def proposals(self, planning: Planning, *, whole: bool = True) -> list[Proposal]:
        """All ranked proposals with their features; training and `propose` read them.

        `whole` takes in relations off the search_path.
        """
        schema = await asyncio.to_thread(self._schema, planning.catalog, whole)
        text = planning.question.text
        tokens = negations_apart(written_out(tokenize(text), schema.abbreviations), schema.index)
        linker = Linker(schema.index)
        times = time_spans(tokens, planning.session.today)
        closed = blocked_tokens(tokens, times, schema.units) | _going_on(tokens, linker, schema.index)
        mentions = await asyncio.to_thread(linker.spans, tokens, closed)
        near = frozenset(
            o.index if o.table else schema.index.columns[o.index].table for m in mentions for o in m.options
        )
        hits = await look_up(planning.executor, schema.index, tokens, near)
        loose = without_quotes(text, tokens, hits)
        if loose != text:
            # a quoted text that nothing holds whole may be several values ('First Last')
            again = negations_apart(written_out(tokenize(loose), schema.abbreviations), schema.index)
            more = await look_up(planning.executor, schema.index, again, near)
            if any(h.quality > 0.6 for h in more):
                tokens, hits = again, more
                times = time_spans(tokens, planning.session.today)
                closed = blocked_tokens(tokens, times, schema.units) | _going_on(tokens, linker, schema.index)
                mentions = await asyncio.to_thread(linker.spans, tokens, closed)
        if not mentions and not hits:
            raise _nothing_known(tokens)
        found = await asyncio.to_thread(self._search, schema, text, tokens, linker, mentions, hits, times)
        if not found:
            raise _beyond(tokens, mentions, hits)
        return found

    def _search(
        self,
        schema: _Schema,
        text: str,
        tokens: tuple[Token, ...],
        linker: Linker,
        mentions: Sequence[Mention],
        hits: Sequence[Hit],
        times: Sequence[TimeSpan],
    ) -> list[Proposal]:
        best: dict[str, Proposal] = {}
        drafts = 0
        for number, encoded in enumerate(encode(tokens, linker, mentions, hits, times)):
            if len(encoded.mentions) + len(encoded.values) > MAX_MENTIONS:
                continue
            for frame in _frames(schema.index, encoded, linker):
                resolver = Resolver(schema.index, schema.graph, encoded)
                for chosen in resolver.assignments(frame):
                    assembler = Assembler(schema.index, schema.graph, encoded, frame, chosen)
                    for draft in assembler.drafts():
                        drafts += 1
                        if drafts > MAX_DRAFTS * (number + 1):
                            break
                        for proposal in _proposals(schema, text, encoded, number, frame, chosen, draft):
                            known = best.get(proposal.sql)
                            if known is None or known.score < proposal.score:
                                best[proposal.sql] = proposal
        return sorted(best.values(), key=lambda p: (-p.score, p.sql))


def _proposals(
    schema: _Schema,
    text: str,
    encoded: Encoded,
    number: int,
    frame: Frame,
    chosen: Assignment,
    draft: Draft,
) -> list[Proposal]:
    found = []
    spoken = frozenset(t.lemma for t in encoded.tokens)
    for variant in range(3):
        renderer = Renderer(schema.index, schema.graph, variant)
        try:
            sql = renderer.sql(draft.query)
        except CannotJoin:
            break
        if "count_distinct_key" in draft.flags and len(renderer.tables) == 1:
            break  # the same as count(*), said awkwardly
        uncovered, unused_mentions, unused_values = _uncovered(encoded, frame, chosen)
        measured = features(
            text,
            frame,
            chosen,
            draft.query,
            draft.flags,
            encoding=number,
            join_cost=renderer.cost,
            tables=len(renderer.tables),
            named_tables=len(chosen.tables),
            guessed=sum(renderer.guessed),
            unused=unused_mentions,
            unused_values=unused_values,
            uncovered=len(uncovered) - unused_mentions - unused_values,
            variant=variant,
            named=sum(encoded.mentions[m].start >= 0 for m in chosen.mentions),
            keys_shown=_keys_shown(schema.index, encoded, chosen, draft.query),
            edge_cue=schema.graph.cue(renderer.tree, spoken) if renderer.tree else 0.0,
        )
        found.append(
            Proposal(sql, draft.query, measured, score(measured), encoded, chosen, uncovered, renderer.path)
        )
        if not renderer.path:
            break
    return found


_PARTICIPLE: Final = re.compile(r"\w+ed|left|sent|sold|paid|born|lost|won|built|gone|done|made|quit")
_SHARES: Final = frozenset({"percentage", "percent", "pct", "share", "proportion", "fraction"})
_DIFFERENCES: Final = frozenset({"difference", "minus", "gap", "margin", "delay"})
_KEY_WORDS: Final = frozenset({"id", "code", "number", "key", "identifier", "no"})


def _keys_shown(index: SchemaIndex, encoded: Encoded, chosen: Assignment, query: Query) -> int:
    """How many keys to other tables are shown although the question did not ask for ids."""
    asked = {
        o.index
        for m, o in chosen.mentions.items()
        if not o.table and _KEY_WORDS & set(encoded.mentions[m].words)
    }
    shown = {t.column for t in query.select if t.column is not None and not t.aggregate}
    return sum(index.columns[c].foreign and c not in asked for c in shown)


def kinds_of(index: SchemaIndex, mention: Mention) -> frozenset[str]:
    """What a mention may be, for the rules: 'table', 'column', 'numeric', and which it mostly is ('…!')."""
    tables = [o.score for o in mention.options if o.table and not o.label]
    columns = [(o.score, index.columns[o.index]) for o in mention.options if not o.table]
    free = [s for s, c in columns if not c.key]
    found = {"column"} if any(o.label for o in mention.options) else set()
    if tables and tables[0] >= 0.5:
        found.add("table")
    if (free and free[0] >= 0.5) or (columns and columns[0][0] >= 0.5 and not (tables and tables[0] >= 0.7)):
        found.add("column")
    if columns and columns[0][0] >= 0.6 and is_flag(columns[0][1]) and not (tables and tables[0] >= 0.7):
        found.add("flag")
    if any(c.kind == "time" or "year" in c.full for s, c in columns if s >= 0.55):
        found.add("time")
    if columns and columns[0][0] >= 0.6 and not (tables and tables[0] >= 0.7):
        first = columns[0][1]
        if first.kind == "time" and not first.column.not_null and _PARTICIPLE.fullmatch(mention.words[-1]):
            found.add("moment")
    if columns and columns[0][0] >= 0.6 and not columns[0][1].column.not_null:
        found.add("optional")
    if any(c.key for _, c in columns):
        found.add("key")
    if any(c.kind == "number" and not c.key and s >= 0.55 for s, c in columns):
        found.add("numeric")
    best_table = tables[0] if tables else 0.0
    best_column = free[0] if free else columns[0][0] * 0.8 if columns else 0.0
    if best_table > best_column + 0.05:
        found.add("table!")
    elif best_column > best_table:
        found.add("column!")
    return frozenset(found)


def _spread(index: SchemaIndex, encoded: Encoded, frame: Frame) -> Frame | None:
    """'the average height and weight': one aggregate may be meant for all that follows it."""
    outputs, aggregate, changed = [], "", False
    for output in frame.outputs:
        if output.aggregate and output.aggregate != "count":
            aggregate = output.aggregate
        mention = encoded.mentions[output.mention] if output.mention is not None else None
        plain = aggregate and not output.aggregate and mention is not None
        if plain and mention is not None and "numeric" in kinds_of(index, mention):
            outputs.append(replace(output, aggregate=aggregate))
            changed = True
            continue
        outputs.append(output)
    return frame.with_(outputs=tuple(outputs), flags=frame.flags | {"spread"}) if changed else None


def _holds(encoded: Encoded, mention: int, value: int) -> bool:
    """Whether a mention may name a column that holds a value."""
    columns = {h.column for h in encoded.values[value].hits}
    return any(
        not o.table and o.score >= 0.5 and o.index in columns for o in encoded.mentions[mention].options
    )


def _going_on(tokens: Sequence[Token], linker: Linker, index: SchemaIndex) -> frozenset[int]:
    """Words like 'open' that no name holds, where the schema has the time at which it ends."""
    return frozenset(
        at
        for at, t in enumerate(tokens)
        if t.lower in ENDS and t.lower not in index.by_word and linker.ended(t.lower).options
    )


def _noted(encoded: Encoded, mention: Mention, *made_of: int) -> int | None:
    """The number of a mention that the question does not spell out; None when it has no options."""
    if not mention.options:
        return None
    encoded.mentions.append(mention)
    encoded.spent.update(made_of)
    return len(encoded.mentions) - 1


def _frames(index: SchemaIndex, encoded: Encoded, linker: Linker) -> list[Frame]:
    scanned = clauses.scan(
        encoded,
        lambda m: kinds_of(index, encoded.mentions[m]),
        lambda adjective: attribute_mention(encoded, linker, adjective),
        lambda m, v: _holds(encoded, m, v),
        lambda a, b: _noted(encoded, linker.difference(encoded.mentions[a], encoded.mentions[b]), a, b),
        lambda verb: _noted(encoded, linker.event(verb)),
        lambda word: _noted(encoded, linker.ended(word)),
    )
    frame = head.frame(scanned)
    frames = [frame]
    spread = _spread(index, encoded, frame)
    if spread is not None:
        frames.append(spread)
    for place, output in enumerate(frame.outputs):
        # 'names of the states' may ask for a column of states
        words = encoded.mentions[output.mention].words if output.mention is not None else ()
        if words == ("name",) and output.owner is not None and not output.aggregate:
            if any(not o.table and o.score >= 0.6 for o in encoded.mentions[output.owner].options):
                mine = replace(output, mention=output.owner, owner=None)
                outputs = tuple(mine if n == place else o for n, o in enumerate(frame.outputs))
                entities = tuple(e for e in frame.entities if e != output.owner)
                frames.append(
                    frame.with_(outputs=outputs, entities=entities, flags=frame.flags | {"name_of"})
                )
            break
    for known in frames[:2]:
        frames += repaired(known, encoded, lambda m: kinds_of(index, encoded.mentions[m]))
    return frames


def _uncovered(encoded: Encoded, frame: Frame, chosen: Assignment) -> tuple[tuple[str, ...], int, int]:
    """(words no part accounts for, mentions left out, values left out)."""
    missing: list[tuple[int, str]] = []
    for at in encoded.plain:
        token = encoded.tokens[at]
        known = token.lower in FUNCTION_WORDS or token.lemma in FUNCTION_WORDS or token.lower in SOFT_WORDS
        known = known or bool(frame.unit and token.lemma in UNITS)
        known = known or (token.lemma in _SHARES and bool(frame.flags & {"percent", "share"}))
        known = known or (token.lemma in _DIFFERENCES and bool(encoded.spent))
        if token.kind == "word" and not known and token.lower not in ATTRIBUTES and not degree(token):
            missing.append((token.start, token.text))
    unused = 0
    for number, mention in enumerate(encoded.mentions):
        if number not in chosen.mentions and number not in encoded.spent and mention.start >= 0:
            unused += 1
            part = encoded.tokens[mention.start : mention.end]
            missing.append((part[0].start, " ".join(t.text for t in part)))
    unused_values = 0
    for number, value in enumerate(encoded.values):
        if number not in chosen.values:
            unused_values += 1
            missing.append((encoded.tokens[value.start].start, value.text))
    return tuple(text for _, text in sorted(missing)), unused, unused_values


def _alignments(index: SchemaIndex, proposal: Proposal) -> tuple[Alignment, ...]:
    tokens = proposal.encoded.tokens
    found: list[Alignment] = []
    for number, option in sorted(proposal.assignment.mentions.items()):
        mention = proposal.encoded.mentions[number]
        if mention.start < 0:
            continue
        span = _span(tokens, mention.start, mention.end)
        if option.table:
            found.append(Alignment(span, "table", index.tables[option.index].relation.name))
        else:
            column = index.columns[option.index]
            table = index.tables[column.table].relation.name
            found.append(Alignment(span, "column", f"{table}.{column.column.name}"))
    for number, hit in sorted(proposal.assignment.values.items()):
        value = proposal.encoded.values[number]
        found.append(Alignment(_span(tokens, value.start, value.end), "value", f"'{hit.stored}'"))
    return tuple(sorted(found, key=lambda a: a.span.start))


def _with_losses(index: SchemaIndex, proposal: Proposal) -> Proposal:
    """The proposal with the words that were linked to something its SQL does not use told as uncovered.

    What looks like a value and has no place weighs as much: an answer without it is another question's.
    """
    lost = [a.span.text for a in _alignments(index, proposal) if _is_lost(a, proposal.sql)]
    values = set(proposal.uncovered) & _value_like(proposal.encoded.tokens)
    if not lost and not values:
        return proposal
    return replace(
        proposal,
        uncovered=tuple(dict.fromkeys((*proposal.uncovered, *lost))),
        features={**proposal.features, "lost": float(len(lost) + 2 * len(values))},
    )


def _value_like(tokens: Sequence[Token]) -> set[str]:
    """Texts that can hardly be anything but values: quoted, with digits, written as a name, behind 'in'."""
    found = set()
    for at, token in enumerate(tokens):
        opens = at == 0 or tokens[at - 1].lower in {".", "?", "!", ":", ";"}
        if (
            token.kind in {"quoted", "number", "date"}
            or any(c.isdigit() for c in token.text)
            or (token.text[:1].isupper() and not opens)
            or (at > 0 and tokens[at - 1].lower in _BEFORE_A_VALUE)
        ):
            found.add(token.text)
    return found


def _is_lost(alignment: Alignment, sql: str) -> bool:
    name = alignment.target.rpartition(".")[2]
    return alignment.kind == "column" and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sql) is None


def _span(tokens: Sequence[Token], start: int, end: int) -> Span:
    first, last = tokens[start], tokens[end - 1]
    return Span(first.start, last.end, " ".join(t.text for t in tokens[start:end]))


def _content(tokens: Sequence[Token]) -> list[str]:
    return [
        t.text for t in tokens if t.kind in {"word", "quoted"} and t.lower not in FUNCTION_WORDS | SOFT_WORDS
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
