"""Figures in another order of words: 'how many orders per day on average', 'revenue share by category'.

Owns: tokens → tokens, in the order that the grammar knows.
"""

from __future__ import annotations

from typing import Final

from askwire.language.text import Token
from askwire.planner.embedded.linking.rewording import new_tokens

_PER: Final = frozenset({"per", "by", "each", "every", "a"})
_UNITS: Final = frozenset({"hour", "day", "week", "month", "quarter", "year"})
_SHARES: Final = frozenset({"share", "percentage", "proportion"})
_BEFORE_SHARE: Final = 3
"""Words of what a share may be of."""
_NOT_OF: Final = frozenset(
    {"market", "the", "a", "an", "what", "which", "of", "and", "or", "their", "its", "list", "show"}
)


def on_average(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'how many orders per day on average' → 'average number of orders per day'."""
    words = [t.lower for t in tokens]
    end = next((at for at in range(len(words) - 1) if words[at : at + 2] == ["on", "average"]), 0)
    inner = tokens[2:end]
    unit = len(inner) > 2 and inner[-2].lower in _PER and inner[-1].lemma in _UNITS
    if words[:2] != ["how", "many"] or not unit or {t.lower for t in inner} & {"do", "does", "did"}:
        return tokens
    lead = [new_tokens.word(w, tokens[0]) for w in ("average", "number", "of")]
    kept = [t for t in inner if t.lower not in {"are", "is", "were", "was", "there"}]
    return (*lead, *kept, *tokens[end + 2 :])


def share_by(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'revenue share by category' → 'share of revenue by category'."""
    for at in range(1, len(tokens) - 2):
        if tokens[at].lower not in _SHARES or tokens[at + 1].lower not in {"by", "per"}:
            continue
        start = at
        while start > 0 and at - start < _BEFORE_SHARE and tokens[start - 1].kind == "word":
            if tokens[start - 1].lower in _NOT_OF:
                break
            start -= 1
        if start < at and not (start > 0 and tokens[start - 1].lower == "market"):
            of = new_tokens.word("of", tokens[at])
            return (*tokens[:start], tokens[at], of, *tokens[start:at], *tokens[at + 1 :])
    return tokens
