"""An expert that is a language model: the stages of one ASK, as its course has them.

The part of the catalog that is shown is chosen, by the embedded linker or by the model itself (`linking`); a
plan is made, and notes are gathered; the model looks into the data (`data_probes`, `exploring`) and
writes; where several experts write first drafts, it writes again over the tables of these
(`first_drafts`). Owns: the order of the stages, and what repair needs later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.beside import beside, on_loop, stepwise
from askwire.core.egress import Disclosure, Kind, Level, strictest
from askwire.core.errors import BudgetSpent, ModelDeclined, NoExpert
from askwire.core.protocols import Clock
from askwire.core.settings.table import EGRESS
from askwire.core.stepped import SteppedExecutor
from askwire.core.types import Candidate
from askwire.llm.calling import Line
from askwire.llm.egress import Egress
from askwire.llm.prompts import PromptFile
from askwire.llm.sources import ExpertSource
from askwire.planner.expert import ExpertContext
from askwire.planner.models.action_agent import ActionRun
from askwire.planner.models.cells import cells
from askwire.planner.models.course import PipelineConfig, course_of
from askwire.planner.models.data_look import FIRST_ROWS, first_rows, look
from askwire.planner.models.data_probes import ConfirmedData, probe
from askwire.planner.models.expert_task import ExpertTask, drafts, load, side_by_side, size_of
from askwire.planner.models.exploring.explorer import Exploration
from askwire.planner.models.first_drafts import DraftExchange, FirstDraft, linked, refined, used_relations
from askwire.planner.models.linking.agents import link
from askwire.planner.models.notes import NoteMaker, Notes, SoFar, gather, note_of
from askwire.planner.models.plans import Plan, logical_plan, realisations, step_plan
from askwire.planner.models.ranking import Links, Ranker
from askwire.planner.models.schema_text import ShownSchema, only, show
from askwire.planner.models.writing import Draft, distinct, write
from askwire.sql.canonical.normal_form import NormalForm
from askwire.sql.canonical.query_form import query_form
from askwire.sql.catalog import Relation
from askwire.sql.presentation.output_names import with_output_names

_BESIDE_CATALOG_TOKENS: Final = 1500
"""Tokens of a prompt beside the catalog: instructions, question, findings."""
_MIN_SCHEMA_TOKENS: Final = 500
_RESERVED_SCHEMA_TOKENS: Final = 3000
"""Tokens of the catalog that the budget keeps for the query while the model chooses what it is shown."""
_RESERVED_PROMPT_TOKENS: Final = 700
"""Tokens of the prompt that asks for the query, beside the catalog and findings."""
_MAX_NOTE_TOKENS: Final = 4000
"""Tokens of all notes together."""
_MIN_NOTE_TOKENS: Final = 500
_PROBE_PROMPT_TOKENS: Final = 540
"""Tokens of a prompt that looks or writes beside the catalog and notes: its words, the question, findings."""
_FIRST_DRAFT: Final = "This is a query of yours for it, and what it returns:"
_MAX_SHOWN_DRAFTS: Final = 2
"""First drafts that a second round is shown with their results."""
_PLANNING_TIME_SHARE: Final = 0.2
_NOTING_TIME_SHARE: Final = 0.65
_LOOKING_TIME_SHARE: Final = 0.8
_FIRST_DRAFT_TIME_SHARE: Final = 0.7
"""Shares of the time for proposing by which these have ended."""


@dataclass(frozen=True)
class Workings:
    """What a model knew when it wrote: repair tells it again. `wrote` are the texts that came of it."""

    asking: ExpertTask
    schema: tuple[Disclosure, ...]
    notes: Notes
    findings: tuple[Disclosure, ...]
    wrote: frozenset[str]


@dataclass
class _Knowledge:
    """What is known when queries are written; `ranked` are links to all relations, `links` those shown."""

    ranked: Links
    links: Links
    shown: ShownSchema
    schema: tuple[Disclosure, ...]
    notes: Notes
    steps: tuple[str, ...] = ()
    findings: tuple[Disclosure, ...] = ()


class ModelExpert:
    """`planner.expert.Expert` over one configured source; one for the process."""

    def __init__(
        self,
        source: ExpertSource,
        clock: Clock,
        *,
        ranker: Ranker | None = None,
        prompts: Mapping[str, PromptFile] | None = None,
        noting: Sequence[NoteMaker] = (),
    ) -> None:
        """`noting` are the makers of further notes, in the order in which the prompts hold these."""
        self._source = source
        self._clock = clock
        self._ranker = ranker or Ranker()
        self._prompts = prompts or load()
        self._noting = tuple(noting)

    @property
    def name(self) -> str:
        """The name it was configured under."""
        return self._source.name

    @property
    def known_as(self) -> str:
        """Its name with the model behind it, and where that is: 'local=qwen3:14b@http://127.0.0.1:11434/v1'."""
        config = self._source.config
        return f"{config.name}={config.model}@{config.endpoint}"

    async def prepare(self) -> None:
        """Do what the first call would have to wait for."""
        await self._source.model.prepare()

    async def close(self) -> None:
        """Let go of the model's connections."""
        await self._source.model.close()

    async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
        """The model's queries, those most samples agree on first, the last round's before the first's.

        Raises NoExpert (NL004) where the model cannot be asked or writes no query, Declined (NL002) where it
        says that the database cannot answer, BudgetSpent (NL005) where budget or time are spent before there
        is a query.
        """
        asking = self._asking(planning, planning.propose_by)
        meeting = DraftExchange.of(planning)
        meeting.join(
            self.name
        )  # before anything is waited for: all experts have joined when the first brings
        try:
            return await stepwise(self._proposed(planning, asking, meeting))
        finally:
            meeting.leave(self.name)

    async def _proposed(
        self, planning: ExpertContext, asking: ExpertTask, meeting: DraftExchange
    ) -> Sequence[Candidate]:
        asking, known = await self._prepared(asking)
        written = await self._written(asking, known)
        written = await self._again(asking, known, written, meeting)
        written = [replace(draft, sql=with_output_names(draft.sql)) for draft in written]
        wrote = frozenset(draft.sql for draft in written)
        planning.memo[self.name] = Workings(asking, known.schema, known.notes, known.findings, wrote)
        asking.record("wrote", drafts=[{"sql": d.sql, "votes": d.votes} for d in written])
        return [
            Candidate(draft.sql, self.name, score=float(draft.votes), reading=draft.reading)
            for draft in written
        ]

    def proposed(self, planning: ExpertContext, texts: Iterable[str]) -> None:
        """Say in which texts its queries go on, where others have proposed the same in another spelling."""
        workings = planning.memo.get(self.name)
        if isinstance(workings, Workings):
            planning.memo[self.name] = replace(workings, wrote=workings.wrote.union(texts))

    def for_repair(self, planning: ExpertContext) -> Workings | None:
        """What it knew when it proposed, until the ASK's own end; None where it proposed nothing.

        It is paid from the purse that it was paid from then.
        """
        workings = planning.memo.get(self.name)
        if not isinstance(workings, Workings):
            return None
        same = replace(planning, purse=workings.asking.line.purse)
        return replace(workings, asking=self._asking(same, planning.end))

    def _asking(self, planning: ExpertContext, deadline: float | None) -> ExpertTask:
        settings, config = planning.settings, self._source.config
        allowed = strictest(settings[EGRESS], config.egress)
        own = settings.for_session({EGRESS.name: allowed})
        egress = Egress(own, planning.trace, expert=self.name, endpoint=self._source.model.endpoint)
        if egress.level is Level.NONE:
            egress.prompt(())  # says why, before anything is read for it
        line = Line(self._source, planning.purse, planning.trace, self._clock, deadline)
        course = course_of(settings, config.style)
        window = config.context - config.max_tokens - self._source.profile.headroom
        began = self._clock.monotonic()
        planning = replace(planning, executor=SteppedExecutor(planning.executor))
        return ExpertTask(planning, line, egress, self._prompts, course, config.temperature, window, began)

    async def _prepared(self, asking: ExpertTask) -> tuple[ExpertTask, _Knowledge]:
        """All that is known before the model looks and writes, and what of the budget is kept for that."""
        course, catalog = asking.course, asking.planning.catalog
        links = await on_loop(self._ranker.links(asking.planning, values=asking.shares_rows))
        ranked, room = links, self._room(asking)
        # a large schema takes a tenth of a second to choose from
        shown = await beside(show, catalog, links, room, values=asking.shares_shapes, rows=bool(course.cells))
        asking = replace(asking, kept=min(shown.tokens, _RESERVED_SCHEMA_TOKENS) + _RESERVED_PROMPT_TOKENS)
        plan = Plan(())
        if course.plan == "logical":
            plan = await asking.attempt("logical_plan", logical_plan(asking), _PLANNING_TIME_SHARE) or plan
        findings: tuple[str, ...] = ()
        if course.linking == "always" or (course.linking != "off" and not shown.whole):
            chosen = await link(asking, links, plan.steps, room)
            if chosen is not None:
                links, findings = chosen.links, chosen.findings
                shown = await beside(
                    show, catalog, links, room, values=asking.shares_shapes, rows=bool(course.cells)
                )
        left = asking.line.purse.left.tokens - asking.longest_answer - _BESIDE_CATALOG_TOKENS
        if shown.tokens > left:  # what is left of the budget writes a query over less
            room = max(_MIN_SCHEMA_TOKENS, int(left))
            shown = await beside(
                show, catalog, links, room, values=asking.shares_shapes, rows=bool(course.cells)
            )
        asking = replace(asking, kept=shown.tokens + _RESERVED_PROMPT_TOKENS)
        asking.record(
            "shown",
            relations=[r.name for r in shown.relations],
            of=len(catalog.relations),
            tokens=shown.tokens,
        )
        if course.plan == "steps":
            plan = await asking.attempt("plan", step_plan(asking, shown), _NOTING_TIME_SHARE) or plan
        told = {r.oid for r in shown.relations}
        best = [r for r in links.relations if r.oid in told and (r.oid in links.nearest or not course.near)]
        schema = (*shown.parts, *await self._examples(asking, best, shown))
        notes = await self._notes(asking, shown, plan, findings)
        asking = replace(asking, kept=asking.kept + size_of(notes.parts))
        return asking, _Knowledge(ranked, links, shown, schema, notes, plan.steps)

    async def _examples(
        self, asking: ExpertTask, best: Sequence[Relation], shown: ShownSchema
    ) -> Sequence[Disclosure]:
        """Rows of the best relations, as many as the course has and the room for the catalog holds."""
        course = asking.course
        if not course.cells or not asking.shares_shapes:
            return ()
        room = max(0, self._room(asking) - shown.tokens)
        examples = cells(asking, best[: course.celled], course.cells, room)
        return await asking.attempt("cells", examples, _NOTING_TIME_SHARE) or ()

    async def _notes(
        self, asking: ExpertTask, shown: ShownSchema, plan: Plan, findings: Sequence[str]
    ) -> Notes:
        """The plan, the ways to do it, what looks at tables have shown, and what the makers of notes add."""
        prompts, notes = asking.prompts, Notes()
        if asking.course.probing == "pv-sql":
            said = [Disclosure(Kind.QUESTION, line) for line in asking.planning.demands]
            notes.add(note_of(prompts["note_demands"], demands=said))
        notes.add(note_of(prompts["note_plan"], steps=drafts(plan.steps), columns=drafts(plan.columns)))
        so_far = SoFar(shown, plan.steps)
        if asking.course.paths and plan.steps:
            finding = realisations(asking, shown, plan.steps)
            found = await asking.attempt("paths", finding, _NOTING_TIME_SHARE)
            if found is not None:
                so_far = replace(so_far, paths=found.paths, keywords=found.keywords)
                notes.add(note_of(prompts["note_paths"], paths=drafts(found.paths, 600)))
        notes.add(note_of(prompts["note_findings"], findings=drafts(findings)))
        left = asking.line.purse.left.tokens - asking.longest_answer
        most = min(_MAX_NOTE_TOKENS, noted(asking.course, shown.tokens))
        room = int(
            min(most, min(asking.window, left) - shown.tokens - _BESIDE_CATALOG_TOKENS) - size_of(notes.parts)
        )
        for note in await gather(asking, self._noting, so_far, room, _NOTING_TIME_SHARE):
            notes.add(note)
        if notes.notes:
            asking.record("noted", notes=notes.versions, keywords=list(so_far.keywords))
        return notes

    async def _written(self, asking: ExpertTask, known: _Knowledge) -> list[Draft]:
        """First drafts, after the looks that the course has."""
        grounding = ConfirmedData.of(asking, known.links) if asking.shares_rows else ConfirmedData()
        known.findings = grounding.parts
        if asking.shares_rows and asking.course.probing == "apex":
            explored = await self._explored(asking, known)
            if explored:
                return explored
        elif asking.shares_rows and asking.course.probing == "recap" and known.steps:
            acting = ActionRun(asking, known.schema, known.notes.parts, known.findings, known.steps)
            await asking.attempt("act", acting.run(), _LOOKING_TIME_SHARE)
            known.findings = (*known.findings, *acting.found)
            if acting.draft is not None:
                return [acting.draft]
        elif asking.shares_rows and asking.course.probing == "pv-sql":
            size = self._size(asking, known)
            looks = probe(asking, known.schema, known.notes.parts, grounding, size)
            written = await asking.attempt("probe", looks, _LOOKING_TIME_SHARE)
            known.findings = grounding.parts
            if written is not None:
                draft = Draft(written.sql, written.reading)
                more = self._samples(asking) - 1
                if more < 1:
                    return [draft]
                others = await write(asking, known.schema, known.notes, known.findings, more)
                return await distinct([draft, *others])
        return await write(asking, known.schema, known.notes, known.findings, self._samples(asking))

    async def _explored(self, asking: ExpertTask, known: _Knowledge) -> list[Draft]:
        """What as many agents as there are samples come to; none where no agent wrote anything."""
        runs = [
            Exploration(asking, known.schema, known.findings, known.notes)
            for _ in range(self._samples(asking))
        ]
        await side_by_side(asking.attempt("explore", run.run(), _LOOKING_TIME_SHARE) for run in runs)
        return await distinct(run.draft for run in runs if run.draft is not None)

    async def _again(
        self, asking: ExpertTask, known: _Knowledge, first: list[Draft], meeting: DraftExchange
    ) -> list[Draft]:
        """The drafts of a second round over the tables of first drafts, before those of the first.

        Without a second round where it would see the same, or where it fails: the first drafts stand.
        """
        course, catalog = asking.course, asking.planning.catalog
        second = course.second
        refined_drafts: list[tuple[Draft, NormalForm | None]] = [(draft, None) for draft in first]
        if second != "off" and (course.refinements or second == "voted"):
            refining = refined(asking, first, known.schema, known.findings)
            refined_drafts = (
                await asking.attempt("refine", refining, _FIRST_DRAFT_TIME_SHARE) or refined_drafts
            )
            first = await distinct(draft for draft, _ in refined_drafts)
        own = [
            FirstDraft(frozenset(r.oid for r in used_relations([draft.sql], catalog)), form)
            for draft, form in refined_drafts
        ]
        await meeting.bring(self.name, own)
        if second == "off":
            return first
        patience = asking.until(_FIRST_DRAFT_TIME_SHARE)
        everyone = (
            [own]
            if second == "own"
            else await meeting.all(asking.line.source.timeout if patience is None else patience)
        )
        used = linked(everyone, voted=second == "voted")
        asking.record("first drafts", experts=len(everyone), relations=len(used), second=second)
        if not used or (used >= {r.oid for r in known.shown.relations} and not asking.temperature):
            return first
        relations = [r for r in catalog if r.oid in used]
        links = replace(known.links, relations=known.ranked.relations)
        shown = only(
            catalog,
            links,
            relations,
            self._room(asking),
            values=asking.shares_shapes,
            rows=bool(asking.course.cells),
        )
        if not shown.relations:
            return first
        schema = (*shown.parts, *await self._examples(asking, relations, shown))
        seen = (*known.findings, *await _with_results(asking, first[:_MAX_SHOWN_DRAFTS]))
        try:
            later = await write(
                asking, schema, known.notes, seen, self._samples(asking), step="generate again"
            )
        except (NoExpert, BudgetSpent, ModelDeclined) as error:
            asking.record("no second round", reason=error.message)
            return first
        known.shown, known.schema = shown, schema
        votes = {query_form(draft.sql): draft for draft in later}
        for draft in first:
            form = query_form(draft.sql)
            other = votes.get(form, replace(draft, votes=0))
            votes[form] = replace(other, votes=other.votes + draft.votes)
        return list(votes.values())

    def _room(self, asking: ExpertTask) -> int:
        """Tokens for the catalog: what the course grants, as far as the model's context holds it."""
        return max(
            _MIN_SCHEMA_TOKENS, min(asking.course.schema_tokens, asking.window - _BESIDE_CATALOG_TOKENS)
        )

    def _size(self, asking: ExpertTask, known: _Knowledge) -> int:
        """Tokens of the prompt that will ask for the query."""
        parts = self._prompts["generate"].fill(
            schema=known.schema,
            question=asking.question,
            notes=known.notes.parts,
            findings=known.findings,
        )
        return size_of(parts)

    def _samples(self, asking: ExpertTask) -> int:
        """Samples that can differ: at temperature 0 they do not."""
        config = self._source.config
        if config.temperature > 0 or not self._source.profile.temperature:
            return max(config.samples, asking.course.samples)
        return 1


async def _with_results(asking: ExpertTask, drafts: Sequence[Draft]) -> list[Disclosure]:
    """First drafts with what they return, where rows may be shown."""
    if not asking.shares_rows:
        return []
    told: list[Disclosure] = []
    for draft in drafts:
        looking = look(asking, draft.sql, rows=FIRST_ROWS, step="first draft", tell=first_rows)
        looked = await asking.attempt("first draft", looking, _FIRST_DRAFT_TIME_SHARE)
        if looked is not None:
            told += [Disclosure(Kind.INSTRUCTION, _FIRST_DRAFT), *looked.parts]
    return told


def noted(course: PipelineConfig, shown: int) -> int:
    """The tokens that notes may have beside a catalog of `shown` tokens.

    In PV-SQL's way they leave the prompts of the least looks, and of the query, within the course's bound:
    each prompt tells them again. Never are they so few that nothing can be said.
    """
    if course.probing != "pv-sql" or not course.prompt_tokens:
        return _MAX_NOTE_TOKENS
    return max(_MIN_NOTE_TOKENS, course.prompt_tokens // (course.least + 1) - shown - _PROBE_PROMPT_TOKENS)
