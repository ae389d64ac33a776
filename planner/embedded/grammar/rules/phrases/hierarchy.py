"""Who stands above whom: who reports to X, the manager of X, each employee with their manager.

Owns: which of the two rows of one table a name belongs to.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.atoms import IsValue
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_PERSON: Final = r"(?:(?:the|our) )?(?:M\d+ )?{v=V\d+(?: V\d+)*}"
_ROLE: Final = r"{word=M\d+|[a-z]+}"
_REQUEST: Final = r"(?:(?:please|show|list|give|find|me|us|the|all|name|tell|of) )*"
_WHO_OPENING: Final = (
    rf"^(?:{_REQUEST}|who be (?:the )?|what be (?:the )?(?:name of )?(?:the )?|which M\d+ be (?:the )?)"
)
_THOSE_WHO: Final = (
    rf"^(?:COUNT |{_REQUEST}|which )"
    r"(?:(?:who|person|everyone|everybody|anyone|staff|M\d+|those) )?(?:(?:who|that|do|be|which) )*"
)
_REPORT_VERBS: Final = frozenset({"report", "reports", "reporting", "reported"})
_SUBORDINATE_WORDS: Final = frozenset({"reports", "subordinates", "subordinate", "team", "directs"})


def _pair(context: RuleContext, symbol: str) -> tuple[int, int] | None:
    """The mentions of those below and of those above them, by a word for what the latter are or do."""
    word = context.said(symbol)
    if not word and is_mention(symbol):
        word = context.encoded.mentions[int(symbol[1:])].words[-1]
    verb = "report" if word in _REPORT_VERBS | _SUBORDINATE_WORDS else word
    below, above = context.oracle.party("below", verb=verb), context.oracle.party("above", verb=verb)
    if below is None or above is None:
        return None
    context.understood(word)
    context.spend(symbol)
    return below, above


def _of(context: RuleContext, values: str, holder: int) -> str:
    """The conditions that values hold of the rows of `holder`."""
    return " ".join(context.note(IsValue(int(n), holder=holder)) for n in re.findall(r"V(\d+)", values))


def _boss(context: RuleContext, found: RuleMatch) -> str | None:
    pair = _pair(context, found["word"])
    if pair is None:
        return None
    below, above = pair
    context.consumed(found.text)
    return f"which M{above} with M{below} {_of(context, found['v'], below)}"


def _boss_or_team(context: RuleContext, found: RuleMatch) -> str | None:
    """'who do V0 report to' asks for the one above, 'who do V0 supervise' for those below."""
    if context.said(found["word"]) in _REPORT_VERBS:
        return _boss(context, found)
    pair = _pair(context, found["word"])
    if pair is None:
        return None
    below, above = pair
    context.consumed(found.text)
    return f"which M{below} with M{above} {_of(context, found['v'], above)}"


def _team(context: RuleContext, found: RuleMatch) -> str | None:
    pair = _pair(context, found["word"] or "report")
    if pair is None:
        return None
    below, above = pair
    context.spend(*context.mentions(found.text))
    context.consumed(found.text)
    context.understood("people")
    asked = "COUNT" if found.text.startswith("COUNT") else "which"
    return f"{asked} M{below} with M{above} {_of(context, found['v'], above)}"


def _reports(context: RuleContext, found: RuleMatch) -> bool:
    """Whether 'report to' is said, as words or as the name of a key."""
    if context.said(found["verb"]) in _REPORT_VERBS:
        return True
    symbol = found["verb"]
    return is_mention(symbol) and context.encoded.mentions[int(symbol[1:])].words[0] in _REPORT_VERBS


def _both_names(context: RuleContext, found: RuleMatch) -> str | None:
    """Each row beside the one above it, where M1 stands above M0."""
    verb = context.said(found["word"])
    below, above = context.oracle.party("below", verb=verb), context.oracle.party("above", verb=verb)
    if below is None or above is None or not context.oracle.related(found.at("m"), "same table", below):
        return None
    context.spend(found["m"], found["word"])
    return f"show M{below} and M{above}"


def _by_each(context: RuleContext, found: RuleMatch) -> str | None:
    """'which user referred the most users', 'users referred by each user': those above, by those below."""
    of, many = found.at("above"), found.at("below")
    if not context.oracle.related(of, "same table", many):
        return None
    pair = _pair(context, found["word"])
    if pair is None or not context.oracle.related(many, "same table", pair[0]):
        return None
    below, above = pair
    context.spend(of, many)
    if found["most"]:
        return f"which M{above} {found['most']} M{below}"
    return f"COUNT M{below} per M{above}"


def _with_team(context: RuleContext, found: RuleMatch) -> str | None:
    """'employees who have some reports': those above others, by those below."""
    word = found["word"]
    if context.said(word) not in _SUBORDINATE_WORDS | _REPORT_VERBS or (
        is_mention(word) and "table!" in context.kinds(int(word[1:]))
    ):
        return None
    pair = _pair(context, word)
    if pair is None or not context.oracle.related(found.at("m"), "same table", pair[0]):
        return None
    below, above = pair
    context.spend(found["m"])
    context.consumed(found.text)
    context.understood("direct")
    without = found["with"] in {"without", "not have"} or found["how"] in {"no", "not any"}
    such = f"with {found['how']}" if found["n"] else "with no"
    if not (found["n"] or without) and found.before.endswith("COUNT "):
        such = "with"
    elif not (found["n"] or without):
        such = f"with GE N{context.figure('1').number}"
    return f"M{above} {such} M{below}"


RULES: Final = in_order(
    Rule(
        "hierarchy/with_team",
        r"{m:table!} (?:(?:who|that|which|do) )*{with=have|with|without|not have}"
        r"(?: {how=(?:GT|GE|LT|LE|EQ) (?P<n>N\d+)|any|some|no|not any|other|a|a few})?(?: direct)? "
        rf"{_ROLE}{{END}}",
        _with_team,
        examples=(
            Example(
                "M0[table!] who have some direct report",
                "M2 with GE N0 M1",
                schema={"party below report": 1, "party above report": 2, "M0 same table M1": True},
            ),
            Example(
                "M0[table!] with GT N0[2] report",
                "M2 with GT N0 M1",
                schema={"party below report": 1, "party above report": 2, "M0 same table M1": True},
            ),
            Example(
                "M0[table!] without report",
                "M2 with no M1",
                schema={"party below report": 1, "party above report": 2, "M0 same table M1": True},
            ),
            Example("M0[table!] with M1[table! report]", "M0 with M1"),
        ),
    ),
    Rule(
        "hierarchy/their_boss",
        rf"{_WHO_OPENING}{_PERSON} 's {_ROLE}{{END}}",
        _boss,
        examples=(
            Example(
                "who be V0[1] 's M0[manager]",
                "which M2 with M1 C0",
                ("C0: ? = V0 of M1",),
                schema={"party below manager": 1, "party above manager": 2},
            ),
        ),
    ),
    Rule(
        "hierarchy/whom_do_they",
        rf"^(?:who|to (?:who|whom)|which M\d+|whom) do {_PERSON} (?:directly )?{_ROLE}(?: to)?{{END}}",
        _boss_or_team,
        examples=(
            Example(
                "who do V0[1] report to",
                "which M1 with M0 C0",
                ("C0: ? = V0 of M0",),
                schema={"party below report": 0, "party above report": 1},
            ),
            Example(
                "who do V0[1] supervise",
                "which M0 with M1 C0",
                ("C0: ? = V0 of M1",),
                schema={"party below supervise": 0, "party above supervise": 1},
            ),
        ),
    ),
    Rule(
        "hierarchy/reports_to",
        rf"{_THOSE_WHO}{{verb=report|reporting|reported|M\d+}} (?:directly )?to {_PERSON}{{END}}",
        _team,
        guard=_reports,
        examples=(
            Example(
                "COUNT person report to V0[1]",
                "COUNT M0 with M1 C0",
                ("C0: ? = V0 of M1",),
                schema={"party below report": 0, "party above report": 1},
            ),
            Example("who M0[sent] to V0[1]", "who M0 to V0"),
        ),
    ),
    Rule(
        "hierarchy/each_with_boss",
        rf"^{_REQUEST}(?:(?:each|every|of) )*{{m}} ,? ?(?:and|with|along with|together with|next to) "
        r"(?:(?:their|its|his|the|her|name|of) )*{word=M\d+}(?: 's name| name)?{END}",
        _both_names,
        examples=(
            Example(
                "M0 with M1[manager]",
                "show M2 and M3",
                schema={"party below manager": 2, "party above manager": 3, "M0 same table M2": True},
            ),
        ),
    ),
    Rule(
        "hierarchy/most_below",
        r"^(?:(?:which|what|show|list|give|name|find|the) )*{above:table!} (?:(?:that|who|have) )*"
        r"{word=M\d+} "
        r"{most=MOST|LEAST} (?:other )?{below:table!}(?= ?$| [?.]| and | ,)",
        _by_each,
        examples=(
            Example(
                "which M0[table!] have M1[referred] MOST other M2[table!]",
                "which M4 MOST M3",
                schema={
                    "M0 same table M2": True,
                    "M2 same table M3": True,
                    "party below referred": 3,
                    "party above referred": 4,
                },
            ),
            Example("which M0[table!] M1[rated] MOST M2[table!]", "which M0 M1 MOST M2"),
        ),
    ),
    Rule(
        "hierarchy/below_each",
        r"COUNT {below:table!} (?:(?:that|who|be) )*{word=M\d+} by each {above:table!}{END}",
        _by_each,
        examples=(
            Example(
                "COUNT M0[table!] M1[managed] by each M2[table!]",
                "COUNT M3 per M4",
                schema={
                    "M2 same table M0": True,
                    "M0 same table M3": True,
                    "party below managed": 3,
                    "party above managed": 4,
                },
            ),
            Example("COUNT M0[table!] M1[sold] by each M2[table!]", "COUNT M0 M1 by each M2"),
        ),
    ),
)
