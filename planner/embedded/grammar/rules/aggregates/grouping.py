"""Groups: for each, per, by.

Owns: what rows are grouped by, calendar units among it. The placeholder keeps an owner: `G1`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from askwire.language.lexicon import HELD
from askwire.language.text import PARTICIPLE, singular
from askwire.planner.embedded.grammar.atoms import BY_NUMBER, FlagCondition, Output
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule, rewrite
from askwire.planner.embedded.linking.blocked import ADVERBS, TIME_ADVERB

_DISTINCT: Final = r"(?:(?:possible|different|distinct|unique|individual|single|particular|given|of|the) )*"
_DETAILS_BEFORE: Final = re.compile(
    r"(?:detail|details|information|info|everything)(?: (?:about|of|on|for|regarding|concerning))? $"
)
_FOR_EACH: Final = r"(?P<each>(?:for|of|in|by|from|at|to|across|do)? ?(?:each|every|per)) (?:of )?(?:the )?"
_AGGREGATE: Final = "COUNT|SUM|AVG|MAX|MIN"
_ROW_FIGURES: Final = rf"{_AGGREGATE}|(?:MAX|MIN)~\w+|S|last|first|number"
"""What is asked of the rows that belong to each, and not of each."""
_COMPARISON_BEFORE: Final = re.compile(r"(?<!\S)(?:GT|LT|GE|LE)(?:~\w+)? (?:than )?$")
SUCH: Final = (
    r"(?: (?!(?:by|per|across|each|every|have|,|top|COUNT|SUM|AVG|MAX\S*|MIN\S*|MOST|LEAST)(?!\S)"
    r"|(?:and|or) (?![NDVQ]\d))\S+){0,16}?"
)
"""What is said of rows: 'made in May 2024', 'that are not paid', 'with an amount between 10 and 20'."""
_OF_SUCH: Final = r"(?: (?!(?:and|or|by|per|each|every|for|,)(?!\S))\S+){1,6}(?<= [VCQDN]\d)\d*"
"""What is said of what things are told apart by: 'in Germany', 'with a rating above 3'."""
_SPREAD_OF: Final = (
    rf"(?P<of>(?:(?!by |per |across |be |do |have )[\w~']+ ){{0,5}}?{{m:table!|numeric!}}{SUCH})"
)
_ACROSS_GROUPS: Final = (
    r"(?:across|by|among|between|over|GT|per|into)(?: (?:the|our|all|its|their|different|various|each))* "
    r"(?P<g>M\d+|(?:day|week|month|quarter|year)(?!\S))"
    r"(?= ?$| [?.,]| (?:in|since|during|for|from|between|SINCE|BEFORE|AFTER) )"
)


def _by_unit(context: RuleContext, unit: str) -> str:
    context.unit = unit
    moment = context.measure("time")
    if moment is not None:
        context.groups.append(Output(moment))
    return "G"


def _per_unit(context: RuleContext, found: RuleMatch) -> str:
    """'per month', 'for each calendar year'."""
    return _by_unit(context, found["unit"])


def _per_unit_of(context: RuleContext, found: RuleMatch) -> str | None:
    """'by month of M0': of the time that is named, of whatever table."""
    owner = found.maybe("of")
    if owner is not None and not context.oracle.related(found.at("m"), "column of", owner):
        return None
    context.unit = found["unit"]
    context.groups.append(Output(found.at("m"), owner=owner))
    return "G"


def _monthly(context: RuleContext, found: RuleMatch) -> str:
    """'monthly'."""
    return _by_unit(context, ADVERBS[found.text])


def _monthly_amount(context: RuleContext, found: RuleMatch) -> str:
    """'monthly M0': what all of them come to in each month."""
    return f"{found['lead']}{_by_unit(context, ADVERBS[found['unit']])} SUM M{found.at('m')}"


def _unit_number(context: RuleContext, found: RuleMatch) -> str:
    """'per month number': the Januaries of all years are one group."""
    context.flags.add(BY_NUMBER)
    context.understood(found["number"])
    return found["unit"]


def _has_mention(context: RuleContext, found: RuleMatch) -> bool:
    del found
    return re.search(r"M\d+|COUNT [VC]\d+", context.symbols) is not None


def _in_each_unit(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a figure of each month is asked for: 'monthly pay' is so much a month, and no series.

    Nor is there one in the highest or average month, but for what does not add up: 'average monthly rating'.
    """
    behind = context.mentions(found.behind[:8])[:1]
    if not _has_mention(context, found) or any(singular(context.word(m)) in HELD for m in behind):
        return False
    taken = re.search(r"(?:^| )(AVG|MAX|MIN)(?:~\w+)? $", found.before)
    return taken is None or (taken[1] == "AVG" and any("rated" in context.kinds(m) for m in behind))


def _grouped(context: RuleContext, found: RuleMatch) -> str:
    """'for each M0', 'grouped by M0 and M1'."""
    context.groups.append(Output(found.at("a"), owner=found.maybe("of")))
    if found["b"]:
        theirs = re.search(r" (?:its|their) M\d+$", found.text)
        owner = found.maybe("a") if theirs else found.maybe("of")
        context.groups.append(Output(found.at("b"), owner=owner))
    return f"G{found.at('a')}"


_COLUMN_SHOWN_BEFORE: Final = re.compile(r"(?:^|(?<!AVG)(?<!SUM)(?<!MAX)(?<!MIN)(?<!COUNT) )M\d+ $")


def _of_different(context: RuleContext, found: RuleMatch) -> str:
    """'the names of the different M0, and COUNT M1 on each': the names are theirs."""
    group = _grouped(context, found)
    theirs = found.text.startswith("of ") and "table!" in context.kinds(found.at("a"))
    return f"of {found['a']} {group}" if theirs and _COLUMN_SHOWN_BEFORE.search(found.before) else group


def _is_group(context: RuleContext, found: RuleMatch) -> bool:
    """Whether groups are meant: 'all details for each swimmer' asks for whole rows."""
    del context
    return _DETAILS_BEFORE.search(found.before) is None


def _two_one_such(context: RuleContext, found: RuleMatch) -> str | None:
    """'for each M0 in V0 and M1', 'by M0 from V0 and year': groups of two things, one with a condition."""
    if found["each"] == "by" and not context.says(_AGGREGATE):
        return None
    if found["unit"]:
        return found.filled("per {a} {such} per {unit}")
    return found.filled("per {a} and {b} {such}")


def _per_such_state(context: RuleContext, found: RuleMatch) -> str | None:
    """'per active customer': of customers, those that are active."""
    flag = found.at("flag")
    if not context.oracle.related(flag, "column of", found.at("g")):
        return None
    return f"{found['each']} {found['g']} {context.note(FlagCondition(flag))}"


def _per_value(context: RuleContext, found: RuleMatch) -> str | None:
    """'of each raw material': of the things that a value is the kind of."""
    if _COMPARISON_BEFORE.search(found.before):
        return None  # 'older than every engineer'
    things = context.oracle.party("holder", values=[found.at("v")])
    return None if things is None else f"{found['each']} M{things} {found['v']}"


def _says(words: str) -> Callable[[RuleContext, RuleMatch], bool]:
    return lambda context, found: context.says(words) and _is_group(context, found)


def _no_aggregate(context: RuleContext, found: RuleMatch) -> bool:
    del found
    return not context.says(f"{_AGGREGATE}|MOST|LEAST")


def _lists(context: RuleContext, found: RuleMatch) -> bool:
    """Whether nothing is asked of what belongs to each."""
    del found
    return not context.says(f"{_ROW_FIGURES}|MOST|LEAST|PERCENT|SHARE|G\\d*|by|per|COUNT|total")


def _is_done(context: RuleContext, mention: int) -> bool:
    """Whether 'by' says who did it ('the money requested by people who …'), and not how it is grouped."""
    return PARTICIPLE.fullmatch(context.encoded.mentions[mention].words[-1]) is not None


def _ungrouped_aggregate(context: RuleContext, found: RuleMatch) -> bool:
    if not context.says(_AGGREGATE) or context.says(r"G\d*") or not _is_group(context, found):
        return False
    if re.search(r"(?:^| )(?:top|bottom)(?: N\d+)? M\d+ $", found.before):
        return False  # 'top 3 brands by revenue with number of orders' are ranked by it
    done = re.search(r"M(\d+) $", found.before)
    if done and re.match(r" (?:with|who|that|whose) ", found.behind) and _is_done(context, int(done[1])):
        return False
    verb = "".join(found.before.split()[-1:])
    mention = context.encoded.mentions[int(done[1])] if done else None
    if mention is not None and mention.start >= 0:
        verb = context.encoded.tokens[mention.end - 1].lower
    if (PARTICIPLE.fullmatch(verb) or verb == "have") and "table!" in context.kinds(found.at("a")):
        placed = re.match(r" (?:in|from|located|based|living) (?:the )?[VC]\d", found.behind)
        told = context.several(found.at("a")) and re.match(r" [VCQ]\d", found.behind)
        if placed or told:
            return False  # 'the total amount loaned by banks in V0', 'handled by agents C0'
    ranked = re.search(r"(?:MAX|MIN) M(\d+) $", found.before)
    if done and _did_them(context, found, int(done[1])):
        return False
    # 'the three largest cities by population' are ranked by it
    return ranked is None or "table" not in context.kinds(int(ranked[1]))


def _did_them(context: RuleContext, found: RuleMatch, things: int) -> bool:
    """'the total amount of orders by customers in V0': by people of whom more is said, who made them."""
    doers = found.at("a")
    if not {"table!", "person"} <= context.kinds(doers) or "table!" not in context.kinds(things):
        return False
    return context.several(doers) and _OF_WHOM.match(found.behind) is not None


_OF_WHOM: Final = re.compile(
    r" (?:(?:who|that|which|whose|be|live|living|located|based|born|in|from|of|with|named|called|at|aged|the"
    r"|a|an|M\d+) )+(?:[VCQ]\d|GT|LT|GE|LE)| C\d"
)


_ACROSS_BEFORE: Final = re.compile(
    r"(?<!\S)(?:COUNT (?:.+ )?M\d+|(?:SUM|AVG|MAX|MIN) (?:.+ )?M(?P<figure>\d+) (?:.+ )?M\d+) "
)


def _is_across(context: RuleContext, found: RuleMatch) -> bool:
    """Whether 'across' tells apart: 'sales across regions', not 'the highest fee across clubs'."""
    said = _ACROSS_BEFORE.search(found.before)
    if said is None or context.says(r"G\d*"):
        return False
    figure = said["figure"]
    return figure is None or not context.oracle.related(int(figure), "column of", found.at("a"))


def _spread(context: RuleContext, found: RuleMatch) -> str:
    """'how are orders distributed across channels', 'break revenue down by channel': how much each has."""
    context.consumed(f"{found['lead']} {found['how']}")
    many = "COUNT" if "table!" in context.kinds(found.at("m")) else "SUM"
    return f"{many} {found['of']} per {found['g']}"


def _by_number(context: RuleContext, found: RuleMatch) -> str | None:
    """'average rent by number of bedrooms', where a column says how many: by that column."""
    if (
        re.search(rf"(?:{_AGGREGATE}) (?:(?:of|the|all|our) )*M\d+(?: (?:of|for) M\d+)? $", found.before)
        is None
    ):
        return None
    context.consumed("number of count")
    return f"per {found['m']}"


RULES: Final = in_order(
    Rule(
        "grouping/by_number",
        r"(?:by|per|for each|of each) (?:the )?COUNT (?:of )?(?:the )?{m:extent,column!,-table!,-key}{END}",
        _by_number,
        examples=(
            Example("AVG M0 by COUNT M1[extent column!]", "AVG M0 per M1"),
            Example("M0 by COUNT M1[extent column!]", "M0 by COUNT M1"),
            Example("AVG M0 by COUNT M1[table!]", "AVG M0 by COUNT M1"),
        ),
    ),
    Rule(
        "grouping/spread",
        rf"^{{lead=how be (?:the |our |all )*}}{_SPREAD_OF}"
        r"{how= (?:split|group|distributed|broken|divided|spread|segmented|subdivided)(?: down| up| out)?} "
        rf"{_ACROSS_GROUPS}",
        _spread,
        examples=(
            Example("how be M0[table!] distributed across M1 ?", "COUNT M0 per M1 ?"),
            Example(
                "how be M0[table!] made between D0 and D1 distributed across M1 ?",
                "COUNT M0 made between D0 and D1 per M1 ?",
            ),
            Example("how be M0[table!] distributed ?", "how be M0 distributed ?"),
        ),
    ),
    Rule(
        "grouping/break_down",
        r"^{lead=(?:(?:can|could|would|will|you|please) )*(?:break|split|divide|segment)(?: down| up)? "
        rf"(?:the |our |all )*}}{_SPREAD_OF}{{how=(?: down| up)?}} {_ACROSS_GROUPS}",
        _spread,
        examples=(
            Example("can you break M0[table!] down by M1", "COUNT M0 per M1"),
            Example("break M0[table!] down", "break M0 down"),
        ),
    ),
    Rule(
        "grouping/distribution",
        r"^(?:(?:what|show|give|me|us|list|be) )*{lead=(?:the |a )?(?:distribution|breakdown|split) "
        r"of (?:the |our |all )*}(?P<of>(?:[MVC]\d+ ){0,2}?{m:table!|numeric!}(?: .+)?){how=} "
        rf"{_ACROSS_GROUPS}",
        _spread,
        examples=(
            Example("what be the distribution of M0[table!] by M1", "COUNT M0 per M1"),
            Example(
                "breakdown of M0[table!] with a M1 GT N1 by M2",
                "COUNT M0 with a M1 GT N1 per M2",
            ),
            Example("the distribution of M0", "the distribution of M0"),
        ),
    ),
    Rule(
        "grouping/two_one_such",
        r"{each=(?:(?:for|of|in) )?(?:each|every|per)|by} (?:the )?{a:table!}"
        rf"(?P<such>{_OF_SUCH}) and (?:each |every |per |by )?"
        r"(?:{b}|(?P<unit>day|week|month|quarter|year)(?!\S))"
        r"(?= ?$| [?.,]| (?:in|during|since|for|from|SINCE|BEFORE|AFTER) )",
        _two_one_such,
        guard=_is_group,
        examples=(
            Example("COUNT M0 for each M1[table!] in V0 and M2", "COUNT M0 per M1 and M2 in V0"),
            Example(
                "COUNT M0 by M1[table!] with a M2 GT N0 and year", "COUNT M0 per M1 with a M2 GT N0 per year"
            ),
            Example("COUNT M0 by M1[table!] from V0 and V1", "COUNT M0 by M1 from V0 and V1"),
            Example("COUNT M0 by M1[column!] in V0 and M2", "COUNT M0 by M1 in V0 and M2"),
            Example("M0 by M1[table!] in V0 and M2", "M0 by M1 in V0 and M2"),
            Example("detail of each M1[table!] in V0 and M2", "detail of each M1 in V0 and M2"),
        ),
    ),
    Rule(
        "grouping/unit_number",
        r"{unit=month|quarter} {number=number|no}(?= |$)(?! of M)",
        _unit_number,
        before=("grouping/per_unit",),
        examples=(
            Example("M0 per month number", "M0 per month", ("flag by number",)),
            Example("G . show month number and COUNT", "G . show month and COUNT", ("flag by number",)),
        ),
    ),
    Rule(
        "grouping/per_unit_of",
        r"(?:each|every|per|by) {unit=day|week|month|quarter|year} of (?:the )?"
        r"(?:{of:table!} )?{m:time,column!}",
        _per_unit_of,
        before=("grouping/per_unit",),
        examples=(
            Example("COUNT M0 by month of M1[time column!]", "COUNT M0 G", ("group by M1", "group by month")),
            Example("COUNT M0 by month of M1[table!]", "COUNT M0 by month of M1"),
        ),
    ),
    Rule(
        "grouping/per_unit",
        r"(?:for |in |of |by |,? ?group by |grouped by )?(?:each |every |per |by )(?:calendar )?"
        r"{unit=day|week|month|quarter|year|hour}",
        _per_unit,
        guard=_has_mention,
        examples=(
            Example("M0 by day", "M0 G", ("group by M1", "group by day"), schema={"measure time": 1}),
            Example("COUNT by day", "COUNT by day"),
        ),
    ),
    Rule(
        "grouping/monthly_amount",
        rf"^(?P<lead>(?:(?:what|be|show|list|give|me|please|the|our) )*)(?P<unit>{TIME_ADVERB}) "
        r"{m:numeric!,column!,-time,-rated,-held}",
        _monthly_amount,
        examples=(
            Example(
                "daily M0[numeric! column!]",
                "G SUM M0",
                ("group by M1", "group by day"),
                schema={"measure time": 1},
            ),
            Example("AVG daily M0[numeric! column!]", "AVG daily M0"),
            Example("daily M0[numeric! column! held]", "daily M0"),
        ),
    ),
    Rule(
        "grouping/monthly",
        TIME_ADVERB,
        _monthly,
        guard=_in_each_unit,
        examples=(
            Example("annual M0[salary]", "annual M0"),
            Example("daily M0", "G M0", ("group by M1", "group by day"), schema={"measure time": 1}),
            Example("COUNT monthly", "COUNT monthly"),
            Example("MAX monthly M0[rated]", "MAX monthly M0"),
            Example("AVG daily M0", "AVG daily M0"),
            Example(
                "AVG daily M0[rated]", "AVG G M0", ("group by M1", "group by day"), schema={"measure time": 1}
            ),
        ),
    ),
    Rule(
        "grouping/each_listed",
        r"^{lead=(?:(?:show|list|give|display|return|print|get|please|me|us) )*}(?:each|every) "
        r"{rest=(?:[VC]\d+ |M\d+ )?}{m:table!}(?= (?:with (?:its|their)|and|,|along)(?!\S))",
        rewrite("{lead} {rest} {m}"),
        guard=_lists,
        examples=(
            Example("list each M0[table!] with its M1", "list M0 with its M1"),
            Example("list each V0[1] M0[table!] , M1", "list V0 M0 , M1"),
            Example("list each M0[table!] with M1[table!]", "list each M0 with M1"),
            Example("list each M0[table!] and MAX M1", "list each M0 and MAX M1"),
        ),
    ),
    Rule(
        "grouping/columns_of_each",
        r"^{lead=(?:(?:what|be|show|list|give|display|return|print|get|find|please|me|us|the) )*}"
        r"{columns=M\d+(?: (?:,|and|, and) (?:the )?M\d+)+} (?:of|for) (?:each|every) "
        r"{rest=(?:[VC]\d+ |M\d+ )?}{m:table!}",
        rewrite("{lead} {columns} of {rest} {m}"),
        guard=_lists,
        examples=(
            Example("show the M0 and M1 of each M2[table!]", "show the M0 and M1 of M2"),
            Example("M0 , M1 and M2 of each V0[1] M3[table!]", "M0 , M1 and M2 of V0 M3"),
            Example("M0 and M1 of each M2[table!] , COUNT M3", "M0 and M1 of each M2 , COUNT M3"),
            Example("the M0 of each M1[table!]", "the M0 of each M1"),
        ),
    ),
    Rule(
        "grouping/per_such",
        rf"{_FOR_EACH}{{such=[VC]\d+(?: [VC]\d+)*}} {{g:table!}}",
        rewrite("{each} {g} {such}"),
        guard=_is_group,
        examples=(
            Example("COUNT M0 for each V0[1] M1[table!]", "COUNT M0 for each M1 V0"),
            Example("all detail of each V0[1] M1[table!]", "all detail of each V0 M1"),
        ),
    ),
    Rule(
        "grouping/per_such_state",
        rf"{_FOR_EACH}{{flag:flag,-table!}} {{g:table!}}",
        _per_such_state,
        guard=_is_group,
        examples=(
            Example(
                "COUNT M0 per M1[flag] M2[table!]",
                "COUNT M0 per M2 C0",
                ("C0: M1 is true",),
                schema={"M1 column of M2": True},
            ),
            Example("COUNT M0 per M1[flag] M2[table!]", "COUNT M0 per M1 M2"),
            Example("all detail of each M1[flag] M2[table!]", "all detail of each M1 M2"),
        ),
    ),
    Rule(
        "grouping/per_value",
        rf"{_FOR_EACH}{{v:value}}(?= ?$| [?.,]| (?:that|which|who|with|in|from|of|for) )",
        _per_value,
        guard=_says(_ROW_FIGURES),
        examples=(
            Example("MAX M0 of each V0[1]", "MAX M0 of each M1 V0", schema={"party holder V0": 1}),
            Example("MAX M0 of each V0[1]", "MAX M0 of each V0"),
            Example("MAX M0 GT~old every V0[1]", "MAX M0 GT~old every V0"),
            Example("M0 of each V0[1]", "M0 of each V0"),
        ),
    ),
    Rule(
        "grouping/per_column_of",
        r"(?:for|of|in|by|from|at|to|across|with|within|on|under|among|,)? ?(?:each|every|"
        rf"per) {_DISTINCT}{{of}} 's {{a}}",
        _grouped,
        guard=_says(f"{_AGGREGATE}|MOST|LEAST"),
        examples=(
            Example("AVG each M0 's M1", "AVG G1", ("group by M1 of M0",)),
            Example("each M0 's M1", "each M0 's M1"),
        ),
    ),
    Rule(
        "grouping/each_thing_s",
        r"(?:each|every) {m} 's(?= )",
        rewrite("{m} 's"),
        guard=_no_aggregate,
        examples=(
            Example("each M0 's M1", "M0 's M1"),
            Example("AVG each M0 's M1", "AVG each M0 's M1"),
        ),
    ),
    Rule(
        "grouping/per_column_beside",
        rf"(?:for|of|in|by|from|at|across|with|on) (?:each|every) {_DISTINCT}{{of:table!}} {{a:column!}}"
        r"(?= ?$| [.?,])",
        _grouped,
        guard=_says(_AGGREGATE),
        examples=(
            Example("COUNT for each M0[table!] M1[column!]", "COUNT G1", ("group by M1 of M0",)),
            Example("COUNT for each M0[table!] M1[table]", "COUNT for each M0 M1"),
            Example("M0 for each M1[table!] M2[column!]", "M0 for each M1 M2"),
        ),
    ),
    Rule(
        "grouping/per",
        r"(?:for|of|in|by|from|at|to|across|with|within|on|under|among|have|belong to)? ?(?:each|"
        rf"every|per) {_DISTINCT}{{a}}(?: (?:and|or) (?:(?:each|every|per|its|their) )?{{b}}"
        r"(?! (?:be|have|do|GT|LT)))?",
        _grouped,
        guard=_is_group,
        examples=(
            Example("COUNT M0 for each M1 and their M2", "COUNT M0 G1", ("group by M1", "group by M2 of M1")),
            Example("all detail for each M0", "all detail for each M0"),
        ),
    ),
    Rule(
        "grouping/grouped_by",
        rf"(?:and )?group(?:ed)? (?:\w+ )?by {_DISTINCT}(?:{{of:table!}} 's )?{{a}}(?: and "
        rf"{_DISTINCT}{{b}})?",
        _grouped,
        guard=_is_group,
        examples=(
            Example("group by M0", "G0", ("group by M0",)),
            Example("group by M0[table!] 's M1", "G1", ("group by M1 of M0",)),
            Example("detail group by M0", "detail group by M0"),
        ),
    ),
    Rule(
        "grouping/for_different",
        r"(?:for|of|in|by|across|from) (?:all )?(?:the )?(?:different|various|distinct|all "
        r"the different|all different) {a}",
        _of_different,
        guard=_says(_AGGREGATE),
        examples=(
            Example("AVG of different M0", "AVG G0", ("group by M0",)),
            Example(
                "M0 of the different M1[table!] and COUNT M2", "M0 of M1 G1 and COUNT M2", ("group by M1",)
            ),
            Example("AVG M0 of the different M1[table!]", "AVG M0 G1", ("group by M1",)),
            Example("of distinct M0", "of distinct M0"),
        ),
    ),
    Rule(
        "grouping/across",
        r"across {a}(?: and {b})?",
        _grouped,
        guard=_is_across,
        examples=(
            Example("AVG M0 of M1 across M2", "AVG M0 of M1 G2", ("group by M2",)),
            Example("COUNT M0 across M1", "COUNT M0 G1", ("group by M1",)),
            Example("MAX M0 across M1", "MAX M0 across M1"),
            Example("AVG M0 of M1 across M2", "AVG M0 of M1 across M2", schema={"M0 column of M2": True}),
        ),
    ),
    Rule(
        "grouping/by",
        r"(?:(?<=\d )|(?<=\d , )|(?<=value )|(?<=amount )|(?<=size )|(?<=there )|(?<=have )|(?<=get ))"
        r"by (?:the )?{a}(?: and {b})?"
        r"(?! (?:named |called )?V\d)",
        _grouped,
        guard=_ungrouped_aggregate,
        examples=(
            Example("AVG M0 by M1", "AVG M0 G1", ("group by M1",)),
            Example("COUNT M0 be there by M1", "COUNT M0 be there G1", ("group by M1",)),
            Example("SUM M0 loaned by M1[table!] in V0", "SUM M0 loaned by M1 in V0"),
            Example("MIN M0 of M1 placed by M2[table! people] C0", "MIN M0 of M1 placed by M2 C0"),
            Example("COUNT M0 by the M1 V0", "COUNT M0 by the M1 V0"),
            Example(
                "SUM M0 of M1[table! orders] by M2[table! person customers] in V0",
                "SUM M0 of M1 by M2 in V0",
            ),
            Example(
                "COUNT M0[table! orders] by M1[table! person customers] C0[M2 = N0]", "COUNT M0 by M1 C0"
            ),
            Example("M0 value by M1", "M0 value by M1"),
            Example("top N0[3] M0 by M1 with COUNT M2", "top N0 M0 by M1 with COUNT M2"),
        ),
    ),
    after=("text_patterns",),
)
