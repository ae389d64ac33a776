"""What people earn, read as the column that holds it: 'who earns the most' → 'who has the highest salary'.

Owns: the verbs and nouns of pay, and the columns that they stand for. Schemas without such a column, and
verbs of what is sold or bought, are left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from askwire.language.text import Token, listed, tokenize
from askwire.planner.embedded.linking.blocked import ADVERBS
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex

PAY_WORDS: Final = tuple(listed("salary wage compensation pay remuneration stipend"))
"""Words of columns that hold what somebody is paid, the usual first."""
_EARNING_VERBS: Final = frozenset(listed("earn earns earned earning"))
_MAKING_VERBS: Final = frozenset(listed("make makes made"))
_AUXILIARIES: Final = frozenset(listed("is are was were gets get got being be"))
_PEOPLE: Final = frozenset(listed("who people person anyone anybody everyone everybody those somebody"))
_FILLER_WORDS: Final = frozenset(listed("who that which does do did currently"))
_BOUNDS: Final = frozenset(listed("more less over under above below between exactly at fewer higher lower"))
_BEHIND_PAY: Final = frozenset(listed("in at for of from per by among within on and with"))
_BEFORE_PAY: Final = frozenset(
    listed("average mean total avg max min maximum minimum highest lowest median overall by")
)
_PAY_MODIFIERS: Final = frozenset(listed("the their his her annual monthly yearly"))
_PERIODS: Final = {
    "hourly": "hour",
    **{adverb: unit for adverb, unit in ADVERBS.items() if unit != "quarter"},
}
"""What is said of pay, with the unit of time that it is for."""
_END_MARKS: Final = frozenset({".", "?", ";"})
_MAX_TOKENS_BEHIND: Final = 4
"""Tokens behind a bound among which its number stands."""


def salaries(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """The tokens with what says how much somebody earns as the name of the column.

    'employees who are paid less than 5000' → 'employees who have salary less than 5000', 'total payroll by
    region' → 'total salary by region', 'average pay' → 'average salary'.
    """
    word = _pay_word(index)
    end = new_tokens.place_of(tokens, 0, _END_MARKS)  # what is shown behind it is said apart
    if not word or any(word == token.lemma for token in tokens[:end]):
        return _of_its_period(tokens, index)
    return _verbs(_nouns(_earned_per_unit(tokens, index, word), index, word), index, word)


def _earned_per_unit(tokens: tuple[Token, ...], index: SchemaIndex, word: str) -> tuple[Token, ...]:
    """'who earn more per hour than …' → 'who earn more than …', where the column is of pay per hour."""
    for at in range(1, len(tokens) - 3):
        verb, bound, per, unit = (t.lower for t in tokens[at : at + 4])
        if verb not in _EARNING_VERBS or bound not in _BOUNDS or per not in {"per", "a", "an"}:
            continue
        _, columns = index.by_word.get(word, (frozenset(), frozenset[int]()))
        of = [index.columns[c] for c in columns]
        if any(unit in {_period(c), *(_PERIODS.get(w) for w in c.full)} for c in of):
            return (*tokens[: at + 2], *tokens[at + 4 :])
    return tokens


def _of_its_period(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'monthly salary' as 'salary' where the comment on every such column says that it is monthly."""
    for at in range(len(tokens) - 1):
        asked, pay = _PERIODS.get(tokens[at].lower), tokens[at + 1].lemma
        if asked is None or pay not in PAY_WORDS:
            continue
        _, numbers = index.by_word.get(pay, (frozenset(), frozenset[int]()))
        columns = [index.columns[c] for c in numbers if pay in index.columns[c].full]
        held = [_period(c) for c in columns if tokens[at].lower not in c.full]
        if held and len(held) == len(columns) and all(period == asked for period in held):
            return (*tokens[:at], *tokens[at + 1 :])
    return tokens


def _period(column: ColumnEntry) -> str:
    """The unit of time that a column's comment says its pay is for; '' where it says none, or several."""
    words = [token.lower for token in tokenize(column.column.comment or "")]
    said = {_PERIODS[word] for word in words if word in _PERIODS}
    said |= {unit for before, unit in pairwise(words) if before in {"per", "a"} and unit in _PERIODS.values()}
    return said.pop() if len(said) == 1 else ""


def _pay_word(index: SchemaIndex) -> str:
    """What pay is called in the schemas of the search path; '' where they hold none."""
    for word in PAY_WORDS:
        _, columns = index.by_word.get(word, (frozenset(), frozenset[int]()))
        for column in (index.columns[c] for c in columns):
            near = index.tables[column.table].relation.on_path
            if near and word in column.full and column.kind == "number" and not column.key:
                return word
    return ""


def _nouns(tokens: tuple[Token, ...], index: SchemaIndex, word: str) -> tuple[Token, ...]:
    found: list[Token] = []
    for at, token in enumerate(tokens):
        before = tokens[at - 1].lower if at else ""
        behind = tokens[at + 1].lower if at + 1 < len(tokens) else ""
        named = token.lower in index.by_word
        ends = not behind or not behind.isalpha() or behind in _BEHIND_PAY
        if token.lower == "payroll" and not named and before not in {"in", "of", "from", "at"} and ends:
            asked = before in _BEFORE_PAY
            found += (
                [new_tokens.word(word, token)]
                if asked
                else [new_tokens.word("total", token), new_tokens.word(word, token)]
            )
        elif token.lower == "pay" and not named and before in _BEFORE_PAY | _PAY_MODIFIERS and ends:
            found.append(new_tokens.word(word, token))
        else:
            found.append(token)
    return tuple(found)


def _verbs(tokens: tuple[Token, ...], index: SchemaIndex, word: str) -> tuple[Token, ...]:
    for at in range(1, len(tokens) - 1):
        verb = tokens[at].lower
        start = at - (tokens[at - 1].lower in _AUXILIARIES)
        done = verb in _EARNING_VERBS and start == at and not {"earn", "earning"} & index.by_word.keys()
        paid = verb == "paid" and start < at
        if not (done or paid or (verb in _MAKING_VERBS and start == at)) or not _of_people(
            tokens[:start], index, word
        ):
            continue
        has = replace(new_tokens.word("has", tokens[at]), lemma="have")
        rest = tokens[at + 1 :]
        most = _most(rest, money=verb in _MAKING_VERBS)
        if most:
            how = "lowest" if "least" in {t.lower for t in rest[:most]} else "highest"
            said = (
                has,
                new_tokens.word("the", rest[0]),
                new_tokens.word(how, rest[0]),
                new_tokens.word(word, tokens[at]),
            )
            return (*tokens[:start], *said, *rest[most:])
        if verb not in _MAKING_VERBS and _bounded(rest):
            return (*tokens[:start], has, new_tokens.word(word, tokens[at]), *rest)
    return tokens


def _of_people(before: Sequence[Token], index: SchemaIndex, word: str) -> bool:
    """Whether what stands before a verb is somebody who has a column of pay."""
    said = [t for t in before if t.lower not in _FILLER_WORDS or t.lower == "who"]
    if not said:
        return False
    last = said[-1]
    if last.lower in _PEOPLE:
        return True
    tables, _ = index.by_word.get(last.lemma, (frozenset[int](), frozenset()))
    return any(
        word in index.columns[c].full
        for t in tables
        if last.lemma in index.tables[t].words
        for c in index.tables[t].columns
    )


def _most(rest: Sequence[Token], *, money: bool) -> int:
    """How many tokens say 'the most (money)', with nothing behind them that it is the most of; else 0."""
    said = [t.lower for t in rest[:3]]
    end = 1 + (said[:1] == ["the"])
    if len(rest) < end or said[end - 1] not in {"most", "least"}:
        return 0
    if rest[end : end + 1] and rest[end].lower == "money":
        return end + 1
    return 0 if money or (end < len(rest) and rest[end].lower not in _BEHIND_PAY | {"?", "."}) else end


def _bounded(rest: Sequence[Token]) -> bool:
    """Whether a bound follows, of a number or of what others earn: 'more than their boss'."""
    if rest[0].lower not in _BOUNDS:
        return False
    than = any(t.lower == "than" for t in rest[1:2])
    others = than and any(t.lower in {"average", "their", "his", "her"} for t in rest[2:4])
    return others or any(t.kind == "number" for t in rest[1:_MAX_TOKENS_BEHIND])
