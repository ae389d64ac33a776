"""Words of a question as a schema and a calendar have them: 'PM2.5' as pm25, 'month of 2020' as 'in 2020'.

Owns: tokens → tokens, for formulas and years.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from askwire.language.closeness import spells_out
from askwire.language.lexicon import FUNCTION_WORDS
from askwire.language.text import YEAR, Token, listed, singular, stem
from askwire.planner.embedded.linking.blocked import UNITS
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.identifiers import FORMULAS
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_LETTERED_CODE: Final = re.compile(r"[a-z]{1,3}[0-9]{1,2}(?:\.[0-9])?")


def by_formula(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'PM2.5' as the schema's pm25, 'NO2' as nitrogen dioxide where the schema calls it so."""
    found: list[Token] = []
    for token in tokens:
        spelled = token.lower.replace(".", "")
        if token.kind != "word" or not _LETTERED_CODE.fullmatch(token.lower) or token.lower in index.by_word:
            found.append(token)
        elif spelled in index.by_word:
            found.append(replace(token, lower=spelled, lemma=spelled))
        elif all(word in index.by_word for word in FORMULAS.get(spelled, ("",))):
            found += [replace(token, text=w, lower=w, lemma=w) for w in FORMULAS[spelled]]
        else:
            found.append(token)
    return tuple(found)


_TEMPERATURE_CUES: Final = frozenset(
    listed(
        "survive survives withstand withstands tolerate tolerates reach reaches hit hits below above under "
        "over than at to between and least most of is"
    )
)
"""What is done down to a temperature."""


def below_zero(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'below minus 15 degrees' → 'below -15 degrees'; of 'the price minus 5' something is taken off."""
    found: list[Token] = []
    for token in tokens:
        before = found[-2].lower if len(found) > 1 else ""
        told = before in _TEMPERATURE_CUES
        if told and found[-1].lower == "minus" and token.kind == "number":
            found[-1] = replace(
                token, text=f"-{token.text}", lower=f"-{token.lower}", lemma=f"-{token.lemma}"
            )
        else:
            found.append(token)
    return tuple(found)


_NON_PREFIX: Final = "non-"
_ALL_PREFIX: Final = "all-"


def denied_apart(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'non-smokers' as 'non smokers', where the schema has a word for the latter alone.

    'all-male' is 'male', and 'gold-tier' is 'gold tier' where a column is called a tier.
    """
    found: list[Token] = []
    for token in tokens:
        if token.kind == "word" and token.lower.startswith(_ALL_PREFIX) and token.lower not in index.by_word:
            rest = token.text[len(_ALL_PREFIX) :]  # 'all-female dorms'
            found.append(replace(token, text=rest, lower=rest.lower(), lemma=singular(rest.lower())))
            continue
        if token.kind == "word" and _is_compound(token, index):
            found += _parts(token)  # 'gold-tier members'
            continue
        rest = token.text[len(_NON_PREFIX) :]
        name = singular(rest.lower())
        known = token.lower not in index.by_word and (rest.lower() in index.by_word or name in index.by_word)
        if token.kind != "word" or not token.lower.startswith(_NON_PREFIX) or not known:
            found.append(token)
            continue
        found.append(replace(token, text=token.text[:3], lower="non", lemma="non"))
        start = token.start + len(_NON_PREFIX)
        found.append(replace(token, text=rest, lower=rest.lower(), lemma=name, start=start))
    return tuple(found)


def _is_compound(token: Token, index: SchemaIndex) -> bool:
    """Whether a hyphen ties a value to the column that it is of: 'high-priority', 'silver-tier'."""
    parts = token.lower.split("-")
    known = token.lower not in index.by_word and "".join(parts) not in index.by_word
    words = len(parts) == _PARTS and all(part.isalpha() and len(part) >= _PARTS for part in parts)
    if not (words and known) or parts[0] in {_NON_PREFIX[:-1], _ALL_PREFIX[:-1]}:
        return False
    _, columns = index.by_word.get(singular(parts[1]), (frozenset(), frozenset()))
    return any(
        index.columns[c].kind in {"text", "enum"} and index.columns[c].full[-1] == singular(parts[1])
        for c in columns
    )


_PARTS: Final = 2


def _parts(token: Token) -> Iterator[Token]:
    first = token.text.index("-")
    for start, text in ((0, token.text[:first]), (first + 1, token.text[first + 1 :])):
        spelled = text.lower()
        yield replace(token, text=text, lower=spelled, lemma=singular(spelled), start=token.start + start)


_MIN_GLUED: Final = 7
"""Letters from which on a word may be the name of a column written as one."""


def taken_apart(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'gradepoints' as 'grade point' where a column is called so, and nothing is called by the word.

    'bookshops' are 'book shops' of a table `book_shop` or `bkshop`.
    """
    found: list[Token] = []
    for token in tokens:
        apart: tuple[str, ...] = ()
        if token.kind == "word" and len(token.lemma) >= _MIN_GLUED and token.lemma not in index.by_word:
            apart = _written_apart(token.lemma, index)
        found += [replace(token, text=w, lower=w, lemma=w) for w in apart[:-1]]
        several = apart and token.lower == f"{token.lemma}s"
        last = f"{apart[-1]}s" if several else "".join(apart[-1:])
        found.append(replace(token, text=last, lower=last, lemma=apart[-1]) if apart else token)
    return tuple(found)


def _written_apart(word: str, index: SchemaIndex) -> tuple[str, ...]:
    for placed in index.placed.values():
        if word in placed.elements.joined:
            return placed.columns[placed.elements.joined.index(word)].full
    for table in index.tables:
        name = table.words
        if len(name) > 1 and singular(table.relation.name.lower()) == word:
            return name
        if len(name) != _TABLE_NAME_WORDS:
            continue
        head = word.removesuffix(name[1])
        if head not in {word, ""} and (head == name[0] or spells_out(name[0], head)):
            return name
    return ()


_TABLE_NAME_WORDS: Final = 2
_PER_OR_BY: Final = frozenset({"by", "per"})
_MONEY_NOUNS: Final = frozenset(listed("sales revenue turnover profit income spend spending cost budget"))
_NO_YEAR_BEHIND: Final = frozenset(
    listed("be have do exceed equal reach number year id code than this room flight bus model series")
)
_PARTS_OF_A_YEAR: Final = frozenset(
    listed("month quarter week day summer winter spring fall autumn season half part")
)
_WHICH_OR_EACH: Final = frozenset({"which", "what", "each", "every", "per", "by"})


_EACH_OF_YEARS: Final = re.compile(
    r"(?<!\S)(?:in|for|of|during) each of (?:the )?(?:(?:calendar )?years )?(?P<years>(?:19|20)\d\d"
    r"(?: (?:, )?(?:and |to |until |through |- )?(?:19|20)\d\d)+)(?!\S)"
)
_RANGE_WORDS: Final = frozenset({"to", "until", "through", "-"})
_FIGURE_WORDS: Final = frozenset(listed("how number count total sum average amount what show revenue sales"))


def _per_year(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'orders in each of the years 2022, 2023 and 2024' → 'orders per year from 2022 to 2024'.

    Of years that do not follow each other, and of 'who ordered in each of …', nothing changes.
    """
    line = new_tokens.line(tokens)
    found = _EACH_OF_YEARS.search(line)
    if found is None or not {t.lower for t in tokens[:2]} & _FIGURE_WORDS:
        return tokens
    years = sorted({int(year) for year in YEAR.findall(found["years"])})
    if years[-1] - years[0] != len(years) - 1 and not _RANGE_WORDS & {*found["years"].split()}:
        return tokens
    start = line.count(" ", 0, found.start())
    end = line.count(" ", 0, found.end()) + 1
    per, first, to, last = (new_tokens.word(w, tokens[start]) for w in ("per", "from", "to", "year"))
    low, high = (new_tokens.number(year, tokens[start]) for year in (years[0], years[-1]))
    return (*tokens[:start], per, last, first, low, to, high, *tokens[end:])


def in_years(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'which month of 2020' as 'in 2020': a year that nothing follows is no number of things.

    Nor is it behind several things, or what they come to: 'monthly sales 2020', 'top 5 customers 2020'.
    """
    tokens = _per_year(tokens)
    found = list(tokens)
    last = len(tokens) - 1 - (bool(tokens) and tokens[-1].kind == "punct")
    behind = [at for at in range(1, last) if tokens[at + 1].lower in _PER_OR_BY]
    last = next((at for at in behind if YEAR.fullmatch(tokens[at].text)), last)
    if last > 0 and tokens[last].kind == "number" and YEAR.fullmatch(tokens[last].text):
        before = tokens[last - 1]
        several = before.kind == "word" and (before.lower != before.lemma or before.lower in _MONEY_NOUNS)
        if several and before.lemma not in _NO_YEAR_BEHIND:
            found.insert(last, replace(before, text="in", lower="in", lemma="in"))
            return tuple(found)
    for at in range(1, len(tokens) - 1):
        year = tokens[at + 1]
        of_year = tokens[at].lower == "of" and year.kind == "number" and YEAR.fullmatch(year.text)
        any_one = at > 1 and tokens[at - 2].lower in _WHICH_OR_EACH  # 'the last quarter of 2025' is a time
        if of_year and any_one and tokens[at - 1].lemma in _PARTS_OF_A_YEAR:
            found[at] = replace(tokens[at], text="in", lower="in", lemma="in")
    return tuple(found)


_YEAR_KINDS: Final = frozenset(listed("calendar fiscal financial tax school academic same full single"))


def units_of_dates(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'orders per order year' → 'orders per year of order date', where no column holds such a year."""
    for at in range(1, len(tokens) - 1):
        before, said, unit = tokens[at - 1 : at + 2]
        behind = tokens[at + 2] if at + 2 < len(tokens) else None
        ends = behind is None or behind.kind == "punct" or behind.lower in FUNCTION_WORDS
        if before.lower not in _WHICH_OR_EACH or unit.lower not in UNITS or said.kind != "word" or not ends:
            continue
        named = [c for c in index.columns if stem(said.lemma) in map(stem, c.full)]
        timed = any(c.kind == "time" and not UNITS & {*c.full} for c in named)
        if timed and said.lower not in _YEAR_KINDS and not any(unit.lower in c.full for c in named):
            of, date = (replace(said, text=w, lower=w, lemma=w) for w in ("of", "date"))
            return (*tokens[:at], unit, of, said, date, *tokens[at + 2 :])
    return tokens


_LATER_THAN_SET: Final = re.compile(
    r"(?<!\S)(?P<later>later|earlier|sooner) than (?:was |originally |first )*"
    r"(?P<set>promised|planned|scheduled|expected|agreed|required|estimated|requested)"
    r"(?= [.,?;:)]| (?:per|by|in|for|and|or) |$)"
)


def than_set(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'delivered later than promised' → 'delivered after the promised date', where such a date is kept."""
    found = _LATER_THAN_SET.search(new_tokens.line(tokens))
    if found is None or not any(
        c.kind == "time" and stem(found["set"]) in map(stem, c.full) for c in index.columns
    ):
        return tokens
    start, end = (found.string.count(" ", 0, at) for at in found.span())
    after = "after" if found["later"] == "later" else "before"
    said = (new_tokens.word(word, tokens[end]) for word in (after, "the", found["set"], "date"))
    return (*tokens[:start], *said, *tokens[end + 1 :])
