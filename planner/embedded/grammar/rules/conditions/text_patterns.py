"""Patterns of text: containing a word, starting with a letter, ending in something.

Owns: LIKE conditions, and the column whose text it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from askwire.language.lexicon import FUNCTION_WORDS
from askwire.language.text import singular
from askwire.planner.embedded.grammar.atoms import Contains, Either, Operand
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_DETERMINERS: Final = frozenset(
    {"each", "every", "both", "these", "those", "this", "that", "such", "its", "their"}
)
"""Words behind 'containing' that are no text to look for."""
_SUBJECT_WORDS: Final = r"(?:{m} )?(?:(?:that|which|who|be|in|its) )*{not=not }?"
_TEXT_NOUN: Final = (
    r"(?: (?:the|a))?"
    r"{word= (?:word|substring|letter|phrase|string|character|digit|number|prefix|suffix|text|keyword)}"
)
_TEXT_VERBS: Final = (
    r"contain|containing|contained|mention|mentioning|start|starting|begin|beginning|end|ending"
)
_WEAK_TEXT_VERBS: Final = r"include|including|have|with|like"
_IN_COLUMN: Final = (
    r"(?: (?:(?:as|a|an|the|substring|string|prefix|suffix|part|word) )*(?:in|within|of)"
    r" (?:part of )?(?:(?:its|their|his|her|the) )+{behind})?"
)


_REQUEST: Final = re.compile(
    r"^(?:(?:which|what|be|show|list|find|give|tell|display|return|me|us|the|all|our|COUNT|distinct|different)"
    r" )*$"
)
_SUBJECT_BEFORE: Final = re.compile(r"(?<!\S)M(\d+)(?: (?!M\d)\S+)* (?:whose|with|have)(?: (?:a|the))? $")
"""Of what it is said that its text has something in it."""


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
    return verb.startswith(("contain", "mention")) or _where(verb) != "within"


def _has_word(context: RuleContext, found: RuleMatch) -> str:
    """'M0 contain the letter t'."""
    return _contains(context, found, context.quote(found["plain"]))


def _is_plain(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a plain word is a text to look for: one letter only where it is called so, or stands apart."""
    plain = found["plain"]
    if plain in _DETERMINERS:
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
    if mention is not None and _REQUEST.search(found.before) and not _followed_by_thing(context, found):
        lead = f"M{mention} "  # 'which code contains …' asks for the code
    named = mention is not None and context.encoded.mentions[mention].words == ("name",)
    whose = re.search(r"(?<!\S)M(\d+) (?:whose|with|have)(?: (?:a|the))? $", found.before)
    if named and whose and {"column!", "table!"} & context.kinds(int(whose[1])) == {"column!"}:
        # 'a state whose name contains …', where the state is itself a column
        mention = int(whose[1])
    subject = _SUBJECT_BEFORE.search(found.before)
    if mention is not None and subject and context.oracle.related(mention, "calls", int(subject[1])):
        # 'songs whose title contains …': what a song is called, not the title of its album
        context.spend(mention)
        mention = None
    if mention is not None and "column" not in context.kinds(mention):
        lead, mention = f"M{mention} ", None
    return lead + context.note(Contains(mention, operand, where, negated))


def _followed_by_thing(context: RuleContext, found: RuleMatch) -> bool:
    """Whether something else is named that may be asked for."""
    return "column" not in context.kinds(found.at("m")) or re.search(r"(?<!\S)M\d", found.behind) is not None


def _about(context: RuleContext, found: RuleMatch) -> str | None:
    """'titles about zombies', 'films not about love or war': what tells of them has the words in it."""
    named = [found["x"], *([found["y"]] if found["y"] else [])]
    if any(w in FUNCTION_WORDS for text in named for w in (text.split()[0], text.split()[-1])):
        return None
    hinted = context.mentions(found["x"])
    if any({"table", "column"} & context.kinds(number) for number in hinted):
        return None  # 'complaints about products' are of them; a word that only hints at something is a text
    if found["how"].startswith("mention") and re.search(r"(?:whose|where|the) $", found.before):
        return None  # 'whose title mentions …'
    outright = found["how"] not in {"about", "on the subject of", "on the topic of"}
    mention, value = found.maybe("m"), found.maybe("v")
    of = [] if mention is None else [mention]
    told = context.oracle.told_in(of, [] if value is None else [value], outright=outright)
    if told is None:
        return None
    each = [_has_forms(context, told, text) for text in named]
    context.spend(*hinted)
    context.consumed(" ".join((*named, found["how"], found["not"])))
    if found["not"]:
        denied = [replace(atom, negated=True) for forms in each for atom in forms]
        conditions = " ".join(context.note(atom) for atom in denied)
    elif found["joint"] == "or" or len(each) == 1:
        parts = tuple(atom for forms in each for atom in forms)
        conditions = context.note(parts[0] if len(parts) == 1 else Either(parts, both=False))
    else:
        alike = [forms[0] if len(forms) == 1 else Either(forms, both=False) for forms in each]
        conditions = " ".join(context.note(atom) for atom in alike)
    return f"{found['m']}{found['v']} {conditions}"


def _has_forms(context: RuleContext, told: int, symbols: str) -> tuple[Contains, ...]:
    forms = _forms(context.words_of(symbols))
    return tuple(Contains(told, context.quote(form), "within") for form in forms)


def _forms(text: str) -> tuple[str, ...]:
    """A text as it is looked for: in its singular, in both forms where the plural does not begin so."""
    last = text.rpartition(" ")[2]
    if text != text.lower():
        return (text,)
    one = text[: len(text) - len(last)] + singular(last)
    return (one,) if text.startswith(one) else (one, text)


_ABOUT_WORDS: Final = (
    r"(?:(?:that|which|who) )?(?:(?:be|mainly|mostly|all) )*{not=not }?(?:be )?"
    r"{how=about|on the (?:subject|topic) of|deal with|dealing with|concerning|regarding"
    r"|revolving around|centered on|focused on|focusing on|discussing|discuss|mention|mentioning}"
)
_TEXT_STOP_WORDS: Final = (
    r"(?:(?:and|or|with|without|in|from|by|of|at|on|for|to|per|as|than|that|which|who|whose|where|when|have|be|do"
    r"|not|sort|order|group|made|\w+ed)(?!\S)|\w+ing(?= [^?.,]))"
)
"""Words that a text which is looked for does not go on with."""
_NEXT_TEXT_WORD: Final = rf"(?: (?:[VQ]\d+|(?!{_TEXT_STOP_WORDS})[a-z][\w-]*))?"
_TEXT_RUN: Final = (
    r"(?:(?:the|a|an|some) )?(?:(?:topic|subject|theme) (?:of )?(?=[VQ]\d))?"
    rf"{{x=(?:[VQM]\d+|[a-z][\w-]*){_NEXT_TEXT_WORD * 3}}}"
    rf"(?: {{joint=and|or}} {{y=[VQ]\d+|(?!{_TEXT_STOP_WORDS})[a-z][\w-]*}}(?= ?$| [?.,]))?"
)

RULES: Final = in_order(
    Rule(
        "text_patterns/about",
        rf"(?:{{m}}|{{v:value}}) {_ABOUT_WORDS} {_TEXT_RUN}(?= |$)",
        _about,
        examples=(
            Example(
                "M0[table!] about zombie",
                "M0 C0",
                ("C0: M1 has Q0 within",),
                schema={"told in M0": 1},
            ),
            Example(
                "V0[1] dealing with drug cartel",
                "V0 C0",
                ("C0: M0 has Q0 within",),
                schema={"told in V0 outright": 0},
            ),
            Example(
                "M0[table!] not about love and war",
                "M0 C0 C1",
                ("C0: not M1 has Q0 within", "C1: not M1 has Q1 within"),
                schema={"told in M0": 1},
            ),
            Example(
                "M0[table!] about story or war",
                "M0 C0",
                ("C0: M1 has Q0 within or M1 has Q1 within",),
                schema={"told in M0": 1},
            ),
            Example(
                "M0[table!] about M1[homework]",
                "M0 C0",
                ("C0: M2 has Q0 within",),
                schema={"told in M0": 2},
            ),
            Example("M0[table!] about M1[table! product]", "M0 about M1"),
            Example("M0[table!] about the", "M0 about the"),
            Example("M0[table!] about zombie", "M0 about zombie"),
        ),
    ),
    Rule(
        "text_patterns/either_text",
        rf"{{m}} {{not=not }}?{{verb={_TEXT_VERBS}}} {{x:quote}} or {{y:quote}}",
        lambda context, found: found.filled(
            "{m} {not}{verb} {x} " + ("and" if found["not"] else "or") + " {m} {not}{verb} {y}"
        ),
        examples=(
            Example("M0 contain Q0[d] or Q1[s]", "M0 contain Q0 or M0 contain Q1"),
            Example("M0 not contain Q0[d] or Q1[s]", "M0 not contain Q0 and M0 not contain Q1"),
        ),
    ),
    Rule(
        "text_patterns/contains",
        rf"{_SUBJECT_WORDS}{{verb={_TEXT_VERBS}|{_WEAK_TEXT_VERBS}}}(?: (?:with|in|by))?{_TEXT_NOUN}?(?: "
        rf"(?:of|in it|named))? {{x:quote|value}}{_IN_COLUMN}",
        _has_symbol,
        guard=_is_text,
        examples=(
            Example("M0[column] start with Q0[Jo]", "M0 C0", ("C0: M0 has Q0 start",)),
            Example("M0 of M1[column] start with Q0[Jo]", "M0 of C0", ("C0: M1 has Q0 start",)),
            Example(
                "M0[table!] whose M1[column] contain Q0[love]",
                "M0 whose C0",
                ("C0: ? has Q0 within",),
                schema={"M1 calls M0": True},
            ),
            Example("M0[table!] with V0[1]", "M0 with V0"),
            Example("M0[table!] start in V0[1]", "M0 start in V0"),
        ),
    ),
    Rule(
        "text_patterns/has_as_part",
        rf"{_SUBJECT_WORDS}{{verb=have|with|include}} {{x:quote|value}} {{word=as|in part}}(?: of)?"
        r" (?:(?:a|the|substring|string|prefix|suffix|part|word|in|of|its|their) )+{behind}",
        _has_symbol,
        examples=(
            Example("with V0[1] as a M0", "C0", ("C0: ? has V0 within",)),
            Example("have V0[1] as a M0[column]", "C0", ("C0: M0 has V0 within",)),
        ),
    ),
    Rule(
        "text_patterns/has_in_part",
        rf"{_SUBJECT_WORDS}{{verb=have|contain}} {{x:quote|value}} in part",
        _has_symbol,
        examples=(Example("M0[column] have Q0[roy] in part", "M0 C0", ("C0: M0 has Q0 within",)),),
    ),
    Rule(
        "text_patterns/contains_word",
        rf"{_SUBJECT_WORDS}{{verb={_TEXT_VERBS}|{_WEAK_TEXT_VERBS}}}(?: (?:with|in|by))?{_TEXT_NOUN}(?: (?:of"
        rf"|in it|named))? {{plain=[a-z][\w.@-]*}}{_IN_COLUMN}",
        _has_word,
        guard=_is_plain,
        examples=(
            Example("have letter d", "C0", ("C0: ? has Q0 within",)),
            Example("have word each", "have word each"),
        ),
    ),
    Rule(
        "text_patterns/starts_with_letter",
        rf"{_SUBJECT_WORDS}{{verb=start|starting|begin|beginning|end|ending}} (?:with|in|by){_TEXT_NOUN}? "
        rf"{{plain=[a-z]}}(?= |$){_IN_COLUMN}",
        _has_word,
        guard=_is_plain,
        examples=(
            Example("M0[column] start with j", "M0 C0", ("C0: M0 has Q0 start",)),
            Example("start with a", "start with a"),
        ),
    ),
    Rule(
        "text_patterns/contains_plain",
        rf"{_SUBJECT_WORDS}{{verb=contain|containing|mention|mentioning}} "
        rf"{{plain=(?!the|a|an|at|of|in|all|any|more|no|some)[a-z][\w.@-]*}}{_IN_COLUMN}",
        _has_word,
        guard=_is_plain,
        examples=(
            Example("M0[column] contain ny", "M0 C0", ("C0: M0 has Q0 within",)),
            Example("contain both", "contain both"),
        ),
    ),
    after=("counts",),
)
