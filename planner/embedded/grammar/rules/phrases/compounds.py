"""Words that belong together: kind of decor, codes of document types, name of the catalog entries.

Owns: which of two mentions beside 'of' only rounds off the other.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import ENDS
from askwire.language.text import PARTICIPLE
from askwire.planner.embedded.grammar.atoms import AbsenceCondition
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule, rewrite

_KIND_WORDS: Final = frozenset({"kind", "kinds", "sort", "sorts"})
_GENERIC_COLUMN_WORDS: Final = frozenset({"name", "names", "code", "codes", "id", "ids", "title", "titles"})
_ARTICLES: Final = r"(?:(?:the|all|each|every|a|an|different|distinct) )*"


def _thing(context: RuleContext, found: RuleMatch) -> str:
    """'what kind of decor': the decor."""
    context.spend(found["k"])
    return found["m"]


def _is_kind(context: RuleContext, found: RuleMatch) -> bool:
    return context.word(found.at("k")) in _KIND_WORDS


def _columns(context: RuleContext, found: RuleMatch) -> str | None:
    """'the codes of document types': `document_type_code`, where document types are columns, no table."""
    names = []
    for asked in (found.maybe("b"), found.maybe("a")):
        if asked is None:
            continue
        generic = context.word(asked) in _GENERIC_COLUMN_WORDS
        name = context.oracle.combined(asked, "of", found.at("m")) if generic else None
        names.append(name)
    return None if None in names else " and ".join(f"M{name}" for name in names)


def _head(context: RuleContext, found: RuleMatch) -> str:
    """'product categories': categories, of products; 'returned orders': those that have a return."""
    if PARTICIPLE.fullmatch(context.word(found.at("a"))):
        return f"{context.note(AbsenceCondition(found.at('a'), held=True))} {found['b']}"
    context.spend(found["a"])
    return found["b"]


def _modifies(context: RuleContext, found: RuleMatch) -> bool:
    """Whether the first of two tables, a singular, only says which kind of the second."""
    first, second = (context.encoded.mentions[found.at(name)] for name in ("a", "b"))
    token = context.encoded.tokens[first.end - 1] if first.start >= 0 else None
    if token is None or first.end != second.start:
        return False
    if token.lower in ENDS or "flag" in context.kinds(found.at("a")):
        return False  # 'active members' are in some state, though there are activities
    if "moment" in context.kinds(found.at("a")) and context.oracle.related(
        found.at("a"), "column of", found.at("b")
    ):
        return False  # 'shipped orders' have their time, though there are shippers
    if PARTICIPLE.fullmatch(token.lower) and re.search(r"(?:MOST|LEAST) $", found.before):
        return False  # 'the most rented films'
    if re.search(r"(?:\bwho|\bthat|\S which) $", found.before):
        return False  # 'instructors who advise students' do so
    plural = context.encoded.tokens[second.end - 1]
    several = plural.lower != plural.lemma
    related = context.oracle.related(found.at("a"), "plays", found.at("b"))
    if re.match(r" (?:MOST|LEAST|GT|LT|GE|LE|no|the|an?|each|every|N\d+)(?:~\w+)?(?= )", found.behind):
        return False  # 'which teacher grades the most exams': a verb, though a table is called so
    return token.lower == token.lemma and several and not related


def _are_listed(context: RuleContext, found: RuleMatch) -> bool:
    """Whether two names of columns stand side by side in a list: 'the first name last name and age'."""
    first, second = (context.encoded.mentions[found.at(name)] for name in ("a", "b"))
    beside = first.start >= 0 and first.end == second.start
    return beside and min(first.end - first.start, second.end - second.start) > 1


def _thing_by(context: RuleContext, found: RuleMatch) -> str:
    """'approved by the FDA', where the column is `fda_approved`: one name, and no groups."""
    context.spend(found["b"])
    return found["a"]


def _says_by_whom(context: RuleContext, found: RuleMatch) -> bool:
    done = PARTICIPLE.fullmatch(context.word(found.at("a"))) is not None
    return done and context.oracle.related(found.at("a"), "same table", found.at("b"))


RULES: Final = in_order(
    Rule(
        "compounds/modifier",
        r"{a:table!,named} {b:table!,named}",
        _head,
        guard=_modifies,
        examples=(
            Example("which M0[table! named product] M1[table! named categories]", "which M1"),
            Example("M0[table! named returned] M1[table! named orders]", "C0 M1", ("C0: has M0",)),
            Example(
                "M0[table! named moment shipped] M1[table! named orders]",
                "M0 M1",
                schema={"M0 column of M1": True},
            ),
            Example("M0[table! named active] M1[table! named members]", "M0 M1"),
            Example("M0[table! named products] M1[table! named categories]", "M0 M1"),
            Example("M0[table! named tutor] M1[table! named grades] MOST M2", "M0 M1 MOST M2"),
            Example("who M0[table! named advise] M1[table! named students]", "who M0 M1"),
        ),
    ),
    Rule(
        "compounds/kind_of",
        rf"{{k}} of {_ARTICLES}{{m:column!}}",
        _thing,
        guard=_is_kind,
        examples=(
            Example("M0[kind] of M1[column!]", "M1"),
            Example("M0[name] of M1[column!]", "M0 of M1"),
        ),
    ),
    Rule(
        "compounds/code_of",
        rf"(?:{{b}} and (?:the )?)?{{a}} of {_ARTICLES}{{m:-table}}",
        _columns,
        examples=(Example("M0[name] of M1", "M2", schema={"M0 of M1": 2}),),
    ),
    Rule(
        "compounds/done_by",
        r"{a:flag} by (?:the )?{b:flag}",
        _thing_by,
        guard=_says_by_whom,
        before=("grouping/by",),
        examples=(
            Example(
                "COUNT M0 not M1[flag approved] by the M2[flag]",
                "COUNT M0 not M1",
                schema={"M1 same table M2": True},
            ),
            Example("COUNT M0[flag approved] by M1[flag]", "COUNT M0 by M1"),
        ),
    ),
    Rule(
        "compounds/listed",
        r"{a:column!} {b:column!}(?= (?:,|and) (?:the )?M\d)",
        rewrite("{a} , {b}"),
        guard=_are_listed,
        examples=(
            Example(
                "list the M0[column! first name] M1[column! middle name] and M2",
                "list the M0 , M1 and M2",
            ),
            Example("list the M0[column! age] M1[column! group] and M2", "list the M0 M1 and M2"),
        ),
    ),
    after=("question_words",),
)
