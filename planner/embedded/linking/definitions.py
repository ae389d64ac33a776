"""What a question itself says of its words: 'Note that revenue refers to the sum of sale_price'.

Owns: which sentences and brackets explain; `hints` reads what they say, as it reads a hint given besides.
What explains no word of the rest of the question is part of it, and so is a condition ('country = Germany').
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.text import listed, singular

_SENTENCE: Final = re.compile(r"[^.?!;\n]+(?:\.(?=\S)[^.?!;\n]*)*[.?!;]*\s*")
_ASKS: Final = re.compile(
    r"\s*(?:which|what|who|whom|whose|how|when|where is|where are|return|show|list|give|find|order|sort|"
    r"include|calculate|is|are|does|do|did|i want|please|also|count|get|tell|name|display|fetch|retrieve|"
    r"compute|report|for|limit|rank|i need|only|with)\b",
    re.I,
)
_NOTE: Final = r"(?:(?:please )?note(?: that|:|,)?|n\.?b\.?:?|here,?|assum(?:e|ing)(?: that)?)"
_LEAD: Final = rf"(?:{_NOTE}|where|consider(?:ing)? that|i\.e\.,?|that is,?)?"
_MEANS: Final = (
    r"(?:(?:is|are) (?:also )?(?:defined|calculated|computed|measured|given) (?:as|by)|refers? to|means?|"
    r"stands? for|denotes?|represents?|corresponds? to)"
)
_LEFT: Final = r"(?:the |an? )?(?P<left>[\w'\"-]+(?: [\w'\"-]+){0,3})"
_END: Final = r"[\s.;!]*"
_EXPLAINS: Final = re.compile(rf"\s*{_LEAD}\s*{_LEFT}\s+{_MEANS}\s+(?P<right>[^?]{{2,160}}?){_END}", re.I)
_FORMULA: Final = re.compile(
    rf"\s*(?:{_NOTE}|where)?\s*{_LEFT}\s*=\s*(?P<right>[\w.\"() ]+(?:\s*[-+*/]\s*[\w.\"() ]+){{1,4}}?){_END}",
    re.I,
)
_CONSIDERED: Final = re.compile(
    rf"\s*{_LEAD}\s*(?:an? |the )?(?P<what>[\w'-]+(?: [\w'-]+)?) (?:is|are|counts?|count) "
    r"(?:(?:considered|treated|regarded|as|considered as|said)(?: to be| as)? )?"
    r"(?:an? |the )?(?P<left>[\w'-]+(?: [\w'-]+){0,3}) (?:if|when|where) "
    rf"(?:(?:it|they|its|their|he|she) (?:has|have|is|are)? ?)?(?P<right>[^?]{{2,160}}?){_END}",
    re.I,
)
_CODE: Final = r"(?:\d{1,2}|['\"]\w{1,3}['\"]|[A-Z])"
_SAYS: Final = r"(?:stands? for|means?|represents?|denotes?|indicates?|is|=)"
_SAID: Final = rf"{_CODE} {_SAYS} [\w'\" ]{{1,30}}?"
_LEGEND: Final = re.compile(
    rf"\s*(?i:{_LEAD})\s*{_SAID}(?:(?:,| and|, and) {_SAID}){{1,5}}(?: in [\w ]{{1,40}})?{_END}"
)
"""What codes mean that the question does not say: '1 stands for yes, and 0 stands for no'."""
_COMPARED: Final = (
    (r"\s+(?:is|are|has|have|was)\s+(?:equal to )?(?=(?:true|false)\b|'|\d)", " = "),
    (r"\s+(?:(?:is|are|was) )?(?:over|above|more than|greater than|exceeds?|higher than)\s+(?=\d)", " > "),
    (r"\s+(?:(?:is|are|was) )?(?:under|below|less than|lower than)\s+(?=\d)", " < "),
    (r"\s+(?:(?:is|are|was) )?at least\s+(?=\d)", " >= "),
    (r"\s+(?:(?:is|are|was) )?at most\s+(?=\d)", " <= "),
)
"""Comparisons in words, and as a hint writes them."""
_BASED: Final = re.compile(
    r"\s*(?:based on|measured by|calculated from|computed from) (?:the )?([\w ]{2,60}?)\s*", re.I
)
_OF_A_TABLE: Final = re.compile(r"(?<![\w.])([a-z_]\w*) (?:in|from|of) the (\w+) table$", re.I)
"""'sale_price in the sales table'."""
_LAST_WORD: Final = re.compile(r"(?<!\w)([^\W\d]\w{0,30}) ?\Z")
_MEASURES: Final = frozenset(
    listed("revenue sales turnover profit margin income cost total amount value spend spending expense")
)
"""What a bracket may say the column of: 'revenue (based on sale price)'."""
_BRACKETS: Final = re.compile(r"\(([^()]{5,200})\)")
_CONDITION: Final = frozenset(listed("where whose with only those that which who"))
_MAX_CHARACTERS: Final = 400
"""Characters of what may explain a word."""
_MAX_DEFINITIONS: Final = 24
"""Sentences and brackets that are looked at; a question has a few."""


def explained(text: str) -> tuple[str, str]:
    """The question without what explains it, each character in its place, and what explains it, as a hint."""
    hints: list[str] = []
    kept = text
    for start, end, part, bracket in _parts(text):
        if not bracket and len(part) < _MAX_CHARACTERS and _LEGEND.fullmatch(part):
            kept = kept[:start] + " " * (end - start) + kept[end:]
            continue
        left, right = _explains(part) or (_basis(text[:start], part) if bracket else ("", ""))
        rest = kept[:start] + " " * (end - start) + kept[end:]
        if left and _speaks_of(rest, left):
            hints.append(f"{left} means {right}")
            kept = rest
    return kept, "\n".join(hints)


def _parts(text: str) -> list[tuple[int, int, str, bool]]:
    """What may explain: the sentences behind the first, and brackets, each with where it stands."""
    whole = [(m.start(), m.end(), m[0], False) for m in _SENTENCE.finditer(text)][1:]
    return [*whole, *((m.start(), m.end(), m[1], True) for m in _BRACKETS.finditer(text))][:_MAX_DEFINITIONS]


def _explains(part: str) -> tuple[str, str] | None:
    """What is explained, and by what; None where a part asks, or says something else."""
    if "?" in part or len(part) > _MAX_CHARACTERS or _ASKS.match(part):
        return None
    if (found := _CONSIDERED.fullmatch(part)) is not None:
        return found["left"], _as_condition(found["right"])
    found = _EXPLAINS.fullmatch(part) or _FORMULA.fullmatch(part)
    if found is None or _CONDITION & set(found["left"].lower().split()):
        return None
    return found["left"], _OF_A_TABLE.sub(r"\2.\1", found["right"])


def _speaks_of(rest: str, left: str) -> bool:
    """Whether the rest of the question has the words that are explained."""
    said = {singular(word) for word in re.findall(r"\w+", rest.lower())}
    return all(singular(word) in said for word in re.findall(r"\w+", left.lower()))


def _basis(before: str, part: str) -> tuple[str, str]:
    """'revenue (based on sale price)' says what revenue is."""
    on = _BASED.fullmatch(part)
    word = _LAST_WORD.search(before[-40:]) if on else None
    return (word[1], on[1]) if on and word and word[1].lower() in _MEASURES else ("", "")


def _as_condition(text: str) -> str:
    """'cost is over 30000' → 'cost > 30000'."""
    for words, operator in _COMPARED:
        text = re.sub(words, operator, text, flags=re.IGNORECASE)
    return text
