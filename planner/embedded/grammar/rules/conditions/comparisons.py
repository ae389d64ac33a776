"""Comparisons with numbers and times: greater, between, before, since, in 2024.

Owns: which column a bound is of, where the question names it, an adjective does, or only the number tells.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from askwire.language.text import PARTICIPLE
from askwire.planner.embedded.grammar.atoms import COMPARE, MEASURES, WHEN, Comparison, Either, Operand
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch, kind
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule
from askwire.planner.embedded.linking.blocked import UNITS

_MIN_MEASURE_SCORE: Final = 0.5
"""The least score of a column that a verb alone bounds."""
_BOUNDS: Final = frozenset({"GT", "GE", "LT", "LE"})
_THING_BEHIND: Final = re.compile(r" [a-z]{3,}(?= ?$| ?[.?,])")
"""What is said behind a number and names nothing here."""
_PLAIN_BOUND_WORDS: Final = frozenset({"above", "over", "below", "under", "exceeding"})
_MEASURES_MONEY_FIRST: Final = ("spent", "large", "high")
_MEASURES_HEIGHT_FIRST: Final = ("high", "large", "spent")
_YEAR_DIGITS: Final = 4
_TIME_KIND: Final = kind("time,-table!")


def _compared(context: RuleContext, found: RuleMatch) -> str:
    """'M0 be GT N0', 'GT~old N0', 'SINCE D0': a condition, the column perhaps to be found."""
    operand, adjective, op = found.operand("x"), found["adj"], found["op"]
    mention = found.maybe("m")
    lead = ""
    if mention is not None and _apart(context, found):
        lead, mention = f"M{mention} ", None
    if mention is None:
        mention = _unsaid(context, found, operand)
    negated = bool(found["not"])
    atom = Comparison(mention, COMPARE[op or "EQ"], operand, adjective=adjective, negated=negated)
    return lead + context.note(atom)


def _so_much(context: RuleContext, found: RuleMatch) -> str | None:
    """'cost GT N0'; 'paid on or before 2024' is no amount."""
    return None if context.dated(found.operand("x")) else _compared(context, found)


def _apart(context: RuleContext, found: RuleMatch) -> bool:
    """Whether the mention beside a bound is not what is bounded.

    'revenue since March' says when, 'orders above $500' how much: neither speaks of the word in front.
    """
    operand, kinds = found.operand("x"), context.kinds(found.at("m"))
    if "column" not in kinds or (found["adj"] and "table!" in kinds):
        return True
    if "table!" in kinds and _THING_BEHIND.match(found.behind) and operand.kind == "N":
        return True  # 'orders with more than 5 lines' have so many lines
    when = operand.kind == "D" or (context.year(operand) and found["op"] in WHEN)
    if when and {"table!", "named"} <= kinds:
        return True  # 'orders since March'
    if when and "time" not in kinds:
        # 'after season 2007' says of what the year is
        named = re.match(r"(?:AFTER|BEFORE|SINCE)(?:~\w+)? (?:the )?M\d+ N", found.text)
        return named is None or not {"numeric", "column!"} <= kinds
    if "numeric" in kinds:
        return False
    # no order is above 500 by its number
    plain = "table!" in kinds and operand.kind == "N" and found["op"] in {"GT", "LT", "GE", "LE"}
    return context.money(operand) or (plain and context.bare(operand))


def _bounded_plainly(context: RuleContext, operand: Operand) -> bool:
    """Whether a number stands behind a word that bounds anything: 'higher' may speak of another thing."""
    tokens, number = context.encoded.tokens, context.encoded.numbers[operand.number]
    at = next((n for n, t in enumerate(tokens) if t.start == number.start), 0)
    said = [t.lower for t in tokens[max(0, at - 2) : at]]
    return not _PLAIN_BOUND_WORDS.isdisjoint(said[-1:]) or said in (["more", "than"], ["less", "than"])


def _unsaid(context: RuleContext, found: RuleMatch, operand: Operand) -> int | None:
    """The column that no mention beside the bound names."""
    adjective = found["adj"]
    mention = context.measure(adjective) if adjective else None
    if mention is None and found["verb"]:
        mention = context.measure(MEASURES[found["verb"]])
        if mention is not None:
            context.understood(found["verb"])
    timely = operand.kind == "D" or context.year(operand)
    # 'longer than 3300 or higher than 100' are two columns, 'after 1961 or before 1959' is one
    joined = "and|but|or|," if timely else "and|but|,"
    if operand.kind == "N" and _bounded_plainly(context, operand):
        joined += "|or"  # 'a length below 3 or above 5'
    again = re.search(rf"(?<!\S)C(\d+) (?:{joined}) $", found.before)
    if mention is None and again and not adjective:
        said = context.atoms[int(again[1])]
        mention = said.mention if isinstance(said, Comparison) else None
    if mention is None and operand.kind == "N" and not timely:
        mention = _number_before(context, found)
        if mention is None and found["op"] in _BOUNDS and not adjective and context.bare(operand, known=True):
            # 'invoices over 1,500' speaks of money, 'mountains higher than 5,000' of height
            high = context.spoken("higher", "lower", "taller", "shorter")
            for measure in _MEASURES_HEIGHT_FIRST if high else _MEASURES_MONEY_FIRST:
                mention = context.measure(measure) if mention is None else mention
    return context.measure("time") if mention is None and timely else mention


def _number_before(context: RuleContext, found: RuleMatch) -> int | None:
    """The number that was named last before."""
    named = reversed(context.mentions(found.before))
    return next((m for m in named if "numeric" in context.kinds(m)), None)


def _between(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 between N0 and N1', 'in the range of N0 to N1'."""
    mention = found.maybe("m")
    lead = ""
    low, high = found.operand("low"), found.operand("high")
    kinds = frozenset() if mention is None else context.kinds(mention)
    dated = low.kind == "D" or (context.year(low) and "numeric" not in kinds)
    # 'orders by channel from May to July', 'average number of orders from May to July'
    when = dated and ("time" not in kinds or (mention is not None and context.numbered(mention)))
    if mention is not None and ("column" not in kinds or when):
        lead, mention = f"M{mention} ", None
    if mention is None:
        mention = found.maybe("after")
        if mention is not None and "column" not in context.kinds(mention):
            return None
    if found["verb"] and low.kind == "N":
        lead = f"M{mention} " if mention is not None else lead
        mention = context.measure(MEASURES[found["verb"]])
        if mention is None or context.encoded.mentions[mention].best < _MIN_MEASURE_SCORE:
            return None  # 'items that cost between 5 and 20' where no price is near
        context.understood(found["verb"])
    if mention is None and (low.kind == "D" or context.year(low)):
        mention = context.measure("time")
    if "range" in found.text.split():
        context.understood("range")
    return lead + context.note(Comparison(mention, "between", low, high, negated=bool(found["not"])))


def _or_beyond(context: RuleContext, found: RuleMatch) -> str | None:
    """'in N0 or later'."""
    operand, mention = found.operand("n"), found.maybe("m")
    if mention is None and context.year(operand):
        mention = context.measure("time")
    operator = "<=" if found["way"] in {"BEFORE", "early", "LT"} else ">="
    return None if mention is None else context.note(Comparison(mention, operator, operand))


def _alternatives(context: RuleContext, found: RuleMatch) -> str | None:
    """'in N0 or N1', 'N0 or N1 M0'."""
    mention = found.maybe("m")
    operands = [Operand("N", int(place)) for place in re.findall(r"N(\d+)", found.text)]
    numbers = context.encoded.numbers
    if mention is None:
        if any(len(numbers[o.number].lemma) != _YEAR_DIGITS for o in operands):
            return None
        mention = context.measure("time")
    parts = tuple(Comparison(mention, "=", operand) for operand in operands)
    return context.note(Either(parts, bool(found["both"])))


def _leave_out(context: RuleContext, done: int) -> None:
    """The other time, which no column names, is not that at which this was done."""
    moment, mentions = context.measure("time"), context.encoded.mentions
    taken = {o.index for o in mentions[done].options}
    if moment is not None and (left := tuple(o for o in mentions[moment].options if o.index not in taken)):
        mentions[moment] = replace(mentions[moment], options=left)


def _and_done(context: RuleContext, found: RuleMatch) -> str | None:
    """'placed in 2023 and shipped in 2024': a second time, at which something else was done."""
    done = found["done"]
    word = context.words_of(done).lower() if done[0] == "V" else context.said(done)
    if PARTICIPLE.fullmatch(word) is None or not (found["x"][0] == "D" or context.year(found.operand("x"))):
        return None
    named = done[0] == "M" and {"column", "time"} <= context.kinds(int(done[1:]))
    times = () if named else context.oracle.times(word)  # 'closed' of a `closed_at` says itself which time
    if not times:
        return None
    context.spend(done if is_mention(done) else None)
    context.consumed(done)
    _leave_out(context, times[-1])
    return f"and {context.note(Comparison(times[-1], COMPARE[found['op'] or 'EQ'], found.operand('x')))}"


def _stands_before(context: RuleContext, found: RuleMatch) -> bool:
    """Whether the mention before a number is its column; 'revenue in N0' says when, not how much."""
    kinds = context.kinds(found.at("m"))
    when = re.search(r" (?:in|during|of|for) N\d+$", found.text)
    timely = _TIME_KIND.holds(kinds)
    if when and context.year(found.operand("x")) and not timely and " be " not in found.text:
        return False
    return "column" in kinds


def _equal(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 be N0', 'department 80': the column before a number, or the key of a table."""
    if _stands_before(context, found):
        return _compared(context, found)
    if "key" not in context.kinds(found.at("m")) or context.year(found.operand("x")):
        return None
    if {"have", "with", "to"} & set(found.text.split()[1:]):
        return None
    negated = bool(found["not"])
    return context.note(Comparison(found.at("m"), "=", found.operand("x"), negated=negated))


def _counted_by(context: RuleContext, found: RuleMatch) -> bool:
    """'taller than 10 stories': whether what stands behind the number is a column of numbers, no unit."""
    return bool(found["adj"]) and context.encoded.mentions[found.at("m")].words[-1] not in UNITS


_LIMIT_WORDS_BEFORE: Final = (("top", 6), ("first", 7), ("MA", 6), ("MI", 6))
"""Words, and how many characters before a number they say that it limits a superlative."""


def _is_number_of(context: RuleContext, found: RuleMatch) -> bool:
    if "table!" in context.kinds(found.at("m")) and context.year(found.operand("x")):
        return False  # '1997 orders' are those of that year
    return not any(word in found.before[-near:] for word, near in _LIMIT_WORDS_BEFORE)


def _four_digits(context: RuleContext, found: RuleMatch) -> bool:
    return len(context.encoded.numbers[found.at("x")].lemma) == _YEAR_DIGITS


RULES: Final = in_order(
    Rule(
        "comparisons/and_done",
        r"(?<=[DNC]\d )(?:and|but) (?:(?:be|that|which|only|then) )*{done=[MV]\d+|[a-z]+} "
        r"(?:in|on|during|{op=BEFORE|AFTER|SINCE}) (?:the )?{x:number|date}",
        _and_done,
        examples=(
            Example(
                "M0 placed in N0[2023] and M1[table! shipped] in N1[2024]",
                "M0 placed in N0 and C0",
                ("C0: M2 = N1",),
                schema={"times shipped": 2},
            ),
            Example("M0 placed in N0[2023] and M1[shipped] in N1[2024]", "M0 placed in N0 and M1 in N1"),
            Example(
                "M0 placed in N0[2023] and M1[column time closed] in N1[2024]",
                "M0 placed in N0 and M1 in N1",
            ),
        ),
    ),
    Rule(
        "comparisons/between",
        r"(?:{m} )?(?:(?:that|which|who|be|have|a|in|within|the|range|ranging|of|with|value) ){0,6}"
        rf"{{not=not }}?(?:{{verb={'|'.join(MEASURES)}}} )?"
        r"(?:between|from|range(?: of| from)?) (?:the year )?{low:number|date|quote} "
        r"(?:and|to|through|until) {high:number|date|quote}(?: (?:in )?{after})?",
        _between,
        examples=(
            Example("M0 of N0[20] to N1[25]", "M0 of N0 to N1"),
            Example("between N0[20] and N1[90]", "C0", ("C0: ? between N0 and N1",)),
            Example("M0[column] be within the range of N0[5] and N1[9]", "C0", ("C0: M0 between N0 and N1",)),
            Example(
                "M0[table!] that cost between N0[5] and N1[9]",
                "M0 C0",
                ("C0: M1 between N0 and N1",),
                schema={"measure expensive": 1},
            ),
            Example("M0[time column] from N0[2023] to N1[2024]", "C0", ("C0: M0 between N0 and N1",)),
            Example(
                "per M0[column status] from N0[2023] to N1[2024]",
                "per M0 C0",
                ("C0: M1 between N0 and N1",),
                schema={"measure time": 1},
            ),
        ),
    ),
    Rule(
        "comparisons/so_much_to",
        r"{m:numeric!} (?:(?:be|of) )?{low:number} (?:to|through) {high:number}(?= (?:and|or|[.?,])|$)",
        _between,
        examples=(
            Example(
                "be in M0[numeric! column] N0[20] to N1[25] and",
                "be in C0 and",
                ("C0: M0 between N0 and N1",),
            ),
        ),
    ),
    Rule(
        "comparisons/or_later",
        r"(?:{m:column} )?(?:(?:in|be|of|the|year|on) )*{n:number} or "
        r"{way=BEFORE|AFTER|SINCE|early|late|GT|LT}(?:~\w+)?(?! (?:(?:the|year|of) )*N\d)",
        _or_beyond,
        examples=(
            Example("N0[2000] or AFTER the year of N1[2010]", "N0 or AFTER the year of N1"),
            Example("M0[column] N0[2005] or AFTER", "C0", ("C0: M0 >= N0",)),
            Example("M0[column] N0[2001] or BEFORE", "C0", ("C0: M0 <= N0",)),
        ),
    ),
    Rule(
        "comparisons/or_after",
        r"(?:{m:column} )?(?:(?:in|be|on) )*or {way=BEFORE|AFTER|SINCE|early|late|GT|LT}(?:~\w+)? "
        r"(?:(?:the|year) )*{n:number}",
        _or_beyond,
        guard=lambda context, found: not (found.text[:3] == "or " and re.search(r"[CDN]\d+ $", found.before)),
        examples=(
            Example("or AFTER N0[2005]", "C0", ("C0: M0 >= N0",), schema={"measure time": 0}),
            Example("C0[? = V0] or AFTER N0[2010]", "C0 or AFTER N0"),
        ),
    ),
    Rule(
        "comparisons/one_or_other",
        r"(?:{m:column} )?(?:(?:be|of|in|equal|year|for|during|the|as) )*(?:either )?{both=both }?"
        r"N\d+(?: , N\d+)* (?:or|and) (?:in )?N\d+(?! M\d)",
        _alternatives,
        guard=lambda context, found: " or " in found.text or bool(found["both"]),
        examples=(
            Example("M0[column] N0[3] or N1[4]", "C0", ("C0: M0 = N0 or M0 = N1",)),
            Example("M0[column] both N0[1960] and N1[1961]", "C0", ("C0: M0 = N0 both and M0 = N1",)),
            Example("N0[2010] and N1[2001]", "N0 and N1"),
        ),
    ),
    Rule(
        "comparisons/taller_than_stories",
        r"(?:(?:that|which|be) )*{OP} (?:than )?{x:number} {m:numeric!}(?! (?:GT|LT|be(?! there)|old|V\d))",
        _compared,
        guard=_counted_by,
        examples=(
            Example("GT~tall N0[10] M0[column numeric!]", "C0", ("C0: M0 (tall) > N0",)),
            Example("GT N0[10] M0[numeric!]", "GT N0 M0"),
        ),
    ),
    Rule(
        "comparisons/column_beyond",
        r"{m} {WHO}{FILL}{not=not }?{OP} {FILL}{x:number|date}",
        _compared,
        examples=(
            Example("M0[column] GT N0[50]", "C0", ("C0: M0 > N0",)),
            Example(
                "M0[numeric column revenue] SINCE D0[2024-03]",
                "M0 C0",
                ("C0: M1 >= D0",),
                schema={"measure time": 1},
            ),
        ),
    ),
    Rule(
        "comparisons/verb_beyond",
        rf"{{verb={'|'.join(MEASURES)}}} (?:for |at |a |an )?{{OP}} (?:than |a )*{{x:number}}",
        _so_much,
        examples=(Example("cost GT N0[5]", "C0", ("C0: M0 > N0",), schema={"measure expensive": 0}),),
    ),
    Rule(
        "comparisons/verb_equal",
        r"{verb=cost|costing|weigh|weighing|priced} (?:(?:at|for|EQ|exactly|a|an) )*{x:number}",
        _compared,
        examples=(Example("cost N0[5]", "C0", ("C0: M0 = N0",), schema={"measure expensive": 0}),),
    ),
    Rule(
        "comparisons/beyond",
        r"{OP} (?:than |the |year |in |be |a |of )*{x:number|date}(?: year)?",
        _compared,
        examples=(
            Example("GT~old N0[20]", "C0", ("C0: M0 (old) > N0",), schema={"measure old": 0}),
            Example("AFTER N0[1990]", "C0", ("C0: M0 > N0",), schema={"measure time": 0}),
            Example("GT N0[500]", "C0", ("C0: M0 > N0",), schema={"measure spent": 0}),
        ),
    ),
    Rule(
        "comparisons/then",
        r"(?:(?:in|of|during|for|on|within|at|over|the|year) )*{x:date}",
        _compared,
        examples=(Example("D0[2026]", "C0", ("C0: M0 = D0",), schema={"measure time": 0}),),
    ),
    Rule(
        "comparisons/beyond_named",
        r"{OP} (?:the |a )?{m:column} (?:of |be )?{x:number|date}(?! M\d)",
        _compared,
        examples=(
            Example("LT M0[column] N0[30]", "C0", ("C0: M0 < N0",)),
            Example("AFTER M0[column numeric column! season] N0[2007]", "C0", ("C0: M0 > N0",)),
        ),
    ),
    Rule(
        "comparisons/equal",
        r"{m} (?:(?:be|of|=|EQ|as|with|value|have|to|in|a|numbered) )*{not=not }?(?:(?:be|"
        r"of|=|EQ|as|value|in|number|id|code|no) )*{x:number}(?! (?:V\d+ )?M\d)",
        _equal,
        examples=(
            Example("M0[column] be N0[3]", "C0", ("C0: M0 = N0",)),
            Example("M0[key] N0[80]", "C0", ("C0: M0 = N0",)),
            Example("M0[numeric] in N0[2024]", "M0 in N0"),
        ),
    ),
    Rule(
        "comparisons/in_year",
        r"(?:in|during|of|for) (?:the )?(?:year )?{x:number}",
        _compared,
        guard=_four_digits,
        examples=(
            Example("in N0[2025]", "C0", ("C0: M0 = N0",), schema={"measure time": 0}),
            Example("in N0[7]", "in N0"),
        ),
    ),
    Rule(
        "comparisons/number_of",
        r"{x:number} (?:dollar |year old |in )?{m:numeric}",
        _compared,
        guard=_is_number_of,
        examples=(
            Example("N0[7] M0[column numeric]", "C0", ("C0: M0 = N0",)),
            Example("top N0[7] M0[column numeric]", "top N0 M0"),
            Example("N0[1997] M0[numeric table!]", "N0 M0"),
        ),
    ),
    after=("superlatives",),
)
