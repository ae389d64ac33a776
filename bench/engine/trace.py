"""How the embedded engine reads one question: every pass, every rule that fired, every proposal.

Owns: the lines that `./ask bench engine --trace`, `--fired` and `--order` print. docs/grammar.md explains
them.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.progress import Progress
from askwire.bench.question_files import BenchQuestion
from askwire.bench.train_embedded.collect import TODAY
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError, NotInDatabase
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import Question, SessionState
from askwire.planner.embedded.engine import PASSES, EmbeddedEngine, Work
from askwire.planner.embedded.grammar.atoms import Frame
from askwire.planner.embedded.grammar.clauses import RuleChange, Watch
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.grammar.rules import RULES
from askwire.planner.embedded.grammar.shown import atom_shown, superlative_shown
from askwire.planner.embedded.linking.linker import Mention
from askwire.planner.embedded.schema.schema_index import SchemaIndex
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog

SHOWN_OPTIONS: Final = 3
"""What a mention may name: the best few are shown."""
SHOWN_PROPOSALS: Final = 3


def order() -> list[str]:
    """Every rule in the order in which they run, with what each waits for."""
    lines = []
    for place, rule in enumerate(RULES, 1):
        waits = [f"after {', '.join(rule.after)}"] if rule.after else []
        waits += [f"before {', '.join(rule.before)}"] if rule.before else []
        lines.append(f"{place:4}  {rule.name:36} {'; '.join(waits)}".rstrip())
    return lines


def trace(dsn: str, schema: str, question: Question) -> tuple[list[str], Mapping[str, Any]]:
    """The lines of one question asked in a schema, and figures of them."""
    return asyncio.run(_connected(dsn, schema, question))


def fired(dsn: str, questions: Sequence[BenchQuestion]) -> tuple[list[str], Mapping[str, Any]]:
    """For each rule, how many of the questions it fired on, in any of their readings."""
    found = asyncio.run(_fired(dsn, questions))
    lines = [f"{found[rule.name]:6}  {rule.name}" for rule in RULES]
    silent = [rule.name for rule in RULES if not found[rule.name]]
    return lines, {"questions": len(questions), "rules": len(RULES), "silent": silent}


async def _fired(dsn: str, questions: Sequence[BenchQuestion]) -> Counter[str]:
    by_schema: dict[str, list[BenchQuestion]] = defaultdict(list)
    for asked in questions:
        by_schema[asked.db_id].append(asked)
    found: Counter[str] = Counter()
    with Progress("engine", len(questions)) as bar:
        for db_id, group in by_schema.items():
            async with connected(dsn, db_id) as connection:
                executor = DirectExecutor(connection)
                catalog = await read_catalog(executor)
                for asked in group:
                    seen = _Names()
                    question = Question(asked.question, asked.evidence)
                    await _through(_planning(question, catalog, executor), seen)
                    found.update(seen.names)
                    bar.step()
    return found


async def _through(planning: ExpertContext, watch: Watch) -> None:
    """All passes on what the search path reaches; a refusal ends them."""
    try:
        work = await EmbeddedEngine().begin(planning, whole=False, watch=watch)
        for each in PASSES:
            work = await each(work)
    except AskError:
        return


def _planning(question: Question, catalog: Catalog, executor: DirectExecutor) -> ExpertContext:
    session = SessionState("", "", "", catalog.search_path, 0, TODAY)
    return ExpertContext(question, catalog, session, load(), executor, Trace(MonotonicClock()))


async def _connected(dsn: str, schema: str, question: Question) -> tuple[list[str], Mapping[str, Any]]:
    async with connected(dsn, schema) as connection:
        executor = DirectExecutor(connection)
        catalog = await read_catalog(executor)
        return await traced(_planning(question, catalog, executor))


async def traced(planning: ExpertContext) -> tuple[list[str], Mapping[str, Any]]:
    """The same of a planning: the passes on what the search path reaches, then on the whole catalog."""
    on_path = [relation.on_path for relation in planning.catalog]
    seen = _WatchLog()
    if any(on_path) and not all(on_path):
        try:
            return await _passes(planning, seen, whole=False)
        except NotInDatabase:
            seen.lines.append("nothing on the search path is named: again with the whole catalog")
    try:
        return await _passes(planning, seen, whole=True)
    except NotInDatabase:
        return seen.lines, seen.figures(0)


async def _passes(
    planning: ExpertContext, seen: _WatchLog, *, whole: bool
) -> tuple[list[str], Mapping[str, Any]]:
    work = await EmbeddedEngine().begin(planning, whole=whole, watch=seen)
    seen.index = work.index
    for each in PASSES:
        seen.pass_begins(each.__name__)
        try:
            after = await each(work)
        except AskError as error:
            seen.lines.append(f"  refused {error.code}: {error}")
            if isinstance(error, NotInDatabase):
                raise
            return seen.lines, seen.figures(0)
        seen.pass_ended(work, after)
        work = after
    return seen.lines, seen.figures(len(work.proposals))


class _Names:
    """A `Watch` that keeps the names of the rules that fired."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def encoded(self, encoded: EncodedQuestion) -> None:
        """A reading; nothing is kept of it."""

    def fired(self, fired: RuleChange) -> None:
        """A rule."""
        self.names.add(fired.rule)

    def framed(self, frames: Sequence[Frame]) -> None:
        """The frames; nothing is kept of them."""


class _WatchLog:
    """A `Watch` that writes down what it sees, a line each."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.index: SchemaIndex | None = None
        self._encoded: EncodedQuestion | None = None
        self._named = 0
        self._rules: list[str] = []
        self._readings = 0

    def figures(self, proposals: int) -> dict[str, Any]:
        """How much there was to see; `rules` names those that fired on the first reading."""
        return {"readings": self._readings, "rules": self._rules, "proposals": proposals}

    def pass_begins(self, name: str) -> None:
        """A pass of the engine."""
        self.lines.append(f"pass {name}")

    def pass_ended(self, before: Work, after: Work) -> None:
        """What it filled in."""
        for part in fields(Work):
            if getattr(before, part.name) is not getattr(after, part.name):
                self.lines += [f"  {line}" for line in _filled(part.name, after)]

    def encoded(self, encoded: EncodedQuestion) -> None:
        """A reading of the question as a line of symbols."""
        self._readings += 1
        self._encoded, self._named = encoded, 0
        self.lines.append(f"  reading {self._readings}: {encoded.line}")
        self._symbols()
        self.lines += [f"    V{n} is {v.text!r}" for n, v in enumerate(encoded.values)]
        self.lines += [f"    N{n} is {number.text}" for n, number in enumerate(encoded.numbers)]

    def fired(self, fired: RuleChange) -> None:
        """A rule: the line after it, and the clauses taken."""
        if self._readings == 1:
            self._rules.append(fired.rule)
        self.lines.append(f"    {fired.rule}")
        if fired.before != fired.after:
            self.lines.append(f"      → {fired.after}")
        self.lines += [f"      {clause}" for clause in fired.clauses]
        self._symbols()

    def _symbols(self) -> None:
        """The mentions that are new: those of the question, or what a rule asked the schema for."""
        if self._encoded is None or self.index is None:
            return
        mentions = self._encoded.mentions
        for number in range(self._named, len(mentions)):
            self.lines.append(f"    M{number} may be {_options(self.index, mentions[number])}")
        self._named = len(mentions)

    def framed(self, frames: Sequence[Frame]) -> None:
        """The frames of a reading."""
        for number, frame in enumerate(frames, 1):
            self.lines.append(f"    frame {number}: {'; '.join(_frame(frame))}")


def _filled(name: str, work: Work) -> Iterator[str]:
    """What a pass left in one part of the work, a line each."""
    index = work.index
    match name:
        case "tokens":
            yield f"words: {' '.join(token.text for token in work.tokens)}"
        case "mentions":
            for mention in work.mentions:
                yield f"{_text(work, mention)!r} may name {_options(index, mention)}"
        case "times":
            for span in work.times:
                said = " ".join(t.text for t in work.read.tokens[span.start : span.end])
                yield f"{said!r} is the time from {span.low} to before {span.high}"
        case "hits":
            for hit in work.hits:
                said = " ".join(t.text for t in work.read.tokens[hit.start : hit.end])
                yield f"{said!r} is {hit.stored!r} in {_column(index, hit.column)} ({hit.quality:.2f})"
        case "proposals":
            for proposal in work.proposals[:SHOWN_PROPOSALS]:
                yield f"{proposal.score:.3f}  {proposal.sql}"
                if proposal.uncovered:
                    yield f"       leaves out {', '.join(proposal.uncovered)}"
            if len(work.proposals) > SHOWN_PROPOSALS:
                yield f"and {len(work.proposals) - SHOWN_PROPOSALS} more"


def _text(work: Work, mention: Mention) -> str:
    said = " ".join(token.text for token in work.read.tokens[mention.start : mention.end])
    return said if mention.start >= 0 else " ".join(mention.words)


def _options(index: SchemaIndex, mention: Mention) -> str:
    named = (
        f"{index.tables[o.index].relation.name if o.table else _column(index, o.index)} ({o.score:.2f})"
        for o in mention.options[:SHOWN_OPTIONS]
    )
    return ", ".join(named)


def _column(index: SchemaIndex, number: int) -> str:
    column = index.columns[number]
    return f"{index.tables[column.table].relation.name}.{column.column.name}"


def _frame(frame: Frame) -> Iterator[str]:
    shown = ["everything" if o.star else f"{o.aggregate} M{o.mention}".strip() for o in frame.outputs]
    yield f"show {', '.join(shown) or 'nothing'}"
    if frame.entities:
        yield f"of {', '.join(f'M{m}' for m in frame.entities)}"
    if frame.context:
        yield f"beside {', '.join(f'M{m}' for m in frame.context)}"
    yield from (f"where {atom_shown(atom)}" for atom in frame.atoms)
    if frame.groups:
        yield f"per {', '.join(f'M{g.mention}' for g in frame.groups)} {frame.unit}".rstrip()
    if frame.superlative is not None:
        yield superlative_shown(frame.superlative)
    if frame.lost:
        yield f"lost {', '.join(frame.lost)}"
    if frame.flags:
        yield f"marked {', '.join(sorted(frame.flags))}"
