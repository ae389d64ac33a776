"""Patterns of text: containing a word, starting with a letter, ending in something.

Owns: LIKE conditions, and the column whose text it is.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.atoms import Contains, Operand
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_SAYING_WHICH: Final = frozenset(
    {"each", "every", "both", "these", "those", "this", "that", "such", "its", "their"}
)
"""Words behind 'containing' that are no text to look for."""
_LEAD: Final = r"(?:{m} )?(?:(?:that|which|who|be|in|its) )*{not=not }?"
_WORD: Final = (
    r"(?: (?:the|a))?{word= (?:word|substring|letter|phrase|string|character|prefix|suffix|text|keyword)}"
)
_VERBS: Final = r"contain|containing|contained|start|starting|begin|beginning|end|ending"
_WEAK: Final = r"include|including|have|with|like"
_IN: Final = (
    r"(?: (?:(?:as|a|an|the|substring|string|prefix|suffix|part|word) )*(?:in|within|of)"
    r" (?:part of )?(?:(?:its|their|his|her|the) )+{behind})?"
)


def _where(verb: str) -> str:
    if verb.startswith(("start", "begin")):
        return "start"
    return "end" if verb.startswith("end") else "within"


def _has_symbol(context: RuleContext, found: RuleMatch) -> str:
    """'M0 contain the word Q0', 'start with V0'."""
    return _contains(context, found, found.operand("x"))


def _is_text(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a quoted text or a value is a part of a text; 'with Ann' alone is a value."""
    del context
    if found["word"]:
        return True
    if found["x"].startswith("Q"):
        return True
    verb = found["verb"]
    if _where(verb) == "start" and " in " in found.text:
        return False  # 'routes that start in Germany'
    return verb.startswith("contain") or _where(verb) != "within"


def _has_word(context: RuleContext, found: RuleMatch) -> str:
    """'M0 contain the letter t'."""
    return _contains(context, found, context.quote(found["plain"]))


def _is_plain(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a plain word is a text to look for: one letter only where it is called so, or stands apart."""
    plain = found["plain"]
    if plain in _SAYING_WHICH:
        return False
    named = found["word"].strip() in {"letter", "character"}
    return len(plain) > 1 or named or _stands_apart(context, plain)


def _stands_apart(context: RuleContext, letter: str) -> bool:
    return any(t.text in {letter.upper(), letter} - {"a"} for t in context.encoded.tokens)


def _contains(context: RuleContext, found: RuleMatch, operand: Operand) -> str:
    mention, behind = found.maybe("m"), found.maybe("behind")
    where, negated = _where(found["verb"]), bool(found["not"])
    if behind is not None and "column" in context.kinds(behind):
        # 'customers with the letter a in their names': the column stands behind
        return f"{found['m']} {context.note(Contains(behind, operand, where, negated))}"
    lead = ""
    named = mention is not None and context.encoded.mentions[mention].words == ("name",)
    whose = re.search(r"(?<!\S)M(\d+) (?:whose|with|have)(?: (?:a|the))? $", found.before)
    if named and whose and {"column!", "table!"} & context.kinds(int(whose[1])) == {"column!"}:
        # 'a state whose name contains …', where the state is itself a column
        mention = int(whose[1])
    if mention is not None and "column" not in context.kinds(mention):
        lead, mention = f"M{mention} ", None
    return lead + context.note(Contains(mention, operand, where, negated))


RULES: Final = in_order(
    Rule(
        "text_patterns/contains",
        rf"{_LEAD}{{verb={_VERBS}|{_WEAK}}}(?: (?:with|in|by))?{_WORD}?(?: (?:of|in it|named))? "
        rf"{{x:quote|value}}{_IN}",
        _has_symbol,
        guard=_is_text,
        examples=(
            Example("M0[column] start with Q0[Jo]", "C0", ("C0: M0 has Q0 start",)),
            Example("M0[table!] with V0[1]", "M0 with V0"),
            Example("M0[table!] start in V0[1]", "M0 start in V0"),
        ),
    ),
    Rule(
        "text_patterns/has_as_part",
        rf"{_LEAD}{{verb=have|with|include}} {{x:quote|value}} {{word=as|in part}}(?: of)?"
        r" (?:(?:a|the|substring|string|prefix|suffix|part|word|in|of|its|their) )+{behind}",
        _has_symbol,
        examples=(
            Example("with V0[1] as a M0", "C0", ("C0: ? has V0 within",)),
            Example("have V0[1] as a M0[column]", "C0", ("C0: M0 has V0 within",)),
        ),
    ),
    Rule(
        "text_patterns/contains_word",
        rf"{_LEAD}{{verb={_VERBS}|{_WEAK}}}(?: (?:with|in|by))?{_WORD}(?: (?:of|in it|named))? "
        rf"{{plain=[a-z][\w.@-]*}}{_IN}",
        _has_word,
        guard=_is_plain,
        examples=(
            Example("have letter d", "C0", ("C0: ? has Q0 within",)),
            Example("have word each", "have word each"),
        ),
    ),
    Rule(
        "text_patterns/starts_with_letter",
        rf"{_LEAD}{{verb=start|starting|begin|beginning|end|ending}} (?:with|in|by) {{plain=[a-z]}}{_IN}",
        _has_word,
        guard=_is_plain,
        examples=(
            Example("M0[column] start with j", "C0", ("C0: M0 has Q0 start",)),
            Example("start with a", "start with a"),
        ),
    ),
    Rule(
        "text_patterns/contains_plain",
        rf"{_LEAD}{{verb=contain|containing}} "
        rf"{{plain=(?!the|a|an|at|of|in|all|any|more|no|some)[a-z][\w.@-]*}}{_IN}",
        _has_word,
        guard=_is_plain,
        examples=(
            Example("M0[column] contain ny", "C0", ("C0: M0 has Q0 within",)),
            Example("contain both", "contain both"),
        ),
    ),
    after=("counts",),
)
