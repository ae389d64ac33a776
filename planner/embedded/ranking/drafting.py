"""A draft → the proposals it makes: its SQL over each way to join, with the features the ranker weighs.

Owns: rendering a draft and measuring it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from askwire.language.text import listed
from askwire.planner.embedded.grammar.atoms import Frame
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.interpretation.assemble import Draft
from askwire.planner.embedded.interpretation.counts_apart import all_counted, counts_apart
from askwire.planner.embedded.interpretation.denials import with_empty_keys
from askwire.planner.embedded.interpretation.group_conditions import of_known_groups
from askwire.planner.embedded.interpretation.hidden_rows import without_hidden
from askwire.planner.embedded.interpretation.in_force import in_force, no_longer
from askwire.planner.embedded.interpretation.measures_shown import with_measure
from askwire.planner.embedded.interpretation.output_order import in_order_asked
from askwire.planner.embedded.interpretation.resolve import Assignment
from askwire.planner.embedded.interpretation.row_nouns import elements_shown, rows_of_codes
from askwire.planner.embedded.interpretation.stray_keys import with_strays
from askwire.planner.embedded.linking.linker import Option
from askwire.planner.embedded.linking.periods import SAYS_WHEN
from askwire.planner.embedded.logical_form.ir import Query, Term
from askwire.planner.embedded.ranking.agreement import Agreement
from askwire.planner.embedded.ranking.coverage import passed_over, uncovered_words
from askwire.planner.embedded.ranking.proposal import Proposal
from askwire.planner.embedded.ranking.rank import features, score
from askwire.planner.embedded.ranking.required_operations import unmet
from askwire.planner.embedded.rendering.render import CannotJoin, Renderer, tables_read
from askwire.planner.embedded.schema.joins import Beside, JoinGraph, Tree
from askwire.planner.embedded.schema.schema_index import SchemaIndex

MAX_WAYS_TO_JOIN: Final = 3


_APART: Final = frozenset(listed(", . ? ; : and or but per each every whose with who"))
_LEADING: Final = frozenset({"in", "from", "of", "by", "at"})


@dataclass(frozen=True)
class Way:
    """How a question is read, before its drafts: encoding `number`, a frame, what its words became."""

    text: str
    encoded: EncodedQuestion
    agreement: Agreement
    number: int
    frame: Frame
    chosen: Assignment
    uncovered: tuple[str, ...]
    unused: int
    unused_values: int
    passed_over: int
    spoken: frozenset[str]
    beside: Beside

    @classmethod
    def of(
        cls,
        index: SchemaIndex,
        text: str,
        encoded: EncodedQuestion,
        agreement: Agreement,
        number: int,
        frame: Frame,
        chosen: Assignment,
    ) -> Way:
        """The way with what it leaves out."""
        left = uncovered_words(index, encoded, frame, chosen)
        spoken = frozenset(t.lemma for t in encoded.tokens)
        beside = _said_of(encoded, chosen)
        return cls(
            text, encoded, agreement, number, frame, chosen, *left, passed_over(encoded), spoken, beside
        )


def _said_of(encoded: EncodedQuestion, chosen: Assignment) -> Beside:
    """Each table beside that in front of it: in 'who advise students of the Math department' the students.

    The words between them lead from one to the other, and begin nothing of their own.
    """
    said = sorted((encoded.mentions[n].start, encoded.mentions[n].end, o.index) for n, o in _tables(chosen))
    return tuple(
        (table, before)
        for (_, end, before), (start, _, table) in pairwise(said)
        if end >= 0
        and before != table
        and not _APART & {t.lower for t in encoded.tokens[end:start]}
        and _LEADING & {t.lower for t in encoded.tokens[end:start]}
    )


def _tables(chosen: Assignment) -> Iterator[tuple[int, Option]]:
    return ((n, o) for n, o in chosen.mentions.items() if o.table)


def proposals_of(
    index: SchemaIndex, graph: JoinGraph, way: Way, draft: Draft, weights: Mapping[str, float] | None
) -> list[Proposal]:
    """The proposals of one draft, none where its tables do not join; `weights` as `rank.score` takes them."""
    found = []
    named = {o.index for o in way.chosen.mentions.values() if o.table}
    query = elements_shown(index, rows_of_codes(index, graph, draft.query, named))
    if (apart := counts_apart(index, graph, query)) is None:
        return []
    query = apart
    draft = replace(draft, query=query)
    for variant in range(MAX_WAYS_TO_JOIN):
        renderer = Renderer(index, graph, variant, way.spoken, way.beside)
        try:
            sql = renderer.sql(draft.query)
        except CannotJoin:
            break
        if "count_distinct_key" in draft.flags and len(renderer.tables) == 1:
            break  # the same as count(*), said awkwardly
        chosen, encoded = way.chosen, way.encoded
        read = tables_read(index, draft.query)
        cue, undecided = graph.cue(renderer.tree, way.spoken, read) if renderer.tree else (0.0, 0)
        measured = features(
            way.text,
            way.frame,
            chosen,
            draft.query,
            draft.flags,
            encoding=way.number,
            join_cost=renderer.cost,
            tables=len(renderer.tables)
            + sum(t == Term(rows_of=t.rows_of) for t in draft.query.select)
            - _looked_up(index, chosen, renderer.tables)
            - _naming(index, chosen),
            named_tables=len(chosen.tables) - _called_alike(index, encoded, chosen),
            guessed=sum(renderer.guessed),
            unused=way.unused,
            unused_values=way.unused_values + way.passed_over,
            uncovered=max(0, len(way.uncovered) - way.unused - way.unused_values - len(way.frame.lost)),
            variant=0 if cue > 0 else variant,
            # where all that can be asked of is one table it needs no name
            named=sum(encoded.mentions[m].start >= 0 for m in chosen.mentions) + (len(index.tables) == 1),
            keys_shown=_keys_shown(index, graph, encoded, chosen, draft.query),
            edge_cue=cue,
        )
        measured["columns"] -= _named_in_two(index, draft)
        if renderer.tree is not None:
            measured.update(way.agreement.features(way.frame, chosen, draft.query, renderer.tree))
        if undecided:
            measured["keys_undecided"] = float(undecided)
        if chosen.values and renderer.tree and _idle(index, draft.query, renderer.tree):
            measured["role_idle"] = 1.0
        if _owner_unshown(index, way, draft.query):
            measured["owner_unshown"] = 1.0
        if draft.query.partition and _group_elsewhere(index, graph, way):
            measured["group_elsewhere"] = 1.0
        missing = unmet(index, encoded, chosen, draft.query, sql, joined=bool(renderer.path))
        if missing:
            measured["unmet"] = float(len(missing))
        query, path = draft.query, renderer.path
        left, now = way.uncovered, None
        if asked := encoded.now or encoded.past:
            now = _of_today(index, graph, way, query, renderer.tables)
            said = {encoded.tokens[at].text for at in asked if encoded.tokens[at].lower in SAYS_WHEN}
            # where nothing keeps periods the word is left over, known as it is
            left = tuple(w for w in left if w not in said) if now else tuple(dict.fromkeys((*left, *said)))
            query = now or query
        rightly = with_measure(encoded, all_counted(index, graph, with_empty_keys(index, graph, query)))
        if way.chosen.tables:
            rightly = without_hidden(index, rightly, way.chosen.tables[0], way.text)
        rightly = of_known_groups(index, in_order_asked(encoded, way.frame, rightly))
        rightly = with_strays(index, rightly, renderer.tree)
        if now is not None or (rightly is not query and rightly != query):
            # measured as it is said, and asked of all rows that are meant
            wider = Renderer(index, graph, variant, way.spoken, way.beside)
            try:
                sql, query, path = wider.sql(rightly), rightly, wider.path
            except CannotJoin:
                break
        proposal = Proposal(
            sql,
            query,
            measured,
            score(measured, weights),
            encoded,
            chosen,
            left,
            path,
        )
        found.append(proposal)
        if not renderer.path:
            break
    return found


def _of_today(
    index: SchemaIndex, graph: JoinGraph, way: Way, query: Query, tables: Collection[int]
) -> Query | None:
    """The query of what is so today, or no longer is, as the question asks; None where no table tells."""
    if way.encoded.now:
        return None if way.encoded.past else in_force(index, query, tables)
    if not way.chosen.tables:
        return None
    return no_longer(index, graph, query, way.chosen.tables[0], way.spoken)


def _owner_unshown(index: SchemaIndex, way: Way, query: Query) -> bool:
    """Whether 'the name of their boss' is asked for, and nothing of the boss is shown."""
    shown = {index.columns[c].table for term in query.select for c in term.columns()}
    owners = {o.owner for o in way.frame.outputs if o.owner is not None and not o.aggregate}
    options = [way.chosen.mentions.get(owner) for owner in owners]
    played = {
        o.index for o in options if o is not None and o.table and index.tables[o.index].role is not None
    }
    return query.star is None and bool(played - shown)


def _group_elsewhere(index: SchemaIndex, graph: JoinGraph, way: Way) -> bool:
    """Whether 'per country' may as well be of another table, and nothing says of which.

    The country of suppliers and that of customers are two, where neither is named; what is reached only
    through the table that is read is no rival.
    """
    chosen, mentions = way.chosen, way.encoded.mentions
    named = {o.index for m, o in chosen.mentions.items() if o.table and mentions[m].start >= 0}
    named |= {index.columns[hit.column].table for hit in chosen.values.values()}
    start = chosen.tables[0]
    for group in way.frame.groups:
        option = None if group.mention is None else chosen.mentions.get(group.mention)
        if group.mention is None or option is None or option.table or mentions[group.mention].start < 0:
            continue
        table = index.columns[option.index].table
        others = {
            index.columns[o.index].table
            for o in mentions[group.mention].options
            if not o.table and o.score >= option.score - _MAX_SCORE_GAP
        }
        rivals = (t for t in others - named - {table} if index.tables[t].role is None)
        ahead = graph.distance(start, table)
        if table not in named and any(
            graph.distance(start, rival) < ahead + graph.distance(table, rival) for rival in rivals
        ):
            return True
    return False


def _idle(index: SchemaIndex, query: Query, tree: Tree) -> bool:
    """Whether a table is joined for the part it plays ('billed') and nothing is then asked of it."""
    used = tables_read(index, query)
    ends = Counter(t for edge in tree.edges for t in (edge.left, edge.right))
    keys = Counter(left for edge in tree.edges for left, _ in edge.on)
    alone = [edge for edge in tree.edges if all(keys[left] == 1 for left, _ in edge.on)]
    once = {t for edge in alone for t in (edge.left, edge.right)}
    return any(index.tables[t].role is not None and ends[t] == 1 and t in once - used for t in tree.tables)


_MAX_LOOKUP_COLUMNS: Final = 3
"""Columns of a table that does no more than explain codes."""
_MIN_WHOLE_QUALITY: Final = 0.9


_MAX_SCORE_GAP: Final = 0.02


def _called_alike(index: SchemaIndex, encoded: EncodedQuestion, chosen: Assignment) -> int:
    """Tables of which only a column is said that another chosen table has as well.

    'the city with the largest population' names no country, though countries have a population.
    """
    by_table: dict[int, list[tuple[int, Option]]] = defaultdict(list)
    for mention, option in chosen.mentions.items():
        by_table[option.index if option.table else index.columns[option.index].table].append(
            (mention, option)
        )
    valued = {index.columns[hit.column].table for hit in chosen.values.values()}
    alike = 0
    for table, said in by_table.items():
        others = by_table.keys() - {table}
        alike += table not in valued and all(
            not option.table
            and any(
                not o.table
                and o.score >= option.score - _MAX_SCORE_GAP
                and index.columns[o.index].table in others
                for o in encoded.mentions[mention].options
            )
            for mention, option in said
        )
    return alike


def _looked_up(index: SchemaIndex, chosen: Assignment, tables: Collection[int]) -> int:
    """Tables read only for what a code means, of which the question says a value: they need no name in it."""
    said = {index.columns[h.column].table for h in chosen.values.values() if h.quality >= _MIN_WHOLE_QUALITY}
    return sum(
        table in said
        and table not in chosen.tables
        and len(index.tables[table].columns) <= _MAX_LOOKUP_COLUMNS
        and not index.tables[table].relation.primary_key
        for table in tables
    )


def _named_in_two(index: SchemaIndex, draft: Draft) -> float:
    """Columns beyond one by which tables name rows where no word asks for them: first and last names."""
    if "label" not in draft.flags:
        return 0.0
    shown = {t.column for t in draft.query.select if t.column is not None and not t.aggregate}
    labels = {index.labels[index.columns[c].table] for c in shown}
    return float(sum(len(label) > 1 and shown.issuperset(label) for label in labels))


def _naming(index: SchemaIndex, chosen: Assignment) -> int:
    """Tables read only because another one's rows go by their names."""
    return sum(t in index.naming and index.naming[t] not in chosen.tables for t in set(chosen.tables))


_KEY_WORDS: Final = frozenset({"id", "code", "number", "key", "identifier", "no"})


def _keys_shown(
    index: SchemaIndex, graph: JoinGraph, encoded: EncodedQuestion, chosen: Assignment, query: Query
) -> int:
    """How many keys to other tables are shown although the question did not ask for ids."""
    asked = {
        o.index
        for m, o in chosen.mentions.items()
        if not o.table and _KEY_WORDS & set(encoded.mentions[m].words)
    }
    shown = {t.column for t in query.select if t.column is not None and not t.aggregate}
    return sum(c not in asked and (index.columns[c].foreign or _stands_for(index, graph, c)) for c in shown)


def _stands_for(index: SchemaIndex, graph: JoinGraph, number: int) -> bool:
    """Whether a number stands for something that has a name in another table, though no key says so."""
    column = index.columns[number]
    alone = len(index.tables[column.table].relation.primary_key) < 2
    if column.kind != "number" or (column.primary and alone):
        return False
    for edge in graph.neighbours(column.table):
        if edge.left == column.table and edge.on == ((number, edge.on[0][1]),):
            return edge.on[0][1] not in index.labels[edge.right]
    return False
