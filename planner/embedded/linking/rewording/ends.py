"""The first, the last and the greatest record said in many ways, put as the grammar asks for them.

Owns: 'date range of the orders', 'since when and until when do we have orders' → 'when were the first and the
last orders'; 'which of our orders came first' → 'the first order'; 'per customer: last order' → 'last
order of each customer'. A wording is put so only where it speaks of what a table holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from askwire.language.text import Token
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_LAST: Final = "last|latest|newest|most recent|final"
_FIRST: Final = "first|earliest|oldest"
_ASK: Final = (
    r"(?:(?:please|show|give|me|us|tell|state|list|find|return|what|which|is|"
    r"are|was|were|the|our|'s|display|get|see|i|need) )*+"
)
_SPAN: Final = (
    r"(?:date range|dates range|range of dates|time span|timespan|time frame|timeframe|time range|time period"
    r"|period of time)"
)
_ROWS: Final = r"(?:(?:the|our|all|any|these) )*+(?P<x>(?!(?:the|our|all|any|these) )\S.*?)"
_KIND: Final = r"(?P<x>(?:(?!the |our |all |of |by |per |each |every |with )\S+ ){0,3}?\S+)"
_DATE: Final = "(?:when|(?:what|which) (?:date|day|time))"
_DONE: Final = (
    r"(?:placed|made|created|recorded|booked|issued|received|opened|"
    r"entered|added|registered|taken|given|held)"
)
_END: Final = r"(?P<end>(?: [?.!])?)$"
_BOTH: Final = "when be the first and the last {x}"
_WORDS_BEFORE: Final = 4
"""Words before the noun of what is meant: 'the delivered web orders'."""
_MONEY_RECORDS: Final = "order|invoice|payment|bill|sale|transaction|deal|purchase|booking|trade|refund"


def _patterns(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(said), put) for said, put in pairs)


_WHOLE: Final = _patterns(
    (rf"^{_ASK}{_SPAN} (?:of|for|covered by|spanned by) {_ROWS}{_END}", _BOTH),
    (rf"^(?:what|which) (?:{_SPAN}|period) (?:is|are) (?:covered|spanned) by {_ROWS}{_END}", _BOTH),
    (rf"^(?:what|which) (?:{_SPAN}|period|dates) (?:do|does|did) {_ROWS} (?:cover|span){_END}", _BOTH),
    (
        rf"^(?:from|since) {_DATE}(?: and)? (?:to|until|till|up to) {_DATE} (?:do|does|did|are|were|have) "
        rf"(?:(?:we|you) have |there be )?{_ROWS}(?: (?:run|go|last|span|reach|extend|stretch|date))?{_END}",
        _BOTH,
    ),
    (
        rf"^{_ROWS} (?:range|run|go|span|reach|extend|stretch) from {_DATE} (?:to|until|till) {_DATE}{_END}",
        _BOTH,
    ),
    (
        rf"^how far back do {_ROWS} (?:go|reach|date|stretch) ?,? and (?:how recent are (?:they|the latest)"
        rf"|(?:until|till|up to) {_DATE}(?: do they go)?){_END}",
        _BOTH,
    ),
    (
        rf"^{_ASK}(?:{_FIRST}|min|minimum) and (?:the )?(?:{_LAST}|max|maximum) (?:dates?|days?) (?:of|for) "
        rf"{_ROWS}{_END}",
        _BOTH,
    ),
    (
        rf"^{_ASK}(?:{_FIRST}) (?:date|day) and (?:the )?(?:{_LAST}) (?:date|day) (?:on which|when) "
        rf"{_ROWS} (?:was|were) {_DONE}{_END}",
        _BOTH,
    ),
    (
        rf"^{_ASK}(?:{_FIRST}) {_KIND} date (?:and|,) (?:the )?(?:{_LAST}) (?P=x) date(?: please)?{_END}",
        _BOTH,
    ),
    (
        rf"^(?:when|on (?:what|which) (?:day|date)) (?:was|were) (?:the|our) (?:{_FIRST}) {_KIND}"
        rf"(?: {_DONE})? ?,? and (?:when|on (?:what|which) (?:day|date))(?: was| is)? (?:the |our )?"
        rf"(?:{_LAST})(?: 1)?{_END}",
        _BOTH,
    ),
    (rf"^between (?:what|which) (?:two )?dates (?:were|was|are) {_ROWS} {_DONE}{_END}", _BOTH),
    (
        rf"^which (?:of (?:all )?(?:the|our) )?{_KIND} (?:came|was|were|is|be) (?:the )?(?P<which>first|last)"
        rf"(?: 1| ever)?{_END}",
        "our {which} {one}",
    ),
    (
        rf"^of (?:all )?(?:the |our )?{_KIND} ?,? which(?: 1)? (?:is|was|be) (?:the )?"
        rf"(?P<which>{_FIRST}|{_LAST}|\w+est|most expensive)(?: 1)?{_END}",
        "our {which} {one}",
    ),
    (
        rf"^which(?: 1)? (?:is|was) (?:the )?(?P<which>{_FIRST}|{_LAST}|\w+est|most expensive) of "
        rf"(?:all )?(?:the |our ){_KIND}{_END}",
        "our {which} {one}",
    ),
    (rf"^(?:the )?(?P<which>first|last) of all (?:the |our )?{_KIND}{_END}", "our {which} {one}"),
    (
        rf"^{_ASK}(?:(?P<few>\d+) )?{_KIND} "
        rf"(?:that|which) (?:was|were) {_DONE} (?P<which>first|last){_END}",
        "the {which} {few} {x}",
    ),
    (
        rf"^{_ASK}(?:(?P<few>\d+) )?{_KIND} "
        rf"with (?:the )?(?P<which>{_FIRST}|{_LAST}) dates?{_END}",
        "the {which} {few} {x}",
    ),
    (
        rf"^{_ASK}(?P<which>{_FIRST}|{_LAST}) {_KIND} ?,? (?:only|just|limit(?: to)?|max|maximum|at most) "
        rf"(?P<few>\d+)(?: of (?:them|these))?{_END}",
        "the {few} {which} {x}",
    ),
    (
        rf"^(?:show |list |give me )?(?:the )?top (?P<few>\d+) {_KIND} by date ?,? "
        rf"\(? ?(?P<which>newest|latest|most recent|oldest|earliest) first(?: \))?{_END}",
        "the {few} {which} {x}",
    ),
)
"""Whole wordings and how they are put; the noun of '{x}' is a table, in the singular as '{one}'."""

_OF_EACH: Final = _patterns(
    (r"^per (?P<x>\S+) [:,] (?P<rest>.+)$", "{rest} of each {x}"),
    (
        r"^(?:show |list |give me )?1 (?:line|row|record) (?:per|for each|for every) (?P<x>\S+) "
        r"(?:with|showing|giving|and) (?P<rest>.+)$",
        "{rest} of each {x}",
    ),
    (
        rf"^(?P<rest>{_ASK}(?:{_FIRST}|{_LAST}) {_KIND.replace('<x>', '<thing>')}) (?P<each>each|every) "
        rf"(?P<x>\S+) (?:had|has|made|placed|got|received|booked){_END}",
        "{rest} of {each} {x}",
    ),
    (
        rf"^(?P<rest>{_ASK}(?:{_FIRST}|{_LAST}) (?:\S+ ){{1,2}}?dates?) (?:of|for) all "
        rf"(?:the |our )?(?P<x>\S+){_END}",
        "{rest} of each {one}",
    ),
    (
        r"^when (?:was|is) (?:the )?(?P<which>first|last) time (?:that )?(?P<each>each|every) (?P<x>\S+) "
        rf"(?P<be>was|were|has been) (?P<rest>\S+){_END}",
        "when be {each} {x} {which} {rest}",
    ),
    (
        r"^when (?:was|is) (?:the )?(?P<which>first|last) time (?:that )?(?P<each>each|every) (?P<x>\S+) "
        rf"(?P<rest>(?!was |were |has |have )\S+(?: (?:an?|any) \S+)?){_END}",
        "when do {each} {x} {which} {rest}",
    ),
    (
        rf"^{_ASK}(?P<x>\S+) and when they (?P<which>first|last) (?:were |was )?(?P<rest>\S+){_END}",
        "when do each {one} {which} {rest}",
    ),
)
"""Wordings of what each one has; '{x}' is a table."""
_EACH_OF: Final = re.compile(
    r"(?<!\S)(?:each|every)(?: single)?(?: 1)? of (?:all )?(?:our|the|your) (?P<x>\S+)"
)
_END_BY: Final = re.compile(
    rf"^{_ASK}(?:{_FIRST}|{_LAST}) (?:\S+ ){{0,2}}?(?P<x>\S+) (?P<by>by) (?P<owner>\S+){_END}"
)
_FINAL: Final = re.compile(r"(?<!\S)(?P<final>final) (?:\d+ )?(?P<x>\S+(?: \S+)?)")
_THE_ONE: Final = re.compile(
    r"(?<!\S)(?P<one>the 1) (?P<kind>(?:\S+ )?)(?P<x>\S+) (?P<that>(?:that|which) (?:had|has|have)) the "
)
_VALUABLE: Final = re.compile(
    rf"(?<!\S)(?P<worth>most valuable|highest (?:- )?value|highest-value|most costly) (?P<kind>(?:\S+ )?)"
    rf"(?P<x>{_MONEY_RECORDS})(?!\S)"
)


def _slice(tokens: Sequence[Token], found: re.Match[str], group: str) -> tuple[Token, ...]:
    line = found.string
    if not found.groupdict().get(group):
        return ()
    start = line.count(" ", 0, found.start(group)) + found[group].startswith(" ")
    return tuple(tokens[start : start + found[group].strip().count(" ") + 1])


def _is_table(token: Token, index: SchemaIndex) -> bool:
    return bool(index.by_word.get(token.lemma, new_tokens.NO_ELEMENTS)[0])


def _filled(
    put: str, parts: Mapping[str, tuple[Token, ...]], one: tuple[Token, ...], beside: Token
) -> tuple[Token, ...]:
    made: list[Token] = []
    for word in put.split():
        name = word.strip("{}")
        if word == name:
            made.append((new_tokens.mark if word == "," else new_tokens.word)(word, beside))
        else:
            made.extend(one if name == "one" else parts.get(name, ()))
    return (*made, *parts.get("end", ()))


def ends_said(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'what period do the orders cover' → 'when were the first and the last orders', and the like."""
    tokens = _of_each_said(_one_said(tokens, index), index)
    line = new_tokens.line(tokens)
    for pattern, put in _WHOLE:
        found = pattern.match(line)
        if found is None:
            continue
        parts = {name: _slice(tokens, found, name) for name in found.groupdict()}
        said = [t.lower for t in parts["x"]]
        at = next((n for n, t in enumerate(parts["x"][:_WORDS_BEFORE]) if _is_table(t, index)), None)
        if (
            at is None
            or {"each", "every", "per", "of"} & {*said[: at + 1]}
            or {"each", "every", "per"} & {*said}
        ):
            continue
        one = parts["x"]
        if one and one[-1].kind == "word":
            one = (*one[:-1], new_tokens.word(one[-1].lemma, one[-1]))
        return _filled(put, parts, one, tokens[0])
    return tokens


def _of_each_said(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'per customer: last order' → 'last order of each customer', 'newest order by user' as well."""
    line = new_tokens.line(tokens)
    if not re.search(rf"(?<!\S)(?:{_FIRST}|{_LAST})(?!\S)", line):
        return tokens
    if (found := _EACH_OF.search(line)) and _is_table(one := _slice(tokens, found, "x")[0], index):
        start, end = line.count(" ", 0, found.start()), line.count(" ", 0, found.end()) + 1
        each = (new_tokens.word("each", one), new_tokens.word(one.lemma, one))
        tokens = (*tokens[:start], *each, *tokens[end:])
        line = new_tokens.line(tokens)
    if found := _END_BY.match(line):
        thing, owner = _slice(tokens, found, "x")[0], _slice(tokens, found, "owner")[0]
        if all(_is_table(t, index) and t.lower == t.lemma for t in (thing, owner)):
            at = line.count(" ", 0, found.start("by"))
            return (*tokens[:at], *(new_tokens.word(w, owner) for w in ("of", "each")), *tokens[at + 1 :])
    for pattern, put in _OF_EACH:
        if (found := pattern.match(line)) and _is_table(one := _slice(tokens, found, "x")[0], index):
            parts = {name: _slice(tokens, found, name) for name in found.groupdict()}
            rest = parts.get("rest", ())
            if put.startswith("when do") and rest:
                parts["rest"] = (new_tokens.word(rest[0].lemma, rest[0]), *rest[1:])
            return _filled(put, parts, (new_tokens.word(one.lemma, one),), tokens[0])
    return tokens


def _one_said(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'the final 5 orders' → 'the last 5 orders', 'the one order that had the' → 'the order with the'."""
    line = new_tokens.line(tokens)
    found = _FINAL.search(line)
    if (
        found
        and "final" not in index.by_word
        and any(_is_table(t, index) for t in _slice(tokens, found, "x"))
    ):
        at = line.count(" ", 0, found.start("final"))
        tokens = (*tokens[:at], new_tokens.word("last", tokens[at]), *tokens[at + 1 :])
    if (found := _THE_ONE.search(line)) and _is_table(_slice(tokens, found, "x")[0], index):
        at, that = line.count(" ", 0, found.start("one")), line.count(" ", 0, found.start("that"))
        having = new_tokens.word("with", tokens[that])
        return (*tokens[: at + 1], *tokens[at + 2 : that], having, *tokens[that + 2 :])
    if (found := _VALUABLE.search(line)) and _is_table(_slice(tokens, found, "x")[0], index):
        worth = _slice(tokens, found, "worth")
        at = line.count(" ", 0, found.start("worth"))
        most = new_tokens.word("largest", tokens[at])
        return (*tokens[:at], most, *tokens[at + len(worth) :])
    return tokens
