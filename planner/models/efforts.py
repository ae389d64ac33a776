"""How much a model does for one ASK. Owns: the presets behind the setting `effort`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Effort:
    """Stages and their bounds, for one expert and one ASK.

    `probes` is PV-SQL's K; `schema_tokens` bounds what is shown of the catalog, `prompt_tokens` all prompts
    together as far as that is a choice: looking into the data ends before it, or half of what the ASK may use,
    is exceeded (0: no such bound).
    `second` writes once more over the relations of the first drafts (SSEV's PostSQL). `repairs` bounds
    repairs per candidate, beside the setting of that name.
    """

    probes: int
    schema_tokens: int
    prompt_tokens: int
    second: bool
    repairs: int


EFFORTS: Final[Mapping[str, Effort]] = MappingProxyType(
    {
        "fast": Effort(probes=0, schema_tokens=3000, prompt_tokens=0, second=False, repairs=1),
        "balanced": Effort(probes=5, schema_tokens=6000, prompt_tokens=4000, second=False, repairs=2),
        "thorough": Effort(probes=5, schema_tokens=20_000, prompt_tokens=60_000, second=True, repairs=5),
    }
)
"""By the value of the setting."""
