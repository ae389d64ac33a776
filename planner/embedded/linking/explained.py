"""What a question itself says of its words: 'Note that revenue refers to the sum of sale_price'.

Owns: which sentences and brackets explain; `hints` reads what they say, as it reads a hint given besides.
"""

from __future__ import annotations

import re
from typing import Final

_SENTENCE: Final = re.compile(r"[^.?!;\n]+(?:\.(?=\S)[^.?!;\n]*)*[.?!;]*\s*")
_ASKS: Final = re.compile(
    r"\s*(?:which|what|who|whom|whose|how|when|where is|where are|return|show|list|give|find|order|sort|"
    r"include|calculate|is|are|does|do|did|i want|please|also)\b",
    re.I,
)
_LEAD: Final = (
    r"(?:(?:please )?note(?: that|:|,)?|n\.?b\.?:?|here,?|where|with|assum(?:e|ing)(?: that)?|"
    r"consider(?:ing)? that|i\.e\.,?|that is,?)?"
)
_MEANS: Final = (
    r"(?:(?:is|are) (?:also )?(?:defined|calculated|computed|measured|given) (?:as|by)|refers? to|means?|"
    r"stands? for|denotes?|represents?|corresponds? to|=)"
)
_LEFT: Final = r"(?:the |an? )?(?P<left>[\w'\"-]+(?: [\w'\"-]+){0,3})"
_EXPLAINS: Final = re.compile(
    rf"\s*{_LEAD}\s*{_LEFT}\s+(?P<verb>{_MEANS})\s+(?P<right>[^?]{{2,160}}?)[\s.;!]*", re.I
)
_CONSIDERED: Final = re.compile(
    rf"\s*{_LEAD}\s*(?:an? |the )?(?P<what>[\w'-]+(?: [\w'-]+)?) (?:is|are|counts?|count) "
    r"(?:(?:considered|treated|regarded|as|considered as|said)(?: to be| as)? )?"
    r"(?:an? |the )?(?P<left>[\w'-]+(?: [\w'-]+){0,3}) (?:if|when|where) "
    r"(?:(?:it|they|its|their|he|she) (?:has|have|is|are)? ?)?(?P<right>[^?]{2,160}?)[\s.;!]*",
    re.I,
)
_COMPARED: Final = (
    (r"\s+(?:is|are|has|have|was)\s+(?:equal to )?(?=(?:true|false)\b|'|\d)", " = "),
    (r"\s+(?:(?:is|are|was) )?(?:over|above|more than|greater than|exceeds?|higher than)\s+(?=\d)", " > "),
    (r"\s+(?:(?:is|are|was) )?(?:under|below|less than|lower than)\s+(?=\d)", " < "),
    (r"\s+(?:(?:is|are|was) )?at least\s+(?=\d)", " >= "),
    (r"\s+(?:(?:is|are|was) )?at most\s+(?=\d)", " <= "),
)
"""Comparisons in words, and as a hint writes them."""
_BASED: Final = re.compile(
    r"\s*(?:based on|measured by|calculated from|computed from|using) (?:the )?([\w ]{2,60}?)\s*", re.I
)
_LAST_WORD: Final = re.compile(r"([^\W\d]\w*)\s*$")
_BRACKETS: Final = re.compile(r"\(([^()]{5,200})\)")


def explained(text: str) -> tuple[str, str]:
    """The question without what explains it, each character in its place, and what explains it, as a hint."""
    hints: list[str] = []
    kept = text
    for start, end, part in _parts(text):
        if hint := _hint(part) or _basis(text[:start], part):
            hints.append(hint)
            kept = kept[:start] + " " * (end - start) + kept[end:]
    return kept, "\n".join(hints)


def _parts(text: str) -> list[tuple[int, int, str]]:
    """What may explain: the sentences behind the first, and brackets, each with where it stands."""
    whole = [(m.start(), m.end(), m[0]) for m in _SENTENCE.finditer(text)]
    return [*whole[1:], *((m.start(), m.end(), m[1]) for m in _BRACKETS.finditer(text))]


def _hint(part: str) -> str:
    if "?" in part or _ASKS.match(part):
        return ""
    if (found := _CONSIDERED.fullmatch(part)) is not None:
        return f"{found['left']} means {_as_condition(found['right'])}"
    if (found := _EXPLAINS.fullmatch(part)) is not None:
        return f"{found['left']} means {found['right']}"
    return ""


def _basis(before: str, part: str) -> str:
    """'revenue (based on sale price)' says what revenue is."""
    on, word = _BASED.fullmatch(part), _LAST_WORD.search(before)
    return f"{word[1]} means {on[1]}" if on and word else ""


def _as_condition(text: str) -> str:
    """'cost is over 30000' → 'cost > 30000'."""
    for words, operator in _COMPARED:
        text = re.sub(words, operator, text, flags=re.IGNORECASE)
    return text
