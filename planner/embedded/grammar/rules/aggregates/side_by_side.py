"""Two kinds of the same set beside each other: 'number of orders in Germany vs France'.

Owns: comparisons of two values of one column, one row for each. Times are compared by `calendar`.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.apart import grouped_as_well, ranked
from askwire.planner.embedded.grammar.atoms import APART, Either, IsValue, Output
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_PREPOSITIONS: Final = r"(?:(?:in|for|from|of|with|by|the|those) )*"
_VERSUS: Final = r"(?:,? ?(?:vs|versus|against)|,? (?:as )?compare[d]? (?:to|with|against))"
_VERSUS_BEFORE: Final = re.compile(rf"(?:vs|versus|against) {_PREPOSITIONS}$")
"""Before values of which one that stands before them is no value here: 'M0 vs V0 vs V1'."""


def _two_rows(context: RuleContext, found: RuleMatch) -> str | None:
    """'COUNT M0 in V0 vs V1 vs V2': a row for each, by the column that holds them.

    Behind 'by M1' a column for each.
    """
    first, second = found.at("a"), found.at("b")
    column = context.oracle.shared(first, second)
    if column is None or _VERSUS_BEFORE.search(found.before):
        return None
    more = [int(n) for n in re.findall(r"V(\d+)", found["more"])]
    parts = tuple(IsValue(value, column) for value in (first, second, *more))
    context.consumed("vs versus against compared compare side")
    either = context.note(Either(parts, both=False))
    if grouped_as_well(context.symbols):
        context.flags.add(APART)
        return either
    context.groups.append(Output(column))
    return f"{either} G{column}"


def _whole(context: RuleContext, found: RuleMatch) -> str | None:
    """'AVG M0 of V0 and V1', which all rows are one or the other of: a row for each.

    So it is of any two that are to be compared.
    """
    first, second = found.at("a"), found.at("b")
    compared = context.symbols.startswith("compare ")
    if not (compared or context.says("COUNT|SUM|AVG|MAX|MIN")) or ranked(context.symbols):
        return None
    column = context.oracle.shared(first, second, alone=not compared)
    if column is None:
        return None
    parts = IsValue(first, column), IsValue(second, column)
    context.groups.append(Output(column))
    return f"{context.note(Either(parts, both=False))} G{column}"


def _of_either(context: RuleContext, found: RuleMatch) -> str | None:
    """'MOST V0 and V1 M0': rows that are one or the other, as are those that are counted or bounded.

    Who has 'V0 and V1 M0' may have some of each.
    """
    context.spend(found.maybe("of"))
    values = [found.at("a"), *(int(n) for n in re.findall(r"V(\d+)", found["more"])), found.at("b")]
    column = context.oracle.shared(values[0], values[-1])
    if column is None or not context.oracle.related(column, "column of", found.at("m")):
        return None
    if found["how"] == "and" and not _ROWS_BEFORE.search(found.before):
        return None
    context.consumed("either")
    rows = context.note(Either(tuple(IsValue(value, column) for value in values), both=False))
    if found["how"] == "or" or not _COUNT_BEFORE.search(found.before) or ranked(context.symbols):
        return rows
    if grouped_as_well(context.symbols):
        context.flags.add(APART)
        return rows
    context.groups.append(Output(column))
    return f"{rows} G{column}"  # 'how many open and closed tickets' are two numbers


_COUNT_BEFORE: Final = re.compile(r"^(?:(?:what|be|the|show|give|me|list|all|our) )*COUNT (?:the )?$")
_ROWS_BEFORE: Final = re.compile(
    r"(?:(?<!\S)(?:COUNT|SUM|AVG|MOST|LEAST|MAXCOUNT|MINCOUNT|of|by|for|across|N\d+)(?: the)? "
    r"|^(?:(?:show|list|give|me|find|the|all|what|which|be) )*)$"
)
"""Before values of which a row has one: what is counted, ranked or listed are rows."""


def _yes_and_no(context: RuleContext, found: RuleMatch) -> str | None:
    """'AVG M0 of M1 and non M2', two words for one column: a row for those who are, one for the others.

    'newsletter subscribers and non-subscribers': the others are called by what both are.
    """
    said = context.encoded.mentions
    first, second = said[found.at("m")].words, said[found.at("m2")].words
    things = [found[name] for name in ("t", "t2") if found[name]]
    alike = len({said[int(t[1:])].words for t in things}) < 2
    if found["t"] and not found["t2"]:
        first = said[found.at("t")].words
    if first[-len(second) :] != second or not alike or not context.says("COUNT|SUM|AVG|MAX|MIN"):
        return None
    context.groups.append(Output(found.at("m")))
    context.spend(found.at("m2"))
    context.consumed("non not vs versus against compared compare")
    return " ".join([*things[:1], f"G{found.at('m')}"])


def _each_counted(context: RuleContext, found: RuleMatch) -> str | None:
    """'how many men and how many women are among the employees': a row for each."""
    rows = _two_rows(context, found)
    return rows and f"COUNT {found['m']} {rows}"


def _have_and_not(context: RuleContext, found: RuleMatch) -> str:
    """'how many courses have an exam and how many do not': a row for those that have, one for the others."""
    context.groups.append(Output(found.at("f")))
    context.spend(found.maybe("m2"))
    context.consumed("not")
    return f"COUNT {found['m']} G{found.at('f')}"


def _aggregated(context: RuleContext, found: RuleMatch) -> str:
    """'compare M0 C0 G1', 'C0 G1 M0': amounts are added up, things counted, where nothing else is said."""
    kinds = context.kinds(found.at("m"))
    summed = "numeric!" in kinds and "table!" not in kinds
    figure = "AVG" if kinds & {"averaged", "rated"} else "SUM" if summed else "COUNT"
    rows = f" {found['rows'].strip()}" if found["rows"] else ""
    return f"{found['lead']}{figure} {found['m']}{rows}"


def _only_named(context: RuleContext, found: RuleMatch) -> bool:
    """Whether two values are set beside each other, and nothing says what of them is asked for."""
    grouped = re.search(r"(?<!\S)G\d", found.text + found.behind) or grouped_as_well(found.behind)
    return bool(context.atoms and grouped) and not context.says("COUNT|SUM|AVG|MAX|MIN")


RULES: Final = in_order(
    Rule(
        "side_by_side/against",
        rf"{_PREPOSITIONS}{{a:value}}{_VERSUS} {_PREPOSITIONS}{{b:value}}(?P<more>(?:{_VERSUS} "
        rf"{_PREPOSITIONS}V\d+){{0,4}})(?!{_VERSUS} )",
        _two_rows,
        before=("hierarchy",),
        examples=(
            Example(
                "M0 in V0[1] vs V1[1]",
                "M0 C0 G1",
                ("C0: M1 = V0 or M1 = V1", "group by M1"),
                schema={"shared V0 V1": 1},
            ),
            Example("M0 in V0[1] vs V1[1] vs M1", "M0 in V0 vs V1 vs M1"),
            Example(
                "M0 in V0[1] vs V1[1] vs V2[1]",
                "M0 C0 G1",
                ("C0: M1 = V0 or M1 = V1 or M1 = V2", "group by M1"),
                schema={"shared V0 V1": 1},
            ),
        ),
    ),
    Rule(
        "side_by_side/side_by_side",
        rf"{_PREPOSITIONS}{{a:value}}(?: and|,) {_PREPOSITIONS}{{b:value}} side by side",
        _two_rows,
        before=("hierarchy",),
        examples=(
            Example(
                "M0 in V0[1] and V1[1] side by side",
                "M0 C0 G1",
                ("C0: M1 = V0 or M1 = V1", "group by M1"),
                schema={"shared V0 V1": 1},
            ),
        ),
    ),
    Rule(
        "side_by_side/compared",
        rf"(?:^compare ){_PREPOSITIONS}{{a:value}} (?:and|to|with) {_PREPOSITIONS}{{b:value}}(?P<more>)",
        _two_rows,
        before=("hierarchy",),
        examples=(
            Example(
                "compare V0[1] and V1[1] M0 by M2",
                "C0 M0 by M2",
                ("C0: M1 = V0 or M1 = V1", "flag apart"),
                schema={"shared V0 V1": 1},
            ),
            Example("V0[1] and V1[1] M0", "V0 and V1 M0"),
        ),
    ),
    Rule(
        "side_by_side/whole",
        rf"(?<!either ){_PREPOSITIONS}{{a:value}} and {_PREPOSITIONS}{{b:value}}(?! (?:and|or) )",
        _whole,
        before=("hierarchy",),
        examples=(
            Example(
                "AVG M0 of V0[1] and V1[1]",
                "AVG M0 C0 G1",
                ("C0: M1 = V0 or M1 = V1", "group by M1"),
                schema={"shared V0 V1 alone": 1},
            ),
            Example(
                "compare AVG M0 of V0[1] and V1[1]",
                "compare AVG M0 C0 G1",
                ("C0: M1 = V0 or M1 = V1", "group by M1"),
                schema={"shared V0 V1": 1},
            ),
            Example("M0 of V0[1] and V1[1]", "M0 of V0 and V1"),
        ),
    ),
    Rule(
        "side_by_side/of_either",
        r"(?:either )?{a:value}(?: {of:column,-table!})?(?P<more>(?: , V\d+){0,4})(?: ,)? {how=and|or} "
        r"{b:value}(?= {m:table!})",
        _of_either,
        before=("hierarchy",),
        examples=(
            Example(
                "which M0 have MOST V0[1] and V1[1] M1[table!]",
                "which M0 have MOST C0 M1",
                ("C0: M2 = V0 or M2 = V1",),
                schema={"shared V0 V1": 2, "M2 column of M1": True},
            ),
            Example(
                "COUNT V0[1] and V1[1] M0[table!]",
                "COUNT C0 G1 M0",
                ("C0: M1 = V0 or M1 = V1", "group by M1"),
                schema={"shared V0 V1": 1, "M1 column of M0": True},
            ),
            Example(
                "M0 with V0[1] , V1[1] or V2[1] M1[table!]",
                "M0 with C0 M1",
                ("C0: M2 = V0 or M2 = V1 or M2 = V2",),
                schema={"shared V0 V2": 2, "M2 column of M1": True},
            ),
            Example(
                "GE N0[3] V0[1] M2[column] or V1[1] M1[table!]",
                "GE N0 C0 M1",
                ("C0: M3 = V0 or M3 = V1",),
                schema={"shared V0 V1": 3, "M3 column of M1": True},
            ),
            Example(
                "M0 with V0[1] and V1[1] M1[table!]",
                "M0 with V0 and V1 M1",
                schema={"shared V0 V1": 2, "M2 column of M1": True},
            ),
        ),
    ),
    Rule(
        "side_by_side/yes_and_no",
        rf"{_PREPOSITIONS}{{m:flag}}(?: {{t:table!}})?(?: and|{_VERSUS}) {_PREPOSITIONS}(?:non|not) "
        rf"{{m2:flag|table!}}"
        r"(?: {t2:table!})?",
        _yes_and_no,
        before=("hierarchy",),
        examples=(
            Example("AVG M0 of M1[flag active] and non M2[flag active]", "AVG M0 G1", ("group by M1",)),
            Example("AVG M0 of M1[flag active] and non M2[flag old]", "AVG M0 of M1 and non M2"),
            Example(
                "AVG M0 of M1[flag] M2[table! members] vs non M3[table! members]",
                "AVG M0 M2 G1",
                ("group by M1",),
            ),
            Example(
                "AVG M0 of M1[flag active] and non M2[flag active] M3[table!]",
                "AVG M0 M3 G1",
                ("group by M1",),
            ),
        ),
    ),
    Rule(
        "side_by_side/each_counted",
        r"COUNT {DET}{a:value} and COUNT {DET}{b:value}"
        r"(?: (?:be|there|among|in|of|the|our|all|do|have|we)){0,4} {m:table!}",
        _each_counted,
        before=("hierarchy",),
        examples=(
            Example(
                "COUNT V0[1] and COUNT V1[1] be among the M0[table!]",
                "COUNT M0 C0 G1",
                ("C0: M1 = V0 or M1 = V1", "group by M1"),
                schema={"shared V0 V1": 1},
            ),
        ),
    ),
    Rule(
        "side_by_side/have_and_not",
        r"COUNT {m:table!} (?:have|be) {DET}{f:flag} and COUNT (?:{m2:table!} )?(?:(?:do|be|have) )*not"
        r"(?= ?$| [?.])",
        _have_and_not,
        before=("hierarchy",),
        examples=(
            Example("COUNT M0[table!] have a M1[flag] and COUNT not", "COUNT M0 G1", ("group by M1",)),
        ),
    ),
    Rule(
        "side_by_side/counted",
        r"^{lead=(?:(?:show|list|compare|give|me|the|what|be) )*}(?P<rows>C\d+ (?:G\d+ )?)?{m}",
        _aggregated,
        guard=_only_named,
        before=("hierarchy",),
        examples=(
            Example("compare M0[table!] C0[M1 = V0] G1", "compare COUNT M0 C0 G1"),
            Example("compare M0[numeric!] C0[M1 = V0] G1", "compare SUM M0 C0 G1"),
            Example("compare M0[numeric! averaged] C0[M1 = V0] G1", "compare AVG M0 C0 G1"),
            Example("C0[M1 = V0] G1 M0[table!]", "COUNT M0 C0 G1"),
            Example("C0[M1 = V0] M0[table!] by M2", "COUNT M0 C0 by M2"),
            Example("compare M0[table!] in V0[1]", "compare M0 in V0"),
        ),
    ),
)
