"""An encoded question → the frames it may have, for one schema.

Owns: what a mention may be for the rules, and the alternatives to the frame that the grammar reads. Must not
know: assignments, SQL.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from askwire.language.text import stem
from askwire.planner.embedded.grammar import clauses, head, parties, unit_columns
from askwire.planner.embedded.grammar.atoms import Frame
from askwire.planner.embedded.grammar.encode import Encoded, attribute_mention
from askwire.planner.embedded.grammar.repairs import repaired
from askwire.planner.embedded.grammar.scanning import Scan
from askwire.planner.embedded.linking import lasting, unsaid
from askwire.planner.embedded.linking.linker import Linker, Mention
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex, is_flag

_PERCENT: Final = frozenset({"percentage", "percent", "rate", "share"})
_PARTICIPLE: Final = re.compile(r"\w+ed|left|sent|sold|paid|born|lost|won|built|gone|done|made|quit")


def kinds_of(index: SchemaIndex, mention: Mention) -> frozenset[str]:
    """What a mention may be, for the rules: 'table', 'column', 'numeric', and which it mostly is ('…!')."""
    tables = [o.score for o in mention.options if o.table and not o.label]
    columns = [(o.score, index.columns[o.index]) for o in mention.options if not o.table]
    free = [s for s, c in columns if not c.key]
    found = {"column"} if any(o.label for o in mention.options) else set()
    if tables and tables[0] >= 0.5:
        found.add("table")
        first = next(o for o in mention.options if o.table and not o.label)
        if parties.is_person(index, first.index):
            found.add("person")
    if (free and free[0] >= 0.5) or (columns and columns[0][0] >= 0.5 and not (tables and tables[0] >= 0.7)):
        found.add("column")
    if columns and columns[0][0] >= 0.6 and is_flag(columns[0][1]) and not (tables and tables[0] >= 0.7):
        found.add("flag")
    if any(c.kind == "time" or "year" in c.full for s, c in columns if s >= 0.55):
        found.add("time")
    if columns and columns[0][0] >= 0.6 and not (tables and tables[0] >= 0.7):
        nearest = columns[0][1]
        if nearest.kind == "time" and nearest.column.optional and _PARTICIPLE.fullmatch(mention.words[-1]):
            found.add("moment")
    if _PARTICIPLE.fullmatch(mention.words[-1]) and any(
        s >= 0.7 and c.kind == "time" and c.column.optional for s, c in columns
    ):
        found.add("moment")
    if columns and columns[0][0] >= 0.6 and columns[0][1].column.optional:
        found.add("optional")
    if any(c.key for _, c in columns):
        found.add("key")
    measured = [s for s, c in columns if c.kind == "number" and not c.key and s >= 0.55]
    if measured:
        found.add("numeric")
    if any(s >= 0.7 and c.kind == "number" and _PERCENT & {*c.full} for s, c in columns[:2]):
        found.add("percent")
    if measured and measured[0] >= columns[0][0] - 0.15:
        found.add("numeric!")
    best_table = tables[0] if tables else 0.0
    best_column = free[0] if free else columns[0][0] * 0.8 if columns else 0.0
    if best_table > best_column + 0.05:
        found.add("table!")
    elif best_column > best_table:
        found.add("column!")
    return frozenset(found)


def _spread(index: SchemaIndex, encoded: Encoded, frame: Frame) -> Frame | None:
    """'the average height and weight': one aggregate may be meant for all that follows it."""
    outputs, aggregate, changed = [], "", False
    for output in frame.outputs:
        if output.aggregate and output.aggregate != "count":
            aggregate = output.aggregate
        mention = encoded.mentions[output.mention] if output.mention is not None else None
        plain = aggregate and not output.aggregate and mention is not None
        if plain and mention is not None and "numeric" in kinds_of(index, mention):
            outputs.append(replace(output, aggregate=aggregate))
            changed = True
            continue
        outputs.append(output)
    return frame.with_(outputs=tuple(outputs), flags=frame.flags | {"spread"}) if changed else None


def _holds(encoded: Encoded, mention: int, value: int) -> bool:
    """Whether a mention may name a column that holds a value."""
    columns = {h.column for h in encoded.values[value].hits}
    return any(
        not o.table and o.score >= 0.5 and o.index in columns for o in encoded.mentions[mention].options
    )


def _belongs(index: SchemaIndex, column: Mention, table: Mention) -> bool:
    """Whether a mention may name a column of the table that another most likely names."""
    first = table.options[0]
    return first.table and any(
        not o.table and index.columns[o.index].table == first.index for o in column.options
    )


def _noted(encoded: Encoded, mention: Mention, *made_of: int) -> int | None:
    """The number of a mention that the question does not spell out; None when it has no options."""
    if not mention.options:
        return None
    encoded.mentions.append(mention)
    encoded.spent.update(made_of)
    return len(encoded.mentions) - 1


def _overdue(encoded: Encoded, linker: Linker) -> tuple[int, int] | None:
    """The numbers of the mentions of when a thing was done and by when it was due."""
    spoken = {stem(t.lemma) for t in encoded.tokens if t.kind == "word"}
    done, due = unsaid.overdue(linker, spoken)
    first = _noted(encoded, done)
    second = _noted(encoded, due)
    return None if first is None or second is None else (first, second)


def _scan(index: SchemaIndex, graph: JoinGraph, encoded: Encoded, linker: Linker) -> Scan:
    """The scan of an encoded question, with what rules may ask of the schema."""
    said = len(encoded.mentions)

    def read(mentions: Sequence[int], values: Sequence[int]) -> list[int]:
        """The tables that mentions most likely are, or are columns of, and those that hold values."""
        first = [o for m in mentions for o in encoded.mentions[m].options[: 1 if m < said else 2]]
        tables = [o.index if o.table else index.columns[o.index].table for o in first]
        tables += [index.columns[encoded.values[v].hits[0].column].table for v in values]
        return list(dict.fromkeys(tables))

    tokens = encoded.tokens

    def spoken(symbol: str) -> Mention | str:
        """The mention of a symbol of the line, or the plain word that it is."""
        linked = symbol[0] == "M" and symbol[1:].isdigit()
        return encoded.mentions[int(symbol[1:])] if linked else symbol

    def recording(event: int) -> list[int]:
        return [o.index for o in encoded.mentions[event].options if o.table]

    def steps(event: int) -> list[int]:
        said = encoded.mentions[event]
        options = {o.index: o for o in said.options}
        through = parties.steps(index, graph, recording(event))
        made = (_noted(encoded, replace(said, options=(options[table],))) for table in through)
        return [mention for mention in made if mention is not None]

    def ranks_above(word: str) -> tuple[int, int] | None:
        """The numbers of the mentions of those below and of those above them."""
        below, above = parties.ranks_above(linker, tokens, encoded.mentions[:said], word)
        first, second = _noted(encoded, below), _noted(encoded, above)
        return None if first is None or second is None else (first, second)

    return Scan(
        encoded,
        kind=lambda m: kinds_of(index, encoded.mentions[m]),
        attribute=lambda adjective: attribute_mention(encoded, linker, adjective),
        holds=lambda m, v: _holds(encoded, m, v),
        line=encoded.line,
        difference=lambda a, b: _noted(
            encoded, unsaid.difference(linker, encoded.mentions[a], encoded.mentions[b]), a, b
        ),
        event=lambda verb: _noted(encoded, unsaid.event(linker, verb)),
        ended=lambda word: _noted(encoded, unsaid.ended(linker, word)),
        sold=lambda: _noted(encoded, unsaid.sold(linker)),
        overdue=lambda: _overdue(encoded, linker),
        people=lambda of, values, verb: _noted(
            encoded, parties.people(linker, graph, tokens, read(of, values), verb)
        ),
        reporting=lambda: _noted(encoded, parties.reporting(linker, tokens)),
        thing=lambda event: _noted(encoded, parties.thing(linker, graph, tokens, recording(event))),
        holder=lambda v: _noted(encoded, parties.holder(index, [h.column for h in encoded.values[v].hits])),
        same=lambda a, b: bool(set(read([a], ())) & set(read([b], ()))),
        quotient=lambda a, b: _noted(
            encoded, unsaid.difference(linker, encoded.mentions[a], encoded.mentions[b], "/"), a, b
        ),
        ranks_above=ranks_above,
        lasting=lambda m, done: _noted(encoded, lasting.lasting(linker, graph, read([m], ()), done)),
        between=lambda a, b: _noted(encoded, lasting.between(linker, spoken(a), spoken(b))),
        last_time=lambda m: _noted(encoded, lasting.last_time(linker, read([m], ())[0])),
        whole=lambda m: _noted(encoded, parties.whole(index, graph, encoded.mentions[m])),
        steps=steps,
        compound=lambda of, kind: _noted(
            encoded, parties.compound(linker, encoded.mentions[of], encoded.mentions[kind]), of, kind
        ),
        absorbed=lambda m: parties.absorbed(index, encoded.mentions[m], tokens),
        in_unit=lambda number, adjective: _noted(
            encoded, unit_columns.in_unit(linker, encoded, number, adjective)
        ),
        fits_unit=lambda m, number: unit_columns.fits(index, encoded, m, number),
        amount=lambda m: _noted(encoded, parties.amount(index, encoded.mentions[m])),
        totalled=lambda word: _noted(encoded, parties.totalled(linker, word)),
        named_outright=lambda m: parties.outright(encoded.mentions[m]),
        belongs=lambda c, t: _belongs(index, encoded.mentions[c], encoded.mentions[t]),
    )


def frames(index: SchemaIndex, graph: JoinGraph, encoded: Encoded, linker: Linker) -> list[Frame]:
    """The frame the grammar reads, then those in which a part of it stands elsewhere, marked by flags."""
    scanned = clauses.scan(_scan(index, graph, encoded, linker))
    frame = head.frame(scanned)
    frames = [frame]
    spread = _spread(index, encoded, frame)
    if spread is not None:
        frames.append(spread)
    for place, output in enumerate(frame.outputs):
        # 'names of the states' may ask for a column of states
        words = encoded.mentions[output.mention].words if output.mention is not None else ()
        if words == ("name",) and output.owner is not None and not output.aggregate:
            if any(not o.table and o.score >= 0.6 for o in encoded.mentions[output.owner].options):
                mine = replace(output, mention=output.owner, owner=None)
                outputs = tuple(mine if n == place else o for n, o in enumerate(frame.outputs))
                entities = tuple(e for e in frame.entities if e != output.owner)
                frames.append(
                    frame.with_(outputs=outputs, entities=entities, flags=frame.flags | {"name_of"})
                )
            break
    if frame.unit == "hour" and "hour_of_day" not in frame.flags:
        frames.append(frame.with_(flags=frame.flags | {"hour_exact", "repaired"}))
    for known in frames[:2]:
        frames += repaired(known, encoded, lambda m: kinds_of(index, encoded.mentions[m]))
    return frames
