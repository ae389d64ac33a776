"""A handful of real rows on which two queries differ, found read-only in the asker's own session.

Owns: the search for separating instances and what it reports. The SQL it runs is written by `sql.tracing`.
"""

from askwire.selector.instances.search import separate
from askwire.selector.instances.sharing import separate_all
from askwire.selector.instances.types import (
    Budget,
    Identity,
    Instance,
    InstanceRow,
    InstanceTable,
    Outcome,
    Separation,
    SharedSeparation,
    Statistics,
)

__all__ = [
    "Budget",
    "Identity",
    "Instance",
    "InstanceRow",
    "InstanceTable",
    "Outcome",
    "Separation",
    "SharedSeparation",
    "Statistics",
    "separate",
    "separate_all",
]
