"""How an answer is to be made, and not what it is: 'using a left join', 'match names exactly'.

Owns: such phrases, which are left out, to how many digits numbers are to be rounded, and how many rows are
wanted at most. A phrase stays where the schema knows its word by itself: matches that are played.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Final

from askwire.language.text import Token, listed
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.linking.rewording.spelled_out import NO_WISH, Wish
from askwire.planner.embedded.logical_form.ir import Query, Term

_JOIN_KIND: Final = r"(?:left|right|full|inner|outer|cross|natural|simple) "
_BY_DOING: Final = (
    r"(?:, |and )*(?:by|via|through|with|using|use|based on|after) (?:doing |making |performing |using )?"
)
_JOIN_PHRASE: Final = (
    rf"^{_BY_DOING}(?:an? |the )?(?:{_JOIN_KIND})+joins?\b(?P<first>[^.?!;:),]*),"
    rf"|{_BY_DOING}(?:an? |the )?(?:{_JOIN_KIND})+joins?\b(?P<kind>[^.?!;:),]*)"
    rf"|{_BY_DOING}(?:an? )?join(?:ing|s)? (?P<tables>(?:[\w']+ |, ){{1,12}}?)tables?"
    rf"|(?<=[.?;] )(?:please )?(?:do|use) (?:(?:this|so|it) )?(?:with |by |using )?an? "
    rf"(?:{_JOIN_KIND})*joins?\b"
)
_RESTRICTING: Final = frozenset(
    listed(
        "where whose for only sorted ordered grouped keeping in that who which above below over under "
        "without not more less than is are has have per each by"
    )
)
"""Words of a phrase about a join that say more than which tables are joined."""
_INCLUSIVE_ENDS: Final = (
    r"(?:both |all |dates? |ends? )*inclusive(?! of (?:today|now|this|the (?:current|present)|yesterday)\b)"
    r"(?: of (?:the )?(?:(?:\d+|an?) (?:day|week|month|quarter|year)s? ago"
    r"|(?:both |start(?:ing)? |first |beginning |from |end(?:ing)? |last |boundary |and |the )*"
    r"(?:dates?|days?|ends?|endpoints?|bounds?|years?|months?)))?"
    r"(?= ?(?:[.?!;:,)]|$)| (?:and|or|in|for|per|by|sorted|ordered|grouped) )"
)
_EXACT_MATCH: Final = (
    r"(?:(?:please |and |, )*match(?:ing)? (?:the |all )?(?:strings?|names?|texts?|values?|titles?|words?|it)"
    r"(?: (?:exactly|literally|case[- ]insensitive(?:ly)?|ignoring case))+"
    r"|(?:(?:please|and|by|with|,) )*(?:use|using|do|doing|with) (?:an? )?"
    r"(?:exact|case[- ]insensitive) (?:string )?(?:match(?:ing|es)?|comparisons?|search)"
    r"|(?:,? ?(?:ignore|ignoring|regardless of|irrespective of) (?:the )?(?:upper |lower |letter )?case)"
    r"|,? ?\(? ?(?:be )?case[- ]insensitive(?:ly)?(?: \))?)"
)
_DECIMAL_PLACES: Final = (
    r"(?P<places>\d{1,2}|one|a) (?:single )?(?:decimals?|digits?)(?: (?:places?|points?|digits?))?"
)
_ROUNDING_PHRASE: Final = (
    r"(?:, |and |please )*round(?:ed|ing)?(?: off)?"
    r"(?: (?:it|them|this|(?:the |your |all )*(?:result|answer|value|number|figure|average|percentage|ratio"
    r"|amount|total)s?))? (?:up )?to (?:the nearest )?(?:up to )?"
    rf"(?:{_DECIMAL_PLACES}|(?P<whole>an? integer|integer|whole numbers?)|(?P<hundredth>hundredths?|cents?)"
    r"|(?P<tenth>tenths?))"
    r"|(?:with|to|at) (?:up to |exactly )?(?P<after>\d{1,2}|one) "
    r"(?:decimal (?:places?|points?|digits?)|decimals?)"
    r"|(?<=[,(.?;] )(?P<bare>\d{1,2}) decimals?(?: places?| points?)?"
    r"(?: (?:is|are|will|would) (?:be )?(?:enough|fine|ok|okay|sufficient|do))?(?= [.,?!;)]|$)"
    r"|(?:(?:give|return|show|express|report) (?:me )?(?:the |your )?(?:answer|result|number|value)s? )?"
    r"as (?:an? )?(?P<integer>integers?|whole numbers?)"
)
_ROW_NOUNS: Final = r"(?:rows?|records?|results?|entries|lines?)"
_LIMIT_PHRASE: Final = (
    r"(?:(?:^|, (?:and |please )*|and (?:please )?|please |(?<=[.?;] ))limit(?:ed|ing)? "
    r"(?:(?:the |your |this )*(?:results?|output|answers?|list|rows|it) )?to (?:the )?"
    rf"(?:(?:(?:first|top) )?(?P<rows>[1-9]\d{{0,3}}) {_ROW_NOUNS}|(?:(?:first|top) )?"
    rf"(?P<few>[1-9]\d{{0,2}}))|(?:, |and |please )*(?:show|return|give|display|list)(?: me)? only (?:the )?"
    rf"(?:first|top) (?P<first_rows>[1-9]\d{{0,3}}) {_ROW_NOUNS}"
    r"|(?<=[.?;] )(?:show|return|give|display|list)(?: me)? (?:only )?the (?:first|top) "
    rf"(?P<top>[1-9]\d{{0,3}})(?: {_ROW_NOUNS})?)(?= [.?!;]|$)"
)
_MAX_DECIMAL_PLACES: Final = 15

_NO_ROUNDING_PHRASE: Final = (
    r"(?:please )?(?:do not|not) round(?:ed|ing)?(?: (?:it|them))?|unrounded|without rounding"
)
_AS_A_DATE: Final = r"(?:shown |given |expressed |represented )?as (?:an? )?dates?"
_MANNER_PATTERNS: Final = tuple(
    (word, re.compile(rf"(?<!\S)(?:{pattern})(?!\S)"))
    for word, pattern in (
        ("join", _JOIN_PHRASE),
        ("inclusive", _INCLUSIVE_ENDS),
        ("match", _EXACT_MATCH),
        ("exact", _NO_ROUNDING_PHRASE),
        ("round", _ROUNDING_PHRASE),
        ("limit", _LIMIT_PHRASE),
        ("date", _AS_A_DATE),
    )
)
_TIMES: Final = frozenset(
    listed(
        "ago day days week weeks month months quarter quarters year years today yesterday date dates now "
        "january february march april may june july august september october november december "
        "jan feb mar apr jun jul aug sep sept oct nov dec"
    )
)
_SCHEMA_LIKE_WORDS: Final = frozenset({"join", "match"})
"""Words that may be of the schema in a phrase of this kind."""
_BRACKETS_AND_COMMA: Final = frozenset({"(", ")", ","})


@dataclass(frozen=True, slots=True)
class Manner:
    """How an answer is to be made: numbers rounded to `places` digits behind the point, at most `rows`.

    The codes in the columns of `spelled` are shown by what they mean.
    """

    places: int | None = None
    rows: int | None = None
    spelled: Wish = NO_WISH

    def of(self, query: Query) -> Query | None:
        """The query in this manner; None where it cannot be, as for rows of each of several groups."""
        if self.places is not None:
            query = query.with_(places=self.places)
        if self.spelled.columns:
            shows = any(t == Term(t.column) and t.column in self.spelled.columns for t in query.select)
            if (shows and not _can_be_spelled(query)) or (self.spelled.firm and not shows):
                return None
            query = query.with_(spelled=shows)
        if self.rows is None:
            return query
        if query.partition or query.over or query.combine:
            return None
        few = query.limit is not None and 1 < query.limit < self.rows
        return query if few else query.with_(limit=self.rows)


def _can_be_spelled(query: Query) -> bool:
    """Whether codes can be shown by what they mean: not where rows are compared or sorted as shown."""
    return not (query.combine or query.partition or query.over or (query.distinct and query.order))


def without_manner(tokens: tuple[Token, ...], known: Container[str]) -> tuple[tuple[Token, ...], Manner]:
    """The tokens that say what is asked for, and in which manner.

    'the average price, rounded to 2 decimals' → 'the average price', 2 places. `known` are the words that
    the schema has.
    """
    manner = Manner()
    for word, pattern in _MANNER_PATTERNS:
        if word in _SCHEMA_LIKE_WORDS and word in known:
            continue
        while (found := pattern.search(line := new_tokens.line(tokens))) is not None:
            start, end = line.count(" ", 0, found.start()), line.count(" ", 0, found.end()) + 1
            if word == "round":
                manner = replace(manner, places=min(_places(found), _MAX_DECIMAL_PLACES))
            if word == "limit":
                many = next(filter(None, map(found.__getitem__, ("rows", "few", "first_rows", "top"))))
                manner = replace(manner, rows=int(many))
            if word == "inclusive" and not _behind_time(tokens, start):
                break
            if word == "join" and _says_more(found, tokens[start:end]):
                break
            tokens = new_tokens.closed_up(tokens, start, end)
    return tokens, manner


def _places(found: re.Match[str]) -> int:
    digits = found["places"] or found["after"] or found["bare"]
    if digits is not None:
        return int(digits) if digits.isdigit() else 1
    return 2 if found["hundredth"] else 1 if found["tenth"] else 0


def _says_more(found: re.Match[str], tokens: tuple[Token, ...]) -> bool:
    """Whether a phrase about a join holds a condition: 'a left join with orders where country is Germany'."""
    said = " ".join(found[part] or "" for part in ("first", "kind", "tables"))
    names = any(t.kind in {"number", "quoted", "date"} or t.text.istitle() for t in tokens[1:])
    return names or not _RESTRICTING.isdisjoint(said.split())


def _behind_time(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether a time or a number stands before: an 'inclusive tour' is something else."""
    before = [t for t in tokens[:at] if t.lower not in _BRACKETS_AND_COMMA]
    return bool(before) and (before[-1].kind in {"number", "date", "quoted"} or before[-1].lower in _TIMES)
