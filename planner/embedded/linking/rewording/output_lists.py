"""What is to be shown, listed behind a question: '… - unit and priority', '…? Name and city.'.

Owns: rewritings of a question's tokens that read such a list as 'show unit and priority'.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from askwire.language.lexicon import ATTRIBUTES, COUNT_WORDS, FIGURE_WORDS, MEAN_WORDS, SUM_WORDS
from askwire.language.text import YEAR, Token, listed
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_DASHES: Final = frozenset({"-", "\u2013", "\u2014", ":"})
_END_MARKS: Final = frozenset({".", "?"})
_MAX_ORDER_TOKENS: Final = 5
"""Tokens of ', best category first'."""
_REQUESTS: Final = frozenset(
    listed("just only please the their its , with show give list return display tell me us i we need want")
)
_COUNTS_AND_SUMS: Final = COUNT_WORDS | SUM_WORDS
_AMOUNT_WORDS: Final = SUM_WORDS | frozenset(listed("days hours minutes dollars usd euros eur"))
"""What a figure that is asked for is called where it is listed once more."""
_SHOWN_NOUNS: Final = (_AMOUNT_WORDS | FIGURE_WORDS) - {"rate"} | frozenset(
    listed("first last name names surname forename id no")
)
"""Words that end what is to be shown though no name of the schema has them."""
_MAX_LIST_WORDS: Final = 16
"""Words of a list of what to show."""
_NO_LIST: Final = frozenset(
    listed(
        "show list give only for in by per with without is are was were has have which that who what how "
        "from top most least not no than if since until between"
    )
)
_ARITHMETIC_WORDS: Final = MEAN_WORDS | frozenset(listed("total sum gross net difference plus minus"))
_WHICH: Final = frozenset({"which", "what", "who"})
_BEHIND_THING: Final = frozenset(listed("by per in for each from since of during"))
_LIST_OPENINGS: Final = frozenset(
    listed("the their its with and show showing including along plus me also list give")
)
_TIME_WORDS: Final = frozenset(listed("date dates day time when created recent month year"))
_SHOWING_WORDS: Final = frozenset(listed("with and show showing including plus list give"))
_BEHIND_RANKING: Final = frozenset(listed("in for per since during from excluding with over"))
"""What stands behind that by which the first few are ranked."""
_GREATEST_WORDS: Final = frozenset({"highest", "lowest", "largest", "smallest"})


def listed_behind(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'open requests - unit and priority' → 'open requests . show unit and priority'.

    'who never paid? Name and city.' → 'who never paid . show name and city': a last sentence of names is such
    a list. 'payments by month: number and total' → 'number of payments and total payments by month'.
    """
    tokens = _out_of_brackets(_with_and(tokens), index)
    tokens = _side_by_side(_behind_ranking(tokens, index))
    end = len(tokens) - (bool(tokens) and tokens[-1].kind == "punct")
    at = next((n for n in range(end - 1, 0, -1) if tokens[n].text in _DASHES | _END_MARKS), None)
    if at is None or (tokens[at].text == "." and tokens[-1].text == "?"):
        return (
            tokens  # a question that goes on behind a full stop has an abbreviation: 'the Sci. department?'
        )
    left, mark = tokens[:at], tokens[at]
    rest, order = _without_order(tokens[at + 1 : end])
    asked = mark.text in _END_MARKS
    if asked:
        rest = (*_thing_beside(tokens, at), *_without_request(rest))
    rest = _without_units(left, _of_the_same(_dates_done(rest)))
    plain = all((t.kind == "word" and t.text[0].isalpha()) or t.lower in {",", "'s"} for t in rest)
    apart = mark.start > left[-1].end or asked or mark.text == ":"
    if not (plain and apart and 0 < len(rest) <= _MAX_LIST_WORDS) or _NO_LIST & set(_as_numbers(rest)):
        return tokens
    shorter = _without_measure(left, rest, index)
    if asked and not _are_names(shorter or rest, index):
        return tokens
    if not asked and (_may_be_value(left, rest) or (mark.text != ":" and _is_difference(left))):
        return tokens
    figures = [_figure_of(item) for item in _items(rest)]
    if all(figures):
        return tokens if asked or left[0].lower in new_tokens.QUESTION_WORDS else _of_things(left, figures)
    rest = _as_shown(left, shorter or rest)
    show = (new_tokens.mark(".", mark), new_tokens.word("show", mark))
    return (*left, *(() if _ranking(left) else order), *show, *_unnamed(left, rest, index), *rest)


def _figure_of(item: Sequence[Token]) -> str:
    """The figure that an item of a list is, in the words of the grammar; '' where it names more than that."""
    words = {t.lower for t in item} - {"the", "of"}
    if not words or words - _COUNTS_AND_SUMS:
        return ""
    return "number of" if words & COUNT_WORDS else "total"


def _of_things(left: tuple[Token, ...], figures: Sequence[str]) -> tuple[Token, ...]:
    """'payments by month' with both figures → 'number of payments and total payments by month'."""
    first = new_tokens.place_of(left, 0, _BEHIND_THING)
    found: list[Token] = []
    for figure in figures:
        lead = f"and {figure}" if found else figure
        found += [*(new_tokens.word(w, left[-1]) for w in lead.split()), *left[:first]]
    return (*found, *left[first:])


def _as_shown(left: tuple[Token, ...], rest: tuple[Token, ...]) -> tuple[Token, ...]:
    """A list in the words of the grammar: an average of what, whose number, and the figure asked for once."""
    last = rest[-1].lower
    if last in MEAN_WORDS:
        rest = (*rest, *_measured(left, last))
    if rest[0].lower == "number" and left[0].lower in _WHICH and left[1].lower != left[1].lemma:
        rest = (new_tokens.word(left[1].lemma, rest[0]), *rest)  # 'which items …? Number and name.'
    if rest[-2:-1] and rest[-2].lower in {"and", ","}:
        # of 'which 5 carers have the highest wage' no wage is shown
        if _ranking(left) and left[0].lower not in _WHICH and last in _COUNTS_AND_SUMS | _ranking(left):
            return rest[:-2]  # what ranks the rows is shown, whatever it is called
        if last in _AMOUNT_WORDS and _asks_one(left):
            return (*rest[:-1], new_tokens.word("count", rest[-1]))  # the figure that is asked for
    return rest


def _with_and(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'which items are new? number + name' → '… number and name'; what is added up stands in the question."""
    start = next(
        (n for n, t in enumerate(tokens) if n and t.text in _DASHES | _END_MARKS | {"("}), len(tokens)
    )
    return tuple(
        new_tokens.word("and", t) if t.text == "+" and n > start else t for n, t in enumerate(tokens)
    )


def _out_of_brackets(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'the 5 dearest cars (make, price), best first' → 'the 5 dearest cars. make, price, best first'."""
    said = [t.text for t in tokens]
    if "(" not in said or ")" not in said:
        return tokens
    start, end = said.index("("), said.index(")")
    items, behind = tokens[start + 1 : end], tokens[end + 1 :]
    behind = behind[: len(behind) - (bool(behind) and behind[-1].kind == "punct")]
    if not {",", "and"} & {t.lower for t in items} or not _are_names(items, index):
        return tokens
    if behind and (behind[0].text != "," or len(behind) > _MAX_ORDER_TOKENS):
        return tokens
    return (*tokens[:start], new_tokens.mark(".", tokens[start]), *items, *behind)


def _as_numbers(rest: Sequence[Token]) -> list[str]:
    """The words of a list in which 'no' ends an item: 'item no, city' names a number."""
    said = [*(t.lower for t in rest), ","]
    spelled = {"no": "number", "list": "listed"}  # 'item no', 'list price'
    heads = {"no": {",", "and"}, "list": {"price", "prices"}}
    return [
        spelled[word] if at + (word == "list") and said[at + 1] in heads.get(word, ()) else word
        for at, word in enumerate(said[:-1])
    ]


_SINGLE_FIGURE: Final = re.compile(r"how (?:much|long)|how many (?:days|hours|minutes)|average|avg|total|sum")


def _asks_one(tokens: Sequence[Token]) -> bool:
    """Whether a question asks for one figure of each: 'how long does each carrier take on average'."""
    said = [t.lower for t in tokens]
    figures = _SINGLE_FIGURE.findall(" ".join(said))
    return (
        len({*figures} - {"average", "avg"}) < 2
        and bool(figures)
        and bool({*said} & {"each", "every", "per", "by"})
    )


def _without_order(rest: tuple[Token, ...]) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """A list of what to show without the order behind it, and the order: 'title, cheapest first'."""
    comma = max((n for n, t in enumerate(rest) if t.lower == ","), default=0)
    if comma and rest[-1].lower == "first" and 1 < len(rest) - comma <= _MAX_ORDER_TOKENS:
        return rest[:comma], rest[comma:]
    return rest, ()


def _without_request(rest: tuple[Token, ...]) -> tuple[Token, ...]:
    """'Just the names, please' → 'names'."""
    while rest and rest[0].lower in _REQUESTS:
        rest = rest[1:]
    while rest and rest[-1].lower in _REQUESTS:
        rest = rest[:-1]
    return rest


_BESIDE_WORDS: Final = frozenset({"with", "along", "together", "including", "plus"})


def _thing_beside(tokens: tuple[Token, ...], at: int) -> tuple[Token, ...]:
    """The products of 'top 5 products by revenue, with category and supplier', which are shown as well."""
    few = next((n for n in range(at) if tokens[n].kind == "number"), at)
    by = new_tokens.place_of(tokens, few, {"by"})
    if tokens[at + 1].lower not in _BESIDE_WORDS or not few + 1 < by < at:
        return ()
    return (*tokens[few + 1 : by], new_tokens.mark(",", tokens[at]))


_DATE_OF_DEED: Final = re.compile(
    r"(?:the )?(?P<unit>date|day|time)(?: (?:on|at) which| when| that)? "
    r"(?:they|it|he|she) (?:(?:was|were|is|are|has|have|had|been|got) )*(?P<done>[a-z]+(?:ed|en|wn|ld|id|ft))"
)


def _dates_done(rest: tuple[Token, ...]) -> tuple[Token, ...]:
    """'name and the date they were hired' → 'name and hired date'."""
    line = new_tokens.line(rest)
    found = _DATE_OF_DEED.search(line)
    if found is None:
        return rest
    start, end = line.count(" ", 0, found.start()), line.count(" ", 0, found.end()) + 1
    done = next(t for t in rest[start:end] if t.lower == found["done"])
    return (*rest[:start], done, new_tokens.word("date", done), *rest[end:])


_TIME_UNIT: Final = "(day|week|month|quarter|year)"
_BY_UNIT: Final = re.compile(
    rf"\b(?:each|every|per|by|\w+est) (?:calendar )?{_TIME_UNIT}\b|\b{_TIME_UNIT} (?:of|in) each\b"
)


def _without_units(left: Sequence[Token], rest: tuple[Token, ...]) -> tuple[Token, ...]:
    """Of 'orders per month? Month, number of orders' the month is shown without being asked for."""
    grouped = {
        unit for found in _BY_UNIT.finditer(" ".join(t.lower for t in left)) for unit in found.groups()
    }
    items = _items(rest)
    kept = [item for item in items if len(item) > 1 or item[0].lower not in grouped]
    if len(kept) == len(items) or not kept:
        return rest
    commas = ((new_tokens.mark(",", item[0]),) if n else () for n, item in enumerate(kept))
    return tuple(t for comma, item in zip(commas, kept, strict=True) for t in (*comma, *item))


_FIRST_NAMES: Final = frozenset({("first", "name"), ("given", "name")})
_LAST_NAMES: Final = frozenset({("last", "name"), ("family", "name"), ("surname",)})


def _of_the_same(rest: tuple[Token, ...]) -> tuple[Token, ...]:
    """'driver first name and last name' → 'driver first name and driver last name'."""
    items = _items(rest)
    for item, behind in pairwise(items):
        said = tuple(t.lower for t in item)
        if said[-2:] in _FIRST_NAMES and len(said) > 2 and tuple(t.lower for t in behind) in _LAST_NAMES:
            at = rest.index(behind[0])
            return (*rest[:at], *item[:-2], *rest[at:])
    return rest


def _without_measure(
    left: tuple[Token, ...], rest: tuple[Token, ...], index: SchemaIndex
) -> tuple[Token, ...]:
    """The list without what the question itself measures, which is shown anyway; () where it ends otherwise.

    'how many orders per shop? Shop and orders', 'which 5 shops have the most orders? Shop, number'. Of the
    most of something the measure is asked for as 'the total'.
    """
    measures = _measures(left)
    items = _items(rest)
    kept = items[:-1]
    if not measures or not kept or not _says(items[-1], measures):
        return ()
    spelled = len(items[-1]) > 1 and not _ranking(left)
    if any(_FULL_FIGURE_WORDS & {t.lower for t in item} for item in (kept if not spelled else items)):
        return ()
    listed_so: list[Token] = []
    for item in kept:
        listed_so += [new_tokens.mark(",", item[0])] if listed_so else []
        listed_so += item
    said = " ".join(t.lower for t in left)
    if not _MOST_OF_THING.search(said):
        return () if _ranking(left) and left[0].lower in _WHICH else tuple(listed_so)
    if "total" in index.by_word or _EACH_WORDS & {*said.split()}:
        return ()  # 'the total' would be a column, or of all
    return (*listed_so, *(new_tokens.word(w, rest[-1]) for w in ("and", "the", "total")))


_NO_ADJECTIVE_BEHIND: Final = rf"(?!(?:{'|'.join(sorted(ATTRIBUTES))})\b)"
_MOST_OF_THING: Final = re.compile(
    rf"(?<!at )\b(?:most|fewest|least) {_NO_ADJECTIVE_BEHIND}\S|\b(?:highest (?:total|number of|amount of))\b"
)
_MEASURED: Final = re.compile(
    r"(?:\bhow many|\bnumber of|\btotal(?: number of)?|\bsum of|(?<!at )\b(?:most|fewest|least)"
    rf"|\bhighest (?:total|number of|amount of)|(?<= )by(?: total| number of| the)*) {_NO_ADJECTIVE_BEHIND}"
    r"(?P<of>[^\d\W]\S*(?: [^\d\W]\S*)?)"
)
_EACH_WORDS: Final = frozenset({"each", "every", "per"})
_FULL_FIGURE_WORDS: Final = FIGURE_WORDS - (SUM_WORDS - {"total", "sum"})
"""Words of a figure that is named in full: it is read as it is named."""


def _measures(left: Sequence[Token]) -> set[str]:
    """The words of what a question counts, adds up or ranks by; with any a list may call it a number."""
    found = {word for m in _MEASURED.finditer(" ".join(t.lemma for t in left)) for word in m["of"].split()}
    return found - new_tokens.ARTICLES - _NO_LIST - new_tokens.REQUESTS


def _says(item: Sequence[Token], measures: set[str]) -> bool:
    """Whether an item of a list is called by the measure, or by nothing but that it is a number."""
    words = {t.lemma for t in item} - new_tokens.ARTICLES - {"of", "total", "number"}
    return not words - _COUNTS_AND_SUMS - {"how", "many"} - measures


def _items(rest: Sequence[Token]) -> list[list[Token]]:
    """The items between commas and 'and'."""
    items: list[list[Token]] = [[]]
    for token in rest:
        if token.lower in {",", "and"}:
            items.append([])
        else:
            items[-1].append(token)
    return [item for item in items if item]


def _are_names(rest: tuple[Token, ...], index: SchemaIndex) -> bool:
    """Whether each item of a list is called as something of the schema, or is a figure."""
    items = _items(rest)
    if not items:
        return False
    if [t.lower for t in items[-1][-2:]] == ["the", "total"]:
        items = items[:-1]
    heads = [item[-1] for item in items]
    known = [t for t in heads if t.lemma in index.by_word or t.lower in _SHOWN_NOUNS]
    return bool(heads) and known == heads and any(t.lemma in index.by_word for t in heads)


def _measured(tokens: tuple[Token, ...], mean: str) -> tuple[Token, ...]:
    """The words of which a question has the average: its list says 'average' alone."""
    at = next((n for n, t in enumerate(tokens) if t.lower == mean), len(tokens))
    end = new_tokens.place_of(tokens, at + 1, _BOUNDS)
    return tokens[at + 1 : end] if end < len(tokens) and new_tokens.all_words(tokens[at + 1 : end]) else ()


_YEARS_SIDE_BY_SIDE: Final = re.compile(
    r"(?: ,)? (?:(?:with )?(?:1|a|a separate|separate) columns? (?:per|for each|each) year"
    r"|(?:with )?(?:(?:the|both|two) )*years (?:side by side|next to each other|in (?:separate|two) columns)"
    r"|side by side)(?=$| [.?,])"
)
_PERCENT_WORDS: Final = frozenset({"percent", "percentage", "%", "growth"})
_CHANGE_WORDS: Final = frozenset({"change", "growth", "difference", "rise", "increase"})


def _side_by_side(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'sales in 2023 and 2024 per shop, one column per year' → 'sales in 2023 versus 2024 per shop'.

    So is '… per shop: name, sales 2023, sales 2024, change in percent' with 'and the change in percent'.
    """
    years = [at for at, token in enumerate(tokens) if YEAR.fullmatch(token.text)]
    if len(years) < 2:
        return tokens
    line = new_tokens.line(tokens)
    if found := _YEARS_SIDE_BY_SIDE.search(line):
        start, end = (line.count(" ", 0, found.start() + 1), line.count(" ", 0, found.end()) + 1)
        first, last = years[:2]
        apart = (
            new_tokens.word("versus", t) if t.lower == "and" and first < at < last else t
            for at, t in enumerate(tokens)
        )
        left = tuple(apart)
        return (*left[:start], *left[end:])
    at = max((n for n, t in enumerate(tokens) if t.text in _DASHES | _END_MARKS and years[1] < n), default=0)
    items = _items([t for t in tokens[at + 1 :] if t.text not in _END_MARKS])
    said = {tokens[n].text for n in years if n < at}
    named = [item for item in items if item[-1].text not in said]
    changes = [item for item in named if _CHANGE_WORDS & {t.lower for t in item}]
    if not at or len(named) > len(items) - len(said) or len(named) - len(changes) > 1:
        return tokens
    behind: tuple[str, ...] = ()
    if changes:
        percent = _PERCENT_WORDS & {t.text for t in changes[0]}
        behind = ("and", "the", "growth" if percent else "difference")
    return (*tokens[:at], *(new_tokens.word(word, tokens[at]) for word in behind))


def _behind_ranking(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'top 5 shops by revenue, name and city' → 'top 5 shops by revenue. name and city'."""
    end = next((n for n, t in enumerate(tokens) if t.text in _DASHES | _END_MARKS), len(tokens))
    for at in range(end):
        rest, _ = _without_order(tokens[at + 1 :])
        more = {",", "and"} & {t.lower for t in rest}
        if tokens[at].text == "," and more and _ranking(tokens[:at]) and _are_names(rest, index):
            return (*tokens[:at], new_tokens.mark(".", tokens[at]), *tokens[at + 1 :])
    return tokens


def _ranking(tokens: Sequence[Token]) -> frozenset[str]:
    """The words of what the first few are ranked by: 'top 3 vets by number of visits in May' → visits.

    So is 'insured value' of 'the 5 works with the highest insured value'.
    """
    said = [t.lower for t in tokens]
    few = next((at for at, token in enumerate(tokens) if token.kind == "number"), len(said))
    led = bool(new_tokens.LIMIT_WORDS & {*said[max(few - 1, 0) : few]})
    start = 1 + (
        new_tokens.place_of(tokens, few, {"by"}) if led else new_tokens.place_of(tokens, few, _GREATEST_WORDS)
    )
    end = next(
        (n for n in range(start, len(said)) if tokens[n].kind != "word" or said[n] in _BEHIND_RANKING), None
    )
    return frozenset(said[start:end])


_NAMING_WORDS: Final = frozenset(listed("name title id code number no key"))


def _unnamed(left: Sequence[Token], rest: Sequence[Token], index: SchemaIndex) -> tuple[Token, ...]:
    """'product ,' of 'top 5 products by sales: brand and price', which ranks no brands."""
    said = [t.lower for t in left]
    few = next((n for n, t in enumerate(left) if t.kind == "number"), len(said))
    by = new_tokens.place_of(left, few, {"by"})
    thing = left[by - 1] if by < len(left) and by - few > 1 and said[few - 1 : few] == ["top"] else None
    if thing is None or not new_tokens.all_words(left[few + 1 : by]):
        return ()
    if (_NAMING_WORDS | {thing.lemma}) & {t.lemma for t in rest} or thing.lower == thing.lemma:
        return ()
    tables = index.by_word.get(thing.lemma, (frozenset(), frozenset()))[0]
    if not any(not index.columns[c].key for t in tables for c in index.labels[t]):
        return ()  # tickets have numbers alone: their rows are told apart without
    return new_tokens.word(thing.lemma, thing), new_tokens.mark(",", thing)


def _may_be_value(left: Sequence[Token], rest: Sequence[Token]) -> bool:
    """Whether what stands behind a mark may be a value: 'name: John Smith', 'with status - shipped'."""
    named = any(t.text[0].isupper() for t in rest)
    column = len(left) == 1 or left[-2].lower in {"with", "where", "whose", "by", "of", "having"}
    return named or (column and len(rest) == 1)


def _is_difference(left: Sequence[Token]) -> bool:
    """Whether a dash is a minus sign: 'what is total freight - discount'."""
    words = [t.lower for t in left]
    return words[:2] in (["what", "is"], ["what", "was"]) or bool(_ARITHMETIC_WORDS & set(words))


_BOUNDS: Final = frozenset(
    listed("above below over under of per by in for greater higher lower more less than")
)


def figure_beside(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'top 5 customers by sales, show the amount' → 'top 5 customers by sales', which shows them."""
    if not _ranking(tokens):
        return tokens
    said = [t.lower for t in tokens]
    first = next((at for at in range(len(tokens) - 1) if said[at] in new_tokens.LIMIT_WORDS), len(said))
    if "by" not in said[first:]:
        return tokens
    for at in range(said.index("by", first) + 2, len(tokens)):
        behind = said[at + 1] if at + 1 < len(tokens) else ""
        if said[at] not in _COUNTS_AND_SUMS or not (
            behind in {"", "excluding"} or tokens[at + 1].kind == "punct"
        ):
            continue
        start = at
        while said[start - 1] in _LIST_OPENINGS:
            start -= 1
        ranked = set(said[said.index("by", first) + 1 : start])
        if ranked & _TIME_WORDS or not ranked - _LIST_OPENINGS:
            continue
        apart = said[start - 1] == "," or said[start] != "and"
        if apart and _SHOWING_WORDS & set(said[start:at]):
            start -= said[start - 1] == ","
            return (*tokens[:start], *tokens[at + 1 :])
    return tokens
