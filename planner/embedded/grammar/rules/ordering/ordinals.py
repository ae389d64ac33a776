"""Places in an order: the second most, the third highest, the bottom three.

Owns: which place is meant. What it is a place in, superlatives say.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.text import ORDINALS, listed, singular
from askwire.planner.embedded.grammar.atoms import Comparison, Superlative
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule, rewrite

_ORDINAL_NUMBER: Final = re.compile(r"(\d+)(?:st|nd|rd|th)")
_ORDINAL: Final = rf"(?:the )?(?:{{nth={'|'.join(ORDINALS)}|first}}|{{n:number}})"
_REQUEST: Final = (
    r"^{lead=(?:(?:what|which|show|give|find|list|tell|display|return|get|me|us|be|the|please) )*}"
)
MAX_PLACE: Final = 1000
_PAID: Final = frozenset({"paid", "earning", "compensated"})
_RATED: Final = frozenset({"rated", "reviewed"})
_NUMBERED_THINGS: Final = frozenset(
    listed("class grade floor season quarter semester division tier round period degree term stage league")
)
"""What is told by numbers: 'first class', 'second floor'."""
_GREATEST: Final = frozenset({"MAX", "MOST", "MAX~good", "top"})


def _place(context: RuleContext, found: RuleMatch) -> int | None:
    """The place that is said; a plain number says how many, not which."""
    if found["nth"]:
        context.understood(found["nth"])
        return ORDINALS.get(found["nth"], 1)
    said = _ORDINAL_NUMBER.fullmatch(context.encoded.numbers[found.at("n")].lower)
    return int(said[1]) if said and 0 < int(said[1]) <= MAX_PLACE else None


def _first_of(context: RuleContext, found: RuleMatch) -> str | None:
    """'in first class': the number of a class, of which there is more than one."""
    if singular(context.word(found.at("m"))) not in _NUMBERED_THINGS:
        return None
    context.understood("first")
    return context.note(Comparison(found.at("m"), "=", context.figure("1")))


def _value(context: RuleContext, found: RuleMatch) -> str | None:
    """'what is the third highest salary': a value, where the same value has one place."""
    place = _place(context, found)
    if place is None:
        return None
    context.nth = place
    context.rank(Superlative(found.at("m"), found["sup"] == "MAX", adjective="value"))
    return f"{found['lead']}{found['m']} S"


def _nth(context: RuleContext, found: RuleMatch) -> str | None:
    """'second MAX~expensive M0', 'the 3rd MOST M0'."""
    place = _place(context, found)
    if place is None:
        return None
    context.nth = place
    return found["sup"]


def _graded(context: RuleContext, found: RuleMatch) -> str | None:
    """'the MAX paid M0', 'the MAX~good rated M0': by what they are paid, by how they are rated on average."""
    owner, word = found.at("m"), context.said(found["verb"])
    if word not in _PAID | _RATED or (word in _PAID and "person" not in context.kinds(owner)):
        return None
    adjective = "paid" if word in _PAID else "good"
    measure = context.measure(adjective)
    if measure is None:
        return None
    context.spend(found["verb"] if found["verb"].startswith("M") else None)
    context.understood(word)
    down = found["sup"] in _GREATEST
    limit = context.limited(found.maybe("n") if found["n"] else found.maybe("n2"))
    if word in _RATED and not context.oracle.related(measure, "column of", owner):
        context.rank(Superlative(measure, down, limit, aggregate="avg"))
    else:
        context.rank(Superlative(measure, down, limit, adjective=adjective, owner=owner))
    return f"{found['m']} S"


RULES: Final = in_order(
    Rule(
        "ordinals/first_of",
        r"(?:the )?first {m:numeric,-table!}",
        _first_of,
        examples=(
            Example("M1 in first M0[numeric class]", "M1 in C0", ("C0: M0 = N0",)),
            Example("first M0[numeric price]", "first M0"),
        ),
    ),
    Rule(
        "ordinals/top_per_by",  # 'top 3 M0 per M1 by M2': by what, before in what
        r"{top=(?:top|bottom|first|worst) (?:N\d+ )?M\d+} "
        r"{of=(?:per|(?:in|for|of|within|by) (?:each|every)) M\d+} "
        r"{by=(?:by|base on|in|on) (?:(?:the|their|MAX|MOST|SUM|AVG|COUNT|of) )*M\d+}",
        rewrite("{top} {by} {of}"),
        examples=(Example("top M0 per M1 by M2", "top M0 by M2 per M1"),),
    ),
    Rule(
        "ordinals/value",
        rf"{_REQUEST}{_ORDINAL} {{sup=MAX|MIN}} (?:different |distinct )?{{m:numeric!,-table!}}(?! M)",
        _value,
        examples=(Example("third MAX M0[numeric!]", "M0 S", ("top 1 by M0 (value)", "place 3")),),
    ),
    Rule(
        "ordinals/nth",
        rf"{_ORDINAL} {{sup=(?:MAX|MIN)(?:~\w+)?|MOST|LEAST|MAXCOUNT|MINCOUNT}}(?= |$)",
        _nth,
        examples=(Example("second MAX", "MAX", ("place 2",)),),
    ),
    Rule(
        "ordinals/best_paid",
        r"(?:the )?(?:{n:number} )?{sup=MAX|MIN|MOST|LEAST|MAX~good|MIN~bad|MAX~bad|top}"
        r"(?: {n2:number})?(?: |-){verb=M\d+|[a-z]+} {m:table!}",
        _graded,
        examples=(
            Example("MAX~good rated M0[table!]", "M0 S", ("top 1 by avg M1",), schema={"measure good": 1}),
            Example(
                "MAX M0[paid] M1[person table!]",
                "M1 S",
                ("top 1 by M2 (paid, of M1)",),
                schema={"measure paid": 2},
            ),
        ),
    ),
    after=("durations",),
)
