"""Comparisons with one row that is named: bigger than Paris, hired after Ann, in the same region as Japan.

Owns: conditions that set a column against what the row of that name holds in it. The name is noted first, by
the rules of values; `interpretation` sees to it that it names a row of what is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from askwire.language.lexicon import ATTRIBUTES
from askwire.language.text import PARTICIPLE
from askwire.planner.embedded.grammar.atoms import (
    COMPARE,
    MEASURES,
    SPENDING,
    WHEN,
    Atom,
    Beyond,
    Comparison,
    IsValue,
)
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_HEIGHT_COMPARATIVES: Final = ("higher", "lower", "taller", "shorter")
_SIZE_COMPARATIVES: Final = ("larger", "bigger", "greater", "smaller")
_SOMEONE_WITH: Final = (
    r"(?:someone|somebody|anyone|anybody|one) (?:else )?(?:(?:with|whose|named|called|the|a|have) )+"
)
_ROW_NAME: Final = (
    rf"(?:{_SOMEONE_WITH})?"
    r"(?:(?:than|that|those|the one|of|in|for|by|the|be|have) )*(?:M\d+ (?:(?:with|whose|the|that have) )*)?"
    r"{c:condition}(?: {c2:condition})?"
    r"(?: (?:be|do|have|'s))?(?= ?$| [?.,]| (?:and|or|but|in|from|that|who|which|with|by|[SOG]\d*)(?!\S))"
)
"""The name of a row: a value, or two that belong together ('Ann Lee')."""
_LINKING: Final = r"(?:(?:be|have|with|a|an|of|that|which|who|also) )*"
_MEASURE_VERBS: Final = "|".join((*MEASURES, *SPENDING))
_PARTICIPLES: Final = r"(?:make|made|[a-z]+ed|born|built|written|sung)"
_ORDER_SYMBOL: Final = r"{op=GT|GE|LT|LE|BEFORE|AFTER}(?:~{adj=\w+})?"
_SHARING_WORDS: Final = (
    r"(?:(?:in|with|of|from|on|at|by|have|that|which|who|whose|share|be|do|born|live|living|located|based|work|"
    r"working|come|coming|belong to|made|exactly|EQ|also|a) )*"
)


def _is_name(context: RuleContext, found: RuleMatch) -> bool:
    """Whether what is compared with is a value, two of them, or the number of a key."""
    places = [found.at("c")] + ([found.at("c2")] if found["c2"] else [])
    atoms = [context.atoms[place] for place in places]
    someone = re.search(_SOMEONE_WITH, found.text) is not None  # 'as someone whose first name is Ann'
    if any(map(_keyed(context), atoms)):
        return len(atoms) == 1
    return all(
        isinstance(atom, IsValue) and not atom.negated and (atom.holder is None or someone) for atom in atoms
    )


def _keyed(context: RuleContext) -> Callable[[Atom], bool]:
    """Whether a condition says the number of a key: 'the employee with id 163'."""

    def said(atom: Atom) -> bool:
        if not isinstance(atom, Comparison) or atom.operator != "=" or atom.negated:
            return False
        return atom.mention is not None and "key" in context.kinds(atom.mention)

    return said


def _noted(
    context: RuleContext,
    found: RuleMatch,
    mention: int | None,
    operator: str,
    adjective: str = "",
    aggregate: str = "",
) -> str | None:
    """The condition, with the name inside it; None where there is nothing to compare, or no name."""
    if mention is None or not _is_name(context, found):
        return None
    places = [found.at("c")] + ([found.at("c2")] if found["c2"] else [])
    context.inner.update(places)
    context.consumed(found.text)
    said = {mention, found.maybe("m"), found.maybe("n")}
    context.spend(*(m for m in context.mentions(found.text) if m not in said))  # 'than the M2 with id 7'
    name = tuple(context.atoms[place] for place in places)
    return context.note(Beyond(mention, operator, aggregate, adjective, name))


def _beyond(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 GT C0', 'GT~old C0', 'GT M0 than C0': more of it than the row of that name has."""
    when, lead, mention = found["op"] in WHEN, "", found.maybe("n")
    if mention is None:
        mention = found.maybe("m")
        if mention is None or not _measures(context, mention, when=when):
            lead, mention = found["m"], _unsaid(context, found)
    else:
        lead = found["m"]
    text = _noted(context, found, mention, COMPARE[found["op"]], found["adj"], _together(context, found))
    return None if text is None else f"{lead} {text}".strip()


def _together(context: RuleContext, found: RuleMatch) -> str:
    """How rows are taken together: 'more orders than Ann' are counted, what was spent is summed.

    '' where a row of each is compared.
    """
    if found["n"]:
        kinds = context.kinds(found.at("n"))
        return "count" if "table!" in kinds or "numeric" not in kinds else ""
    return "sum" if found["verb"] in SPENDING else ""


def _measures(context: RuleContext, mention: int, *, when: bool) -> bool:
    """Whether a mention is rather a column of numbers, or of times, than the things that are asked for."""
    kinds = context.kinds(mention)
    return ("time" if when else "numeric") in kinds and "table!" not in kinds


def _unsaid(context: RuleContext, found: RuleMatch) -> int | None:
    """What an adjective or a verb measures, where no column is named: 'who earns more than Ann'."""
    if found["op"] in WHEN:
        done = PARTICIPLE.fullmatch(found["verb"] or context.said(found["m"]) or "")
        return context.measure("time") if done else None
    if found["adj"]:
        return context.measure(found["adj"])
    if found["verb"]:
        named = MEASURES.get(found["verb"]) or ("spent" if found["verb"] in SPENDING else "")
        return context.measure(named) if named else None
    if context.spoken(*_HEIGHT_COMPARATIVES):
        return context.measure("lofty")
    return context.measure("large") if context.spoken(*_SIZE_COMPARATIVES) else None


def _alike(context: RuleContext, found: RuleMatch) -> str | None:
    """'in the same M0 as C0': what the row of that name has."""
    return _noted(context, found, found.at("m"), "=")


def _as_old(context: RuleContext, found: RuleMatch) -> str | None:
    """'as old as C0'."""
    return _noted(context, found, context.measure(found["adj"]), "=", found["adj"])


RULES: Final = in_order(
    Rule(
        "named_rows/beyond",
        rf"(?:{{m}} )?{_LINKING}(?:{{verb={_MEASURE_VERBS}|{_PARTICIPLES}}} )?{_ORDER_SYMBOL} "
        rf"(?:(?:of )?{{n}} than )?{_ROW_NAME}",
        _beyond,
        examples=(
            Example(
                "M0[table!] GT~big C0[? = V0]",
                "M0 C1",
                ("C1: M1 > that of one (big) where ? = V0", "C0 stands inside another"),
                schema={"measure big": 1},
            ),
            Example(
                "M0[table!] have a GT M1[numeric] than C0[? = V0]",
                "M0 C1",
                ("C1: M1 > that of one where ? = V0", "C0 stands inside another"),
            ),
            Example(
                "which M0[table!] earn GT C0[? = V0] C1[? = V1] ?",
                "which M0 C2 ?",
                (
                    "C2: M1 > that of one where ? = V0 and ? = V1",
                    "C0 stands inside another",
                    "C1 stands inside another",
                ),
                schema={"measure paid": 1},
            ),
            Example(
                "M0[table!] M1[time hired] AFTER C0[? = V0]",
                "M0 C1",
                ("C1: M1 > that of one where ? = V0", "C0 stands inside another"),
            ),
            Example(
                "M0[table!] released AFTER C0[? = V0]",
                "M0 C1",
                ("C1: M1 > that of one where ? = V0", "C0 stands inside another"),
                schema={"measure time": 1},
            ),
            Example("M0[table!] AFTER C0[? = V0]", "M0 AFTER C0"),
            Example(
                "M0[table!] with GT M1[table!] than C0[? = V0]",
                "M0 C1",
                ("C1: M1 > count of that one where ? = V0", "C0 stands inside another"),
            ),
            Example(
                "M0[table!] who spent GT C0[? = V0]",
                "M0 C1",
                ("C1: M1 > sum of that one where ? = V0", "C0 stands inside another"),
                schema={"measure spent": 1},
            ),
            Example("M0[table!] GT C0[M1 > N0]", "M0 GT C0"),
            Example(
                "M3[key] of M0[table!] with GT M1[numeric] than the M2[table!] with C0[M3 = N0]",
                "M3 of M0 C1",
                ("C1: M1 > that of one where M3 = N0", "C0 stands inside another"),
            ),
        ),
    ),
    Rule(
        "named_rows/same",
        rf"{_SHARING_WORDS}(?:the )?(?:very )?same {{m}} (?:(?:as|with|like) )+{_ROW_NAME}",
        _alike,
        examples=(
            Example(
                "M0[table!] in the same M1[column] as C0[? = V0]",
                "M0 C1",
                ("C1: M1 = that of one where ? = V0", "C0 stands inside another"),
            ),
            Example(
                "M0[table!] in the same M1[column] as someone with the C0[M2 = V0]",
                "M0 C1",
                ("C1: M1 = that of one where M2 = V0", "C0 stands inside another"),
            ),
        ),
    ),
    Rule(
        "named_rows/is_the_same",
        rf"{_LINKING}(?:whose )?(?:the )?{{m:column}} be (?:the )?same as {_ROW_NAME}",
        _alike,
        examples=(
            Example(
                "M0[table!] whose M1[column] be the same as C0[? = V0]",
                "M0 C1",
                ("C1: M1 = that of one where ? = V0", "C0 stands inside another"),
            ),
        ),
    ),
    Rule(
        "named_rows/as_old",
        rf"{_LINKING}(?:(?:just|exactly|equally|EQ) )*as {{adj={'|'.join(ATTRIBUTES)}}} as {_ROW_NAME}",
        _as_old,
        examples=(
            Example(
                "M0[table!] be as old as C0[? = V0]",
                "M0 C1",
                ("C1: M1 = that of one (old) where ? = V0", "C0 stands inside another"),
                schema={"measure old": 1},
            ),
        ),
    ),
    after=("values",),
)
