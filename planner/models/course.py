"""What a model does for one ASK: which stages, and how much of each.

Chosen by the effort, and by the strategy: the expert's style, or the setting `model_strategy`. Each strategy
is one paper's way of working and nothing else, so that it can be measured alone; `auto` is what the effort
grants of all of them. Any single choice can be taken out by a setting of its own. Owns: these choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Final

from askwire.core.settings.models import AUTO, MODEL_SETTINGS, STRATEGIES, STRATEGY
from askwire.core.settings.setting import Setting
from askwire.core.settings.table import EFFORT, REPAIRS, Settings


@dataclass(frozen=True, slots=True)
class PipelineConfig:
    """Stages and their bounds, for one expert and one ASK; those a setting chooses are called as it is.

    `schema_tokens` bounds what is shown of the catalog. `prompt_tokens` bounds the prompts of PV-SQL's looks
    as far as that is a choice: after `least` looks none is begun that would exceed it; `at_once` lets the
    model write the query instead of a look. `repairs` bounds repairs per candidate, beside the setting
    of that name. `batches` of tables go through pruning, `tables` of what is left are profiled, and synthesis
    has `rounds`. The exploring agent has `actions` and `action_tokens`. Of the best `celled` relations
    `cells` rows are shown as examples, with `near` only of those that the question may be about. Up to
    `demonstrations` examples are shown, found by `similarity`; up to `seeds` of them are of those that come
    with askwire, where fewer were confirmed. A model that has a
    temperature writes at least `samples` queries.
    """

    schema_tokens: int
    repairs: int
    prompt_tokens: int = 0
    least: int = 0
    linking: str = "off"
    plan: str = "off"
    critiques: int = 0
    paths: bool = False
    pruning: str = "both"
    roles: bool = True
    profiling: bool = True
    synthesis: str = "on"
    batches: int = 2
    tables: int = 5
    rounds: int = 2
    probing: str = "off"
    probes: int = 5
    at_once: bool = False
    actions: int = 10
    action_tokens: int = 14_000
    cells: int = 0
    celled: int = 40
    near: bool = False
    samples: int = 1
    second: str = "off"
    refinements: int = 0
    schema_steps: int = 0
    reviews: str = "off"
    guidance: bool = False
    demonstrations: int = 0
    seeds: int = 0
    similarity: str = "lexical"
    knowledge: bool = False
    syntax: bool = False
    evidence: bool = True

    @property
    def opinions(self) -> frozenset[str]:
        """What `reviews` asks an opinion of, as the setting `review` calls it."""
        return _OPINIONS[self.reviews]

    @property
    def forced_at(self) -> int:
        """The action from which on only SQL is taken: 38 of 40 (APEX, section 4.3.4)."""
        return max(1, self.actions - 2)

    @property
    def forced_tokens(self) -> int:
        """The tokens from which on only SQL is taken: 52 of 56 thousand."""
        return self.action_tokens * 52 // 56


_OPINIONS: Final[Mapping[str, frozenset[str]]] = {
    "off": frozenset(),
    "critique": frozenset(("critique",)),
    "answer": frozenset(("answer",)),
    "both": frozenset(("critique", "answer")),
}

_EXAMPLE_ROWS: Final[Mapping[str, Any]] = {"cells": 1, "celled": 6, "near": True}
_FAST: Final = PipelineConfig(2500, 1, knowledge=True, **_EXAMPLE_ROWS)
_BALANCED: Final = PipelineConfig(2500, 2, prompt_tokens=4000, least=2)
_THOROUGH: Final = PipelineConfig(
    20_000,
    5,
    prompt_tokens=60_000,
    least=2,
    batches=12,
    tables=12,
    rounds=3,
    actions=40,
    action_tokens=56_000,
)
_APEX: Final[Mapping[str, Any]] = {
    "linking": "large",
    "plan": "logical",
    "paths": True,
    "probing": "apex",
    "guidance": True,
    "knowledge": True,
}
_SSEV: Final[Mapping[str, Any]] = {"cells": 3, "second": "union", "demonstrations": 9, "seeds": 9}
_RECAP: Final[Mapping[str, Any]] = {
    "plan": "steps",
    "probing": "recap",
    "knowledge": True,
    "syntax": True,
    "reviews": "both",
}

COURSES: Final[Mapping[str, Mapping[str, PipelineConfig]]] = MappingProxyType(
    {
        "fast": dict.fromkeys((AUTO, *STRATEGIES), _FAST),
        "balanced": {
            AUTO: replace(
                _BALANCED,
                prompt_tokens=6000,
                probing="pv-sql",
                at_once=True,
                demonstrations=3,
                knowledge=True,
                **_EXAMPLE_ROWS,
            ),
            "pv-sql": replace(_BALANCED, probing="pv-sql"),
            "apex": replace(_BALANCED, **_APEX),
            "ssev": replace(_BALANCED, **_SSEV),
            "recap": replace(_BALANCED, **_RECAP, critiques=1, schema_steps=10),
        },
        "thorough": {
            AUTO: replace(
                _THOROUGH,
                linking="large",
                probing="pv-sql",
                at_once=True,
                cells=2,
                celled=12,
                second="union",
                schema_steps=30,
                guidance=True,
                demonstrations=9,
                seeds=3,
                knowledge=True,
                syntax=True,
            ),
            "pv-sql": replace(_THOROUGH, probing="pv-sql"),
            "apex": replace(_THOROUGH, **_APEX, samples=8),
            "ssev": replace(_THOROUGH, **_SSEV, refinements=2),
            "recap": replace(_THOROUGH, **_RECAP, critiques=3, schema_steps=30),
        },
    }
)
"""By the value of the setting `effort`, then by strategy."""

CHOICES: Final[Mapping[str, Setting[Any]]] = {
    setting.name.removeprefix("model_"): setting
    for setting in MODEL_SETTINGS
    if setting is not STRATEGY and setting.name.startswith("model_")
}
"""The settings that take one choice out, by the field of `PipelineConfig` that they give."""


def course_of(settings: Settings, style: str) -> PipelineConfig:
    """What an expert of a style does under these settings.

    With `effort` = fast no stage is added by a setting: one call is what it says.
    """
    strategy = settings[STRATEGY]
    chosen = COURSES[settings[EFFORT]][style if strategy == AUTO else strategy]
    if settings[EFFORT] == "fast":
        return chosen
    given = {name: settings[setting] for name, setting in CHOICES.items()}
    changed = {
        name: value == "on" if _SWITCHES[name] else value
        for name, value in given.items()
        if value not in (None, AUTO)
    }
    if settings[REPAIRS] == 0:
        changed["refinements"] = 0  # what may not be written again may not be before its tables count either
    return replace(chosen, **changed)


_SWITCHES: Final[Mapping[str, bool]] = {f.name: f.type == "bool" for f in fields(PipelineConfig)}
