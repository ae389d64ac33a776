"""What is measured: averages of counts, differences, counts left unsaid, what was spent, the first of all.

Owns: measures that a wording means without naming an aggregate. They are rewritten before the rules of
single clauses.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import AMOUNT_WORDS, ENDS, FUNCTION_WORDS, MEASURE_WORDS
from askwire.language.text import PARTICIPLE, listed, singular
from askwire.planner.embedded.grammar.atoms import FIGURE, IsNull, Output, SortKey, Superlative
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule, rewrite

_REQUEST: Final = r"(?:(?:show|list|give|me|the|all|display|get|our|of|please|compare) )*"
_CONDITION_PHRASES: Final = (
    r"(?: (?:(?:in|on|for|by|during|since|from|of(?= [ND])|SINCE|BEFORE|AFTER) (?:the )?[VND]|C)\d+)*"
)
_LISTING_VERB: Final = re.compile(r"\b(?:list|show|display|give)\b")
_TIME_WORDS: Final = frozenset(listed("hour hours minute minutes day days time"))
_TIME_BEHIND: Final = re.compile(r" (?:hour|minute|day|night|week|time)(?!\S)")
_SPENDING: Final = r"(?:spend|spent|pay|paid|cost)"
_EARNING: Final = "make|made|earn|earned|bring in|brought in|generate|generated|get|got|receive|received"
_THEY: Final = r"(?:(?:do|have|be) )?(?:(?:they|each|he|she|it|of them|one|every) )+(?:(?:have|do|each) )*"
_STATE: Final = "|".join(ENDS)
_NEWEST: Final = frozenset({"MAX~new", "MAX~late", "MAX~recent", "last", "MAX~old"})
_EARLIEST: Final = frozenset({"first", "MIN~early", "MIN~old", "MAX~old"})


def _share(context: RuleContext, found: RuleMatch) -> str:
    context.flags.add("percent" if found.text == "PERCENT" else "share")
    return "COUNT"


def _average_of_counts(context: RuleContext, found: RuleMatch) -> str:
    """'AVG lines per order' is the average of counts, 'AVG salary per department' that of amounts."""
    thing = context.encoded.tokens[context.encoded.mentions[found.at("a")].end - 1]
    if thing.lower == thing.lemma and thing.lemma in AMOUNT_WORDS:
        amount = context.oracle.total(found.at("a"))
        if amount is not None:
            context.groups.append(Output(found.at("b")))
            return f"AVG M{amount} G{found.at('b')}"
    context.flags.add("average_count")
    context.groups.append(Output(found.at("b")))
    return f"COUNT {found['such']}{found['a']} G{found.at('b')}"


def _people_done(context: RuleContext, found: RuleMatch) -> str:
    """'by the number of people killed', where a column holds how many were."""
    context.spend(found["p"])
    return found["k"]


def _are_done(context: RuleContext, found: RuleMatch) -> bool:
    ranked = re.search(r"(?:order of|by|by the|MAX|MIN) $", found.before) is not None
    return ranked and PARTICIPLE.fullmatch(context.said(found["k"]) or "") is not None


_LEAST_WORDS: Final = frozenset({"min", "minimum", "lowest", "smallest"})


def _gap(context: RuleContext, found: RuleMatch) -> str | None:
    """'difference between M0 and M1': of two times the later less the earlier, and of the most the least."""
    first, second = found.at("a"), found.at("b")
    least = {*context.encoded.mentions[first].words} & _LEAST_WORDS and "table!" not in context.kinds(first)
    if "time" in context.kinds(first) or least:
        first, second = second, first
    difference = context.oracle.combined(first, "-", second)
    return None if difference is None else f"M{difference}"


def _minus(context: RuleContext, found: RuleMatch) -> str | None:
    """'margin per M0 , M1 minus M2'."""
    difference = context.oracle.combined(found.at("a"), "-", found.at("b"))
    if difference is None:
        return None
    return f"M{difference} of {found['of']}" if found["of"] else f"M{difference}"


def _measured_per(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 per M1' of a measure is its sum, or the average of what does not add up."""
    kind = found["kind"].split()
    if not all(_says_which(context, symbol) for symbol in kind):
        return None
    what, by = found.at("what"), found.maybe("by")
    rated, option = "rated" in context.kinds(what), context.encoded.mentions[what].options[:1]
    multiplied = any(o.factor is not None and o.operator == "*" for o in option)  # 'stock value'
    total = "AVG" if rated and not multiplied else "SUM"
    rows = rated and by is not None and "table!" in context.kinds(by)
    if rows and context.oracle.related(what, "column of", by or 0):
        # 'hourly rate per work center': each has one
        return found.filled("{by} and {kind} {what} {of} {when}")
    return found.filled("{kind} " + total + " {what} {of} {when} per {by} {unit}")


def _says_which(context: RuleContext, symbol: str) -> bool:
    """Whether a symbol before an amount says of which rows it is: 'roaming charges', 'order subtotal'."""
    if is_mention(symbol):
        kinds = context.kinds(int(symbol[1:]))
        return "flag" in kinds or "table!" in kinds
    return not symbol.islower() or symbol not in FUNCTION_WORDS or symbol in {"order", "total", "data"}


_COUNT_BY_GROUP: Final = re.compile(
    rf"^(COUNT (?:(?:[VM]\d+|{_STATE}) (?:and )?)+(?:\w+ (?:the )?[VND]\d+ )*)by (?=M)"
)


_DOERS_WITH_COLUMNS: Final = re.compile(
    r"by M\d+ (?:from|in|named|called|who|that|with|living|based) .*[VCM]\d+ , "
    r"(?:EQ )?M\d+(?: (?:and|,)+ M\d+)+(?: [.?])*"
)
"""By whom such rows are, and the columns of them to show."""


_BY_DOERS: Final = re.compile(
    r"by (?:the )?M(?P<m>\d+) (?:who |that |which |be )*"
    r"(?:(?:from|in|of|named|called|with|living|based|born) .*[VC]\d+.*|(?P<people>C\d+(?: [?.])?))"
)


def _made_by(context: RuleContext, rest: str) -> bool:
    """Whether 'by' names the owner of the rows, one of several: 'by artists from Peru'."""
    found = _BY_DOERS.fullmatch(rest)
    if found is None or ("person" if found["people"] else "table") not in context.kinds(int(found["m"])):
        return False
    return context.several(int(found["m"]))


_BY_COLUMNS: Final = re.compile(r"by (?:(?:their|its|the) )?M\d+(?:(?: ,)?(?: and| then)? M\d+)*(?: [?.])?")


def _counted_per(context: RuleContext, found: RuleMatch) -> str | None:
    """'orders per month': a count that is meant though not said; 'list the products in each line' is none."""
    if _LISTING_VERB.search(found["lead"]) and found["rest"].startswith(("for e", "in e")):
        return None
    if not context.counts(found.at("what")):
        return None  # 'admission per month' may be a time
    if _DOERS_WITH_COLUMNS.fullmatch(found["rest"]) or _made_by(context, found["rest"]):
        return None  # 'songs by artists from Peru' lists songs
    by = _BY_COLUMNS.fullmatch(found["rest"])
    if by and all(context.oracle.related(m, "names", found.at("what")) for m in context.mentions(by[0])):
        return f"{found.text.removesuffix(found['rest'])}sorted {found['rest']}"  # 'customers by last name'
    keys = context.mentions(by[0]) if by else []
    if (
        len(keys) == 1
        and context.word(keys[0]) == "name"
        and "nameless" not in context.kinds(found.at("what"))
    ):
        context.spend(keys[0])  # whatever they are called by
        return f"{found.text.removesuffix(found['rest'])}sorted by {found['what']}"
    if (other := found["other"].strip()) and not _says_which(context, other):
        return None
    if found["done"] and PARTICIPLE.fullmatch(context.word(found.at("done"))) is None:
        return None
    context.spend(found["done"])
    named = singular(context.word(found.at("what"))) in MEASURE_WORDS
    amount = context.oracle.total(found.at("what")) if named else None
    if amount is not None:
        # 'sales by region' are what the sales come to, though a table is called so
        rest = re.sub(r"^by (?=M)", "per ", found["rest"])
        return f"{found['other']}SUM M{amount} of {found['kind']}{found['what']}{found['when']} {rest}"
    there = ""
    if {"happening", "optional"} <= context.kinds(found.at("what")):
        # a discharge has its time
        there = f" {context.note(IsNull(found.at('what'), negated=True, moment=True))}"
    line = f"COUNT {found['kind']}{found['what']}{found['when']}{there} {found['rest']}"
    return found["other"] + _COUNT_BY_GROUP.sub(r"\1per ", line)


def _counted_and_summed(context: RuleContext, found: RuleMatch) -> str | None:
    """'orders and revenue per month': how many, and what they come to."""
    things, amount = found.at("a"), found.at("b")
    if not (context.counts(things) and context.several(things)):
        return None
    if not (found["sum"].strip() or singular(context.word(amount)) in MEASURE_WORDS):
        return None  # 'products and price by category' are shown
    return f"COUNT {found['a']} and SUM {found['b']}{found['when']} {found['per']}"


def _happened_to(context: RuleContext, found: RuleMatch) -> str | None:
    """'deleted customers', 'the most deleted customers': those of which the time of it is kept."""
    if not context.oracle.related(found.at("m"), "column of", found.at("t")):
        return None
    done = not found["not"]
    context.consumed("non" if found["not"] else "")
    return f"{context.note(IsNull(found.at('m'), negated=done, moment=True))} {found['t']}"


def _spent_most(context: RuleContext, found: RuleMatch) -> str | None:
    """'customers who spent the most'; of 'paid' that says how bills are only those count that are."""
    if found["amount"] and context.word(found.at("amount")) in _TIME_WORDS:
        context.consumed(found.text)
        return found.filled("have {sup} {n} {amount}")  # no money
    spent = None if _TIME_BEHIND.match(found.behind) else context.measure("spent")
    if spent is None or (found["paid"] and context.words_of(found["paid"]).lower() != "paid"):
        return None
    paid = found["paid"]
    if paid[:1] == "M" and "moment" in context.kinds(int(paid[1:])):
        paid = context.note(IsNull(int(paid[1:]), negated=True, moment=True))
    if paid:
        ranked = context.rank(Superlative(spent, found["sup"] in {"MOST", "MAX"}, 1, aggregate="sum"))
        return f"{paid} {ranked}"
    limit = context.limited(found.maybe("n"))
    ranked = context.rank(Superlative(spent, found["sup"] in {"MOST", "MAX"}, limit, aggregate="sum"))
    if found["amount"] and context.word(found.at("amount")) not in {"amount", "sum", "total"}:
        return f"{ranked} {found['amount']}"
    context.spend(found["amount"])
    return ranked


def _spent_by(context: RuleContext, found: RuleMatch) -> str | None:
    """'how much did Ann spend'."""
    spent = context.measure("spent")
    if spent is None:
        return None
    context.consumed(found.text.removeprefix("SUM").replace(found["who"], ""))
    return f"SUM M{spent} of {found['who']}"


def _did_we(context: RuleContext, found: RuleMatch) -> str | None:
    """'how much did we refund in 2024': what the refunds come to."""
    amount = context.oracle.total(found.at("m"))
    if amount is None:
        return None
    context.consumed(found.text)
    return f"SUM M{amount} of {found['m']}"


def _and_spent(context: RuleContext, found: RuleMatch) -> str | None:
    """'customers and how much they spent': what each of them did."""
    spent = context.measure("spent")
    if spent is None:
        return None
    context.consumed(found.text)
    return f"and SUM M{spent}"


def _when_first(context: RuleContext, found: RuleMatch) -> str | None:
    """'when was the first order placed' asks for the least time."""
    moment = context.measure("time")
    if moment is None:
        return None
    return (
        f"what be {'MIN' if found['which'] in _EARLIEST else 'MAX'} M{moment} of {found['kind']}{found['m']}"
    )


_REQUEST_BEFORE: Final = re.compile(
    r"(?:(?:show|list|find|give|get|display|return|me|what|which|who|be|please|tell) )*"
)


_WHICH_ROWS: Final = (
    "in|on|by|of|from|to|with|for|at|through|via|whose|where|that|BEFORE|AFTER|SINCE|GE|LE|between|during|"
    "within"
)
"""Words before what says which rows are meant."""
_DATE_WORDS: Final = frozenset({"date", "day", "time"})


def _first_rows(context: RuleContext, found: RuleMatch) -> str | None:
    """'newest 3 products', 'the last 5 orders', 'the first hired nurse': rows by their time."""
    which = found["which"]
    of_each = re.match(r" (?:of|for|in|by) (?:each|every) ", found.behind)
    told = any(found[name] for name in ("n", "n2", "the", "date")) or of_each
    if not (told or which not in {"last", "first"} or _REQUEST_BEFORE.fullmatch(found.before)):
        return None
    if found["date"] and not of_each and re.search(r"(?<!\S)(?:per|each|every) ", context.symbols):
        return None  # of each one: `ends_of_each` has them
    adjective = "old" if "old" in which else ""
    owner, done = found.at("m"), found.maybe("done")
    newest = which in _NEWEST
    if done is None:
        moment = context.measure(adjective or "time")
        own = moment is not None and context.oracle.related(moment, "column of", owner)
        if adjective and not own and context.oracle.times(owner):  # 'the oldest invoice' has no age
            moment, adjective, newest = context.measure("time"), "", not newest
    else:
        named = PARTICIPLE.fullmatch(context.word(done)) is not None
        moment = done if named and context.oracle.related(done, "column of", owner) else None
    if moment is None or context.superlatives:
        return None
    limit = context.limited(found.maybe("n") if found["n"] else found.maybe("n2"))
    context.rank(Superlative(moment, newest, limit, adjective=adjective, owner=owner))
    dated = found["said"] == "" or context.word(found.at("said")) in _DATE_WORDS
    if not found["date"] or of_each or not dated:
        return found.filled("{date} {which_of} {m} S")
    context.spend(found["said"])
    return found.filled(f"M{moment} of {{which_of}} {{m}} S")


_BOUND_BEFORE: Final = re.compile(r"(?<!\S)M(\d+) (?:be )?(?:GT|GE|LT|LE) N\d+ (?:, )?$")
"""'whose life expectancy is below 45, lowest first': what is bounded is what sorts."""


def _most_first(context: RuleContext, found: RuleMatch) -> str:
    """', most first' sorts; it limits nothing."""
    bounded = _BOUND_BEFORE.search(found.before)
    key = int(bounded[1]) if bounded and "numeric!" in context.kinds(int(bounded[1])) else None
    counted = key is None and context.says("COUNT")
    figure = FIGURE if key is None and not counted else ""
    context.sorts.append(SortKey(key, found.text.endswith("DOWN"), counted=counted, adjective=figure))
    return "O"


RULES: Final = in_order(
    Rule(
        "measures/share",
        r"PERCENT|SHARE",
        _share,
        examples=(
            Example("SHARE", "COUNT", ("flag share",)),
            Example("PERCENT", "COUNT", ("flag percent",)),
        ),
    ),
    Rule(
        "measures/average_of_counts",
        r"AVG {DET}{a:table!} (?:(?:that|which|be|have|do|\w+ed|there|in|placed|made|sold|bought) )*?"
        r"(?:per|for each|for every|by each|in each|of each|on each|each|a) {b:table}(?: "
        r"(?:have|do|has|place|make))?",
        _average_of_counts,
        examples=(
            Example("AVG M0[table!] per M1[table]", "COUNT M0 G1", ("group by M1", "flag average_count")),
            Example(
                "AVG M0[table! salary] per M1[table]",
                "AVG M2 G1",
                ("group by M1",),
                said="average salary per department",
                schema={"total M0": 2},
            ),
        ),
    ),
    Rule(
        "measures/counts_on_average",
        r"(?:on (?:average|AVG) ?,? )?COUNT (?P<such>(?:[VC]\d+ )*){a:table!} "
        r"(?:(?:do|be|there|are|have) )*(?:a|an|each|per|every|one) {b:table}"
        r"(?: \w+){0,2}?(?: on (?:average|AVG))",
        _average_of_counts,
        examples=(
            Example(
                "COUNT V0[1] M0[table!] a M1[table] on AVG",
                "COUNT V0 M0 G1",
                ("group by M1", "flag average_count"),
            ),
        ),
    ),
    Rule(
        "measures/difference_between",
        r"(?:the )?(?:(?:difference|gap|time|days|day|duration|delay|COUNT day|COUNT M\d+)(?: in M\d+)?) "
        r"between {DET}{a} and {DET}{b}",
        _gap,
        examples=(
            Example("difference between M0 and M1", "M2", schema={"M0 - M1": 2}),
            Example(
                "difference between M0[numeric minimum] and M1[numeric maximum]", "M2", schema={"M1 - M0": 2}
            ),
        ),
    ),
    Rule(
        "measures/minus",
        r"(?:(?:the )?(?:margin|profit|difference|markup) (?:of|for|per) (?:each |every |the |all )?"
        r"{of=M\d+} ,? ?)?{DET}{a:numeric,-table!} (?:minus|less|without) {DET}{b:numeric,-table!}",
        _minus,
        examples=(Example("M0[numeric] minus M1[numeric]", "M2", schema={"M0 - M1": 2}),),
    ),
    Rule(
        "measures/count_the",
        r"^(?:please )?count(?: the| all| of| our)*(?= (?:\w+ ){0,2}M\d)",
        lambda context, found: "COUNT",
        examples=(Example("count M0", "COUNT M0"),),
    ),
    Rule(
        "measures/noun_count",
        r"{m:table!,named} count(?= (?:of|per|by|for|in) |$)",
        rewrite("COUNT {m}"),
        examples=(
            Example("M0[table! named] count of each M1", "COUNT M0 of each M1"),
            Example("M0[table! named] count M1", "M0 count M1"),
        ),
    ),
    Rule(
        "measures/count_both",
        r"COUNT (?:of )?{DET}{a:table!,named} and (?:COUNT (?:of )?)?{DET}{b:table!,named}"
        r"(?= (?:be |do |have |there |in |for |of |at |from )*(?:each|every|per|G\d*)(?: |$)"
        r"|(?: (?:be|do|have|there|we|you|in total|overall))* ?(?:$|[?.]))",
        rewrite("COUNT {a} and COUNT {b}"),
        examples=(
            Example(
                "COUNT M0[table! named] and M1[table! named] in each M2",
                "COUNT M0 and COUNT M1 in each M2",
            ),
            Example("COUNT M0[table! named] and M1[table! named]", "COUNT M0 and COUNT M1"),
            Example("COUNT M0[table! named] and M1[table! named] in V0", "COUNT M0 and M1 in V0"),
        ),
    ),
    Rule(
        "measures/counted_and_summed",
        rf"^(?P<lead>{_REQUEST}(?:SUM )?){{a:table!}} and (?P<sum>(?:the )?(?:SUM )?){{b:numeric,column!}}"
        rf"{{when={_CONDITION_PHRASES}}} (?P<per>(?:per|by|each|(?:for|in) (?:each|every)) (?:the )?"
        r"(?:M\d|(?:hour|day|week|month|quarter|year)\b).*)$",
        _counted_and_summed,
        before=("measures/counted_per",),
        examples=(
            Example(
                "M0[table! orders] and M1[numeric column! revenue] per month", "COUNT M0 and SUM M1 per month"
            ),
            Example("M0[table! order] and M1[numeric column! revenue] per month", "M0 and M1 per month"),
            Example("M0[table! orders] and M1[numeric column! weight] per M2", "M0 and M1 per M2"),
        ),
    ),
    Rule(
        "measures/people_done",
        r"COUNT (?:of )?{p:person} (?:(?:that|who|be) )*{k:numeric!}(?= ?(?:[.?,]|$))",
        _people_done,
        guard=_are_done,
        examples=(
            Example("sort by COUNT M0[person] M1[numeric! killed]", "sort by M1"),
            Example("COUNT M0[person] M1[numeric! killed]", "COUNT M0 M1"),
        ),
    ),
    Rule(
        "measures/happened_to",
        r"(?<!\S)(?<!M\d )(?<!be )(?<!not )(?<!never )(?<!who )(?<!that )"
        r"(?:{not=not|non} )?{m:moment} {t:table!}",
        _happened_to,
        before=("measures/counted_per",),
        examples=(
            Example(
                "MOST M0[moment] M1[table!]",
                "MOST C0 M1",
                ("C0: M0 is no null, a moment",),
                schema={"M0 column of M1": True},
            ),
            Example(
                "COUNT not M0[moment] M1[table!]",
                "COUNT C0 M1",
                ("C0: M0 is null, a moment",),
                schema={"M0 column of M1": True},
            ),
            Example("M0[moment] M1[table!]", "M0 M1"),
            Example("M0 M1[moment] M2[table!]", "M0 M1 M2"),
        ),
    ),
    Rule(
        "measures/counted_per",
        rf"^{{lead={_REQUEST}}}{{other=(?!(?:{_STATE}|\w+est) )[a-z]+ }}?"
        rf"{{kind=(?:(?:[VC]\d+|{_STATE}) (?:and )?)*}}{{what:table!|happening}}"
        r"(?: (?:placed|taken|made|received|created|opened|signed|sold|paid|take|there|be))*"
        r"(?: {done:moment|time})?"
        rf"{{when={_CONDITION_PHRASES}}} "
        r"{rest=(?:per|by|each|(?:for|in) (?:each|every)) (?:M\d|(?:hour|day|week|month|quarter|year)\b).*}$",
        _counted_per,
        examples=(
            Example("M0[table!] by M1", "COUNT M0 per M1"),
            Example(
                "M0[table!] from V0 by M1[name]",
                "M0 from V0 sorted by M1",
                schema={"M1 names M0": True},
            ),
            Example("M0[table!] by M1[name]", "M0 sorted by M0"),
            Example("M0[table! nameless] by M1[name]", "COUNT M0 per M1"),
            Example("M0[table! sales] by M1", "SUM M2 of M0 per M1", schema={"total M0": 2}),
            Example("active M0[table!] per M1", "COUNT active M0 per M1"),
            Example("C0 M0[table!] per M1", "COUNT C0 M0 per M1"),
            Example("roadside M0[table!] by M1", "roadside COUNT M0 per M1"),
            Example("every M0[table!] by M1", "every M0 by M1"),
            Example("list the M0[table!] in each M1", "list the M0 in each M1"),
            Example("M0[table!] by M1 from V0[1] , M2 and M3", "M0 by M1 from V0 , M2 and M3"),
            Example(
                "M0[table!] by M1[table artists] from V0[1]",
                "M0 by M1 from V0",
                said="songs by artists from Peru",
            ),
            Example(
                "M0[table!] by M1[table person artists] C0[M2 = N0]",
                "M0 by M1 C0",
                said="songs by artists who joined in 2022",
            ),
            Example("V0[1] M0[table!] M1[moment created] per month", "COUNT V0 M0 per month"),
            Example("M0[table!] by V0[1] per month", "COUNT M0 by V0 per month"),
            Example("M0[table!] of N0[2024] per M1", "COUNT M0 of N0 per M1"),
            Example("M0[happening admissions] per month", "COUNT M0 per month"),
            Example("M0[happening admission] per month", "M0 per month"),
            Example("M0[table!] M1[time year] per month", "M0 M1 per month"),
        ),
    ),
    Rule(
        "measures/summed_per",
        rf"^{_REQUEST}(?P<kind>(?:(?:[VC]\d+|{_STATE}|M\d+|[a-z]+) ){{0,2}}?){{what:numeric,column!,-time}}"
        r"{of=(?: of (?:(?:the|all|our) )*(?:V\d+ )?M\d+)?}"
        rf"{{when={_CONDITION_PHRASES}}} "
        r"(?:per|by|(?:for|in) (?:each|every)) (?:the )?"
        r"(?:{by:-numeric|table!}|{unit=day|week|month|quarter|year})"
        r"(?= |$)",
        _measured_per,
        examples=(
            Example("M0[column! numeric] by M1", "SUM M0 per M1"),
            Example("M0[column! numeric rated] by M1", "AVG M0 per M1"),
            Example(
                "M0[column! numeric rated] per M1[table!]", "M1 and M0", schema={"M0 column of M1": True}
            ),
            Example("V0[1] M0[column! numeric] by month", "V0 SUM M0 per month"),
            Example("M0[flag] M1[column! numeric] in N0 by M2", "M0 SUM M1 in N0 per M2"),
            Example("M0[column!] M1[column! numeric] by M2", "M0 M1 by M2"),
        ),
    ),
    Rule(
        "measures/spent_most",
        rf"(?:{_SPENDING}|{{paid=[MV]\d+}}) (?:us )?(?:the )?{{sup=MOST|LEAST|MAX|MIN}}(?: {{n:number}})?"
        r"(?: {amount=M\d+})?(?: (?:of )?(?:money|amount)| in total)*",
        _spent_most,
        examples=(
            Example("paid MAX", "S", ("top 1 by sum M0",), schema={"measure spent": 0}),
            Example("paid MAX M0[amount]", "S", ("top 1 by sum M1",), schema={"measure spent": 1}),
            Example("paid MAX M0[invoices]", "S M0", ("top 1 by sum M1",), schema={"measure spent": 1}),
            Example("V0[1 paid] us MOST in total", "V0 S", ("top 1 by sum M0",), schema={"measure spent": 0}),
            Example("V0[1 late] MOST", "V0 MOST", schema={"measure spent": 0}),
            Example("spend MOST M0[hours]", "have MOST M0"),
            Example("spend MOST hour on", "spend MOST hour on"),
        ),
    ),
    Rule(
        "measures/spent_by",
        rf"^SUM (?:money )?(?:do|have) (?P<who>(?:(?!do |have )[\w~]+ ){{1,6}}?)"
        rf"(?:{_SPENDING}|{_EARNING})(?: (?:us|in total|altogether))*",
        _spent_by,
        examples=(Example("SUM do V0[1] spend", "SUM M0 of V0", schema={"measure spent": 0}),),
    ),
    Rule(
        "measures/did_we",
        r"^SUM (?:money )?(?:do|have) (?:we|you|they|our M\d+|the M\d+) {m:table!}"
        r"(?= ?$| [?.,]| (?:in|on|for|since|SINCE|to|from|during|C\d|by|per|each) )",
        _did_we,
        examples=(
            Example("SUM do we M0[table!] in N0 ?", "SUM M1 of M0 in N0 ?", schema={"total M0": 1}),
            Example("SUM do we M0[table!] in N0 ?", "SUM do we M0 in N0 ?"),
        ),
    ),
    Rule(
        "measures/and_spent",
        rf"(?:and|with|,) SUM (?:money )?{_THEY}(?:{_SPENDING}|{_EARNING})"
        r"(?: (?:us|in total|altogether|each|on each))*(?= ?$| [?.])",
        _and_spent,
        examples=(
            Example("M0 and SUM they spent", "M0 and SUM M1", schema={"measure spent": 1}),
            Example("M0 and SUM they spent", "M0 and SUM they spent"),
        ),
    ),
    Rule(
        "measures/when_first",
        r"when (?:be|do|have) (?:the |our |their )*"
        r"{which=first|last|MAX~recent|MAX~late|MAX~new|MIN~early|MAX~old} {kind=(?:V\d+ )?}"
        r"{m}(?: (?:be|placed|made|happen|created|come in|come))?",
        _when_first,
        examples=(
            Example("when be last M0", "what be MAX M1 of M0", schema={"measure time": 1}),
            Example("when be last V0[1] M0", "what be MAX M1 of V0 M0", schema={"measure time": 1}),
        ),
    ),
    Rule(
        "measures/first_rows",
        r"(?P<date>(?:date|day|time|{said}) of )?{the=(?:the |our |my )?(?:very |absolute )?}(?:{n:number} )?"
        r"{which=MAX~new|MAX~late|MAX~recent|MIN~early|MAX~old|MIN~old|last|first}"
        r"(?: {n2:number})? (?:ever )?(?:{done:time,-table!} )?"
        r"{which_of=(?:(?:(?:not|non) )?(?:V\d+|C\d+) (?:(?:or|and) )?)*}{m:table!}"
        r"(?: (?:be )?(?:placed|made|added|created|hired|joined|launched))?(?: ever(?= ?$| [?.]))?"
        rf"(?= (?:{_WHICH_ROWS}) | (?:[?.]|C\d)|$| (?:M\d+|[a-z]+e[dn]) (?:{_WHICH_ROWS}) )",
        _first_rows,
        examples=(
            Example("MAX~old M0[table!]", "M0 S", ("top 1 by M1 (old, of M0)",), schema={"measure old": 1}),
            Example(
                "MAX~old M0[table! invoice]",
                "M0 S",
                ("bottom 1 by M2 (of M0)",),
                schema={"measure old": 1, "measure time": 2, "times M0": 2},
            ),
            Example("MAX~new M0[table!]", "M0 S", ("top 1 by M1 (of M0)",), schema={"measure time": 1}),
            Example(
                "last M0[table!] of V0", "M0 S of V0", ("top 1 by M1 (of M0)",), schema={"measure time": 1}
            ),
            Example("M1 last M0[table!] of V0", "M1 last M0 of V0"),
            Example(
                "the MAX~recent M0[time column hired] V0 or V1 M1[table!] in N0",
                "V0 or V1 M1 S in N0",
                ("top 1 by M0 (of M1)",),
                schema={"M0 column of M1": True},
            ),
            Example(
                "M0[date] of the last M1[table!] whose C0",
                "M2 of M1 S whose C0",
                ("top 1 by M2 (of M1)",),
                schema={"measure time": 2},
            ),
        ),
    ),
    Rule(
        "measures/most_first",
        r"O_COUNT_(?:DOWN|UP)",
        _most_first,
        examples=(
            Example("O_COUNT_DOWN", "O", ("sort by ? (figure) down",)),
            Example("COUNT O_COUNT_DOWN", "COUNT O", ("sort by count of ? down",)),
            Example("M0[numeric!] LT N0 O_COUNT_UP", "M0 LT N0 O", ("sort by M0 up",)),
        ),
    ),
    after=("wordings",),
)
