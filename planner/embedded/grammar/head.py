"""What a question asks for, once its clauses are taken out.

Owns: the frame, from the walks through the sentences and from the clauses.

    'what be the M0 and M1 of M2 who M3 C0 ?' → outputs M0, M1 (of M2); entity M2; context M3
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from askwire.language.text import PARTICIPLE
from askwire.planner.embedded.grammar.atoms import (
    BOUND_OF_THING,
    WHOLE,
    YES_NO,
    AbsenceCondition,
    Comparison,
    CountCondition,
    Frame,
    Output,
    SortKey,
    Superlative,
)
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.walk import Walk, walked
from askwire.planner.embedded.grammar.wholes import whole
from askwire.planner.embedded.linking.rewording.yes_no import asks_for_any

_ALL_INFO: Final = re.compile(
    r"(?<!\S)(?:all|the|every|full|complete|whole|entire|any) (?:(?:the|of) )*M(\d+)"
    r" (?:information|info|detail|details|data|record|records)(?!\S)"
)
_ALL_OF: Final = re.compile(
    r"(?<!\S)(?:(?:all|the|every|full|complete|whole|entire) )*(?:information|info|detail|"
    r"details|everything|data|record|attribute|column|field|content)"
    r"(?: (?:that|which) (?:be )?(?:available|stored|recorded|known))? (?:about|of|on|"
    r"for|regarding|concerning|from|in|related to|with) (?:(?:all|the|those|these|each|every|any|a) )*M(\d+)"
)
_SHOWN_WITH: Final = tuple(
    f"{verb} {what} with" for verb in ("list", "show", "give") for what in ("the result", "result", "them")
)
"""How a second sentence begins that adds to what the first asks for."""
_ADDING: Final = frozenset({"also", "and"})
_SORTING: Final = frozenset({"order", "sort", "rank", "arrange"})


def _sentences(line: str) -> list[list[str]]:
    return [s.split() for s in re.split(r"(?<!\S)[.?!;:](?!\S)", line) if s.strip()]


def frame(context: RuleContext) -> Frame:
    """The frame of a question after the rules; outputs may be empty when the question only restricts."""
    line = context.symbols
    stars = [int(m.group(1)) for m in _ALL_OF.finditer(line)]
    stars += [int(m.group(1)) for m in _ALL_INFO.finditer(line)]
    line = _ALL_INFO.sub(lambda m: f"STAR{m.group(1)}", line)
    line = _ALL_OF.sub(lambda m: f"STAR{m.group(1)}", line)
    line, shared = _shared(line, context)
    sentences = _sentences(line)
    walks = [walked([w for w in s if not w.startswith("STAR")], context) for s in sentences]
    outputs: list[Output] = []
    entities: list[int] = []
    beside: list[int] = []
    distinct = any(w.distinct for w in walks)
    for number, walk in enumerate(walks):
        if outputs and sentences[number][0] in _SORTING and "O" in sentences[number]:
            # 'How many … per country? Order the countries by …' asks for no more
            for word in sentences[number]:
                context.spend(word)
            continue
        entities += walk.entities
        beside += walk.beside
        if number and walk.outputs and outputs:
            # a second sentence says what to show; the first then only said of what
            said = [o.mention for o in outputs if not o.aggregate and o.mention is not None]
            counted = [o for o in outputs if o.aggregate]
            entities = [*said, *(o.mention for o in counted if o.mention is not None), *entities]
            whose = _whose(context, entities)
            walk.outputs = [
                replace(o, owner=whose) if o.owner is None and o.mention not in {None, whose} else o
                for o in walk.outputs
            ]
            if sentences[number][0] in _ADDING or " ".join(sentences[number]).startswith(_SHOWN_WITH):
                outputs = (
                    [*walk.outputs, *outputs]
                    if not any(o.aggregate for o in walk.outputs) and counted == outputs
                    else [*outputs, *walk.outputs]
                )
                continue
            if counted and context.groups and not any(o.aggregate for o in walk.outputs):
                outputs = [*walk.outputs, *counted]  # of each group its figure stays
                continue
            kept = [] if any(not o.aggregate for o in walk.outputs) and not _wants_count(walk) else counted
            outputs = list(walk.outputs) if not kept or _wants_count(walk) else [*outputs, *walk.outputs]
            if counted and _wants_count(walk):
                outputs = [counted[0] if o.aggregate == "count" and o.mention is None else o for o in outputs]
        else:
            outputs += walk.outputs
    for star in stars:
        outputs.append(Output(star, star=True))
        entities.insert(0, star)
    outputs = _counts_averaged(context, outputs)
    outputs = _counted_per_unit(context, outputs)
    superlative, sorts = _limited(context), tuple(context.sorts)
    if superlative is not None and not (outputs or entities or beside or context.groups):
        outputs += _best_themselves(context, superlative)
    if superlative is not None and _is_list(context, superlative, outputs):
        # 'the longest rivers, from longest to shortest': all of them, each with its length
        outputs.append(Output(superlative.mention, owner=superlative.owner))
        sorts = (SortKey(superlative.mention, sorts[0].descending, adjective=superlative.adjective),)
        superlative = None
    placed = {int(n) for n in re.findall(r"(?<!\S)C(\d+)(?!\S)", context.symbols)} - context.inner
    _of_one_time(context, placed, outputs, superlative)
    atoms = tuple(a for n, a in enumerate(context.atoms) if n in placed)
    of = (
        {n: a for n, a in enumerate(context.atoms) if n in placed}
        if context.flags & {"percent", "share"}
        else {}
    )
    lacking = {a.mention for a in atoms if isinstance(a, AbsenceCondition)}
    return Frame(
        outputs=tuple(dict.fromkeys(outputs)),
        entities=tuple(dict.fromkeys(entities)),
        context=tuple(c for c in dict.fromkeys(beside) if c not in lacking),
        atoms=atoms,
        groups=tuple(dict.fromkeys(_groups(context))),
        sorts=sorts,
        superlative=superlative,
        unit=context.unit,
        distinct=distinct,
        limit=context.limit,
        flags=frozenset(context.flags) | _places(context.symbols) | _bounds(context) | _whether(context),
        lost=(*(symbol for walk in walks for symbol in walk.lost), *_by_nothing(context)),
        shared=shared,
        whole=whole(context.encoded, context.symbols, of) if of else (),
    )


_LISTED_IN_EACH: Final = re.compile(
    r"^(?:list|show|give|find|display|which|what) .*(?:for|in|of) (?:each|every) "
)


def _counted_per_unit(context: RuleContext, outputs: list[Output]) -> list[Output]:
    """'orders with a discount by month': how many, and not each of them beside its month."""
    said = " ".join(token.lower for token in context.encoded.tokens)
    if not context.unit or len(outputs) != 1 or context.superlatives or _LISTED_IN_EACH.match(said):
        return outputs
    shown = outputs[0]
    if shown.aggregate or shown.star or shown.mention is None:
        return outputs
    if not {"table!", "happening"} & context.kinds(shown.mention) or not context.counts(shown.mention):
        return outputs
    return [replace(shown, aggregate="count")]


_BOTH: Final = re.compile(
    r"(?<!\S)(?:both (?:used |shared )?|(?:be )?(?:used|shared) (?=by ))"
    r"(?:by |for |in |the |a )*M(?P<a>\d+) and "
    r"(?:by |for |in |the |a )*M(?P<b>\d+)(?!\S)"
    r"(?: (?:(?:live|living|in|it|there|them|be|locate|located|work|stay))*(?= |$))?"
)
_EITHER: Final = re.compile(
    r"(?<!\S)(?:used |be |either |of |by |for )+(?:the )?M(?P<a>\d+) or "
    r"(?:by |for |the |of )*M(?P<b>\d+)(?!\S)"
)

_OF_EITHER: Final = re.compile(
    r"(?<!\S)M(?P<m>\d+)(?P<rest> (?:of|for) (?:(?:all|the|both|our) )*M(?P<a>\d+) and "
    r"(?:(?:of|for|all|the|our) )*M(?P<b>\d+))(?= ?[.?]?$)"
)


def _shared(line: str, context: RuleContext) -> tuple[str, tuple[str, int, int] | None]:
    """'states with both owners and vets': the line without the two tables whose values are set together."""
    for operator, pattern in (("INTERSECT", _BOTH), ("UNION", _EITHER)):
        match = pattern.search(line)
        if match is None:
            continue
        first, second = int(match["a"]), int(match["b"])
        if first != second and all("table!" in context.kinds(m) for m in (first, second)):
            return line[: match.start()] + line[match.end() :], (operator, first, second)
    if match := _OF_EITHER.search(line):
        shown, first, second = (int(match[name]) for name in ("m", "a", "b"))
        tables = all("table!" in context.kinds(m) for m in (first, second))
        plain = re.search(r"(?:AVG|SUM|MAX|MIN|COUNT) $", line[: match.start()]) is None
        if (
            tables
            and plain
            and all(context.oracle.related(shown, "best column of", m) for m in (first, second))
        ):
            # 'the phone numbers of all customers and all suppliers'
            return line[: match.start("rest")] + line[match.end() :], ("UNION", first, second)
    return line, None


def _groups(context: RuleContext) -> list[Output]:
    """The groups; of 'by M0 and year' the year behind."""
    groups, mentions = context.groups, context.encoded.mentions
    if not context.unit_last:
        return groups
    times = [g for g in groups if g.mention is not None and mentions[g.mention].start < 0]
    return [*(g for g in groups if g not in times), *times]


def _of_one_time(
    context: RuleContext, placed: Collection[int], outputs: Sequence[Output], best: Superlative | None
) -> None:
    """'the last order of each customer in May': the time that is asked for is the one that May bounds."""
    asked = {o.mention for o in outputs if o.aggregate in {"max", "min"}} | {best.mention if best else None}
    times = [m for m in asked if _is_unsaid_time(context, m)]
    if len(times) != 1:
        return
    for place in placed:
        atom = context.atoms[place]
        if not isinstance(atom, Comparison) or not _is_unsaid_time(context, atom.mention):
            continue
        done = re.search(rf"(\S+) (?:(?:in|on|during) )?C{place}(?!\S)", context.symbols)
        if done is None or not PARTICIPLE.fullmatch(context.said(done[1])):
            context.atoms[place] = replace(atom, mention=times[0])


def _is_unsaid_time(context: RuleContext, mention: int | None) -> bool:
    said = None if mention is None else context.encoded.mentions[mention]
    return said is not None and said.start < 0 and said.words == ("time",)


def _counts_averaged(context: RuleContext, outputs: list[Output]) -> list[Output]:
    """'the average number of cancelled orders per customer': the average of how many each has.

    Whatever is said of the orders restricts what is counted, wherever it stands.
    """
    asked = {o.aggregate: o for o in outputs if o.mention is not None}
    average = asked.get("avg")
    if average is None or average.mention is None or len(context.groups) != 1:
        return outputs
    counted = asked.get("count")
    if len(outputs) != len(asked) or asked.keys() - {"avg", "count"}:
        return outputs
    both = counted is not None and counted.mention == average.mention
    kinds, numbered = context.kinds(average.mention), context.numbered(average.mention)
    of_rows = "table!" in kinds or (numbered and "table" in kinds and "numeric!" not in kinds)
    if not (both or counted is None) or not of_rows or not (both or numbered):
        return outputs
    context.flags.add("average_count")
    return [replace(average, aggregate="count")]


def _whose(context: RuleContext, entities: Sequence[int]) -> int | None:
    """Of what a second sentence speaks: of what the first one groups by, else of what it speaks of itself."""
    groups = [g.mention for g in context.groups if g.mention is not None]
    return next((m for m in (*groups, *entities) if "table!" in context.kinds(m)), None)


def _limited(context: RuleContext) -> Superlative | None:
    """The superlative, with the limit of 'top 5 domains with the most authors'."""
    if not context.superlatives:
        return None
    first = replace(context.superlatives[0], nth=context.nth, holder=_holder(context))
    if first.nth > 1:
        return replace(first, limit=1)
    return replace(first, limit=context.limit) if context.limit and first.limit == 1 else first


_IN_THE_BEST: Final = re.compile(
    r"(?<!\S)M\d.*? (?:in|of|from|at|on|by|for|within|to|under|with) (?:the )?M(\d+)"
    r" (?:(?:that|which|who|with|whose|have|be) )*S(?!\S)"
)


def _holder(context: RuleContext) -> int | None:
    """The county of 'the cities in the county with the most police officers'."""
    found = _IN_THE_BEST.search(context.symbols)
    if found is None or "table!" not in context.kinds(int(found[1])):
        return None
    said = [m for m in context.mentions(found[0]) if context.encoded.mentions[m].start >= 0]
    last = [context.encoded.tokens[context.encoded.mentions[m].end - 1] for m in said]
    several = {n for n, token in zip(said, last, strict=True) if token.lower != token.lemma}
    own = int(found[1])
    return own if own not in several and several & {*said[: said.index(own)]} else None


def _best_themselves(context: RuleContext, item: Superlative) -> list[Output]:
    """'the top 3 highest rates', of nothing: the rates."""
    if item.limit == 1 or item.mention is None or item.adjective or item.aggregate or item.counted:
        return []
    kinds, said = context.kinds(item.mention), context.encoded.mentions[item.mention]
    before = {token.lower for token in context.encoded.tokens[max(0, said.start - 3) : said.start]}
    named = "numeric!" in kinds and "table" not in kinds and not before & _OF_THINGS
    return [Output(item.mention)] if named else []


_OF_THINGS: Final = frozenset({"by", "with", "has", "have", "had", "having"})
"""Words before what things are ranked by."""


def _is_list(context: RuleContext, item: Superlative, outputs: Sequence[Output]) -> bool:
    """Whether a superlative of several things goes with an order from one end to the other."""
    if WHOLE not in context.flags or len(context.sorts) != 1 or item.limit > 1 or item.mention is None:
        return False
    if item.counted or item.aggregate or item.itself or not outputs or outputs[0].mention is None:
        return False
    said = context.encoded.mentions[outputs[0].mention]
    last = context.encoded.tokens[said.end - 1]
    return said.start >= 0 and last.lower != last.lemma and last.lower.endswith("s")


def _by_nothing(context: RuleContext) -> tuple[str, ...]:
    """'top' where nothing says by what: any few rows are not the first ones."""
    return () if context.limit is None or context.superlatives or context.sorts else ("top",)


def _whether(context: RuleContext) -> frozenset[str]:
    """Whether yes or no is asked for: that there is a row, or that there is none."""
    return frozenset({YES_NO} if asks_for_any(context.encoded.tokens) else ())


_HAVING: Final = r"(?<!\S)M\d+ (?:(?:that|which|who|have|with|placed|made|bought|taken) )+C"
_BOUNDED: Final = re.compile(
    rf"{_HAVING}(?P<before>\d+)(?: [VC]\d+| in)* G\d+(?= ?$| ?[?.])"
    rf"|(?<!\S)G\d+ (?:\S+ )*?COUNT {_HAVING}(?P<behind>\d+)(?: be(?: there)?)?(?= ?$| ?[?.])"
)
"""'customers with C0 G1', 'G1 COUNT customers with C0': what is counted is said apart from the grouping."""


def _places(line: str) -> frozenset[str]:
    """Whether the grouping is said before or after what is asked for."""
    group = re.search(r"(?<!\S)G\d*(?!\S)", line)
    asked = re.search(r"(?<!\S)(?:COUNT|AVG|SUM|MAX|MIN)(?!\S)", line)
    if group and asked:
        return frozenset({"group_said_first" if group.start() < asked.start() else "group_said_last"})
    return frozenset()


def _bounds(context: RuleContext) -> frozenset[str]:
    """Whether a count bounds the things, and the figure of each group is asked for."""
    said = _BOUNDED.search(context.symbols)
    number = None if said is None else said["before"] or said["behind"]
    counted = number is not None and isinstance(context.atoms[int(number)], CountCondition)
    return frozenset({BOUND_OF_THING} if counted else ())


def _wants_count(walk: Walk) -> bool:
    return any(o.aggregate == "count" for o in walk.outputs)
