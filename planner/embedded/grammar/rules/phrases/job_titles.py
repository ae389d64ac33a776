"""People who are called by their job: 'names of all programmers', 'how many sales managers are there'.

Owns: values in the plural that stand for the people whose job they are.
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_REQUEST: Final = r"(?:(?:please|show|list|give|find|me|us|the|all|of|our|who|which|be|any) )*"
_NAME_WORDS: Final = frozenset({"name", "names"})


def _people(context: RuleContext, found: RuleMatch) -> str | None:
    """'names of all V0', 'COUNT V0', 'list the V0 in V1': those whose job is V0."""
    if found["m"] and context.said(found["m"]) not in _NAME_WORDS:
        return None
    value = found["v"]
    people = context.oracle.party("titled", values=[int(value[1:])])
    if people is None:
        return None
    if is_mention(found["m"]):
        context.spend(found["m"])
    return f"{'COUNT' if found['count'] else 'which'} M{people} {found['which']}{value}{found['rest']}"


RULES: Final = in_order(
    Rule(
        "job_titles/people",
        rf"^(?:{{count=COUNT}} )?{_REQUEST}(?:{{m}} of )?(?:(?:all|the|our) )*{{which=V\d+ }}?"
        r"{v=V\d+}{rest=(?: .*)?}$",
        _people,
        examples=(
            Example(
                "M0[names] of all V0[3]",
                "which M1 V0",
                schema={"party titled V0": 1},
            ),
            Example("COUNT V0[3] in V1[4]", "COUNT M0 V0 in V1", schema={"party titled V0": 0}),
            Example("list all V0[3]", "list all V0"),
        ),
    ),
    after=("hierarchy",),
)
