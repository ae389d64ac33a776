"""What a proposal rests on: which words became what, and which it leaves out.

Owns: alignments, uncovered words, and words linked to what the SQL does not use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from typing import Final

from askwire.core.types import Alignment, Span
from askwire.language.lexicon import ATTRIBUTES, ENDS, FUNCTION_WORDS, IRREGULAR_VERBS, OVER, SOFT_WORDS
from askwire.language.text import Token, singular, stem
from askwire.planner.embedded.grammar.atoms import Contains, Either, Frame
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.grammar.unit_columns import told
from askwire.planner.embedded.interpretation.contradictions import columns_read
from askwire.planner.embedded.interpretation.hidden_rows import with_hidden
from askwire.planner.embedded.interpretation.namesakes import unique
from askwire.planner.embedded.interpretation.resolve import Assignment
from askwire.planner.embedded.linking.blocked import ADVERBS, SHARES, UNITS, degree
from askwire.planner.embedded.linking.implicit_columns import LATE, OVERDUE
from askwire.planner.embedded.linking.linker import Mention
from askwire.planner.embedded.logical_form.ir import (
    EXISTS,
    Compare,
    Literal,
    NullTest,
    Query,
    columns_of,
)
from askwire.planner.embedded.ranking.essential_words import bearing
from askwire.planner.embedded.ranking.event_times import done_elsewhere
from askwire.planner.embedded.ranking.implied_words import SENSELESS, accounted
from askwire.planner.embedded.ranking.proposal import Proposal
from askwire.planner.embedded.ranking.required_operations import unmet
from askwire.planner.embedded.ranking.unconsumed_symbols import SAID_BY_SYMBOLS, lost_senses, lost_words
from askwire.planner.embedded.ranking.uncovered_words import is_verb, left_out
from askwire.planner.embedded.rendering.description import measure
from askwire.planner.embedded.schema.elements import different
from askwire.planner.embedded.schema.leading import leads_to
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex, TableEntry, is_flag
from askwire.planner.embedded.schema.somebody import names_somebody

_GRADED: Final = frozenset({"best", "worst", "top", "most", "least"})
_DIFFERENCES: Final = frozenset({"difference", "minus", "gap", "margin", "delay"})
_TEXT_WORDS: Final = frozenset(
    {"letter", "word", "phrase", "substring", "string", "character", "prefix", "keyword"}
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_CODE: Final = re.compile(r"['\"]?\b\w{1,12}\b['\"]?\s*[=:]\s*[^,;.]*")
"""What a comment says of a single value: `R = rejected`."""
_AUXILIARY: Final = frozenset({"did", "do", "does", "was", "were", "been", "has", "have", "is", "are"})
_KINDS: Final = frozenset({"code", "id", "number", "type"})
_OF_TIME: Final = frozenset({"date", "time", "day", "year", "month", "stamp"})
_BEFORE_A_VALUE: Final = frozenset(
    {"in", "at", "from", "near", "named", "called", "titled", "on", "under", "during", "without"}
)
_ARTICLES: Final = frozenset({"a", "an", "the"})
_ATTRIBUTES: Final = frozenset({"type", "kind"})
_LISTING: Final = frozenset({"and", ","})
_OF_ROWS: Final = frozenset({"of", "for", "by"})
_WHO: Final = frozenset({"who", "that", "whose", "with"})
_OF_ALL: Final = frozenset({"the", "all", "each", "every"})
_COUNT_AND_SUM: Final = re.compile(
    r"\b(?:number|count) of (?:the )?(\w+) and (?:the )?(?:total|sum)(?: of)?(?: the)? \1\b"
)
_MAX_FAINT_SCORE: Final = 0.45
_MIN_OUTRIGHT_SCORE: Final = 0.95
_DEALINGS: Final = frozenset({"selling", "sold", "bought", "purchased", "ordered"})
_STATES: Final = frozenset({"display", "use", "order", "time"})
_BEFORE_STATES: Final = _AUXILIARY | {"not", "still", "currently", "now", "never"}
_NOW: Final = frozenset({"still", "currently", "presently"})
_EXTENTS: Final = frozenset({"shortest", "longest", "fastest", "quickest", "slowest"})


def uncovered_words(
    index: SchemaIndex, encoded: EncodedQuestion, frame: Frame, chosen: Assignment
) -> tuple[tuple[str, ...], int, int]:
    """(words no part accounts for, mentions left out, values left out)."""
    lost = [symbol for symbol in frame.lost if symbol != "or" or not _within_a_name(encoded, chosen)]
    missing: list[tuple[int, str]] = lost_words(encoded, lost)
    quoted = {q.lemma for q in encoded.quotes}
    line = encoded.line.split()
    unsaid = {m.words for n, m in enumerate(encoded.mentions) if m.start < 0 and n in chosen.mentions}
    for at in encoded.plain:
        token = encoded.tokens[at]
        known = (token.lower,) in unsaid  # 'closed', where a time says since when
        known = (
            known
            or token.lower in FUNCTION_WORDS
            or token.lemma in FUNCTION_WORDS
            or token.lower in SOFT_WORDS
        )
        known = known or (token.lower in SAID_BY_SYMBOLS and token.lemma not in line)
        known = known or at in encoded.unit_words
        known = known or (
            token.lower == "year" and {t.kind for t in encoded.tokens[at + 1 : at + 2]} == {"number"}
        )
        known = known or (token.lemma == "frequency" and bool(frame.groups) and bool(frame.sorts))
        known = known or bool(frame.unit and (token.lemma in UNITS or token.lower in ADVERBS))
        known = known or (token.lemma in SHARES and bool(frame.flags & {"percent", "share", "relative"}))
        known = known or (token.lemma in _DIFFERENCES and bool(encoded.spent))
        known = known or (bool(quoted) and (token.lemma in quoted or token.lemma in _TEXT_WORDS))
        known = known or token.lower in ATTRIBUTES or bool(degree(token))
        known = known and not (_is_asked_for(encoded.tokens, at) or _says_how_it_is(encoded.tokens, at))
        known = known and not (token.lower in _NOW and at not in encoded.now and _is_there(encoded, at + 1))
        known = known and at not in encoded.states and not _is_counted(encoded.tokens, at)
        if token.kind == "date" or (token.kind == "word" and not known):
            missing.append((token.start, token.text))
    missing += _faintly_named(index, encoded, chosen)
    unused = 0
    for number, mention in enumerate(encoded.mentions):
        if number not in chosen.mentions and number not in encoded.spent and mention.start >= 0:
            unused += 1
            part = encoded.tokens[mention.start : mention.end]
            missing.append((part[0].start, " ".join(t.text for t in part)))
    unused_values = 0
    atoms = [c for a in frame.atoms for c in (a.parts if isinstance(a, Either) else (a,))]
    held = [c for c in atoms if isinstance(c, Contains)]
    parts = {c.operand.number for c in held if c.operand.kind == "V"}
    texts = [encoded.quotes[c.operand.number].lemma.lower() for c in held if c.operand.kind == "Q"]
    for number, value in enumerate(encoded.values):
        within = any(value.text.lower() in text for text in texts)
        if not within and number not in {*chosen.values, *parts, *encoded.spent_values}:
            unused_values += 1
            missing.append((encoded.tokens[value.start].start, value.text))
    return tuple(dict.fromkeys(text for _, text in sorted(missing))), unused, unused_values


def _is_there(encoded: EncodedQuestion, at: int) -> bool:
    """Whether a word says that somebody is still there: 'who currently works in sales'."""
    return encoded.tokens[min(at, len(encoded.tokens) - 1)].lemma in {
        "work",
        "working",
        "employed",
        "here",
        "with",
    }


def _faintly_named(
    index: SchemaIndex, encoded: EncodedQuestion, chosen: Assignment
) -> Iterator[tuple[int, str]]:
    """Words that are only faintly like a table beside the word that names it: 'scholarship students'.

    They say which students, whatever they are like.
    """
    named = {n: o for n, o in chosen.mentions.items() if o.table and encoded.mentions[n].start >= 0}
    outright = {o.index for o in named.values() if o.score >= _MIN_OUTRIGHT_SCORE}
    for number, option in named.items():
        mention = encoded.mentions[number]
        length = mention.end - mention.start
        said = encoded.tokens[mention.start : mention.end]
        if length > 1 and 0 < option.score * length - (length - 1) < _MAX_FAINT_SCORE:
            names = index.tables[option.index].words
            faint = [t for t in said if t.lemma not in names]
        else:
            faint = list(said) if option.score < _MAX_FAINT_SCORE and option.index in outright else []
        if len(faint) == 1:
            yield faint[0].start, faint[0].text


def _within_a_name(encoded: EncodedQuestion, chosen: Assignment) -> bool:
    """Whether every 'or' stands between words for one and the same thing: 'states or counties'."""
    ends = {encoded.mentions[n].end: o for n, o in chosen.mentions.items()}
    starts = {encoded.mentions[n].start: o for n, o in chosen.mentions.items()}
    places = [at for at, token in enumerate(encoded.tokens) if token.lower == "or"]
    said = [(ends.get(at), starts.get(at + 1)) for at in places]
    return bool(said) and all(
        a is not None and b is not None and (a.table, a.index) == (b.table, b.index) for a, b in said
    )


def _is_asked_for(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word that mostly adds nothing stands for a column: 'the names and types of the rooms'."""
    if tokens[at].lemma not in _ATTRIBUTES or not 0 < at < len(tokens) - 1:
        return False
    before, behind = tokens[at - 1].lower, tokens[at + 1].lower
    if behind == "of":
        return before in _LISTING and at + 2 < len(tokens) and tokens[at + 2].lower in _OF_ALL
    return before in _LISTING | {"the"} and behind in _LISTING


def _is_counted(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word that mostly says how an answer is built is counted: 'how many orders has Ann'."""
    before = [t.lower for t in tokens[max(0, at - 2) : at]]
    return before == ["how", "many"] and tokens[at].lower in {"orders", "lists", "groups", "values"}


def _says_how_it_is(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word that mostly adds nothing is a state: 'which works are on display', 'not in use'."""
    if at < 2 or tokens[at].lower not in _STATES:
        return False
    return tokens[at - 1].lower in {"on", "in"} and tokens[at - 2].lower in _BEFORE_STATES


def passed_over(encoded: EncodedQuestion) -> int:
    """How many words that a value equals are left as mere words."""
    known = FUNCTION_WORDS | SOFT_WORDS
    tokens = encoded.tokens
    return len(
        encoded.states | {at for at in encoded.passed if not known & {tokens[at].lower, tokens[at].lemma}}
    )


def alignments(index: SchemaIndex, proposal: Proposal) -> tuple[Alignment, ...]:
    """Which words of the question became which table, column or value, in the order of the question."""
    tokens = proposal.encoded.tokens
    found: list[Alignment] = []
    for number, option in sorted(proposal.assignment.mentions.items()):
        mention = proposal.encoded.mentions[number]
        if mention.start < 0:
            continue
        span = _span(tokens, mention.start, mention.end)
        if option.table:
            found.append(Alignment(span, "table", index.tables[option.index].relation.name))
        elif option.index in index.measured and option.index in set(columns_of(proposal.query)):
            found.append(Alignment(span, "aggregate", measure(index, option.index)))
        else:
            column = index.columns[option.index]
            table = index.tables[column.table].relation.name
            found.append(Alignment(span, "column", f"{table}.{column.column.name}"))
    for number, hit in sorted(proposal.assignment.values.items()):
        value = proposal.encoded.values[number]
        found.append(Alignment(_span(tokens, value.start, value.end), "value", f"'{hit.stored}'"))
    for given in proposal.encoded.given:
        names = {c for k in given.conditions for c in columns_read(k)}
        target = ", ".join(
            f"{index.tables[index.columns[c].table].relation.name}.{index.columns[c].column.name}"
            for c in sorted(names)
        )
        found.append(Alignment(_span(tokens, given.start, given.end), "column", target))
    return tuple(sorted(found, key=lambda a: a.span.start))


def shown(index: SchemaIndex, proposal: Proposal) -> tuple[Alignment, ...]:
    """What people see of the words that became something in the SQL, in the order of the question."""
    tokens = proposal.encoded.tokens
    in_units = (
        Alignment(_span(tokens, start, end), "value", held)
        for start, end, held in told(index, proposal.encoded, proposal.query)
    )
    found = (*alignments(index, proposal), *implied(index, proposal), *in_units)
    kept = (a for a in found if not is_lost(a, proposal.sql))
    return tuple(sorted(kept, key=lambda a: a.span.start))


def implied(index: SchemaIndex, proposal: Proposal) -> tuple[Alignment, ...]:
    """Words that stand for columns or tables without naming them: 'oldest' for a date, 'late' for two.

    So do verbs: 'bought' for the orders that record it, 'best selling' for the quantity of their lines.
    """
    encoded, chosen = proposal.encoded, proposal.assignment.mentions
    meant: dict[int, tuple[str, str]] = {}
    for number, option in sorted(chosen.items()):
        if encoded.mentions[number].start >= 0:
            continue
        if option.table:
            meant[number] = "table", index.tables[option.index].relation.name
        else:
            column = index.columns[option.index]
            meant[number] = "column", f"{index.tables[column.table].relation.name}.{column.column.name}"
    if not meant:
        return ()
    late = ", ".join(to for number, (_, to) in meant.items() if encoded.mentions[number].words in OVERDUE)
    deeds = {_deed(name): m for name, m in encoded.attributes.items() if m in meant}
    alone = (m for m in meant if len(encoded.mentions[m].words) == 1)
    deeds |= {_deed(encoded.mentions[m].words[0]): m for m in alone}
    plain = set(encoded.plain)
    verbs = {_deed(encoded.tokens[at].lower): at for at in range(len(encoded.tokens))}
    plain |= {at for deed, at in verbs.items() if deed in deeds} - _spoken_for(proposal)
    found: list[Alignment] = []
    for at in sorted(plain):
        token = encoded.tokens[at]
        graded = degree(token)
        names = {token.lower, token.lemma, graded[0] if graded else token.lower}
        said = (m for name, m in encoded.attributes.items() if name in names and m in meant)
        kind, target = next((meant[m] for m in said if meant[m][0] == "column"), ("", ""))
        if late and names & LATE:
            kind, target = "column", late
        if not kind and _deed(token.lower) in deeds:
            kind, target = meant[deeds[_deed(token.lower)]]
            before = encoded.tokens[at - 1].lower if at else ""
            if before in _GRADED:
                found.append(Alignment(_span(encoded.tokens, at - 1, at), kind, target))
        if kind:
            found.append(Alignment(_span(encoded.tokens, at, at + 1), kind, target))
    return tuple(found)


def _deed(word: str) -> str:
    """A verb in all its forms as one; who pays spends."""
    verb = IRREGULAR_VERBS.get(word, word)
    return "spend" if verb == "pay" else stem(verb)


def with_losses(index: SchemaIndex, proposal: Proposal) -> Proposal:
    """The proposal with the words that were linked to something its SQL does not use told as uncovered.

    Its features tell how many words of each kind have no place (`uncovered_words.KINDS`).
    """
    meant = accounted(index, proposal)
    proposal = _without_penalty(proposal, meant)
    spared = _spared(index, proposal) | _rows_counted(index, proposal) | _rows_named(index, proposal) | meant
    stood_for = [a for a in implied(index, proposal) if not is_lost(a, proposal.sql)]
    spared |= {a.span.text for a in stood_for}
    proposal = replace(proposal, uncovered=tuple(t for t in proposal.uncovered if t not in spared))
    aligned = alignments(index, proposal)
    gone = [a for a in aligned if is_lost(a, proposal.sql) and a.span.text not in spared]
    lost = [a.span.text for a in gone]
    spoken_for = _spoken_for(proposal)
    asked = unmet(
        index,
        proposal.encoded,
        proposal.assignment,
        proposal.query,
        proposal.sql,
        joined=bool(proposal.path),
    )
    hardly = _hardly_meant(index, proposal)
    starts = {token.start: at for at, token in enumerate(proposal.encoded.tokens)}
    gone_at = {starts[a.span.start]: a.span.text for a in gone}
    asked_for = with_hidden(index, proposal.query)
    of_all, rows = _is_of_all(asked_for), _is_unrestricted(asked_for)
    read_so = (a for a in (*aligned, *stood_for) if not is_lost(a, proposal.sql))
    placed = {starts[a.span.start] for a in read_so}
    bears = bearing(
        proposal.encoded,
        proposal.uncovered,
        gone_at,
        placed,
        of_all=of_all,
        unrestricted=rows,
        endless=_reads_no_end(index, proposal.query),
    )
    done = done_elsewhere(index, proposal, spoken_for | placed)
    without = [*bears, *asked, *hardly, *done]
    lost += without
    if _echoes(proposal.query) or _is_borrowed(index, proposal) or _is_whole(index, proposal):
        without.append("")  # it can only say what the question says
    if proposal.features.get("f:dropped") or proposal.features.get("f:borrowed"):
        without.append("")  # a number is compared with nothing, or the state is of something else
    if _is_of_home(index, proposal) or _names_others(index, proposal):
        without.append("")
    if any(_is_counted(proposal.encoded.tokens, at) for at in proposal.encoded.plain):
        without.append("")
    if _is_half_figured(proposal) or _is_when(index, proposal) or _is_of_maker(index, proposal):
        without.append("")
    if not lost and not proposal.uncovered and not without:
        return proposal
    told = replace(proposal, uncovered=tuple(dict.fromkeys((*proposal.uncovered, *lost))))
    read = frozenset(re.findall(r"\w+", proposal.sql.lower()))
    like_values = _value_like(told.encoded.tokens)
    kinds = left_out(index, told, gone_at, spoken_for, read, like_values)
    return replace(told, features={**proposal.features, "bearing": float(len(without)), **kinds})


def _without_penalty(proposal: Proposal, meant: Set[str]) -> Proposal:
    """The proposal whose features do not hold against it the words that need no place."""
    gone = meant & {*proposal.uncovered} if meant else set()
    if not gone:
        return proposal
    symbols = sum(text.lower() in FUNCTION_WORDS for text in gone)
    taken = {"lost_symbols": symbols, "words_unplaced": len(gone) - symbols}
    of = {**proposal.features}
    if gone & SENSELESS and not lost_senses({*proposal.uncovered} - gone):
        of.pop("lost:compare", None)
    return replace(proposal, features={**of, **{n: max(0.0, of[n] - t) for n, t in taken.items() if n in of}})


def _is_of_all(query: Query) -> bool:
    """Whether a query counts or adds up all rows there are."""
    return _is_unrestricted(query) and bool(query.select) and all(t.aggregate for t in query.select)


def _is_unrestricted(query: Query) -> bool:
    """Whether a query reads all rows there are, each for itself or all together."""
    return not (query.where or query.having or query.group or query.combine or query.limit is not None)


def _reads_no_end(index: SchemaIndex, query: Query) -> bool:
    """Whether neither the conditions nor the groups of a query are of what tells that something ended."""
    parts = (condition for term in query.select for condition in term.part)
    columns = {c for condition in (*query.where, *query.having, *parts) for c in columns_read(condition)}
    columns |= {term.column for term in query.group if term.column is not None}
    return not any((ENDS["current"] | OVER["gone"]) & {*index.columns[c].full} for c in columns)


def _is_borrowed(index: SchemaIndex, proposal: Proposal) -> bool:
    """Whether a state is of a table that nothing else speaks of: "active contracts" of active staff.

    A yes or no says it, or a time that ends it. Where no table is named, a value speaks of the rows that
    refer to it: living dogs are pets, and the dog one of their species.
    """
    columns = index.columns
    chosen = proposal.assignment
    tied = {columns[hit.column].table for hit in chosen.values.values()}
    if not any(option.table for option in chosen.mentions.values()):
        kinds = {index.tables[table].relation.oid for table in tied}
        keys = ((t.index, key.target) for t in index.tables for key in t.relation.foreign_keys)
        tied |= {table for table, target in keys if target in kinds}
    states: set[int] = set()
    for number, option in chosen.mentions.items():
        if option.table:
            tied.add(option.index)
        elif _goes_on(proposal.encoded.mentions[number]) or (
            _is_state(proposal.encoded.mentions[number]) and is_flag(columns[option.index])
        ):
            states.add(columns[option.index].table)
        else:
            tied.add(columns[option.index].table)
    return bool(tied) and bool(states - tied)


def _names_others(index: SchemaIndex, proposal: Proposal) -> bool:
    """Whether 'the names of the regions affected by storms' are told as the names of the storms.

    So it is where a table is called as the things are, and nothing that is shown is of it, or says so; 'the
    names of the perpetrators' are those of the people that they are.
    """
    query, tokens = proposal.query, proposal.encoded.tokens
    if query.group or query.combine is not None or any(t.aggregate for t in query.select):
        return False
    at = next(
        (n for n, t in enumerate(tokens[:-1]) if t.lemma == "name" and tokens[n + 1].lower == "of"), None
    )
    if at is None or any(_says_whose(index, m, at) for m in proposal.encoded.mentions):
        return False  # 'the genre name of the film' is no name of the film
    at += 2
    while at < len(tokens) and tokens[at].lower in _OF_ALL | {"those", "these", "our"}:
        at += 1
    if at >= len(tokens) or not any(m.start == at and m.options for m in proposal.encoded.mentions):
        return False
    things = tokens[at].lemma
    shown = {t.column for t in query.select if t.column is not None}
    tables = {index.columns[c].table for c in shown}
    if query.star is not None:
        tables.add(query.star)
    said = {w for c in shown for w in index.columns[c].full} | {
        w for t in tables for w in index.tables[t].words
    }
    called = [t for t in index.tables if t.role is None and t.words[-1:] == (things,)]
    if any(t.words == (things,) and _is_kind_of(index, t, tables) for t in called):
        return False
    return bool(tables) and things not in said and bool(called)


def _says_whose(index: SchemaIndex, said: Mention, at: int) -> bool:
    """Whether a mention says in front of the word 'name', which is token `at`, of what table it is."""
    if said.end == at:
        return bool(said.options) and said.options[0].table
    tables = {w for t in index.tables for w in t.words}
    return said.start < at < said.end and said.words[0] in tables


def _is_kind_of(index: SchemaIndex, table: TableEntry, of: Set[int]) -> bool:
    """Whether each row of a table refers to a row of its own of another, and has no name itself."""
    columns = [index.columns[c] for c in table.columns]
    relations = {index.tables[t].relation.oid for t in of}
    single = (
        k.columns[0] for k in table.relation.foreign_keys if k.target in relations and len(k.columns) == 1
    )
    keys = {*single}
    named = any("name" in c.full for c in columns)
    return not named and any(c.column.name in keys and unique(index, c.index) for c in columns)


def _is_of_home(index: SchemaIndex, proposal: Proposal) -> bool:
    """Whether 'last shift date and store per employee' may be the store of the shift, or the employee's own.

    The rows of which one is taken of each lead to it by keys of theirs, and so does what it is taken of.
    """
    query, columns = proposal.query, index.columns
    each = {columns[t.column].table for t in query.partition if t.column is not None}
    rows = {columns[t.column].table for t, _ in query.order if t.column is not None} - each
    shown = {columns[t.column].table for t in query.select if t.column is not None} - each - rows
    return any(
        other in leads_to(index, one) and other in leads_to(index, row, without=one)
        for other in shown
        for one in each
        for row in rows
    )


def _is_of_maker(index: SchemaIndex, proposal: Proposal) -> bool:
    """Whether 'best selling products in Germany' are those that come from there, not those sold there.

    So it is where the place is of a table that products lead to and that is not named, and who bought them
    has a place as well.
    """
    tokens, chosen, query = proposal.encoded.tokens, proposal.assignment, proposal.query
    summed = [t.column for t, _ in query.order if t.aggregate and t.column is not None]
    shown = [t.column for t in query.select if t.column is not None and not t.aggregate]
    if not summed or not shown or not _DEALINGS & {t.lower for t in tokens}:
        return False
    thing = index.columns[shown[0]].table
    named = {o.index for o in chosen.mentions.values() if o.table}
    made = leads_to(index, thing).keys() - {thing} - named
    sold = leads_to(index, index.columns[summed[0]].table, without=thing)
    for number, hit in chosen.values.items():
        value = proposal.encoded.values[number]
        placed = value.start > 0 and tokens[value.start - 1].lower == "in"
        others = {index.columns[h.column].table for h in value.hits if h.quality >= hit.quality}
        if placed and index.columns[hit.column].table in made and others & sold.keys():
            return True
    return False


def _is_state(said: Mention) -> bool:
    """Whether a mention is one word of the question; what a verb measures is no state."""
    return len(said.words) == 1 and said.start >= 0


def _goes_on(said: Mention) -> bool:
    """Whether a mention is of the times that end what a word says: 'active', 'current'."""
    return len(said.words) == 1 and said.start < 0 and said.words[0] in ENDS


def _is_whole(index: SchemaIndex, proposal: Proposal) -> bool:
    """Whether a share is of rows that have it all, or none that has.

    Who canceled, by the month or in the year of it; web orders, by their channel.
    """
    query = proposal.query
    parts = [c for t in query.select if t.aggregate == "share" for c in t.part]
    if {t.column for t in query.group} & {column for c in parts for column in columns_read(c)}:
        return True
    dated = {t.column for t in query.group}
    dated |= {c.term.column for c in query.where if isinstance(c, Compare)}
    said = {
        stem(word.lower())
        for number, hit in proposal.assignment.values.items()
        if any(isinstance(c, Compare) and c.term.column == hit.column and c.operator == "=" for c in parts)
        for word in (*proposal.encoded.values[number].text.split(), hit.stored)
    }
    of_value = {
        column
        for column in dated
        if column is not None
        and index.columns[column].kind == "time"
        and not index.columns[column].column.not_null
        and said & {stem(word) for word in index.columns[column].full}
    }
    held = {c.column for c in parts if isinstance(c, NullTest) and c.negated}
    return bool(dated & held or of_value)


def _echoes(query: Query) -> bool:
    """Whether all that is shown is what a condition fixes: the name of those who are called so."""
    fixed = {
        c.term
        for c in query.where
        if isinstance(c, Compare) and c.operator == "=" and isinstance(c.right, Literal)
    }
    said = query.star is None and not query.group and query.over != EXISTS
    return said and bool(query.select) and set(query.select) <= fixed


_MIN_LIKELY_SCORE: Final = 0.52
"""Worth of a word that the thesaurus has for another at odds below one to three."""
_MIN_TIED_SCORE: Final = 0.6


def _is_half_figured(proposal: Proposal) -> bool:
    """Whether a count and a sum of one thing are asked for, and only one is shown."""
    asked = _COUNT_AND_SUM.search(" ".join(t.lower for t in proposal.encoded.tokens))
    return asked is not None and not {"count", "sum"} <= {t.aggregate for t in proposal.query.select}


def _is_when(index: SchemaIndex, proposal: Proposal) -> bool:
    """Whether the shortest of something is taken for the first of its times."""
    if not _EXTENTS & {t.lower for t in proposal.encoded.tokens}:
        return False
    return any(
        term.column is not None
        and not term.aggregate
        and term.factor is None
        and not term.unit
        and index.columns[term.column].column.type_name.startswith(("timestamp", "date"))
        for term, _ in proposal.query.order
    )


def _hardly_meant(index: SchemaIndex, proposal: Proposal) -> list[str]:
    """The words by which alone a table is read although they hardly mean it: 'dogs' for tags."""
    encoded, chosen = proposal.encoded, proposal.assignment
    tied = {index.columns[hit.column].table for hit in chosen.values.values()}
    for number, option in chosen.mentions.items():
        if option.score >= _MIN_TIED_SCORE and encoded.mentions[number].start >= 0:
            tied.add(option.index if option.table else index.columns[option.index].table)
    return [
        _span(encoded.tokens, said.start, said.end).text
        for number, option in chosen.mentions.items()
        if option.table and option.score < _MIN_LIKELY_SCORE and option.index not in tied
        for said in (encoded.mentions[number],)
        if said.start >= 0 and not is_verb(encoded.tokens, said.start, ())
    ]


def _spared(index: SchemaIndex, proposal: Proposal) -> set[str]:
    """Words that need no place: those by which comments and names say what the SQL reads.

    "clients that went through onboarding" on the table makes "onboarding" a word for its rows. What may be a
    value, and what a comment says of single codes ('R = rejected'), is not about the rows that are read.
    """
    names = set(re.findall(r"\w+", proposal.sql.lower()))
    read = [t for t in index.tables if t.relation.name.lower() in names]
    columns = [index.columns[c] for t in read for c in t.columns]
    comments = [t.relation.comment for t in read]
    named = [c for c in columns if c.column.name.lower() in names]
    comments += [c.column.comment for c in named if not c.codes]
    said = {
        singular(word) for text in comments for word in _WORD.findall(_CODE.sub(" ", _first_sentence(text)))
    }
    said.update(word for c in named if c.codes for word in (*c.hints, *c.full))
    tokens = proposal.encoded.tokens
    plain = {tokens[at].text for at in proposal.encoded.plain} - _value_like(tokens)
    spared = {text for text in plain if singular(text.lower()) in said - FUNCTION_WORDS - SOFT_WORDS}
    return spared | _of_names(proposal, [index.columns[c] for t in read for c in t.columns], named)


_COUNTING: Final = re.compile(
    r"(?:how many|number of|count of|most|fewest|least) (?:(?:the|all|of|different) )*$"
)
_MIN_DISTINCT_SHARE: Final = 0.95
"""The share of different values from which on a column tells the rows of its table apart."""


def _rows_counted(index: SchemaIndex, proposal: Proposal) -> set[str]:
    """Words for the column that rows are called by, where rows are counted: 'how many titles' of shows."""
    if "count(*)" not in proposal.sql:
        return set()
    tokens = proposal.encoded.tokens
    found = set()
    for number, option in proposal.assignment.mentions.items():
        said = proposal.encoded.mentions[number]
        if option.table or said.start < 0:
            continue
        column = index.columns[option.index]
        rows = index.tables[column.table].relation.estimated_rows
        names_rows = not column.key and different(column, rows) >= _MIN_DISTINCT_SHARE * rows > 0
        before = " ".join(t.lower for t in tokens[: said.start]) + " "
        if names_rows and _COUNTING.search(before):
            found.add(" ".join(t.text for t in tokens[said.start : said.end]))
    return found


def _rows_named(index: SchemaIndex, proposal: Proposal) -> set[str]:
    """Words for the column that rows are called by, where it says of what rows: 'positions of players'."""
    tokens, names = proposal.encoded.tokens, set(re.findall(r"\w+", proposal.sql.lower()))
    found = set()
    for number, option in proposal.assignment.mentions.items():
        said = proposal.encoded.mentions[number]
        if option.table or said.end != said.start + 1 or not 0 < said.start < len(tokens) - 1:
            continue
        column, word = index.columns[option.index], tokens[said.start]
        read = index.tables[column.table].relation.name.lower() in names
        several = word.lower != word.lemma and column.words == (word.lemma,) and names_somebody(index, column)
        if read and several and (tokens[said.start - 1].lower in _OF_ROWS or tokens[said.end].lower in _WHO):
            found.add(word.text)
    return found


def _of_names(proposal: Proposal, columns: Sequence[ColumnEntry], named: Sequence[ColumnEntry]) -> set[str]:
    """Words left over that what is read is named by.

    'teachers' beside tchr_avg_sal, which is shown; 'did issue' of rows that have a day of issue.
    """
    tokens = proposal.encoded.tokens
    parts = {stem(w) for c in named if not c.key and len(c.full) > 1 for w in c.full}
    events = {stem(w) for c in columns if c.kind == "time" for w in c.full} - _OF_TIME
    done = {at for at, t in enumerate(tokens) if t.lower in _AUXILIARY}
    if "count(*)" in proposal.sql:
        # rows that a code tells the kind of are such things: 'violations' of rows with viol_cd
        parts |= {stem(c.full[0]) for c in columns if len(c.full) > 1 and c.full[-1] in _KINDS}
    left = {(at, at + 1) for at in proposal.encoded.plain}
    left |= {(m.start, m.end) for m in proposal.encoded.mentions if m.end == m.start + 1}
    found = set()
    values = _value_like(tokens)
    for start, end in left:
        token = tokens[start] if start >= 0 else None
        if token is None or token.kind != "word" or token.text in values:
            continue
        verb = bool(done) and min(done) < start
        if stem(token.lemma) in parts or (verb and stem(token.lemma) in events):
            found.add(" ".join(t.text for t in tokens[start:end]))
    return found


def _first_sentence(comment: str) -> str:
    """What the thing is; notes on how to use it come later."""
    return re.split(r"(?<=[a-z)])[.;](?:\s|$)", comment.lower(), maxsplit=1)[0]


def _spoken_for(proposal: Proposal) -> set[int]:
    """The tokens that became tables, columns or values."""
    encoded, chosen = proposal.encoded, proposal.assignment
    parts = [encoded.mentions[m] for m in chosen.mentions]
    spans = [(p.start, p.end) for p in parts] + [
        (encoded.values[v].start, encoded.values[v].end) for v in chosen.values
    ]
    return {at for start, end in spans if start >= 0 for at in range(start, end)}


@lru_cache(maxsize=4)
def _value_like(tokens: tuple[Token, ...]) -> frozenset[str]:
    """Texts that can hardly be anything but values: quoted, with digits, written as a name, behind 'in'."""
    found = set()
    for at, token in enumerate(tokens):
        opens = at == 0 or tokens[at - 1].lower in {".", "?", "!", ":", ";"}
        if (
            token.kind in {"quoted", "number", "date"}
            or any(c.isdigit() for c in token.text)
            or (token.text[:1].isupper() and not opens)
            or (at > 0 and tokens[at - 1].lower in _BEFORE_A_VALUE)
            or (at > 1 and tokens[at - 1].lower in _ARTICLES and tokens[at - 2].lower == "in")
        ):
            found.add(token.text)
    return frozenset(found)


def is_lost(alignment: Alignment, sql: str) -> bool:
    """Whether an alignment names a column that the SQL does not hold."""
    name = alignment.target.rpartition(".")[2]
    return alignment.kind == "column" and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sql) is None


def _span(tokens: Sequence[Token], start: int, end: int) -> Span:
    first, last = tokens[start], tokens[end - 1]
    return Span(first.start, last.end, " ".join(t.text for t in tokens[start:end]))
