"""Words that belong to a question's structure, not to the schema: 'ordered by', 'the oldest', 'per month'.

Owns: which tokens must not be linked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from askwire.language.lexicon import ATTRIBUTES, FIGURE_WORDS, IRREGULAR_DEGREES
from askwire.language.structure_words import structural
from askwire.language.text import GROUPING, PARTICIPLE, Token, listed
from askwire.language.times import TimeSpan


def degree(token: Token) -> tuple[str, str] | None:
    """('old', 'est') for 'oldest', ('old', 'er') for 'older', None for other words."""
    word = token.lower
    if word in IRREGULAR_DEGREES:
        return IRREGULAR_DEGREES[word]
    for suffix in ("est", "er"):
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            for form in (base, base + "e", base[:-1], base[:-1] + "y"):
                if form in ATTRIBUTES and len(form) > 2:
                    return form, suffix
    return None


_PROTECT_NEXT: Final = frozenset(
    listed(
        """
    by alphabetically in from accord according descending ascending on the them
    """
    )
)
UNITS: Final = frozenset({"day", "week", "month", "quarter", "year"})
ADVERBS: Final = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annual": "year",
    "annually": "year",
}
"""What is said of a figure of each day, week, …, with the unit."""
TIME_ADVERB: Final = "|".join(ADVERBS)
SHARES: Final = frozenset({"share", "proportion", "fraction", "percentage", "percent", "pct"})
_SIDES: Final = frozenset({"after", "before", "since", "until"})
_WITHIN: Final = frozenset({"in", "for", "during", "over", "of", "from"})
_YEAR_DIGITS: Final = 4
_REQUESTS: Final = frozenset(listed("give return find include add tell display order sort limit round"))
_REQUESTED: Final = frozenset(listed("the me us a an all each their its by only also both them it to"))
_MOST_FIRST: Final = frozenset({"most", "least", "fewest", "highest", "lowest"})
_PERCENTAGES: Final = frozenset({"percentages", "percentage", "percents"})
_GIVING: Final = frozenset({"give", "show", "include", "add", "and", "with", "the", "as"})
_SPANS: Final = frozenset(listed("seconds minutes hours days weeks months years"))
MONEY: Final = frozenset({"dollar", "dollars", "euro", "euros", "usd", "eur", "bucks"})
_OF_ORDERS: Final = frozenset(
    {
        "count",
        "counts",
        "total",
        "totals",
        "value",
        "values",
        "volume",
        "amount",
        "size",
        "status",
        "quantity",
    }
)
"""What an order has: 'order count by month' sorts nothing."""
_ABOUT_ORDERS: Final = frozenset(listed("with that which having containing placed shipped"))
_ORDER_WORDS: Final = frozenset({"order", "ordered", "sort", "sorted", "rank", "ordering", "orderd"})
_BEFORE_ORDERING: Final = frozenset(
    listed("the each per an not never did do does to didn't ever who only have has had")
)
"""Behind these words 'order' is a thing or what somebody did, not how answers are sorted."""
_DIRECTIONS: Final = frozenset(
    listed(
        """
    ascending descending alphabetical alphabetic lexicographic lexicographical increasing decreasing
    asc desc chronological reverse descend ascend alphabet lexical numerical
    """
    )
)


_OF_WEATHER: Final = frozenset({"hot", "cold", "wet", "dry", "rainy", "windy", "humid"})
_COMPARED: Final = frozenset(
    listed("more less fewer later earlier older younger longer shorter higher lower greater larger smaller")
)
_OF_GROUPS: Final = frozenset({"each", "every", "per", "different"})
_COUNTS: Final = frozenset({"number", "count"})
_COSTS: Final = frozenset({"cost", "costs", "costing"})
_BOUNDS: Final = frozenset(listed("less more under over below above between at up exactly precisely only"))
_DOERS: Final = frozenset(listed("that which who not do does did items things"))


def is_cost(tokens: Sequence[Token], at: int) -> bool:
    """'products that cost more than 10': what they are sold for, rather than a column called cost."""
    if not at or tokens[at].lower not in _COSTS:
        return False
    before = tokens[at - 1].lower
    after = tokens[at + 1].lower if at + 1 < len(tokens) else ""
    things = before in _DOERS or (len(before) > 3 and before.endswith("s") and not before.endswith("ss"))
    return things and (after in _BOUNDS or after[:1].isdigit() or after[:1] in set("$€<>"))


def _counted_before(tokens: Sequence[Token], at: int) -> bool:
    """Whether 'the number' of this sentence is what an earlier one counts."""
    if tokens[at - 1].lower not in {"the", "both", "list"}:
        return False
    earlier = [t.lower for t in tokens[:at]]
    ends = [place for place, word in enumerate(earlier) if word in {".", "?", ";"}]
    said = " ".join(earlier[: ends[-1]]) if ends else ""
    return "how many " in said or "number of " in said


_DID: Final = frozenset(listed("make place book rate score release bill record log handle process state"))
_ENDING: Final = frozenset(
    {"", "?", ".", ",", "in", "on", "during", "for", "since", "last", "this", "per", "and"}
)
_DOING: Final = frozenset({"do", "does", "did"})
_NO_DOER: Final = frozenset(listed("a an any the no all each every of 's have not and or"))


def _asks_what_was_done(tokens: Sequence[Token], at: int) -> bool:
    """Whether 'make' is what was done in 'how many sales did each agent make in 2023'."""
    said = [t.lower for t in tokens[max(0, at - 6) : at]]
    return any(w in _DOING for w in said[:-1]) and said[-1] not in _DOING | _NO_DOER


def _is_over(tokens: Sequence[Token], at: int) -> bool:
    """'what does each department have left?': what remains, and no one who is gone."""
    return at > 0 and tokens[at - 1].lower == "have" and any(t.lemma == "do" for t in tokens[: at - 1])


def _is_the_most(tokens: Sequence[Token], at: int) -> bool:
    """Whether one thing is the greatest or the last of all: 'the largest order', 'the last paid order'."""
    start = at - 1 - (at > 1 and PARTICIPLE.fullmatch(tokens[at - 1].lower) is not None)
    most = tokens[start] if start >= 0 else None
    return most is not None and ((degree(most) or ("", ""))[1] == "est" or most.lower in {"first", "last"})


def shares_named(tokens: Sequence[Token], names: Iterable[tuple[str, ...]]) -> frozenset[int]:
    """The shares that names hold: 'the market share of the browser' is `market_share`, no part of a whole."""
    said: dict[tuple[str, ...], int] = {
        (tokens[at - 1].lemma, token.lower): at
        for at, token in enumerate(tokens)
        if at and token.lower in SHARES and tokens[at - 1].kind == "word"
    }
    return frozenset(said[name[-2:]] for name in names if name[-2:] in said) if said else frozenset()


def blocked_tokens(
    tokens: Sequence[Token], times: Sequence[TimeSpan], units: frozenset[str] = frozenset()
) -> frozenset[int]:
    """Tokens that belong to structure (sorting, superlatives, times) and must not be linked.

    `units` are words that name a column of their own, or that stand in a name ('monthly fee'):
    'per year' then means that column.
    """
    blocked = structural(tokens, units)
    for span in times:
        blocked.update(range(span.start, span.end))
    for at, token in enumerate(tokens):
        before = tokens[at - 1].lower if at else ""
        after = tokens[at + 1].lower if at + 1 < len(tokens) else ""
        if token.lower in _DIRECTIONS or (degree(token) and token.lower not in {"number"}):
            blocked.add(at)
        an_order = token.lower == "order" and after != "by"
        an_order = an_order and (before in _BEFORE_ORDERING or (at > 0 and _is_said_of(tokens, at - 1)))
        an_order = an_order or (token.lower == "order" and _is_the_most(tokens, at))
        sorting = before in _DIRECTIONS or after in _PROTECT_NEXT | _DIRECTIONS
        if token.lower in UNITS and at and (degree(tokens[at - 1]) or ("", ""))[0] in _OF_WEATHER:
            blocked.add(at)  # the hottest day is when it was hottest
        if token.lower in _ORDER_WORDS and sorting and not an_order:
            blocked.add(at)
        told = token.lower in {"name", "list", "show", "count", "state", "rank", "order"}
        then = tokens[at + 2].lower if at + 2 < len(tokens) else "by"
        noun = token.lower == "order" and after in _OF_ORDERS and then in {"by", "per", "for", "in", "and"}
        noun = noun or (token.lower == "order" and after in _ABOUT_ORDERS)
        more = after in {"and", ","} and then not in {"number", "count", "total", "average"}
        noun = noun or (token.lower in {"name", "state"} and more)  # 'Name and price of'
        if at == 0 and told and not noun:
            blocked.add(at)
        so_often = token.lower == "times" and at > 1 and tokens[at - 1].kind == "number"
        if so_often and tokens[at - 2].lower in {"than", "least", "most"}:
            blocked.add(at)  # 'ordered more than 10 times' is how often, no time
        if token.lower in {"percentage", "percent"} and before == "what" and after == "of":
            blocked.add(at)
        ends = at + 1 == len(tokens) or tokens[at + 1].kind == "punct"
        if token.lower == "first" and ends and at and (before in _MOST_FIRST or degree(tokens[at - 1])):
            blocked.add(at)  # 'highest first' is an order, no first name
        if token.lower in _PERCENTAGES and (ends or after in {"too", "also"}) and before in _GIVING:
            blocked.add(at)
        if token.lower in _SPANS - units and before == "in" and (ends or after in GROUPING | {"for", "of"}):
            blocked.add(at)  # 'the duration in days per category'
        if token.lower == "time" and [t.lower for t in tokens[max(0, at - 2) : at]] == ["of", "all"]:
            blocked.add(at)  # 'the best of all time'
        if token.lower == "time" and before == "on" and (ends or after in GROUPING | _ENDING):
            blocked.add(at)  # 'delivered on time'
        if token.lower == "ratio" and after in {"of", "between"} and "ratio" not in units:
            blocked.add(at)  # no 'scale ratio' of a text
        if token.lower in SHARES - units and after == "of":
            blocked.add(at)
        if (
            token.lower in UNITS - units
            and before == "and"
            and GROUPING & {t.lower for t in tokens[max(0, at - 5) : at]}
        ):
            blocked.add(at)
        if token.lower in _DID and after in _ENDING and _asks_what_was_done(tokens, at):
            blocked.add(at)
        if (
            token.lower == "still"
            and at
            and (tokens[at - 1].lemma == "be" or before in _DOERS | {"both", "all"})
        ):
            blocked.add(at)  # 'are still alive' names no status
        if token.lower == "no" and after in _COMPARED:
            blocked.add(at)  # 'costing no more than 500'
        if is_cost(tokens, at) or (
            token.lower == "left" and (after in {"a", "an", "any", "no"} or _is_over(tokens, at))
        ):
            blocked.add(at)
        if token.lower == "worth" and after in _BOUNDS:
            blocked.add(at)
        if token.lower in MONEY and at and (tokens[at - 1].kind == "number"):
            blocked.add(at)
        if token.lower in UNITS - units and before in {"per", "each", "every", "by", "a", "single"}:
            blocked.add(at)
        in_year = token.lower == "year" and before == "the" and at > 1
        in_year = in_year and tokens[at - 2].lower in (_SIDES if "year" in units else _SIDES | _WITHIN)
        said = then if after == "of" else after  # 'after the year of 2008'
        if in_year and said.isdigit() and len(said) == _YEAR_DIGITS:
            blocked.add(at)  # 'founded after the year 2008' is no year of something else
        if token.lower in UNITS - units and after == "'s" and at and degree(tokens[at - 1]):
            blocked.add(at)  # 'the best month's revenue'
        if token.lower in UNITS - units and after == "with" and then in {"the", "most", "least", "fewest"}:
            blocked.add(at)  # 'the month with the highest revenue'
        best = at and (tokens[at - 1].kind == "number" or before in {"top", "best", "worst"})
        if token.lemma in UNITS - units and after == "by" and best:
            blocked.add(at)  # 'top 3 months by revenue'
        figure = after in FIGURE_WORDS and f"{token.lower} {after}" not in units
        if token.lower in ADVERBS and (figure or token.lower not in units):
            blocked.add(at)  # 'monthly revenue' is no 'warranty months', 'monthly number' no 'monthly fee'
        if token.lower in _COUNTS and after in {"and", ","} and _counted_before(tokens, at):
            blocked.add(at)  # 'How many … ? List the number and …'
        if token.lower == "numbers" and after == "of" and _OF_GROUPS & {t.lower for t in tokens[at + 3 :]}:
            blocked.add(at)  # 'the numbers of wines for different grapes' are counts
        if (token.lower, after) in {("how", "many"), ("how", "much"), ("as", "well")}:
            blocked.update((at, at + 1))
        if token.lower in _REQUESTS and (at == 0 or before in {"?", ".", ";", "!"}) and after in _REQUESTED:
            blocked.add(at)  # 'Give the number' is nothing that is called Gie
        if token.lower in {"list", "show", "name", "state", "count", "report"} and before in {
            "?",
            ".",
            ";",
            "please",
        }:
            blocked.add(at)
    return frozenset(blocked)


def _is_said_of(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is said of a thing behind it: 'latest order', 'most recent order', 'paid order'."""
    word = tokens[at].lower
    done = PARTICIPLE.fullmatch(word) is not None and word not in _ORDER_WORDS
    return done or degree(tokens[at]) is not None or (at > 0 and tokens[at - 1].lower in {"most", "least"})
