"""How much a model does for one ASK. Owns: the presets behind the setting `effort`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Effort:
    """Stages and their bounds, for one expert and one ASK.

    `probes` is PV-SQL's K; `schema_tokens` bounds what is shown of the catalog. `prompt_tokens` bounds all
    prompts together as far as that is a choice: after `least` looks none is begun that would exceed it.
    `second` writes once more over the relations of the first drafts (SSEV's PostSQL). `repairs` bounds
    repairs per candidate, beside the setting of that name.
    """

    probes: int
    schema_tokens: int
    prompt_tokens: int
    least: int
    second: bool
    repairs: int


EFFORTS: Final[Mapping[str, Effort]] = MappingProxyType(
    {
        "fast": Effort(0, 2500, 0, 0, second=False, repairs=1),
        "balanced": Effort(5, 2500, 4000, 2, second=False, repairs=2),
        "thorough": Effort(5, 20_000, 60_000, 2, second=True, repairs=5),
    }
)
"""By the value of the setting."""
