"""What is said around a question and asks for nothing: 'Report …', '… in our database'.

Owns: the openings of a task ('Provide a query showing'), read as 'list', and the endings that mean all there
is. Words that the schema knows by these names stay.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace
from typing import Final

from askwire.language.lexicon import OVER
from askwire.language.text import Token
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.elements import PERSON_WORDS, is_flag
from askwire.planner.embedded.schema.line_amounts import REVENUE
from askwire.planner.embedded.schema.roles import SOMEBODY
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex
from askwire.planner.embedded.schema.somebody import is_person

_WISH: Final = (
    r"(?:(?:can|could|would) you (?:please )?|i (?:(?:want|need|wish) |would like |'d like )(?:to )?"
    r"|we (?:want|need) (?:to )?|please )?"
)
_RETRIEVAL: Final = (
    r"(?:report|reports|provide|present|output|retrieve|print|return|compile|identify|determine)"
)
_MAKING_VERBS: Final = (
    r"(?:prepare|produce|generate|create|make|write|build|run|draw up|display|show|give|list|get|see|provide|"
    r"report|return|present|compile|need|want)"
)
_REPORT_NOUN: Final = (
    r"(?:a|an|the) (?:sql |simple |single |complete |full |unique )*"
    r"(?:query|list|listing|report|table|overview|summary|breakdown)"
)
_SHOWING_WORDS: Final = (
    r"(?:(?:that|which) )?(?:only )?(?:showing|shows?|displaying|displays?|listing|lists?|returns?|returning"
    r"|of|with|containing|contains?|to (?:show|list|display|find|return|get))"
)
_TASK_OPENING: Final = re.compile(
    rf"{_WISH}{_MAKING_VERBS} (?:me |us )?{_REPORT_NOUN} (?:only )?{_SHOWING_WORDS} (?:only |just )?"
    rf"|{_WISH}{_RETRIEVAL} (?:me |us )?(?:with )?"
    r"(?!for |by |per |of |from |in |on |that |who |which |where |with |and )"
    r"|(?:i|we) (?:need|want|would like|'d like) (?:to (?:see|get|have) )?(?!to |for |by |per |in |on )"
)
_MAX_OPENING_TOKENS: Final = 14
"""Tokens within which an opening ends."""
_WHOLE_NOUNS: Final = frozenset(
    {
        "company",
        "organization",
        "organisation",
        "firm",
        "business",
        "database",
        "dataset",
        "catalog",
        "catalogue",
        "assortment",
        "collection",
        "system",
        "records",
    }
)
"""What holds all that there is to ask about."""


def without_opening(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'Provide a query showing the invoices' → 'list the invoices', 'I need sales' → 'list sales'."""
    words = [t.lower for t in tokens[:_MAX_OPENING_TOKENS]]
    found = _TASK_OPENING.match(" ".join(words) + " ")
    if found is None:
        return tokens
    count = found[0].count(" ")
    if count >= len(tokens) or tokens[count].kind == "punct":
        return tokens
    return (replace(tokens[0], text="list", lower="list", lemma="list", kind="word"), *tokens[count:])


_ON_WHICH_DAY: Final = re.compile(
    r"(?:on|at) (?:what|which) (?:exact )?(?:day|date|time)s? (?=(?:was|were|did|is|are) )"
)


def as_when(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'on which day was Ada hired?' → 'when was Ada hired?'."""
    found = _ON_WHICH_DAY.match(" ".join(t.lower for t in tokens[:_MAX_OPENING_TOKENS]))
    if found is None:
        return tokens
    count = found[0].count(" ")
    return (replace(tokens[0], text="when", lower="when", lemma="when", kind="word"), *tokens[count:])


def last_done(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'when did each customer last order?' → '… latest order?': no last name is meant."""
    said = [t.lower for t in tokens[:_MAX_OPENING_TOKENS]]
    if said[:1] != ["when"] or not {"each", "every", "all"} & set(said[:4]):
        return tokens
    found = list(tokens)
    for at in range(3, len(said) - 1):
        told = {"last": "latest", "first": "earliest"}.get(said[at])
        if told is not None and said[at + 1] not in {"name", "names"}:
            found[at] = replace(
                tokens[at], text=told, lower=told, lemma="late" if told == "latest" else "early"
            )
    return tuple(found)


_ON_FILE: Final = re.compile(
    r" (?:that )?(?:(?:we|you) (?:have|keep|hold) )?(?:on|in) (?:(?:our|the|your|their) "
    r"(?:(?:customer|client|member|patient|staff|personnel) )?)?"
    r"(?P<where>file|files|record|(?:(?<=our )|(?<=the ))books|system)"
    r"(?= [,.?!;:)]| (?:are|is|were|was|have|has|in|by|per|who|that|with|without)(?: |$)|$)"
)


def without_file(tokens: tuple[Token, ...], known: Container[str]) -> tuple[Token, ...]:
    """'customers with no phone on file' → 'customers with no phone', 'clients on our books' → 'clients'."""
    line = " ".join(t.lower for t in tokens)
    found = _ON_FILE.search(line)
    if found is None or found["where"] in known or found["where"].removesuffix("s") in known:
        return tokens
    start, end = line.count(" ", 0, found.start()) + 1, line.count(" ", 0, found.end()) + 1
    return (*tokens[:start], *tokens[end:])


_OF_ALL_TIME: Final = re.compile(
    r"(?<!\S)(?P<most>(?:most \w+|\w+est|best|worst|first|last|top|most|least)\b.*?)"
    r" (?:so far|to date|until now|up to now|of all time|ever recorded|yet"
    r"|(?:that )?(?:we|you) (?:have )?(?:ever )?(?:had|have|got|received|saw|seen|recorded))"
    r"(?= [?.!,]| (?:in|by|from|of|for|with|to|per|at)\b|$)"
)
_VERY: Final = re.compile(r"(?<!\S)very(?= (?:first|last|earliest|latest|oldest|newest) )")
_ONE_OF_MOST: Final = re.compile(
    r"(?<!\S)(?:big|larg|small|high|low|great|long|short)g?est(?= (?:single|individual|one-off) )"
)


def without_so_far(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'our biggest order so far' → 'our biggest order', 'the largest single fee' → 'the largest fee'."""
    line = new_tokens.line(tokens)
    if found := _OF_ALL_TIME.search(line):
        start, end = line.count(" ", 0, found.end("most")) + 1, line.count(" ", 0, found.end()) + 1
        tokens = (*tokens[:start], *tokens[end:])
        line = new_tokens.line(tokens)
    for found in reversed([*_VERY.finditer(line)]):
        at = line.count(" ", 0, found.start())
        tokens = (*tokens[:at], *tokens[at + 1 :])
        line = new_tokens.line(tokens)
    if found := _ONE_OF_MOST.search(line):
        at = line.count(" ", 0, found.end()) + 1
        tokens = (*tokens[:at], *tokens[at + 1 :])
    return tokens


_ON_AVERAGE: Final = r"(?: ,| (?:on|in) (?:average|(?P<unit%d>days|hours|minutes|months|weeks)))*"
_HOW_LONG_FROM: Final = re.compile(
    rf"how long{_ON_AVERAGE % 1} (?:does|do|did) (?:it|we)(?: (?:usually|typically))? (?:take|need)"
    rf"(?: us| them)?{_ON_AVERAGE % 2} from "
)


def how_long_from(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'how long does it take us on average from opening to closing' → 'average number of days from …'."""
    del index
    found = _HOW_LONG_FROM.match(new_tokens.line(tokens))
    if found is None:
        return tokens
    said = ["average", "number", "of", (found["unit1"] or found["unit2"] or "days").removesuffix("s")]
    return (*(new_tokens.word(w, tokens[0]) for w in said), *tokens[found[0].count(" ") - 1 :])


def without_actual(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'until the actual delivery' → 'until the delivery', where no column of deliveries is an actual one."""

    def idle(at: int) -> bool:
        behind = tokens[at + 1].lemma if at + 1 < len(tokens) else ""
        tables, _ = index.by_word.get(behind, (frozenset(), frozenset()))
        named = {t for t in tables if index.tables[t].words == (behind,)}
        return bool(named) and not any(c.table in named and "actual" in c.full for c in index.columns)

    return tuple(t for at, t in enumerate(tokens) if t.lower != "actual" or not idle(at))


_OUR_FIRM: Final = (
    r"(?:us|(?:the|our) (?:company|organi[sz]ation|firm|business|practice|school|hospital|team|staff))"
)
_NO_LONGER_WITH_US: Final = re.compile(
    rf"(?<!\S)(?:no longer (?:with|at|part of|in|(?:works?|working|employed) (?:for|at|with|in|by)) "
    rf"{_OUR_FIRM}|(?:has|have|had|already)(?: (?:since|already|now))* left(?: {_OUR_FIRM})?)"
    r"(?= [?.,]| (?:and|but|or|who|that|which)\b|$"
    r"| (?:by|per|(?:in|for|from) (?:each|every)) (?!(?:day|week|month|quarter|year)\b))"
)
_LEAVE_WORDS: Final = frozenset({"leave", "leaving"})
"""Words of an end that hours of absence have as well: `sick_leave_hours`."""


def departed(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'who is no longer with the firm', 'who has left us' → 'who is gone', where a time tells it.

    'Still with the firm' is 'still with us'. A budget that a department has left is not gone.
    """
    line = new_tokens.line(tokens)
    found = _NO_LONGER_WITH_US.search(line) if any(_tells_end(index, c) for c in index.columns) else None
    if (
        found is not None
        and found[0].split()[-1] == "left"
        and not _somebody_left(tokens, index, line, found)
    ):
        found = None
    if found is not None:
        said = ["gone"]
    elif found := re.search(rf"(?<=still )(?:with|at|working (?:for|at|in)|part of) {_OUR_FIRM}(?!\S)", line):
        said = ["with", "us"]
    if found is None or any(table.words == (found[0].split()[-1],) for table in index.tables):
        return tokens
    start, end = line.count(" ", 0, found.start()), line.count(" ", 0, found.end()) + 1
    return (*tokens[:start], *(new_tokens.word(word, tokens[start]) for word in said), *tokens[end:])


def _tells_end(index: SchemaIndex, column: ColumnEntry) -> bool:
    """Whether a column tells when, or whether, somebody left."""
    said = OVER["gone"] & {*column.full}
    own = is_person(index, column.table) or bool(said - _LEAVE_WORDS)
    return bool(said) and own and (column.kind == "time" or is_flag(column))


def _somebody_left(tokens: tuple[Token, ...], index: SchemaIndex, line: str, found: re.Match[str]) -> bool:
    """Whether those who 'have left' are people, who do not have something left."""
    before = tokens[: line.count(" ", 0, found.start())]
    if any(t.lemma == "do" for t in before):
        return False
    who = next((t for t in reversed(before) if t.lower not in {"that", "which"}), None)
    if who is None or who.lower == "who":
        return who is not None
    tables, _ = index.by_word.get(who.lemma, (frozenset(), frozenset()))
    named = [t for t in tables if index.tables[t].words[-1] == who.lemma]
    somebody = who.lemma in PERSON_WORDS or SOMEBODY.fullmatch(who.lemma) is not None
    return somebody or any(is_person(index, t) for t in named)


def without_whole(tokens: tuple[Token, ...], known: Container[str]) -> tuple[Token, ...]:
    """'how many employees are there in the company?' → 'how many employees are there?'."""
    end = len(tokens) - (bool(tokens) and tokens[-1].kind == "punct")
    said = [t.lower for t in tokens[:end]]
    whole = len(said) > 4 and said[-1] in _WHOLE_NOUNS and said[-2] in {"the", "our", "this", "your"}
    if not whole or said[-3] not in {"in", "of", "within", "across"}:
        return tokens
    if said[-1] in known or tokens[end - 1].lemma in known:
        return tokens
    return (*tokens[: end - 3], *tokens[end:])


_AFTER_DISCOUNT: Final = re.compile(
    r"(?: [,(])? (?:after|net of|less|minus) (?:(?:the|any|all|their|line|order|item) )*discounts?(?: \))?"
    r"(?!\S)"
)
_VALUE_WORDS: Final = frozenset({"value", "worth", "revenue", "sale", "turnover", "amount", "total"})


def after_discount(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'the order value after discount' → 'the order value', where lines come to what is left of a price."""
    line = new_tokens.line(tokens)
    found = _AFTER_DISCOUNT.search(line)
    sold = {index.columns[c].table for c in index.measured if index.columns[c].column.name == REVENUE}
    reduced = any(c.table in sold and "discount" in c.full for c in index.columns)
    if found is None or not reduced or not _VALUE_WORDS & {t.lemma for t in tokens}:
        return tokens
    start, end = line.count(" ", 0, found.start()) + 1, line.count(" ", 0, found.end()) + 1
    return (*tokens[:start], *tokens[end:])


AROUND_QUESTION: Final = (departed, how_long_from, without_actual, after_discount)
"""Rewritings of what is said around a question, in their order."""
