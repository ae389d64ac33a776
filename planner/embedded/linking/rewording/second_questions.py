"""A second thing that a question asks for: '…, and when did it open?'.

Owns: tokens → tokens, in which one question shows both.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.text import Token
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_SECOND_QUESTION: Final = re.compile(
    r"(?: ,)?(?: and)? (?:(?:what|which) (?P<unit>year|date|day)|(?P<asked>when|where|what|how much))"
    r"(?: exactly)? "
    r"(?:did|does|do|was|is|were|are|has|have) (?:it|they|he|she|that|this)"
    r"(?: (?P<done>[a-z]+))?(?: (?:at|in|from|for|happen|located|based))?(?: [?.])?$"
)
_WHEN_LAST: Final = re.compile(r"when (?:was|is) (?:the|our) (?:very )?(?:last|first|most [a-z]+|[a-z]+est) ")
_COLUMNS: Final = {"": "amount", "cost": "cost", "worth": "value", "weigh": "weight", "measure": "size"}
_DOING_PARTICIPLES: Final = frozenset({"made", "done", "given", "happen"})
_PLACE_COLUMNS: Final = ("address", "location", "city", "country")


def asked_beside(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'the newest shop, and when did it open?' → 'the newest shop along with its open date'."""
    line = new_tokens.line(tokens)
    found = _SECOND_QUESTION.search(line)
    if found is None or not re.search(r", and | and |, ", f"{found[0]} "):
        return tokens
    done = found["done"] or ""
    if found["unit"] or found["asked"] == "when":
        done = "" if done in _DOING_PARTICIPLES else done
        shown = "date of birth" if done == "born" else f"{done} {found['unit'] or 'date'}".strip()
    elif found["asked"] == "where":
        shown = next((word for word in _PLACE_COLUMNS if word in index.by_word), "")
    else:
        shown = _COLUMNS.get(done, "")
    start = line.count(" ", 0, found.start()) + 1
    if not shown or start < 3:
        return tokens
    if _WHEN_LAST.match(line):
        # of 'when was our last order, and how much was it' the date is a column as well
        said = (new_tokens.word(word, tokens[start]) for word in f"show date and {shown}".split())
        return (*tokens[2:start], new_tokens.mark(".", tokens[start]), *said)
    said = (new_tokens.word(word, tokens[start]) for word in f"along with its {shown}".split())
    return (*tokens[:start], *said, *tokens[len(tokens) - (tokens[-1].kind == "punct") :])
