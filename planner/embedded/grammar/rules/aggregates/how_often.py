"""How often each thing is used: which tags are used and how often, how often is each coupon used.

Owns: counts of the rows that use something, for each of what they use.
"""

from __future__ import annotations

from typing import Final

from askwire.language.lexicon import EVENTS
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule


def _used_so_often(context: RuleContext, found: RuleMatch) -> str | None:
    """'which tags are used and how often': of each how many rows use it."""
    said = found.maybe("time")
    if said is not None and "time" not in context.kinds(said):
        return None
    things, verb = found.at("m"), found["verb"]
    if "table!" not in context.kinds(things):
        counted = None  # how many rows hold each value
    elif (counted := _user(context, things, verb)) is None:
        return None
    context.consumed(found.text)
    context.spend(said)
    if counted is None:
        return f"what {found['kind']}{found['m']} be there and COUNT each"
    return f"{found['kind']}COUNT M{counted} per {found['m']}"


def _user(context: RuleContext, things: int, verb: str) -> int | None:
    """What records that things were used, by the verb: 'ordered', or whatever has a key of them."""
    recorded = context.oracle.event(verb) if verb in EVENTS else None
    return context.oracle.party("user", [things]) if recorded is None else recorded


_HOW_OFTEN: Final = r"(?:how (?:often|frequently)|COUNT (?:{time}|time))"
_AUXILIARIES: Final = r"(?:(?:be|do|have|get|we|people|they|our) )*"
_USING_VERB: Final = r"{verb=use|used|do|done|take|taken|choose|chosen|apply|applied|made|there|[a-z]+ed}"

RULES: Final = in_order(
    Rule(
        "how_often/used_and_how_often",
        rf"^(?:which|what) {{kind=[VM]\d+ }}?{{m}} {_AUXILIARIES}{_USING_VERB}(?: ,)?(?: and)? {_HOW_OFTEN}"
        r"(?: (?:each|be|have|it|they|them|of|was|every|one|used|do|done))*{END}",
        _used_so_often,
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "which M0[table! tags] be used and how often", "COUNT M1 per M0", schema={"party user M0": 1}
            ),
            Example(
                "which M0[table! parts] be used and how often",
                "which M0 be used and how often",
                schema={"party user M0": None},
            ),
            Example("which M0[column!] be used COUNT M1[time]", "what M0 be there and COUNT each"),
            Example(
                "which M0[table!] be ordered and how often", "COUNT M1 per M0", schema={"event ordered": 1}
            ),
        ),
    ),
    Rule(
        "how_often/how_often_used",
        rf"^{_HOW_OFTEN} {_AUXILIARIES}(?:each|every) {{kind=[VM]\d+ }}?{{m}} "
        rf"{_AUXILIARIES}{_USING_VERB}{{END}}",
        _used_so_often,
        before=("listings", "side_by_side"),
        examples=(
            Example("how often be each M0[table!] used ?", "COUNT M1 per M0 ?", schema={"party user M0": 1}),
        ),
    ),
    after=("groups_without",),
)
