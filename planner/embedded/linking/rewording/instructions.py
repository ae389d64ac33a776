"""How rows are to be listed, as people tell it: 'newest first', 'Return only …', 'include the stock'.

Owns: rewritings of a question's tokens, as `paraphrases` has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from askwire.language.lexicon import ATTRIBUTES, FIGURE_WORDS
from askwire.language.text import GROUPING, Token, listed, singular, stem
from askwire.planner.embedded.linking.blocked import UNITS, degree
from askwire.planner.embedded.linking.rewording import new_tokens

_SHOWING_PARTICIPLES: Final = frozenset(listed("showing displaying returning"))
_SHOW: Final = frozenset(listed("return show include list consider give display keep output"))
_INCLUDING_VERBS: Final = frozenset(listed("include including"))
_END_MARKS: Final = frozenset({".", "?", ";", "!"})
_CLAUSE_BREAKS: Final = frozenset({",", ".", "?", ";", "and", "also", "please"})
_PUNCTUATION_MARKS: Final = frozenset({",", ";", "-", "(", ")", ".", "?", ":"})
_BEHIND_FIGURE: Final = frozenset(listed(", . ? ; : ( ) and per by for in of each from since during with"))
_DURING: Final = frozenset({"in", "during", "since", "for", "from", "of"})
_VERSUS_WORDS: Final = frozenset({"vs", "versus", "against"})
_SHARE_WORDS: Final = frozenset({"share", "proportion", "fraction", "rate"})
_SPREAD_WORDS: Final = frozenset({"breakdown", "split", "distribution", "share"})
_PERCENT_WORDS: Final = frozenset({"percent", "percentage", "percentages", "pct"})
_LONG_GROUP: Final = 3
"""Words of what rows are told apart by."""
_RESTRICTING: Final = frozenset({"for", "excluding", "with", "without", "in"})
_RANKING_OPENINGS: Final = frozenset({"by", "most", "highest", "lowest", "total", "average"})
_HIGHEST: Final = frozenset({"most", "highest", "best"})
_LOWEST: Final = frozenset({"fewest", "least", "lowest"})
_FIGURE_WORDS: Final = frozenset(listed("total number average count sum amount highest overall"))


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
        if token.lower in _SHOWING_PARTICIPLES and before in {",", "and", ";"}:
            found.append(new_tokens.word("show", token))
        elif (
            token.lower in _INCLUDING_VERBS
            and before in _CLAUSE_BREAKS
            and behind in new_tokens.ARTICLES
            and not {t.lower for t in tokens[at + 2 :]} & {",", "one", "ones"}
        ):
            while found and found[-1].lower in _CLAUSE_BREAKS:
                found.pop()
            found += [new_tokens.word("along", token), new_tokens.word("with", token)]
        else:
            found.append(token)
    return tuple(found)


_HOW_MANY_BEHIND: Final = re.compile(
    r"(?<!\S)how many"
    r"(?: (?:are|were) (?:there|they)(?: in total)?|(?: of (?:them|those))? (?:do|did) we have)?"
    r"(?P<by>(?: ,)? (?:(?:by|per) |(?:for|in) (?:each|every) )[^,]+)?$"
)


def how_many_behind(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'orders placed in May, how many per shop' → 'how many orders placed in May per shop'."""
    said = [t.lower for t in tokens if t.text not in _END_MARKS]
    asked = _HOW_MANY_BEHIND.search(" ".join(said))
    at = len(said) - len(asked[0].split()) if asked else 0
    if asked is None or at < 2 or tokens[at - 1].text not in {",", "-", "\u2013", "\u2014", ":"}:
        return tokens
    start = next((n for n in range(at) if said[n] not in new_tokens.REQUESTS), at)
    if {said[0], said[start]} & new_tokens.QUESTION_WORDS or _END_MARKS & {t.text for t in tokens[:at]}:
        return tokens
    by = len(said) - len((asked["by"] or "").replace(" , ", " ").split())
    apart = (tokens[by - 1],) if tokens[by - 1].text == "," else ()
    return (*tokens[at : at + 2], *tokens[start : at - 1], *apart, *tokens[by:])


_PART_OF_THEM: Final = re.compile(
    r"(?:out )?of (?P<of>(?:all |the |our |those )+[^,?.]+?) , "
    r"(?P<part>how many|what (?:share|percentage|percent|proportion|fraction)) (?:of them |of those )?"
    r"(?=(?:are|is|were|was|have|has|had|did|do|does|got|ended|came) )"
)


def of_such(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'of the orders placed online, how many were late' → 'how many orders placed online were late'."""
    line = new_tokens.line(tokens)
    found = _PART_OF_THEM.match(line)
    if found is None or (found["part"] != "how many" and re.search(r" , .* and ", line[found.end() :])):
        return tokens  # of 'what share was red, green and blue' there are three
    first, last, end = (line.count(" ", 0, at) for at in (found.start("of"), found.end("of"), found.end()))
    start = next(
        at for at in range(first, last + 1) if tokens[at].lower not in {"all", "the", "our", "those"}
    )
    part = tokens[last + 2 : last + 4]
    of = () if part[1].lower == "many" else (new_tokens.word("of", part[1]),)
    return (*part, *of, *tokens[start : last + 1], *tokens[end:])


_RELATIVE_WORDS: Final = frozenset(listed("with where that who whose having which"))


def only_those(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'… per country? Return only countries with 3 shops' → '… per country, only for countries with …'.

    So is '… per country, only countries with 3 shops'.
    """
    for at in range(2, len(tokens) - 2):
        words = {tokens[at].lower, tokens[at + 1].lower}
        alone = [tokens[at - 1].lower, tokens[at].lower] == [",", "only"] and _are_things(tokens[at + 1])
        if not alone and (tokens[at - 1].lower not in _END_MARKS or "only" not in words or not words & _SHOW):
            continue
        rest = tokens[at + 2 - alone :]
        rest = rest[1:] if rest and rest[0].lower in {"for", "the", "those"} else rest
        told = any(t.lower in ({"who"} if alone else _RELATIVE_WORDS) for t in rest[:4])
        if rest and told:
            comma = new_tokens.mark(",", tokens[at - 1])
            lead = [comma, new_tokens.word("only", tokens[at]), new_tokens.word("for", tokens[at])]
            return (*tokens[: at - 1], *lead, *rest)
    return tokens


_TIME_UNIT: Final = "(?:day|week|month|quarter|year)s?"
_FIRST_IN_TIME: Final = re.compile(
    r"(?<= )(?<!the )(?<!an )(?<!a )(?:(?P<new>newest|latest|most recent)|oldest|earliest)"
    rf"(?: {_TIME_UNIT})? first(?= [.,?;:()]|$)"
)
_BY_UNIT: Final = re.compile(rf"(?:per|by|each|every) {_TIME_UNIT} ")
_UNIT_ORDER: Final = re.compile(
    rf"(?:sorted|ordered) by (?:the )?{_TIME_UNIT}(?: (?:in )?(?P<by>asc|desc)[a-z]*(?: order)?)?(?= [.?,]|$)"
    rf"|in (?P<of>asc|desc)[a-z]* order of (?:the )?{_TIME_UNIT}(?= [.?,]|$)"
)


def newest_first(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the orders on hold, newest first' → 'the orders on hold, ordered from newest to oldest'.

    So are 'orders per month, latest month first' and '…, ordered by month descending'.
    """
    line = new_tokens.line(tokens)
    found = _FIRST_IN_TIME.search(line) or (_UNIT_ORDER.search(line) if _BY_UNIT.search(line) else None)
    if found is None:
        return tokens
    start, end = (line.count(" ", 0, at) for at in found.span())
    told = found.groupdict()
    new = told.get("new") or "desc" in {told.get("by"), told.get("of")}
    said = f"ordered from {'newest to oldest' if new else 'oldest to newest'}".split()
    return (*tokens[:start], *(new_tokens.word(w, tokens[end]) for w in said), *tokens[end + 1 :])


_SORTING: Final = re.compile(
    r"(?:(?:and|with|the|sorted|ordered|ranked|by|\S+s with|those|ones) )*(?P<great>\S+)"
    r"(?P<thing>(?: \S+){0,3}?)(?: (?:coming|come|goes|listed|being))? (?:first|on top|at the top)"
)
_MAX_TOKENS: Final = 10
"""Tokens of 'cities with the most members on top'."""
_FIGURE_NOUNS: Final = FIGURE_WORDS - {"rate"} | frozenset({"many", "much", "revenue", "sales"})
_COUNT_NOUNS: Final = frozenset({"number", "count", "many"})
_MOST_OR_LEAST: Final = frozenset({"most", "fewest", "least"})
_GOOD_FIGURES: Final = frozenset(
    listed("rating ratings score revenue sales margin profit percent percentage share")
)
_TIME_ADJECTIVES: Final = frozenset(listed("old new late early recent fast slow"))
_ADJECTIVES: Final = {
    "busy": _COUNT_NOUNS,
    "popular": _COUNT_NOUNS,
    "frequent": _COUNT_NOUNS,
    "common": _COUNT_NOUNS,
    "active": _COUNT_NOUNS,
    "quiet": _COUNT_NOUNS,
    **dict.fromkeys(
        ("dear", "costly", "pricey", "expensive", "cheap", "valuable"),
        frozenset(listed("cost costs price amount value fee fees spend revenue sales total")),
    ),
}
"""What is said to be great of what has a high figure, and the words of such a figure."""
_LOW_ADJECTIVES: Final = frozenset({"quiet", "cheap"})
_BAD_FIGURES: Final = frozenset(
    listed(
        "overdue late past delay delays loss losses lost complaints incidents failures failed defects "
        "missing cancellations cancelled short damage damages errors arrears outstanding unpaid"
    )
)
"""What is the worse the more there is of it."""


def greatest_first(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'average visit length per type, longest first' → '… per type, highest first': the figure sorts.

    'members per city, cities with the most members on top' and 'members per city, busiest city first' too.
    The worst are the highest of what is bad, or where the highest are asked for.
    """
    marks = [at for at in range(1, len(tokens)) if tokens[at].text in _PUNCTUATION_MARKS]
    for at, end in pairwise([*marks, len(tokens)]):
        found = _SORTING.fullmatch(new_tokens.line(tokens[at + 1 : end])) if end - at <= _MAX_TOKENS else None
        if found is None:
            continue
        great = next(t for t in tokens[at + 1 :] if t.lower == found["great"])
        if way := _way(great, found["thing"].split(), [t.lower for t in tokens[:at]]):
            mark = new_tokens.mark(",", tokens[at])
            said = [new_tokens.word(word, tokens[at + 1]) for word in way.split()]
            closed = tokens[at].text == "(" and tokens[end : end + 1] and tokens[end].text == ")"
            return (*tokens[:at], mark, *said, *tokens[end + bool(closed) :])
    return tokens


def _way(great: Token, thing: Sequence[str], before: Sequence[str]) -> str:
    """'highest first', 'lowest first', or which of several figures sorts; '' where that is not certain."""
    if great.lower in {"most", "least"} and len(thing) == 1 and thing[0] in _ADJECTIVES | ATTRIBUTES:
        word, thing = thing[0], ()
        way = "highest" if (great.lower == "most") != (word in _LOW_ADJECTIVES) else "lowest"
    else:
        word = _base(great.lower)
        way = _direction(great, word, before)
    figures = [at for at, said in enumerate(before) if said in _FIGURE_NOUNS]
    wanted = _ADJECTIVES.get(word, frozenset()) if thing else frozenset()
    if wanted and not wanted & {*before} and (figures or wanted is not _COUNT_NOUNS):
        return ""  # of 'orders per product, cheapest product first' no figure is cheap
    if not way or not (figures or "per" in before):
        return ""
    counted = not {before[at] for at in figures} - _COUNT_NOUNS
    if thing and (thing[-1] not in before or (great.lower in _MOST_OR_LEAST and not counted)):
        return ""  # of 'average value per shop, most orders first' another figure sorts
    if len(figures) < 2:
        return f"{way} first"
    sorting = _ADJECTIVES.get(word)
    if sorting is None:
        return "" if thing else f"{way} first"
    phrases = [_phrase(before, at) for at in figures]
    meant = [phrase for phrase in phrases if sorting & {*phrase}]
    if len(meant) != 1:
        return ""
    return f"ordered by {' '.join(meant[0])} {'descending' if way == 'highest' else 'ascending'}"


def _phrase(before: Sequence[str], at: int) -> list[str]:
    """The words of a figure from its first on: 'average cost' of '… and average cost per type'."""
    first = at + 2 if before[at + 1 : at + 2] == ["of"] else at + 1
    end = next((n for n in range(first, len(before)) if before[n] in _BEHIND_FIGURE), len(before))
    return list(before[at:end])


def _base(great: str) -> str:
    """'busy' of 'busiest'; the word itself where it is no superlative."""
    for form in (great.removesuffix("iest") + "y", great.removesuffix("est"), great.removesuffix("st")):
        if form != great and form in _ADJECTIVES:
            return form
    return great


def _direction(great: Token, word: str, before: Sequence[str]) -> str:
    """Whether the highest or the lowest figures come first, by a superlative; '' where none tells."""
    if great.lower == "best" and not _GOOD_FIGURES & {*before}:
        return ""  # of ranks and of times the best are the lowest
    if great.lower in _HIGHEST or great.lower in _LOWEST:
        return "highest" if great.lower in _HIGHEST else "lowest"
    if word in _ADJECTIVES and word != great.lower:
        return "lowest" if word in _LOW_ADJECTIVES else "highest"
    graded = degree(great)
    if graded is None or graded[1] != "est" or graded[0] in _TIME_ADJECTIVES:
        return ""
    if graded[0] == "bad":
        asked = next((w for w in before if w in {"highest", "lowest"}), "")
        return asked or ("highest" if _BAD_FIGURES & {*before} else "")
    return "highest" if ATTRIBUTES.get(graded[0], ("", ""))[1] == ">" else "lowest"


_IN_TIME_ORDER: Final = re.compile(
    r"(?: [,.?;])?(?: (?:sorted|ordered|listed|please))?"
    r" (?:in (?:calendar|chronological|month|date|time|proper) order|chronological(?:ly)?|in order)"
    r"(?: please)?(?= ?[.?]?$)"
)


def in_time_order(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'visits in each month, in calendar order' → 'visits in each month', which are listed so."""
    line = new_tokens.line(tokens)
    found = _IN_TIME_ORDER.search(line)
    if found is None or not UNITS & {t.lemma for t in tokens}:
        return tokens
    start = line.count(" ", 0, found.start() + 1)
    return tokens[:start]


_RUNNING_TOTAL: Final = re.compile(
    r"(?: ,)? (?:and|plus|with|also|along with)(?: (?:the|a|its|their))? (?:running|cumulative) (?:total|sum)"
    r"(?: (?:over|for|of|within|during) the (?:whole )?(?:year|period))?(?=$| [,.?(])"
)


def so_far_beside(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'gifts per month with a running total' → 'running total of gifts per month', which shows both."""
    line = new_tokens.line(tokens)
    found = _RUNNING_TOTAL.search(line)
    if found is None:
        return tokens
    start, end = line.count(" ", 0, found.start() + 1), line.count(" ", 0, found.end()) + 1
    asked = next(
        (n for n, t in enumerate(tokens) if t.lower not in new_tokens.REQUESTS | new_tokens.ARTICLES), 0
    )
    if tokens[asked].lower in new_tokens.QUESTION_WORDS or asked >= start:
        return tokens
    rest = tokens[end:]
    if rest and rest[0].text == "(":  # 'with a running total (month, amount, running total)'
        behind = new_tokens.place_of(rest, 1, {")"})
        if [t.lower for t in rest[behind - 2 : behind]] != ["running", "total"]:
            return tokens
        rest = rest[behind + 1 :]
    lead = (new_tokens.word(word, tokens[asked]) for word in ("running", "total", "of"))
    return (*tokens[:asked], *lead, *tokens[asked:start], *rest)


def of_that_time(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the year and the payments in that year' → 'the payments per year'."""
    for at in range(1, len(tokens) - 5):
        unit = tokens[at].lower
        if unit not in UNITS or tokens[at + 1].lower not in {"and", ","}:
            continue
        asked = all(t.lower in new_tokens.REQUESTS | new_tokens.ARTICLES for t in tokens[:at])
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
        if behind and behind[0] in _FIGURE_WORDS:
            return (*tokens[:at], new_tokens.word("by", tokens[at]), *tokens[at + 2 :])
    return tokens


_RANKED_IN_YEAR: Final = re.compile(
    r"(?:top|bottom|worst|first) (?:\d+ )?(?!half |quarter )(?:(?!by |of |in |per )[^\s,.?;]+ ){1,4}?"
    r"(?P<when>(?:of|in|for|during) (?:the year )?(?:[a-z]+ )?(?:19|20)\d\d )by "
    r"(?P<by>[^,.?;:()]+?)(?= [,.?;:()]| (?:excluding|for|per|in|from|with|without) |$)"
)


def ranked_in(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'top 3 products of 1997 by revenue' → 'top 3 products by revenue in 1997'."""
    line = new_tokens.line(tokens)
    found = _RANKED_IN_YEAR.search(line)
    if found is None:
        return tokens
    start, end, last = (line.count(" ", 0, at) for at in (*found.span("when"), found.end()))
    when = (new_tokens.word("in", tokens[start]), *tokens[start + 1 : end])
    return (*tokens[:start], *tokens[end : last + 1], *when, *tokens[last + 1 :])


_BY_WHICH_TIME: Final = re.compile(
    r"(?<= [(.?] )(?:please )?(?:(?:go|going|count|counting|all) )*"
    r"(?:(?:by|on|using|use|based on|according to) )?(?:the )?"
    r"(?:(?P<done>[a-z]+(?: [a-z]+)?) (?:date|time|day)|(?:date|day|time) of (?:the )?(?P<deed>[a-z]+))"
    r"(?P<end>(?: , please)? [).]|$)"
)


def by_which_time(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'revenue in 2024 (dispatch date)' → 'revenue with dispatch date in 2024'.

    'orders per year? By date of payment.' → 'orders per year of payment date'; of 'orders paid per year' that
    is known.
    """
    line = new_tokens.line(tokens)
    found = _BY_WHICH_TIME.search(line)
    if found is None:
        return tokens
    start, end = (line.count(" ", 0, at) for at in found.span())
    first, last = (line.count(" ", 0, at) for at in found.span("done" if found["done"] else "deed"))
    named = (*tokens[first : last + 1], new_tokens.word("date", tokens[last]))
    bracketed = tokens[start - 1].text == "("
    if bracketed != (found["end"] == " )") or _SHOW & {t.lower for t in named}:
        return tokens
    said = [t.lower for t in tokens[:start]]
    rest = (*tokens[: start - 1], *tokens[end + 1 :])
    done = [word for word in said if word.endswith("ed") and stem(word) == stem(named[-2].lower)]
    when = next((n for n in range(1, start - 2) if said[n] in _DURING and _is_year(tokens[n + 1])), None)
    unit = next((n for n in range(1, start) if said[n] in UNITS and said[n - 1] in GROUPING), None)
    if done:
        return rest
    if when is not None:
        return (*rest[:when], new_tokens.word("with", tokens[when]), *named, *rest[when:])
    if unit is not None:
        return (*rest[: unit + 1], new_tokens.word("of", tokens[unit]), *named, *rest[unit + 1 :])
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
        elif before[-1:] and before[-1] in _VERSUS_WORDS:
            found[-1:] = [new_tokens.word("and", token)]
        found.append(new_tokens.word("non", token))
        found.append(replace(token, text=other, lower=other, lemma=singular(other)))
    return tuple(found)


def percent_change(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the % change in revenue' → 'the percentage growth in revenue': no value that begins with 'change'."""
    for at in range(len(tokens) - 2):
        sign, change, behind = tokens[at : at + 3]
        percent = sign.lower in _PERCENT_WORDS or sign.text == "%"
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

    A rate stays one: 'the churn rate in percent' → 'the churn rate'. 'Distribution of bills by status in
    percent' → 'what percentage of bills does each status represent'.
    """
    said = [t.lower for t in tokens]
    spread = {at for at, word in enumerate(said) if word in _SPREAD_WORDS and said[at + 1 : at + 2] == ["of"]}
    share = next((at for at, word in enumerate(said) if word in _SHARE_WORDS or at in spread), None)
    told = next((at for at in range(1, len(tokens)) if said[at] in _PERCENT_WORDS or said[at] == "%"), None)
    if share is None or told is None:
        return tokens
    start, end = told - (said[told - 1] in new_tokens.ARTICLES), told + 1
    before = ["", *said]
    ends = all(t.kind == "punct" for t in tokens[end:])
    if before[start] in {"in", "as"}:
        start -= 1
    elif before[start] != "(" and not (ends and before[start] in _END_MARKS | {","}):
        return tokens
    if before[start] == "(" and said[end : end + 1] == [")"]:
        start, end = start - 1, end + 1
    start -= before[start] == ","
    kept = [*tokens[:start], *tokens[end:]]
    if said[share] == "rate":
        return tuple(kept)
    if share in spread and said[share] not in _SHARE_WORDS:
        return _made_up(kept, share) or tokens
    return tuple(new_tokens.word("percentage", t) if t is tokens[share] else t for t in kept)


def _made_up(kept: Sequence[Token], spread: int) -> tuple[Token, ...]:
    """'distribution of bills by status' → 'what percentage of bills does each status represent'."""
    end = len(kept) - (kept[-1].kind == "punct")
    by = max(
        (at for at in range(spread + 2, end - 1) if kept[at].lower in {"by", "per", "across"}), default=0
    )
    if not by or end - by - 1 > _LONG_GROUP or not new_tokens.all_words(kept[by + 1 : end]):
        return ()
    lead = [new_tokens.word(w, kept[spread]) for w in ("what", "percentage")]
    does = replace(new_tokens.word("does", kept[by]), lemma="do")
    each, verb = new_tokens.word("each", kept[by]), new_tokens.word("represent", kept[end - 1])
    return (*lead, *kept[spread + 1 : by], does, each, *kept[by + 1 : end], verb, *kept[end:])


def percentage_of_each(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'percentage breakdown of orders by status' → 'percentage of orders by status'; '% split' as well.

    'how big is the share of orders' → 'what is the share of orders', 'what % of' → 'what percentage of'.
    'What part of the orders does each channel account for' asks for a share, too.
    """
    said = [token.lower for token in tokens]
    if said[1:3] == ["part", "of"] and said[0] in {"what", "which"} and {"each", "every"} & {*said}:
        return (tokens[0], new_tokens.word("share", tokens[1]), *tokens[2:])
    for at in range(len(tokens) - 2):
        asked = said[at] == "how" and said[at + 1] in {"big", "large", "high"}
        if (
            asked
            and tokens[at + 2].lemma == "be"
            and (_SHARE_WORDS - {"rate"} | _PERCENT_WORDS) & set(said[at + 3 : at + 5])
        ):
            return (*tokens[:at], new_tokens.word("what", tokens[at]), *tokens[at + 2 :])
        alone = at == 0 or tokens[at - 1].kind != "number"
        if tokens[at].text == "%" and said[at + 1] == "of" and alone:
            return (*tokens[:at], new_tokens.word("percentage", tokens[at]), *tokens[at + 1 :])
        sign, spread, behind = tokens[at : at + 3]
        percent = sign.lower in _PERCENT_WORDS or sign.text == "%"
        if percent and spread.lower in _SPREAD_WORDS and behind.lower == "of":
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
        while start and tokens[start - 1].kind == "word" and said[start - 1] not in _RANKING_OPENINGS:
            start -= 1
        ranked = said[start - 1] != "by" or new_tokens.LIMIT_WORDS & set(said[:start])
        if start and start < at and said[start - 1] in _RANKING_OPENINGS and inner and ranked:
            told = (new_tokens.word("total", tokens[at + 1]), *inner)
            kept = tokens[min(at, new_tokens.place_of(tokens, start, _RESTRICTING)) : at]
            return (*tokens[:start], *told, *kept, *tokens[end + 1 :])
    return tokens


def ordered_list(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the ordered list of customer ids' → 'list customer ids in ascending order'."""
    for at in range(len(tokens) - 3):
        if tokens[at].lower not in {"ordered", "sorted", "alphabetical"} or tokens[at + 1].lower != "list":
            continue
        asked = all(t.lower in new_tokens.REQUESTS | new_tokens.ARTICLES | {"is"} for t in tokens[:at])
        end = len(tokens) - (tokens[-1].kind == "punct")
        if asked and tokens[at + 2].lower == "of" and new_tokens.all_words(tokens[at + 3 : end]):
            way = "alphabetical" if tokens[at].lower == "alphabetical" else "ascending"
            order = (new_tokens.word(w, tokens[at]) for w in ("in", way, "order"))
            return (tokens[at + 1], *tokens[at + 3 : end], *order, *tokens[end:])
    return tokens


def _are_things(token: Token) -> bool:
    return (
        token.kind == "word" and token.lower != token.lemma and token.lower not in {"those", "these", "ones"}
    )


def _is_that(token: Token) -> bool:
    return token.lower in {"that", "each", "the"}


INSTRUCTIONS: Final[tuple[Callable[[tuple[Token, ...]], tuple[Token, ...]], ...]] = (
    number_of,
    by_which_time,
    ranked_in,
    turned_out,
    and_others,
    how_many_behind,
    of_such,
    showing,
    only_those,
    newest_first,
    greatest_first,
    in_time_order,
    so_far_beside,
    of_that_time,
    based_on,
    share_in_percent,
    percentage_of_each,
    percent_change,
    told_in_brackets,
    ordered_list,
)
