"""When two texts are one question: the normal form behind pins and corrections, and plain paraphrases.

Owns: what a repeated question may differ in. `normal_question` is the one place that decides which texts
stand for the same SQL (stores keep digests of it: `store.tables`); `paraphrase` only suggests that two
questions may mean the same.

The normal form lets go of
- letter case, except inside quotes, and except of a short word in capitals among others that are not, where
  the capitals make another word of it ("customers in US" and "customers who told us");
- spaces and line breaks, and spaces in front of a comma or a full stop;
- which quotation marks are used, not whether there are any: a quoted value keeps its case and its spaces,
  because 'ab' and 'AB' can both be in the data;
- question marks, full stops, exclamation marks and semicolons at the end;
- typographic apostrophes and dashes, and how a letter with an accent is encoded.

    How many  customers are in "São Paulo"?   →   how many customers are in "São Paulo"
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.resources import files
from typing import Final

from askwire.language.text import listed, tokenize

_PLAIN_PUNCTUATION: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)
_QUOTED: Final = re.compile(
    r"""''(?P<doubled>[^']+)''|"(?P<double>[^"]+)"|`(?P<back>[^`']+)[`']|(?<![\w'])'(?P<single>[^']+)'(?!\w)"""
)
_CAPITALS: Final = re.compile(r"\b[A-Z]{2,3}\b")
_CODES_IN_CAPITALS: Final = frozenset(
    listed("us it or in me no is at be by as am to so do my hi oh ok who pa ma la de")
)
"""Words that in capitals are read as a code of a country, a state or the like."""
_BEFORE_MARK: Final = re.compile(r"\s+(?=[,;:?!.](?:\s|$))")
_TRAILING_CHARACTERS: Final = " \t\r\n.?!;\u2026"


@lru_cache(maxsize=20_000)
def normal_question(text: str) -> str:
    """What all spellings of one question have in common; see the module.

    >>> normal_question("  How many orders, in  May ?")
    'how many orders, in may'
    """
    text = unicodedata.normalize("NFC", text).translate(_PLAIN_PUNCTUATION)
    shouted = not any(c.islower() for c in _QUOTED.sub("", text))
    parts: list[str] = []
    at = 0
    for match in _QUOTED.finditer(text):
        parts += (_plain(text[at : match.start()], shouted), f'"{next(filter(None, match.groups()))}"')
        at = match.end()
    tail = _plain(text[at:], shouted)
    ended = "".join((*parts, tail.rstrip(_TRAILING_CHARACTERS)))
    # of a text that is nothing but marks all of them are kept
    return ended.strip() or " ".join(text.split())


def _plain(part: str, shouted: bool) -> str:
    """A stretch without quotes: single spaces, folded case; a code keeps its capitals."""

    def kept(match: re.Match[str]) -> str:
        word = match[0]
        return word if not shouted and _is_code(word) else word.casefold()

    folded: list[str] = []
    at = 0
    for match in _CAPITALS.finditer(part):
        folded += (part[at : match.start()].casefold(), kept(match))
        at = match.end()
    folded.append(part[at:].casefold())
    return _BEFORE_MARK.sub("", re.sub(r"\s+", " ", "".join(folded)))


_REQUEST_WORDS: Final = frozenset(
    listed(
        "show list give tell display find get fetch return see want need please can could would you i we me"
        " us there here exist exists have has do does did be is are was were what which who whose how many"
        " number count total altogether overall all any the a an of for with by in on at from to and that"
        " this much"
    )
)
_COUNTS: Final = re.compile(
    r"\b(?:how many|(?:the )?(?:total )?number of|count(?: of| the)?)\b", re.IGNORECASE
)


@lru_cache(maxsize=4_000)
def paraphrase(text: str) -> tuple[str, ...]:
    """The content words of a question, sorted: equal for plain paraphrases of it. () where there are none.

    "how many dogs are there" and "number of dogs" are one; so are "orders per customer" and "customers per
    order": it is good enough to be offered, and never to be taken.
    """
    words = {
        token.lemma
        for token in tokenize(unicodedata.normalize("NFC", text).translate(_PLAIN_PUNCTUATION))
        if token.kind != "punct" and (token.lower not in _REQUEST_WORDS or _is_code(token.text))
    }
    if not words:
        return ()
    return tuple(sorted(words | ({"#"} if _COUNTS.search(text) else set())))


@cache
def paraphrase_rules() -> str:
    """Eight characters that change when `paraphrase` may: stores that keep what it found compare them."""
    rules = [files(__package__).joinpath(name).read_bytes() for name in ("same_question.py", "text.py")]
    return blake2b(b"".join(rules), digest_size=4).hexdigest()


def _is_code(word: str) -> bool:
    return _CAPITALS.fullmatch(word) is not None and word.lower() in _CODES_IN_CAPITALS
