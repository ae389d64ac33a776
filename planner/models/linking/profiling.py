"""Parallel data profiling: each table is looked into by itself, then kept or not (APEX-SQL, section 3.2.3).

Owns: the two calls per table and the queries between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.egress import Disclosure
from askwire.core.errors import BudgetSpent, NoExpert
from askwire.llm.answers import read_object, read_objects, read_text
from askwire.planner.models.data_look import look
from askwire.planner.models.expert_task import ExpertTask, drafts, side_by_side
from askwire.planner.models.linking.names import MAX_NAMES, known_columns
from askwire.planner.models.linking.roles import Role
from askwire.planner.models.ranking import Links
from askwire.planner.models.schema_text import lines_of
from askwire.sql.catalog import Relation

MAX_QUERIES: Final = 8
"""At most; three are asked for at least."""
_MAX_SUMMARY_CHARACTERS: Final = 400
_MAX_OBSERVATION_TOKENS: Final = 3000
"""Tokens of what queries have shown that a decision is shown."""
PROFILE: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "queries": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"why": {"type": "string"}, "sql": {"type": "string"}},
                "required": ["why", "sql"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["queries"],
    "additionalProperties": False,
}
DECIDE: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "relevant": {"type": "boolean"},
        "columns": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"column": {"type": "string"}, "why": {"type": "string"}},
                "required": ["column", "why"],
                "additionalProperties": False,
            },
        },
        "summary": {"type": "string"},
    },
    "required": ["relevant", "columns", "summary"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Profile:
    """What a look at a table came to: whether it is needed, which columns, and what was seen."""

    relevant: bool
    columns: frozenset[str]
    summary: str


async def profiles(
    asking: ExpertTask, relations: Sequence[Relation], links: Links, known: Mapping[int, Role]
) -> dict[int, Profile]:
    """What looks at these tables came to, by OID; of a table whose agent failed nothing is known."""

    async def one(relation: Relation) -> Profile | None:
        try:
            return await _profile(asking, relation, links, known.get(relation.oid))
        except (NoExpert, BudgetSpent) as error:
            asking.record("stage ended", step="profile", table=relation.name, reason=error.message)
            return None

    found = await side_by_side(one(relation) for relation in relations)
    return {
        relation.oid: profile
        for relation, profile in zip(relations, found, strict=True)
        if profile is not None
    }


async def _profile(asking: ExpertTask, relation: Relation, links: Links, role: Role | None) -> Profile:
    table = lines_of(asking.planning.catalog, relation, links, values=True)
    inputs = {"table": table, "question": asking.question, "role": drafts([role.text] if role else [])}
    document = read_object((await asking.ask("profile", inputs, PROFILE)).text)
    seen: list[Disclosure] = []
    asked: set[str] = set()
    for entry in read_objects(document, "queries", MAX_QUERIES):
        sql = read_text(entry, "sql").removesuffix(";").strip()
        if sql and sql not in asked:
            asked.add(sql)
            looked = await look(asking, sql, step="profile")
            seen += [*drafts([read_text(entry, "why", 200)]), *looked.parts]
    observed = {**inputs, "observations": fitting(seen, _MAX_OBSERVATION_TOKENS)}
    document = read_object((await asking.ask("decide", observed, DECIDE)).text)
    if document is None:
        return Profile(relevant=True, columns=frozenset(), summary="")
    named = [read_text(entry, "column", 140) for entry in read_objects(document, "columns", MAX_NAMES)]
    return Profile(
        document.get("relevant") is not False,
        known_columns(relation, named),
        read_text(document, "summary", _MAX_SUMMARY_CHARACTERS),
    )


def fitting(parts: Sequence[Disclosure], most: int) -> list[Disclosure]:
    """The first of some parts, as many as fit into so many tokens."""
    kept: list[Disclosure] = []
    for part in parts:
        most -= len(part.text) // 3 + 4
        if most < 0:
            break
        kept.append(part)
    return kept
