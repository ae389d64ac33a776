"""Words of a question that nothing holds → values that are one typing error, or an accent, away.

Owns: which words may be misspelt values, what is asked of the data, and how good a find is. A text with one
error in it has its first or its second half right, so those are looked for.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from typing import Final

from askwire.language.closeness import close, is_word
from askwire.language.lexicon import FUNCTION_WORDS, SOFT_WORDS
from askwire.language.text import Token
from askwire.planner.embedded.linking.value_reads import WITHIN, Hit, ValueReader
from askwire.planner.embedded.schema.schema_index import ColumnEntry

MIN_LETTERS: Final = 6
"""Letters of a word that may be a value misspelt; of one with a capital letter two less."""
MAX_SPANS: Final = 6
MAX_SPAN_WORDS: Final = 3
"""Words of a span, all of them with a capital letter."""
ACCENTS, ERROR = 0.9, 0.75
"""Worth of a value that accents alone, or one typing error, set apart from what is said."""


async def misspelt(
    reader: ValueReader,
    columns: Sequence[ColumnEntry],
    tokens: Sequence[Token],
    placed: Set[int],
) -> list[Hit]:
    """Values that words of the question come near to; `placed` tokens are known to be something else.

    Of a column that holds several such values none is taken, as the meaning is not certain.
    """
    spans = list(_spans(tokens, placed))[:MAX_SPANS]
    if not spans:
        return []
    patterns = sorted({p for start, end in spans for p in _halves(_said(tokens, start, end))})
    values: dict[int, set[str]] = defaultdict(set)
    for number, value in await reader.values(columns, WITHIN, patterns):
        values[number].add(value)
    found: list[Hit] = []
    for start, end in spans:
        said = _said(tokens, start, end)
        for number, held in values.items():
            near = [(quality, value) for value in held if (quality := _worth(said, value))]
            best = [(q, v) for q, v in near if q == max(near)[0]]
            if len(best) == 1:
                found.append(Hit(start, end, number, best[0][1], best[0][0]))
    return found


def _spans(tokens: Sequence[Token], placed: Set[int]) -> Iterator[tuple[int, int]]:
    """Runs of words with capital letters, the longest first, and single words that are none in English."""
    for start, token in enumerate(tokens):
        if start in placed or not _letters(token):
            continue
        capital = start > 0 and token.text[:1].isupper()
        if capital:
            end = start + 1
            while (
                end < len(tokens)
                and end - start < MAX_SPAN_WORDS
                and end not in placed
                and _letters(tokens[end])
                and tokens[end].text[:1].isupper()
            ):
                end += 1
            if end > start + 1:
                yield start, end
        if len(token.lower) >= MIN_LETTERS - 2 * capital and (capital or not _english(token)):
            yield start, start + 1


def _letters(token: Token) -> bool:
    return token.kind in {"word", "quoted"} and token.lower.replace(" ", "").isalpha()


def _english(token: Token) -> bool:
    known = FUNCTION_WORDS | SOFT_WORDS
    return bool({token.lower, token.lemma} & known) or is_word(token.lower) or is_word(token.lemma)


def _said(tokens: Sequence[Token], start: int, end: int) -> str:
    if tokens[start].kind == "quoted":
        return tokens[start].lemma.lower()
    return " ".join(t.lower for t in tokens[start:end])


def _halves(said: str) -> Iterator[str]:
    """Patterns of LIKE for texts with one error in either half, or two letters turned round between them."""
    middle = len(said) // 2
    first, last = said[:middle], said[middle:]
    yield first[:-1] + last[:1] + first[-1:] + last[1:]
    for more in (-1, 0, 1):
        yield first + "_" * (len(last) + more)
        yield "_" * (len(first) + more) + last


def _worth(said: str, value: str) -> float:
    stored = value.strip().lower()
    if _plain(stored) == _plain(said):
        return ACCENTS
    return ERROR if stored and abs(len(stored) - len(said)) <= 1 and close(said, stored) else 0.0


def _plain(text: str) -> str:
    """A text without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
