"""Bounds, figures and ranks in other words: 'ranging from 2 to 4', 'break down by', 'comes second by'.

Owns: tokens → tokens, by a table of wordings: a pattern of the line and the words that it becomes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from askwire.language.text import ORDINALS, Token, listed, singular
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.schema_index import SchemaIndex, is_flag

_NUMBER: Final = r"\d+(?:\.\d+)?"
_YEARS: Final = r"(?:19|20)\d\d (?:to|and) (?:19|20)\d\d(?!\S)"
_OPENS: Final = r"(?:^|(?<= , ))"
"""The beginning, or behind a time that is said first."""
_ASKS: Final = (
    r"(?:(?:show|give|get|list|find|can|could|you|me|us|i|we|need|want|please|what|is|are|was|the|a) )*"
)
_TOTAL: Final = r"(?:total|combined|overall|aggregate)"
_FIGURE: Final = rf"(?:{_TOTAL}|average|mean|median|maximum|minimum|number of|count of)"
_WORD: Final = (
    r"(?!(?:with|of|and|or|in|on|at|by|for|from|to|than|that|which|who|whose|where|is|are|was|were|be|a|an|the"
    r"|more|less|each|every|per|across|between|has|have|had|does|did|do) )[a-z][\w'-]*"
)
_NAME: Final = rf"(?:number of )?{_WORD}(?: {_WORD}){{0,3}}?"
"""The name of a measure."""
_MORE: Final = r"(?:more than|over|above|less than|fewer than|under|below|at least|at most)"
_MANY: Final = rf"(?:(?:the )?(?:number|count) of|how many) (?P<y>(?:{_WORD} ){{0,3}}{_WORD}s)(?!\S)"
_AGGREGATE: Final = r"(?:total|average|mean|maximum|minimum)"
_THINGS: Final = (
    rf"(?!{_FIGURE} |(?:names?|lists?|top|bottom|order|sort|rank|count|how|sum|share|percentage|trend) )"
    rf"(?:{_WORD} ){{0,2}}{_WORD}s(?! and )"
    r"(?: (?!by |per |each |every |, |number |total |average |many )[^\s?]+){0,14}?"
)
"""Things of which nothing but their groups is said: 'orders from Bath'."""
_ENDS: Final = r"(?: (?:in|during|since|between|from|until|before|after|up to|over) [^?.]*)?(?: ?[?.])?$"
_BOUND_VERBS: Final = (
    (r"(?:exceeds|is (?:more than|over|above|greater than|higher than))", "more than"),
    (r"(?:is (?:less than|under|below|lower than)|(?:falls|stays) (?:below|under))", "less than"),
)

_WORDINGS: Final = tuple(
    (re.compile(rf"(?<!\S)(?:{pattern})(?:(?<= )|(?!\S))"), into)
    for pattern, into in (
        # bounds
        (
            rf"(?:ranging|lying) (?:from|between) (?P<a>{_NUMBER}) (?:to|and) (?P<b>{_NUMBER})",
            "between {a} and {b}",
        ),
        (r"(?:lies|lie|falls|fall|ranges|range) between", "is between"),
        (
            rf"(?P<m>(?:with|having|have|has|had) (?:an? )?{_NAME}) from (?!{_YEARS})"
            rf"(?P<a>{_NUMBER}) to (?P<b>{_NUMBER})",
            "{m} between {a} and {b}",
        ),
        (
            rf"(?P<m>with|having|have|has|had) (?!{_YEARS})(?P<a>{_NUMBER}) to (?P<b>{_NUMBER})(?= [a-z])",
            "{m} between {a} and {b}",
        ),
        # what is asked for
        (rf"(?P<what>what|who|which) 's(?! {_WORD} 's)", "{what} is"),
        (
            rf"{_OPENS}how high (?:did|do|does) (?:the )?(?P<m>.+?) (?:get|go|rise|climb)",
            "what is the maximum {m}",
        ),
        (
            rf"{_OPENS}how low (?:did|do|does) (?:the )?(?P<m>.+?) (?:get|go|fall|drop|sink)",
            "what is the minimum {m}",
        ),
        (rf"{_OPENS}(?:can|could|would|will) you (?:please )?(?=rank |order |sort )", ""),
        # sums
        (rf"(?:add|adds|sum|sums) up the (?:{_TOTAL} )?(?P<m>{_NAME}) of", "show the total {m} of"),
        (
            rf"what (?:does|do|did) the (?P<m>{_NAME}) of (?P<y>[^?.]+?) (?:add|sum) up to",
            "what is the total {m} of {y}",
        ),
        (rf"(?:combined|aggregate)(?= {_WORD})", "total"),
        # groups
        (
            rf"{_OPENS}how (?:does|do|did) (?:the )?(?P<m>{_FIGURE} [^?]+?) (?:break down|vary|split|differ)"
            r"(?: up)? (?:by|across|per|between)",
            "{m} by",
        ),
        (
            rf"{_OPENS}how (?:does|do|did) (?:the )?(?P<m>[^?]+?) (?:break down|split)(?: up)? "
            r"(?:by|across|per|between)",
            "number of {m} by",
        ),
        (
            rf"(?:for|in) (?:every|each) (?P<g>{_NAME}) , split (?:the )?(?P<y>[^?]+?) by",
            "number of {y} by {g} and",
        ),
        (rf"{_OPENS}split (?:the )?(?P<m>{_FIGURE} [^?]+?) (?:by|across)", "{m} by"),
        (rf"{_OPENS}split (?:the )?(?P<m>[^?]+?) (?:by|across)", "number of {m} by"),
        (
            rf"{_OPENS}(?P<m>{_THINGS}) (?:, )?(?:broken down|split(?: up)?|divided) (?:by|across)",
            "number of {m} by",
        ),
        (
            rf"{_OPENS}(?P<m>{_THINGS}) (?<!ed )(?<!en )by (?P<a>{_NAME}) and (?=(?P<key>{_NAME}){_ENDS})",
            "number of {m} by {a} and",
        ),
        (r"(?:for|in) (?:every|each) combination of", "by"),
        (rf"by (?P<a>{_NAME}) and by", "by {a} and"),
        (r", count (?:the |all )*(?=[a-z])", ", number of"),
        (rf"(?P<f>{_FIGURE} {_NAME}) of their", "{f} of"),
        # bounds of totals
        (
            rf"with (?P<op>{_MORE}) (?P<k>{_NUMBER}) in {_TOTAL} (?P<m>{_NAME}) (?:from|for|of|across)",
            "with a total {m} of {op} {k} from",
        ),
        *(
            (
                rf"where the {_TOTAL} (?P<m>{_NAME}) of (?P<y>[^?]+?) {verb} (?P<k>{_NUMBER})",
                f"with a total {{m}} of {op} {{k}} from {{y}}",
            )
            for verb, op in _BOUND_VERBS
        ),
        # places
        (
            rf"(?:ranks|rank|ranked|comes|come|came|is|are) (?P<nth>{'|'.join(ORDINALS)}) by (?:the )?"
            rf"(?={_FIGURE})",
            "has the {nth} highest",
        ),
        (
            rf"{_OPENS}{_ASKS}top (?P<g>(?:{_WORD} ){{1,3}}?(?:in|from|with|of|at|on) [^?]+?) by (?:the )?"
            rf"(?P<f>{_FIGURE})",
            "which {g} has the highest {f}",
        ),
        (
            rf"(?:which|who|what) (?:is|ranks|comes) (?P<nth>{'|'.join(ORDINALS)}) among (?:the )?"
            rf"(?P<g>{_NAME}) by (?:the )?(?={_FIGURE})",
            "which {g} has the {nth} highest",
        ),
        (
            rf"{_OPENS}{_ASKS}(?P<g>{_NAME}) from (?:the )?most to (?:the )?fewest(?= [a-z])",
            "rank {g} by number of",
        ),
        (
            rf"{_OPENS}{_ASKS}(?P<g>{_NAME}) from (?:the )?fewest to (?:the )?most(?= [a-z])",
            "order {g} by number of",
        ),
        (rf"{_OPENS}{_ASKS}ranking of (?:the )?(?P<g>[^?]+?) by (?:the )?(?={_FIGURE})", "rank {g} by"),
    )
)
_FIGURES_OF: Final = frozenset(listed("total combined overall median average mean"))
_UNNAMED: Final = frozenset({"in", "of", "on", "per", "the"})
"""Words that the names of columns leave out."""
_NAMES: Final = frozenset({"name", "names", "surname", "title"})
_TOTALS: Final = frozenset({"combined", "aggregate"})
_LEMMAS: Final = {"is": "be", "has": "have"}
_HYPHENED: Final = frozenset(listed("most least highest lowest largest smallest biggest fewest"))
_THEIR_FIGURE: Final = re.compile(
    rf"{_OPENS}(?P<lead>{_ASKS})(?P<many>{_MANY})(?P<rest>[^?]*?)"
    rf"(?: (?:were|are|was) there| do we have)? (?:and|with) (?:what (?:is|are|was|were) )?their "
    rf"(?P<figure>{_AGGREGATE} {_NAME})(?= ?[?.]?$)"
)
_COUNT_AND_FIGURE: Final = re.compile(
    rf"{_OPENS}(?P<lead>{_ASKS})(?:count|number) and (?:the )?(?P<figure>{_AGGREGATE} {_NAME}) (?:of|for) "
    rf"(?P<y>(?:{_WORD} ){{0,3}}{_WORD}s)(?!\S)(?P<rest>[^?.]*)"
)


def counted_and_figured(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'how many orders from Bath and their average price' → '… orders and average price of orders from Bath'.

    So is 'count and average price of orders from Bath'.
    """
    line = new_tokens.line(tokens)
    found = _THEIR_FIGURE.search(line) or _COUNT_AND_FIGURE.search(line)
    if found is None:
        return tokens

    def said(name: str) -> tuple[Token, ...]:
        start, end = found.span(name)
        text = line[:start].split(), line[start:end].split()
        return tokens[len(text[0]) : len(text[0]) + len(text[1])]

    def words(text: str) -> tuple[Token, ...]:
        return tuple(new_tokens.word(word, tokens[0]) for word in text.split())

    things, before = said("y"), tokens[: line.count(" ", 0, found.start())]
    asked = (*words("how many"), *things, *words("and the"), *said("figure"), *words("of"), *things)
    return (*before, *asked, *said("rest"), *tokens[len(line[: found.end()].split()) :])


def in_plain_figures(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'whose fee lies between 4 and 8' → 'whose fee is between 4 and 8', 'fees across types' as they are.

    Each wording of the table is read once, in their order.
    """
    tokens = _held(tuple(part for token in tokens for part in _apart(token)), index)
    for pattern, into in _WORDINGS:
        line = new_tokens.line(tokens)
        found = pattern.search(line)
        if found is None or (found[0] in _TOTALS and found[0] in index.by_word):
            continue
        if "key" in found.groupdict() and not _are_keys((found["a"], found["key"]), index):
            continue  # 'books by Tolkien and Lewis'
        start, end = (
            line.count(" ", 0, at) for at in (found.start(), len(found[0].rstrip()) + found.start())
        )
        said: list[Token] = []
        for part in into.split():
            if part[0] != "{":
                word = new_tokens.word(part, tokens[start])
                said.append(replace(word, lemma=_LEMMAS.get(part, part)))
                continue
            first, last = (line.count(" ", 0, at) for at in found.span(part[1:-1]))
            said += tokens[first : last + 1]
        tokens = (*tokens[:start], *said, *tokens[end + 1 :])
    return tokens


def _are_keys(names: Sequence[str], index: SchemaIndex) -> bool:
    """Whether rows may be grouped by what these words name: by last and first name they are put in order."""
    if any(name.rpartition(" ")[2] in _NAMES for name in names):
        return False
    return all(singular(name.rpartition(" ")[2]) in index.by_word for name in names)


def _held(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'the median number of seats' → 'the median seats', where a column says how many: none is counted."""
    for at in range(len(tokens) - 3):
        if tokens[at].lower in _FIGURES_OF and [t.lower for t in tokens[at + 1 : at + 3]] == ["number", "of"]:
            names = {
                " ".join(t.lemma for t in tokens[at + 3 : end] if t.lower not in _UNNAMED)
                for end in range(at + 4, at + 7)
            }
            numbers = (c for c in index.columns if c.kind == "number" and not is_flag(c))
            if any({" ".join(c.full), " ".join(c.words)} & names for c in numbers):
                return (*tokens[: at + 1], *_held(tokens[at + 3 :], index))
    return tokens


def _apart(token: Token) -> tuple[Token, ...]:
    """'second-most' as two words."""
    nth, _, most = token.lower.partition("-")
    if token.kind != "word" or nth not in ORDINALS or most not in _HYPHENED:
        return (token,)
    return new_tokens.word(nth, token), new_tokens.word(most, token)
