"""Groups of which there are none: 'orders per customer, including customers without orders'.

Owns: the clause that asks for them. It stands behind what is counted, and restricts nothing.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.atoms import IsNull
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_INCLUDING_VERBS: Final = r"(?P<adding>including|include|show|list|see|even|also|keep|add|with)"
_SUCH_ROWS: Final = r"(?P<such>(?: (?:also|the|those|these|ones|one|all|any|M\d+)){0,4}?)"
_EMPTY_GROUPS: Final = r"(?:empty|unused)(?: (?:one|ones|M\d+))?"
_WITHOUT_ROWS: Final = (
    rf"(?:without|(?P<having>(?:have|with|took|got|made) )?(?:no|none|nothing|N\d+)|have not"
    rf"|(?:have )?never(?: be)? [a-z]+(?:ed|en)|(?P<empty>{_EMPTY_GROUPS}))"
)
_WISH_FOR_ALL: Final = r"(?:(?:i|we) (?:(?:would|like|want|need|to) )*see all (?:the )?{whole}(?: ,)? )?"
_GROUPED_BEFORE: Final = re.compile(r"(?<!\S)(?:(?:each|every|per|by) (?:the )?M(\d+)|G(\d+))(?!\S)")


def _with_none(context: RuleContext, found: RuleMatch) -> str | None:
    """', including M1 without M0': groups with a count of 0."""
    numbers = [int(n) for n in re.findall(r"(?<!\S)N(\d+)", found.text)]
    grouped = _GROUPED_BEFORE.search(found.before)
    if grouped is None or any(map(context.number, numbers)):
        return None
    if found["adding"] == "with" and numbers and not found["having"]:
        return None  # 'customers with 0' are some of them
    group = int(grouped[1] or grouped[2])
    counted = [n for n in context.mentions(found.before) if n != group]
    such = context.mentions(f"{found['such']} {found['empty']} {found['whole']}")
    lacking = context.mentions(found["lacking"])
    if not all(context.oracle.related(n, "same table", group) for n in such):
        return None
    things = [n for n in counted if "table!" in context.kinds(n)]
    lacked = [
        n for n in lacking if any(context.oracle.related(n, "same table", of) for of in things or counted)
    ]
    if len(things) > 1 or lacked != lacking:
        return None  # rows of a third table would restrict nothing here
    if re.search(r"(?<!\S)(?:SUM|AVG|MAX|MIN|MOST|LEAST)(?!\S)", found.before):
        return None
    context.flags.add("with_none")
    context.spend(*re.findall(r"(?<!\S)M\d+", found.text))
    context.consumed(found.text)
    return ""


def _with_some(context: RuleContext, found: RuleMatch) -> str | None:
    """', only those with one': values that there are; groups of another table have rows anyway."""
    grouped = _GROUPED_BEFORE.search(found.before)
    if grouped is None or (found["n"] and context.number(found.at("n")) != 1):
        return None
    group = int(grouped[1] or grouped[2])
    context.consumed(found.text)
    kept = {"column!", "optional"} <= context.kinds(group)
    return context.note(IsNull(group, negated=True)) if kept else ""


def _with_all(context: RuleContext, found: RuleMatch) -> str:
    """', including inactive ones': all of them, the inactive as well."""
    context.spend(found["flag"], found["of"])
    context.consumed(found.text)
    return found["end"]


RULES: Final = in_order(
    Rule(
        "groups_without/including",
        rf"(?:(?:,|\.|\?|;|and|please|but|do) )*{_WISH_FOR_ALL}(?:(?:also"
        rf"|and) )*{_INCLUDING_VERBS}{_SUCH_ROWS}(?: (?:that|who|which))? "
        rf"{_WITHOUT_ROWS}"
        r"(?P<lacking>(?: (?:a|an|any|the|single|such|them|it|yet|at|all|as|well|too|M\d+)){0,4})"
        r"(?= ?[.?]?$)",
        _with_none,
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "COUNT M0[table!] per M1[table!] , including M2[table!] without M3[table!]",
                "COUNT M0 per M1",
                ("flag with_none",),
                schema={"M2 same table M1": True, "M3 same table M0": True},
            ),
            Example(
                "COUNT M0[table!] do each M1 have ? include the one without any M2 .",
                "COUNT M0 do each M1 have .",
                ("flag with_none",),
                schema={"M2 same table M0": True},
            ),
            Example(
                "COUNT M0[table!] per M1[table!] , including M2[table!] without M3[table!]",
                "COUNT M0 per M1 , including M2 without M3",
                schema={"M2 same table M1": True},
            ),
            Example("M0 per M1 , also those with N0[3]", "M0 per M1 , also those with N0"),
            Example("COUNT M0 , including those without M1", "COUNT M0 , including those without M1"),
            Example("M0 per M1 , also those with none", "M0 per M1", ("flag with_none",)),
            Example("M0 per M1 , also empty one", "M0 per M1", ("flag with_none",)),
            Example("M0 per M1 ? include the one never used .", "M0 per M1 .", ("flag with_none",)),
            Example(
                "COUNT M0 do each M1 have ? i like to see all M2 , also those with none .",
                "COUNT M0 do each M1 have .",
                ("flag with_none",),
                schema={"M2 same table M1": True},
            ),
            Example("M0 per M1 , including N0[0]", "M0 per M1", ("flag with_none",)),
            Example("M0 per M1 , including empty M2", "M0 per M1 , including empty M2"),
        ),
    ),
    Rule(
        "groups_without/left_out",
        r"(?:(?:,|\.|\?|;|and) )*EQ those with (?:a )?(?:any|{n:number})(?= ?[.?]?$)",
        _with_some,
        before=("listings", "side_by_side", "negations"),
        examples=(
            Example(
                "SUM M0 per M1[column! optional] , EQ those with a N0[1]",
                "SUM M0 per M1 C0",
                ("C0: M1 is no null",),
            ),
            Example("COUNT M0 per M1[table!] , EQ those with a any", "COUNT M0 per M1"),
            Example("COUNT M0 , EQ those with N0[1]", "COUNT M0 , EQ those with N0"),
        ),
    ),
    Rule(
        "groups_without/all_of_them",
        r"(?:, )?(?:and )?(?:including|include|even|counting) (?:(?:the|those|also|all|not) )*"
        r"(?:{v:value}|{flag:flag,-table!})(?: (?:one|ones|{of:table!}))?{end=(?: ?[.?])?}$",
        _with_all,
        before=("listings", "side_by_side"),
        examples=(
            Example("M0 by M1 including M2[flag] M3[table!]", "M0 by M1"),
            Example("M0 , including not M1[flag] one", "M0"),
            Example("M0 including V0[1] one ?", "M0 ?"),
            Example("M0 including M1[column]", "M0 including M1"),
        ),
    ),
    after=("ends_of_each",),
)
