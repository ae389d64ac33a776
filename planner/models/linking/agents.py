"""The stages of linking in their order, for a schema that is too large to be shown whole (APEX-SQL, 3.2).

Each may be left out by the course, and each may fail: what is known by then is shown. What goes through
pruning is what the embedded linker ranks first, in as many batches as the course and the budget hold. Owns:
that order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from askwire.core.beside import beside
from askwire.planner.models.expert_task import ExpertTask
from askwire.planner.models.linking.batches import MAX_BATCH_TOKENS, Batch, batches_of, groups_of
from askwire.planner.models.linking.connection import joined
from askwire.planner.models.linking.profiling import Profile, profiles
from askwire.planner.models.linking.pruning import PASSES, Columns, prune
from askwire.planner.models.linking.roles import Role, roles
from askwire.planner.models.linking.synthesis import Synthesis, synthesize
from askwire.planner.models.ranking import Links
from askwire.planner.models.schema_text import ShownSchema, name_of, show
from askwire.sql.catalog import Relation

_PRUNING_TOKEN_SHARE: Final = 0.4
"""Of the tokens that are left, for pruning."""
_CALL_SHARE: Final = 0.3
"""Of the calls that are left, for pruning, and as many for profiling."""
_PROMPT_TOKENS: Final = 1000
"""Tokens of a prompt of pruning beside the batch."""
_ANSWER_TOKENS: Final = 500
_MIN_BATCH_TOKENS: Final = 1500
_PRUNING_TIME_SHARE: Final = 0.25
_ROLES_TIME_SHARE: Final = 0.35
_PROFILING_TIME_SHARE: Final = 0.5
_MAX_TRACED_NAMES: Final = 30
_MAX_JOINED_RELATIONS: Final = 40
"""Relations up to which ways between them are looked for."""
_SYNTHESIS_TIME_SHARE: Final = 0.6
"""Shares of the time until the deadline by which each stage ends."""


@dataclass(frozen=True)
class LinkResult:
    """What linking came to: links that name only what was chosen, and what was seen of each table."""

    links: Links
    findings: tuple[str, ...] = ()


@dataclass
class _Work:
    """What is known so far."""

    links: Links
    pruned: Columns
    roles: dict[int, Role] = field(default_factory=dict)
    profiles: dict[int, Profile] = field(default_factory=dict)
    synthesis: Synthesis | None = None


async def link(asking: ExpertTask, links: Links, steps: Sequence[str], room: int) -> LinkResult | None:
    """The relations and columns that the model chooses; None where that failed or left nothing.

    `room` is how many tokens of the catalog may be shown. Raises DatabaseFailed when the session is lost.
    """
    course = asking.course
    batches = await beside(_batches, asking, links)
    if not batches:
        return None
    pruned = await asking.attempt("prune", prune(asking, batches, steps), _PRUNING_TIME_SHARE)
    if not pruned:
        return None
    work = _Work(_narrowed(links, pruned), pruned)
    if course.linking != "prune":
        await _verified(asking, work, steps, room)
    return _linked(asking, work, links, sum(len(batch.relations) for batch in batches))


async def _verified(asking: ExpertTask, work: _Work, steps: Sequence[str], room: int) -> None:
    """Roles, profiles and synthesis, as the course has them."""
    course, catalog = asking.course, asking.planning.catalog
    shown = show(catalog, work.links, room, values=False)
    if course.roles:
        work.roles = await asking.attempt("roles", roles(asking, shown, steps), _ROLES_TIME_SHARE) or {}
    if course.profiling and asking.shares_rows:
        chosen = _to_profile(asking, work, shown)
        looked = profiles(asking, chosen, work.links, work.roles)
        work.profiles = await asking.attempt("profile", looked, _PROFILING_TIME_SHARE) or {}
    if course.synthesis != "off":
        made = synthesize(asking, shown, steps, work.roles, work.profiles)
        work.synthesis = await asking.attempt("synthesize", made, _SYNTHESIS_TIME_SHARE)


def _batches(asking: ExpertTask, links: Links) -> list[Batch]:
    """What goes through pruning: of what ranks first as much as course, window and budget hold."""
    left = asking.line.purse.left
    passes = len(PASSES[asking.course.pruning])
    window = min(MAX_BATCH_TOKENS, asking.window - _PROMPT_TOKENS)
    tokens = _PRUNING_TOKEN_SHARE * left.tokens / passes - _PROMPT_TOKENS - asking.longest_answer
    largest = int(min(window, max(_MIN_BATCH_TOKENS, tokens)))
    most = min(
        asking.course.batches,
        max(1, (_PRUNING_TOKEN_SHARE * left.tokens) / (passes * (largest + _PROMPT_TOKENS + _ANSWER_TOKENS))),
        max(1, _CALL_SHARE * left.calls / passes),
    )
    batches = batches_of(groups_of(asking.planning.catalog, links), largest, int(most))
    asking.record(
        "batched",
        batches=len(batches),
        tokens=[batch.size for batch in batches],
        relations=sum(len(batch.relations) for batch in batches),
        of=len(links.relations),
    )
    return batches


def _to_profile(asking: ExpertTask, work: _Work, shown: ShownSchema) -> list[Relation]:
    """The relations that are looked into: those with a role first, then by rank."""
    left = asking.line.purse.left.calls
    most = int(min(asking.course.tables, max(1, _CALL_SHARE * left / 2)))
    there = {relation.oid for relation in shown.relations}
    ranked = [relation for relation in work.links.relations if relation.oid in there]
    return sorted(ranked, key=lambda relation: relation.oid not in work.roles)[:most]


def _linked(asking: ExpertTask, work: _Work, links: Links, sent: int) -> LinkResult | None:
    """What the stages came to, joined by what keys need."""
    catalog = asking.planning.catalog
    columns = dict(work.pruned)
    irrelevant = {oid for oid, profile in work.profiles.items() if not profile.relevant}
    if work.synthesis is not None and work.synthesis.columns:
        columns = dict(work.synthesis.columns)
    else:
        if work.roles:
            # nothing judged the whole: what has no role in the question, and was not looked into, goes
            columns = {oid: c for oid, c in columns.items() if oid in work.roles or oid in work.profiles}
        columns = {oid: c for oid, c in columns.items() if oid not in irrelevant}
        for oid, profile in work.profiles.items():
            if oid in columns and profile.columns:
                columns[oid] = profile.columns
    if not columns:
        return None
    there = {relation.oid for relation in links.relations}
    added: set[int] = set()
    if len(columns) <= _MAX_JOINED_RELATIONS:
        added = (joined(catalog, columns) - columns.keys()) & there
    columns |= dict.fromkeys(added, frozenset())
    rejected = work.synthesis.rejected if work.synthesis else ()
    asking.record(
        "linked",
        relations=[name_of(catalog, catalog.by_oid[oid]) for oid in columns][:_MAX_TRACED_NAMES],
        columns=sum(map(len, columns.values())),
        sent=sent,
        pruned=len(work.pruned),
        roles={name_of(catalog, catalog.by_oid[oid]): list(role.roles) for oid, role in work.roles.items()},
        profiled=len(work.profiles),
        irrelevant=len(irrelevant),
        rounds=work.synthesis.rounds if work.synthesis else 0,
        rejected=[
            f"{name_of(catalog, catalog.by_oid[r.relation])}.{r.column}: {r.why}"
            for r in rejected[:_MAX_TRACED_NAMES]
        ],
        joining=[name_of(catalog, catalog.by_oid[oid]) for oid in sorted(added)],
    )
    findings = tuple(
        f"{name_of(catalog, catalog.by_oid[oid])}: {profile.summary}"
        for oid, profile in work.profiles.items()
        if oid in columns and profile.summary
    )
    return LinkResult(_narrowed(links, columns), findings)


def _narrowed(links: Links, columns: Mapping[int, frozenset[str]]) -> Links:
    """The links of some relations alone, with only these columns of each."""
    kept = tuple(relation for relation in links.relations if relation.oid in columns)
    return replace(links, relations=kept, kept=dict(columns))
