"""The ablations of the papers, each as the settings that make it: `model_strategy` and what differs from it.

Owns: that table, and what each row is to be compared with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class Ablation:
    """One row of a paper's table: `settings` are what differs from the strategy as it is.

    With an `effort` it is that effort's, whatever others are: what less effort leaves out cannot be ablated.
    `of` names the row that it is compared with, '' is the strategy as it is at the same effort.
    `needs` says what must be there for the two to differ: 'knowledge' (documents), or 'experts' (several, and
    drafts that differ). With `oracle` the model is shown besides what the right SQL does, which only a bench
    knows.
    """

    strategy: str
    table: str
    row: str
    settings: Mapping[str, str] = field(default_factory=dict)
    effort: str = ""
    of: str = ""
    needs: str = ""
    oracle: bool = False

    @property
    def name(self) -> str:
        """What it is called among all."""
        return f"{self.strategy}, {self.table}, {self.row}"


def _rows(
    strategy: str,
    table: str,
    rows: Mapping[str, str],
    *,
    effort: str = "",
    of: str = "",
    needs: Mapping[str, str] | None = None,
) -> tuple[Ablation, ...]:
    return tuple(
        Ablation(strategy, table, row, _read(text), effort, of, (needs or {}).get(row, ""))
        for row, text in rows.items()
    )


def _read(text: str) -> dict[str, str]:
    """'repairs=0, model_second=off' as settings."""
    pairs = (pair.partition("=") for pair in text.split("; ") if pair)
    return {name: value for name, _, value in pairs}


_LINKED: Final = "model_linking=always"
"""What is about linking links, however small the schema is."""
_PRUNED: Final = f"{_LINKED}; model_roles=off; model_profiling=off; model_synthesis=off"
"""The paper's workflow "Planning & Pruning (w/o Verification)"."""
_STAGE_4: Final = "ssev, Tables 3 to 5, stage 4: Base + SR + SL"

ABLATIONS: Final[tuple[Ablation, ...]] = (
    *_rows(
        "pv-sql",
        "Table 5",
        {
            "PV-SQL": "",
            "w/o Probe": "model_probing=off",
            "w/o Repair": "repairs=0",
            "LLM verify": "checks=models; review=demands",
        },
        effort="thorough",
        of="pv-sql, Table 5, PV-SQL",
    ),
    *_rows(
        "pv-sql",
        "Table 11",
        {f"K = {k}": f"model_probes={k}" for k in range(8) if k != 5},
        effort="thorough",
        of="pv-sql, Table 5, PV-SQL",
    ),
    *_rows("apex", "Table 4", {"w/ Exploration": "", "w/o Exploration": "model_probing=off"}),
    Ablation("apex", "Table 4", "Oracle Exploration", {"model_probing": "off"}, oracle=True),
    *_rows(
        "apex",
        "Table 5, w/o Verification",
        {
            "APEX-SQL": _PRUNED,
            "w/o Planning": f"{_PRUNED}; model_plan=off",
            "Only Deletion": f"{_PRUNED}; model_pruning=drop",
            "Only Selection": f"{_PRUNED}; model_pruning=keep",
        },
        of="apex, Table 5, w/o Verification, APEX-SQL",
    ),
    *_rows(
        "apex",
        "Table 5, Verification",
        {
            "APEX-SQL": _LINKED,
            "w/o Planning": f"{_LINKED}; model_plan=off",
            "w/o Semantic Linking": f"{_LINKED}; model_roles=off",
            "w/o Data Profiling": f"{_LINKED}; model_profiling=off",
            "w/o Global Synthesis": f"{_LINKED}; model_synthesis=off",
            "w/o All": f"{_LINKED}; model_roles=off; model_profiling=off; model_synthesis=once",
        },
        of="apex, Table 5, Verification, APEX-SQL",
    ),
    *_rows("apex", "Table 6", {"w/ Guidance": "", "w/o Guidance": "model_paths=off; model_guidance=off"}),
    *_rows(
        "ssev",
        "Tables 3 to 5",
        {
            "stage 1: Base": "model_second=off; repairs=0",
            "stage 2: Base + SL": "repairs=0",
            "stage 3: Base + SR": "model_second=off",
            "stage 4: Base + SR + SL": "",
            "stage 5: Base + SR + Vote": "model_second=off",
            "stage 6: Base + SR + Vote + SL + SR + Vote": "model_second=voted",
        },
        effort="thorough",
        of=_STAGE_4,
        needs={"stage 6: Base + SR + Vote + SL + SR + Vote": "experts"},
    ),
    *_rows(
        "ssev",
        "Figures 3 and 4",
        {"without cell references": "model_cells=0", "without demonstrations": "model_demonstrations=0"},
        effort="thorough",
        of=_STAGE_4,
    ),
    Ablation("recap", "Tables 1 and 10", "settings 1 and 3: the model alone", effort="fast"),
    *_rows(
        "recap",
        "Tables 1 and 10",
        {
            "settings 2 and 4: ReCAPAgent-SQL": "",
            "without PlannerAgent": "model_plan=off",
            "without PlanCritiqueAgent": "model_critiques=0",
            "without External Knowledge RetrieverAgent": "model_knowledge=off",
            "without Syntax RetrieverAgent": "model_syntax=off",
            "without SQLCritiqueAgent": "model_reviews=answer",
            "without SchemaLinkerAgent": "model_schema_steps=0",
            "without SelfRefinerAgent": "repairs=0",
            "without ValidatorAgent": "model_reviews=critique",
        },
        needs={"without External Knowledge RetrieverAgent": "knowledge"},
    ),
)
"""In the order of the papers."""
