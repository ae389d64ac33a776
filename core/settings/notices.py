"""The settings of what an asker is shown beside rows: how much of an answer, and when an ASK takes its time.

Owns: these rows of the table, and the words for their values.
"""

from __future__ import annotations

from typing import Final

from askwire.core.settings.parsing import parse_bool, parse_duration
from askwire.core.settings.setting import Setting
from askwire.core.settings.strictness import neutral

OFF: Final = "off"
BRIEF: Final = "brief"
FULL: Final = "full"

USUAL_WAIT_MS: Final = 2000


def parse_level(value: str) -> str:
    """off, brief or full; on and off in all their spellings are full and off."""
    word = value.strip().lower()
    if word in (OFF, BRIEF, FULL):
        return word
    try:
        return FULL if parse_bool(word) else OFF
    except ValueError:
        raise ValueError("expected off, brief or full") from None


def parse_wait(value: str) -> int:
    """Milliseconds of a duration; off is 0, on the usual time."""
    try:
        return USUAL_WAIT_MS if parse_bool(value) else 0
    except ValueError:
        return parse_duration(value)


NOTICES: Final = Setting(
    "notices",
    FULL,
    parse_level,
    "What the NOTICE of an ASK holds: `off` nothing, `brief` one line with the reading and its "
    "confidence, `full` also the SQL, the reason, what words mean, what is assumed, and since when the "
    "answer is pinned. `on` means `full`. Warnings come in any case.",
    lambda _configured, asked: asked,
    strictness=neutral("it chooses how much an asker is shown, and each asker may choose otherwise"),
)
PROGRESS: Final = Setting(
    "progress",
    "2s",
    parse_wait,
    "After how long an ASK sends a NOTICE of what it is doing, and again when that changes. It does not "
    "depend on `notices`. `off`: never.",
    lambda _configured, asked: asked,
    strictness=neutral("it chooses when an asker is shown something, and each asker may choose otherwise"),
)

NOTICE_SETTINGS: Final = (NOTICES, PROGRESS)
"""In the order the documentation shows them."""
