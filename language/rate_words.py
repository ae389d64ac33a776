"""Nouns before 'rate' → the participle that the data holds: 'cancellation rate' is of what is cancelled.

Owns: the nouns, and the verbs before 'time' that say how long something lasts ('playing time'). A noun that
names something in the schema stays what it is.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import replace
from typing import Final

from askwire.language.text import Token

_PARTICIPLES: Final = {
    "cancellation": "cancelled",
    "completion": "completed",
    "approval": "approved",
    "rejection": "rejected",
    "denial": "denied",
    "conversion": "converted",
    "delivery": "delivered",
    "failure": "failed",
    "refund": "refunded",
    "return": "returned",
    "success": "succeeded",
    "acceptance": "accepted",
    "attendance": "attended",
    "dropout": "dropped",
    "graduation": "graduated",
    "payment": "paid",
    "resolution": "resolved",
    "recovery": "recovered",
    "churn": "churned",
    "renewal": "renewed",
    "default": "defaulted",
    "error": "failed",
    "fail": "failed",
    "pass": "passed",
    "reject": "rejected",
}


def as_participles(tokens: tuple[Token, ...], known: Container[str]) -> tuple[Token, ...]:
    """The tokens with nouns before 'rate' as participles, unless they are `known` words of the schema."""
    found = list(tokens)
    for at, token in enumerate(tokens[:-1]):
        done = _PARTICIPLES.get(token.lower)
        if done and tokens[at + 1].lower in {"rate", "rates"} and token.lemma not in known:
            found[at] = replace(token, text=done, lower=done, lemma=done)
    return tuple(found)


_DURATION_WORDS: Final = frozenset(
    {"playing", "play", "running", "run", "viewing", "screen", "listening", "playback"}
)


def as_duration(tokens: tuple[Token, ...], known: Container[str]) -> tuple[Token, ...]:
    """The tokens with 'playing time' as one, a duration, unless it is made of `known` words of the schema."""
    found: list[Token] = []
    for token in tokens:
        before = found[-1] if found else None
        lasting = before is not None and before.lower in _DURATION_WORDS and before.lower not in known
        if lasting and before is not None and token.lower in {"time", "times"}:
            text = f"{before.text} {token.text}"
            found[-1] = replace(before, text=text, lower="duration", lemma="duration", end=token.end)
        else:
            found.append(token)
    return tuple(found)


_PARTICIPLE_FORMS: Final = frozenset(_PARTICIPLES.values())


def rates(tokens: Sequence[Token], columns: Iterable[Collection[str]]) -> frozenset[int]:
    """The places of 'rate' behind what is done, where no column (its words) is called so.

    'cancellation rate' is a part of all bookings, though rooms have a base rate.
    """
    found = {
        at
        for at, token in enumerate(tokens)
        if at and token.lower in {"rate", "rates"} and _is_done(tokens[at - 1])
    }
    if not found:
        return frozenset()
    called = [set(words) for words in columns if "rate" in words]
    return frozenset(at for at in found if not any(_says(words, tokens[at - 1].lower) for words in called))


def _is_done(token: Token) -> bool:
    return token.lower in _PARTICIPLE_FORMS or token.lower in _PARTICIPLES or token.lower.endswith("ed")


def _says(words: Collection[str], done: str) -> bool:
    return done in words or any(_PARTICIPLES.get(word) == done for word in words)
