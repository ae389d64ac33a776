"""Shares, rates and ratios: the no-show rate, completed to cancelled, the share of revenue of each.

Owns: which rows are the part and which the whole.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import ATTRIBUTES_OF_ONE
from askwire.language.text import PARTICIPLE
from askwire.planner.embedded.grammar.atoms import (
    ROWS_OF,
    AbsenceCondition,
    Either,
    FlagCondition,
    IsNull,
    IsValue,
)
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_REQUEST: Final = r"(?:(?:what|show|give|me|be|the|our|SUM|AVG|overall|please|list|calculate) )*"
_RATE_END: Final = r"(?= ?$| [?.]| (?:by|per|for|in|of|each|over|since|from|during|across|G\d*|[CDN]\d) ?)"
_OWN_TABLE: Final = r"(?:{own:table!} )?"
_PLAIN_RATE: Final = rf" rate(?: (?:of|for|among) (?:(?:the|all|our) )*{{of:table!}})?{_RATE_END}"
_RATE: Final = rf" (?:rate|{{r:numeric}})(?: (?:of|for|among) (?:(?:the|all|our) )*{{of:table!}})?{_RATE_END}"
_RATIO_TO: Final = r"(?:to|and|versus|vs|over|against)"
_RATIO_TO_OR_PER: Final = r"(?:to|versus|vs|over|against|per)"
_ARTICLES: Final = r"(?:(?:the|a|an|all|our|COUNT|any) )*"
_WHOLE: Final = r"(?:the|our|all|total|overall|world|global|worldwide|whole|entire|'s)"
"""What says of an amount only that all of it is meant: 'the world's population'."""
_ORIGINS: Final = (
    r"(?:come|came|go|went|goes|live|lives|stem|derive|derived|generated|made|spent|earned|attributable|due|"
    r"contributed|held|owned|account|make|lie|fall|belong|accounted)"
)


def _is_rate(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a mention behind a state is its rate: other things have a rate, those that are in it none.

    Only where these are named: the 'scrap rate' of items may be one of quantities.
    """
    rate, own = found.maybe("r"), found.maybe("own")
    if rate is None:
        return True
    named = own is not None and not context.oracle.related(rate, "same table", own)
    return named and context.word(rate) == "rate"


def _rate(context: RuleContext, found: RuleMatch, whole: int, part: str) -> str:
    """'inspection failure rate' is that of inspections."""
    own = found.maybe("own")
    before = f"{found['own']} " if found["own"] else ""
    if own is not None and context.oracle.related(own, "same table", whole):
        context.spend(own)
        before = ""
    context.understood("rate")
    context.spend(found.maybe("r"))
    context.flags.add("rate")
    return f"{found['lead']}{before}PERCENT M{whole} {part}"


def _rate_of_value(context: RuleContext, found: RuleMatch) -> str | None:
    """'no-show rate': of all such rows, in percent."""
    whole = found.maybe("of") if found["of"] else context.oracle.party("holder", values=[found.at("v")])
    return None if whole is None else _rate(context, found, whole, found["v"])


def _share_of_value(context: RuleContext, found: RuleMatch) -> str | None:
    """'share of movies', where no word names the rows of which movies are a kind."""
    whole = context.oracle.party("holder", values=[found.at("v")])
    if whole is None:
        return None
    context.understood(found["share"])
    context.flags.add("percent" if found["share"].startswith("p") else "share")
    return f"COUNT M{whole} {found['v']}"


def _rate_of_rows(context: RuleContext, found: RuleMatch) -> str | None:
    """'refund rate': of the rows that have one."""
    part = found.at("m")
    whole = found.maybe("of") if found["of"] else context.oracle.party("whole", [part])
    if whole is None or context.oracle.related(whole, "same table", part):
        return None
    context.flags.add("held")
    return _rate(context, found, whole, context.note(AbsenceCondition(part, held=True)))


def _rate_of_state(context: RuleContext, found: RuleMatch) -> str | None:
    """'completion rate': of the rows to which it happened, or of which it is true."""
    part = found.at("m")
    kinds = context.kinds(part)
    whole = found.maybe("of") if found["of"] else context.oracle.party("whole", [part])
    if "moment" in kinds or {"optional", "time"} <= kinds:
        said = context.note(IsNull(part, negated=True, moment=True))
    else:
        said = context.note(FlagCondition(part))
    return None if whole is None else _rate(context, found, whole, said)


def _ratio_of_rows(context: RuleContext, found: RuleMatch) -> str | None:
    """'ratio of V0 to V1 M0': rows of the one for each of the other."""
    parts = IsValue(found.at("a")), IsValue(found.at("b"))
    whole = found.maybe("m") if found["m"] else found.maybe("m2")
    if whole is None:
        whole = context.oracle.party("holder", values=[found.at("a")])
    if whole is None or "table" not in context.kinds(whole):
        return None
    context.flags.add("ratio")
    context.understood("ratio")
    if (again := found.maybe("m3")) is not None and context.word(again) == context.word(whole):
        context.spend(again)
    return f"COUNT M{whole} {context.note(Either(parts, both=False))}"


def _ratio_of_columns(context: RuleContext, found: RuleMatch) -> str | None:
    """'ratio of M0 to M1': of their sums."""
    quotient = context.oracle.combined(found.at("a"), "/", found.at("b"))
    if quotient is None:
        return None
    context.understood("ratio")
    return f"SUM M{quotient}"


def _ratio_of_one_measure(context: RuleContext, found: RuleMatch) -> str | None:
    """'ratio of the M0 of V0 to the M0 of V1': what one comes to for each of the other."""
    if found["m2"] and context.word(found.at("m2")) != context.word(found.at("m")):
        return None
    context.flags.add("ratio")
    context.understood("ratio")
    context.spend(found.maybe("m2"))
    parts = IsValue(found.at("a")), IsValue(found.at("b"))
    return f"SUM {found['m']} {context.note(Either(parts, both=False))}"


def _ratio_of_tables(context: RuleContext, found: RuleMatch) -> str:
    """'ratio of M0 to M1': how many rows of the one table there are for each of the other."""
    context.flags.add(f"{ROWS_OF}{found.at('b')}")
    context.consumed(f"ratio{found['by']}")
    context.spend(found.at("b"))
    return f"COUNT {found['a']}{' per' if found['by'] else ''}"


def _part_of_all(context: RuleContext, found: RuleMatch) -> str:
    """'share of revenue by category', 'percentage of orders per channel': each group's part of all."""
    kinds = context.kinds(found.at("m"))
    measured = "numeric!" in kinds and "table!" not in kinds
    _say_parts(context, found, f"come from {found.text}")
    rows = f"{found['year']}{found['m']}{found['when']} per {found['g']}"
    summed = found["sum"] or " SUM " in found.text
    if summed and not measured and (amount := context.oracle.total(found.at("m"))) is not None:
        return f"SUM M{amount} of {rows}"
    return f"{'SUM' if measured else 'COUNT'} {rows}"


def _made_up_by(context: RuleContext, found: RuleMatch) -> str:
    """'what share of the web orders does each region make up': of all such rows, the part of each region.

    So is 'share of orders by status placed in 2024': behind the groups stands of what they are parts.
    """
    _say_parts(context, found, found["verb"])
    context.spend(*(m for m in found["verb"].split() if is_mention(m)))
    return f"COUNT {found['rows']} per {found['g']}"


def _say_parts(context: RuleContext, found: RuleMatch, also: str = "") -> None:
    """Takes a share for the part that each group is of all, and what says so as read."""
    context.flags.add("whole" if found["share"] == "PERCENT" else "part")
    context.consumed(f"share percentage percent proportion fraction pct {also}")


def _part_of_two(context: RuleContext, found: RuleMatch) -> str | None:
    """'share of V0 vs V1 M0', set beside each other before: of both together, the part of each."""
    if not isinstance(context.atoms[found.at("c")], Either):
        return None
    _say_parts(context, found)
    return f"COUNT {found['m']} {found['c']} {found['g']}"


def _with_such(context: RuleContext, found: RuleMatch) -> str | None:
    """'share of accounts with an urgent ticket': those of whose tickets one is; each account counts once."""
    part = found.at("m")
    if context.oracle.related(found.at("a"), "same table", part):
        return None
    inner = tuple(IsValue(int(n)) for n in re.findall(r"V(\d+)", found["v"]))
    context.flags.add("held")
    return f"{found['share']} {found['a']} {context.note(AbsenceCondition(part, inner, held=True))}"


def _of_amount(context: RuleContext, found: RuleMatch) -> str | None:
    """'share of revenue that comes from V0': a part of what all rows add up to, not of how many they are."""
    mention = found.at("m")
    words = set(context.encoded.mentions[mention].words)
    if PARTICIPLE.fullmatch(context.encoded.tokens[context.encoded.mentions[mention].end - 1].lower):
        return None  # 'films rated R' are films
    if ATTRIBUTES_OF_ONE & words and "SUM" not in found.text.split():
        return None  # no ages are added up
    compared = re.match(r"(?: (?:be|have))* (?:not )?(?:GT|GE|LT|LE|EQ)(?!\S)", found.behind)
    if compared or re.match(r"(?: (?:from|in|of|for|to|by|with|be))* (?:each|every|per)(?!\S)", found.behind):
        return None
    context.flags.add("percent" if found["share"] == "PERCENT" else "share")
    context.consumed(f"percentage percent pct share proportion fraction {found.text}")
    verb = found["verb"].split()
    context.spend(*(word for word in verb if is_mention(word)))
    return f"{found['whose']}SUM {found['kind']}{found['m']}"


def _of_each(context: RuleContext, found: RuleMatch) -> str:
    """'each M0's share of M1': of all, by M0."""
    context.consumed(found.text)
    return f"{found['share']} {found['m']} per {found['g']}"


def _of_such(context: RuleContext, found: RuleMatch) -> str:
    """'of the V0, what percentage M0': the share of V0."""
    share = found["share"] or ("PERCENT" if found["plain"].startswith("per") else "SHARE")
    context.consumed(f"of among out {found['plain']}")
    return f"{share} {found['of']}{found['be']}"


def _such_among(context: RuleContext, found: RuleMatch) -> str:
    """'the share of late ones among orders': of orders, those that are late."""
    context.consumed(found.text)
    return f"{found['share']} {found['m']} {found['such']} among"


RULES: Final = in_order(
    Rule(
        "shares/such_among",
        r"{share=PERCENT|SHARE} (?:the )?(?P<such>(?:[a-z]+ )?[VM]\d+) one (?:among|amongst|in|of) "
        r"(?:(?:all|the|our) )*{m:table!}",
        _such_among,
        before=("measures/share",),
        examples=(Example("SHARE V0[1] one among M0[table!]", "SHARE M0 V0 among"),),
    ),
    Rule(
        "shares/of_such",
        r"^(?:of|among|amongst|out of) (?P<of>(?:[\w~]+ ){1,8}), (?:(?:what|be|the) )*"
        r"(?:{share=PERCENT|SHARE}|(?P<plain>percentage|percent|proportion|share|fraction))(?P<be>(?: be)?)",
        _of_such,
        examples=(
            Example("of the V0[1] , PERCENT M0", "PERCENT the V0 M0"),
            Example(
                "of the M0[table!] from V0[1] , what percentage be V1[1]", "PERCENT the M0 from V0 be V1"
            ),
        ),
    ),
    Rule(
        "shares/rate_of_value",
        rf"{{lead={_REQUEST}}}{_OWN_TABLE}{{v:value}}{_RATE}",
        _rate_of_value,
        guard=_is_rate,
        examples=(
            Example("V0[1] rate", "PERCENT M0 V0", ("flag rate",), schema={"party holder V0": 0}),
            Example(
                "M0[table!] V0[1] rate",
                "PERCENT M1 V0",
                ("flag rate",),
                schema={"party holder V0": 1, "M0 same table M1": True},
            ),
            Example(
                "M0[table!] V0[1] rate", "M0 PERCENT M1 V0", ("flag rate",), schema={"party holder V0": 1}
            ),
            Example("V0[1] M1[numeric rate]", "V0 M1"),
        ),
    ),
    Rule(
        "shares/share_of_value",
        r"(?:(?:what|show|give|me|be|the) )*{share=share|proportion|fraction|percentage|percent} of "
        r"(?:(?:all|the|our) )*{v:value}(?= ?\??$)",
        _share_of_value,
        examples=(Example("share of V0[1]", "COUNT M0 V0", ("flag share",), schema={"party holder V0": 0}),),
    ),
    Rule(
        "shares/rate_of_rows",
        rf"{{lead={_REQUEST}}}{{m:table!,-numeric!|table!,named}}{_PLAIN_RATE}",
        _rate_of_rows,
        examples=(
            Example(
                "M0[table!] rate",
                "PERCENT M1 C0",
                ("C0: has M0", "flag held", "flag rate"),
                schema={"party whole M0": 1},
            ),
        ),
    ),
    Rule(
        "shares/rate_of_state",
        rf"{{lead={_REQUEST}}}{_OWN_TABLE}{{m:-table!,moment|numeric!,-named,moment|-table!,optional,time|"
        rf"numeric!,-named,optional,time|-table!,flag|numeric!,-named,flag}}{_RATE}",
        _rate_of_state,
        guard=_is_rate,
        examples=(
            Example(
                "M0[optional time] rate",
                "PERCENT M1 C0",
                ("C0: M0 is no null, a moment", "flag rate"),
                schema={"party whole M0": 1},
            ),
            Example(
                "M0[table!] M1[flag passed] M2[numeric rate] per M3",
                "PERCENT M4 C0 per M3",
                ("C0: M1 is true", "flag rate"),
                schema={"party whole M1": 4, "M0 same table M4": True},
            ),
            Example("M0[table!] M1[flag] M2[numeric rate]", "M0 M1 M2", schema={"M2 same table M0": True}),
        ),
    ),
    Rule(
        "shares/ratio_of_rows",
        rf"{_REQUEST}ratio (?:of|between) (?:the )?(?:COUNT )?{{a:value}}(?: {{m2}})? "
        rf"{_RATIO_TO} (?:the )?(?:COUNT )?(?:{{m3}} )?{{b:value}}(?: {{m}})?",
        _ratio_of_rows,
        examples=(
            Example(
                "ratio of V0[1] M0[table] to M1[table] V1[1]",
                "COUNT M0 C0",
                ("C0: ? = V0 or ? = V1", "flag ratio"),
            ),
            Example(
                "ratio of V0[1] to V1[1] M0[table]", "COUNT M0 C0", ("C0: ? = V0 or ? = V1", "flag ratio")
            ),
        ),
    ),
    Rule(
        "shares/ratio_of_columns",
        rf"{_REQUEST}ratio (?:of|between) (?:(?:the|SUM) )*{{a:numeric}} "
        r"(?:to|and|versus|vs|over|per) (?:(?:the|SUM) )*{b:numeric}",
        _ratio_of_columns,
        examples=(Example("ratio of M0[numeric] to M1[numeric]", "SUM M2", schema={"M0 / M1": 2}),),
    ),
    Rule(
        "shares/ratio_of_one_measure",
        rf"{_REQUEST}ratio (?:of|between) (?:(?:the|SUM) )*{{m:numeric}} (?:of|in|for) {_ARTICLES}{{a:value}}"
        rf"(?: M\d+)? {_RATIO_TO} (?:(?:the|SUM|that) )*(?:{{m2:numeric}} )?(?:of|in|for) "
        rf"{_ARTICLES}{{b:value}}(?: M\d+)?",
        _ratio_of_one_measure,
        examples=(
            Example(
                "ratio of the M0[numeric area] of V0[1] to the M1[numeric area] of V1[1]",
                "SUM M0 C0",
                ("C0: ? = V0 or ? = V1", "flag ratio"),
            ),
            Example(
                "ratio of M0[numeric area] of V0[1] to M1[numeric depth] of V1[1]",
                "ratio of M0 of V0 to M1 of V1",
            ),
        ),
    ),
    Rule(
        "shares/ratio_of_tables",
        rf"{_REQUEST}(?:how do )?(?:the )?ratio (?:of|between) {_ARTICLES}{{a:table!,-numeric!}} "
        rf"{_RATIO_TO_OR_PER} {_ARTICLES}{{b:table!,-numeric!}}(?P<by> (?:differ|vary|change|look)"
        r" (?:across|by|between|over|among)(?: different)?)?",
        _ratio_of_tables,
        examples=(
            Example("what be the ratio of M0[table!] to M1[table!]", "COUNT M0", ("flag rows_of1",)),
            Example(
                "how do the ratio of M0[table!] to M1[table!] differ by M2",
                "COUNT M0 per M2",
                ("flag rows_of1",),
            ),
        ),
    ),
    Rule(
        "shares/of_each",
        rf"{_REQUEST}(?:each|every) {{g}} 's {{share=PERCENT|SHARE}} (?:SUM "
        rf"|{_WHOLE} )*{{m:numeric!|table!}}",
        _of_each,
        before=("shares/part_of_all",),
        examples=(Example("each M0[table!] 's SHARE M1[numeric!]", "SHARE M1 per M0"),),
    ),
    Rule(
        "shares/each_in",
        rf"{{share=PERCENT|SHARE}} (?:of )?(?:the )?(?:each|every) {{g}} (?:in|of|to|from|within|on|among) "
        rf"(?:SUM |{_WHOLE} )*{{m:numeric!|table!}}",
        _of_each,
        before=("shares/part_of_all",),
        examples=(
            Example("SHARE each M0[table!] in SUM M1[numeric!]", "SHARE M1 per M0"),
            Example("SHARE M0[table!] in M1[numeric!]", "SHARE M0 in M1"),
        ),
    ),
    Rule(
        "shares/of_amount",
        rf"(?P<whose>(?:V\d+ 's )?){{share=PERCENT|SHARE}} (?:SUM |{_WHOLE} )*(?P<kind>(?:V\d+ )?)"
        rf"{{m:numeric!,-table!,-named,-flag}}(?! (?:by|per|each|for each|of each|in each|from each)(?!\S))"
        rf"(?: (?:that|which))?(?P<verb>(?: (?:be|do|have))*(?: {_ORIGINS}| M\d+(?= (?:in|from|at|on) V))?)",
        _of_amount,
        examples=(
            Example("SHARE M0[numeric!] come from V0[1]", "SUM M0 from V0", ("flag share",)),
            Example("PERCENT SUM M0[numeric!] be in V0[1]", "SUM M0 in V0", ("flag percent",)),
            Example("V0[1] 's SHARE M0[numeric!]", "V0 's SUM M0", ("flag share",)),
            Example("PERCENT M0[numeric! age] be V0[1]", "PERCENT M0 be V0"),
        ),
    ),
    Rule(
        "shares/part_of_all",
        rf"{{share=PERCENT|SHARE}} (?:SUM |{_WHOLE} )*{{year=(?:N\d+ )?}}{{m:numeric!,-table!|table!}}"
        r"{sum=(?: SUM)?}"
        r"{when=(?: (?:with M\d+ |M\d+ |[a-z]+(?:ed|en) )?(?:in|since|during) [DN]\d+)*}"
        r"(?: (?:come|contributed|made|generated|be|do|placed|from|that))*"
        r" (?:by|per|from each|for each|of each|in each|each) (?:the )?{g}"
        r"(?: (?:contribute|make(?: up)?|have|generate|(?:account|M\d+) for|represent|earned|hold|get|see"
        r"|bring(?: in)?|deliver|produce|add|yield|take)(?!\S))?"
        r"(?= ?$| [?.]| (?:in|since|during) )",
        _part_of_all,
        examples=(
            Example("SHARE M0[table!] by M1", "COUNT M0 per M1", ("flag part",)),
            Example("PERCENT M0[table!] by M1", "COUNT M0 per M1", ("flag whole",)),
            Example("PERCENT M0[table!] do each M1 M2 for", "COUNT M0 per M1", ("flag whole",)),
            Example(
                "PERCENT SUM M0[table!] with M1 in N0[2025] do each M2 make up ?",
                "SUM M3 of M0 with M1 in N0 per M2 ?",
                ("flag whole",),
                schema={"total M0": 3},
            ),
            Example(
                "SHARE N0[2024] M0[table!] SUM come from each M1",
                "SUM M2 of N0 M0 per M1",
                ("flag part",),
                schema={"total M0": 2},
            ),
        ),
    ),
    Rule(
        "shares/made_up_by",
        r"{share=PERCENT|SHARE} (?:the |our |all )*"
        r"(?P<rows>(?:(?:not |non )?[VC]\d+ )*{m:table!}(?: \S+){0,16}?) do (?:each|every) (?:the )?{g}"
        r"(?P<verb> (?:make(?: up| out| M\d+)?|M\d+ up|contribute|(?:account|M\d+) for|represent"
        r"|constitute|have|hold|get|see|bring(?: in)?|take(?: up)?))(?= ?$| [?.])",
        _made_up_by,
        examples=(
            Example(
                "what SHARE the V0 M0[table!] with a M1 GT N0 do each M2 make up ?",
                "what COUNT V0 M0 with a M1 GT N0 per M2 ?",
                ("flag part",),
            ),
            Example("PERCENT M0[column!] do each M1 make up", "PERCENT M0 do each M1 make up"),
        ),
    ),
    Rule(
        "shares/such_by_each",
        r"{share=PERCENT|SHARE} (?:the |our |all )*(?P<rows>{m:table!}) "
        r"(?:by|per|of each|for each|in each) (?:the )?{g}(?= (?:(?:M\d+ )?(?:[a-z]+(?:ed|en) )?"
        r"(?:(?:in|for|since|during|from|between|on) [DN]|SINCE|BEFORE|AFTER)"
        r"|(?:of|by|from|for|to) (?:(?:the|our) )?(?:[VC]\d+ )*M\d))",
        _made_up_by,
        examples=(
            Example("SHARE M0[table!] by M1 placed in N0", "COUNT M0 per M1 placed in N0", ("flag part",)),
            Example("SHARE M0[table!] by M1 for N0", "COUNT M0 per M1 for N0", ("flag part",)),
            Example("PERCENT M0[table!] per M1 of M2 in V0", "COUNT M0 per M1 of M2 in V0", ("flag whole",)),
            Example("SHARE M0[table!] by M1 that be V0", "SHARE M0 by M1 that be V0"),
        ),
    ),
    Rule(
        "shares/part_of_two",
        r"{share=PERCENT|SHARE} (?:the )?{c:condition} {g=G\d+} (?:[a-z]+ )?{m:table!}{END}",
        _part_of_two,
        examples=(
            Example("SHARE C0[M1 = V0 or M1 = V1] G1 M0[table!]", "COUNT M0 C0 G1", ("flag part",)),
            Example("SHARE C0[M1 = V0] G1 M0[table!]", "SHARE C0 G1 M0"),
        ),
    ),
    Rule(
        "shares/with_such",
        r"{share=PERCENT|SHARE} (?:the |our |all )*{a:table!} (?:that |which |who )?(?:have|with|has)"
        r"(?: (?:GE N\d+|a|an|any|at least one|one))? {v=V\d+(?: V\d+)*} {m:table!}(?= ?(?:$|\?|\.))",
        _with_such,
        examples=(
            Example(
                "SHARE M0[table!] have V0[1] M1[table!]",
                "SHARE M0 C0",
                ("C0: has M1 where ? = V0", "flag held"),
            ),
        ),
    ),
    after=("units",),
)
