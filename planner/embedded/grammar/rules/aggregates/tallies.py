"""Rows that are counted by group though no word says so: 'orders above 100 placed in May by status'.

Owns: what is left of such a question once every condition on the rows is taken out of it.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import MEASURE_WORDS
from askwire.language.text import PARTICIPLE, listed, singular
from askwire.planner.embedded.grammar.atoms import Output
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_ASKED: Final = r"COUNT|SUM|AVG|(?:MAX|MIN|MOST|LEAST)(?:COUNT|~\w+)?|S|O|Q\d+|top|first|last"
"""What asks for something else than how many there are of each."""
_MORE: Final = re.compile(r"(?<!\S)(?:and|,) (?:the )?M\d")
_NAMES: Final = frozenset({"name", "title", "surname", "number", "id", "date"})
"""What rows are put in order by rather than counted by."""
_KINDS: Final = frozenset(
    listed("status type kind state class category grade level priority severity rating")
)
"""What rows are counted by though a number may hold it."""
_BETWEEN: Final = r"(?P<rest>(?: (?!by |,)\S+)*?)"


def _counts_each(context: RuleContext, found: RuleMatch) -> str | None:
    """'C0 M0 of M1 C1 by M2': how many there are of each M2."""
    thing = found.at("what")
    if context.says(_ASKED) or _MORE.search(found["rest"]) or not context.atoms:
        return None
    if singular(context.word(thing)) in MEASURE_WORDS or not context.counts(thing):
        return None
    if found["g"]:
        group = int(found["g"][1:] or -1)
        one = group >= 0 and not found["rest"] and not context.several(thing)
        if one and _belongs(context, group, thing):
            return None  # 'the owner of each pet with a chip' is somebody
        return found.filled("{lead} COUNT {such} {what}") + f"{found['rest']} {found['g']}"
    by = found.at("by")
    if context.groups:
        return None
    kinds = context.kinds(by)
    measured = "numeric" in kinds and context.word(by) not in _KINDS
    if measured or "time" in kinds or context.word(by) in _NAMES:
        return None  # 'orders above 100 by amount' are in that order
    if "table!" in kinds and context.several(by):
        return None  # 'songs by artists' are those that they made
    done = found["rest"].split()[-1:]
    if done and PARTICIPLE.fullmatch(context.said(done[0]) if is_mention(done[0]) else done[0]):
        return None  # nor are those 'written by' somebody
    context.groups.append(Output(by))
    return found.filled("{lead} COUNT {such} {what}") + f"{found['rest']} G{by}"


def _belongs(context: RuleContext, group: int, thing: int) -> bool:
    """Whether each of a group has at most one of a thing: each pet its owner."""
    tables = all("table!" in context.kinds(m) for m in (group, thing))
    return tables and not context.oracle.related(thing, "happens to", group)


RULES: Final = in_order(
    Rule(
        "tallies/of_each",
        r"^(?P<lead>(?:(?:C\d+ ,|the|all|our|compare) )*)(?P<such>(?:C\d+ )*){what:table!|happening}"
        rf"{_BETWEEN} (?:by (?:the )?{{by}}|(?P<g>G\d*))(?=(?: C\d+)* ?(?:$|[?.]))",
        _counts_each,
        examples=(
            Example(
                "M0[table! orders] with a C0[M1 > N0] C1[M2 = D0] by M3[column!]",
                "COUNT M0 with a C0 C1 G3",
                ("group by M3",),
            ),
            Example("C0[M1 = D0] , M0[table! orders] G", "C0 , COUNT M0 G"),
            Example("M0[table! orders] by M1", "M0 by M1"),
            Example("M0[table! songs] C0[M1 = D0] by M2[table! artists]", "M0 C0 by M2"),
            Example("M0[table! orders] with a C0[M1 > N0] by M1[numeric amount]", "M0 with a C0 by M1"),
        ),
    ),
    after=("negations",),
)
