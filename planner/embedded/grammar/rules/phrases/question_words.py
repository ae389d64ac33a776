"""The question words: who did it, what did somebody do last, what is the highest and which has it.

Owns: wordings that ask for a thing without naming it. They are rewritten before other rules look.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import PLACES
from askwire.language.text import PARTICIPLE, listed
from askwire.planner.embedded.grammar.atoms import SPENDING, Beyond, IsValue, Superlative
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import VERB, RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule, rewrite
from askwire.planner.embedded.linking.implicit_columns import event_form

_EXTREME: Final = {"last": "max", "MAX~recent": "max", "MAX~late": "max", "first": "min", "MIN~early": "min"}
_FIRST_OR_LAST: Final = r"{when=last|first|MAX~recent|MAX~late|MIN~early}(?: time)?"
_TRADE_VERBS: Final = frozenset({"sold", "sell", "bought", "buy", "purchased", "ordered"})
_HAVING_VERBS: Final = (
    r"(?:(?:have|be|do|with|it|that|this|earn|get|got|make|made|charge|hold|reach|achieve|give|gave|pay|paid|"
    r"left|wrote|placed|set) ?){1,4}"
)
_SPEAKING_VERBS: Final = frozenset({"speak", "spoke", "spoken"})
"""Verbs that say no more than what is spoken: a language."""
_KIND_WORDS: Final = frozenset(listed("type types kind kinds category categories class status"))
_REQUEST: Final = r"(?:(?:what be|which be|show|give|find|tell|list|return|me|us|the) )*"
_WHO_OPENING: Final = r"^(?:(?:find|show|list|tell|me|us|out) )*who (?:do )?"
_PERSON: Final = r"{who=(?:M\d+ )?V\d+(?: V\d+)?}"
_WHAT_OPENING: Final = rf"^{{lead={_REQUEST}|what (?:be )?(?:the )*}}(?:the )*"
_DIRECTION_BEHIND: Final = re.compile(r"(?<!\S)(?:ascending|descending|increasing|decreasing)(?!\S)")
_IN_WHICH: Final = r"(?:on|in|at|for|from|by|to|with) (?:which|what)"
_TIME_WORDS: Final = frozenset(listed("time times date dates year years day days"))
_AGGREGATE_OF_WORD: Final = {"average": "AVG", "mean": "AVG", "avg": "AVG", "total": "SUM"}


def _event(context: RuleContext, verb: str) -> int | None:
    """The mention of what a verb records, said as a word or as the name of a table."""
    word = event_form(context.said(verb))
    event = context.oracle.event(word) if word else None
    if event is not None:
        context.spend(verb)
    return event


def _trailing(context: RuleContext, found: RuleMatch) -> str | None:
    """'Ann Lee is a customer at which company?': what is asked for stands last."""
    of = found["kind"].strip() or found["m"]
    if not of or (found["kind"] and found["m"]) or "table" not in context.kinds(int(of[1:])):
        return None
    context.consumed(found.text)
    return f"what be the {found['asked']} of {of} {found['values']}{found['stop']}"


# who: a table of people that the question does not name


def _subordinate(context: RuleContext, found: RuleMatch) -> str | None:
    """'who report to V0', where a table of people has managers of its own."""
    mention = context.oracle.party("subordinate")
    return None if mention is None else f"M{mention} who {found['rest']}"


def _who_then(context: RuleContext, found: RuleMatch) -> str | None:
    """'who be M0 last': who has the greatest time."""
    people = context.oracle.party("doer", [found.at("m")])
    if people is None:
        return None
    return f"which M{people} have {_EXTREME[found['when']].upper()} {found['m']}"


def _unnamed(context: RuleContext, found: RuleMatch) -> bool:
    """Whether 'who' is all that is said of who it is."""
    rest = found["rest"]
    if _REPORTING_TO.match(rest) or (
        _LAST_ASKED.fullmatch(rest) and "time" in context.kinds(int(rest[4:].split(" ")[0]))
    ):
        return False
    named = context.mentions(rest)
    return not any("person" in context.kinds(m) for m in named) and not re.match(r"be (?:the )?M\d", rest)


_REPORTING_TO: Final = re.compile(r"(?:be )?(?:report(?:ing)? to|managed by|supervised by|MAX~\w+ to) ")
_LAST_ASKED: Final = re.compile(r"be M\d+ (?:last|first|MAX~recent|MIN~early)(?: [.?])?")


def _doer(context: RuleContext, found: RuleMatch) -> str | None:
    """'who placed MOST M0': those who did it, by the tables that record it."""
    rest = found["rest"]
    named = context.mentions(rest)
    verb = re.sub(r"^(?:(?:have|currently|presently|still) )+", "", rest).split(" ", 1)[0]
    who = ""
    if is_mention(verb):
        verb = context.word(int(verb[1:]))
        who = "who " if PARTICIPLE.fullmatch(verb) else ""  # 'who rented' asks for no rentals
    events = [m for m in named if "table!" in context.kinds(m)]
    if events and event_form(verb) in _TRADE_VERBS:
        # 'who bought tracks': not who made them
        dealt = context.oracle.event(event_form(verb))
        apart = dealt is not None and not any(context.oracle.related(dealt, "same table", m) for m in events)
        events = [dealt] if dealt is not None and apart else events
    elif not events and event_form(verb):
        event = context.oracle.event(event_form(verb))
        if event is not None:
            events = [event]
            steps = context.oracle.steps(event)
            through = steps if re.search(r"(?<!\S)[VQ]\d", rest) else steps[-1:]
            rest = " ".join([*(f"M{m}" for m in through), *rest.removeprefix("have ").split(" ")[1:]])
    elif not events and verb in SPENDING:
        measure = context.measure("spent")
        events = [measure] if measure is not None else []
    values = [int(n) for n in re.findall(r"(?<!\S)V(\d+)", rest)]
    mention = context.oracle.party("doer", events or named, values, verb)
    if mention is None:
        return None
    context.understood(verb)
    return f"which M{mention} {who}{rest}"


# what somebody did, and when


def _things(context: RuleContext, found: RuleMatch) -> str | None:
    """'what did Ann order last': the things of her last order; 'what did Ann buy': all of them."""
    event = _event(context, found["verb"])
    if event is None:
        return None
    thing = found.at("m") if found["m"] else context.oracle.party("thing", [event])
    if thing is None or "table!" not in context.kinds(thing):
        return None
    through = " ".join(f"M{m}" for m in context.oracle.steps(event))
    asked = f"which M{thing} {through} {found['who']}"
    when = found["when"] or found["when2"]
    if not when:
        return asked
    moment = context.measure("time")
    if moment is None:
        return None
    hers = tuple(IsValue(int(n)) for n in re.findall(r"(?<!\S)V(\d+)", found["who"]))
    return f"{asked} {context.note(Beyond(moment, '=', _EXTREME[when], '', hers))}"


def _is_time_done(context: RuleContext, found: RuleMatch) -> bool:
    kinds = context.kinds(found.at("m"))
    last = context.encoded.mentions[found.at("m")].words[-1]
    done = "moment" in kinds and PARTICIPLE.fullmatch(last) is not None
    # 'shipped' is when it was, though there are addresses for it
    return done or (bool({"time", "moment"} & kinds) and "table!" not in kinds)


def _when_done(context: RuleContext, found: RuleMatch) -> str:
    """'when was employee 5 hired': the time at which it was done, of what it was done to."""
    if "table!" in context.kinds(found.at("m")):
        moment = context.measure("time")  # its verb tells which
        if moment is not None:
            context.spend(found["m"])
            return f"what be M{moment} of the {found['rest']}{found['more']}"
    context.spend(found["what"])
    context.understood(found["what"])
    return found.filled("what be {m} of the {rest}{more}")


def _when_and_where(context: RuleContext, found: RuleMatch) -> str | None:
    """'on which day and in which city was it below 20', 'when and in which city': both are asked for."""
    first = found.maybe("a") if found["a"] else context.measure("time")
    return None if first is None else f"what be M{first} and {found['b']} when"


def _time_of_it(context: RuleContext, found: RuleMatch) -> str | None:
    """'the time they took office', 'the date it was settled': the column that is called so."""
    who = found.maybe("who")
    if context.said(found["t"]) not in _TIME_WORDS:
        return None
    if who is not None and not context.oracle.related(found.at("m"), "column of", who):
        return None
    context.spend(found["t"])
    context.understood(found["t"])
    return found["m"] if who is None else found.filled("{m} of {who}")


def _did_it(context: RuleContext, found: RuleMatch) -> str | None:
    """'did Ann buy any jazz': whether what she did is recorded."""
    event = _event(context, found["verb"])
    if event is None:
        return None
    context.understood(found["verb"])
    return f"be {found['who']} {' '.join(f'M{m}' for m in context.oracle.steps(event))}"


def _nobody(context: RuleContext, found: RuleMatch) -> str | None:
    """'tracks nobody has bought', 'countries where nobody speaks V0': of which it is not so."""
    verb = found["verb"]
    known = event_form(context.said(verb))
    number = found.maybe("n") if found["n"] else found.maybe("one")
    if number is not None and context.encoded.numbers[number].text.lower() != "one":
        return None  # 'order no 5'
    if not (known or verb == "assigned") and re.match(r" ?(?:$|[?.])", found.behind):
        return None
    context.spend(found["who"])
    context.understood("nobody")
    if verb in _SPEAKING_VERBS and re.match(r" V\d", found.behind):
        context.understood(verb)
    return f"{found['m']} {'never' if known else 'not'} {verb}"


def _moment(context: RuleContext, found: RuleMatch) -> str | None:
    """'when did Ann last order': the greatest time of what she did."""
    event = _event(context, found["verb"])
    moment = context.measure("time") if event is not None else None
    if moment is None:
        return None
    return f"what be {_EXTREME[found['when']].upper()} M{moment} of M{event} {found['who']}"


def _when(context: RuleContext, found: RuleMatch) -> str | None:
    """'when did Ann visit the museum': the time of the visit."""
    moment = context.measure("time")
    return None if moment is None else f"what be M{moment} of {found['rest']}"


def _no_time_said(context: RuleContext, found: RuleMatch) -> bool:
    """Whether no column of times is named, nor the first or last of what was done, which is its time."""
    if re.search(r"(?<!\S)(?:first|last|next|MAX|MIN)", found["rest"]):
        return False
    named = [context.kinds(m) for m in context.mentions(found["rest"])]
    return any("table!" in kinds for kinds in named) and not any(
        {"time", "moment"} & kinds and "table!" not in kinds for kinds in named
    )


def _where(context: RuleContext, found: RuleMatch) -> str | None:
    """'where do Ann live': her address, or the city that is hers."""
    place = context.measure("place")
    if place is None:
        return None
    if found["verb"]:
        context.understood(found["verb"])
    return f"what be M{place} of {found['rest']}{found['more']}"


def _no_place_said(context: RuleContext, found: RuleMatch) -> bool:
    if re.search(r"(?<!\S)(?:MAX|MIN|MOST|LEAST|COUNT|GT|LT|GE|LE|most|each|every)", found["rest"]):
        return False  # of whom and how often is beyond 'where'
    places = set(PLACES.split("|"))
    return not any(places & set(context.word(m).split()) for m in context.mentions(found["rest"]))


def _never(context: RuleContext, found: RuleMatch) -> str | None:
    """'customers who ordered nothing': who never did."""
    return f"never {found['verb']}" if event_form(context.said(found["verb"])) else None


# and which has it


def _highest_and_whose(context: RuleContext, found: RuleMatch) -> str | None:
    """'what be MAX M0 and which M1 have it', '… and on which M1': the row that has it, with both."""
    said = found.maybe("b") if found["b"] else found.maybe("c")
    whose = said if said is not None else context.oracle.party("doer", [found.at("a")])
    if whose is None or "numeric" not in context.kinds(found.at("a")):
        return None
    context.rank(Superlative(found.at("a"), found["sup"] == "MAX"))
    return f"what be {found['a']} and M{whose} S{found['rest']}{found['stop']}"


def _one_more(context: RuleContext, found: RuleMatch) -> str:
    """'… and which M1 be it in', '… and what be its M1': one thing more to show of the same."""
    del context
    thing = found["n"] or found["m"]
    return f"and its {thing}" if thing else f"and {found['k']}"


def _dealt(context: RuleContext, found: RuleMatch) -> str | None:
    """'which M0 bought MOST M1': through what records it, and by how many of them together."""
    verb = found["verb"]
    if is_mention(verb) and "table!" in context.kinds(int(verb[1:])):
        return None
    event = _event(context, verb)
    if event is None:
        return None
    things = found.at("o")
    recorded = {o.index for o in context.encoded.mentions[event].options}
    if any(o.table and o.index in recorded for o in context.encoded.mentions[things].options[:1]):
        return None
    measure = None
    if context.said(verb) in _TRADE_VERBS:
        measure = context.measure("units sold")
        measure = context.measure("sold") if measure is None else measure
    if measure is None:
        return f"{found['m']} M{event} {found['sup']} {found['o']}"
    context.rank(Superlative(measure, found["sup"] in {"MOST", "MAXCOUNT"}, 1, aggregate="sum"))
    if re.fullmatch(r" ?[?.]?", found.behind):
        # nothing is said of them: what was sold of them is where it is recorded
        context.spend(things)
        return f"{found['m']} M{event} S"
    return f"{found['m']} M{event} S {found['o']}"


# names that take a question's words in


def _compound(context: RuleContext, found: RuleMatch) -> str | None:
    """'what type of M0': the type of it, where the schema says both words together.

    A table of categories says more than the key to it.
    """
    kind, whole = found.at("k"), context.oracle.combined(found.at("k"), "of", found.at("m"))
    if whole is None:
        return None
    if {"table!", "named"} <= context.kinds(kind) and "table" not in context.kinds(whole):
        context.encoded.spent.difference_update({kind, found.at("m")})
        return None
    return f"M{whole}"


def _is_kind(context: RuleContext, found: RuleMatch) -> bool:
    return context.word(found.at("k")) in _KIND_WORDS


def _says_total(context: RuleContext, found: RuleMatch) -> bool:
    return context.encoded.mentions[found.at("t")].words in {("total", "number"), ("total",)}


def _total_as_count(context: RuleContext, found: RuleMatch) -> str:
    """'the total number of M0', where a total of something else sounds like it."""
    context.spend(found["t"])
    return "COUNT"


def _absorbed(context: RuleContext, found: RuleMatch) -> str | None:
    """'the average salary by M1' of a column that is called average salary: the average of its rows."""
    start = context.encoded.mentions[found.at("m")].start
    aggregate = _AGGREGATE_OF_WORD[context.encoded.tokens[start].lower]
    return f"{found['lead']}{aggregate} {found['m']}"


def _is_absorbed(context: RuleContext, found: RuleMatch) -> bool:
    kinds, start = context.kinds(found.at("m")), context.encoded.mentions[found.at("m")].start
    if _DIRECTION_BEHIND.search(found.behind):
        return False  # one sum has no order: the totals of the rows
    aggregate = _AGGREGATE_OF_WORD.get(context.encoded.tokens[start].lower) if start >= 0 else None
    return {"AVG": "averaged", "SUM": "summed"}.get(aggregate or "", "") in kinds


def _kept_total(context: RuleContext, found: RuleMatch) -> str | None:
    """'how many students were enrolled', where a column holds how many were: their sum."""
    verb, who = found["verb"], found["who"]
    word = context.said(verb)
    total = context.oracle.total(word) if word else None
    if total is None:
        return None
    context.understood(word)
    if not who[1:].isdigit():
        context.understood(who)
    context.spend(who, verb)
    return f"SUM M{total}" + (f" {who}" if who[0] == "V" else "")


def _is_row_named(context: RuleContext, found: RuleMatch) -> bool:
    who = found["who"]
    return not (is_mention(who) and "named" in context.kinds(int(who[1:])))


def _percent(context: RuleContext, found: RuleMatch) -> str:
    """'what percentage of M0 M1', where a column holds percentages."""
    grouped = re.search(r" (?:by|per|each) ", context.symbols)
    return f"what be {'AVG ' if grouped else ''}{found['m']}"


RULES: Final = in_order(
    Rule(
        "question_words/trailing",
        r"^(?:(?:the|our) )?{kind=M\d+ }?{values=V\d+(?: V\d+)?} {verb=[a-z]+}(?: (?:a|an|the|on|of))*"
        r"(?: {m})? (?:(?:at|in|to|of|for|from|by|on|with|under) )?(?:which|what) {asked}{stop= ?[?.]*}$",
        _trailing,
        examples=(
            Example("V0[1] V1[2] be a M0[table] at which M1 ?", "what be the M1 of M0 V0 V1 ?"),
            Example("the M0[table] V0[1] belong to which M1", "what be the M1 of M0 V0"),
            Example("V0[1] be in which M0", "V0 be in which M0"),
            Example("V0[1] M0[table!] in which M1", "V0 M0 in which M1"),
        ),
    ),
    Rule(
        "question_words/who_reports",
        rf"{_WHO_OPENING}{{rest={_REPORTING_TO.pattern}.+}}",
        _subordinate,
        examples=(Example("who report to V0[1]", "M0 who report to V0", schema={"party subordinate": 0}),),
    ),
    Rule(
        "question_words/who_last",
        rf"{_WHO_OPENING}be {{m:time}} {{when=last|first|MAX~recent|MIN~early}}(?: [.?])?$",
        _who_then,
        examples=(Example("who be M0[time] last", "which M1 have MAX M0", schema={"party doer M0": 1}),),
    ),
    Rule(
        "question_words/who_did",
        rf"{_WHO_OPENING}{{rest=.+}}$",
        _doer,
        guard=_unnamed,
        examples=(
            Example(
                "who placed MOST M0[table!]", "which M1 placed MOST M0", schema={"party doer M0 placed": 1}
            ),
            Example("who be M0[person]", "who be M0"),
        ),
    ),
    Rule(
        "question_words/what_somebody_did",
        rf"(?:what|which) (?:{{m}} )?(?:do|have) (?:the )?{_PERSON} (?:{_FIRST_OR_LAST} )?{VERB}"
        rf"(?: {_FIRST_OR_LAST.replace('{when', '{when2')})?(?= ?$| \?)",
        _things,
        examples=(
            Example(
                "what do V0[1] buy",
                "which M1 M0 V0",
                schema={"event buy": 0, "party thing M0": 1, "kinds M1": "table!", "steps M0": (0,)},
            ),
            Example(
                "what do V0[1] buy last",
                "which M1 M0 V0 C0",
                ("C0: M2 = max of all where ? = V0",),
                schema={
                    "event buy": 0,
                    "party thing M0": 1,
                    "kinds M1": "table!",
                    "steps M0": (0,),
                    "measure time": 2,
                },
            ),
        ),
    ),
    Rule(
        "question_words/did_it",
        rf"^(?:do|have) (?:the )?{_PERSON}(?: ever)? {VERB}(?: (?:any|a|an|some|the|ever))*",
        _did_it,
        examples=(
            Example("do V0[1] buy any V1[2]", "be V0 M0 V1", schema={"event buy": 0, "steps M0": (0,)}),
        ),
    ),
    Rule(
        "question_words/nobody",
        r"{m:table!} (?:(?:that|which|where|whom|by|for|on|in|to|at|with|from|have|do) )*"
        r"(?:nobody|no person|no {n:number}|not {one:number} {who:table!}) "
        rf"(?:(?:have|do|ever|be) )*{VERB}",
        _nobody,
        examples=(
            Example("M0[table!] nobody have bought", "M0 never bought"),
            Example("M0[table!] where nobody speak V0[1]", "M0 not speak V0"),
            Example("M0[table!] on which nobody have ever recorded M1", "M0 not recorded M1"),
            Example("M0[table!] that not N0[one] M1[table!] have bought", "M0 never bought"),
            Example("M0[table!] no N0[5] bought", "M0 no N0 bought"),
            Example("M0[table!] nobody like", "M0 nobody like"),
        ),
    ),
    Rule(
        "question_words/when_last",
        rf"when (?:do|have|be) (?:the )?{_PERSON} {_FIRST_OR_LAST} {VERB}(?= ?$| \?)",
        _moment,
        examples=(
            Example(
                "when do V0[1] last M0[order]",
                "what be MAX M2 of M1 V0",
                schema={"event ordered": 1, "measure time": 2},
            ),
        ),
    ),
    Rule(
        "question_words/when_done",
        r"^when (?:do|have|be) (?:the )?{rest=.*?M\d+.*?} {m}"
        r"(?: (?:a|an|the|our) {what=M\d+|company|firm|business|organi[sz]ation})?{more=(?: [?.].*)?}$",
        _when_done,
        guard=_is_time_done,
        examples=(
            Example("when be M0[table!] with M1 N0[5] M2[moment] ?", "what be M2 of the M0 with M1 N0 ?"),
            Example("when do M0[table!] V0[1] M1[moment] ?", "what be M1 of the M0 V0 ?"),
            Example("when be V0[1] M1[moment] ?", "when be V0 M1 ?"),
            Example("when do M0[table!] V0[1] M1[time joined] the company ?", "what be M1 of the M0 V0 ?"),
            Example("when do M0[table!] V0[1] M1[table!] ?", "when do M0 V0 M1 ?"),
            Example(
                "when be M0[table!] V0[1] M1[table! moment shipped] ?",
                "what be M2 of the M0 V0 ?",
                schema={"measure time": 2},
            ),
        ),
    ),
    Rule(
        "question_words/when_and_where",
        rf"^(?:when|{_IN_WHICH} {{a:column}}) and {_IN_WHICH} {{b:column}}(?= (?:be|do|have) )",
        _when_and_where,
        examples=(
            Example("on which M0[column] and in which M1[column] be C0", "what be M0 and M1 when be C0"),
            Example(
                "when and in what M0[column] do C0",
                "what be M1 and M0 when do C0",
                schema={"measure time": 1},
            ),
            Example("which M0[column] and which M1[column] be C0", "which M0 and which M1 be C0"),
        ),
    ),
    Rule(
        "question_words/time_of_it",
        r"(?:the )?{t=M\d+|time|date|year|day} (?:(?:when|that|at which|in which|on which) )?"
        r"(?:they|he|she|it|(?:the|each) {who:table!}) (?:(?:have|be) )?{m:time,column!}",
        _time_of_it,
        examples=(
            Example("the time they M0[time column!]", "M0"),
            Example("the M0[date] it be M1[time column!]", "M1"),
            Example("the M0[name] it be M1[time column!]", "the M0 it be M1"),
            Example(
                "the M0[date] the M1[table!] be M2[time column!]",
                "M2 of M1",
                schema={"M2 column of M1": True},
            ),
        ),
    ),
    Rule(
        "question_words/when_did",
        r"^when (?:do|have|be) (?:the )?{rest=.+}$",
        _when,
        guard=_no_time_said,
        examples=(
            Example("when do V0[1] M0[table!] V1[2]", "what be M1 of V0 M0 V1", schema={"measure time": 1}),
            Example("when do M0[table!] M1[moment]", "when do M0 M1"),
        ),
    ),
    Rule(
        "question_words/where_is",
        r"^where (?:do|have|be) (?:the )?{rest=.*?[MV]\d+(?: .*?)??}"
        r"(?: {verb=live|lives|reside|based|located|situated|stay|work|play|held|found})?(?: in| at)?"
        r"{more=(?: [?.].*)?}$",
        _where,
        guard=_no_place_said,
        examples=(
            Example("where do V0[1] live", "what be M0 of V0", schema={"measure place": 0}),
            Example("where be M0[table!] located ?", "what be M1 of M0 ?", schema={"measure place": 1}),
            Example("where be M0[city] of M1", "where be M0 of M1"),
        ),
    ),
    Rule(
        "question_words/highest_and_whose",
        rf"^{{lead={_REQUEST}}}{{sup=MAX|MIN}}(?:~\w+)? {{a:-table!}}{{rest=(?: (?!and)\S+)*?}}(?: ?,)? "
        rf"and (?:(?:which|what|who|whose) (?:{{b}} )?{_HAVING_VERBS}"
        r"|(?:in|on|for|at|from|by|of|to) (?:which|what) {c}){stop= ?[?.]}?$",
        _highest_and_whose,
        examples=(
            Example("what be MAX M0[numeric] , and on which M1 ?", "what be M0 and M1 S ?", ("top 1 by M0",)),
            Example("what be MAX M0[numeric] and which M1 have", "what be M0 and M1 S", ("top 1 by M0",)),
            Example(
                "what be MIN M0[numeric] and who gave",
                "what be M0 and M1 S",
                ("bottom 1 by M0",),
                schema={"party doer M0": 1},
            ),
        ),
    ),
    Rule(
        "question_words/in_which_two",
        r"^(?:(?:in|on|at|from|for|to) )?which {a} and (?:(?:in|on|at|from|for|to) )?which {b}"
        r"(?= (?:do|be|have) )",
        rewrite("which {a} and {b}"),
        examples=(Example("in which M0 and in which M1 do M2 occur", "which M0 and M1 do M2 occur"),),
    ),
    Rule(
        "question_words/one_more",
        r",? ?and (?:which|what) (?:{m} (?:be|do|have) (?:it|they|he|she|that)(?: [a-z]+){0,2}|"
        r"be (?:its|their|his|her) {n}|{k} it [a-z]+ (?:to|in|from)){END}",
        _one_more,
        examples=(Example("and what M0 be it", "and its M0"),),
    ),
    Rule(
        "question_words/dealt_most",
        r"{m:table!} (?:(?:have|who|that) )*{verb=[a-z]+|M\d+} {sup=MOST|LEAST|MAXCOUNT|MINCOUNT} "
        r"(?:(?:different|unit|of) )*{o:table!}",
        _dealt,
        examples=(
            Example(
                "M0[table!] bought MOST M1[table!]",
                "M0 M2 S",
                ("top 1 by sum M3",),
                schema={"event bought": 2, "measure units sold": 3},
            ),
        ),
    ),
    Rule(
        "question_words/nothing",
        r"{verb=M\d+|[a-z]+} nothing",
        _never,
        examples=(Example("M0[ordered] nothing", "never M0"),),
    ),
    Rule(
        "question_words/type_of",
        r"{k} of (?:(?:the|a) )*{m}",
        _compound,
        guard=_is_kind,
        examples=(
            Example("M0[type] of M1", "M2", schema={"M0 of M1": 2}),
            Example("M0[table! named category] of M1", "M0 of M1", schema={"M0 of M1": 2}),
            Example("M0[name] of M1", "M0 of M1"),
        ),
    ),
    Rule(
        "question_words/total_of",
        r"{t} of(?= (?:(?:the|all) )*M\d)",
        _total_as_count,
        guard=_says_total,
        examples=(
            Example("M0[total] of M1", "COUNT M1"),
            Example("M0[sales] of M1", "M0 of M1"),
        ),
    ),
    Rule(
        "question_words/resident_count",
        r"{m:table!} count(?= ?$| [.?,]| and )",
        rewrite("COUNT {m}"),
        examples=(Example("M0[table!] count", "COUNT M0"),),
    ),
    Rule(
        "question_words/column_of_averages",
        rf"{_WHAT_OPENING}{{m}}(?! (?:and|,|be|of each|M\d))",
        _absorbed,
        guard=_is_absorbed,
        examples=(
            Example("M0[summed total]", "SUM M0"),
            Example("M0[averaged salary]", "M0"),
            Example("M0[summed total] in descending order", "M0 in descending order"),
        ),
    ),
    Rule(
        "question_words/column_of_totals",
        r"COUNT {who=[MV]\d+|person|victim} (?:(?:be|have|that|who|do|get) )*{verb=[a-z]+|M\d+}(?= |$)",
        _kept_total,
        guard=_is_row_named,
        examples=(
            Example("COUNT M0 M1[games]", "SUM M2", schema={"total games": 2}),
            Example("COUNT M0[named table! students] enrolled", "COUNT M0 enrolled"),
        ),
    ),
    Rule(
        "question_words/column_of_percentages",
        r"(?:what )?(?:PERCENT|SHARE) (?:M\d+ |V\d+ )?(?:(?:be|have|that|who) )*{m:percent}",
        _percent,
        examples=(Example("PERCENT M0[percent]", "what be M0"),),
    ),
    Rule(
        "question_words/pays_highest",
        r"(?:pay|give|charge|offer|provide)s? (?:(?:its|their|his|her|the) )?M\d+ {sup=MAX|MIN} {m:numeric!}",
        rewrite("with {sup} {m}"),
        examples=(Example("pay M0 MAX M1[numeric!]", "with MAX M1"),),
    ),
    after=("job_titles",),
)
