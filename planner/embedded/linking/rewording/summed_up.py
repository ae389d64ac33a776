"""Shares, totals and averages of rows, in the one wording of each that the grammar knows.

Owns: wordings of everyday speech, and what they are read as. One is read only where the rows that it is
said of are called as a table is.

    'whose invoices add up to the most?' → 'who had the highest total value of invoices'
    'orders by status in percent' → 'what percentage of the orders do each status make up'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from askwire.language.text import Token, listed
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_PARTS: Final[Mapping[str, str]] = {
    "ROWS": (
        r"(?:(?:all|the|our|their|its|of) )*+(?!(?:distribution|breakdown|split|share|percentage|average"
        r"|total|sum|number|count|amount|value|list) )(?P<x>[^\s,]+(?: [^\s,?]+){0,7}?)"
    ),
    "ONE": r"(?P<x>(?:\S+ ){0,2}?[^\s?]+)",
    "GROUP": r"(?:(?:the|different) )*+(?P<c>[^\s,?]+(?: [^\s,?]+)?)",
    "WHO": r"(?P<p>[^\s,?]+(?: [^\s,?]+)?)",
    "MANY": r"(?:(?:top )?(?P<n>\d+|two|three|four|five|ten) )?",
    "SHARE": r"(?:percentage|percent|%|share|proportion|fraction)",
    "EACH": r"(?:each|every|which|what)",
    "PERCENTS": r"(?: ,)? (?:in|as|and (?:give|show|add)(?: me)?) (?:the )?(?:percentages?|percent|%)",
    "ALL": r"(?: (?:in total|in all|altogether|overall|together|combined))*+",
    "MOST": r"(?:the )?(?:most|(?:highest|largest|biggest|greatest)(?: (?:total|amount|sum|value))?)",
    "COME": (
        r"(?:(?:(?:add|adds|added|sum|sums|summed) up|sum|sums|total|totals|amount|amounts|amounted"
        r"|come|comes|came)(?: to)?)"
    ),
    "BOUND": (
        r"(?P<op>(?:more|greater|higher|less) than|at least|at most|over|above|under|below) "
        r"(?P<v>[\d.,]+)"
    ),
    "WHEN": r"(?P<w>(?: (?:in|during|since) (?:[a-z]+ )?\d{4})?)",
    "BE": r"(?:is|'s|was|are|were)",
    "PER": r"(?P<k>(?: (?:per|by|for each|for every|in each) \S+(?: \S+)??)?)",
    "SHOW": r"(?:(?:please|show|give|list|find|name|tell|me|us|what|which|is|are|the|all) )*+",
}
_MADE_UP: Final = "what percentage of the x w do each c make up"
_HIGHEST: Final = "which n p had the highest total value of x w"
_WHO_HIGHEST: Final = "who had the highest total value of x w"
_TOTAL: Final = "total value of the x w"
_AVERAGE: Final = "average value of x w k"
_BEYOND: Final = "p whose total value of x w op v"


def _patterns(*wordings: tuple[str, str]) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    def filled(text: str) -> str:
        return re.sub(r"\{([A-Z]+)\}", lambda m: _PARTS[m[1]], text)

    return tuple((re.compile(rf"{filled(said)}(?: [?.!])*"), tuple(read.split())) for said, read in wordings)


_WORDINGS: Final = _patterns(
    (
        r"how (?:are|is|were) {ROWS} (?:split|divided|distributed|spread|broken down)(?: up)?"
        r" (?:across|over|by|among|between|into) {GROUP}{PERCENTS}",
        _MADE_UP,
    ),
    (r"{SHOW}(?:break|split) {ROWS} (?:down|up) by {GROUP}{PERCENTS}", _MADE_UP),
    (r"{SHOW}{ROWS} (?:by|per) {GROUP}{PERCENTS}{WHEN}", _MADE_UP),
    (
        r"(?:what|which) {SHARE} of {ROWS} (?:falls?|belongs?|goes|go|lies?|fell|went) "
        r"(?:in|into|to|under|on|with) {EACH} {GROUP}",
        _MADE_UP,
    ),
    (r"(?:what|which) {SHARE} of {ROWS} (?:has|have|had) {EACH} {GROUP}", _MADE_UP),
    (r"{SHOW}{GROUP} (?:mix|split|distribution|breakdown) of {ROWS}{PERCENTS}", _MADE_UP),
    (
        r"{SHOW}(?:percentage|percent|%) (?:distribution|split|breakdown|mix) of {ROWS} "
        r"(?:over|across|among|between) {GROUP}{WHEN}",
        _MADE_UP,
    ),
    (
        r"for (?:each|every) {GROUP} ,? ?(?:what|which) {SHARE} of {ROWS} "
        r"(?:is it|is that|it is|does it make up|does it have)",
        _MADE_UP,
    ),
    (
        r"{SHOW}(?:each|every) {GROUP} (?:along with|together with|with|and) its {SHARE} of {ROWS}",
        _MADE_UP,
    ),
    (r"whose {ROWS} {COME} {MOST}{ALL}", _WHO_HIGHEST),
    (r"{SHOW}{MANY}{WHO} (?:whose|for (?:whom|which)) {ROWS} {COME} {MOST}{ALL}", _HIGHEST),
    (r"(?:for|in) which {WHO} do {ROWS} {COME} {MOST}{ALL}{WHEN}", _HIGHEST),
    (r"which {WHO} 's? {ROWS} {COME} {MOST}{ALL}", _HIGHEST),
    (r"(?:how much|what) (?:do|does|did) {ROWS} {COME}{ALL}", _TOTAL),
    (r"how much (?:money )?(?:{BE} )?in {ROWS}{ALL}", _TOTAL),
    (r"{ROWS} ?[:,-] how much {BE} (?:that|it|they|this){ALL}", _TOTAL),
    (r"(?:please )?(?:add|sum|total) up {ROWS}{ALL}(?: ,? ?please)?", _TOTAL),
    (r"how (?:high|big|large) {BE} the (?:sum|total) of {ROWS}", _TOTAL),
    (
        r"(?:what|how much) (?:do|does|did) (?:an?|one|the) {ONE} (?:cost|come to) on average{PER}{WHEN}",
        _AVERAGE,
    ),
    (r"how (?:much|big|high|large) {BE} (?:an?|one|the) {ONE}(?: worth)? on average{PER}{WHEN}", _AVERAGE),
    (
        r"on average ,? ?how (?:much|big|high|large) {BE} (?:an?|one|the) {ONE}(?: worth)?{PER}{WHEN}",
        _AVERAGE,
    ),
    (r"how (?:much|big|high|large) {BE} (?:the|an?|our) (?:average|typical) {ONE}{PER}{WHEN}", _AVERAGE),
    (r"(?:what|how much) {BE} (?:an?|the) (?:average|typical) {ONE} worth{PER}{WHEN}", _AVERAGE),
    (r"{SHOW}{WHO} (?:whose|where the sum of) {ROWS} (?:{COME}|is|was) {BOUND}{ALL}", _BEYOND),
    (
        r"{SHOW}{WHO} (?:that |who )?(?:have|has|had|with) {BOUND} (?:in|of) {ROWS} "
        r"(?:altogether|overall|in total|in all|together){WHEN}",
        _BEYOND,
    ),
    (r"{SHOW}{WHO} with a total of {BOUND} in {ROWS}", _BEYOND),
)
_MONEY_ROWS: Final = frozenset(
    listed(
        "order payment sale invoice bill purchase transaction donation claim expense loan fee fine booking "
        "check receipt refund deal contract trade deposit"
    )
)
"""Rows of which 'how big' asks for the amount."""


def summed_up(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """The tokens in the wording that the grammar knows, where they ask what rows come to or make up."""
    line = new_tokens.line(tokens)
    for pattern, read in _WORDINGS:
        found = pattern.fullmatch(line)
        if found is None or not _of_rows(found, tokens, index):
            continue
        groups = found.groupdict()
        made: list[Token] = []
        for said in read:
            if said not in groups and said not in {"n", "w", "k"}:
                made.append(new_tokens.word(said, tokens[0]))
            elif groups.get(said):
                part = _part(tokens, found, said)
                alone = said == "c" and part[-1].kind == "word"
                made += (*part[:-1], new_tokens.word(part[-1].lemma, part[-1])) if alone else part
        return tuple(made)
    return tokens


def _part(tokens: tuple[Token, ...], found: re.Match[str], name: str) -> tuple[Token, ...]:
    start, end = found.span(name)
    return tokens[len(found.string[:start].split()) : len(found.string[:end].split())]


def _of_rows(found: re.Match[str], tokens: tuple[Token, ...], index: SchemaIndex) -> bool:
    """Whether rows are called as a table is, and those whose amounts are asked come to money."""
    share = "c" in found.groupdict()
    for token in _part(tokens, found, "x")[: new_tokens.LONG_NAME]:
        if token.lemma in index.by_word and index.by_word[token.lemma][0]:
            return share or token.lemma in _MONEY_ROWS
    return False
