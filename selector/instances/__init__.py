"""A handful of real rows on which two queries differ, found read-only in the asker's own session.

Owns: the search for separating instances and what it reports. The SQL it runs is written by `sql.tracing`.
Must not know: who proposed the candidates, or what follows from the difference.

    separate(first: str, second: str, catalog: Catalog, executor: Executor, budget: Budget = Budget(),
             trace: Trace | None = None, *, comparison: Normalization = STRICT,
             answers: tuple[ResultSet, ResultSet] | None = None) -> Separation
    separate_all(candidates: Sequence[str], catalog: Catalog, executor: Executor, budget: Budget = Budget(),
                 trace: Trace | None = None, *, comparison: Normalization = STRICT) -> SharedSeparation
"""

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
]
