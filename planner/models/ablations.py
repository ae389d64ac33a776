"""The ablations of the papers, each as the settings that make it: `model_strategy` and what differs from it.

Owns: that
table. Must not know: how settings work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class Ablation:
    """One row of a paper's table: `settings` are what differs from the strategy as it is.

    With `oracle` the model is told besides what the right SQL does, which only a bench knows.
    """

    strategy: str
    table: str
    row: str
    settings: Mapping[str, str] = field(default_factory=dict)
    oracle: bool = False


def _rows(strategy: str, table: str, rows: Mapping[str, str]) -> tuple[Ablation, ...]:
    return tuple(Ablation(strategy, table, row, _read(text)) for row, text in rows.items())


def _read(text: str) -> dict[str, str]:
    """'repairs=0, model_second=off' as settings."""
    pairs = (pair.partition("=") for pair in text.split(", ") if pair)
    return {name: value for name, _, value in pairs}


ABLATIONS: Final[tuple[Ablation, ...]] = (
    *_rows(
        "pv-sql",
        "Table 5",
        {
            "PV-SQL": "",
            "w/o Probe": "model_probing=off",
            "w/o Repair": "repairs=0",
            "LLM verify": "checks=models, review=demands",
        },
    ),
    *_rows("pv-sql", "Table 11", {f"K = {k}": f"model_probes={k}" for k in range(8) if k != 5}),
    *_rows("apex", "Table 4", {"w/ Exploration": "", "w/o Exploration": "model_probing=off"}),
    Ablation("apex", "Table 4", "Oracle Exploration", {"model_probing": "off"}, oracle=True),
    *_rows(
        "apex",
        "Table 5",
        {
            "Planning & Pruning, w/o Verification": "model_linking=prune",
            "w/o Planning": "model_plan=off",
            "Only Deletion": "model_pruning=drop",
            "Only Selection": "model_pruning=keep",
            "w/o Semantic Linking": "model_roles=off",
            "w/o Data Profiling": "model_profiling=off",
            "w/o Global Synthesis": "model_synthesis=off",
            "w/o All": "model_linking=prune",
        },
    ),
    *_rows("apex", "Table 6", {"w/ Guidance": "", "w/o Guidance": "model_paths=off, model_guidance=off"}),
    *_rows(
        "ssev",
        "Tables 3 to 5",
        {
            "stage 1: Base": "model_second=off, repairs=0",
            "stage 2: Base + SL": "repairs=0",
            "stage 3: Base + SR": "model_second=off",
            "stage 4: Base + SR + SL": "",
            "stage 5: Base + SR + Vote": "model_second=off",
            "stage 6: Base + SR + Vote + SL + SR + Vote": "model_second=voted",
        },
    ),
    *_rows(
        "ssev",
        "Figures 3 and 4",
        {"without cell references": "model_cells=0", "without demonstrations": "model_demonstrations=0"},
    ),
    *_rows(
        "recap",
        "Tables 1 and 10",
        {
            "settings 1 and 3: the model alone": "effort=fast",
            "settings 2 and 4: ReCAPAgent-SQL": "",
            "without PlannerAgent": "model_plan=off",
            "without PlanCritiqueAgent": "model_critiques=0",
            "without External Knowledge RetrieverAgent": "model_knowledge=off",
            "without Syntax RetrieverAgent": "model_syntax=off",
            "without SchemaLinkerAgent": "model_schema_steps=0",
            "without SelfRefinerAgent": "repairs=0",
        },
    ),
)
"""In the order of the papers."""
