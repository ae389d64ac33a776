"""How rows are to be listed, as people tell it: 'newest first', 'Return only …', 'include the stock'.

Owns: rewritings of a question's tokens, as `paraphrases` has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from askwire.language.text import Token, listed, singular
from askwire.planner.embedded.linking.rewording import new_tokens

_SHOWING: Final = frozenset(listed("showing displaying returning"))
_SHOW: Final = frozenset(listed("return show include list consider give display keep output"))
_INCLUDE: Final = frozenset(listed("include including"))
_ENDS: Final = frozenset({".", "?", ";", "!"})
_BETWEEN: Final = frozenset({",", ".", "?", ";", "and", "also", "please"})
_NEW: Final = frozenset(listed("newest latest"))
_OLD: Final = frozenset(listed("oldest earliest"))
_UNITS: Final = frozenset(listed("day week month quarter year"))
_NO_VALUE: Final = frozenset({"null", "empty", "blank"})
_PIECES: Final = frozenset(listed("unit units piece pieces"))
_STOCKED: Final = frozenset(
    listed("stock stocks inventory quantity quantities qty level hand remaining left")
)
"""What is told in units, so that the unit says nothing more."""
_BOUNDS: Final = frozenset(listed("under over below above than least most exceeding exactly"))
_IN: Final = frozenset({"in", "during", "since", "for", "from"})
_BRACKETED: Final = 8
"""Tokens that a bracket holds at the most."""
_SPANS: Final = frozenset({"period", "time", "history", "range", "timeframe"})
_AGAINST: Final = frozenset({"vs", "versus", "against"})
_MARKS: Final = frozenset({"-", "\u2013", "\u2014", ":"})
_LONGEST: Final = 16
"""Words of a list of what to show."""
_NO_LIST: Final = frozenset(
    listed(
        "show list give only for in by per with without is are was were has have which that who what how "
        "from top most least not no than if since until between"
    )
)
_COUNTING: Final = frozenset({"number", "count", "numbers", "counts"})
_ADDING_UP: Final = frozenset({"total", "totals", "sum", "amount", "amounts", "value"})
_SUMS: Final = frozenset(listed("total sum average avg gross net difference plus minus"))
_QUESTIONS: Final = frozenset(listed("how what which who whose when where"))
_BEHIND_THING: Final = frozenset(listed("by per in for each from since of during"))
_PARTS: Final = frozenset({"share", "proportion", "fraction"})
_SPREADS: Final = frozenset({"breakdown", "split", "distribution", "share"})
_PERCENT: Final = frozenset({"percent", "percentage", "percentages", "pct"})
_OPENING: Final = frozenset({"by", "most", "highest", "lowest", "total", "average"})
_FIRST: Final = frozenset({"top", "bottom", "first"})
_FIGURES: Final = frozenset(
    listed("amount amounts total totals count counts number numbers value values figures")
)
_LEADING: Final = frozenset(
    listed("the their its with and show showing including along plus me also list give")
)
_MOMENTS: Final = frozenset(listed("date dates day time when created recent month year"))
_SHOWN: Final = frozenset(listed("with and show showing including plus list give"))
_TOTALS: Final = frozenset(listed("total number average count sum amount highest overall"))


def number_of(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the no. of orders' → 'the number of orders'."""
    found: list[Token] = []
    for token in tokens:
        if token.lower == "of" and [t.lower for t in found[-2:]] in (["no", "."], ["nr", "."], ["num", "."]):
            found[-2:] = [new_tokens.word("number", token)]
        found.append(token)
    return tuple(found)


def showing(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the top 5 states, showing their sales' → 'the top 5 states, show their sales'.

    'products under 500, and include the stock' → 'products under 500 along with the stock'.
    """
    found: list[Token] = []
    for at, token in enumerate(tokens):
        behind = tokens[at + 1].lower if at + 1 < len(tokens) else ""
        before = found[-1].lower if found else ""
        if token.lower in _SHOWING and before in {",", "and", ";"}:
            found.append(new_tokens.word("show", token))
        elif (
            token.lower in _INCLUDE
            and before in _BETWEEN
            and behind in new_tokens.ARTICLES
            and not {t.lower for t in tokens[at + 2 :]} & {",", "one", "ones"}
        ):
            while found and found[-1].lower in _BETWEEN:
                found.pop()
            found += [new_tokens.word("along", token), new_tokens.word("with", token)]
        else:
            found.append(token)
    return tuple(found)


def only_those(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'… per country? Return only countries with 3 shops' → '… per country, only for countries with …'."""
    for at in range(2, len(tokens) - 2):
        words = {tokens[at].lower, tokens[at + 1].lower}
        if tokens[at - 1].lower not in _ENDS or "only" not in words or not words & _SHOW:
            continue
        rest = tokens[at + 2 :]
        rest = rest[1:] if rest and rest[0].lower in {"for", "the", "those"} else rest
        told = any(t.lower in {"with", "where", "that", "who", "whose", "having", "which"} for t in rest[:4])
        if rest and told:
            comma = new_tokens.mark(",", tokens[at - 1])
            lead = [comma, new_tokens.word("only", tokens[at]), new_tokens.word("for", tokens[at])]
            return (*tokens[: at - 1], *lead, *rest)
    return tokens


def newest_first(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the orders on hold, newest first' → 'the orders on hold, ordered from newest to oldest'."""
    for at in range(2, len(tokens)):
        if tokens[at].lower != "first":
            continue
        recent = [t.lower for t in tokens[at - 2 : at]] == ["most", "recent"]
        new, old = recent or tokens[at - 1].lower in _NEW, tokens[at - 1].lower in _OLD
        start = at - 2 if recent else at - 1
        ends = at + 1 == len(tokens) or tokens[at + 1].kind == "punct"
        if (new or old) and ends and start and tokens[start - 1].lower not in new_tokens.ARTICLES:
            ways = ("newest", "oldest") if new else ("oldest", "newest")
            said = ("ordered", "from", ways[0], "to", ways[1])
            return (*tokens[:start], *(new_tokens.word(w, tokens[at]) for w in said), *tokens[at + 1 :])
    return tokens


def of_that_time(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the year and the payments in that year' → 'the payments per year'."""
    for at in range(1, len(tokens) - 5):
        unit = tokens[at].lower
        if unit not in _UNITS or tokens[at + 1].lower not in {"and", ","}:
            continue
        asked = all(t.lower in new_tokens.ASKING | new_tokens.ARTICLES for t in tokens[:at])
        that = next(
            (n for n in range(at + 3, len(tokens)) if tokens[n].lower == unit and _is_that(tokens[n - 1])), 0
        )
        if asked and that and tokens[that - 2].lower in {"in", "for", "of", "during"}:
            measure = tokens[at + 2 : that - 2]
            each = [new_tokens.word("per", tokens[that]), tokens[that]]
            start = at - (tokens[at - 1].lower in new_tokens.ARTICLES)
            return (*tokens[:start], *measure, *each, *tokens[that + 1 :])
    return tokens


def based_on(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'top 10 customers based on total payments' → 'top 10 customers by total payments'."""
    for at in range(1, len(tokens) - 2):
        if [t.lower for t in tokens[at : at + 2]] != ["based", "on"]:
            continue
        behind = [t.lower for t in tokens[at + 2 : at + 4] if t.lower not in new_tokens.ARTICLES]
        if behind and behind[0] in _TOTALS:
            return (*tokens[:at], new_tokens.word("by", tokens[at]), *tokens[at + 2 :])
    return tokens


def listed_behind(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'open requests - unit and priority' → 'open requests . show unit and priority'.

    'payments by month: number and total' → 'number of payments and total payments by month'.
    """
    at = next((n for n in range(len(tokens) - 2, 0, -1) if tokens[n].text in _MARKS), None)
    if at is None or at + 1 >= len(tokens):
        return tokens
    end = len(tokens) - (tokens[-1].kind == "punct")
    rest, said = tokens[at + 1 : end], [t.lower for t in tokens[at + 1 : end]]
    plain = all((t.kind == "word" and t.text[0].isalpha()) or t.lower == "," for t in rest)
    apart = tokens[at].start > tokens[at - 1].end or tokens[at].text == ":"
    if not (plain and apart and 0 < len(rest) <= _LONGEST) or _NO_LIST & set(said):
        return tokens
    if _may_be_value(tokens[:at], rest) or (tokens[at].text != ":" and _is_figure(tokens[:at])):
        return tokens
    figures = [w for w, before in zip(said, ["", *said], strict=False) if _asks_figure(w, before)]
    if figures and not set(said) - _COUNTING - _ADDING_UP - {"and", ",", "the", "of"}:
        if tokens[0].lower in _QUESTIONS:
            return tokens
        first = next((n for n in range(at) if tokens[n].lower in _BEHIND_THING), at)
        thing, further = tokens[:first], tokens[first:at]
        found: list[Token] = []
        for word in figures:
            lead = ("number", "of") if word in _COUNTING else ("total",)
            found += [new_tokens.word("and", tokens[at])] if found else []
            found += [*(new_tokens.word(w, tokens[at]) for w in lead), *thing]
        return (*found, *further)
    mark, show = new_tokens.mark(".", tokens[at]), new_tokens.word("show", tokens[at])
    return (*tokens[:at], mark, show, *rest)


def _may_be_value(left: Sequence[Token], rest: Sequence[Token]) -> bool:
    """Whether what stands behind a mark may be a value: 'name: John Smith', 'with status - shipped'."""
    named = any(t.text[0].isupper() for t in rest)
    column = len(left) == 1 or left[-2].lower in {"with", "where", "whose", "by", "of", "having"}
    return named or (column and len(rest) == 1)


def _is_figure(left: Sequence[Token]) -> bool:
    """Whether a dash is a minus sign: 'what is total freight - discount'."""
    words = [t.lower for t in left]
    return words[:2] in (["what", "is"], ["what", "was"]) or bool(_SUMS & set(words))


def _asks_figure(word: str, before: str) -> bool:
    """Whether a word of a list asks for a count or a sum; the second of 'total amount' says nothing more."""
    return word in _COUNTING | _ADDING_UP and not (word in _ADDING_UP and before in _ADDING_UP)


def by_which_time(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'revenue in 2024 (dispatch date)' → 'revenue with dispatch date in 2024'."""
    said = [t.lower for t in tokens]
    for at in range(2, len(tokens) - 2):
        if said[at] != "(" or ")" not in said[at : at + _BRACKETED]:
            continue
        end = said.index(")", at)
        start = at + 1
        while said[start] in {"by", "based", "on", "using", "the"}:
            start += 1
        named = tokens[start:end]
        if len(named) < 2 or said[end - 1] not in {"date", "time", "day"} or not new_tokens.all_words(named):
            continue
        when = next((n for n in range(1, at - 1) if said[n] in _IN and _is_year(tokens[n + 1])), None)
        if when is None:
            continue
        led = (new_tokens.word("with", tokens[at]), *named)
        return (*tokens[:when], *led, *tokens[when:at], *tokens[end + 1 :])
    return tokens


def _is_year(token: Token) -> bool:
    return re.fullmatch(r"(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?", token.lower) is not None


def turned_out(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'leads that ended up unqualified' → 'leads that are unqualified'."""
    for at in range(1, len(tokens) - 2):
        if [t.lower for t in tokens[at : at + 2]] not in (["ended", "up"], ["turned", "out"]):
            continue
        end = at + 2 + (tokens[at + 2].lower in {"as", "being"})
        if tokens[end].lower.endswith("ing"):
            continue  # 'ended up paying' is done
        are = replace(new_tokens.word("are", tokens[at]), lemma="be")
        return (*tokens[:at], are, *tokens[end:])
    return tokens


def whole_time(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'top 3 agents by tips, whole period' → 'top 3 agents by tips'."""
    for at in range(2, len(tokens)):
        whole = tokens[at - 1].lower in {"whole", "entire", "full", "complete"}
        if tokens[at].lower not in _SPANS or not whole or tokens[at].lower == "time":
            continue  # who works full time is told from others
        start = at - 1
        while start and tokens[start - 1].lower in {"the", "over", "for", "in", "during", "across", ","}:
            start -= 1
        ends = at + 1 == len(tokens) or tokens[at + 1].kind == "punct"
        if start and ends:
            return (*tokens[:start], *tokens[at + 1 :])
    return tokens


def and_others(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'smokers vs non-smokers' → 'smokers and non smokers'."""
    found: list[Token] = []
    for token in tokens:
        other = token.lower.removeprefix("non-")
        if token.kind != "word" or other in {token.lower, ""}:
            found.append(token)
            continue
        before = [t.lower for t in found[-2:]]
        if before in (["compared", "to"], ["compared", "with"]):
            found[-2:] = [new_tokens.word("and", token)]
        elif before[-1:] and before[-1] in _AGAINST:
            found[-1:] = [new_tokens.word("and", token)]
        found.append(new_tokens.word("non", token))
        found.append(replace(token, text=other, lower=other, lemma=singular(other)))
    return tuple(found)


def date_done(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'priority and date reported' → 'priority and reported date'."""
    for at in range(1, len(tokens) - 1):
        behind = tokens[at + 2] if at + 2 < len(tokens) else None
        ends = behind is None or behind.kind == "punct" or behind.lower == "and"
        listed_so = tokens[at - 1].lower in {"and", ",", "the", "with"}
        if tokens[at].lower in {"date", "dates"} and ends and listed_so:
            done = tokens[at + 1]
            if done.lower.endswith("ed") and done.kind == "word":
                return (*tokens[:at], done, tokens[at], *tokens[at + 2 :])
    return tokens


def percent_change(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the % change in revenue' → 'the percentage growth in revenue': no value that begins with 'change'."""
    for at in range(len(tokens) - 2):
        sign, change, behind = tokens[at : at + 3]
        percent = sign.lower in _PERCENT or sign.text == "%"
        if (
            percent
            and change.lemma in {"change", "increase"}
            and behind.lower in {"in", "of", "from", "between"}
        ):
            told = new_tokens.word("percentage", sign), new_tokens.word("growth", change)
            return (*tokens[:at], *told, *tokens[at + 2 :])
    return tokens


def share_in_percent(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'what share of bills was denied, in percent', '(in %)' → 'what percentage of bills was denied'.

    A rate stays one: 'the churn rate in percent' → 'the churn rate'.
    """
    said = [t.lower for t in tokens]
    share = next((at for at, word in enumerate(said) if word in _PARTS), None)
    told = next((at for at in range(1, len(tokens)) if said[at] in _PERCENT or said[at] == "%"), None)
    if share is None or told is None:
        return tokens
    start, end = told - (said[told - 1] in new_tokens.ARTICLES), told + 1
    before = ["", *said]
    ends = all(t.kind == "punct" for t in tokens[end:])
    if before[start] in {"in", "as"}:
        start -= 1
    elif before[start] != "(" and not (ends and before[start] in _ENDS | {","}):
        return tokens
    if before[start] == "(" and said[end : end + 1] == [")"]:
        start, end = start - 1, end + 1
    start -= before[start] == ","
    kept = [*tokens[:start], *tokens[end:]]
    if said[share] == "rate":
        return tuple(kept)
    return tuple(new_tokens.word("percentage", t) if t is tokens[share] else t for t in kept)


def percentage_of_each(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'percentage breakdown of orders by status' → 'percentage of orders by status'; '% split' as well."""
    for at in range(len(tokens) - 2):
        sign, spread, behind = tokens[at : at + 3]
        percent = sign.lower in _PERCENT or sign.text == "%"
        if percent and spread.lower in _SPREADS and behind.lower == "of":
            return (*tokens[:at], new_tokens.word("percentage", sign), *tokens[at + 2 :])
    return tokens


def told_in_brackets(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'by sales amount (sum of line totals)' → 'by total line totals': what is meant stands in brackets."""
    said = [t.lower for t in tokens]
    for at in range(2, len(tokens) - 3):
        if said[at] != "(" or said[at + 1] not in {"sum", "total"} or ")" not in said[at:]:
            continue
        end = said.index(")", at)
        inner = tokens[at + 2 + (said[at + 2] == "of") : end]
        start = at
        while start and tokens[start - 1].kind == "word" and said[start - 1] not in _OPENING:
            start -= 1
        ranked = said[start - 1] != "by" or _FIRST & set(said[:start])
        if start and start < at and said[start - 1] in _OPENING and inner and ranked:
            return (*tokens[:start], new_tokens.word("total", tokens[at + 1]), *inner, *tokens[end + 1 :])
    return tokens


def figure_beside(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'top 5 customers by sales, show the amount' → 'top 5 customers by sales', which shows them."""
    said = [t.lower for t in tokens]
    first = next((at for at in range(len(tokens) - 1) if said[at] in _FIRST), None)
    if first is None or tokens[first + 1].kind != "number" or "by" not in said[first:]:
        return tokens
    for at in range(said.index("by", first) + 2, len(tokens)):
        behind = said[at + 1] if at + 1 < len(tokens) else ""
        if said[at] not in _FIGURES or not (behind == "" or tokens[at + 1].kind == "punct"):
            continue
        start = at
        while said[start - 1] in _LEADING:
            start -= 1
        ranked = set(said[said.index("by", first) + 1 : start])
        if ranked & _MOMENTS or not ranked - _LEADING:
            continue
        apart = said[start - 1] == "," or said[start] != "and"
        if apart and _SHOWN & set(said[start:at]):
            start -= said[start - 1] == ","
            return (*tokens[:start], *tokens[at + 1 :])
    return tokens


def without_value(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'customers with a null phone' → 'customers without phone'."""
    for at in range(1, len(tokens) - 1):
        if tokens[at].lower not in _NO_VALUE:
            continue
        start = at - 1 - (tokens[at - 1].lower in new_tokens.ARTICLES)
        end = at + 1
        if tokens[end].lower == "or" and end + 2 < len(tokens) and tokens[end + 1].lower in _NO_VALUE:
            end += 2
        if start > 0 and tokens[start].lower in {"with", "having"} and tokens[end].kind == "word":
            return (*tokens[:start], new_tokens.word("without", tokens[start]), *tokens[end:])
    return tokens


def so_many_units(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'a stock under 500 units' → 'a stock under 500'."""
    found: list[Token] = []
    for at, token in enumerate(tokens):
        behind = tokens[at + 1] if at + 1 < len(tokens) else None
        ends = behind is None or behind.kind == "punct" or behind.lower in {"and", "or"}
        counted = at > 1 and tokens[at - 1].kind == "number" and tokens[at - 2].lower in _BOUNDS
        counted = counted and bool(_STOCKED & {t.lower for t in tokens})
        if not (token.lower in _PIECES and counted and ends):
            found.append(token)
    return tuple(found)


def ordered_list(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the ordered list of customer ids' → 'list customer ids in ascending order'."""
    for at in range(len(tokens) - 3):
        if tokens[at].lower not in {"ordered", "sorted", "alphabetical"} or tokens[at + 1].lower != "list":
            continue
        asked = all(t.lower in new_tokens.ASKING | new_tokens.ARTICLES | {"is"} for t in tokens[:at])
        end = len(tokens) - (tokens[-1].kind == "punct")
        if asked and tokens[at + 2].lower == "of" and new_tokens.all_words(tokens[at + 3 : end]):
            way = "alphabetical" if tokens[at].lower == "alphabetical" else "ascending"
            order = (new_tokens.word(w, tokens[at]) for w in ("in", way, "order"))
            return (tokens[at + 1], *tokens[at + 3 : end], *order, *tokens[end:])
    return tokens


def _is_that(token: Token) -> bool:
    return token.lower in {"that", "each", "the"}


INSTRUCTIONS: Final[tuple[Callable[[tuple[Token, ...]], tuple[Token, ...]], ...]] = (
    number_of,
    so_many_units,
    listed_behind,
    date_done,
    by_which_time,
    turned_out,
    whole_time,
    and_others,
    showing,
    only_those,
    newest_first,
    of_that_time,
    based_on,
    share_in_percent,
    percentage_of_each,
    percent_change,
    told_in_brackets,
    figure_beside,
    without_value,
    ordered_list,
)
