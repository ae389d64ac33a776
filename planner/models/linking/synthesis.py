"""Global synthesis: what is left is judged as a whole, in a few rounds (APEX-SQL, section 3.2.3).

In each round the model chooses tables and columns, and may run queries before it decides. What was found
relevant goes only where it lists it as rejected, with a reason; tables that no key joins are told to it, and
joined by the shortest ways that keys offer where it leaves them apart. Owns: the rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from askwire.core.egress import Disclosure
from askwire.llm.answers import read_object, read_objects, read_text, read_texts
from askwire.llm.prompts import Input
from askwire.planner.models.data_look import look
from askwire.planner.models.expert_task import ExpertTask, drafts
from askwire.planner.models.linking.connection import parts_of
from askwire.planner.models.linking.names import MAX_NAMES, columns_in, known_columns, table_named
from askwire.planner.models.linking.profiling import Profile, fitting
from askwire.planner.models.linking.pruning import COLUMNS, Columns
from askwire.planner.models.linking.roles import Role
from askwire.planner.models.schema_text import ShownSchema, name_of

MAX_QUERIES: Final = 5
"""Per round."""
_MAX_HISTORY_TOKENS: Final = 2000
_MAX_STATUS_TOKENS: Final = 3000
_MAX_REASON_CHARACTERS: Final = 200
SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "tables": COLUMNS,
        "rejected": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "table": {"type": "string"},
                    "column": {"type": "string"},
                    "why": {"type": "string"},
                },
                "required": ["table", "column", "why"],
                "additionalProperties": False,
            },
        },
        "queries": {"type": "array", "items": {"type": "string"}},
        "done": {"type": "boolean"},
    },
    "required": ["tables", "rejected", "queries", "done"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class RejectedColumn:
    """A column that was found relevant and is not needed, and why, in the model's own words."""

    relation: int
    column: str
    why: str


@dataclass(frozen=True)
class Synthesis:
    """The columns chosen, by OID of their relation, and what was rejected; `rounds` it took."""

    columns: Columns
    rejected: tuple[RejectedColumn, ...]
    rounds: int


async def synthesize(
    asking: ExpertTask,
    shown: ShownSchema,
    steps: Sequence[str],
    known: Mapping[int, Role],
    found: Mapping[int, Profile],
) -> Synthesis:
    """What the question needs of the relations shown.

    Raises ModelFailed, NoExpert, BudgetSpent; a failure after the first round ends it with what was chosen.
    """
    status = fitting(drafts(_status(asking, shown, known, found)), _MAX_STATUS_TOKENS)
    history: list[Disclosure] = []
    apart: list[str] = []
    chosen: Synthesis | None = None
    rounds = 1 if asking.course.synthesis == "once" else asking.course.rounds
    for number in range(rounds):
        left = rounds - number - 1
        inputs: dict[str, Input] = {
            "schema": shown.parts,
            "question": asking.question,
            "steps": drafts(steps),
            "status": status,
            "history": fitting(history, _MAX_HISTORY_TOKENS),
            "apart": drafts(apart),
            "left": left,
        }
        if chosen is None:
            document = read_object((await asking.ask("synthesize", inputs, SCHEMA)).text)
        else:
            again = await asking.attempt("synthesize", asking.ask("synthesize", inputs, SCHEMA), 1.0)
            document = read_object(again.text) if again else None
            if document is None:
                break
        made = _chosen(asking, document, shown, found, number + 1)
        if made is None:
            break
        chosen = made
        apart = _apart(asking, chosen.columns)
        queries = read_texts(document, "queries", MAX_QUERIES, 2000) if asking.shares_rows else ()
        finished = document is None or document.get("done") is not False or not queries
        if finished and not apart:
            break
        for sql in queries if left else ():
            history += (await look(asking, sql.removesuffix(";").strip(), step="synthesize")).parts
    return chosen or Synthesis({}, (), 0)


def _status(
    asking: ExpertTask, shown: ShownSchema, known: Mapping[int, Role], found: Mapping[int, Profile]
) -> list[str]:
    """A line per table of which something is known."""
    lines = []
    for relation in shown.relations:
        role, profile = known.get(relation.oid), found.get(relation.oid)
        if role is None and profile is None:
            continue
        words = [name_of(asking.planning.catalog, relation)]
        if profile is not None:
            words.append("found relevant" if profile.relevant else "found not relevant")
            if profile.columns:
                words.append(f"columns {', '.join(sorted(profile.columns))}")
        words += [role.text] if role else []
        words += [profile.summary] if profile and profile.summary else []
        lines.append("; ".join(words))
    return lines


def _chosen(
    asking: ExpertTask,
    document: Mapping[str, Any] | None,
    shown: ShownSchema,
    found: Mapping[int, Profile],
    number: int,
) -> Synthesis | None:
    """What an answer chooses, with all that was found relevant and is not rejected with a reason.

    None where it names no table that is there.
    """
    catalog = asking.planning.catalog
    among = {relation.oid: relation for relation in shown.relations}
    columns = columns_in(catalog, document, "tables", among)
    if not columns:
        return None
    rejected: dict[tuple[int, str], RejectedColumn] = {}
    for entry in read_objects(document, "rejected", MAX_NAMES):
        relation = table_named(catalog, read_text(entry, "table", 140), among)
        why = read_text(entry, "why", _MAX_REASON_CHARACTERS)
        if relation is not None and why:
            for column in known_columns(relation, [read_text(entry, "column", 140)]):
                rejected[relation.oid, column] = RejectedColumn(relation.oid, column, why)
    for oid, profile in found.items():
        if oid in among and profile.relevant:
            kept = frozenset(c for c in profile.columns if (oid, c) not in rejected)
            if kept or (oid in columns):
                columns[oid] = columns.get(oid, frozenset()) | kept
    needless = (r for r in rejected.values() if r.column not in columns.get(r.relation, ()))
    return Synthesis({oid: some for oid, some in columns.items() if some}, tuple(needless), number)


def _apart(asking: ExpertTask, columns: Columns) -> list[str]:
    """The relations that no key joins to the largest part of the choice, by name."""
    catalog = asking.planning.catalog
    _, *others = parts_of(catalog, columns) or [set()]
    return [name_of(catalog, catalog.by_oid[oid]) for part in others for oid in sorted(part)]
