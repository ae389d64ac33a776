"""Word orders that say the same, read as the one that the grammar knows.

Owns: rewritings of a question's tokens, nearly all of which need no schema. Each returns the tokens as they
are where its wording does not occur; the order of `PARAPHRASES` is that of their work.

    'average payment per customer, top 5' → 'top 5 customer by average payment'
    '10 cities with the highest population' → 'top 10 cities by population'
    'longest 10 films' → '10 longest films', 'customers outside Peru' → 'customers not in Peru'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from askwire.language.lexicon import EVENTS, EXPIRED, FUNCTION_WORDS, SERVING
from askwire.language.text import ORDINALS, YEAR, Token, listed
from askwire.planner.embedded.linking.blocked import degree
from askwire.planner.embedded.linking.rewording import new_tokens, trade
from askwire.planner.embedded.linking.rewording.ends import ends_said
from askwire.planner.embedded.linking.rewording.exclusions import EXCLUSIONS
from askwire.planner.embedded.linking.rewording.figures import (
    and_a_half,
    asked_behind,
    average_apart,
    average_of_each,
    copies,
    done_per_unit,
    every_unit,
    on_average,
    pieces,
    report_to,
    share_by,
    together,
    two_numbers,
    what_they_come_to,
    worth,
)
from askwire.planner.embedded.linking.rewording.figures_said import counted_and_figured, in_plain_figures
from askwire.planner.embedded.linking.rewording.instructions import INSTRUCTIONS
from askwire.planner.embedded.linking.rewording.openings import (
    AROUND_QUESTION,
    as_when,
    last_done,
    without_file,
    without_opening,
    without_so_far,
    without_whole,
)
from askwire.planner.embedded.linking.rewording.output_lists import figure_beside, listed_behind
from askwire.planner.embedded.linking.rewording.phrasal_verbs import in_one_word
from askwire.planner.embedded.linking.rewording.put_in_order import put_in_order
from askwire.planner.embedded.linking.rewording.salaries import salaries
from askwire.planner.embedded.linking.rewording.second_questions import asked_beside
from askwire.planner.embedded.linking.rewording.summed_up import summed_up
from askwire.planner.embedded.linking.rewording.text_within import text_within
from askwire.planner.embedded.linking.rewording.time_phrases import TIME_PHRASES
from askwire.planner.embedded.linking.units import holding
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_HIGHEST: Final = frozenset(listed("highest largest biggest greatest most top"))
_LOWEST: Final = frozenset(listed("lowest smallest fewest least"))
_SIZES: Final = frozenset(listed("highest largest biggest greatest lowest smallest"))
_MOST_OR_LEAST: Final = frozenset(listed("most fewest least"))
_PER_OR_BY: Final = frozenset(listed("per by"))
_RANKS: Final = frozenset({"top", "bottom"})
_RESTRICTING: Final = frozenset(listed("in during for from where with since before after between until on"))
_START_OR_END_VERBS: Final = frozenset(listed("starts starting start begins beginning begin ends ending end"))
_TEXT_NOUNS: Final = frozenset(
    listed("letter letters word words digit digits number numbers character characters prefix suffix text")
)
_FIGURE_WORDS: Final = frozenset(listed("average total number count sum revenue sales how"))
_MEASURES: Final = frozenset(
    listed("price amount turnover profit quantity population size score rating cost")
)
_EXTENTS: Final = frozenset(listed("area surface length height depth weight volume revenue sales gdp gnp"))
_SPANS: Final = {"longest": "earliest", "shortest": "latest"}
_TIME_WORDS: Final = frozenset(listed("time day days hour hours minute minutes week weeks month months"))
_TAKING_WORDS: Final = frozenset(listed("it takes take took pass passes passed"))
_AUXILIARIES: Final = frozenset(listed("is are was were gets get got has have been being"))
_HAVING: Final = frozenset(listed("with have has had having"))
_MAX_LIMIT: Final = 1000
_STAY_TABLES: Final = ("stay", "booking", "reservation", "admission", "visit")

_BOUNDS: Final = frozenset(listed("than over under above below exceeding least most within"))
_UNIT_SIZES: Final = {
    "second": (1000, "milliseconds"),
    "minute": (60, "seconds"),
    "hour": (60, "minutes"),
    "day": (24, "hours"),
    "week": (0, ""),
    "month": (0, ""),
    "year": (12, "months"),
    "mile": (0, ""),
    "kilometer": (1000, "meters"),
    "km": (1000, "meters"),
}
"""Units of which one is said as 'a' or 'an', and what half of one is said in; 0 where that is not done."""
_BOUND_OF_COMPARATIVE: Final = {
    **dict.fromkeys(listed("more above higher greater warmer hotter longer larger bigger later"), "least")
} | {**dict.fromkeys(listed("less fewer below lower colder cooler shorter smaller cheaper"), "most")}


def plainly(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """The tokens in the word order that the grammar knows."""
    tokens = counted_and_figured(in_plain_figures(tokens, index))
    for reworded in TIME_PHRASES:
        tokens = reworded(tokens)
    tokens = put_in_order(pieces(copies(in_one_word(tokens, index), index), index), index)
    tokens = without_file(
        last_done(as_when(ends_said(without_so_far(without_opening(tokens)), index))), index.by_word
    )
    tokens = without_whole(tokens, index.by_word)
    for around in AROUND_QUESTION:
        tokens = around(tokens, index)
    tokens = ran_out(text_within(tokens, index), index)
    for paraphrase in EXCLUSIONS:
        tokens = paraphrase(tokens)
    tokens = listed_behind(asked_beside(what_they_come_to(tokens), index), index)
    tokens = share_by(summed_up(tokens, index), index)
    tokens = trade.taken_from(tokens, index)
    for paraphrase in PARAPHRASES:
        tokens = paraphrase(tokens)
    if not _PER_HEAD_NOUNS & index.by_word.keys():
        # where a column tells the unit of its area, the grammar asks it
        told = any((unit := holding(c).unit) is not None and unit.kind == "area" for c in index.columns)
        tokens = per_head(tokens, squared=not told)
    paid = salaries(trade.spending(length_of_stay(tokens, index), index), index)
    paid = trade.sales_amount(trade.sellers(paid, index), index)
    paid = paid if "hand" in index.by_word else trade.on_hand(paid)
    return paid if "money" in index.by_word else trade.most_money(trade.amount_of_money(paid))


def length_of_stay(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'length of stay' → 'length of booking', where bookings are what guests stay by."""
    stays = next((w for w in _STAY_TABLES if index.by_word.get(w, new_tokens.NO_ELEMENTS)[0]), "")
    found = list(tokens)
    for at in range(2, len(tokens)):
        long = [t.lower for t in tokens[at - 2 : at]] in (["length", "of"], ["duration", "of"])
        if stays and long and tokens[at].lemma == "stay":
            found[at] = new_tokens.word(stays, tokens[at])
    return tuple(found)


def outside(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'customers outside (of) the USA' → 'customers not in the USA'."""
    found: list[Token] = []
    for at, token in enumerate(tokens):
        rest = [t for t in tokens[at + 1 : at + 4] if t.lower not in {"of", "the"}]
        if token.lower == "outside" and at and rest and new_tokens.is_name(rest[0]):
            found += [new_tokens.word("not", token), new_tokens.word("in", token)]
        elif (
            token.lower == "of"
            and at
            and tokens[at - 1].lower == "outside"
            and rest
            and new_tokens.is_name(rest[0])
        ):
            continue
        else:
            found.append(token)
    return tuple(found)


def ran_out(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'drivers with expired licenses', 'whose license has expired' → 'drivers whose license expired'.

    Where a table is called so, it is 'whose qualifications have expired'.
    """
    said = [t.lower for t in tokens]
    at = new_tokens.place_of(tokens, 2, EXPIRED)
    if at == len(tokens):
        return tokens
    behind = tokens[at + 1 : at + 2]
    if said[at - 1] in _HAVING and new_tokens.all_words(behind) and said[at + 1] not in FUNCTION_WORDS:
        thing, rest = behind[0], tokens[at + 2 :]
        before = (*tokens[: at - 1], new_tokens.word("whose", tokens[at - 1]))
    elif said[at - 1] in _AUXILIARIES and said[at - 3 : at - 2] == ["whose"]:
        thing, rest, before = tokens[at - 2], tokens[at + 1 :], tokens[: at - 2]
    else:
        return tokens
    table = bool(index.by_word.get(thing.lemma, new_tokens.NO_ELEMENTS)[0])
    have = (new_tokens.word("have", tokens[at]),) if table else ()
    return (*before, thing, *have, tokens[at], *rest)


def what_it_costs(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'how much does the latest treatment cost' → 'how expensive is the latest treatment'."""
    said = [t.lower for t in tokens]
    end = len(said) - (bool(said) and tokens[-1].kind == "punct")
    if (
        said[:3] != ["how", "much", "does"]
        or end < new_tokens.LONG_NAME
        or said[end - 1] not in {"cost", "costs"}
    ):
        return tokens
    opening = (tokens[0], new_tokens.word("expensive", tokens[1]), new_tokens.word("is", tokens[2]))
    return (*opening, *tokens[3 : end - 1], *tokens[end:])


def number_behind(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'longest 10 films' → '10 longest films', 'most expensive 3 wines' → '3 most expensive wines'."""
    found = list(tokens)
    for at in range(len(found) - 2):
        lead = found[at]
        graded = (degree(lead) or ("", ""))[1] == "est"
        if graded and _many(found[at + 1]) and found[at + 2].kind == "word":
            found[at], found[at + 1] = found[at + 1], found[at]
        elif (graded or lead.lower in {"most", "least"}) and at + 3 < len(found) and _many(found[at + 2]):
            words = found[at + 1].kind == found[at + 3].kind == "word"
            found[at : at + 3] = [found[at + 2], lead, found[at + 1]] if words else found[at : at + 3]
    return tuple(found)


def served_longest(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the longest serving nurse' → 'the earliest serving nurse': the one who began first."""
    found: list[Token] = []
    for at, token in enumerate(tokens):
        lead, _, rest = token.lower.partition("-")
        behind = rest or (tokens[at + 1].lower if at + 1 < len(tokens) else "")
        if lead in _SPANS and behind in SERVING:
            found.append(new_tokens.word(_SPANS[lead], token))
            found += [new_tokens.word(rest, token)] if rest else []
        else:
            found.append(token)
    return tuple(found)


def measure_behind(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'10 cities with the highest population' → 'top 10 cities by population'.

    'the 5 largest orders by freight' → 'top 5 orders by freight', 'third largest order by freight' → 'order
    with the third highest freight', '5 pubs with the most seats' → 'top 5 pubs by number of seats'.
    """
    asking = new_tokens.REQUESTS | {"our"}
    start = next((at for at, t in enumerate(tokens) if t.lower not in asking), len(tokens))
    lead, rest = tokens[:start], tokens[start:]
    if rest[:1] and rest[0].lower in ORDINALS:
        return _ranked(tokens, start)
    if rest[:1] and rest[0].lower in _RANKS:
        rest = rest[1:]
    if len(rest) < 4 or not _many(rest[0]):
        return tokens
    sized = rest[1].lower in _SIZES
    down = not (rest[1].lower in _LOWEST or (start < len(tokens) and tokens[start].lower == "bottom"))
    if sized and 2 < (by := new_tokens.place_of(rest, 2, {"by"})) < len(rest) - 1:
        return (*lead, *_top(rest[0], down), *rest[2:by], *rest[by:])
    at = new_tokens.place_of(rest, 1, {"with", "having"})
    behind = (
        [t for t in rest[at + 1 :] if t.lower not in new_tokens.ARTICLES]
        if 1 < at < new_tokens.LONG_NAME
        else []
    )
    if len(behind) < 2 or behind[0].lower not in _HIGHEST | _LOWEST or not new_tokens.all_words(rest[1:at]):
        return tokens
    if behind[0].lower not in _SIZES | _MOST_OR_LEAST or behind[1].kind != "word" or degree(behind[1]):
        return tokens
    down = behind[0].lower in _HIGHEST
    counted = behind[0].lower in _MOST_OR_LEAST
    number = [new_tokens.word("number", behind[0]), new_tokens.word("of", behind[0])] if counted else []
    return (*lead, *_top(rest[0], down), *rest[1:at], new_tokens.word("by", rest[at]), *number, *behind[1:])


def by_its_size(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the smallest country in Europe by area' → 'the country in Europe with the lowest area'."""
    start = next((at for at, t in enumerate(tokens) if t.lower not in new_tokens.REQUESTS | {"is"}), 0)
    rest = tokens[start:]
    by = new_tokens.place_of(rest, 2, {"by"})
    if not rest or rest[0].lower not in _SIZES - {"lowest", "highest"}:
        return tokens
    ends = all(t.kind == "punct" for t in rest[by + 2 :])
    if by > len(rest) - 2 or rest[by + 1].lower not in _MEASURES | _EXTENTS or not ends:
        return tokens
    how = new_tokens.word("lowest" if rest[0].lower in _LOWEST else "highest", rest[0])
    lead = [new_tokens.word("with", rest[by]), new_tokens.word("the", rest[by]), how]
    return (*tokens[:start], *rest[1:by], *lead, *rest[by + 1 :])


def first_behind(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'average payment per customer, top 5' → 'top 5 customer by average payment'."""
    end = len(tokens) - (tokens[-1].lower in {".", "?", "!"}) if tokens else 0
    body = tokens[:end]
    first = next((at for at in range(len(body) - 1, 1, -1) if body[at].lower in _RANKS), 0)
    if not first or first + 1 >= end or not _many(body[first + 1]):
        return tokens
    behind = body[first + 2 :]
    if behind and behind[0].lower not in _RESTRICTING | {"only"}:
        return tokens
    before = list(body[:first])
    while before and before[-1].lower in {",", "the", "only", "-", ";", ":", "(", "and"}:
        before.pop()
    per = new_tokens.place_of(before, 1, _PER_OR_BY)
    each = len(before) > per + 1 and per >= 1 and before[per].lower in _PER_OR_BY
    if not each or before[0].lower in _RANKS or "order" in {t.lower for t in before[max(0, per - 2) : per]}:
        return tokens
    until = new_tokens.place_of(before, per + 1, _RESTRICTING)
    measure = [t for t in before[:per] if t.lower not in new_tokens.REQUESTS]
    if measure[:2] and measure[0].lower == "how" and len(measure) > 1:
        measure = [new_tokens.word("number", measure[0]), new_tokens.word("of", measure[0]), *measure[2:]]
    measured = _count_of(measure)
    one = [t for t in before[per + 1 : until] if t.lower not in {"each", "every"}]
    if not measure or not one:
        return tokens
    if before[per].lower == "by" and one[0].lower in _FIGURE_WORDS | _MEASURES:
        one, measured = measure, one  # 'products by revenue' are not one per revenue
    more = [t for t in behind if t.lower != "only"]
    return (
        body[first],
        body[first + 1],
        *one,
        new_tokens.word("by", body[first]),
        *measured,
        *before[until:],
        *more,
    )


def like(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'starting with Ch' → 'starting with "Ch"', 'ending with the digits 07' → '… the digits "07"'."""
    found = list(tokens)
    for at in range(len(found) - 2):
        if found[at].lower in _START_OR_END_VERBS and found[at + 1].lower == "with":
            place = at + 2
            said = place + (found[place].lower in new_tokens.ARTICLES)
            named = said + 1 < len(found) and found[said].lower in _TEXT_NOUNS
            named = named and found[said + 1].lower not in FUNCTION_WORDS - {"a", "i"}
            place = said + 1 if named else place
            word = found[place].kind == "word" and (named or found[place].lower not in new_tokens.ARTICLES)
            last = all(t.kind == "punctuation" or t.text in ".?!" for t in found[place + 1 :])
            number = found[place].kind == "number" and not YEAR.fullmatch(found[place].text)
            if word or (number and (named or last)):
                found[place] = _quoted(found[place])
    return tuple(found)


def who_did(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'which customers ordered Chai' → 'which customers who ordered Chai'."""
    if len(tokens) < new_tokens.LONG_NAME - 1 or tokens[0].lower not in {"which", "what"}:
        return tokens
    done, rest = tokens[2], tokens[3]
    plural = tokens[1].kind == "word" and tokens[1].lower != tokens[1].lemma
    if not plural or done.lower not in EVENTS or not new_tokens.is_name(rest):
        return tokens
    return (*tokens[:2], new_tokens.word("who", done), *tokens[2:])


_PER_HEAD_NOUNS: Final = frozenset({"capita", "head", "inhabitant"})


def per_head(tokens: tuple[Token, ...], *, squared: bool) -> tuple[Token, ...]:
    """'output per capita' → 'output divided by population', 'residents per square mile' → '… by area'."""
    for at in range(1, len(tokens) - 1):
        if tokens[at].lower != "per":
            continue
        by = [new_tokens.word("divided", tokens[at]), new_tokens.word("by", tokens[at])]
        behind = tokens[at + 1]
        if behind.lower in _PER_HEAD_NOUNS:
            return (*tokens[:at], *by, new_tokens.word("population", behind), *tokens[at + 2 :])
        if squared and behind.lower in {"square", "sq"} and at + 2 < len(tokens):
            return (*tokens[:at], *by, new_tokens.word("area", behind), *tokens[at + 3 :])
    return tokens


def until_done(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'average days until a fine is paid' → 'average days between fine and paid'."""
    at = new_tokens.place_of(tokens, 1, {"until", "till"})
    rest = [t for t in tokens[at + 1 :] if t.lower not in new_tokens.ARTICLES]
    spent = any(t.lower in _TIME_WORDS for t in tokens[max(0, at - 4) : at])
    long = tokens[0].lower == "how" and tokens[1:2] and tokens[1].lower == "long" if tokens else False
    be = new_tokens.place_of(rest, 1, _AUXILIARIES)
    if (
        not (spent or long)
        or be >= len(rest) - 1
        or be > new_tokens.LONG_NAME
        or not new_tokens.all_words(rest[: be + 2])
    ):
        return tokens
    lead = [t for t in tokens[:at] if t.lower not in _TAKING_WORDS]
    joint = [new_tokens.word("and", rest[be])]
    return (*lead, new_tokens.word("between", tokens[at]), *rest[:be], *joint, *rest[be + 1 :])


def logged_in(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'who have not logged in in 2024' → 'who have not logged in 2024'."""
    return tuple(
        token
        for at, token in enumerate(tokens)
        if not (at and token.lower in {"in", "on"} and tokens[at - 1].lower == "logged")
        or (at + 1 < len(tokens) and tokens[at + 1].kind == "number")
    )


def one_unit(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'longer than an hour' → 'longer than 1 hour', 'under half an hour' → 'under 30 minutes'."""
    found = list(tokens)
    for at in range(1, len(tokens) - 1):
        before, unit = tokens[at - 1].lower, tokens[at + 1].lower
        if tokens[at].lower in {"a", "an"} and unit in _UNIT_SIZES and before in _BOUNDS:
            found[at] = new_tokens.number(1, tokens[at])
        elif (
            before in _BOUNDS and tokens[at].lower == "half" and unit in {"a", "an"} and at + 2 < len(tokens)
        ):
            size, smaller = _UNIT_SIZES.get(tokens[at + 2].lower, (0, ""))
            if size and size % 2 == 0:
                half = [new_tokens.number(size // 2, tokens[at]), new_tokens.word(smaller, tokens[at + 2])]
                return (*tokens[:at], *half, *tokens[at + 3 :])
    return tuple(found)


def at_least_one(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'who had at least one "B" grade' → 'who had a "B" grade'.

    So is 'at least one dog and at least one cat' read as 'a dog and a cat'.
    """
    ones = [at for at in range(len(tokens) - 3) if _is_one_at_least(tokens, at)]
    both = len(ones) > 1 and [t.lower for t in tokens[ones[0] + 4 : ones[1]]] == ["and"]
    chosen = {at for at in ones if both or (at and _has_quoted(tokens, at))}
    left = ((at, t) for at, t in enumerate(tokens) if not {at - 1, at - 2} & chosen)
    return tuple(new_tokens.word("a", t) if at in chosen else t for at, t in left)


def _has_quoted(tokens: Sequence[Token], at: int) -> bool:
    having = tokens[at - 1].lemma == "have" or tokens[at - 1].lower == "with"
    return having and tokens[at + 3].kind == "quoted"


def _is_one_at_least(tokens: Sequence[Token], at: int) -> bool:
    return [t.lower for t in tokens[at : at + 2]] == ["at", "least"] and tokens[at + 2].lower in {"one", "1"}


def part_of(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'tracks that are part of the rock genre' → 'tracks that are in the rock genre'."""
    for at in range(1, len(tokens) - 2):
        if tokens[at].lower == "part" and tokens[at + 1].lower == "of":
            start = at - (tokens[at - 1].lower == "a")
            if start and tokens[start - 1].lemma == "be":
                return (*tokens[:start], new_tokens.word("in", tokens[at]), *tokens[at + 2 :])
    return tokens


def or_more(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'flats with 3 bedrooms or more', '3 or more bedrooms' → 'flats with at least 3 bedrooms'."""
    for at in range(1, len(tokens) - 1):
        if tokens[at].lower != "or" or tokens[at + 1].lower not in _BOUND_OF_COMPARATIVE:
            continue
        start = next((n for n in (at - 1, at - 2, at - 3) if n >= 0 and tokens[n].kind == "number"), None)
        between = tokens[start + 1 : at] if start is not None else ()
        behind = tokens[at + 2 : at + 3]
        alone = not behind or (behind[0].lower != "than" and behind[0].kind != "number")
        if start is not None and all(t.kind == "word" for t in between) and alone:
            bound = [
                new_tokens.word("at", tokens[at]),
                new_tokens.word(_BOUND_OF_COMPARATIVE[tokens[at + 1].lower], tokens[at + 1]),
            ]
            return (*tokens[:start], *bound, *tokens[start:at], *tokens[at + 2 :])
    return tokens


PARAPHRASES: Final[tuple[Callable[[tuple[Token, ...]], tuple[Token, ...]], ...]] = (
    served_longest,
    trade.best_by,
    *INSTRUCTIONS,
    figure_beside,
    outside,
    asked_behind,
    average_apart,
    on_average,
    average_of_each,
    two_numbers,
    and_a_half,
    done_per_unit,
    every_unit,
    report_to,
    together,
    worth,
    what_it_costs,
    number_behind,
    measure_behind,
    by_its_size,
    first_behind,
    like,
    trade.taken_in,
    trade.caring,
    who_did,
    until_done,
    trade.sells_best,
    trade.how_much_earned,
    logged_in,
    one_unit,
    or_more,
    part_of,
    at_least_one,
)


def _ranked(tokens: tuple[Token, ...], start: int) -> tuple[Token, ...]:
    rest = tokens[start:]
    by = new_tokens.place_of(rest, 2, {"by"})
    if (
        len(rest) < 5
        or rest[1].lower not in _SIZES
        or not 2 < by < min(new_tokens.LONG_NAME + 1, len(rest) - 1)
    ):
        return tokens
    how = new_tokens.word("lowest" if rest[1].lower in _LOWEST else "highest", rest[1])
    lead = [new_tokens.word("with", rest[by]), new_tokens.word("the", rest[by]), rest[0], how]
    return (*tokens[:start], *rest[2:by], *lead, *rest[by + 1 :])


def _top(number: Token, down: bool) -> tuple[Token, Token]:
    return new_tokens.word("top" if down else "bottom", number), number


def _count_of(measure: Sequence[Token]) -> list[Token]:
    """'orders per customer' counts them: 'by number of orders'."""
    if {t.lower for t in measure} & _FIGURE_WORDS or len(measure) > 1:
        return list(measure)
    return [new_tokens.word("number", measure[0]), new_tokens.word("of", measure[0]), *measure]


def _many(token: Token) -> bool:
    """Whether a token is how many of a list are asked for."""
    return token.kind == "number" and token.lemma.isdigit() and 1 < int(token.lemma) <= _MAX_LIMIT


def _quoted(token: Token) -> Token:
    return token if token.kind == "quoted" else replace(token, lemma=token.text, kind="quoted")
