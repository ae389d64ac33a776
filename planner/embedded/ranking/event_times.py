"""What somebody did at a time, where only the time of who did it is read: 'customers who called in 2024'.

Owns: which verbs before a time are of another record than the rows that are read.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from askwire.language.lexicon import EVENTS, IRREGULAR_VERBS
from askwire.language.text import PARTICIPLE, Token, listed, stem
from askwire.planner.embedded.logical_form.ir import condition_columns
from askwire.planner.embedded.ranking.proposal import Proposal
from askwire.planner.embedded.schema.elements import ORGANIZATION_WORDS
from askwire.planner.embedded.schema.schema_index import SchemaIndex
from askwire.planner.embedded.schema.somebody import is_person

_COMING: Final = frozenset(
    listed(
        """
        joined hired enrolled registered admitted created added born employed subscribed signed started began
        begun acquired onboarded recruited appointed elected founded established opened entered inducted
        activated introduced launched converted debuted died retired left released known recorded listed dated
        applied published issued
        """
    )
)
"""What is said of how somebody came, or went: the time of the rows themselves."""
_MADE: Final = frozenset(
    listed(
        """
        produced manufactured submitted booked ordered billed invoiced quoted charged claimed sold bought
        purchased hired leased let prescribed admitted pledged donated scrapped fined cited
        """
    )
)
"""What is said of things that come to be by being done."""
_BEFORE_VERBS: Final = frozenset(
    listed("who that which have has had ever also did be is are was were been they")
)
_PARTICLES: Final = frozenset(listed("in up on off us back out again something anything online"))
_WHEN: Final = frozenset(
    listed("in on before after since between during from until last this within over today yesterday")
)


def done_elsewhere(index: SchemaIndex, proposal: Proposal, placed: Collection[int]) -> list[str]:
    """The verbs before a time of which no record is read, as the question says them.

    `placed` are the tokens that have their place in the query. The rows read have times of their own: who
    called in 2024 did not join in 2024.
    """
    encoded, query = proposal.encoded, proposal.query
    times = {c for k in query.where for c in condition_columns(k) if index.columns[c].kind == "time"}
    tables = {index.columns[c].table for c in times}
    chosen = [(encoded.mentions[number], option) for number, option in proposal.assignment.mentions.items()]
    if times and times <= {o.index for m, o in chosen if not o.table and m.start >= 0}:
        # 'joined in 2022 and closed their account': the year is not that of another word's time
        ends = {m.end for m, o in chosen if o.table and m.start >= 0}
        return [
            token.text
            for at, token in enumerate(encoded.tokens)
            if at not in placed
            and _is_past(token)
            and _is_of(encoded.tokens, at, ends)
            and _has_time_behind(encoded.tokens, at)
        ]
    named = {stem(w) for c in times for w in index.columns[c].full}
    for at, token in enumerate(encoded.tokens if times else ()):
        # 'bills paid by 31 March', of which only the state is known: the date is that of another deed
        own = token.lower in _COMING | _MADE or stem(token.lower) in named
        state = any(encoded.values[v].start <= at < encoded.values[v].end for v in proposal.assignment.values)
        unread = state or (at not in placed and token.lower in EVENTS)
        if _is_past(token) and not own and unread and _has_bound_behind(encoded.tokens, at):
            return [token.text]
    if len(tables) != 1 or proposal.path:
        return []
    table = index.tables[next(iter(tables))]
    ends = {m.end for m, o in chosen if o.table and o.index == table.index and m.start >= 0}
    somebody = is_person(index, table.index) or bool(ORGANIZATION_WORDS & {*table.words})
    return [
        token.text
        for at, token in enumerate(encoded.tokens)
        if at not in placed
        and _is_past(token)
        and stem(token.lower) not in named
        and (token.lower not in _COMING if somebody else token.lower in EVENTS.keys() - _MADE)
        and not {*EVENTS.get(token.lower, ()), stem(token.lower)} & {*table.words, *map(stem, table.words)}
        and _is_of(encoded.tokens, at, ends)
        and _has_time_behind(encoded.tokens, at)
    ]


def _is_past(token: Token) -> bool:
    past = token.lower != IRREGULAR_VERBS.get(token.lower, token.lower) and not token.lower.endswith("ing")
    return PARTICIPLE.fullmatch(token.lower) is not None or past


def _is_of(tokens: tuple[Token, ...], at: int, ends: Collection[int]) -> bool:
    """Whether a verb stands behind the thing: 'customers (who have) called'."""
    while at > 0 and tokens[at - 1].lower in _BEFORE_VERBS and at not in ends:
        at -= 1
    return at in ends


def _has_time_behind(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether a time stands behind a verb: 'logged in in 2024'."""
    behind = [token.lower for token in tokens[at + 1 : at + 3]]
    return behind[:1] != [] and (behind[0] in _WHEN or (behind[0] in _PARTICLES and behind[-1] in _WHEN))


def _has_bound_behind(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether 'by 31 March', as it is reworded, stands behind a verb: 'paid (off) on or before 31 March'."""
    behind = " ".join(t.text if t.lower == "before" else t.lower for t in tokens[at + 1 : at + 5])
    return re.match(rf"(?:(?:{'|'.join(_PARTICLES)}) )?(?:[io]n or before|until)\b", behind) is not None
