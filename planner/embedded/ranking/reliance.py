"""Signals of how far a proposal can be relied on, for the confidence of the answer that is chosen.

Owns: what is measured of a proposal beside its rivals: links, joins, words left out, the schema, the shape of
the query.

Each signal is 0 where nothing speaks against the proposal. The selector adds what results and rivals show
(`selector.confidence`), which has the weights.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import partial
from math import log
from typing import Final

from askwire.language.lexicon import DERIVED, EVENTS, FUNCTION_WORDS, PLACES, SOFT_WORDS
from askwire.language.text import PARTICIPLE, Token, listed, stem
from askwire.planner.embedded.grammar.unit_columns import told, unproven
from askwire.planner.embedded.interpretation.resolve import TABLE_WEIGHT
from askwire.planner.embedded.linking.implicit_columns import event_form
from askwire.planner.embedded.linking.rewording.yes_no import asks_whether
from askwire.planner.embedded.linking.units import called, holding
from askwire.planner.embedded.logical_form.expressions import SPANS
from askwire.planner.embedded.logical_form.ir import (
    EXISTS,
    Compare,
    Member,
    Query,
    Term,
    columns_of,
    condition_columns,
)
from askwire.planner.embedded.ranking.coverage import implied, is_lost
from askwire.planner.embedded.ranking.proposal import Proposal
from askwire.planner.embedded.ranking.uncovered_words import KINDS
from askwire.planner.embedded.schema.schema_index import SchemaIndex, TableEntry
from askwire.planner.embedded.schema.somebody import names_somebody

_COUNTED: Final[Mapping[str, float]] = {
    "nothing_named": 1.0,
    "words_unplaced": 4.0,
    "output_unlike": 2.0,
    "lost_symbols": 2.0,
    "guessed": 2.0,
    "unnamed_tables": 3.0,
    "missing_tables": 2.0,
    "encoding": 2.0,
    "keys_undecided": 2.0,
    "role_idle": 1.0,
    "names_unsaid:shown": 2.0,
    "names_unsaid:order": 1.0,
    "names_unsaid:where": 2.0,
    "view_unsaid": 1.0,
    "keys_shown": 2.0,
    "unmet": 1.0,
    "bearing": 1.0,
    **{f"left:{kind}": 2.0 for kind in KINDS},
}
"""Features of the ranking that speak against a proposal, and the most that each counts."""
_OF_SHOWN: Final = ("keys_shown", "output_unlike", "names_unsaid:shown", "nothing_named")
_SENSES: Final = ("compare", "extreme", "aggregate", "negation", "number", "first")
"""Kinds of lost symbols without which an answer is another question's."""
_MAX_WORDS: Final = 12
_MIN_SHARED_SHARE: Final = 0.6
_MIN_SHARED_COLUMNS: Final = 3
"""Columns from which on relations can be alike."""
_MAX_SHORT_WORD: Final = 3
_SMALL: Final = frozenset({"square", "cubic", "minute", "second"})
_SPACE: Final = frozenset({"length", "area", "mass", "volume"})
"""Kinds of units that no rows are put into groups by."""
_MIN_EXACT_QUALITY: Final = 0.88
"""The least quality of a value that is what is said, but for its spelling."""
_MAX_HINT_SCORE: Final = 0.6
"""Up to this score a word only hints at a table."""
_OPENS_CLAUSE: Final = frozenset(
    listed("who whom whose that which in from at with without out outside inside about")
)
_TOLD: Final = frozenset(listed("information info detail data fact record everything all"))
"""Words for facts about things; they name no thing themselves."""
_ENDS: Final = frozenset(
    listed("high low highest lowest largest large smallest small most least a z new old")
)
"""From which a sorting begins: 'from high to low' chooses no rows."""
_TIME_WORDS: Final = frozenset(listed("date time day month year hour since when at on start end"))
_PLACE_WORDS: Final = frozenset(PLACES.split("|")) | frozenset(
    listed(
        """
        county province district area zone site office airport station stadium park store branch origin
        destination hometown birthplace residence zip postcode postal latitude longitude shelf aisle warehouse
        hall floor campus dorm hospital school port continent neighborhood suburb territory
        """
    )
)
_DEALINGS: Final = frozenset({"sold", "bought", "rented", "borrowed", "booked"})
"""What is done with what is popular."""
_HOW_MUCH: Final = re.compile(r"how (?:much|many)")
_EACH: Final = frozenset({"each", "every"})
_SHARES: Final = frozenset(listed("share shares percent percentage percentages % proportion fraction"))
_VOWELS: Final = frozenset("aeiouy")
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


class Reliance:
    """Measures proposals of one question; what it finds of a relation it keeps as long as it lives."""

    def __init__(self, index: SchemaIndex) -> None:
        self._index = index
        self._alike: dict[int, frozenset[int]] = {}

    def signals(self, proposal: Proposal) -> dict[str, float]:
        """The signals of a proposal that `coverage.with_losses` has gone over, by name; none that are 0."""
        of, tokens = proposal.features, proposal.encoded.tokens
        read = _read(self._index, proposal)
        found = {name: min(most, of.get(name, 0.0)) for name, most in _COUNTED.items()}
        found["assignment"] = min(4.0, max(0.0, -of.get("assignment", 0.0) - _unsaid_events(proposal)))
        found["merged"] = min(2.0, of.get("outputs_merged", 0.0) + of.get("options_shared", 0.0))
        found["repaired"] = of.get("f:repaired", 0.0) + of.get("f:unit_assumed", 0.0)
        found["uncovered"] = float(min(3, len(set(proposal.uncovered))))
        found["weakest_link"] = _weakest_link(proposal)
        values = proposal.assignment.values.values()
        found["value_inexact"] = max((1.0 - h.quality for h in values), default=0.0)
        found["value_elsewhere"] = float(min(2, _elsewhere(proposal)))
        found["words"] = min(1.0, len(_content(tokens)) / _MAX_WORDS)
        found |= _shape(proposal.query)
        found["joins"] = float(min(4, len(proposal.path)))
        twins = {other for table in read for other in self._twins(table)} - read
        found["twins"] = float(min(2, len(twins)))
        found |= _of_schema(self._index, read)
        found |= _of_time(self._index, proposal, found, read)
        found |= _of_implied(self._index, proposal, found)
        found["unit_idle"] = float(bool(_idle_units(self._index, proposal)))
        found["unit_unproven"] = float(unproven(self._index, proposal.encoded, proposal.query))
        found["unit_unproven"] = max(found["unit_unproven"], float(_told_in_unknown(self._index, proposal)))
        found["measure_lost"] = float(_measure_lost(proposal))
        found["kind_unlike"] = float(_unlike_asked(self._index, proposal))
        found["sense_lost"] = float(any(of.get(f"lost:{kind}") for kind in _SENSES))
        found["owner_unshown"] = of.get("owner_unshown", 0.0)
        found["group_elsewhere"] = of.get("group_elsewhere", 0.0)
        found["event_unread"] = float(self._event_unread(proposal))
        found["clause_unread"] = float(_clause_unread(proposal))
        found["nothing_read"] = float(bool(found["nothing_named"]) and _has_plain_word(proposal))
        found["ungrouped"] = float(_ungrouped(proposal))
        found["share_of_what"] = float(_share_of_what(proposal))
        if proposal.query.over == EXISTS:
            found |= dict.fromkeys(_OF_SHOWN, 0.0)  # of the rows nothing is shown
        return {name: round(value, 4) for name, value in found.items() if value}

    def _event_unread(self, proposal: Proposal) -> bool:
        """Whether the best of each is asked for by what was done, and no record of it is read.

        'The most popular' are those which are bought most, not those of which there are most.
        """
        if not proposal.query.partition:
            return False
        spoken = {event_form(t.lower) or t.lemma for t in proposal.encoded.tokens}
        asked = _DEALINGS if "popular" in spoken else spoken & EVENTS.keys()
        wanted = {stem(w) for verb in asked for w in (verb, *EVENTS[verb])}
        recording = {
            t.index
            for t in self._index.tables
            if t.role is None and {stem(w) for w in (*t.words, *t.called)} & wanted
        }
        names = set(re.findall(r"\w+", proposal.sql.lower()))
        read = {t for t in recording if self._index.tables[t].relation.name.lower() in names}
        return bool(recording) and not read

    def _twins(self, table: int) -> frozenset[int]:
        """The relations that look as good as one: a view of it, a child, a copy."""
        if table not in self._alike:
            own = self._index.tables[table]
            names = _names(self._index, own)
            parts = set(own.relation.children)
            self._alike[table] = frozenset(
                other.index
                for other in self._index.tables
                if other.index != table
                and other.role is None
                and (other.relation.oid in parts or _are_alike(names, _names(self._index, other)))
            )
        return self._alike[table]


def _names(index: SchemaIndex, table: TableEntry) -> frozenset[str]:
    return frozenset(index.columns[c].column.name.lower() for c in table.columns)


def _are_alike(names: frozenset[str], others: frozenset[str]) -> bool:
    shared = len(names & others)
    return shared >= _MIN_SHARED_COLUMNS and shared >= _MIN_SHARED_SHARE * min(len(names), len(others))


def _read(index: SchemaIndex, proposal: Proposal) -> set[int]:
    tables = {index.columns[c].table for c in columns_of(proposal.query)} | set(proposal.query.tables)
    tables |= {t.of for t in proposal.query.select if t.of is not None}
    if proposal.query.star is not None:
        tables.add(proposal.query.star)
    return tables


def _of_schema(index: SchemaIndex, read: Collection[int]) -> dict[str, float]:
    """What the names and keys of the relations that are read are like: short, without a key, views."""
    tables = [index.tables[t] for t in read]
    words = [w for t in tables for c in t.columns for w in _WORDS.findall(index.columns[c].column.name)]
    short = [w for w in words if len(w) <= _MAX_SHORT_WORD or not _VOWELS & set(w.lower())]
    return {
        "short_names": len(short) / len(words) if words else 0.0,
        "keyless": float(any(not t.relation.primary_key and t.relation.kind in "rp" for t in tables)),
        "views": float(any(t.relation.kind in "vm" for t in tables)),
    }


def _content(tokens: tuple[Token, ...]) -> list[Token]:
    known = FUNCTION_WORDS | SOFT_WORDS
    return [t for t in tokens if t.kind != "word" or not {t.lower, t.lemma} & known]


def _weakest_link(proposal: Proposal) -> float:
    """How far the weakest link of a word is from a name that says just that, 0 to 1."""
    said = (
        option.score
        for number, option in proposal.assignment.mentions.items()
        if proposal.encoded.mentions[number].start >= 0
    )
    return max(0.0, 1.0 - min(said, default=1.0))


def _elsewhere(proposal: Proposal) -> int:
    """How many values another column holds as well."""
    values = proposal.encoded.values
    return sum(
        any(h.column != hit.column and h.quality >= hit.quality for h in values[number].hits)
        for number, hit in proposal.assignment.values.items()
    )


def _shape(query: Query) -> dict[str, float]:
    nested = any(
        isinstance(c, Member) or (isinstance(c, Compare) and isinstance(c.right, Query))
        for c in (*query.where, *query.having)
    )
    return {
        "s:nested": float(nested or query.combine is not None),
        "s:grouped": float(bool(query.group)),
        "s:having": float(bool(query.having)),
        "s:limited": float(query.limit is not None),
        "s:conditions": float(min(3, len(query.where))),
        "s:columns": float(min(3, max(0, len(query.select) - 1))),
        "s:worked_out": float(bool(query.partition or query.over) or any(map(_is_worked_out, query.select))),
        "s:all_rows": float(query.star is not None),
    }


def _of_time(
    index: SchemaIndex, proposal: Proposal, found: Mapping[str, float], read: Collection[int]
) -> dict[str, float]:
    """Times of the question name their columns: what they are not is which of several times is meant."""
    query, encoded = proposal.query, proposal.encoded
    if not encoded.times and not any(t.unit for t in (*query.select, *query.group)):
        return {}
    conditions = {c for k in (*query.where, *query.having) for c in condition_columns(k)}
    shown = {t.column for t in query.select if t.column is not None}
    ordered = {t.column for t, _ in query.order if t.column is not None}
    parts = {"where": conditions, "shown": shown, "order": ordered}
    is_time = partial(_is_time, index)
    fixed = {}
    for part, of in parts.items():
        name = f"names_unsaid:{part}"
        fixed[name] = max(0.0, found[name] - sum(map(is_time, of)))
    times = {c for t in read for c in index.tables[t].columns if is_time(c)}
    said = {o.index for o in proposal.assignment.mentions.values() if not o.table}
    used = (conditions | shown) & times
    fixed["time_choice"] = float(min(2, len(times) - 1)) if used and not used & said else 0.0
    return fixed


def _of_implied(index: SchemaIndex, proposal: Proposal, found: Mapping[str, float]) -> dict[str, float]:
    """Words that stand for a column without its name ('newest', 'expensive') have a place and name it.

    So does 'about', which is reported without a word.
    """
    of = proposal.assignment.mentions.items()
    about = {o.index for number, o in of if proposal.encoded.mentions[number].words == ("about",)}
    conditions = {c for k in proposal.query.where for c in condition_columns(k)}
    unsaid = max(0.0, found["names_unsaid:where"] - len(about & conditions))
    return {"names_unsaid:where": unsaid, **_of_words(index, proposal, found)}


def _of_words(index: SchemaIndex, proposal: Proposal, found: Mapping[str, float]) -> dict[str, float]:
    words = [a for a in implied(index, proposal) if not is_lost(a, proposal.sql)]
    if not words:
        return {}
    meant = [a.target.rpartition(".")[2] for a in words]
    fixed = {"words_unplaced": max(0.0, found["words_unplaced"] - len(words))}
    for part, terms in (("order", [t for t, _ in proposal.query.order]), ("shown", proposal.query.select)):
        names = {index.columns[t.column].column.name for t in terms if t.column is not None}
        unsaid = f"names_unsaid:{part}"
        fixed[unsaid] = max(0.0, found[unsaid] - sum(name in names for name in meant))
    return fixed


def _unsaid_events(proposal: Proposal) -> float:
    """What a choice costs for tables that are not named, and record what a verb says ('bought')."""
    return -sum(
        TABLE_WEIGHT * log(option.score)
        for number, option in proposal.assignment.mentions.items()
        for mention in (proposal.encoded.mentions[number],)
        if option.table and mention.start < 0 and mention.words[:1] and mention.words[0] in EVENTS
    )


def _is_time(index: SchemaIndex, column: int) -> bool:
    return index.columns[column].kind == "time"


def _idle_units(index: SchemaIndex, proposal: Proposal) -> set[int]:
    """The words for units ('hours', 'km') that change no number of the query."""
    words = set(proposal.encoded.unit_words)
    return words - {
        at for start, end, _ in told(index, proposal.encoded, proposal.query) for at in range(start, end)
    }


def _told_in_unknown(index: SchemaIndex, proposal: Proposal) -> bool:
    """Whether numbers are asked for 'in hours' and nothing tells the unit in which they are kept."""
    if not any(proposal.features.get(f"f:in_{unit}") for unit in SPANS):
        return False
    shown = [t for t in proposal.query.select if t.column is not None and t.aggregate != "count"]
    if not shown or any(t.unit or t.part for t in shown):
        return False
    return all(holding(index.columns[t.column or 0]).unit is None for t in shown if t.factor is None)


def _measure_lost(proposal: Proposal) -> bool:
    """Whether a word is left out that makes another number of the one shown: 'population density'.

    So does a unit that it is for each of: 'population per square kilometre'.
    """
    encoded, left = proposal.encoded, {word for text in proposal.uncovered for word in text.split()}
    lowered = [token.lower for token in encoded.tokens]
    for at in encoded.plain:
        on = lowered[at] == "return" and lowered[at + 1 : at + 2] == ["on"]
        if on or (encoded.tokens[at].lemma in DERIVED and encoded.tokens[at].text in left):
            return True
    terms = (*proposal.query.select, *(t for t, _ in proposal.query.order))
    compared = (c.term for c in proposal.query.where if isinstance(c, Compare))
    if any(term.factor is not None and term.operator == "/" for term in (*terms, *compared)):
        return False
    named = {
        at
        for number, mention in enumerate(encoded.mentions)
        if number in proposal.assignment.mentions and mention.start >= 0
        for at in range(mention.start, mention.end - 1)
    }
    for at, word in enumerate(lowered):
        if at == 0 or lowered[at - 1] != "per" or at - 1 in named:
            continue
        unit = called(word)
        if word in _SMALL or (unit is not None and unit.kind in _SPACE):
            return True
    return False


def _unlike_asked(index: SchemaIndex, proposal: Proposal) -> bool:
    """Whether an answer is not of the kind that is asked for.

    'when' asks for a time, 'where' for a place, 'who' for a name, 'how much' for a figure, 'is' for yes or
    no, which is none where a word is left out or a value is another.
    """
    asked = proposal.encoded.tokens[0].lower if proposal.encoded.tokens else ""
    if asks_whether(proposal.encoded.tokens) or proposal.query.over == EXISTS:
        inexact = any(h.quality < _MIN_EXACT_QUALITY for h in proposal.assignment.values.values())
        answers = proposal.query.over == EXISTS or _tells(proposal)
        return not answers or inexact or bool(proposal.uncovered)
    if _HOW_MUCH.match(" ".join(t.lower for t in proposal.encoded.tokens[:2])):
        return not _shows_figure(index, proposal)
    if asked not in {"when", "where", "who"}:
        return False
    done = {stem(t.lower) for t in proposal.encoded.tokens if PARTICIPLE.fullmatch(t.lower)}
    be = [t.lemma for t in proposal.encoded.tokens[1:2]] == ["be"]
    # 'who is the principal'
    called = {o.index for o in proposal.assignment.mentions.values() if be and not o.table}
    for term in proposal.query.select:
        column = None if term.column is None else index.columns[term.column]
        if column is None or term.aggregate == "count":
            continue
        words = {*column.full, *index.tables[column.table].words}
        if asked == "when" and done & {stem(w) for w in column.full}:
            return False  # 'when was it founded': a year, called founded
        if asked == "when" and done and _is_of_others(proposal, column.table):
            return True  # 'when was the department founded': not when its employees were hired
        if asked == "who":
            told = column.index in called or names_somebody(index, column)
            if column.kind in {"text", "enum"} and told:
                return False
        elif column.kind == "time" or term.unit or words & (_TIME_WORDS if asked == "when" else _PLACE_WORDS):
            return False
    return True


def _is_of_others(proposal: Proposal, table: int) -> bool:
    """Whether a question begins by speaking of the rows of another table: 'when was the department …'."""
    encoded = proposal.encoded
    of = ((encoded.mentions[n].start, o) for n, o in proposal.assignment.mentions.items())
    said = sorted((start, o.table, o.index) for start, o in of if start >= 0)
    values = [encoded.values[v].start for v in proposal.assignment.values]
    if not said or (values and min(values) < said[0][0]):
        return False
    return said[0][1] and said[0][2] != table


def _tells(proposal: Proposal) -> bool:
    """Whether what a question names is shown of a row that it names: 'is Chai in stock?'."""
    chosen, query = proposal.assignment, proposal.query
    named = {Term(o.index) for m, o in chosen.mentions.items() if not o.table}
    return bool(chosen.values) and bool(query.select) and set(query.select) <= named and not query.over


def _shows_figure(index: SchemaIndex, proposal: Proposal) -> bool:
    """Whether a query shows a number, or a column that the question names."""
    named = {o.index for o in proposal.assignment.mentions.values() if not o.table}
    return any(
        term.aggregate
        or term.unit
        or _is_worked_out(term)
        or term.column is None
        or term.column in named
        or index.columns[term.column].kind not in {"text", "enum"}
        for term in proposal.query.select
    )


def _is_thing(tokens: tuple[Token, ...], about: int) -> bool:
    """Whether 'about' says what rows tell of: in 'films about dogs', and not in 'details about films'."""
    behind = tokens[about + 1 : about + 2]
    return tokens[about - 1].lemma not in _TOLD and bool(behind) and behind[0].kind == "word"


def _clause_unread(proposal: Proposal) -> bool:
    """Whether a query of all rows leaves out all that a clause says of them: '… who bought a keyboard'.

    A word that only hints at a table which the question names by itself does not describe its rows. Nor does
    a column that the query does not use.
    """
    query, encoded = proposal.query, proposal.encoded
    narrowed = query.where or query.having or query.limit is not None or query.combine is not None
    if narrowed or query.group or proposal.path:
        return False
    of = proposal.assignment.mentions
    named = {o.index for o in of.values() if o.table and o.score > _MAX_HINT_SCORE}
    used = set(columns_of(query))
    read: set[int] = set()
    idle: set[int] = set()
    for number, option in of.items():
        mention = encoded.mentions[number]
        hints = (
            option.index in named and option.score <= _MAX_HINT_SCORE
            if option.table
            else option.index not in used
        )
        (idle if hints else read).update(range(mention.start, mention.end))
    abouts = [at for at, token in enumerate(encoded.tokens) if token.lower == "about"]
    if any(at - 1 in read and _is_thing(encoded.tokens, at) for at in abouts):
        return True
    left = {word for text in proposal.uncovered for word in text.split()}
    inside = unread = heard = False
    for at, token in enumerate(encoded.tokens):
        after = encoded.tokens[at + 1].lower if at + 1 < len(encoded.tokens) else ""
        opens = token.lower in _OPENS_CLAUSE and not (token.lower == "from" and after in _ENDS)
        if at - 1 in read and token.text in left and PARTICIPLE.fullmatch(token.lower):
            inside, unread, heard = True, False, False  # 'how many students failed a course'
        elif at and (opens or token.kind == "punct"):
            if inside and unread and not heard:
                return True
            inside, unread, heard = token.kind != "punct", False, False
        elif at in idle or (token.text in left and at not in read):
            unread = True
        elif at in read:
            heard = True
    return inside and unread and not heard


def _has_plain_word(proposal: Proposal) -> bool:
    """Whether a content word names nothing: 'operate' in 'how many trucks do we operate'."""
    tokens = (proposal.encoded.tokens[at] for at in proposal.encoded.plain)
    return any(not {token.lower, token.lemma} & FUNCTION_WORDS for token in tokens)


def _ungrouped(proposal: Proposal) -> bool:
    """Whether one figure of all rows is shown where one of each is asked for."""
    query = proposal.query
    if query.group or query.partition or query.over or not query.select:
        return False
    tokens = proposal.encoded.tokens
    # 'older than every engineer' is not of each engineer
    asked = any(t.lower in _EACH and tokens[at - 1].lower != "than" for at, t in enumerate(tokens))
    return asked and all(t.aggregate and t.per is None and not _is_worked_out(t) for t in query.select)


def _share_of_what(proposal: Proposal) -> bool:
    """Whether a share by groups is of an amount with a value: 'the share of won revenue by product family'.

    It is the part of each family's revenue that is won, or each family's part of what is won. A rate is the
    first, and so is what is asked 'in each family', or what part of each 'is won'.
    """
    tokens, values = proposal.encoded.tokens, proposal.encoded.values
    spoken = {token.lower for token in tokens}
    if not proposal.query.group or not spoken & _SHARES or spoken & {*_EACH, "per"}:
        return False
    chosen = proposal.assignment.values.items()
    held = {hit.column for n, hit in chosen if tokens[max(0, values[n].start - 1)].lemma != "be"}
    shares = (t for t in proposal.query.select if t.aggregate == "share" and t.column is not None)
    return any(held & set(condition_columns(part)) for t in shares for part in t.part)


def _is_worked_out(term: Term) -> bool:
    return term.factor is not None or bool(term.window) or term.aggregate in ("share", "ratio", "difference")
