"""Comparisons with a part of the rows: more than any of them, above the average of those.

Owns: conditions that stand inside a comparison. They are noted first, by other rules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from askwire.planner.embedded.grammar.atoms import COMPARE, MEASURES, WHEN, Atom, Beyond, IsValue
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_COMPARED: Final = (
    rf"(?:{{m}} |{{verb={'|'.join(MEASURES)}}} )?(?:(?:that|which|be|have|a) )*{{OP}} (?:{{n}} )?(?:than )?"
)
_ANY_OR_ALL: Final = r"{which=any|all|every|some|at least one}(?: of)?(?: the)?(?: other)? "


def _of_those(context: RuleContext, found: RuleMatch) -> str:
    """'above the average resolution of songs in modern genre': the average of those."""
    said, inner = context.atoms[found.at("b")], found.at("c")
    if not isinstance(said, Beyond):
        raise TypeError(said)
    context.inner.add(inner)
    context.spend(*context.mentions(found.text))
    context.atoms[found.at("b")] = replace(said, inner=(context.atoms[inner],))
    return found["b"]


def _beyond_all(context: RuleContext, found: RuleMatch) -> bool:
    """Whether no row can be so: one is more than the most of those only where they are not all."""
    said = context.atoms[found.at("b")]
    if not isinstance(said, Beyond) or said.inner or said.within is not None:
        return False
    return (said.operator, said.aggregate) in {(">", "max"), ("<", "min")}


def _compares_all(context: RuleContext, found: RuleMatch) -> bool:
    said = context.atoms[found.at("b")]
    return isinstance(said, Beyond) and not said.inner


def _is_compared(context: RuleContext, found: RuleMatch, mention: int) -> bool:
    """Whether a mention in front is what is compared: a number, or when something was done."""
    kinds = context.kinds(mention)
    return "numeric" in kinds or (found["op"] in WHEN and {"time", "column!"} <= kinds)


def _beyond(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 GT any M1 in C0': more than every one of them (or, for 'some', than the least)."""
    lead, mention = "", found.maybe("m")
    numeric = mention is not None and _is_compared(context, found, mention)
    if found["n"] and not numeric:
        lead, mention = found["m"], found.maybe("n")
        numeric = mention is not None and "numeric" in context.kinds(mention)
    if not numeric:
        lead = found["m"]
        if found["adj"]:
            mention = context.measure(found["adj"])
        elif found["verb"]:
            mention = context.measure(MEASURES[found["verb"]])
    if mention is None and found["op"] in WHEN:
        mention = context.measure("time")  # 'wines produced before any wine from C0'
    if mention is None:
        return None
    row, same = found.maybe("row"), found.maybe("same")
    alike = same is None or context.word(same) == context.word(mention)
    alike = alike or (found["op"] in WHEN and same is not None and "time" in context.kinds(same))
    operator, inner = COMPARE[found["op"]], found.at("c")
    if row is not None and alike and context.oracle.related(mention, "column of", row):
        # 'GT M1 than that of any M2 in C0', 'than the M1 of any M2': M1 says already of what it is
        context.spend(row, same, *(() if found["which"] == "any" else _said_of(context, found, row, inner)))
    said = {found.maybe(name) for name in ("m", "n", "row", "same")}
    context.spend(*(m for m in context.mentions(found.text) if m not in said))  # 'with title C0'
    up = operator.startswith(">") != (found["which"] == "some")
    if found["which"] == "any":
        context.flags.add("any_said")
    context.inner.add(inner)
    part: tuple[Atom, ...] = (context.atoms[inner],)
    if (last := found.maybe("last")) is not None:  # 'any call by Ann Lee': one name in two columns
        context.inner.add(last)
        part = (*part, context.atoms[last])
    return f"{lead} {context.note(Beyond(mention, operator, 'max' if up else 'min', found['adj'], part))}"


def _said_of(context: RuleContext, found: RuleMatch, row: int, inner: int) -> list[int]:
    """Of 'any call taken by the agent C0': what was done is of the call, and the agent has the value."""
    said = context.atoms[inner]
    value = said.value if isinstance(said, IsValue) else None
    between = context.mentions(found.text[found.text.index(f"M{row} ") :])
    return [
        m
        for m in between
        if context.oracle.related(m, "column of", row)
        or (value is not None and context.oracle.related(m, "has value", value))
    ]


RULES: Final = in_order(
    Rule(
        "above_any/average_of_those",
        r"{b:condition} (?:of|for|among) (?:(?:all|the) )*{t:table!} "
        r"(?:(?:in|with|from|that|be|who|have|whose|at|on|the) )*(?:(?!and |or |but )[a-z]+ )?(?:by )?"
        r"{c:condition}"
        r"(?: M\d+)?",
        _of_those,
        guard=_compares_all,
        examples=(
            Example(
                "C0[M1 > avg of all] of M0[table!] in C1[? = V0]",
                "C0",
                ("C0: M1 > avg of all where ? = V0", "C1 stands inside another"),
            ),
            Example(
                "C0[M1 > avg of all] of all M0[table!] C1[M2 > N0]",
                "C0",
                ("C0: M1 > avg of all where M2 > N0", "C1 stands inside another"),
            ),
            Example(
                "C0[M1 > avg of all] of the M0[table!] directed by C1[? = V0]",
                "C0",
                ("C0: M1 > avg of all where ? = V0", "C1 stands inside another"),
            ),
            Example("C0[M1 = N0] of M0[table!] in C1[? = V0]", "C0 of M0 in C1"),
        ),
    ),
    Rule(
        "above_any/extreme_of_those",
        r"{b:condition} (?:in|of|for|from|at|among|with|by) (?:(?:all|the) )*{c:condition}(?: M\d+)?",
        _of_those,
        guard=_beyond_all,
        examples=(
            Example(
                "C0[M0 > max of all] in C1[? = V0]",
                "C0",
                ("C0: M0 > max of all where ? = V0", "C1 stands inside another"),
                said="colleges with a larger enrollment than the largest college in Florida",
            ),
            Example("C0[M0 > min of all] in C1[? = V0]", "C0 in C1"),
        ),
    ),
    Rule(
        "above_any/average_of_such",
        r"{b:condition} {c:condition} {t:table!}(?: M\d+)?(?= ?$| [.?])",
        _of_those,
        guard=lambda context, found: (
            _compares_all(context, found) and isinstance(context.atoms[found.at("c")], IsValue)
        ),
        examples=(
            Example(
                "C0[M1 > avg of all] C1[? = V0] M0[table!] M2 ?",
                "C0 ?",
                ("C0: M1 > avg of all where ? = V0", "C1 stands inside another"),
            ),
            Example("C0[M1 = N0] C1[? = V0] M0[table!]", "C0 C1 M0"),
        ),
    ),
    Rule(
        "above_any/any_value",  # 'older than at least one engineer', where the engineers are but a value
        rf"{_COMPARED}{_ANY_OR_ALL}{{c:condition}}(?= |$)",
        _beyond,
        guard=lambda context, found: isinstance(context.atoms[found.at("c")], IsValue),
        examples=(
            Example(
                "M0[numeric] GT all C0[? = V0]",
                "C1",
                ("C1: M0 > max of all where ? = V0", "C0 stands inside another"),
            ),
            Example(
                "M0[numeric] GT any C0[? = V0]",
                "C1",
                ("C1: M0 > max of all where ? = V0", "flag any_said", "C0 stands inside another"),
            ),
            Example("M0 GT any C0[M1 = N0]", "M0 GT any C0"),
        ),
    ),
    Rule(
        "above_any/any_row",
        rf"{_COMPARED}(?:(?:that|those|the {{same=M\d+}}) of |the |M\d+ of )*{_ANY_OR_ALL}{{row=M\d+}} "
        r"(?:(?:in|of|from|with|that|those|be|at|on|by|who|the|have|whose|work|a|made|built|taken|[a-z]+ed"
        r"|M\d+) )*"
        r"{c:condition}(?: {last:condition}(?= ?$| [.?]))?(?: M\d+)?",
        _beyond,
        examples=(
            Example(
                "M0[numeric] GT any M1 by C0[? = V0] C1[? = V1] ?",
                "C2 ?",
                (
                    "C2: M0 > max of all where ? = V0 and ? = V1",
                    "flag any_said",
                    "C0 stands inside another",
                    "C1 stands inside another",
                ),
            ),
            Example(
                "M0[numeric] GT any M1 C0[? = V0]",
                "C1",
                ("C1: M0 > max of all where ? = V0", "flag any_said", "C0 stands inside another"),
            ),
            Example(
                "M0 M1[time column! hired] BEFORE any M2 C0[? = V0]",
                "M0 C1",
                ("C1: M1 < min of all where ? = V0", "flag any_said", "C0 stands inside another"),
            ),
            Example(
                "M0[table!] made BEFORE any M1 C0[? = V0]",
                "M0 made C1",
                ("C1: M2 < min of all where ? = V0", "flag any_said", "C0 stands inside another"),
                schema={"measure time": 2},
            ),
        ),
    ),
    after=("named_rows",),
)
