"""Figures in another order of words: 'how many orders per day on average', 'revenue share by category'.

Owns: tokens → tokens, in the order that the grammar knows.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Final

from askwire.language.lexicon import SHARE_WORDS
from askwire.language.text import Token, listed, singular, stem
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_TIME_UNITS: Final = frozenset({"hour", "day", "week", "month", "quarter", "year"})
_SHARE_NOUNS: Final = SHARE_WORDS - {"rate", "percent"}
_MAX_SHARE_WORDS: Final = 3
"""Words of what a share may be of."""
_NO_SHARE_SUBJECTS: Final = frozenset(
    {"market", "the", "a", "an", "what", "which", "of", "and", "or", "their", "its", "list", "show"}
)

_TOGETHER_WORDS: Final = frozenset({"together", "combined", "altogether"})
_AGGREGATE_WORDS: Final = frozenset(
    listed("total sum average number count list names minimum maximum highest lowest")
)
_COPULAS: Final = frozenset({"is", "was", "were"})
_BEHIND_COPIES: Final = frozenset({"of", "are", "do"})
_STOCK_TABLES: Final = ("inventory", "holding", "stock")
_PARTICIPLE: Final = re.compile(
    r"(?!(?:order|sort|group|rank|list|call|nam)ed)[a-z]{3,}ed|sold|sent|built|made|born|lost|won|paid"
)
_FIGURE_WORDS: Final = frozenset(listed("number count average total many much list names sum each every"))
_UNIT_OF_ADVERB: Final = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annual": "year",
}
_AMOUNTS: Final = frozenset(listed("sales revenues costs profits earnings expenses totals amounts averages"))
_REPORT_TO: Final = ("report", "to")
_AND_A_HALF: Final = ["and", "a", "half"]
_WORDS_FOR_ONE: Final = frozenset({"a", "an", "one"})
_HALVED_UNITS: Final = frozenset(listed("hour day week month year minute mile kilometer kilometre dozen"))


def _part(tokens: tuple[Token, ...], found: re.Match[str], name: str) -> tuple[Token, ...]:
    """The tokens of a part of their line."""
    start, end = found.span(name)
    return tokens[len(found.string[:start].split()) : len(found.string[:end].split())]


def on_average(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'how many open orders do we get a day on average' → 'average number of open orders per day'.

    The same of 'the average daily number of open orders'; what is said behind stands before the unit.
    """
    line = new_tokens.line(tokens)
    found = next((m for m in (pattern.match(line) for pattern in _ON_AVERAGE) if m), None)
    if found is None:
        return tokens
    unit = _UNIT_OF_ADVERB.get(found["unit"], found["unit"])

    part = partial(_part, tokens, found)
    lead = [new_tokens.word(w, tokens[0]) for w in ("average", "number", "of")]
    per = [new_tokens.word(w, tokens[-1]) for w in ("per", unit)]
    return (*part("first"), *lead, *part("what"), *part("behind"), *per, *part("end"))


_TIME_FIRST: Final = r"(?P<first>(?:[^,?]+ , )?)"
_ON_AVERAGE: Final = (
    re.compile(
        rf"^{_TIME_FIRST}how many (?P<what>.+?) "
        r"(?:(?:are|is|were|was) there |(?:do|does|did) (?:we|you|they) (?:get|have|see|receive|make) )?"
        r"(?:per|a|an|each|every) (?P<unit>hour|day|week|month|quarter|year) "
        r"on average(?P<behind>(?: [^\s?]+)*?)(?P<end> [?.])?$"
    ),
    re.compile(
        rf"^{_TIME_FIRST}(?:(?:what|is|'s|was|show|give|me|tell|find|the) )*average "
        r"(?P<unit>hourly|daily|weekly|monthly|quarterly|yearly|annual) (?:number|count) of (?P<what>.+?)"
        r"(?P<behind>)(?P<end> [?.])?$"
    ),
)
_NO_UNIT: Final = r"(?!(?:year|month|week|day|hour|quarter)\b)"
_EACH_HAS: Final = re.compile(
    rf"^{_TIME_FIRST}(?:on average ,? ?)?how many (?P<what>.+?) (?:does|do|did) (?:a|an|each|every)"
    rf" (?P<whose>{_NO_UNIT}(?:\S+ ){{1,3}}?)(?:have|place|make|own|get|receive|hold|take out)"
    r"(?P<behind>(?: (?!(?:on|in) average)\S+)*?)(?P<last> on average)?(?P<end> [?.])?$"
)
_THERE_PER: Final = re.compile(
    rf"^{_TIME_FIRST}(?:on average ,? ?)?how many (?P<what>.+?) (?:are|is|were|was) there"
    rf" (?:per|for each|for every) (?P<whose>{_NO_UNIT}(?:\S+ ){{0,2}}?\S+)(?P<last> on average)?"
    r"(?P<behind>(?: \S+)*?)(?P<end> [?.])?$"
)


_COUNTED_BEHIND: Final = re.compile(
    rf"^{_TIME_FIRST}(?P<one>.+? (?=vs |versus |against )|\S+ (?=and |or ))\S+ (?P<what>.+?) "
    r",? ?(?:and )?how many (?:of )?(?:each|them)(?P<end> [?.])?$"
)
_CAME_FIRST: Final = re.compile(
    rf"^{_TIME_FIRST}(?:which|what) (?P<what>(?!.* by (?:number|total) )(?!(?:one|of|came)\b).+?) "
    r"(?:came|comes|come) (?P<which>first|last)(?P<end> [?.])?$"
)


def asked_behind(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'card vs cash payments, how many of each?' → 'how many card vs cash payments?'.

    'which order of a member came first?' → 'the first order of a member?'.
    """
    line = new_tokens.line(tokens)
    found = _COUNTED_BEHIND.match(line) or _CAME_FIRST.match(line)
    if found is None:
        return tokens
    counted = found.re is _COUNTED_BEHIND
    lead = ("how", "many") if counted else ("the", found["which"])
    part = partial(_part, tokens, found)
    begin = (*part("first"), *(new_tokens.word(w, tokens[0]) for w in lead))
    if counted:
        begin = (*begin, *part("one"), new_tokens.word("vs", tokens[0]))
    return (*begin, *part("what"), *part("end"))


def average_of_each(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'on average, how many open orders does a customer have' → 'average number of open orders per customer'.

    The same of 'how many open orders are there per customer on average'.
    """
    line = new_tokens.line(tokens)
    found = (_EACH_HAS.match(line) or _THERE_PER.match(line)) if "on average" in line else None
    if found is None or found["what"].split()[0] in {"days", "hours", "minutes", "weeks"}:
        return tokens

    part = partial(_part, tokens, found)
    lead = [new_tokens.word(w, tokens[0]) for w in ("average", "number", "of")]
    per = new_tokens.word("per", tokens[-1])
    first = part("first") if found["first"] != "on average , " else ()
    return (*first, *lead, *part("what"), *part("behind"), per, *part("whose"), *part("end"))


_COUNT_OF: Final = r"(?:the )?(?:number|count) of"
_TWO_NUMBERS: Final = (
    re.compile(
        rf"^(?P<lead>.*?)(?:compare )?{_COUNT_OF} (?P<one>\S+(?: \S+)??) (?P<what>\S+(?: \S+)?)"
        rf" (?:with|to|against|vs|versus) {_COUNT_OF} (?P<other>\S+(?: \S+)??)"
        r" (?:ones|(?P=what))(?P<rest>.*)$"
    ),
    re.compile(
        r"^(?P<lead>(?:.* )?)(?:count) (?:the )?(?P<one>\S+(?: \S+)??) (?P<what>\S+s) and (?:the )?"
        r"(?P<other>\S+(?: \S+)??) (?:ones|(?P=what))(?P<rest>.*) separately(?= ?[?.]?$)"
    ),
    re.compile(
        r"^(?P<lead>(?:[^,]* , )?)(?P<one>\S+(?: (?!vs )\S+)?) (?:vs|versus) (?P<other>\S+) (?P<what>\S+)"
        r"(?P<rest>.*?) ,? ?how many(?: of)? each(?= ?[?.]?$)"
    ),
)


def two_numbers(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the number of red cards with the number of yellow ones' → 'how many red and how many yellow cards'.

    The same of 'count red cards and yellow cards separately' and 'red vs yellow cards, how many of each'.
    """
    line = new_tokens.line(tokens)
    found = next((found for form in _TWO_NUMBERS if (found := form.match(line)) is not None), None)
    if found is None:
        return tokens

    part = partial(_part, tokens, found)
    many = [new_tokens.word(w, tokens[0]) for w in ("how", "many")]
    both = (*many, *part("one"), new_tokens.word("and", tokens[0]), *many, *part("other"), *part("what"))
    return (*part("lead"), *both, *part("rest"))


_SPAN_UNITS: Final = r"(?:days|hours|minutes|weeks)"
_AVERAGE_FIRST: Final = re.compile(rf"on average (?:, )?(?=how (?:long|late|many {_SPAN_UNITS}) )")
_AVERAGE_LAST: Final = re.compile(
    rf"(?<= )[?.;] (?:the )?(?:average|avg|mean) (?:in |number of )?(?P<unit>{_SPAN_UNITS})"
    r"(?P<by> (?:by|per|for each) .+)?$"
)


_AVERAGE_BEHIND: Final = re.compile(
    r"what (?:is|are|was|were) (?:the )?(?!average |mean |total |number |most |highest |lowest )"
    r"(?P<what>.+?) on average(?= (?:per|by|for|in|of) |(?: [?.])?$)"
)


def average_apart(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'how long does it take? Average days by kind', 'on average, how long …' → '… on average'.

    'What is the amount of orders on average per shop' → 'what is average amount of orders per shop'.
    """
    line = new_tokens.line(tokens)
    if behind := _AVERAGE_BEHIND.match(line):
        start, end = (line.count(" ", 0, behind.start("what")), line.count(" ", 0, behind.end("what")) + 1)
        return (
            *tokens[:start],
            new_tokens.word("average", tokens[0]),
            *tokens[start:end],
            *tokens[end + 2 :],
        )
    first = _AVERAGE_FIRST.match(line)
    last = _AVERAGE_LAST.search(line) if line.startswith("how long ") else None
    if first is None and last is None:
        return tokens
    start = first[0].count(" ") if first else 0
    end = line.count(" ", 0, last.start()) if last else len(tokens)
    if last is None:
        end = next((at for at in range(start, end) if tokens[at].text in {"?", ".", ";"}), end)
    said = [new_tokens.word(w, tokens[end - 1]) for w in ("on", "average")]
    if last:
        unit = new_tokens.word(last["unit"], tokens[end - 1])
        said += [new_tokens.word("in", tokens[end - 1]), replace(unit, lemma=singular(unit.text))]
    by = tokens[len(tokens) - last["by"].count(" ") :] if last and last["by"] else ()
    rest = () if last else tokens[end:]
    return (*tokens[start:end], *said, *by, *rest)


def and_a_half(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'an hour and a half' → '1.5 hours', 'two and a half hours' → '2.5 hours'."""
    words = [t.lower for t in tokens]
    for at in range(len(tokens) - 2):
        whole = _count(tokens[at])
        if whole and words[at + 1 : at + 4] == _AND_A_HALF and words[at] not in {"a", "an"}:
            return (*tokens[:at], _halves(tokens[at], whole), *tokens[at + 4 :])
        if whole and tokens[at + 1].lemma in _HALVED_UNITS and words[at + 2 : at + 5] == _AND_A_HALF:
            return (*tokens[:at], _halves(tokens[at], whole), tokens[at + 1], *tokens[at + 5 :])
    return tokens


def _count(token: Token) -> int:
    """How many a token says, 0 for none."""
    if token.lower in _WORDS_FOR_ONE:
        return 1
    return int(token.lemma) if token.kind == "number" and token.lemma.isdecimal() else 0


def _halves(beside: Token, whole: int) -> Token:
    text = f"{whole}.5"
    return replace(beside, text=text, lower=text, lemma=text, kind="number")


def done_per_unit(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'orders shipped per month' → 'number of orders shipped per month'."""
    start = next((at for at, t in enumerate(tokens) if t.lower not in new_tokens.REQUESTS), len(tokens))
    if start + 3 >= len(tokens) or any(t.lower in _FIGURE_WORDS for t in tokens):
        return tokens
    thing, done, per, unit = tokens[start : start + 4]
    several = thing.kind == "word" and thing.lower != thing.lemma
    said = _PARTICIPLE.fullmatch(done.lower) is not None and per.lower in {"per", "by", "each", "every"}
    if not several or not said or unit.lower not in _TIME_UNITS:
        return tokens
    lead = [new_tokens.word(word, thing) for word in ("number", "of")]
    return (*tokens[:start], *lead, *tokens[start:])


def every_unit(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'monthly payments 2007' → 'payments by month 2007'; 'monthly sales' stay as they are."""
    start = next((at for at, t in enumerate(tokens) if t.lower not in new_tokens.REQUESTS), len(tokens))
    if start + 1 >= len(tokens) or tokens[start].lower not in _UNIT_OF_ADVERB:
        return tokens
    thing = tokens[start + 1]
    if thing.kind != "word" or thing.lower == thing.lemma or thing.lower in _AMOUNTS:
        return tokens
    unit = [new_tokens.word(word, tokens[start]) for word in ("by", _UNIT_OF_ADVERB[tokens[start].lower])]
    return (*tokens[:start], thing, *unit, *tokens[start + 2 :])


def report_to(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'who does employee 5 report to?' → 'who is the boss of employee 5 ?'."""
    words = [t.lower for t in tokens]
    end = len(words) - (bool(tokens) and tokens[-1].kind == "punct")
    asked = words[:1] in (["who"], ["whom"]) and words[1:2] in (["does"], ["did"], ["do"])
    if not asked or end < len(_REPORT_TO) + 3 or tuple(words[end - 2 : end]) != _REPORT_TO:
        return tokens
    lead = [new_tokens.word(word, tokens[0]) for word in ("who", "is", "the", "boss", "of")]
    return (*lead, *tokens[2 : end - 2], *tokens[end:])


def together(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the cost of all films together' → 'the total cost of all films'."""
    words = [t.lower for t in tokens]
    end = len(words) - (bool(tokens) and tokens[-1].kind == "punct")
    all_of = next((at for at in range(1, end - 1) if words[at : at + 2] == ["of", "all"]), 0)
    if not all_of or words[end - 1] not in _TOGETHER_WORDS:
        return tokens
    start = next((at for at in range(all_of) if words[at] not in new_tokens.REQUESTS | _COPULAS), all_of)
    if start == all_of or all_of - start > _MAX_SHARE_WORDS or {*words[start:all_of]} & _AGGREGATE_WORDS:
        return tokens
    total = new_tokens.word("total", tokens[start])
    return (*tokens[:start], total, *tokens[start : end - 1], *tokens[end:])


_BEFORE_WORTH_COLUMN: Final = frozenset(
    {"net", "by", "of", "the", "their", "its", "total", "and", "ascending", "descending", "'s"}
)
"""Behind these 'worth' is a column: 'the singers ordered by net worth'."""


_BEHIND_WORTH: Final = frozenset({"", "?", ".", ",", "per", "by", "in", "for"})
_GREATEST_IN_VALUE: Final = re.compile(
    r"(?<!\S)(?:is|was|were|are) (?:the )?(?P<how>biggest|largest|highest|greatest|smallest|lowest)(?: ever)?"
    r" (?:in|by) (?:total )?(?P<what>value|revenue|amount|worth)(?!\S)"
)


def worth(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'what is order 5 worth?' → 'total value of order 5 ?', 'what were the sales of May worth per shop' too.

    'Which order was the biggest in value' is the one that had the highest value.
    """
    line = new_tokens.line(tokens)
    if found := _GREATEST_IN_VALUE.search(line):
        start, end = line.count(" ", 0, found.start()), line.count(" ", 0, found.end()) + 1
        how = "lowest" if found["how"] in {"smallest", "lowest"} else "highest"
        said = ["with", "the", how, found["what"].replace("worth", "value")]
        return (*tokens[:start], *(new_tokens.word(w, tokens[start]) for w in said), *tokens[end:])
    words = line.split(" ")
    lead = 3 if words[:2] == ["how", "much"] else 2
    asked = lead == 3 or words[:1] == ["what"]
    at = next((n for n in range(lead + 1, len(words)) if words[n] == "worth"), 0)
    if not (asked and at and {*words[lead - 1 : lead]} & {"is", "are", "was", "were"}):
        return tokens
    if words[at - 1] in _BEFORE_WORTH_COLUMN or "".join(words[at + 1 : at + 2]) not in _BEHIND_WORTH:
        return tokens
    said = ["total", "value", "of"]
    return (*(new_tokens.word(w, tokens[0]) for w in said), *tokens[lead:at], *tokens[at + 1 :])


_TOTAL_QUESTION: Final = re.compile(
    r"(?: [,;-])?(?: and| with)?"
    r"(?: (?:what|how much)(?: money)? (?:do|does|did|is|are|was|were) (?:they|these|those|it|that|this)"
    r"(?: all)?(?: (?:(?:add|sum) up to|sum to|amount to|come to|total|worth))?"
    r"| (?:(?:what|how much) (?:is|are|was|were) )?(?:their|the) (?:(?:combined|grand|overall|total) )?"
    r"(?:total|sum|worth|value))"
    r"(?: (?:in total|in all|altogether|together|combined))?(?: ,(?= by | per ))?"
    r"(?= [?.]$|$| (?:by|per|for each) )"
)


def what_they_come_to(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'how many bills are open and what do they add up to?' → '… and the total value of bills'."""
    line = new_tokens.line(tokens)
    counted = re.match(r"(?:(?:show|give|me|what|is|the) )*(?:how many|(?:number|count) of) ", line)
    found = _TOTAL_QUESTION.search(line, counted.end() - 1) if counted else None
    if counted is None or found is None or not re.match(r" (?:[,;-]|and|with) ", found[0]):
        return tokens
    first, start = (line.count(" ", 0, at) for at in (counted.end(), found.start()))
    end = start + found[0].count(" ")
    start += 1
    several = [t.kind == "word" and t.lower != t.lemma and t.lower.endswith("s") for t in tokens[:start]]
    last = next((at for at in range(first, start) if several[at] and not any(several[at + 1 : at + 2])), None)
    if last is None:
        return tokens
    said = (new_tokens.word(w, tokens[start]) for w in ("and", "the", "total", "value", "of"))
    things = next((at + 1 for at in range(last, first - 1, -1) if not several[at]), first)
    return (*tokens[:start], *said, *tokens[things : last + 1], *tokens[end + 1 :])


def copies(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'how many copies of X' → 'how many inventory of X', where that is the table of what is kept of it."""
    if "copy" in index.by_word:
        return tokens
    kept = next((w for w in _STOCK_TABLES if index.by_word.get(w, (frozenset(), frozenset()))[0]), "")
    if not kept:
        return tokens
    behind = [*(t.lower for t in tokens[1:]), ""]
    return tuple(
        new_tokens.word(kept, token) if token.lower == "copies" and after in _BEHIND_COPIES else token
        for token, after in zip(tokens, behind, strict=True)
    )


_SOLD: Final = "ordered|sold|bought|shipped|delivered|returned|produced|made|printed"
_PIECE_COUNT: Final = re.compile(
    r"(?<!\S)(?P<asked>how many |(?:the )?(?:total |overall )?(?:number|count) of |(?:the )?total )?"
    r"(?P<unit>pieces|copies|units)"
    rf"(?P<be> (?:were|was|are|have been|has been|had been)(?= (?:{_SOLD})(?: |$)))?"
    rf"(?= (?:{_SOLD}|did|do|does|were|was|have|has|that|of|in|per|by|for|from) | (?:{_SOLD})$| [?.,;)]|$)"
)
_LIST_ITEM_BEFORE: Final = re.compile(r"(?:by|,|and|with|:|\(|-) $")


def pieces(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'plants by number of pieces ordered' → '… by total quantity ordered', where rows have a quantity.

    'how many copies were sold' is 'total quantity sold', and so are 'copies sold' in a list.
    """
    line = new_tokens.line(tokens)
    for found in _PIECE_COUNT.finditer(line) if "quantity" in index.by_word else ():
        start, last = (line.count(" ", 0, at) for at in found.span())
        end = line.count(" ", 0, found.end("unit"))
        if tokens[end].lemma in index.by_word or not (
            found["asked"] or _LIST_ITEM_BEFORE.search(line[: found.start()])
        ):
            continue
        much = ("how", "much") if found["asked"] == "how many " and not found["be"] else ("total",)
        whose = _with_quantity(tokens[last + 1].lower, index) if found["be"] else ()
        said = (new_tokens.word(word, tokens[start]) for word in (*much, *whose, "quantity"))
        return pieces((*tokens[:start], *said, *tokens[last + 1 :]), index)
    return tokens


def _with_quantity(done: str, index: SchemaIndex) -> tuple[str, ...]:
    """Of 'ordered' the word order, where order lines have a quantity and nothing else that is called so."""
    tables = {index.columns[c].table for c in index.by_word["quantity"][1]}
    said = [w for t in tables for w in index.tables[t].words if stem(w) == stem(done)]
    return (said[0],) if len(said) == 1 < len(tables) else ()


def share_by(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'revenue share by category' → 'share of revenue by category', where no column is called so."""
    for at in range(1, len(tokens) - 2):
        if tokens[at].lower not in _SHARE_NOUNS or tokens[at + 1].lower not in {"by", "per"}:
            continue
        start = at
        while start > 0 and at - start < _MAX_SHARE_WORDS and tokens[start - 1].kind == "word":
            if tokens[start - 1].lower in _NO_SHARE_SUBJECTS:
                break
            start -= 1
        named = {t.lemma for t in tokens[at - 1 : at + 1]}
        if any(named == {*c.full} for c in index.columns):
            continue
        if start < at and not (start > 0 and tokens[start - 1].lower == "market"):
            of = new_tokens.word("of", tokens[at])
            return (*tokens[:start], tokens[at], of, *tokens[start:at], *tokens[at + 1 :])
    return tokens
