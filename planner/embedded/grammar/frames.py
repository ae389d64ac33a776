"""An encoded question → the frames it may have, for one schema.

Owns: the alternatives to the frame that the grammar reads.
"""

from __future__ import annotations

from dataclasses import replace

from askwire.planner.embedded.grammar import head
from askwire.planner.embedded.grammar.atoms import Frame
from askwire.planner.embedded.grammar.clauses import Watch, take_clauses
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.grammar.kinds import kinds_of
from askwire.planner.embedded.grammar.linked_schema import LinkedSchema
from askwire.planner.embedded.grammar.repairs import repaired
from askwire.planner.embedded.linking.linker import Linker
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex


def _spread(index: SchemaIndex, encoded: EncodedQuestion, frame: Frame) -> Frame | None:
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


def frames(
    index: SchemaIndex, graph: JoinGraph, encoded: EncodedQuestion, linker: Linker, watch: Watch | None = None
) -> list[Frame]:
    """The frame the grammar reads, then those in which a part of it stands elsewhere, marked by flags.

    `watch` sees the line, what each rule changed, and the frames.
    """
    if watch is not None:
        watch.encoded(encoded)
    oracle = LinkedSchema(index, graph, encoded, linker)
    frame = head.frame(take_clauses(RuleContext(encoded, oracle, encoded.line), watch))
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
        frames += repaired(known, encoded, oracle.kinds)
    if watch is not None:
        watch.framed(frames)
    return frames
