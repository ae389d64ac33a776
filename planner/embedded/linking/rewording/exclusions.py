"""What an answer leaves out, and words around a question that leave nothing out.

Owns: rewritings of a question's tokens, as `paraphrases` has them: 'ignoring cancelled orders' is read as
'excluding cancelled orders', 'since the beginning of 2025' as 'since 2025'.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from askwire.language.text import Token, listed
from askwire.planner.embedded.linking.rewording import new_tokens

_LEAVING_OUT: Final = tuple(
    tuple(said.split())
    for said in (
        "please do not count",
        "do not include",
        "do not count",
        "don't include",
        "don't count",
        "not including",
        "without counting",
        "not counting",
        "leaving out",
        "leave out",
        "leaving aside",
        "disregarding",
        "disregard",
        "ignoring",
        "omitting",
        "ignore",
        "omit",
        "excl .",
        "excl",
    )
)
"""Words that say what does not count, the longest first."""
_CASE: Final = frozenset(listed("case capitalization spelling accents upper lower letter"))
_BETWEEN: Final = frozenset({",", ".", "?", ";", "(", "and", "but"})


def _said(tokens: tuple[Token, ...], at: int) -> tuple[str, ...]:
    return tuple(t.lower for t in tokens[at : at + max(map(len, _LEAVING_OUT))])


def leaving_out(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'orders per year, leaving out cancelled ones' → 'orders per year excluding cancelled ones'."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        said = _said(tokens, at)
        many = next((len(w) for w in _LEAVING_OUT if said[: len(w)] == w), 0)
        behind = [t for t in tokens[at + many : at + many + 2] if t.kind != "punct"]
        if many and found and behind and not _CASE & {t.lower for t in behind}:
            while len(found) > 1 and found[-1].lower in _BETWEEN:
                found.pop()
            found.append(new_tokens.word("excluding", tokens[at]))
            at += many
        else:
            found.append(tokens[at])
            at += 1
    return tuple(found)


def none_in_brackets(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'units sold per size (no cancelled orders)' → 'units sold per size excluding cancelled orders'."""
    for at in range(1, len(tokens) - 2):
        if tokens[at].text != "(" or tokens[at + 1].lower not in {"no", "without", "not"}:
            continue
        end = next((n for n in range(at + 2, len(tokens)) if tokens[n].text == ")"), 0)
        if end and new_tokens.all_words(tokens[at + 2 : end]):
            lead = new_tokens.word("excluding", tokens[at + 1])
            return (*tokens[:at], lead, *tokens[at + 2 : end], *tokens[end + 1 :])
    return tokens


def over_all(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the revenue over all orders' → 'the revenue across all orders'."""
    return tuple(
        new_tokens.word("across", t)
        if t.lower == "over" and 0 < at < len(tokens) - 2 and tokens[at + 1].lower == "all"
        else t
        for at, t in enumerate(tokens)
    )


def since_its_beginning(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'since the beginning of 2025' → 'since 2025'."""
    for at in range(len(tokens) - 3):
        rest = [t.lower for t in tokens[at + 1 : at + 4]]
        start = 1 if rest[:1] == ["the"] else 0
        begins = rest[start : start + 1] in (["beginning"], ["start"]) and rest[start + 1 : start + 2] == [
            "of"
        ]
        behind = at + start + 3
        if tokens[at].lower == "since" and begins and behind < len(tokens):
            return (*tokens[: at + 1], *tokens[behind:])
    return tokens


EXCLUSIONS: Final[tuple[Callable[[tuple[Token, ...]], tuple[Token, ...]], ...]] = (
    leaving_out,
    none_in_brackets,
    over_all,
    since_its_beginning,
)
