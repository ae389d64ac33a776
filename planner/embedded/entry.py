"""The public side of the embedded engine, beside `engine.EmbeddedEngine`: what others may build on.

Experts that are models link questions as the engine does, and read the same habits of queries. What this
module does not name is the engine's own, and an import contract keeps it so.
"""

from __future__ import annotations

from askwire.planner.embedded.linking.blocked import blocked_tokens
from askwire.planner.embedded.linking.linker import Linker, Mention
from askwire.planner.embedded.linking.naming import linked_name
from askwire.planner.embedded.linking.value_reads import Hit, Room
from askwire.planner.embedded.linking.values import look_up
from askwire.planner.embedded.ranking.query_log_filters import MIN_FILTER_QUERIES, OFFERED_FILTER_SHARE
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.lookups import remarked
from askwire.planner.embedded.schema.query_log_measures import customary as customary_measures
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex, TableEntry
from askwire.planner.embedded.schema.schema_index import build as build_index

__all__ = [
    "MIN_FILTER_QUERIES",
    "OFFERED_FILTER_SHARE",
    "ColumnEntry",
    "Hit",
    "JoinGraph",
    "Linker",
    "Mention",
    "Room",
    "SchemaIndex",
    "TableEntry",
    "blocked_tokens",
    "build_index",
    "customary_measures",
    "linked_name",
    "look_up",
    "remarked",
]
