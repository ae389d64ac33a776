"""Superlatives: the first few by a column, an aggregate or a count.

Owns: most, least, top, highest, oldest, most common.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from askwire.language.lexicon import SERVING
from askwire.language.text import PARTICIPLE, listed, singular
from askwire.planner.embedded.grammar.atoms import AGGREGATES, MEASURES, FlagCondition, Superlative
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch, kind
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_SIZES: Final = frozenset({"big", "large", "small"})
_THING_ADJECTIVES: Final = frozenset(
    {"powerful", "fast", "slow", "heavy", "strong", "tall", "deep", "wide", "old", "young"}
)
"""Adjectives that say something of a thing, hardly of a number."""
_BULK: Final = frozenset({"", "large", "big", "great", "small", "high", "low"})
MIN_MEASURE_SCORE: Final = 0.5
"""How well a column must fit an adjective that stands beside what has a name of its own."""
MAX_LIMIT: Final = 1000
_GREATEST: Final = frozenset({"MAX", "MOST", "MOST MAX", "MAXCOUNT", "top"})
_LEAST: Final = frozenset({"MIN", "LEAST", "bottom", "worst", "quietest"})
_UNBOUND: Final = (
    r"(?<!in )(?<!during )(?<!year )(?<!M\d )(?<!M\d\d )(?<!GT )(?<!GE )(?<!LT )(?<!LE )(?<!EQ )(?<!NE )"
    r"(?<!BEFORE )(?<!AFTER )(?<!SINCE )(?<!from )(?<!be )(?<!than )(?<!N\d and )(?<!N\d to )"
)
"""Before a number that nothing bounds by: 'above 50 with the highest price' shows one row, not 50."""
_LIMIT_NUMBER: Final = rf"(?:{_UNBOUND}{{n:number}} )?"
"""A number before a superlative limits it; behind a mention it is of that: 'in room 111 most often'."""
_LIMIT_NUMBER2: Final = r"(?:{n2:number} )?"
_ASKED_BEFORE: Final = re.compile(
    r"(?:^|(?<=\s))(?:what be|find|show|give me|give|return|list|tell me|compute|calculate|,|and|AVG|MIN|MAX|"
    r"SUM)(?: (?:the|AVG|MIN|MAX|SUM|and|or|me|M\d+ and))*\s*$"
)
"""Behind these words a superlative is asked for: 'what be MAX M0', against 'M1 with MAX M0'."""


_RANKED_ROWS_BEFORE: Final = re.compile(
    r"(?<!\S)M(\d+) (?:(?:that|which|who) )?(?:be )?(?:the )?"
    r"(?:(?:[a-z]+(?:ed|en|wn|ght|ade|old|ung|ayed)|M\d+) )?$"
)
"""Before 'the most common of all M1', and 'most often in M1': what is common."""


def _limit(context: RuleContext, found: RuleMatch) -> int:
    return context.limited(found.maybe("n") if found["n"] else found.maybe("n2"))


def _both_ends(context: RuleContext, found: RuleMatch) -> str | None:
    """'the ages of the oldest and youngest students'."""
    if context.measure(found["adj"]) is None:
        return None
    return found.filled("{sup} {m} and {sup2} {m} of {of}")


def _so_often(context: RuleContext, found: RuleMatch) -> str:
    """'the MAXCOUNT time'."""
    return context.rank(Superlative(None, found["sup"] == "MAXCOUNT", counted=True))


def _top_by(context: RuleContext, found: RuleMatch) -> str | None:
    """'top N0 M0 by M1'."""
    by, such = found.at("by"), found["such"]
    done = context.said(found["whose"].split()[-1]) if found["whose"] else ""
    if found["whose"] and (found["sup"] == "first" or PARTICIPLE.fullmatch(done)):
        return None  # 'the top 3 books written by Austen'
    if such and not {"flag", "moment"} & context.kinds(found.at("such")):
        by, such = found.at("such"), found["by"]  # 'by sales volume' is by sales
    kinds = context.kinds(by)
    if "column!" in kinds and not kinds & {"table", "numeric", "time"} and not found["agg"]:
        return None  # 'top customers by country' are not the last of the alphabet
    context.consumed(f"{found['sup']} {found['pairs']} terms")
    aggregate = AGGREGATES.get(found["agg"], "")
    if aggregate == "count" and "numeric!" in kinds and "table!" not in kinds:
        aggregate = ""  # 'by number of beds', which a column holds
    # 'by rentals' is by how many there are, though columns of numbers are called alike
    rows = "table!" in kinds and ("numeric!" not in kinds or "named" in kinds)
    counted = aggregate == "count" or (not aggregate and rows)
    aggregate = "" if aggregate == "count" else aggregate
    down = found["sup"] not in _LEAST
    summed = not (aggregate or counted) and "summed" in kinds
    said = context.mentions(f"{found['m']}{found['whose']}")
    things = next((m for m in said[:2] if "table!" in context.kinds(m)), None)
    limit = _limit(context, found)
    context.rank(Superlative(by, down, limit, aggregate, counted, summed=summed, things=things))
    return f"{found.filled('{which} {no}{flag} {word} {m}{more}{whose} S {kind}')} {such}"


def _top_of_kind(context: RuleContext, found: RuleMatch) -> str | None:
    """'top 3 concerts by revenue': rows that a value tells, of whatever table they are."""
    things = _holder(context, found.at("v"))
    return None if things is None else f"{found['top']}{found['v']} M{things}"


def _holder(context: RuleContext, value: int) -> int | None:
    """The rows that a value, said in the plural as a plain word, is the kind of."""
    said = context.encoded.tokens[context.encoded.values[value].end - 1]
    if said.kind != "word" or not said.text.islower() or said.lower == said.lemma:
        return None
    return context.oracle.party("holder", values=[value])


def _longest_serving(context: RuleContext, found: RuleMatch) -> str | None:
    """'the longest serving nurse': who began first, by the time from which their own row is."""
    said = found["serving"]
    if (context.word(int(said[1:])) if is_mention(said) else said) not in SERVING:
        return None
    things = found.maybe("m") if found["m"] else context.oracle.party("holder", values=[found.at("v")])
    times = () if things is None else context.oracle.times(things)
    if things is None or not times or not context.oracle.related(times[-1], "column of", things):
        return None
    if not {"named", "person"} & context.kinds(things):
        return None  # who is active is no activity
    context.consumed(said)
    context.spend(said if is_mention(said) else None)
    context.rank(Superlative(times[-1], found["sup"] == "MAX~late", _limit(context, found), owner=things))
    return f"{found['such']}{found['v']} M{things} S"


def _stated(context: RuleContext, found: RuleMatch) -> str:
    """'whose total cost is the lowest': the superlative behind what it measures."""
    aggregate = AGGREGATES.get(found["agg"], "")
    return context.rank(Superlative(found.at("m"), found["sup"] in _GREATEST, 1, aggregate=aggregate))


def _with_top(context: RuleContext, found: RuleMatch) -> str:
    """'with the top 5 M0'."""
    counted = "numeric!" not in context.kinds(found.at("m"))
    return context.rank(
        Superlative(found.at("m"), found["sup"] == "top", _limit(context, found), counted=counted)
    )


def _is_top(context: RuleContext, found: RuleMatch) -> bool:
    kinds = context.kinds(found.at("m"))
    return "numeric!" in kinds or ("COUNT" in found.text and "table!" in kinds)


def _common(context: RuleContext, found: RuleMatch) -> str:
    """'MOST common M0'."""
    down, limit = found["sup"] in _GREATEST, _limit(context, found)
    often = re.search(r"(?:often|frequently|commonly) (?:\w+ ){0,2}M", found.text)
    of_all = (" of " in found.text or often) and _RANKED_ROWS_BEFORE.search(found.before)
    # 'which status is the most common of all bookings?', 'used most often in all the invoices'
    mention = int(of_all[1]) if of_all else found.at("m")
    context.rank(Superlative(mention, down, limit, counted=True, itself=True))
    return f"{found['m']} S"


def _topped(context: RuleContext, found: RuleMatch) -> str | None:
    """'top N0 M0', where a later rule says by what; of numbers alone they are the largest."""
    kinds = context.kinds(found.at("m"))
    if "numeric!" in kinds and "table" not in kinds and not found["n"] and _OF_ROWS.match(found.behind):
        return f"MAX {found['m']}"  # 'the top speed of the cars'
    alone = not found.before.strip() and found.behind.strip(" .?!") == ""
    if alone:
        numbers = "numeric!" in kinds and "table" not in kinds
        return context.rank(Superlative(found.at("m"), True, _limit(context, found))) if numbers else None
    if not found.behind.startswith(" "):
        return None
    counted = _COUNT_BEHIND.match(found.behind)
    if counted and "table!" in context.kinds(int(counted[1])):
        rows = Superlative(int(counted[1]), True, _limit(context, found), counted=True)
        return f"{found['m']} {context.rank(rows)}"
    context.limit = _limit(context, found)
    return found["m"]


_OF_ROWS: Final = re.compile(r" (?:of|among|across|for) (?:(?:the|all|any|our|of|[VC]\d+) )*M\d")
_COUNT_BEHIND: Final = re.compile(
    r"(?: ,)? and COUNT (?:of )?M(\d+)(?: (?:be|do|have|each|they|there|for|of|them|it))*(?= ?$| [?.])"
)
"""Behind 'top N0 M0' what they are ranked by."""


def _number_of(context: RuleContext, found: RuleMatch) -> str | None:
    """'with the greatest body weight': the number right behind what it is of is the greatest."""
    mentions = context.encoded.mentions
    beside = mentions[found.at("m")].end == mentions[found.at("by")].start
    return found.filled("{m} {with} {by}") if beside else None


def _aggregated(context: RuleContext, found: RuleMatch) -> str:
    """'MAX AVG M0'."""
    mention, aggregate = found.at("m"), AGGREGATES[found["agg"]]
    owner = context.owner_behind(mention, found.behind)
    down, limit = found["sup"] in _GREATEST, _limit(context, found)
    item = Superlative(mention, down, limit, aggregate=aggregate, owner=owner)
    return f"{context.rank(item)} {found['which']}"


def _counted(context: RuleContext, found: RuleMatch) -> str:
    """'MOST M0'."""
    mention, down, limit = found.at("m"), found["sup"] in _GREATEST, _limit(context, found)
    kinds = context.kinds(mention)
    if "numeric" not in kinds or "table!" in kinds:
        such = context.note(FlagCondition(mention)) if {"flag", "column!"} <= kinds else ""
        return f"{context.rank(Superlative(mention, down, limit, counted=True))} {found['which']}{such}"
    asked = _ASKED_BEFORE.search(found.before) or not found.before.strip()
    if found["sup"] in {"MAXCOUNT", "MINCOUNT"} and asked:
        return f"{found['sup'][:3]} {found['which']}{found['m']}"
    return f"{context.rank(Superlative(mention, down, limit, summed=True))} {found['which']}"


# 'MAX~old M0', 'with the MAX M0': each of these says what the superlative is by, or leaves it to the next


def _good_time(context: RuleContext, found: RuleMatch) -> bool:
    """'the worst year' is not the first."""
    return found["adj"] in {"good", "bad"} and "time" in context.kinds(found.at("m"))


_NUMBER_OR_TABLE_KIND: Final = kind("numeric,table,-named")


def _with_number(context: RuleContext, found: RuleMatch) -> str | None:
    """'with the highest rentals', where a table and a number are called alike: the number."""
    if not found["with"] or not _NUMBER_OR_TABLE_KIND.holds(context.kinds(found.at("m"))):
        return None
    return context.rank(Superlative(found.at("m"), found["sup"] in _GREATEST, _limit(context, found)))


_ROWS_KIND: Final = kind("-column|table!")


def _of_rows(context: RuleContext, found: RuleMatch) -> str | None:
    """'the oldest employee': by what the adjective measures."""
    mention, adjective = found.at("m"), found["adj"]
    kinds = context.kinds(mention)
    measure = context.measure(adjective) if adjective and _ROWS_KIND.holds(kinds) else None
    if measure is None:
        return None
    owner = mention if "table!" in kinds else None
    _rank_adjective(context, found, measure, owner)
    return f"{'of ' if found['with'].startswith('of ') else ''}{found['m']} S"


_THING_KIND: Final = kind("table,-named")


def _of_thing(context: RuleContext, found: RuleMatch) -> str | None:
    """'the most powerful engine', where a table of engines and a number of them are called alike."""
    mention, adjective = found.at("m"), found["adj"]
    if adjective not in _THING_ADJECTIVES or not _THING_KIND.holds(context.kinds(mention)):
        return None
    measure = _well_measured(context, adjective)
    if measure is None:
        return None
    _rank_adjective(context, found, measure, mention)
    return f"{found['m']} S"


def _of_text(context: RuleContext, found: RuleMatch) -> str | None:
    """'the oldest college', where colleges are a column of text."""
    adjective = found["adj"]
    if not adjective or {"numeric", "time"} & context.kinds(found.at("m")):
        return None
    measure = None if re.search(r"with|have", found["with"]) else _well_measured(context, adjective)
    if measure is None or _of_others(context, found, measure):
        return None
    _rank_adjective(context, found, measure)
    return f"{found['with']}{found['m']} S"


def _of_others(context: RuleContext, found: RuleMatch, measure: int) -> bool:
    """Whether only other things last: orders do, but 'the longest product name' has the most letters."""
    lasts = found["adj"] in {"long", "short"}
    return lasts and not context.oracle.related(measure, "same table", found.at("m"))


def _says_size(context: RuleContext, adjective: str) -> bool:
    return adjective in _SIZES or (not adjective and context.spoken("largest", "biggest", "smallest"))


def _of_size(context: RuleContext, found: RuleMatch) -> str | None:
    """'the largest city': by a size, where the city is a text."""
    adjective = found["adj"]
    if not _says_size(context, adjective) or {"numeric", "time", "table!"} & context.kinds(found.at("m")):
        return None
    measure = context.measure(adjective or "large")
    if measure is None:
        return None
    _rank_adjective(context, found, measure)
    context.spend(found["m"])
    return "S" if found["with"] else f"{found['m']} S"


def _of_total(context: RuleContext, found: RuleMatch) -> str | None:
    """'with the highest enrollment', 'with the highest bill': a total that is kept, or an amount."""
    mention = found.at("m")
    if not found["with"] or "column" in context.kinds(mention):
        return None
    total = context.oracle.total(context.word(mention))
    if total is None and not found["adj"]:
        total = context.oracle.total(mention)
    if total is None:
        return None
    context.spend(mention)
    return context.rank(Superlative(total, found["sup"] in _GREATEST, _limit(context, found)))


def _of_worth(context: RuleContext, found: RuleMatch) -> str | None:
    """'the biggest order': by what it comes to, where nothing else says how big it is."""
    mention, adjective = found.at("m"), found["adj"]
    if found["with"] or not _says_size(context, adjective):
        return None
    if not {"table!", "named"} <= context.kinds(mention):
        return None
    worth = context.oracle.total(mention)
    return None if worth is None else _by_worth(context, found, worth)


def _of_value(context: RuleContext, found: RuleMatch) -> str | None:
    """'the order with the highest value': by what it comes to."""
    worth = context.oracle.total(found.at("m"))
    if worth is None:
        return None
    context.consumed("value worth")
    return _by_worth(context, found, worth)


def _by_worth(context: RuleContext, found: RuleMatch, worth: int) -> str | None:
    """By the amount of a thing, or by what its lines come to together; an amount where that is asked for.

    None where somebody is asked for ('who placed the biggest order') and only lines have amounts: they would
    be added up for each of these, not for each order.
    """
    down, own = found["sup"] in _GREATEST, context.oracle.related(worth, "column of", found.at("m"))
    if not own and re.search(r"(?<!\S)(?:M\d|who)", found.before):
        return None
    if own and _is_amount(context, found):
        return f"{'MAX' if down else 'MIN'} M{worth} of {found['m']}"
    adjective, aggregate, owner = ("high", "", found.at("m")) if own else ("", "sum", None)
    limit = _limit(context, found)
    context.rank(Superlative(worth, down, limit, aggregate=aggregate, adjective=adjective, owner=owner))
    return f"{found['m']} S"


_REQUEST_BEFORE: Final = re.compile(r"(?:(?:what|be|how much|tell|give|me|the|our|show|find) )*")


def _is_amount(context: RuleContext, found: RuleMatch) -> bool:
    """Whether 'the highest payment' is an amount: payments have no names, and one is asked for."""
    if re.search(r"(?<!\S)(?:our|show)(?!\S)", found.before):
        return False  # 'our biggest payment' is one of them
    single = context.word(found.at("m")) == singular(context.word(found.at("m")))
    alone = single and _limit(context, found) == 1 and "nameless" in context.kinds(found.at("m"))
    return alone and not found["with"] and _REQUEST_BEFORE.fullmatch(found.before) is not None


def _of_amount(context: RuleContext, found: RuleMatch) -> str | None:
    """'the highest invoice': by what is large of it, by its amount, or by its height."""
    mention, adjective = found.at("m"), found["adj"]
    measure = context.measure(adjective) if adjective else _size_of(context, mention)
    if not adjective and (measure is None or not context.oracle.related(measure, "column of", mention)):
        worth = context.oracle.total(mention)
        if worth is not None and (measure is None or context.oracle.related(worth, "column of", mention)):
            return _by_worth(context, found, worth)  # 'the highest order' is not of the largest size
        measure = _own_height(context, mention) or measure or context.measure("high")
    if measure is None:
        return None
    down, limit = found["sup"] in _GREATEST, _limit(context, found)
    context.rank(Superlative(measure, down, limit, adjective=adjective or "high"))
    return f"{found['m']} S"


def _size_of(context: RuleContext, mention: int) -> int | None:
    """How high a thing is, where that is asked for and kept of it, or how large."""
    lofty = context.measure("lofty") if context.spoken("highest", "lowest") else None
    if lofty is not None and context.oracle.related(lofty, "column of", mention):
        return lofty
    return context.measure("large")


def _own_height(context: RuleContext, mention: int) -> int | None:
    """A number of a thing's own: the biggest invoice has no size of its subscription, but an amount due."""
    high = context.measure("high") if {"table!", "named"} <= context.kinds(mention) else None
    own = high is not None and context.oracle.related(high, "column of", mention)
    return high if own else None


_GRADES: Final = frozenset({"", "high", "low", "large", "small", "good", "bad", "late", "early", "recent"})
"""Adjectives by which a text may have its order: 'the highest grade', 'the latest version'."""


_TIME_ADJECTIVES: Final = frozenset({"late", "recent", "new", "early"})
_SEQUENCE_WORDS: Final = frozenset(listed("version round season episode edition release number level"))
"""Words for numbers that grow with time: the latest version is the greatest."""


def _is_no_place(context: RuleContext, mention: int) -> bool:
    kinds = context.kinds(mention)
    return (
        "numeric!" in kinds
        and "time" not in kinds
        and not _SEQUENCE_WORDS & {*context.encoded.mentions[mention].words}
    )


def _is_time_itself(context: RuleContext, mention: str) -> bool:
    """Whether a time is asked for, not a row: 'the latest shipping date', how long something took."""
    if context.encoded.mentions[int(mention[1:])].words == ("duration",):
        return True
    return context.words_of(mention).lower().endswith(" date") and "time" in context.kinds(int(mention[1:]))


def _of_column(context: RuleContext, found: RuleMatch) -> str | None:
    """'with the MAX M0' of a column; 'maximum capacity of the turbines' asks for the value itself."""
    limit, down, adjective = _limit(context, found), found["sup"] in _GREATEST, found["adj"]
    if adjective not in _GRADES and not {"numeric", "time"} & context.kinds(found.at("m")):
        return None  # 'heaviest element' where nothing weighs: not the last of the alphabet
    if adjective in _TIME_ADJECTIVES and _is_no_place(context, found.at("m")):
        return None  # 'the latest amount' is that of the last row, and not the greatest
    value = "numeric!" in context.kinds(found.at("m")) or _is_time_itself(context, found["m"])
    clipped = value and re.fullmatch(r"(?:the )?", found.before)
    if (clipped or _ASKED_BEFORE.search(found.before)) and limit == 1 and not found["with"]:
        return f"{'MAX' if down else 'MIN'} {found['m']}" if adjective else None
    if found["with"].startswith("in ") and adjective in _BULK and "numeric!" in context.kinds(found.at("m")):
        # 'sold in the largest quantity': all that was sold of it
        return context.rank(Superlative(found.at("m"), down, limit, summed=True))
    if _is_total(context, found):
        return context.rank(Superlative(found.at("m"), down, limit, aggregate="sum"))
    with_it = re.search(r"(?<!\S)M(\d+) (?:that |which |who )?$", found.before) if found["with"] else None
    owner = int(with_it[1]) if with_it and "table!" in context.kinds(int(with_it[1])) else None
    if owner is not None and not context.oracle.related(found.at("m"), "best column of", owner):
        owner = None
    return context.rank(Superlative(found.at("m"), down, limit, adjective=adjective, owner=owner))


def _is_total(context: RuleContext, found: RuleMatch) -> bool:
    """'which channel has the highest total amount of orders': what they come to, and not the one amount."""
    mention = found.at("m")
    thing = re.match(r" (?:of|for|from|in) (?:(?:the|all|our|[VC]\d+) )*M(\d+)", found.behind)
    shown = context.mentions(found.before)
    if thing is None or not shown or not {"summed", "numeric!"} <= context.kinds(mention):
        return False
    total = context.encoded.mentions[mention].words[:1] == ("total",)
    return (
        total and context.oracle.related(mention, "column of", int(thing[1])) and shown[-1] != int(thing[1])
    )


def _extreme(context: RuleContext, found: RuleMatch) -> str | None:
    """'MAX~old M0', 'N0 MAX M0', 'with the MAX M0': the first reading that fits.

    Of 'the biggest unpaid invoice' the value stands between; it narrows a thing, and says no figure of it.
    """
    if not found["such"]:
        return _extreme_of(context, found)
    if found["with"] or "table!" not in context.kinds(found.at("m")):
        return None
    text = _extreme_of(context, found)
    return None if text is None else f"{text} {found['such'].rstrip()}"


def _extreme_of(context: RuleContext, found: RuleMatch) -> str | None:
    if _good_time(context, found) or _ageless(context, found):
        return None
    for reading in (_with_number, _of_rows, _of_thing, _of_text, _of_size, _of_total, _of_worth):
        text = reading(context, found)
        if text is not None:
            return text
    kinds = context.kinds(found.at("m"))
    thing = {"table!", "named"} <= kinds and _says_size(context, found["adj"])
    last = _of_column if "column" in kinds and not thing else _of_amount
    return last(context, found)


def _ageless(context: RuleContext, found: RuleMatch) -> bool:
    """Whether people are to be ranked by an age that only others have: the youngest carer by clients'."""
    people = found.at("m")
    if found["adj"] not in {"old", "young"} or not {"table!", "person"} <= context.kinds(people):
        return False
    age, related = context.measure(found["adj"]), context.oracle.related
    return age is not None and not (
        related(age, "best column of", people) or related(people, "recorded of", age)
    )


def _which_is(context: RuleContext, found: RuleMatch) -> str:
    """'which order in May was the largest?': the largest order in May."""
    context.consumed(found.text)
    context.spend(found.maybe("again"))
    return f"which {found['sup']} {found['which']}{found['m']}{found['behind']}"


def _well_measured(context: RuleContext, adjective: str) -> int | None:
    """What an adjective measures, where a column fits it well."""
    measure = context.measure(adjective)
    fits = measure is not None and context.encoded.mentions[measure].best >= MIN_MEASURE_SCORE
    return measure if fits else None


def _rank_adjective(context: RuleContext, found: RuleMatch, measure: int, owner: int | None = None) -> None:
    down, limit = found["sup"] in _GREATEST, _limit(context, found)
    context.rank(Superlative(measure, down, limit, adjective=found["adj"], owner=owner))


def _beyond_extreme(context: RuleContext, found: RuleMatch) -> str:
    """'earns less than the lowest earning M1 with V0': less than every M1 with V0."""
    context.understood(found["by"])
    every = found["op"].startswith("G") == (found["sup"] == "MAX")
    return f"{found['side']} {'every' if every else 'at least one'} {found['row']}"


def _by_the_same(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a superlative measures what is compared: 'older than the youngest M1 in C0'."""
    compared = MEASURES.get(found["verb"], found["adj"])
    if not compared or not re.search(r"(?<!\S)[VQNC]\d", found.behind):
        return False  # of all of them, and not of some
    one, other = context.measure(compared), context.measure(found["by"])
    options = [context.encoded.mentions[m].options[:1] for m in (one, other) if m is not None]
    return len(options) == 2 and [o.index for o in options[0]] == [o.index for o in options[1]]


_MONEY_VERB_BEFORE: Final = re.compile(
    r"(?<!\S)(?:earn|earned|generate|generated|pay|paid|cost|spend|spent)(?: us)? $"
)
"""Who earns the most has not the most rows."""


def _done_before(context: RuleContext, found: RuleMatch) -> int | None:
    """The column in front that tells when something was done: 'launched MAX~recent' of a `launch`."""
    done = found.maybe("done")
    if done is None or PARTICIPLE.fullmatch(context.word(done)) is None:
        return None
    kinds = context.kinds(done)
    return done if "column!" in kinds and {"numeric!", "time"} & kinds else None


def _bare(context: RuleContext, found: RuleMatch) -> str | None:
    """'MAX~old', 'MOST' where nothing follows."""
    adjective, down, limit = found["adj"], found["sup"] in _GREATEST, _limit(context, found)
    if adjective:
        done = _done_before(context, found) if adjective in _TIME_ADJECTIVES else None
        measure = context.measure(adjective) if done is None else done
        if measure is None:
            return None
        rank = context.rank(Superlative(measure, down, limit, adjective=adjective))
        of = re.search(r"(?<!\S)M(\d+) $", found.before)
        if done is not None and of is not None and "table!" in context.kinds(int(of[1])):
            return rank  # 'films released MAX~recent' are films
        return f"{found['done']}{rank}"
    if found["sup"] in {"MOST", "LEAST"} and not _MONEY_VERB_BEFORE.search(found.before):
        if found.before.endswith("come up "):
            context.understood("up")
        among = re.match(r" among (?:the |all |our )*(M\d+)", found.behind)
        counted = int(among[1][1:]) if among else None
        counted = counted if counted is not None and "table!" in context.kinds(counted) else None
        return f"{found['done']}{context.rank(Superlative(counted, down, limit, counted=True))}"
    return None


def _numbered(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a number limits the only superlative, which says none itself."""
    if len(context.superlatives) != 1 or context.superlatives[0].limit != 1:
        return False
    count = context.number(found.at("n"))
    if not 1 < count <= MAX_LIMIT:
        return False
    context.superlatives[0] = replace(context.superlatives[0], limit=count)
    return True


def _numbered_first(context: RuleContext, found: RuleMatch) -> str | None:
    """'which N0 M0 have MAX M1': the number before what is asked for limits the superlative."""
    return found["lead"] if _numbered(context, found) else None


def _numbered_behind(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 with the MAX M1, top N0': the same behind it."""
    return "S" if _numbered(context, found) else None


_TOP: Final = (
    rf"(?:the )?{{sup=top|first|bottom|worst|busiest|quietest}} {_LIMIT_NUMBER}(?:most )?"
    r"{pairs=(?:combination|combo|pair|pairing) of }?(?P<which>(?:(?:not |non )?[VC]\d+ )*)"
)
_TOP_WORD: Final = r"(?P<word>(?!by |in |on |with |not )[a-z]+ )"
_TOP_THINGS: Final = (
    rf"{_TOP}(?:(?P<no>not |non )?{{flag:flag}} (?=M)|{_TOP_WORD})?"
    r"{m}(?(pairs){more=(?: ,)?(?: and)? M\d+}|)"
)
"""'top 5 open orders', of which what they are ranked by stands behind, if anything is said of them."""
_OTHER_CLAUSE: Final = r"by|per|each|every|and|,|top|S|O|MOST|LEAST|MAX\S*|MIN\S*"
_RANKED_WORD: Final = r"(?:(?:rank|ranked|sort|sorted|ordered|order|with) )?"
_RANKED_BY: Final = (
    r"(?:the |their )?(?:MAX |MOST |GT )?(?:{agg=SUM|AVG|COUNT|MAX|MIN} )?(?:the )?"
    r"(?P<kind>(?:(?:not )?[VC]\d+ )*)(?:{such} (?=M))?{by}"
    r"(?: (?:spent|billed|earned|generated|driven|produced|collected)(?= ?$| [?.]| (?:on|in|for|by|from) ))?"
)


RULES: Final = in_order(
    Rule(
        "superlatives/both_ends",
        r"{m:numeric} of (?:the )?{sup=MAX|MIN}~{adj=\w+} and (?:the )?{sup2=MAX|MIN}~\w+ {of}",
        _both_ends,
        examples=(
            Example(
                "M0[numeric] of MAX~old and MIN~young M1",
                "MAX M0 and MIN M0 of M1",
                schema={"measure old": 2},
            ),
        ),
    ),
    Rule(
        "superlatives/most_often",
        r"{sup=MAXCOUNT|MINCOUNT} time",
        _so_often,
        examples=(Example("MAXCOUNT time", "S", ("top 1 by count of ?",)),),
    ),
    Rule(
        "superlatives/longest_serving",
        rf"{_LIMIT_NUMBER}{{sup=MIN~early|MAX~late}} {_LIMIT_NUMBER2}"
        r"{serving=[a-z]+|M\d+} (?P<such>(?:[VC]\d+ )*?)(?:{m:table!}|{v:value})(?! M\d)",
        _longest_serving,
        examples=(
            Example("MIN~early rated M0[table!]", "MIN~early rated M0"),
            Example("MIN~early serving M0[table!] M1[table! named]", "MIN~early serving M0 M1"),
            Example(
                "MIN~early serving M0[table! person] of V0",
                "M0 S of V0",
                ("bottom 1 by M1 (of M0)",),
                schema={"times M0": 1, "M1 column of M0": True},
            ),
        ),
    ),
    Rule(
        "superlatives/top_of_kind",
        rf"(?P<top>(?:top|bottom) {_LIMIT_NUMBER}){{v:value}}(?= (?:by|in term of|based on) )",
        _top_of_kind,
        examples=(
            Example("top N0[3] V0[concerts] by M0", "top N0 V0 M1 by M0", schema={"party holder V0": 1}),
            Example("top N0[3] V0[rock] by M0", "top N0 V0 by M0"),
        ),
    ),
    Rule(
        "superlatives/top_by",
        rf"{_TOP_THINGS} {_RANKED_WORD}(?:by|in|on|in term of|with|base on|based on) {_RANKED_BY}",
        _top_by,
        examples=(
            Example("top N0[3] M0 by M1", "M0 S", ("top 3 by M1",)),
            Example("top N0[3] M0 by COUNT M1[table!]", "M0 S", ("top 3 by count of M1",)),
            Example(
                "top N0[3] combination of M0 and M1 by COUNT M2[table!]",
                "M0 and M1 S",
                ("top 3 by count of M2",),
            ),
            Example("busiest M0 by M1[table!]", "M0 S", ("top 1 by count of M1",)),
            Example("top N0[3] M0 by V0[1] M1[numeric]", "M0 S V0", ("top 3 by M1",)),
            Example("top N0[3] V0[open] M0 by M1", "V0 M0 S", ("top 3 by M1",)),
            Example("top N0[3] M0[flag] M1 by M2", "M0 M1 S", ("top 3 by M2",)),
            Example("top N0[3] not M0[flag] M1 by M2", "not M0 M1 S", ("top 3 by M2",)),
            Example("top N0[3] sales M0 by M1", "sales M0 S", ("top 3 by M1",)),
            Example("top N0[3] M0 by M1 with M2 in N1", "M0 S with M2 in N1", ("top 3 by M1",)),
            Example("top N0[3] M0 by M1[column!]", "top N0 M0 by M1"),
            Example("top N0[3] M0 by COUNT M1[column!]", "M0 S", ("top 3 by count of M1",)),
            Example("top N0[3] M0 by M1[numeric] spent on M2", "M0 S on M2", ("top 3 by M1",)),
        ),
    ),
    Rule(
        "superlatives/top_such_by",
        rf"{_TOP}(?:(?P<no>not )(?=M)|{_TOP_WORD})?{{m}}"
        rf"(?P<whose>(?: (?!(?:{_OTHER_CLAUSE})(?!\S))\S+){{1,14}}?) "
        rf"{_RANKED_WORD}(?:by|in term of|base on|based on) {_RANKED_BY}",
        _top_by,
        examples=(
            Example("top N0[3] M0 with M1 V0[1] by M2", "M0 with M1 V0 S", ("top 3 by M2",)),
            Example("top N0[3] M0 M1 BEFORE N1[2020] by M2", "M0 M1 BEFORE N1 S", ("top 3 by M2",)),
            Example(
                "bottom N0[3] M0 in V0[1] by COUNT M1 that be V1[1]",
                "M0 in V0 S that be V1",
                ("bottom 3 by count of M1",),
            ),
            Example("top N0[3] M0 in V0[1] by M1[column!]", "top N0 M0 in V0 by M1"),
            Example("top N0[3] M0 of V0[1] M1[directed] by M2", "top N0 M0 of V0 M1 by M2"),
        ),
    ),
    Rule(
        "superlatives/stated",
        r"(?:whose |with |that have )?(?:the |their |its )*(?:{agg=SUM|AVG} )?{m:numeric!} (?:that )?be "
        r"(?:the )?{sup=MAX|MIN|MOST|LEAST}(?= |$)(?! (?:M|N|AVG|SUM|COUNT))",
        _stated,
        examples=(Example("M0[numeric!] be MIN", "S", ("bottom 1 by M0",)),),
    ),
    Rule(
        "superlatives/with_top",
        rf"(?:with|have|by|of) (?:the )?{{sup=top|bottom}} {_LIMIT_NUMBER}(?:(?:SUM|COUNT|total) )*{{m}}",
        _with_top,
        guard=_is_top,
        examples=(
            Example("with top M0[numeric!]", "S", ("top 1 by M0",)),
            Example("have top COUNT M0[table!]", "S", ("top 1 by count of M0",)),
            Example("of top M0", "of top M0"),
        ),
    ),
    Rule(
        "superlatives/common",
        rf"{_LIMIT_NUMBER}{{sup=MOST|LEAST|MAX|MIN}} {_LIMIT_NUMBER2}(?:commonly |frequently |popularly )?"
        r"(?:common|popular|frequent|frequently|commonly|used|often|prevalent|popularly)"
        r"(?: used| played| occurring| seen| ordered| owned)? (?:type of |kind of )?{DET}{m}",
        _common,
        examples=(
            Example("MOST used M0", "M0 S", ("top 1 by count of M0 (per value)",)),
            Example(
                "which M0 be MOST common of all the M1",
                "which M0 be M1 S",
                ("top 1 by count of M0 (per value)",),
            ),
            Example(
                "M0 that be used MOST often the M1",
                "M0 that be used M1 S",
                ("top 1 by count of M0 (per value)",),
            ),
        ),
    ),
    Rule(
        "superlatives/top",
        rf"(?:the )?(?:top|first) {_LIMIT_NUMBER}(?:rank |ranked |rated )?{{m}}(?= |$)",
        _topped,
        examples=(
            Example("top N0[5] M0 with", "M0 with", ("limit 5",)),
            Example("top N0[5] M0[numeric! column]", "S", ("top 5 by M0",)),
            Example("what be the top M0[numeric! column] of M1", "what be MAX M0 of M1"),
            Example(
                "what be the top N0[3] M0 and COUNT M1[table!] do each have ?",
                "what be M0 S and COUNT M1 do each have ?",
                ("top 3 by count of M1",),
            ),
        ),
    ),
    Rule(
        "superlatives/aggregate",
        rf"{_LIMIT_NUMBER}(?:(?:have|with|be|for|by|of|that) )*{_LIMIT_NUMBER2}{{sup=MAX|MIN|MOST|LEAST}}"
        r" {agg=AVG|SUM} (?:of )?{which=[VC]\d+ }?{m}",
        _aggregated,
        examples=(
            Example("MAX AVG M0", "S", ("top 1 by avg M0",)),
            Example(
                "MAX SUM M0 of C0[? = V0] M1[table!]",
                "S of C0 M1",
                ("top 1 by sum M0 (of M1)",),
                schema={"M0 column of M1": True},
            ),
        ),
    ),
    Rule(
        "superlatives/most",
        rf"(?:top (?=\S+ (?:MOST|LEAST)))?{_LIMIT_NUMBER}{{sup=MOST|LEAST|MAXCOUNT|MINCOUNT}} "
        rf"{_LIMIT_NUMBER2}(?:of )?(?:different |distinct "
        r"|kind of |type of |total )*{which=(?:[VC]\d+ )*}{DET}{m}(?! (?:and|or) [VC]\d+ M\d)",
        _counted,
        examples=(
            Example("MOST M0", "S", ("top 1 by count of M0",)),
            Example("top N0[10] MOST M0", "S", ("top 10 by count of M0",)),
            Example("MOST M0[numeric]", "S", ("top 1 by M0 (summed)",)),
            Example("which M1 have MOST M0[numeric] and V0[1] M2", "which M1 have MOST M0 and V0 M2"),
            Example("MOST M0[flag column!]", "S C0", ("C0: M0 is true", "top 1 by count of M0")),
            Example("MOST V0[1] M0", "S V0", ("top 1 by count of M0",)),
            Example("MINCOUNT M0[numeric] of M1", "MIN M0 of M1"),
        ),
    ),
    Rule(
        "superlatives/number_of",
        r"{with=(?:with|have|by) (?:the )?(?:MAX|MIN)(?:~\w+)?} {m:table} {by:numeric!,column!}",
        _number_of,
        examples=(
            Example("M0 with the MAX M1[table body] M2[numeric! column! weight]", "M0 M1 with the MAX M2"),
            Example("M0 with the MAX M1[table] M2", "M0 with the MAX M1 M2"),
        ),
    ),
    Rule(
        "superlatives/beyond_extreme",
        rf"{{side=(?:(?P<verb>{'|'.join(MEASURES)}) )?"
        r"(?P<op>GT|LT|GE|LE)(?:~(?P<adj>\w+))?(?: than)?(?: the)?} "
        r"{sup=MAX|MIN}~{by=\w+} {row:table!}",
        _beyond_extreme,
        guard=_by_the_same,
        before=("superlatives/extreme",),
        examples=(
            Example(
                "M0[table!] who make LT the MIN~earning M1[table!] with M2 V0",
                "M0 who make LT the every M1 with M2 V0",
                schema={"measure paid": 3, "measure earning": 3},
            ),
            Example(
                "M0[table!] GT~old MIN~young M1[table!] in V0",
                "M0 GT~old at least one M1 in V0",
                schema={"measure old": 2, "measure young": 2},
            ),
            Example("M0[table!] GT~old MIN~young M1[table!]", "M0 GT~old MIN~young M1"),
        ),
    ),
    Rule(
        "superlatives/which_is",
        r"^which {which=(?:(?:not |non )?[VC]\d+ )*}{m:table!}(?P<behind>(?: \S+){0,16}?) be (?:the |our )?"
        r"(?P<sup>(?:MAX|MIN)(?:~\w+)?)(?: {again:table!}| one)?(?: (?:of all|of them|ever))*{END}",
        _which_is,
        examples=(
            Example("which V0 M0[table!] in N0 be the MAX ?", "which MAX V0 M0 in N0 ?"),
            Example("which M0[table!] be the MAX~large one", "which MAX~large M0"),
            Example("which M0[column!] be the MAX", "which M0 be the MAX"),
        ),
    ),
    Rule(
        "superlatives/extreme",
        rf"{_LIMIT_NUMBER}"
        r"{with=(?:with|have|that have|who have|by|of|for|in|from|on|at|which have) (?:the )?}?"
        r"(?:top )?(?:{n2:number} )?{sup=MAX|MIN}(?:~{adj=\w+})? (?:of )?"
        r"{such=(?:(?:not |non )?[VC]\d+ )*}{m}",
        _extreme,
        examples=(
            Example("MAX~old M0[table!]", "M0 S", ("top 1 by M1 (old, of M0)",), schema={"measure old": 1}),
            Example("MIN~young M0[table! person]", "MIN~young M0", schema={"measure young": 1}),
            Example("M0 with the MAX M1[column numeric]", "M0 S", ("top 1 by M1",)),
            Example(
                "M0[table!] with the MAX M1[column numeric]",
                "M0 S",
                ("top 1 by M1 (of M0)",),
                schema={"M1 best column of M0": True},
            ),
            Example(
                "MAX~large V0 M0[table!]",
                "M0 S V0",
                ("top 1 by M1 (large, of M0)",),
                schema={"measure large": 1},
            ),
            Example("MAX V0 M0[column numeric!]", "MAX V0 M0"),
            Example("what be the MAX M0[column numeric!]", "what be the MAX M0"),
            Example(
                "which M0 have MAX M1[summed numeric! column total amount] of M2",
                "which M0 S of M2",
                ("top 1 by sum M1",),
                schema={"M1 column of M2": True},
            ),
            Example("MAX~bad M0[time]", "MAX~bad M0"),
            Example("MAX~late M0[column time ship date]", "MAX M0"),
            Example("MAX~large M0[column!]", "M0 S", ("top 1 by M1 (large)",), schema={"measure large": 1}),
        ),
    ),
    Rule(
        "superlatives/of_value",
        r"{m:table!,named} (?:(?:that|which|with|have|of) )*(?:the )?{sup=MAX|MIN} (?:SUM )?(?:value|worth)",
        _of_value,
        examples=(
            Example(
                "M0[table! named] with the MAX value", "M0 S", ("top 1 by sum M1",), schema={"total M0": 1}
            ),
            Example("M0[table! named] with the MAX value", "M0 with the MAX value"),
        ),
    ),
    Rule(
        "superlatives/bare",
        rf"{_LIMIT_NUMBER}(?P<done>M\d+ )?{{sup=MAX|MIN|MOST|LEAST}}(?:~{{adj=\w+}})?(?! M\d)(?: (?:one|often"
        rf"|frequently|common|commonly|popular|frequent|time|N\d+))?",
        _bare,
        examples=(
            Example("MOST", "S", ("top 1 by count of ?",)),
            Example("M0 come MOST often among M1[table!]", "M0 come S among M1", ("top 1 by count of M1",)),
            Example("M0 earn MOST", "M0 earn MOST"),
            Example(
                "M0 with M1 N0[111] MAX~recent",
                "M0 with M1 N0 S",
                ("top 1 by M2 (recent)",),
                schema={"measure recent": 2},
            ),
            Example("M0 M1[column! numeric! launched] MAX~recent", "M0 M1 S", ("top 1 by M1 (recent)",)),
            Example("M0[table!] M1[column! time paid] MAX~recent", "M0 S", ("top 1 by M1 (recent)",)),
        ),
    ),
    Rule(
        "superlatives/number_before",
        r"(?:^|{lead=which|what|the|show|list|find|out|me|get|give|display|return|of|for|what be|these"
        r"|those|,} ){n:number}(?= (?:(?:[VC]\d+|not|N\d+) )*M\d)",
        _numbered_first,
        examples=(
            Example("which N0[3] M0 have S[top 1 by M1]", "which M0 have S", ("top 3 by M1",)),
            Example("which N0[3] not M0 M1 have S[top 1 by M2]", "which not M0 M1 have S", ("top 3 by M2",)),
            Example("N0[3] M0[table!] used on S[top 1 by M1]", "M0 used on S", ("top 3 by M1",)),
        ),
    ),
    Rule(
        "superlatives/number_behind",
        r"(?<= )S(?: ,)? (?:the )?(?:top|first|only|best|just) {n:number}{END}",
        _numbered_behind,
        examples=(Example("M0 with S[top 1 by M1] , top N0[5]", "M0 with S", ("top 5 by M1",)),),
    ),
    after=("grouping",),
)
