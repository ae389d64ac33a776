"""What each table is there for: target, bridge, filter (APEX-SQL, section 3.2.3).

Owns: that question and its answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.llm.answers import read_object, read_objects, read_text, read_texts
from askwire.planner.models.expert_task import ExpertTask, drafts
from askwire.planner.models.linking.names import MAX_NAMES, table_named
from askwire.planner.models.schema_text import ShownSchema

ROLES: Final = ("target", "bridge", "filter")
_MAX_REASON_CHARACTERS: Final = 300
SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "tables": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "table": {"type": "string"},
                    "roles": {"type": "array", "items": {"type": "string", "enum": list(ROLES)}},
                    "why": {"type": "string"},
                },
                "required": ["table", "roles", "why"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["tables"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Role:
    """What a table is there for: some of `ROLES`, and why, in the model's own words."""

    roles: tuple[str, ...]
    why: str

    @property
    def text(self) -> str:
        """In one line."""
        return f"{' and '.join(self.roles) or 'no role'}: {self.why}"


async def roles(asking: ExpertTask, shown: ShownSchema, steps: Sequence[str]) -> dict[int, Role]:
    """The roles of the tables shown, by OID; those that the model does not name are not in it.

    Raises ModelFailed, NoExpert, BudgetSpent.
    """
    inputs = {"schema": shown.parts, "question": asking.question, "steps": drafts(steps)}
    document = read_object((await asking.ask("roles", inputs, SCHEMA)).text)
    among = {relation.oid: relation for relation in shown.relations}
    found: dict[int, Role] = {}
    for entry in read_objects(document, "tables", MAX_NAMES):
        relation = table_named(asking.planning.catalog, read_text(entry, "table", 140), among)
        if relation is not None:
            given = tuple(role for role in ROLES if role in read_texts(entry, "roles", 9, 20))
            found[relation.oid] = Role(given, read_text(entry, "why", _MAX_REASON_CHARACTERS))
    return found
