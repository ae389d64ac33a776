"""Values: is, named, missing, a year that stands alone, and columns that say yes or no.

Owns: equality with what the data holds. 'not V0' is the business of `negations`.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import EMPTY_WORDS, KNOWN_WORDS
from askwire.planner.embedded.grammar.atoms import Comparison, FlagCondition, HintCondition, IsNull, IsValue
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch, kind
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_LINKING: Final = (
    r"(?:(?:be|of|as|EQ|equal|to|name|named|called|call|like|value|in|have|a|an|the|"
    r"set|=|code|either|both|type|at|mark|marked) )*"
)
_COLUMN_KIND: Final = kind("column!,-table!")
_CODE_COLUMN_WORDS: Final = frozenset({"status", "gender", "sex", "flag"})
_EMPTY_WORD: Final = "|".join(EMPTY_WORDS)
_KNOWN_WORD: Final = "|".join(KNOWN_WORDS)
_NO_WORDS: Final = frozenset({"no", "false"})
_CONDITION_END: Final = r"(?= ?$| (?:[.?,]|and|or|[COSG]\d*|per|by|sort|order) ?)"
"""What may come behind the word that says so."""
_ASKED_BEFORE: Final = re.compile(
    r"(?<!\S)(?:which|what|each|every|(?:COUNT|AVG|SUM|MAX|MIN)(?: different| distinct)?) $"
)
"""Behind these words a yes-or-no column is asked for; it restricts no rows."""
_REQUEST_BEFORE: Final = re.compile(r"(?:show|list|give|return|find|tell|what be)(?: me)? ")


def _beside(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 be V0', 'V0 M0'."""
    mention, value = found.at("m"), found.at("v")
    if not context.oracle.related(mention, "holds", value):
        return None
    if _is_said_elsewhere(context, mention, value):
        return None  # 'in which countries is Spanish official': no code of a country
    if found.before.endswith("same ") and " as " in found.text:
        return None  # 'the same city as Ann', who is no city
    after = re.match(r" M(\d+)(?! (?:be|of|GT|LT|V\d|C\d))", found.behind)
    within = re.search(r" in (?:the )?(?:not )?V\d+$", found.text)
    called = within and after and _COLUMN_KIND.holds(context.kinds(int(after[1])))
    if called and after and context.oracle.related(int(after[1]), "holds", value):
        return None  # 'from the appelation in the Central Coast area': the area is called so
    return context.note(IsValue(value, mention, negated=bool(found["not"])))


def _is_said_elsewhere(context: RuleContext, mention: int, value: int) -> bool:
    """Whether the columns of a mention hold a value by another name only, and others as it is said."""
    item = context.encoded.values[value]
    own = {o.index for o in context.encoded.mentions[mention].options if not o.table}
    said = {h.column for h in item.hits if h.stored.lower() == item.text.lower()}
    held = {h.column for h in item.hits if h.column in own}
    return bool(held) and bool(said) and not held & said


def _value(context: RuleContext, found: RuleMatch) -> str:
    """'V0'."""
    return context.note(IsValue(found.at("v")))


def _hint(context: RuleContext, found: RuleMatch) -> str:
    """What a hint explains."""
    return context.note(HintCondition(found.at("k")))


def _quoted(context: RuleContext, found: RuleMatch) -> str:
    """'M0 named Q0', 'Q0'."""
    return context.note(Comparison(found.maybe("m"), "=", found.operand("q")))


def _null(context: RuleContext, found: RuleMatch) -> str:
    """'M0 be not null', 'M0 be known'."""
    context.consumed(found["word"])
    there = found["word"] in KNOWN_WORDS
    return context.note(IsNull(found.at("m"), there != bool(found["not"])))


def _unknown(context: RuleContext, found: RuleMatch) -> str:
    """'with unknown M0', 'missing a M0'."""
    context.consumed(found["word"])
    return context.note(IsNull(found.at("m")))


def _says_empty(context: RuleContext, found: RuleMatch) -> bool:
    """Whether it is said that there is none, or that there is one: 'known' alone says what somebody is."""
    del context
    return found["word"] in EMPTY_WORDS or bool(found["not"])


def _lone_year(context: RuleContext, found: RuleMatch) -> str | None:
    """'the Spring N0 semester'."""
    moment = context.measure("time")
    return None if moment is None else context.note(Comparison(moment, "=", found.operand("n")))


def _flagged(context: RuleContext, found: RuleMatch) -> str | None:
    """'official M0', 'active M1': a yes-or-no column named by its adjective."""
    words = context.encoded.mentions[found.at("m")].words
    itself = (len(words) == 1 or words[-1] in _CODE_COLUMN_WORDS) and not re.match(r" M\d", found.behind)
    if itself and _ASKED_BEFORE.search(found.before) and not _counts_rows(context, found):
        return None
    if re.match(r" (?:of|for) ", found.behind) and re.search(
        r"(?:and|,|the|different|distinct) $", found.before
    ):
        return None  # '…, and gender of all customers' asks for it
    if _is_listed(context, found):
        return None
    if found["not"]:
        context.consumed("non not")
    context.consumed(found["told"])
    return context.note(FlagCondition(found.at("m"), bool(found["not"]) is not (found["told"] in _NO_WORDS)))


def _is_listed(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a question begins by listing the column beside another: 'show the reign and days held of …'."""
    beside = re.match(r" (?:and|,) (?:the )?M(\d+)", found.behind)
    opens = _REQUEST_BEFORE.fullmatch(found.before) is not None and found.text.startswith("the ")
    return opens and beside is not None and not {"flag", "table!"} & context.kinds(int(beside[1]))


def _counts_rows(context: RuleContext, found: RuleMatch) -> bool:
    """Whether 'COUNT M0' counts the rows that are so: 'how many smokers', where `smoker` is yes or no."""
    mention = context.encoded.mentions[found.at("m")]
    said = context.encoded.tokens[mention.end - 1]
    return found.before.endswith("COUNT ") and said.lower != said.lemma and bool(mention.words)


RULES: Final = in_order(
    Rule(
        "values/column_is",
        rf"{{m}} {_LINKING}{{not=not |other than |different from }}?{_LINKING}{{v:value}}",
        _beside,
        examples=(
            Example("M0 be not V0[1]", "C0", ("C0: not M0 = V0",), schema={"M0 holds V0": True}),
            Example("M0 be V0[1]", "M0 be V0"),
        ),
    ),
    Rule(
        "values/value_column",
        r"{v:value} (?:as |in |be |be the |for )?(?:their |its |the |his |a )?{m:column!}"
        r"(?! (?:be|of|GT|LT|V\d|C\d))",
        _beside,
        examples=(Example("V0[1] M0[column!]", "C0", ("C0: M0 = V0",), schema={"M0 holds V0": True}),),
    ),
    Rule(
        "values/value",
        r"{v:value}",
        _value,
        examples=(Example("V0[1]", "C0", ("C0: ? = V0",)),),
    ),
    Rule(
        "values/hint",
        r"{k:hint}",
        _hint,
        examples=(Example("K0", "C0", ("C0: K0",)),),
    ),
    Rule(
        "values/column_quoted",
        r"{m:column} (?:(?:be|of|as|EQ|named|called|name|title|titled) )*{q:quote}",
        _quoted,
        examples=(Example("M0[column] Q0[600]", "C0", ("C0: M0 = Q0",)),),
    ),
    Rule(
        "values/quoted",
        r"{q:quote}",
        _quoted,
        examples=(Example("Q0[600]", "C0", ("C0: ? = Q0",)),),
    ),
    Rule(
        "values/null",
        rf"{{m}} (?:(?:be|still|currently|actually|get) )*{{not=not }}?(?:(?:be|yet) )*"
        rf"{{word={_EMPTY_WORD}|{_KNOWN_WORD}}}(?: (?:in|yet|there))?{_CONDITION_END}",
        _null,
        guard=_says_empty,
        examples=(
            Example("M0[column] be null", "C0", ("C0: M0 is null",)),
            Example("M0[column] be not known", "C0", ("C0: M0 is null",)),
            Example("M0[column] be known", "M0 be known"),
            Example("M0[column] be not missing", "C0", ("C0: M0 is no null",)),
        ),
    ),
    Rule(
        "values/unknown",
        rf"(?:with|have|having|of|from|whose|where) (?:(?:a|an|the|their|any|some) )*{{word={_EMPTY_WORD}}} "
        r"{m:column,-table!}(?= |$)(?! (?:be|of|GT|LT|GE|LE|EQ|V\d))",
        _unknown,
        examples=(
            Example("M0[table!] with unknown M1[column]", "M0 C0", ("C0: M1 is null",)),
            Example("M0[table!] with unknown M1[table!]", "M0 with unknown M1"),
        ),
    ),
    Rule(
        "values/lacking",
        r"(?:(?:that|which|who|be) )*{word=missing|lacking|lack} (?:(?:a|an|the|their|any|its) )+"
        r"{m:column,-table!}(?= |$)(?! (?:of|GT|LT|GE|LE|EQ|V\d))",
        _unknown,
        examples=(
            Example("M0[table!] missing a M1[column]", "M0 C0", ("C0: M1 is null",)),
            Example("M0[table!] missing a M1[table!]", "M0 missing a M1"),
        ),
    ),
    Rule(
        "values/lone_year",
        r"(?:in |of |the year |year )*{n:year}(?! M\d+ by)",
        _lone_year,
        examples=(
            Example("the V0 N0[2015] M0", "the V0 C0 M0", ("C0: M1 = N0",), schema={"measure time": 1}),
            Example("the V0 N0[12] M0", "the V0 N0 M0"),
        ),
    ),
    Rule(
        "values/flag",
        r"{not=not |non }?(?:the |an? )?{m:flag}"
        rf"(?: (?:(?:be|EQ|equal|set|to|=) )*{{told=yes|no|true|false}}{_CONDITION_END})?",
        _flagged,
        guard=lambda _, found: found.before.endswith("be ") or not re.match(r" S(?= |$)", found.behind),
        examples=(
            Example("M0[flag] S", "M0 S"),
            Example("M0 that be M1[flag] S", "M0 that be C0 S", ("C0: M1 is true",)),
            Example("list the M0[flag] and M1[numeric] of M2", "list the M0 and M1 of M2"),
            Example(
                "list the M0[flag] and M1[flag] M2", "list C0 and C1 M2", ("C0: M0 is true", "C1: M1 is true")
            ),
            Example("different M0[flag] of M1", "different M0 of M1"),
            Example("not M0[flag]", "C0", ("C0: not M0 is true",)),
            Example("M0[flag] be no .", "C0 .", ("C0: not M0 is true",)),
            Example("M0[flag] be yes", "C0", ("C0: M0 is true",)),
            Example("with M0[flag] no", "with C0", ("C0: not M0 is true",)),
            Example("which M0[flag active]", "which M0"),
        ),
    ),
    after=("comparisons",),
)
