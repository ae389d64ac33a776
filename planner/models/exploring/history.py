"""What an exploring agent is shown about its actions so far.

Owns: their order, consolidation, and saying less of old ones when there is too much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from askwire.core.egress import Disclosure
from askwire.planner.models.schema_text import tokens_of


@dataclass(frozen=True)
class Entry:
    """One action as it is shown, and shorter where there is no room; thoughts give way to later ones."""

    parts: tuple[Disclosure, ...]
    brief: tuple[Disclosure, ...]
    thoughts: bool = False


@dataclass
class History:
    """Append-only but for thoughts, so that prompts go on beginning alike."""

    entries: list[Entry] = field(default_factory=list)

    def add(self, parts: Sequence[Disclosure], brief: Sequence[Disclosure] = ()) -> None:
        """Note an action."""
        self.entries.append(Entry(tuple(parts), tuple(brief)))

    def consolidate(self, thoughts: Sequence[Disclosure]) -> None:
        """Keep queries and results, and these thoughts instead of all earlier ones."""
        self.entries = [entry for entry in self.entries if not entry.thoughts]
        self.entries.append(Entry(tuple(thoughts), (), thoughts=True))

    def parts(self, most: int) -> list[Disclosure]:
        """All of it in about `most` tokens: the latest whole, older ones in brief, the oldest not at all."""
        told: list[Sequence[Disclosure]] = []
        left = most
        whole = True
        for entry in reversed(self.entries):
            whole = whole and tokens_of(entry.parts) <= left
            chosen = entry.parts if whole else entry.brief
            if tokens_of(chosen) > left:
                break
            left -= tokens_of(chosen)
            told.append(chosen)
        return [part for parts in reversed(told) for part in parts]
