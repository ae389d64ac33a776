"""Sorting: ORDER BY without a limit.

Owns: the ways to say by what, and in which direction.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.atoms import AGGREGATES, FIGURE, WHOLE, SortKey
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_DESCENDING: Final = r"(?:descending|desc(?!ri)|decreasing|descend|decrease|reverse)\w*"
_ASCENDING: Final = (
    r"(?:ascending|asc|increasing|ascend|increase|alphabetical|alphabetic|lexicographic|"
    r"lexicographical|lexical|chronological|alphabet|numerical)\w*"
)
_DIRECTION: Final = rf"{_DESCENDING}|{_ASCENDING}"
_GREATEST_WORDS: Final = frozenset(
    ["MAX", "MOST", "high", "large", "big", "late", "long", "old", "recent", "z", "last"]
)
_DEGREES: Final = r"high|low|large|small|big|late|early|long|short|old|young|recent|a|z"
_EXTREMES: Final = r"MAX|MIN|MOST|LEAST"
_SORT_VERB: Final = (
    r"(?:(?:and )?(?:sort|sorted|ordered|order|rank|arrange|list|listed|arranged|ranked|"
    r"sorting|present|ordering|orderd)"
    r"(?: (?:them|it|the result|the list|result|these|the M\d+|M\d+))? "
    r"|(?:sort|order|rank|arrange) (?:(?:all|the) )+M\d+ )"
)
_SORT_BY: Final = r"(?:by|using|on|according to|accord to|based on|in order of)"


_SORT_OPENING: Final = re.compile(r"(?:sort|order|rank|arrange|list) (?:(?:the|all) )*(M\d+) ")


def _key(place: str) -> str:
    return (
        r"(?:(?:the|their|its|his|of|each|all|both|amount|value|size|level) )*(?:M\d+ 's )?"
        rf"(?:{{agg{place}=AVG|SUM|MAX|MIN|COUNT}} (?:(?:of|the|their|different) )*)?{{key{place}}}"
    )


_SORT_KEYS: Final = (
    _key("1")
    + r"(?: (?:of|for|in) (?:(?:the|each|every|their|all) )*(?P<whose>M\d+))?"
    + r"(?: (?:and|, then|then|and then|,) (?:by )?"
    + _key("2")
    + r"(?:(?: ,)? (?:and|then|and then|,) (?:by )?"
    + _key("3")
    + r")?)?"
)


def _keyed(context: RuleContext, found: RuleMatch) -> str | None:
    """'ordered by M0 in descending order', 'in the order of M0 and then M1'."""
    down = found["high"] in _GREATEST_WORDS if found["high"] else _is_down(found)
    if (more := re.match(r" M(\d+)", found.behind)) and _goes_on(context, found, int(more[1])):
        return None  # of 'by launch date' a date is more than 'launch'
    context.understood("according")
    told = [k for k in context.sorts if k.mention is None and (k.counted or k.adjective == FIGURE)]
    if told and any(found[f"agg{place}"] for place in "123"):
        down = told[0].descending  # '…, highest first': it is the figure that sorts
        context.sorts.remove(told[0])
    elif found["agg1"] and _RANKED.search(found.text) and not re.search(_DIRECTION, found.text):
        down = True  # 'rank the teams by number of wins': the first has the most
    opening = None if re.search(r"(?<!\S)M\d", found.before) else _SORT_OPENING.match(found.text)
    for place in ("1", "2", "3"):
        if found[f"key{place}"]:
            aggregate = AGGREGATES.get(found[f"agg{place}"], "")
            kinds = context.kinds(found.at(f"key{place}")) if aggregate else frozenset[str]()
            # 'by number of beds', which a column holds
            held = "numeric!" in kinds and "table!" not in kinds
            aggregate = "" if aggregate == "count" and held else aggregate
            counted = aggregate == "count"
            key = found.at(f"key{place}") if aggregate else _said_before(context, found.at(f"key{place}"))
            sorting = SortKey(key, down, "" if counted else aggregate, counted)
            context.sorts.append(sorting)
    whose = (
        f" of {found['whose']}" if opening and found["whose"] and found["agg1"] not in {"", "COUNT"} else ""
    )
    return (
        f"{opening[1]} O{whose}" if opening else "O"
    )  # 'sort the categories by total length of their films'


_RANKED: Final = re.compile(r"(?<!\S)rank(?:ed)? ")


def _said_before(context: RuleContext, key: int) -> int:
    """The mention of the same words before a key: what is shown is what is sorted by."""
    mentions = context.encoded.mentions
    for number, mention in enumerate(mentions):
        if 0 <= mention.start < mentions[key].start and mention.words == mentions[key].words:
            context.spend(key)
            return number
    return key


def _plain(context: RuleContext, found: RuleMatch) -> str:
    """'in alphabetical order'; 'list the types in alphabetical order' says what is asked for, too."""
    # an identity is given in the order of time, but is none
    moment = context.measure("time") if re.search(r"(?:^| )chronologic", found.text) else None
    context.sorts.append(SortKey(moment, _is_down(found)))
    shown = re.search(r"M\d+", found.text) if found.start == 0 else None
    return f"{shown.group()} O" if shown else "O"


def _from_extreme(context: RuleContext, found: RuleMatch) -> str:
    """'from the oldest to the youngest', 'starting with MAX~recent'."""
    if " to " in found.text:
        context.flags.add(WHOLE)
    if found["sup"] in {"MOST", "LEAST"}:
        context.sorts.append(SortKey(None, found["sup"] == "MOST", counted=True))
        return "O"
    adjective, by = found["adj"], found.maybe("by")
    by = found.maybe("key") if by is None else by
    if by is not None and "numeric" not in context.kinds(by):
        by = None
    measure = context.measure(adjective) if adjective else by
    context.sorts.append(SortKey(measure, found["sup"] == "MAX", adjective=adjective))
    return "O"


def _extreme_first(context: RuleContext, found: RuleMatch) -> str | None:
    """'films, longest first', 'cheapest films first': all of them, in this order."""
    if context.says("COUNT|AVG|SUM|PERCENT|SHARE"):
        return None
    things = bool(found["m"]) and "table!" in context.kinds(found.at("m"))
    measure = context.measure(found["adj"]) if found["adj"] else found.maybe("m")
    if measure is None or (things and not found["adj"]):
        return None
    context.consumed("first")
    context.sorts.append(SortKey(measure, found["sup"] == "MAX", adjective=found["adj"]))
    return f"{found['m']} O" if things else "O"


def _starting_with(context: RuleContext, found: RuleMatch) -> str:
    """'all the clubs starting with the oldest', where clubs have a starting year."""
    context.spend(found["start"])
    return _from_extreme(context, found)


def _how_often(context: RuleContext, found: RuleMatch) -> str:
    """'sorted by frequency', 'MOST order of count'."""
    context.sorts.append(SortKey(None, bool(found["high"]) or _is_down(found), counted=True))
    return "O"


def _is_sorted(context: RuleContext, found: RuleMatch) -> bool:
    """Whether rows are ordered, and not goods, by people: 'products ordered by customers in Germany'."""
    if re.search(r"(?:^| )(?:never|not|ever|been) $", found.before):
        return False
    if _TOP_BEFORE.search(found.before) and not re.search(rf" (?:{_DIRECTION})(?!\S)", found.text):
        return False  # 'top 5 products of each kind ranked by price' are the first of them
    people = "person" in context.kinds(found.at("key1")) and not found["agg1"]
    return not (
        people
        and found.text.startswith("ordered by")
        and re.match(r" (?:in|from|who|with)(?= )", found.behind)
    )


_TOP_BEFORE: Final = re.compile(r"(?:^| )(?:top|bottom) (?!(?:.* )?(?:by|MOST|LEAST|MAX\S*|MIN\S*) ).*$")
"""Before what the first few are ranked by, and nothing else says by what."""


def _goes_on(context: RuleContext, found: RuleMatch, more: int) -> bool:
    """Whether what stands right behind the last key belongs to it."""
    keys = [context.encoded.mentions[found.at(f"key{n}")] for n in "123" if found[f"key{n}"]]
    return bool(keys) and context.encoded.mentions[more].start == max(k.end for k in keys) > 0


def _from_end(context: RuleContext, found: RuleMatch) -> str:
    """'…, from high to low', of whatever is measured."""
    figure = "" if found["high"] in {"a", "z"} else FIGURE
    context.sorts.append(SortKey(None, found["high"] in _GREATEST_WORDS, adjective=figure))
    return " O"


def _is_down(found: RuleMatch) -> bool:
    """Whether a word says that the greatest comes first; 'ascending' is meant where none does."""
    way = next((found[name] for name in ("dir", "dir0", "dir1", "dir2") if found[name]), "")
    return re.match(r"desc|decr|reverse", way) is not None


RULES: Final = in_order(
    Rule(
        "sorting/by_count",
        rf"(?:{_SORT_VERB})?(?:in |by |from )?(?:the )?(?:{{high=MOST}} )?(?:{{dir={_DIRECTION}}} )?"
        rf"(?:order )?(?:of |by )(?:(?:their|its|the) )?(?:count|frequency|occurrence|COUNT|how often)"
        rf"(?: (?:in )?{{dir2={_DIRECTION}}}(?: order)?)?(?= ?$| [.?])",
        _how_often,
        examples=(
            Example("of count", "O", ("sort by count of ? up",)),
            Example("descending of count", "O", ("sort by count of ? down",)),
        ),
    ),
    Rule(
        "sorting/by_key_from_to",
        rf"{_SORT_VERB}?{_SORT_BY} {_key('1')} (?:in order )?from (?:the )?{{high={_EXTREMES}|{_DEGREES}}}"
        rf"(?:~\w+)? to (?:the )?(?:{_EXTREMES}|{_DEGREES})(?:~\w+)?",
        _keyed,
        examples=(
            Example("sort by M0 from MAX to MIN", "O", ("sort by M0 down",)),
            Example("ordered by M0 from low to high", "O", ("sort by M0 up",)),
            Example("by M0 from the MAX~recent to the MIN~old", "O", ("sort by M0 down",)),
        ),
    ),
    Rule(
        "sorting/in_order_of",
        rf"in (?:the )?order of (?:{{dir1={_DIRECTION}}} )?{_SORT_KEYS}"
        rf"(?: (?:from (?:the )?{{high={_EXTREMES}|high|low|large|small}}(?:~\w+)? "
        rf"to (?:the )?(?:{_EXTREMES}|high|low|large|small)(?:~\w+)?|(?:in )?{{dir={_DIRECTION}}}))?",
        _keyed,
        examples=(
            Example("in order of M0", "O", ("sort by M0 up",)),
            Example("in order of descending M0", "O", ("sort by M0 down",)),
            Example("in the order of M0 and M1", "O", ("sort by M0 up", "sort by M1 up")),
        ),
    ),
    Rule(
        "sorting/in_direction_of",
        rf"{_SORT_VERB}?(?:[a-z]+ )?(?:in|by|with|from) (?:an? |the )?{{dir={_DIRECTION}}}(?: (?:{_ASCENDING}"
        rf"|{_DESCENDING}))?(?: order)? (?:of|by|using|according to|accord to|based on|on|for) {_SORT_KEYS}",
        _keyed,
        examples=(
            Example("in ascending of M0", "O", ("sort by M0 up",)),
            Example("in descending of M0", "O", ("sort by M0 down",)),
            Example("M0 in descending of M1", "M0 O", ("sort by M1 down",)),
        ),
    ),
    Rule(
        "sorting/by_direction",
        rf"by (?:the )?{{dir={_DIRECTION}}}(?: order)? {_SORT_KEYS}",
        _keyed,
        examples=(
            Example("by ascending COUNT M0[table!]", "O", ("sort by count of M0 up",)),
            Example("by descending COUNT M0[numeric! column!]", "O", ("sort by M0 down",)),
        ),
    ),
    Rule(
        "sorting/by_keys",
        rf"{_SORT_VERB}(?:first )?(?:in )?(?:an? )?{{dir0={_DIRECTION}}}?(?: order)? ?"
        r"(?:by(?: (?:the )?order of)?|using|on|according to|accord to|based on|in order of|in term of"
        r"|with respect to) "
        rf"(?:{{dir1={_DIRECTION}}} )?{_SORT_KEYS}"
        rf"(?: ?,? (?:in|from|by|with)? ?(?:an |a |the )?{{dir={_DIRECTION}}}(?: {_DESCENDING}| "
        rf"{_ASCENDING})?(?: order)?)?",
        _keyed,
        guard=_is_sorted,
        examples=(
            Example("M0 ordered by M1[person] in C0[? = V0]", "M0 ordered by M1 in C0"),
            Example("M0 never ordered by M1", "M0 never ordered by M1"),
            Example("top N0[5] M0 of C0[? = V0] rank by M1", "top N0 M0 of C0 rank by M1"),
            Example("top N0[5] M0 with MOST M1 sort by M2", "top N0 M0 with MOST M1 O", ("sort by M2 up",)),
            Example("sort by M0", "O", ("sort by M0 up",)),
            Example("sort by the order of M0", "O", ("sort by M0 up",)),
            Example("sort the M0 by COUNT M1[table!]", "M0 O", ("sort by count of M1 up",)),
            Example("rank the M0 by COUNT M1[table!]", "M0 O", ("sort by count of M1 down",)),
            Example(
                "in D0 , rank the M0 by SUM M1 of their M2", "in D0 , M0 O of M2", ("sort by sum M1 down",)
            ),
            Example("sort all the M0 by M1", "M0 O", ("sort by M1 up",)),
            Example("sort first by M0 descending", "O", ("sort by M0 down",)),
            Example("sort by M0 , M1 and M2", "O", ("sort by M0 up", "sort by M1 up", "sort by M2 up")),
        ),
    ),
    Rule(
        "sorting/by_keys_so",
        rf"by {_SORT_KEYS} (?:in )?(?:an |the )?{{dir={_DIRECTION}}}(?: order)?",
        _keyed,
        examples=(
            Example("by M0 descendingly", "O", ("sort by M0 down",)),
            Example("by M0", "by M0"),
        ),
    ),
    Rule(
        "sorting/then_by",
        rf"O(?: ,)?(?: and)?(?: then)? by {_key('1')}(?: (?:in )?(?:an |the )?{{dir={_DIRECTION}}}(?: "
        rf"order)?)?(?= ?$| [.?])",
        _keyed,
        examples=(Example("O and then by M0", "O", ("sort by M0 up",)),),
    ),
    Rule(
        "sorting/extreme_first",
        r"(?:, )?(?:(?:sorted|ordered|listed|ranked|with|the) )*{sup=MAX|MIN}(?:~{adj=\w+})?"
        r"(?: {m:table!|numeric!})? first(?= ?$| [.?,])",
        _extreme_first,
        before=("superlatives",),
        examples=(
            Example("M0 , MAX~long first", "M0 O", ("sort by M1 (long) down",), schema={"measure long": 1}),
            Example(
                "MIN~expensive M0[table!] first",
                "M0 O",
                ("sort by M1 (expensive) up",),
                schema={"measure expensive": 1},
            ),
            Example("M0 , MAX M1[numeric!] first", "M0 O", ("sort by M1 down",)),
            Example("AVG M0 per M1 , MAX~long first", "AVG M0 per M1 , MAX~long first"),
        ),
    ),
    Rule(
        "sorting/starting_with",
        r"{start} with (?:the )?{sup=MAX|MIN}~{adj=\w+}(?= ?$| [.?])",
        _starting_with,
        guard=lambda context, found: context.said(found["start"]) in {"starting", "beginning"},
        examples=(
            Example("M0[starting] with MAX~old", "O", ("sort by M1 (old) down",), schema={"measure old": 1}),
            Example("M0[clubs] with MAX~old", "M0 with MAX~old"),
        ),
    ),
    Rule(
        "sorting/from_extreme",
        r"(?:sort|sorted|ordered|order|rank|listed|list)? ?(?:by )?(?:M\d+ )?(?:from|starting "
        r"with|start with|beginning with|starting from) (?:the )?{sup=MAX|MIN|MOST(?= to)|LEAST(?= to)}"
        r"(?:~{adj=\w+})?(?: {by})?(?: (?:to|first)(?: the)?(?: (?:MAX|MIN|MOST|LEAST)(?:~\w+)?| end)?"
        r"(?: {key}(?= ?$| [.?]))?)?",
        _from_extreme,
        examples=(
            Example(
                "from MAX~old to MIN~young",
                "O",
                ("sort by M0 (old) down", "flag from_to"),
                schema={"measure old": 0},
            ),
        ),
    ),
    Rule(
        "sorting/from_end_to_end",
        rf"(?:,? ?(?:{_SORT_VERB})?)from {{high={_DEGREES}}}(?:est)? to (?:{_DEGREES})(?:est)?(?= ?[?.]?$)",
        _from_end,
        examples=(
            Example("AVG M0 G1 , from high to low", "AVG M0 G1 O", ("sort by ? (figure) down",)),
            Example("AVG M0 G1 from small to large", "AVG M0 G1 O", ("sort by ? (figure) up",)),
        ),
    ),
    Rule(
        "sorting/plain",
        rf"{_SORT_VERB}?(?:,? ?(?:in|by|from) )?(?:an? |the )?{{dir={_DIRECTION}}}(?: (?:{_ASCENDING}"
        rf"|{_DESCENDING}))?(?: order| by)?(?: of)?",
        _plain,
        guard=lambda context, found: found.text.strip() != "reverse",
        examples=(
            Example("M0 in alphabetical order", "M0 O", ("sort by ? up",)),
            Example("in descending order", "O", ("sort by ? down",)),
            Example("in reverse chronological order", "O", ("sort by M1 down",), schema={"measure time": 1}),
            Example("M0 described as M1", "M0 described as M1"),
            Example("reverse", "reverse"),
        ),
    ),
    after=("columns",),
)
