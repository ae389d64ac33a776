"""What is looked at before anything is parsed: size, and how deep the parse tree can become.

The parser recurses in C and a long enough chain (`1+1+1+…`) overruns the stack and takes the process with
it. A scan of the tokens bounds the depth from above first.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from askwire.sql.safety.policy import Policy
from askwire.sql.safety.positions import nth_of, refusal
from askwire.sql.scan import Kind, significant
from askwire.sql.statements import fold

MAX_COMMENTS: Final = 500
_MAX_REMEMBERED_BYTES: Final = 65_536
"""Bytes of a text that is remembered to be within the limits."""

_DEEPENING: Final = frozenset(
    (
        *("not", "is", "isnull", "notnull", "collate", "at", "like", "ilike", "similar", "in", "between"),
        *("union", "except", "intersect", "join", "overlaps", "escape", "operator"),
    )
)
"""Words that put what stands before or after them one level deeper."""

_SEPARATING: Final = frozenset(
    (
        *("and", "or", "select", "from", "where", "group", "having", "window", "order", "limit", "offset"),
        *("when", "then", "else", "on", "as", "values"),
    )
)
"""Words after which a chain begins again; AND and OR make one flat node of any number of arguments."""

_CONTINUED_BY_SET_OPERATION: Final = frozenset(("union", "except", "intersect", "join"))


def check_limits(sql: str, policy: Policy) -> None:
    """Raise `RefusedByGate` for a text that is too large to be parsed safely."""
    if "\0" in sql:
        raise refusal("the SQL contains a NUL character", sql.index("\0"))
    try:
        size = len(sql.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise refusal("the SQL contains an unpaired surrogate", error.start) from None
    if size > policy.max_bytes:
        within = sql.encode("utf-8")[: policy.max_bytes].decode("utf-8", errors="ignore")
        raise refusal(f"the SQL is {size} bytes long; the limit is {policy.max_bytes}", len(within))
    # The parser begins again at every level of a comment.
    if sql.count("/*") > MAX_COMMENTS:
        place = nth_of(sql, "/*", MAX_COMMENTS + 1)
        raise refusal(f"the SQL has more than {MAX_COMMENTS} comments", place)
    # A tree has fewer levels than the text has characters.
    if len(sql) > policy.max_depth:
        # the same text is looked at by the gate, beside the event loop, and then by who reads what has passed
        (_check_known if size <= _MAX_REMEMBERED_BYTES else _check_tokens)(sql, policy)


class _Level:
    """One pair of parentheses: the chain being read, what it holds, the chains of set operations."""

    __slots__ = ("best", "chain", "inner", "outer_chain")

    def __init__(self) -> None:
        self.chain = self.inner = self.best = self.outer_chain = 0

    def separate(self) -> None:
        self.best = max(self.best, self.chain + self.inner)
        self.chain = self.inner = 0

    def depth(self) -> int:
        return max(self.best, self.chain + self.inner) + self.outer_chain + 1


def _check_tokens(sql: str, policy: Policy) -> None:
    levels = [_Level()]
    for count, token in enumerate(significant(sql)):
        if count >= policy.max_tokens:
            raise refusal(f"the SQL has more than {policy.max_tokens} tokens", token.start)
        kind, level = token.kind, levels[-1]
        if kind is Kind.IDENTIFIER:
            word = fold(sql[token.start : token.end])
            if word in _CONTINUED_BY_SET_OPERATION:
                level.outer_chain += 1
            elif word in _DEEPENING:
                level.chain += 1
            elif word in _SEPARATING:
                level.separate()
            elif word == "case":
                levels.append(_Level())
            elif word == "end":
                _close(levels)
        elif kind is Kind.OPERATOR:
            level.chain += 1
        elif kind is Kind.PUNCTUATION:
            mark = sql[token.start : token.end]
            if mark in "([":
                levels.append(_Level())
            elif mark in ")]":
                _close(levels)
            elif mark == "::":
                level.chain += 1
            elif mark == ",":
                level.separate()
        if len(levels) > policy.max_depth or levels[-1].depth() > policy.max_depth:
            raise refusal(f"the SQL nests deeper than {policy.max_depth} levels", token.start)


_check_known = lru_cache(maxsize=64)(_check_tokens)


def _close(levels: list[_Level]) -> None:
    if len(levels) > 1:
        depth = levels.pop().depth()
        levels[-1].inner = max(levels[-1].inner, depth)
