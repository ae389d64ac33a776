"""How each public function of `sql/` is called with a text, and which are never given one, and why.

A call prepares what it needs of a text (which is not measured) and returns the work, or None where the text
is nothing that the function is ever given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Final

from data.tracing_catalog import CATALOG

from askwire.core.errors import AskError
from askwire.core.types import ResultColumn, ResultSet
from askwire.sql import (
    dialect,
    literals,
    parameters,
    parsing,
    printing,
    remarks,
    safety,
    scan,
    state_needs,
    state_relations,
    statements,
    unasked,
)
from askwire.sql.ask import commands, hiding, misplaced, preceding, recognition, rewriting, trees
from askwire.sql.canonical import normal_form, plain_conditions, query_form
from askwire.sql.presentation import in_words, layout, output_names
from askwire.sql.query_patterns import extraction, pattern_text
from askwire.sql.safety import limits, patterns, positions
from askwire.sql.tracing import (
    aggregates,
    boundaries,
    composite,
    difference,
    evaluation,
    kept_out,
    lineage_text,
    neighbours,
    ordering,
    scopes,
    shadows,
    ties,
    traced,
    tree,
)

Work = Callable[[], object]
Call = Callable[[str], Work | None]

_QUESTION: Final = "which singers of v3 and v17 are 9 years old"
_CLIENT: Final = "ASK 'q'; WITH other AS (SELECT 1) SELECT * FROM other"
_ROOM: Final = safety.Policy(max_queries=10**6, max_relations=10**6)


def _of_text(function: Callable[..., Any], *more: Any, **named: Any) -> Call:
    return lambda text: lambda: _drained(function(text, *more, **named))


def _drained(found: object) -> object:
    return list(found) if hasattr(found, "__next__") else found  # type: ignore[call-overload]


@lru_cache(maxsize=1000)
def _statements(text: str) -> tuple[Any, ...]:
    """The trees of a text, which all functions are given: none changes what it is given."""
    return parsing.parsed(text)


@lru_cache(maxsize=1000)
def _parsed_query(text: str) -> Any:
    """The tree of the query that a text is, shared like these; None where it is no query."""
    try:
        return tree.parse_query(text)
    except tree.Untraceable:
        return None


def _of_tree(function: Callable[..., Any], *more: Any) -> Call:
    """The whole tree of a text."""

    def call(text: str) -> Work | None:
        found = _statements(text)
        return (lambda: _drained(function(found, *more))) if found else None

    return call


def _of_query(function: Callable[..., Any], *more: Any, **named: Any) -> Call:
    """The query that a text is."""

    def call(text: str) -> Work | None:
        found = _parsed_query(text)
        return None if found is None else lambda: _drained(function(found, *more, **named))

    return call


def _of_scopes(function: Callable[[Any], Any]) -> Call:
    """A query that was traced."""

    def call(text: str) -> Work | None:
        try:
            found = traced.trace_query(text, CATALOG)
        except (tree.Untraceable, RecursionError):
            return None
        return lambda: _drained(function(found))

    return call


def _traced_afresh(text: str) -> object:
    traced._trace.cache_clear()
    return traced.trace_query(text, CATALOG)


def _rows(text: str) -> ResultSet:
    cells = text.split()
    columns = tuple(ResultColumn(f"c{i}", 25) for i in range(2))
    return ResultSet(columns, tuple((cell, cell[::-1]) for cell in cells))


def _of_tokens(function: Callable[[str, scan.Token], object]) -> Call:
    def call(text: str) -> Work | None:
        found = [t for t in scan.scan(text) if t.kind in {scan.Kind.STRING, scan.Kind.ESCAPE_STRING}]
        return lambda: [_drained(function(text, token)) for token in found]

    return call


def _site(text: str) -> Any:
    (site,) = recognition.find_asks("WITH other AS (SELECT 1) SELECT * FROM (ASK 'q') AS a")
    return site


def _substituted(text: str) -> Work:
    asked = "SELECT * FROM (ASK 'q') AS a"
    sites = recognition.find_asks(asked)
    return lambda: rewriting.substitute(asked, [(sites[0], text)])


def _read_back(text: str) -> Work:
    rewritten = _substituted(text)()
    return lambda: rewriting.reads_back(rewritten)  # type: ignore[arg-type]


def _found(function: Callable[..., Any]) -> Call:
    """A message of a client, with an ASK in front."""
    return lambda text: lambda: _drained(function(f"{_CLIENT}; {text}"))


def _preceding(text: str) -> Work | None:
    whole = f"{text}; ASK 'q'"
    try:
        sites = recognition.find_asks(whole)
    except AskError:
        return None
    return lambda: preceding(whole, sites)


def _replaced(text: str) -> Work | None:
    whole = f"SELECT * FROM ask.history; {text}"
    sites = state_relations.find_state_relations(whole, frozenset({"history"}))
    queries = {(site.statement_index, site.relation): "SELECT 1" for site in sites}
    return lambda: state_relations.replace_relations(whole, sites, queries)


CALLS: Final[Mapping[str, Call]] = {
    "ask.commands.find_commands": _of_text(commands.find_commands),
    "ask.hiding.hidden_table": lambda text: lambda: hiding.hidden_table(_site(text), text),
    "ask.hiding.check_hidden": lambda text: lambda: hiding.check_hidden(_site(text), text),
    "ask.misplaced.find_misplaced": _found(misplaced.find_misplaced),
    "ask.misplaced.find_bare": _found(misplaced.find_bare),
    "ask.preceding.preceding": _preceding,
    "ask.recognition.might_hold_ask": lambda text: lambda: recognition.might_hold_ask(text.encode()),
    "ask.recognition.find_asks": _found(recognition.find_asks),
    "ask.rewriting.substitute": _substituted,
    "ask.rewriting.reads_back": _read_back,
    "ask.trees.nodes": _of_tree(trees.nodes),
    "dialect.dialects": _of_text(dialect.dialects),
    "dialect.translated": _of_text(dialect.translated, "mysql"),
    "presentation.layout.laid_out": _of_text(layout.laid_out),
    "presentation.layout.folded": _of_text(layout.folded, 20),
    "literals.quote_identifier": _of_text(literals.quote_identifier),
    "literals.quote_literal": _of_text(literals.quote_literal),
    "literals.array_text": lambda text: lambda: literals.array_text(text.split()),
    "literals.string_value": _of_tokens(literals.string_value),
    "remarks.with_remarks": lambda text: lambda: remarks.with_remarks(f"{text} [found: {text}]", [text]),
    "remarks.without_remarks": lambda text: lambda: remarks.without_remarks(f"{text} [found: {text}]"),
    "remarks.remark": _of_text(remarks.remark),
    "remarks.refers_to": lambda text: lambda: remarks.refers_to(text, text),
    "remarks.referred_to": lambda text: lambda: remarks.referred_to(f"[found: refers to {text}]"),
    "remarks.named_column": lambda text: lambda: remarks.named_column(f"{text}, {text}.{text}"),
    "query_patterns.pattern_text.without_literals": _of_text(pattern_text.without_literals),
    "query_patterns.pattern_text.with_literals": _of_text(pattern_text.with_literals),
    "canonical.normal_form.normalize": lambda text: lambda: normal_form.normalize(_rows(text)),
    "canonical.normal_form.same": lambda text: lambda: normal_form.same(_rows(text), _rows(text)),
    "canonical.normal_form.normal_value": lambda text: lambda: normal_form.normal_value(text, 25),
    "query_patterns.extraction.observed": _of_text(extraction.observed, CATALOG),
    "presentation.output_names.with_output_names": _of_text(output_names.with_output_names),
    "parameters.find_assignments": _of_text(parameters.find_assignments, "askwire."),
    "parameters.find_shown": _of_text(parameters.find_shown, "askwire."),
    "canonical.plain_conditions.plainly": _of_query(
        lambda query: plain_conditions.plainly(query.whereClause, next(iter(CATALOG)))
    ),
    "printing.to_sql": _of_tree(printing.to_sql),
    "canonical.query_form.query_form": _of_text(query_form.query_form),
    "presentation.in_words.in_words": _of_text(in_words.in_words),
    "parsing.parsed": _of_text(parsing.parsed),
    "safety.check": _of_text(safety.check, CATALOG, _ROOM),
    "safety.limits.check_limits": _of_text(limits._check_tokens, _ROOM),
    "safety.patterns.too_complex": _of_text(patterns.too_complex),
    "safety.positions.nth_of": lambda text: lambda: positions.nth_of(text, "S", text.count("S")),
    "safety.positions.of_locking": _of_text(positions.of_locking),
    "safety.positions.first_location": _of_query(positions.first_location),
    "scan.scan": _of_text(scan.scan),
    "scan.skip_plain": _of_text(scan.skip_plain, 0),
    "scan.significant": _of_text(scan.significant),
    "scan.parts": _of_tokens(scan.parts),
    "state_needs.state_needs": _of_text(state_needs.state_needs),
    "state_relations.might_read_state": _of_text(state_relations.might_read_state),
    "state_relations.find_state_relations": _of_text(
        state_relations.find_state_relations, frozenset({"history"})
    ),
    "state_relations.replace_relations": _replaced,
    "statements.split": _of_text(statements.split),
    "statements.fold": _of_text(statements.fold),
    "tracing.aggregates.aggregate_calls": _of_query(aggregates.aggregate_calls),
    "tracing.aggregates.is_aggregated": _of_query(aggregates.is_aggregated),
    "tracing.aggregates.is_windowed": _of_query(aggregates.is_windowed),
    "tracing.boundaries.boundaries": _of_scopes(lambda t: boundaries.boundaries(t.scopes)),
    "tracing.boundaries.counts": _of_scopes(lambda t: boundaries.counts(t.scopes)),
    "tracing.composite.read_row": lambda text: lambda: composite.read_row(f"({text.replace(' ', ',')})"),
    "tracing.composite.write_row": lambda text: lambda: composite.write_row(text.split()),
    "tracing.difference.difference": _of_scopes(
        lambda t: difference.difference(t.scopes, t.scopes, t.sources)
    ),
    "tracing.difference.either": _of_scopes(lambda t: difference.either(t.scopes, t.scopes, t.sources)),
    "tracing.evaluation.evaluation": _of_text(
        lambda text: evaluation.evaluation([text, text], SimpleNamespace(rows={}, sources=()), [])  # type: ignore[arg-type]
    ),
    "tracing.kept_out.flip": _of_query(lambda query: kept_out.flip(query.whereClause)),
    "tracing.kept_out.keeps_out": _of_query(kept_out.keeps_out),
    "tracing.lineage_text.joined": lambda text: lambda: lineage_text.joined(text.split()),
    "tracing.neighbours.links": _of_scopes(lambda t: neighbours.links([t.scopes, t.scopes], t.sources)),
    "tracing.ordering.order_by": _of_query(ordering.order_by),
    "tracing.ordering.partitions": _of_query(ordering.partitions),
    "tracing.scopes.resolve": _of_query(scopes.resolve, CATALOG),
    "tracing.shadows.shadowed": _of_scopes(lambda t: shadows.shadowed(t.scopes, t.sources)),
    "tracing.shadows.check_shadows": _of_scopes(lambda t: shadows.check_shadows(t.scopes)),
    "tracing.ties.is_ordered": _of_query(ties.is_ordered),
    "tracing.ties.takes_some": _of_query(ties.takes_some),
    "tracing.ties.cuts_below": _of_query(ties.cuts_below),
    "tracing.ties.tie_broken": _of_scopes(lambda t: ties.tie_broken(t.tree, t.scopes, ordered=t.ordered)),
    "tracing.ties.with_ties": _of_query(ties.with_ties),
    "tracing.ties.tie_shuffled": _of_scopes(
        lambda t: ties.tie_shuffled(t.tree, t.scopes, salts=3, ordered=t.ordered)
    ),
    "tracing.traced.trace_query": _of_text(_traced_afresh),
    "tracing.traced.trace_through": _of_scopes(lambda t: traced.trace_through(t, {}, CATALOG)),
    "tracing.tree.parse_query": _of_text(tree.parse_query),
    "tracing.tree.copy_tree": _of_tree(tree.copy_tree),
    "tracing.tree.walk": _of_tree(tree.walk),
    "tracing.views.inline": _of_scopes(
        lambda t: __import__("askwire.sql.tracing.views", fromlist=["inline"]).inline(t.scopes, {}, CATALOG)
    ),
    "unasked.unasked": _of_text(unasked.unasked, _QUESTION),
    "unasked.foreign_spans": _of_text(unasked.foreign_spans, _QUESTION),
    "unasked.without_unasked": _of_text(unasked.without_unasked, _QUESTION),
    "unasked.sources": _of_text(unasked.sources, _QUESTION),
}

_NODE: Final = "one node of a tree, as its callers walk it: measured with them"
_CATALOG_ROWS: Final = "rows of the catalog, of which no machine writes any"
_OWN: Final = "names of the catalog and numbers of askwire's own"
_READER: Final = "one part of a client's text, as find_asks reads it: measured with that"

EXEMPT: Final[Mapping[str, str]] = {
    "safety.extensions.trusted_extensions": "no text",
    "safety.probes.loud_type": "a relation of the catalog",
    **dict.fromkeys(
        (
            f"presentation.phrases.{name}"
            for name in ("at", "compared", "empty", "first_of", "listed", "within")
        ),
        "names and values of one condition, as in_words puts them together: measured with that",
    ),
    "ask.commands.is_command": _READER,
    "ask.findings.read_found": _READER,
    "ask.findings.follows": _READER,
    "ask.misplaced.storing": _READER,
    "ask.options.read_options": _READER,
    "ask.question.read_keyword": _READER,
    "ask.question.read_call": _READER,
    "ask.question.read_text": _READER,
    "ask.walk.too_many": "a position",
    "ask.words.read_word": _READER,
    "query_patterns.constants.harmless": _NODE,
    "query_patterns.constants.units_in": _NODE,
    "dialect_functions.postgres_function": _NODE,
    "query_patterns.patterns.columns_in": _NODE,
    "query_patterns.patterns.told": _NODE,
    "introspection.catalog_rows.values_per_column": _CATALOG_ROWS,
    "introspection.catalog_rows.build": _CATALOG_ROWS,
    "introspection.attached.parsed": _CATALOG_ROWS,
    "introspection.attached.read_attachments": _CATALOG_ROWS,
    "introspection.attached.user_objects": _CATALOG_ROWS,
    "introspection.attachments.usable": "no text",
    "introspection.plain.is_plain": _CATALOG_ROWS,
    "introspection.plain.may_be_plain": _CATALOG_ROWS,
    "introspection.queries.counted": _CATALOG_ROWS,
    "introspection.reach.typed": _CATALOG_ROWS,
    "literals.is_uescape_character": "one character",
    "named_times.named_times": "a question, which has a limit of its own",
    "introspection.samples.readable": _CATALOG_ROWS,
    "private_values.is_off": _CATALOG_ROWS,
    "private_values.without_values": _CATALOG_ROWS,
    "safety.arguments.check_arguments": _NODE,
    "safety.arguments.check_pattern": _NODE,
    "safety.arguments.check_json_path": _NODE,
    "safety.arguments.check_like": _NODE,
    "safety.arguments.series_rows": _NODE,
    "safety.constants.series_length": "three numbers",
    "safety.constants.text_constant": _NODE,
    "safety.constants.number_constant": _NODE,
    "safety.constants.interval_constant": _NODE,
    "safety.constants.moment_constant": _NODE,
    "safety.expansion.check_expansion": "measured with safety.check, which bounds the relations first",
    "safety.growth.gathering.check_growth": "measured with safety.check, which bounds the relations first",
    "safety.expressions.walk": "measured with safety.check",
    "safety.expressions.output_name": _NODE,
    "safety.expressions.is_untyped": _NODE,
    "safety.functions.review": "a table of askwire's own",
    "safety.functions.reviewed": "one name",
    "safety.names.renamed": "measured with safety.check",
    "safety.nodes.of": _NODE,
    "safety.nodes.reason_against": _NODE,
    "safety.growth.numbers.written": _NODE,
    "safety.growth.numbers.literal": _NODE,
    "safety.growth.numbers.few_times": _NODE,
    "safety.growth.numbers.power": _NODE,
    "safety.growth.numbers.may_say_exponent": _NODE,
    "safety.growth.numbers.outputs": _NODE,
    "safety.growth.numbers.is_double": _NODE,
    "safety.growth.numbers.shortens": _NODE,
    "safety.positions.refusal": "a reason",
    "safety.positions.of_syntax_error": "called once, for a text that does not parse: see safety.check",
    "safety.probes.quiet": _CATALOG_ROWS,
    "safety.queries.query": "measured with safety.check",
    "safety.shadows.qualified": "measured with safety.check, over a catalog with namesakes",
    "safety.growth.sizes.made": _NODE,
    "safety.growth.sizes.constant": _NODE,
    "canonical.schema_digest.schema_digest": _CATALOG_ROWS,
    "state_relations.as_query": "askwire's own state",
    "state_relations.as_arrays": "askwire's own state",
    "statements.unterminated": "one token",
    "tracing.alias_names.alias_of": _NODE,
    "tracing.alias_names.function_names": _NODE,
    "tracing.alias_names.renamed": _NODE,
    "tracing.declared.read_rules": _CATALOG_ROWS,
    "tracing.declared.planned": _CATALOG_ROWS,
    "tracing.declared.breaking": _CATALOG_ROWS,
    "tracing.evaluation.answers": "rows that were read under caps",
    "tracing.identity.source": _OWN,
    "tracing.identity.token": _OWN,
    "tracing.identity.equals": _OWN,
    "tracing.identity.reading": _OWN,
    "tracing.identity.referred": _OWN,
    "tracing.keyed.keyed": _OWN,
    "tracing.lineage_text.some": _OWN,
    "tracing.lineage_text.some_of": _OWN,
    "tracing.lineage_text.cells": _OWN,
    "tracing.neighbours.neighbours": _OWN,
    "tracing.neighbours.repeats": _OWN,
    "tracing.neighbours.sample": _OWN,
    "tracing.scopes.star_of": _NODE,
    "tracing.scopes.star_columns": _NODE,
    "tracing.tree.is_a": _NODE,
    "tracing.tree.copy_node": _NODE,
    "tracing.tree.children": _NODE,
    "tracing.tree.strings": _NODE,
    "tracing.tree.is_set_operation": _NODE,
    "tracing.tree.output_name": _NODE,
    "tracing.views.read_views": _CATALOG_ROWS,
    "tracing.views.check_apart": _CATALOG_ROWS,
}
