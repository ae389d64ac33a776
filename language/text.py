"""Question text → tokens.

Owns: tokens with their place in the question, singular forms, stems, numbers in words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

MAX_TOKENS: Final = 160
"""Tokens looked at; a longer question is cut, which bounds every later stage."""

_TOKEN: Final = re.compile(
    r"""
    (?P<quoted>"[^"]{1,200}"|“[^”]{1,200}”|‘[^’]{1,200}’|''[^']{1,200}''
      |(?<![\w'])'[^']{1,200}'(?!\w)|`[^`']{1,200}[`'])
    |(?P<address>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})
    |(?P<date>[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[ T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?
      |[0-9]{1,2}/[0-9]{1,2}/[0-9]{4})
    |(?P<number>(?<![\w.])\$?-?[0-9]{1,3}(?:,[0-9]{3}){1,5}(?![0-9])(?:\.[0-9]{1,18})?
      |(?<![\w.])\$?-?[0-9]{1,18}(?![0-9])(?:\.[0-9]{1,18})?)
      (?P<suffix>%|(?:st|nd|rd|th|s|k|m)\b)?(?![\w])
    |(?P<not>[A-Za-z]{2,8}n['’]t\b|(?i:(?:do|did|does|is|are|was|were|has|have|had|could|should)nt)\b['’]?)
    |(?P<tail>(?<=[A-Za-z])['’](?:d|ll|ve|re|m)\b)
    |(?P<possessive>['’]s\b)
    |(?P<word>\w(?:[\w.&-]*\w)?)
    |(?P<punct>[^\w\s])
    """,
    re.VERBOSE,
)


def listed(text: str) -> list[str]:
    """The words of a block of text: how word lists are written in this package."""
    return text.split()


PARTICIPLE: Final = re.compile(r"\w+ed|left|sent|sold|paid|born|lost|won|built|gone|done|made|quit")
"""What was done, by the form of the word."""
YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}")
GROUPING: Final = frozenset({"by", "per", "each", "every"})
"""Words before what rows are grouped by."""
TIMES_WORDS: Final = {"once": 1, "twice": 2, "thrice": 3}
"""How often something was done, in one word; `sql/unasked.py` has them among its numbers."""
NUMBER_WORDS: Final = {
    word: number
    for number, word in enumerate(
        listed(
            """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
    """
        )
    )
} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
    "thousand": 1000,
    "dozen": 12,
    **TIMES_WORDS,
}
ORDINALS: Final = {
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}
_SCALES: Final = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}

_IRREGULAR: Final = {
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "feet": "foot",
    "mice": "mouse",
    "indices": "index",
    "matrices": "matrix",
    "criteria": "criterion",
    "series": "series",
    "species": "species",
    "movies": "movie",
    "cookies": "cookie",
    "calories": "calorie",
    "zombies": "zombie",
    "selfies": "selfie",
    "rookies": "rookie",
    "hippies": "hippie",
    "lives": "life",
    "wives": "wife",
    "knives": "knife",
    "leaves": "leave",
    "shelves": "shelf",
    "heroes": "hero",
    "potatoes": "potato",
    "addresses": "address",
    "statuses": "status",
    "buses": "bus",
    "bonuses": "bonus",
    "campuses": "campus",
    "viruses": "virus",
    "gases": "gas",
    "news": "news",
    "its": "its",
    "gas": "gas",
    "christmas": "christmas",
    "canvas": "canvas",
    "atlas": "atlas",
    "texas": "texas",
    "lens": "lens",
    "pounds": "pound",
    "has": "have",
    "had": "have",
    "having": "have",
    "is": "be",
    "are": "be",
    "was": "be",
    "were": "be",
    "been": "be",
    "being": "be",
    "does": "do",
    "did": "do",
    "done": "do",
    "sorted": "sort",
    "sorting": "sort",
    "ordered": "ordered",
    "grouped": "group",
    "ranked": "rank",
    "an": "a",
    "aged": "age",
}


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `kind` is 'word', 'number', 'date', 'quoted' or 'punct'.

    `lemma` is the singular, lower-case form of a word and the plain value of the other kinds; `start` and
    `end` are character offsets in the question.
    """

    text: str
    lower: str
    lemma: str
    kind: str
    start: int
    end: int


@lru_cache(maxsize=20_000)
def singular(word: str) -> str:
    """The singular of a lower-case English noun; other words come back (almost) unchanged."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word == "ids":
        return "id"
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    return word[:-1]


_IRREGULAR_OF: Final = {
    word: tuple(form for form, base in _IRREGULAR.items() if base == word) for word in _IRREGULAR.values()
}


def plurals(word: str) -> tuple[str, ...]:
    """Texts of which one begins every form whose `singular` is `word`, the word itself among them."""
    return (word[:-1] if word.endswith("y") else word, *_IRREGULAR_OF.get(word, ()))


_SUFFIXES: Final = listed(
    """
    ations ation als al ures ure ators ator itions ition ments ment ings ing ions ion ers er ors or ies ied
    ity     ed es s e y
    """
)


_SHORT_PAST: Final = re.compile(r"(?!named)[^aeiou][aeiou][^aeiouwxy]ed")
"""Past forms of verbs as short as 'hire'; 'added' and 'owned' are of others."""


_SETTLEMENT: Final = re.compile(r"(?<=[a-z]{4}[^aeiou])(?<!manag)ements?$")
"""Nouns of verbs in -e: 'settlement' is of 'settled'.

A 'statement' and a 'state' are no such pair, nor is the department 'Management' that of every manager.
"""


_NO_DEEDS: Final = frozenset(listed("department departments apartment apartments"))
"""Nouns that are of no verb: a department is no departure."""


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A crude stem that brings together 'located', 'location', 'locate'; at least four letters stay."""
    word = _SETTLEMENT.sub("", word)
    if word in _NO_DEEDS:
        return word.removesuffix("s")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            word = word[: -len(suffix)]
            break
    else:
        if _SHORT_PAST.fullmatch(word):
            word = word[:-1]  # 'hired' of 'hire'
    if len(word) > 4 and word[-1] == word[-2]:
        word = word[:-1]
    return word


_SPELLINGS: Final = (
    (re.compile(r"(?<=[a-z]{3}i)s(?=(?:ation|e|ed|er|ing)$)"), "z"),
    (re.compile(r"(?<=[a-z]{3}i)z(?=(?:ation|e|ed|er|ing)$)"), "s"),
    (re.compile(r"(?<=[a-z]{2})our$"), "or"),
    (re.compile(r"(?<=[a-z]{2})or$"), "our"),
    (re.compile(r"(?<=[a-z]{2}t)re$"), "er"),
    (re.compile(r"(?<=[a-z]{2}t)er$"), "re"),
    (re.compile(r"(?<=[a-z]{3}og)ue$"), ""),
    (re.compile(r"(?<=[a-z]{3})og$"), "ogue"),
)


def other_spelling(word: str) -> str:
    """'organisation' for 'organization', 'center' for 'centre' and back; a word of one spelling as it is.

    What comes of a word like 'premise' or 'water' is no word, so it is nothing that is called so.
    """
    return next((p.sub(by, word) for p, by in _SPELLINGS if p.search(word)), word)


def _number(text: str, suffix: str) -> str:
    plain = text.replace(",", "").lstrip("$")
    if suffix in {"k", "m"}:
        plain = str(int(float(plain) * (1000 if suffix == "k" else 1_000_000)))
    return plain


def _raw(question: str) -> list[Token]:
    tokens: list[Token] = []
    for match in _TOKEN.finditer(question):
        kind, text, start, end = match.lastgroup or "punct", match.group(), match.start(), match.end()
        if match.group("quoted"):
            inner = text.strip("\"“”‘’'`")
            tokens.append(
                Token(text, text.lower(), inner.strip().rstrip(".,?!") or inner, "quoted", start, end)
            )
        elif match.group("address"):
            tokens.append(Token(text, text.lower(), text, "quoted", start, end))
        elif match.group("date"):
            tokens.append(Token(text, text, text, "date", start, end))
        elif match.group("number"):
            suffix = (match.group("suffix") or "").lower()
            lemma = _number(match.group("number"), suffix)
            kind = "decade" if suffix == "s" and len(lemma) == 4 else "number"
            tokens.append(Token(text, text.lower(), lemma, kind, start, end))
        elif match.group("not"):
            tokens.append(Token(text, text.lower(), "not", "word", start, end))
        elif match.group("tail"):
            continue  # I'd, we've: what is short there is silent
        elif match.group("possessive"):
            tokens.append(Token(text, "'s", "'s", "punct", start, end))
        elif match.group("word"):
            lower = text.lower()
            tokens.append(Token(text, lower, singular(lower), "word", start, end))
        else:
            tokens.append(Token(text, text, text, "punct", start, end))
        if len(tokens) >= MAX_TOKENS:
            break
    return tokens


def tokenize(question: str) -> tuple[Token, ...]:
    """The tokens of a question, at most `MAX_TOKENS`; '3 million' and 'thirty five' become one number."""
    merged: list[Token] = []
    for token in _raw(question):
        last = merged[-1] if merged else None
        if token.kind == "word" and token.lower in NUMBER_WORDS and token.lower not in TIMES_WORDS:
            token = Token(  # noqa: PLW2901
                token.text, token.lower, str(NUMBER_WORDS[token.lower]), "number", token.start, token.end
            )
        if last and last.kind == "number" and last.end + 1 >= token.start:
            between = last.end + 1 == token.start
            if token.lower in _SCALES and between:
                value = float(last.lemma) * _SCALES[token.lower]
                merged[-1] = _joined(last, token, value)
                continue
            if (
                token.kind == "number"
                and token.lower in NUMBER_WORDS
                and last.lower in NUMBER_WORDS
                and int(last.lemma) >= 20
                and int(token.lemma) < 10
            ):
                merged[-1] = _joined(last, token, int(last.lemma) + int(token.lemma))
                continue
        merged.append(token)
    return tuple(merged)


def _joined(left: Token, right: Token, value: float) -> Token:
    text = f"{left.text} {right.text}"
    plain = str(int(value)) if value == int(value) else str(value)
    return Token(text, text.lower(), plain, "number", left.start, right.end)
