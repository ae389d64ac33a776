"""What a question asks to be worked out, and whether a query does: a median, a running total, a growth.

Owns: the words that ask for a computation, and the signs of it in SQL. A query without any sign of what is
asked answers another question, however well its words fit: 'the running total of revenue by month' is not
revenue by month. A word that names a column or a value asks for nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from askwire.language.lexicon import ATTRIBUTES, EVENTS, FUNCTION_WORDS
from askwire.language.text import GROUPING, Token, listed, stem
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.interpretation.resolve import Assignment
from askwire.planner.embedded.linking.blocked import TIME_ADVERB, UNITS, degree
from askwire.planner.embedded.linking.rewording.salaries import PAY_WORDS
from askwire.planner.embedded.logical_form.ir import Query
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_NEVER: Final = r"(?!)"
_BECAUSE: Final = r"(?!)|(?!)"
"""What no query works out, even where a column holds reasons."""
_WINDOW: Final = r"\bover \("
_DIVIDED: Final = r"/|\bavg\("
_SUBTRACTED: Final = r"\blag\(|\blead\(| - |\bover \("
_TWO_TIMES: Final = r"\blag\(|\blead\(|\bover \(|\bfilter \(|\) - "
_DENIED: Final = r"\bnot in\b|\bnot exists\b|\bexcept\b|\bbool_and\(|\bhaving\b"
_DENIED_OF_ROWS: Final = rf"{_DENIED}|(?!)"
"""The same of what was done, which the rows of one table do not tell of themselves."""
_EACH_ONE: Final = r"\bover \(|\bdistinct on\b|\blateral\b|\b(?:min|max)\("
_MOVED: Final = frozenset(
    listed(
        """
        up down rise rose risen rising drop dropped dropping fall fell fallen falling increase increased
        increasing decrease decreased decreasing decline declined grow grew growing so higher lower more
        fewer less worse better change changed
        """
    )
)
_REASONS: Final = (
    r"^select (?:distinct )?(?:\w+\.)?\"?\w*(?:reason|cause|why|explanation|comment|note|remark|description)"
)


@dataclass(frozen=True, slots=True)
class Demand:
    """Tokens `start` to `end` ask for what SQL that matches `sign` works out; `text` is what they say."""

    start: int
    end: int
    text: str
    sign: str


_TWO: Final = r"^select (?:(?! from ).)*,|\bgroup by\b|\bunion\b"
"""More than one thing: 'how many films and how many shows'."""
_TWO_FIGURES: Final = (
    r"^select (?:(?! from ).)*(?:count|sum|avg)\((?:(?! from ).)*(?:count|sum|avg)\(|\bunion\b"
)
"""The same of each: 'for every year how many started, and how many left'."""
_PART: Final = rf"{_DIVIDED}|\border by sum\([^)]*\)(?: desc)? limit\b"
"""Who has the greatest part of a sum has the most of it."""
_TAKES_OFF: Final = r" - |(?:\b|_)net(?:\b|_)"
_NET: Final = re.compile(r"(?:\b|_)net(?:\b|_)")
_NETTED: Final = frozenset({"tax", "vat", "discount"})
_OF_PERIOD: Final = r"\) [*/] \d|hour|da(?:il)?y|week|mo?n?th|quarter|ye?a?r|annu?"
_EACH_PERIOD: Final = (
    r"date_trunc\(|extract\(|\b(?:[a-z]\w*_)?(?:day|week|mo?n?th|quarter|year|annual)(?:ly)?\b|daily"
)
_PUNCTUAL: Final = r"<=|>=| < | > "
_EVEN_NAMED: Final = frozenset({_BECAUSE, _TAKES_OFF, _OF_PERIOD, _PUNCTUAL})
"""Signs of what words ask that may be taken for a part of a name: 'net revenue' for revenue, 'on time'."""
_OF_MONEY: Final = (
    "(?:"
    + "|".join(
        rf"(?<={word} )"
        for word in ("revenue", "sales", "turnover", "income", "profit", "amount", "total", "value")
    )
    + ")"
)
"""Behind a word for what something comes to."""
_ALL_WORDS: Final = ("the", "all", "any", "our", "deducting")
_ALL: Final = rf"(?:(?:{'|'.join(_ALL_WORDS)}) )*"
_TAKEN_OFF: Final = r"(?:refund|return|discount|tax|fee|commission|chargeback)(?:s|es)?|shipping|freight|vat"
_ADDED: Final = r"(?:tax|fee|tip|charge)(?:s|es)?|shipping|freight|delivery|vat|postage|handling"
_THOSE: Final = (
    r"(?:(?:those|these|the|ones|any|all|that|who|which|are|is|were|was|be|been|being|have|has|had|with"
    r"|ever) ){0,4}"
)
_LACKING: Final = r"(?:without|lacking|missing|excluding|never|not|no|none)"
_ASKED: Final = tuple(
    (re.compile(rf"(?<!\S)(?:{pattern})(?!\S)"), sign)
    for pattern, sign in (
        (r"medians?|(?:\d+\w* )?percentiles?|quartiles?|deciles?|p9[059]", r"\bpercentile_|\bntile\("),
        (r"standard deviations?|std ?devs?|stddev|variance|volatility", r"\bstddev|\bvar(?:iance|_)"),
        (r"correlat\w+", r"\bcorr\("),
        (r"regression|outliers?|anomal\w+|seasonality|clusters?", _NEVER),
        (r"forecast\w*|predict\w*|extrapolat\w+|projections?|recommend\w*|suggest", _NEVER),
        (r"(?:running|rolling|moving|cumulative) \w+|cumulative|cumulatively", _WINDOW),
        (r"consecutive|consecutively|streaks?|in a row|back (?:- )?to (?:- )?back", _SUBTRACTED),
        (r"simultaneous|simultaneously|overlap\w*|at the same time", r" < .* > |\bexists\b|\boverlaps\b"),
        (r"growth|grew|(?:(?:percent|percentage|%) )(?:change|increase|decrease)s?", _SUBTRACTED),
        (r"(?:month over month|year over year|week over week|mom|yoy|wow)", _SUBTRACTED),
        (r"than (?:in|during|last|the (?:previous|last|prior))(?= )", r"\bfilter \(|\blag\("),
        (r"(?:changes?|increases?|decreases?|drops?|declines?) (?:in|of|from|between|over)", _SUBTRACTED),
        (r"(?:fall|drop|rise|grow|decline|shrink|go up|go down) (?:from|between)", _TWO_TIMES),
        (r"differences? (?:between|of|in|from)", rf"{_SUBTRACTED}|\bage\("),
        (r"(?:what|which) (?:percent|percentage|share|proportion|fraction)", _DIVIDED),
        (r"(?:and|,) how (?:many|much)", _TWO),
        (
            r"(?:and|,|with) (?:what (?:do|does|did|is|are|was|were|would|will) (?:they|their)"
            r"|(?:the |their )?total)",
            _TWO,
        ),
        (r"names? and (?:the )?(?:number|count|total)(?= of(?!\S))", _TWO),
        (r"and (?:by|for|of) those (?:who|that|which)", r"\bgroup by\b|\bfilter \(|\bunion\b|\bor\b"),
        (r"(?:give|show|include|add|and|with|as) (?:the )?(?:percentages?|percents)(?= |$)", _DIVIDED),
        (r"(?:percentage|proportion|ratio|fraction|share)s?(?= (?:of|between|to|by|per)(?!\S))", _PART),
        (
            r"(?<!\d )(?<!to )(?<!who )(?<!that )(?<!they )(?<!he )(?<!she )(?<!we )rates?"
            r"(?= (?:of|by|per|for|in|each|over|among|since|\?|\.)(?!\S)|$)",
            _DIVIDED,
        ),
        (
            r"nobody|no ?one|none",
            r"\bnot\b|\bexcept\b|\bis null\b|<>|= 0\b|< 1\b|= false|\bleft join\b",
        ),
        # twice denied: 'products without those without reviews'
        (rf"(?:without|excluding|except(?: for)?|not|never|other than) {_THOSE}{_LACKING}(?= \w)", _NEVER),
        (
            r"(?:repeat|returning|recurring)(?= (?:customer|buyer|client|user|guest|member|patient|visitor)s?"
            r"(?!\S))",
            r"\bhaving\b",
        ),
        (
            r"(?:start|begin|end)(?:s|ing|ning|ed)? (?:with|in|by) (?:an? |any )?"
            r"(?:number|digit|numeral|vowel|consonant|capital|lower ?case|upper ?case)s?"
            r"(?! (?:\d|[\"'a-z]{1,3}(?: |$)))",
            r"[^<>]~|similar to",
        ),
        (
            r"(?:on|in) time(?= ?$| [?.,]| (?:by|per|for|in|to|and) )"
            r"|(?:before|by|past|after) (?:the |its |their )?deadlines?",
            _PUNCTUAL,
        ),
        (
            r"(?:with|have|has|having|share|shares|sharing) the same(?= \w)",
            r"\bhaving\b|\(select|<>|\bjoin\b",
        ),
        (r"sold[ -]out", r"<=|>=|= 0\b|\bnot in\b|\bstatus\b"),
        (r"trends?", r"\bgroup by\b"),
        (rf"net of|(?:minus|less|after|deducting|subtracting)(?= {_ALL}(?:{_TAKEN_OFF})(?!\S))", _TAKES_OFF),
        (rf"{_OF_MONEY}(?:minus|less|deducting|subtracting)(?= {_ALL}(?!than|of)[a-z])", _TAKES_OFF),
        (rf"(?:hourly|{TIME_ADVERB})(?= (?:{'|'.join(PAY_WORDS)})(?!\S))", _OF_PERIOD),
        (rf"(?:{TIME_ADVERB})(?= \w)", _EACH_PERIOD),
        (r"net(?= (?:revenue|sales|income|turnover)(?!\S))", _TAKES_OFF),
        (
            rf"{_OF_MONEY}(?:without|excluding|excl)(?= {_ALL}(?:refund|return|chargeback)s?(?!\S))",
            r"\bnot (?:in|exists)\b|\bexcept\b|\bleft join\b| - |= 0\b|<>",
        ),
        (
            rf"{_OF_MONEY}(?:including|incl|inclusive of|plus|with)(?= {_ALL}(?:{_ADDED})(?!\S))",
            r" \+ |\bgross|\bsum\((?:\w+\.)?(?:\w+_)?total",
        ),
        (r"^(?:(?:what|is|are|show|give|me|the|our) )*totals?(?= \w)", r"\bsum\(|\bcount\(|total"),
        (r"how (?:often|frequently)|how many times|by (?:frequency|count|popularity)", r"\bcount\(|\bsum\("),
        (
            r"(?:top|bottom|best|worst) \d+ ?(?:%|percent|pct)",
            r"\bntile\(|\bpercent_rank\(|\bcount\(\*\) \*|/ 100",
        ),
        (r"(?:\d+|two|three|four|five|ten) times (?:as|the|more|higher|larger)", r" \* | / "),
        (
            r"(?:twice|double|triple|half) (?:as|the) (?:many|much|high|large|big|old|average|mean)",
            r" \* | / ",
        ),
    )
)
"""Words in lower case → the sign of what they ask for. Only what names nothing in the question asks."""

_SAID_FIRST: Final = re.compile(
    r"(?:in|for|during|since|between|from|before|after|until|on|over|within|as of|among|of|at|by) [^,]*"
)
"""What stands before a comma and asks for nothing: 'in April 2024, how many orders …'."""
_TWO_OF_EACH: Final = re.compile(r"how (?:many|much) .* (?P<second>(?:and|,) how (?:many|much))(?!\S)")
_ONLY: Final = re.compile(
    r"(?<!\S)(?:who|that|which|have|has|had|did) (?:have |has |had |ever )?(?P<only>only|exclusively|solely)"
    r"(?: ever)? (?:(?!the |a |an |one |be |is |are |was |were |\d)[a-z]|\d+[ -][a-z]+ [a-z]+)"
    r"|(?<!\S)(?:who|that|which|have|has|had|did) (?:\w+ ){1,2}(?P<behind>only|exclusively|solely)"
    r" (?:from|in|at|by|with|via|through|for|to|on)(?!\S)"
)
_ONLY_DID: Final = re.compile(
    rf"(?<!\S)(?:which|what|how many) (?:\w+ ){{1,3}}?(?P<only>only|exclusively|solely)(?: ever)? "
    rf"(?:{'|'.join(sorted(EVENTS))})(?!\S)"
)
"""'which customers only rented in July': those who did it at no other time either."""
_FIRST: Final = re.compile(
    r"(?<!\S)(?P<first>(?:first|last|latest|earliest|newest|most recent)) "
    rf"(?!\d|(?:names?|initials?|half|{'|'.join(sorted(UNITS))})(?!\S))"
    r"(?:\w+ ){1,3}?"
    r"(?:(?:of|for|by|in) (?:each|every)|per|each)(?!\S)"
)
_BOTH_ENDS: Final = r"\bmin\(.*\bmax\(|\bmax\(.*\bmin\(|\bunion\b|\blimit\b.*\blimit\b|\bplace\b.*<= .*<= "
"""The first and the last of what is asked for."""
_HIGH_WORDS: Final = frozenset({"most", "maximum", "max", "top", "first", "greatest"})
_LOW_WORDS: Final = frozenset({"least", "fewest", "minimum", "min", "bottom", "last"})
_RISING: Final = frozenset({"new", "late", "recent"})
_NO_RANK: Final = frozenset({"name", "names", "initial", "initials"})
_JOINING: Final = frozenset({"and", "or", "&", "/"})
_WHY: Final = re.compile(r"(?<!\S)(?P<why>why|how come)(?!\S)")


@lru_cache(maxsize=8)
def demands(tokens: tuple[Token, ...]) -> tuple[Demand, ...]:
    """What the words ask to be worked out, in their order; mostly nothing."""
    text = " ".join(t.lower for t in tokens)
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    place = 0
    for at, token in enumerate(tokens):
        starts[place] = at
        place += len(token.lower)
        ends[place] = at + 1
        place += 1
    found: list[Demand] = []

    def take(start: int, end: int, sign: str) -> None:
        first = max((at for place, at in starts.items() if place <= start), default=0)
        last = min((at for place, at in ends.items() if place >= end), default=len(tokens))
        if not any(d.start < last and first < d.end for d in found):
            found.append(Demand(first, last, " ".join(t.text for t in tokens[first:last]), sign))

    if (two := _TWO_OF_EACH.search(text)) and GROUPING & {t.lower for t in tokens}:
        take(two.start("second"), two.end("second"), _TWO_FIGURES)
    for pattern, sign in _ASKED:
        for match in pattern.finditer(text):
            if match[0][0] != "," or not _SAID_FIRST.fullmatch(text, 0, match.start()):
                take(match.start(), match.end(), sign)
    for match in _ONLY.finditer(text):
        name = "only" if match["only"] else "behind"
        take(match.start(name), match.end(name), _DENIED)
    for match in _ONLY_DID.finditer(text):
        take(match.start("only"), match.end("only"), _DENIED_OF_ROWS)
    found += [
        Demand(first, end, " ".join(t.text for t in tokens[first:last]), _BOTH_ENDS)
        for first, end, last in _both_ends(tokens)
    ]
    for match in _FIRST.finditer(text):
        take(match.start("first"), match.end("first"), _EACH_ONE)
    for match in _WHY.finditer(text):
        moved = _MOVED & {t.lower for t in tokens}
        take(
            match.start(), match.end(), _BECAUSE if moved else rf"^select (?:distinct )?(?:\w+\.)?{_REASONS}"
        )
    return tuple(sorted(found, key=lambda d: d.start))


def _both_ends(tokens: tuple[Token, ...]) -> Iterator[tuple[int, int, int]]:
    """Where both ends of an order are asked for: from where, and to where each of the superlatives goes.

    'The oldest and most recent orders'; what is ranked may be said with each: 'the oldest employee and the
    youngest employee'.
    """
    for at, token in enumerate(tokens):
        if token.lower not in _JOINING:
            continue
        behind = at + 1
        while behind < len(tokens) and tokens[behind].lower in {"the", "also", "their", "its"}:
            behind += 1
        second = _end_of_order(tokens, behind)
        if second is None:
            continue
        for start in range(at - 1, max(-1, at - 5), -1):
            first = _end_of_order(tokens, start)
            if first is None or (start and _end_of_order(tokens, start - 1) == (first[0], first[1])):
                continue
            between = [t.lemma for t in tokens[first[1] : at]]
            again = [t.lemma for t in tokens[second[1] : second[1] + len(between)]]
            if first[0] != second[0] and between == again:
                yield start, first[1], second[1]
            break


def _end_of_order(tokens: tuple[Token, ...], at: int) -> tuple[bool, int] | None:
    """Whether the superlative at a token is of the high end, and where it ends; None for another word."""
    if not 0 <= at < len(tokens):
        return None
    word, behind = tokens[at].lower, tokens[at + 1].lower if at + 1 < len(tokens) else ""
    if behind in _NO_RANK:
        return None
    graded = degree(tokens[at])
    if word in {"most", "least"} and behind in ATTRIBUTES:
        return _is_high(behind) == (word == "most"), at + 2
    if graded is not None and graded[1] == "est":
        return _is_high(graded[0]), at + 1
    if word in _HIGH_WORDS | _LOW_WORDS:
        return word in _HIGH_WORDS, at + 1
    return None


def _is_high(adjective: str) -> bool:
    """Whether an adjective is of the high end: of ages, so what is new is of the low end."""
    if adjective in _RISING | {"early"}:
        return adjective == "early"
    return ATTRIBUTES[adjective][1] == ">"


def unmet(
    index: SchemaIndex, encoded: EncodedQuestion, chosen: Assignment, query: Query, sql: str, *, joined: bool
) -> list[str]:
    """The demands of which the SQL shows no sign, as the question says them.

    Words that became tables, columns or values ask for nothing more. `joined` when the SQL joins relations:
    of one relation alone, a condition holds of all that there is ('employees that only work in Sales').
    """
    asked = demands(encoded.tokens)
    if not asked:
        return []
    # those that another was made of: 'the difference between the cost and the rental rate'
    placed = {*chosen.mentions, *encoded.spent}
    spans = [(encoded.mentions[m].start, encoded.mentions[m].end) for m in placed]
    spans += [(encoded.values[v].start, encoded.values[v].end) for v in chosen.values]
    named = {at for start, end in spans if start >= 0 for at in range(start, end)}
    shown = sql.lower()
    own = bool(query.where) and not joined

    def void(demand: Demand) -> bool:
        said = demand.sign not in _EVEN_NAMED and named & set(range(demand.start, demand.end))
        return bool(said) or (own and demand.sign == _DENIED)

    def met(demand: Demand) -> bool:
        if not re.search(demand.sign, shown):
            return False
        return demand.sign != _TAKES_OFF or _takes_off_that(index, encoded, chosen, demand, shown)

    return [d.text for d in asked if not void(d) and not met(d)]


def _takes_off_that(
    index: SchemaIndex, encoded: EncodedQuestion, chosen: Assignment, demand: Demand, shown: str
) -> bool:
    """Whether what is taken off is what the words behind the demand name: 'net of refunds' is of no discount.

    A column that is net by its name is net of taxes and discounts.
    """
    tokens = encoded.tokens
    if demand.text.lower() == "net":
        return True
    start = demand.end
    while start < len(tokens) and tokens[start].lower in _ALL_WORDS:
        start += 1
    end = start
    while end < len(tokens) and tokens[end].kind == "word" and tokens[end].lower not in FUNCTION_WORDS:
        end += 1
    said = {stem(token.lemma) for token in tokens[start:end]}
    if _NET.search(shown) and said & _NETTED:
        return True
    for number, option in chosen.mentions.items():
        mention = encoded.mentions[number]
        if mention.start < end and start < mention.end:
            thing = (
                index.tables[option.index].relation if option.table else index.columns[option.index].column
            )
            said.add(thing.name.lower())
    named = re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, said))})") if said else None
    return named is not None and any(map(named.search, _subtrahends(shown)))


def _subtrahends(sql: str) -> Iterator[str]:
    """What is subtracted, the text behind each minus up to the end of its term."""
    for match in re.finditer(r" - ", sql):
        depth = 0
        for at in range(match.end(), len(sql)):
            depth += {"(": 1, ")": -1}.get(sql[at], 0)
            if depth < 0 or (depth == 0 and (sql[at] == "," or sql.startswith((" from ", " as "), at))):
                break
        yield sql[match.end() : at + 1]
