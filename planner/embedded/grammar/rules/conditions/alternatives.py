"""Alternatives between conditions: either of two, both of two, by pairs, far apart.

Owns: which conditions an 'or' or an 'and' joins.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from askwire.planner.embedded.grammar.atoms import APART, Atom, Comparison, Either, IsValue, Output, Together
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule
from askwire.planner.embedded.grammar.rules.conditions.negations import denied

_PREPOSITIONS: Final = r"(?:(?:in|of|on|during|for|at|the|year|with|be) )*"
_WORDS_BETWEEN: Final = r"(?:(?!C\d|G\d|and |or |but |not |no |never |without |except )[a-zM][\w']* ){1,8}"
"""What may stand between 'or' and its second condition: no other conjunction, and nothing that denies."""
_FILLER_WORDS: Final = (
    r"(?:(?:in|have|with|be|a|the|by|at|from|who|that|whose|of|an|M\d+|for|on|on|either|"
    r"also|which|live|another|\w+ed|whom|have|do|to) ){0,4}"
)


_LINKING: Final = r"(?:(?:that|which|who|with|have|be|in|from|of|for|the|a|at|by|on|whose|\w+ed|M\d+) ){0,4}"


def _conditions(context: RuleContext, text: str) -> tuple[Atom, ...]:
    """The conditions of a part of the line; of 'Paris or Rome' beside one column, both are of it."""
    parts = tuple(context.atoms[int(n)] for n in re.findall(r"C(\d+)", text))
    if not isinstance(parts[0], IsValue):
        return parts
    named = (p.mention for p in parts if isinstance(p, IsValue) and p.mention is not None)
    mention = next(named, None)
    return tuple(
        IsValue(p.value, mention, p.negated) if isinstance(p, IsValue) and p.mention is None else p
        for p in parts
    )


def _pairs(context: RuleContext, found: RuleMatch) -> str:
    """'C0 C1 or in C2 C3', alike by pairs: one pair or the other ('fall 2009 or spring 2010')."""
    one, two, three, four = _four(context, found)
    return context.note(Either((Together((one, two)), Together((three, four))), both=found["how"] == "and"))


def _alike(context: RuleContext, found: RuleMatch) -> bool:
    one, two, three, four = _four(context, found)
    if all(isinstance(c, IsValue) for c in (one, two, three, four)):
        # 'Paris, Texas or Rome, Georgia': cities and states
        first, second, third, fourth = (_columns(context, c) for c in (one, two, three, four))
        return bool(first & third and second & fourth) and not first & second and not third & fourth
    return type(one) is type(three) and type(two) is type(four) and type(one) is not type(two)


def _columns(context: RuleContext, condition: Atom) -> set[int]:
    """The columns that hold a value just as it is said."""
    assert isinstance(condition, IsValue)  # noqa: S101 - what its callers have asked
    hits = context.encoded.values[condition.value].hits
    return {hit.column for hit in hits if hit.quality == hits[0].quality}


def _four(context: RuleContext, found: RuleMatch) -> tuple[Atom, Atom, Atom, Atom]:
    one, two, three, four = (context.atoms[int(n)] for n in re.findall(r"C(\d+)", found.text))
    return one, two, three, four


def _either(context: RuleContext, found: RuleMatch) -> str:
    """'C0 , C1 or C2'."""
    return context.note(Either(_conditions(context, found.text), both=False))


def _both(context: RuleContext, found: RuleMatch) -> str:
    """'both C0 and C1'; 'C0 and C1' for the same column."""
    parts = _conditions(context, found.text)
    first, second = parts[0], parts[-1]
    if isinstance(first, Comparison) and isinstance(second, Comparison) and len(parts) == 2:
        unsaid = second.mention is not None and context.encoded.mentions[second.mention].start < 0
        if unsaid and first.operand.kind == second.operand.kind in {"N", "D"}:
            # 'ordered both in 2023 and in 2024': what was done has one time
            parts = first, replace(second, mention=first.mention)
    return context.note(Either(parts, both=True))


def _of_such(context: RuleContext, found: RuleMatch) -> str | None:
    """'both M0 with C0 and M1 with C1' of one noun: what is shown has rows of either kind."""
    lead, again = context.mentions(found["lead"]), context.mentions(found["again"])
    said = {context.word(n) for n in lead} - {""}
    if any(context.word(n) not in said for n in again):
        return None
    context.spend(*again)
    parts = context.atoms[found.at("a")], context.atoms[found.at("b")]
    return f"{found['lead']}{context.note(Either(parts, both=True, apart=True))}"


def _same_column(context: RuleContext, found: RuleMatch) -> bool:
    """Whether values may be of one column, where one row cannot hold several; or times are of one."""
    parts = _conditions(context, found.text)
    times = [p for p in parts if isinstance(p, Comparison) and p.operator == "=" and p.operand.kind == "D"]
    if len(times) == len(parts) and not any(p.negated for p in times):
        return len({p.mention for p in times}) == 1
    values = context.encoded.values
    columns = [{h.column for h in values[p.value].hits} for p in parts if isinstance(p, IsValue)]
    return len(columns) == len(parts) and bool(set.intersection(*columns))


def _apart(context: RuleContext, found: RuleMatch) -> str:
    """'C0 or sung in C1', 'C0 or be specialized in by M2 C1': an 'or' far from its second condition."""
    parts = context.atoms[found.at("a")], context.atoms[found.at("b")]
    mentioned = re.findall(r"(?<!\S)M\d+", found["between"])
    return " ".join([context.note(Either(parts, both=False)), *mentioned])


def _and_how_many(context: RuleContext, found: RuleMatch) -> str | None:
    """'how many orders are C0 and how many are not': two numbers; of two values a row for each."""
    first = context.atoms[found.at("a")]
    second = denied(context, first) if found["no"] else context.atoms[found.at("b")]
    thing, again = found.maybe("m"), found.maybe("m2")
    other = again is not None and (thing is None or not context.oracle.related(again, "same table", thing))
    if second is None or other:
        return None
    column = None
    if not found["no"] and isinstance(first, IsValue) and isinstance(second, IsValue):
        column = context.oracle.shared(first.value, second.value)
    context.spend(again)
    context.consumed("not")
    if column is None:
        context.flags.add(APART)
    else:
        context.groups.append(Output(column))
    grouped = "" if column is None else f" G{column}"
    return (
        f"COUNT {found['rows']}{found['when']} {context.note(Either((first, second), both=False))}{grouped}"
    )


RULES: Final = in_order(
    Rule(
        "alternatives/and_how_many",
        r"COUNT {DET}(?P<rows>(?:{m:table!}|C\d+)(?: (?!COUNT|SUM|AVG|G)\S+)*?)(?: (?:be|have))*"
        r" {a:condition} and COUNT (?:of )?(?:(?:them|those|these|{m2:table!}) )?(?:(?:be|have|do) )*"
        r"(?:{no=not}|{b:condition})"
        r"(?P<when>(?: (?:(?:in|since|during|before|after|on|from|the) )*C\d+)?(?: G\d*)*){END}",
        _and_how_many,
        before=("alternatives/same_column", "alternatives/either"),
        examples=(
            Example(
                "COUNT M0[table!] with C0[M1 > N0] be C1[? = V0] and COUNT be not ?",
                "COUNT M0 with C0 C2 ?",
                ("C2: ? = V0 or not ? = V0", "flag apart"),
            ),
            Example(
                "C0[M1 = D0] , COUNT M0[table!] be C1[? = V0] and COUNT be C2[M2 > N0] ?",
                "C0 , COUNT M0 C3 ?",
                ("C3: ? = V0 or M2 > N0", "flag apart"),
            ),
            Example(
                "COUNT M0[table!] be C0[? = V0] and COUNT be C1[? = V1] in C2[M1 = D0]",
                "COUNT M0 in C2 C3 G3",
                ("C3: ? = V0 or ? = V1", "group by M3"),
                schema={"shared V0 V1": 3},
            ),
            Example("COUNT M0[table!] G1 be C0[? = V0] and COUNT not", "COUNT M0 G1 be C0 and COUNT not"),
            Example(
                "COUNT M0[table!] be C0[? = V0] and COUNT M1[table!] be C1[? = V1]",
                "COUNT M0 be C0 and COUNT M1 be C1",
            ),
        ),
    ),
    Rule(
        "alternatives/pairs",
        rf"C\d+ (?:, )?{_PREPOSITIONS}C\d+ ,? ?{{how=or|and}} {_PREPOSITIONS}C\d+ (?:, )?{_PREPOSITIONS}C\d+",
        _pairs,
        guard=_alike,
        examples=(
            Example(
                "C0[? = V0] C1[M0 = N0] or C2[? = V1] C3[M0 = N1]",
                "C4",
                ("C4: ? = V0 and M0 = N0 or ? = V1 and M0 = N1",),
            ),
            Example(
                "C0[? = V0] C1[M0 = N0] and C2[? = V1] C3[M0 = N1]",
                "C4",
                ("C4: ? = V0 and M0 = N0 both and ? = V1 and M0 = N1",),
            ),
            Example("C0[? = V0] C1[? = V1] or C2[? = V2] C3[? = V3]", "C0 C1 or C2 C3"),
        ),
    ),
    Rule(
        "alternatives/both",
        r"both (?:(?:in|from|at|with|by|on|for|a|an|the) ){0,2}C\d+ (?:M\d+ )?and " + _FILLER_WORDS + r"C\d+",
        _both,
        examples=(Example("both C0[? = V0] and C1[? = V1]", "C2", ("C2: ? = V0 both and ? = V1",)),),
    ),
    Rule(
        "alternatives/either",
        r"(?:either )?C\d+(?: , C\d+){0,4}(?: M\d+)? ?,? or "
        + _FILLER_WORDS
        + r"C\d+(?: or "
        + _FILLER_WORDS
        + r"C\d+)?",
        _either,
        examples=(Example("C0[? = V0] or C1[? = V1]", "C2", ("C2: ? = V0 or ? = V1",)),),
    ),
    Rule(
        "alternatives/of_such",
        rf"(?:both )?(?P<lead>M\d+ {_LINKING}){{a:condition}}(?: M\d+)? ?,? and "
        rf"(?P<again>M\d+ {_LINKING}){{b:condition}}",
        _of_such,
        examples=(
            Example(
                "both M0[players] with C0[? = V0] and M1[players] with C1[? = V1]",
                "M0 with C2",
                ("C2: ? = V0 both and ? = V1",),
            ),
            Example(
                "M0[players] C0[M1 > N0] and M2[players] that C1[M1 < N1]",
                "M0 C2",
                ("C2: M1 > N0 both and M1 < N1",),
            ),
            Example(
                "M0[players] with C0[M1 > N0] and M2[teams] with C1[M1 < N1]", "M0 with C0 and M2 with C1"
            ),
        ),
    ),
    Rule(
        "alternatives/same_column",
        r"C\d+(?: , C\d+)*(?: M\d+)? ?,? and " + _FILLER_WORDS + r"C\d+",
        _both,
        guard=_same_column,
        examples=(
            Example(
                "C0[? = V0] , C1[? = V1] , and C2[? = V2]",
                "C3",
                ("C3: ? = V0 both and ? = V1 both and ? = V2",),
            ),
            Example("C0[? = V0] and C1[? = V1]", "C2", ("C2: ? = V0 both and ? = V1",)),
            Example("C0[M0 = D0] and C1[M0 = D1]", "C2", ("C2: M0 = D0 both and M0 = D1",)),
            Example("C0[M0 = D0] and C1[M1 = D1]", "C0 and C1"),
            Example("C0[? = V0] and C1[M0 > N0]", "C0 and C1"),
        ),
    ),
    Rule(
        "alternatives/listed",
        r"C\d+(?: , C\d+){2,}",
        _either,
        guard=_same_column,
        examples=(
            Example("C0[? = V0] , C1[? = V1] , C2[? = V2]", "C3", ("C3: ? = V0 or ? = V1 or ? = V2",)),
            Example("C0[? = V0] , C1[? = V1] , C2[M0 > N0]", "C0 , C1 , C2"),
        ),
    ),
    Rule(
        "alternatives/apart",
        r"{a:condition} ?,? or (?P<between>" + _WORDS_BETWEEN + r"){b:condition}",
        _apart,
        examples=(
            Example("C0[? = V0] or M0 C1[M1 < D0]", "C2 M0", ("C2: ? = V0 or M1 < D0",)),
            Example("C0[M0 > N0] or be C1[? = V0]", "C2", ("C2: M0 > N0 or ? = V0",)),
        ),
    ),
    after=("above_any",),
)
