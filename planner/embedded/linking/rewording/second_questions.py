"""A second thing that a question asks for: '…, and when did it open?', '… and for which course?'.

Owns: tokens → tokens, in which one question shows both.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.text import Token, singular
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_BESIDE: Final = re.compile(
    r"(?: ,)?(?: and)? (?P<asked>when|where|how much|(?:what|which)(?P<named>(?: [a-z]+){0,2}))(?: exactly)? "
    r"(?P<verb>did|does|do|was|is|were|are|has|have) (?:it|they|he|she|that|this)"
    r"(?: (?P<done>[a-z]+))?(?: (?:at|in|from|for|happen|located|based))?(?: [?.])?$"
)
_WHEN_LAST: Final = re.compile(r"when (?:was|is) (?:the|our) (?:very )?(?:last|first|most [a-z]+|[a-z]+est) ")
_COSTS: Final = {"": "amount", "cost": "cost", "worth": "value", "weigh": "weight", "measure": "size"}
_DOING: Final = frozenset({"made", "done", "given", "happen"})
_PLACES: Final = ("address", "location", "city", "country")


def asked_beside(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'the newest shop, and when did it open?' → 'the newest shop along with its open date'."""
    line = new_tokens.line(tokens)
    found = _BESIDE.search(line)
    if found is None or not re.search(r", and | and |, ", f"{found[0]} "):
        return tokens
    done = found["done"] or ""
    if found["asked"] == "when":
        done = "" if done in _DOING else done
        shown = "date of birth" if done == "born" else f"{done} date".strip()
    elif found["asked"] == "where":
        shown = next((word for word in _PLACES if word in index.by_word), "")
    elif found["named"]:
        owner = found["verb"] in {"has", "have"} and not done  # 'and which product has it'
        known = not owner and singular(found["named"].split()[-1]) in index.by_word
        shown = f"{done if done in index.by_word else ''}{found['named']}".strip() if known else ""
    else:
        shown = _COSTS.get(done, "")
    start = line.count(" ", 0, found.start()) + 1
    if not shown or start < 3:
        return tokens
    if _WHEN_LAST.match(line):
        # of 'when was our last order, and how much was it' the date is a column as well
        said = (new_tokens.word(word, tokens[start]) for word in f"show date and {shown}".split())
        return (*tokens[2:start], new_tokens.mark(".", tokens[start]), *said)
    said = (new_tokens.word(word, tokens[start]) for word in f"along with its {shown}".split())
    return (*tokens[:start], *said, *tokens[len(tokens) - (tokens[-1].kind == "punct") :])


_MOST_AND_WHOSE: Final = re.compile(
    r"what(?: is| was|'s| 's) (?:the |our )?"
    r"(?P<most>(?:highest|lowest|largest|smallest|biggest|maximum|minimum|longest|shortest|greatest) "
    r"(?P<what>[^,?.]+?))(?: (?:that )?we (?:ever |have |had )*[a-z]+)?(?: ever)?(?: ,)? and "
    r"(?:in|on|for|at|from|by|of|to) (?:which|what) (?P<whose>[^,?.]+)(?: [?.])?"
)


def whose_is_most(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'what is the highest fee, and for which course?' → 'which course has the highest fee along with …'."""
    line = new_tokens.line(tokens)
    found = _MOST_AND_WHOSE.fullmatch(line)
    if found is None:
        return tokens

    def said(part: str) -> tuple[Token, ...]:
        start, end = (line.count(" ", 0, at) for at in found.span(part))
        return tokens[start : end + 1]

    which, has, its = (
        [new_tokens.word(word, tokens[0]) for word in words.split()]
        for words in ("which", "has the", "along with its")
    )
    return (*which, *said("whose"), *has, *said("most"), *its, *said("what"))
