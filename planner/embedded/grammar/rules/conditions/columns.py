"""Columns that say something by themselves: shipped after required, out of stock, still open, not yet paid.

Owns: two columns that are compared, and columns that are empty or filled.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import ENDS, EVENTS, FUNCTION_WORDS, OVER, SOFT_WORDS
from askwire.language.text import ORDINALS, listed
from askwire.planner.embedded.grammar.atoms import (
    COMPARE,
    MEASURES,
    Comparison,
    FlagCondition,
    IsNull,
    Operand,
)
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch, kind
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule
from askwire.planner.embedded.linking.implicit_columns import DUE

_STATE_SYNONYMS: Final = {
    **dict.fromkeys(("going on", "go on", "in progress", "under way", "running"), "ongoing"),
    **dict.fromkeys(("working", "work", "employed", "serving", "here", "with us", "around"), "active"),
}
"""What goes on, and who is still there, in other words."""
_REORDER_WORDS: Final = frozenset(
    listed(
        """
        reorder reordered reordering restock restocked restocking
        replenish replenished replenishing replenishment
        """
    )
)
_LEVEL_WORDS: Final = frozenset(listed("reorder minimum min safety"))
_TIME_KIND: Final = kind("time,-table!")
_STATE_OPENING: Final = re.compile(r"(?:that|which|who|whose|have|be|not|never|already) ")


def _two_times(context: RuleContext, found: RuleMatch) -> str | None:
    """'shipped after the required date': the time said before, or the one that the thing has.

    What was due was done at the time of the deed: 'finished after the due date', 'paid after its due date'.
    """
    other, thing = found.at("o"), found.maybe("m")
    named = context.mentions(context.symbols[: found.start + 4])
    times = [n for n in named if n != other and _TIME_KIND.holds(context.kinds(n))]
    first = times[-1] if times else _done_at(context, found)
    first = context.measure("time") if first is None else first
    if first is None:
        return None
    whose = "" if thing is None or "table!" not in context.kinds(thing) else found["m"]
    return f"{whose} {_compared(context, found, first)}"


def _done_at(context: RuleContext, found: RuleMatch) -> int | None:
    """When that was done which was due at time `o`: of its row, or of what records it."""
    if not DUE & set(context.encoded.mentions[found.at("o")].words):
        return None
    said = found.text.partition(found["op"])[0].split()
    pair = context.oracle.times("late")
    done = pair[0] if pair and context.oracle.related(pair[1], "same table", found.at("o")) else None
    if done is None:
        deeds = (context.words_of(symbol).lower() for symbol in said if symbol[:1] != "M")
        events = (context.oracle.event(deed) for deed in deeds if deed in EVENTS)
        moments = (context.oracle.times(event) for event in events if event is not None)
        done = next((moment[0] for moment in moments if moment), None)
    if done is not None:
        context.consumed(" ".join(said))
        context.spend(*(symbol for symbol in said if symbol[:1] == "V"))
    return done


def _two_numbers(context: RuleContext, found: RuleMatch) -> str:
    """'price below the cost'."""
    return _compared(context, found, found.at("m"))


def _compared(context: RuleContext, found: RuleMatch, first: int) -> str:
    return context.note(Comparison(first, COMPARE[found["op"]], Operand("M", found.at("o"))))


def _than_other_row(context: RuleContext, found: RuleMatch) -> str | None:
    """'earns more than their manager', 'older than its owner': the same column of another row."""
    attribute = found.maybe("m")
    if attribute is None:
        attribute = context.measure(MEASURES[found["verb"]] if found["verb"] else found["adj"])
    if attribute is None:
        return None
    other = Operand("R", found.at("o"))
    return context.note(Comparison(attribute, COMPARE[found["op"]], other, adjective=found["adj"]))


def _numbered(context: RuleContext, found: RuleMatch) -> str:
    """'the third season': the number that a column holds."""
    number = context.figure(str(ORDINALS[found["nth"]]))
    context.understood(found["nth"])
    return context.note(Comparison(found.at("m"), "=", number))


def _nothing_left(context: RuleContext, found: RuleMatch) -> str:
    """'out of stock'."""
    return context.note(Comparison(found.at("m"), "=", context.figure("0")))


def _so_many_left(context: RuleContext, found: RuleMatch) -> str | None:
    """'more than 20 in stock'."""
    if found["adj"]:
        return None
    return context.note(Comparison(found.at("m"), COMPARE[found["op"]], found.operand("n")))


def _of_stock(context: RuleContext, found: RuleMatch) -> bool:
    return context.word(found.at("m")) == "stock"


_QUANTITY_WORDS: Final = frozenset({"unit", "quantity", "value", "amount", "worth", "level", "much"})


def _asks_for_things(context: RuleContext, found: RuleMatch) -> bool:
    """Whether what is in stock is asked for, not how much of it."""
    words = {token.lemma for token in context.encoded.tokens}
    return _of_stock(context, found) and not words & _QUANTITY_WORDS and not context.symbols.startswith("be ")


def _some_left(context: RuleContext, found: RuleMatch) -> str:
    """'still in stock'."""
    return context.note(Comparison(found.at("m"), ">", context.figure("0")))


def _how_many_left(context: RuleContext, found: RuleMatch) -> str:
    """'how many motorcycles are in stock', where motorcycles are a kind of product: the pieces of all."""
    return f"SUM {found['m']} of {found['v']}"


def _all_but_undone(context: RuleContext, found: RuleMatch) -> str:
    """'excluding the unfurnished ones': those that are furnished, and of what was not paid what was."""
    place = found.at("m")
    context.understood("one")
    if "flag" in context.kinds(place):
        return context.note(FlagCondition(place))
    return context.note(IsNull(place, negated=True, moment=True))


def _has_one(context: RuleContext, found: RuleMatch) -> str:
    """'with a phone number', where it may be empty; 'with a car', where a column says whether."""
    if "flag" in context.kinds(found.at("m")):
        return context.note(FlagCondition(found.at("m")))
    return context.note(IsNull(found.at("m"), negated=True))


def _to_reorder(context: RuleContext, found: RuleMatch) -> str | None:
    """'products that need reordering': no more of them is there than at which more is ordered."""
    level = found.maybe("o") if found["o"] else context.measure("reorder")
    if level is None or (found["word"] and context.said(found["word"]) not in _REORDER_WORDS):
        return None
    if found["o"] and not _LEVEL_WORDS & set(context.words_of(found["o"]).lower().split()):
        return None
    stock = context.measure("on hand")
    if stock is None or not context.oracle.related(stock, "same table", level):
        return None
    context.spend(found["word"])
    context.consumed(found.text)
    return context.note(Comparison(stock, COMPARE[found["op"] or "LE"], Operand("M", level)))


def _going_on(context: RuleContext, found: RuleMatch) -> str | None:
    """'still open': the time that ends it is empty; 'not active': it is there.

    Behind a number ('at least 4 open M0') what is counted comes first, as the rules of counts want it.
    """
    ends = context.oracle.times(f"still {found['word']}")
    if not ends:
        return None
    said = context.note(IsNull(ends[0], negated=bool(found["not"])))
    counted = found["m"] and re.search(r"(?:^| )N\d+(?: or \S+)? $", found.before)
    return f"{found['m']} {said}" if counted else f"{said} {found['m']}"


def _still(context: RuleContext, found: RuleMatch) -> str | None:
    """'still admitted': what ends it, by its name or by its comment, is empty."""
    word = context.said(found["word"])
    word = _STATE_SYNONYMS.get(word, word)
    ends = context.oracle.times(f"still {word}")
    if not ends:
        return None
    context.spend(found["word"])
    thing = found["m"] if found["m"][:1] == "M" else ""
    context.consumed(found.text.replace(thing, ""))
    return f"{context.note(IsNull(ends[0]))} {thing}".rstrip()


def _may_go_on(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a word before a thing may say how it is: 'unlimited plans'; of 'open' others see to it."""
    del context
    return found["word"] not in FUNCTION_WORDS | SOFT_WORDS | ENDS.keys()


def _over(context: RuleContext, found: RuleMatch) -> str | None:
    """'already closed': the time that ends it is there."""
    ends = context.oracle.times(found["word"])
    return f"{context.note(IsNull(ends[0], negated=not found['not']))} {found['m']}" if ends else None


def _happened(context: RuleContext, found: RuleMatch) -> str:
    """'have not been shipped': the time of it is empty."""
    return context.note(IsNull(found.at("m"), negated=not found["not"], moment=True))


_COMPARED_COLUMN: Final = (
    r"{DET}%s(?! (?:GT|LT|GE|LE|be|between|BEFORE|AFTER|N\d|D\d|V\d|(?:of|in) [ND]\d|of (?:any|all|every)))"
)
_SKIPPED_WORDS: Final = r"(?:(?:{m%s}|V\d+|\w+ed|paid|sent|sold|done|made|be|have|too) )*"

_STOCK_SCHEMA: Final = {"measure reorder": 1, "measure on hand": 2, "M2 same table M1": True}
"""Sample answers of a schema that tells what is in stock, and when to order more."""

RULES: Final = in_order(
    Rule(
        "columns/two_times",
        (_SKIPPED_WORDS % "") + r"{op=BEFORE|AFTER} (?:than )?" + _COMPARED_COLUMN % "{o:time,-table!}",
        _two_times,
        examples=(
            Example("M0[time] AFTER M1[time]", "C0", ("C0: M0 > M1",)),
            Example(
                "COUNT M0[table!] be finished AFTER their M1[due time]",
                "COUNT M0 C0",
                ("C0: M2 > M1",),
                schema={"times late": (2, 3), "M3 same table M1": True},
            ),
            Example(
                "M0[table!] paid AFTER their M1[due time]",
                "M0 C0",
                ("C0: M3 > M1",),
                schema={"event paid": 2, "times M2": (3,)},
            ),
        ),
    ),
    Rule(
        "columns/two_numbers",
        (_SKIPPED_WORDS % ":numeric")
        + r"{op=GT|LT} (?:than )?(?!(?:any|every|all) M\d+ (?:of|in) )"
        + _COMPARED_COLUMN % "{o:numeric,-table!}",
        _two_numbers,
        guard=lambda context, found: bool(found["m"]),
        examples=(
            Example("M0[numeric] LT M1[numeric]", "C0", ("C0: M0 < M1",)),
            Example("GT M0[numeric]", "GT M0"),
        ),
    ),
    Rule(
        "columns/than_other_row",
        rf"(?:(?:{{m}}|{{verb={'|'.join(MEASURES)}}}) )?(?:(?:be|have|a) )*{{op=GT|LT|GE|LE}}"
        r"(?:~{adj=\w+})? (?:than )?(?:that of )?(?:their|its|his|her|the) (?:own )?{o:table}(?= |$)(?! "
        r"(?:be|have|with|in|(?:'s )?(?:AVG|MAX|MIN)))",
        _than_other_row,
        examples=(
            Example("M0 GT their M1[table] 's AVG", "M0 GT their M1 's AVG"),
            Example("M0 GT their M1[table]", "C0", ("C0: M0 > R1",)),
            Example("earn GT than their M0[table]", "C0", ("C0: M1 > R0",), schema={"measure paid": 1}),
        ),
    ),
    Rule(
        "columns/numbered",
        rf"(?:the )?{{nth={'|'.join(ORDINALS)}}} {{m:numeric,-table!}}",
        _numbered,
        examples=(Example("fifth M0[numeric]", "C0", ("C0: M0 = N0",)),),
    ),
    Rule(
        "columns/out_of",
        r"(?:that |which |be )*out of {m:numeric}(?= |$)",
        _nothing_left,
        examples=(Example("out of M0[numeric]", "C0", ("C0: M0 = N0",)),),
    ),
    Rule(
        "columns/so_many_in_stock",
        r"(?:with |have )?{OP} (?:than )?{n:number} (?:left )?in {m:numeric}(?= ?$| [?.]| and)",
        _so_many_left,
        guard=_of_stock,
        examples=(
            Example("M0 with GT N0[20] in M1[numeric stock]", "M0 C0", ("C0: M1 > N0",)),
            Example("GT N0[20] in M1[numeric price]", "GT N0 in M1"),
        ),
    ),
    Rule(
        "columns/to_reorder",
        r"(?:(?:that|which|be|need|should|must|have|to|due|for|being) )+{word=M\d+|[a-z]+}(?= ?$| [?.])",
        _to_reorder,
        examples=(
            Example("M0 that need reordering", "M0 C0", ("C0: M2 <= M1",), schema=_STOCK_SCHEMA),
            Example("M0 to M3[reorder]", "M0 C0", ("C0: M2 <= M1",), schema=_STOCK_SCHEMA),
            Example("M0 that need repair", "M0 that need repair", schema={"measure reorder": 1}),
        ),
    ),
    Rule(
        "columns/below_reorder",
        r"(?:(?:that|which|be|have|fall|fallen) )*{op=LT|LE}(?:~low)? (?:(?:the|their|its) )*"
        r"{o:numeric,-table!}(?= ?$| [?.])",
        _to_reorder,
        after=("columns/two_numbers",),
        examples=(
            Example(
                "M0 LT the M1[numeric reorder]",
                "M0 C0",
                ("C0: M2 < M1",),
                schema={"measure on hand": 2, "M2 same table M1": True},
            ),
            Example("M0 LT the M1[numeric price]", "M0 LT the M1"),
        ),
    ),
    Rule(
        "columns/kind_in_stock",
        r"COUNT {v:value} (?:(?:be|do|we|you|have|there|still|currently|now|left) )*in {m:numeric}"
        r"(?= ?$| [?.])",
        _how_many_left,
        guard=_of_stock,
        before=("columns/in_stock",),
        examples=(
            Example("COUNT V0 do we have in M0[numeric stock]", "SUM M0 of V0"),
            Example("COUNT V0 be in M0[numeric price]", "COUNT V0 be in M0"),
        ),
    ),
    Rule(
        "columns/in_stock",
        r"(?:that |which |be |still |currently |now )*in {m:numeric}(?= ?$| [?.]| and (?:not|that|be) )",
        _some_left,
        guard=_asks_for_things,
        examples=(
            Example("M0 still in M1[numeric stock]", "M0 C0", ("C0: M1 > N0",)),
            Example("M0 in M1[numeric price]", "M0 in M1"),
        ),
    ),
    Rule(
        "columns/has_one",
        r"(?<!not )(?<!never )(?:that |which |who )?(?:still )?"
        r"(?:have|with|has|(?:(?:have|be|ever) )*(?:won|got|get|received|been given|awarded)) (?:a|an|any) "
        r"{m:optional,-table!}(?= |$)"
        r"(?! (?:of|that|in|GT|LT|GE|LE|be|[CDNVQ]\d|with|BEFORE|AFTER|between|EQ))",
        _has_one,
        examples=(
            Example("with a M0[optional]", "C0", ("C0: M0 is no null",)),
            Example("with a M0[optional flag]", "C0", ("C0: M0 is true",)),
            Example("have won a M0[optional]", "C0", ("C0: M0 is no null",)),
            Example("not with a M0[optional]", "not with a M0"),
        ),
    ),
    Rule(
        "columns/all_but_undone",
        r"(?:except(?: for)?|excluding|exclude|other than|without)(?: (?:the|those|any|all|that|which|be))* "
        r"(?:not|non) {m:flag,-table!|moment}(?: one)?(?! (?:[MVCDN]\d|for|by|in|on|BEFORE|AFTER|SINCE))",
        _all_but_undone,
        examples=(
            Example("M0 excluding the not M1[flag] one", "M0 C0", ("C0: M1 is true",)),
            Example("M0 except not M1[moment] one", "M0 C0", ("C0: M1 is no null, a moment",)),
            Example("M0 except not M1[moment] M2[table]", "M0 except not M1 M2"),
        ),
    ),
    Rule(
        "columns/still",
        r"{WHO}(?:be )?(?<!still )still (?:be )?"
        r"{word=M\d+|going on|go on|in progress|under way|with us|[a-z]+}"
        r"(?P<m>(?<=work)(?= (?:in|at|as) )"
        r"|(?: (?:here|for us|with us))*(?= ?$| [?.]| (?:and )?(?:not|have)))",
        _still,
        before=("columns/going_on",),
        examples=(
            Example(
                "M0 still M1[admitted]", "M0 C0", ("C0: M2 is null",), schema={"times still admitted": (2,)}
            ),
            Example("M0 still going on", "M0 C0", ("C0: M1 is null",), schema={"times still ongoing": (1,)}),
            Example(
                "M0 who still work for us and have no M1",
                "M0 C0 and have no M1",
                ("C0: M2 is null",),
                schema={"times still active": (2,)},
            ),
        ),
    ),
    Rule(
        "columns/state_before",
        r"{word=[a-z]+} {m:table!}",
        _still,
        guard=_may_go_on,
        before=("columns/going_on",),
        examples=(
            Example(
                "unlimited M0[table!]", "C0 M0", ("C0: M1 is null",), schema={"times still unlimited": (1,)}
            ),
            Example("recent M0[table!]", "recent M0"),
        ),
    ),
    Rule(
        "columns/going_on",
        rf"{{WHO}}(?:(?:be|still|currently) )*{{not=(?:not|no longer) (?:currently )?}}?"
        rf"{{word={'|'.join(ENDS)}}}(?! (?:in|on|at|with|near|there|here|alone) )(?: {{m}})?(?= |$)",
        _going_on,
        examples=(
            Example("open", "C0", ("C0: M0 is null",), schema={"times still open": (0,)}),
            Example("not active", "C0", ("C0: M0 is no null",), schema={"times still active": (0,)}),
            Example("GE N0 open M0", "GE N0 M0 C0", ("C0: M1 is null",), schema={"times still open": (1,)}),
            Example("M0 living in V0", "M0 living in V0"),
        ),
    ),
    Rule(
        "columns/over",
        r"{WHO}(?:(?:be|been|yet|have|already|now|get) )*(?:{not=(?:not|never) }(?:(?:be|been|yet) )*)?"
        rf"{{word={'|'.join(OVER)}}}(?: (?:down|yet|already))?"
        r"(?: {m})?(?= |$)(?! (?:in(?! each| every)|on|since|by(?! M)|BEFORE|AFTER|SINCE)\b)"
        r"(?! at (?:(?:the|an?|one) )*[MVC]\d)",  # 'trips that ended at the station' are over, wherever
        _over,
        examples=(
            Example("closed", "C0", ("C0: M0 is no null",), schema={"times closed": (0,)}),
            Example("not closed", "C0", ("C0: M0 is null",), schema={"times closed": (0,)}),
            Example("ended at the M1", "ended at the M1"),
        ),
    ),
    Rule(
        "columns/happened",
        r"(?:(?:that|which|who|whose|be|been|yet|have|already|still|get|got) )*"
        r"(?:{not=(?:not|never) }(?:(?:be|been|yet|already|get) )*)?{m:moment}(?: yet)?"
        r"(?:(?: (?:in|on|out|off|up|back))+(?= ?$| [?.,]| (?:G\d*|per|by)(?: |$))|"
        r"(?! (?:in|on|from|at|to|BEFORE|AFTER|SINCE|between|during|GT|LT|GE|LE|[CDN]\d|by|be|M\d|of|and|"
        r",)))",
        _happened,
        guard=lambda context, found: _STATE_OPENING.match(found.text) is not None,
        examples=(
            Example("be M0[moment]", "C0", ("C0: M0 is no null, a moment",)),
            Example("not M0[moment]", "C0", ("C0: M0 is null, a moment",)),
            Example("be not M0[moment] in ?", "C0 ?", ("C0: M0 is null, a moment",)),
            Example("who never M0[moment] in , G1", "C0 , G1", ("C0: M0 is null, a moment",)),
            Example("be M0[moment] in N0", "be M0 in N0"),
            Example("M0[moment]", "M0"),
        ),
    ),
    after=("measures",),
)
