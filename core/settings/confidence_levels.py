"""The levels of confidence, and the settings that say from which level on an answer is given.

Owns: the names of the levels, the confidence each begins at, and these rows of the table of settings.

The confidence of the embedded engine is fitted so that these numbers hold on databases it has not seen:
docs/evaluation.md has how often answers of each level are right, and the command.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from askwire.core.settings.parsing import one_of, parse_share
from askwire.core.settings.setting import Setting
from askwire.core.settings.strictness import HIGHER, neutral, strictest_first

HIGH: Final = "high"
MEDIUM: Final = "medium"
LOW: Final = "low"
MIN_CONFIDENCE: Final = MappingProxyType({HIGH: 0.9, MEDIUM: 0.65, LOW: 0.0})
"""By level, the highest first, the confidence from which on an answer has it."""
LEVELS: Final = tuple(MIN_CONFIDENCE)


def level_of(confidence: float | None) -> str:
    """The level of a confidence as it is shown, with two decimals; low where none is known."""
    shown = round(confidence or 0.0, 2)
    return next(level for level in LEVELS if shown >= MIN_CONFIDENCE[level])


def reaches(confidence: float | None, level: str) -> bool:
    """Whether an answer of that confidence has at least that level."""
    return LEVELS.index(level_of(confidence)) <= LEVELS.index(level)


def higher(one: str, other: str) -> str:
    """The higher of two levels."""
    return min(one, other, key=LEVELS.index)


ANSWER_CONFIDENCE: Final = Setting(
    "answer_confidence",
    f"{MIN_CONFIDENCE[MEDIUM]:g}",
    parse_share,
    "An ASK is answered from this confidence on (0 to 1); below it the best reading is shown and not run "
    "(NL003). The default is where medium confidence begins. Unless it is set, an answer that models vote "
    "for beside the engine needs 0.15, and none where readings fit about equally well (`on_ambiguity`) or a "
    "judge decides between votes; what a judge prefers to the engine's answer needs 0.4. Answers of models "
    "alone need 0.4 of the evidence.",
    max,
    strictness=HIGHER,
)
ACCEPT: Final = Setting(
    "accept",
    HIGH,
    one_of(*LEVELS),
    "The least level of confidence (`high`, `medium`, `low`) of an answer whose NOTICE is not seen: of "
    "`ask()` in FROM, of an ASK in a subquery, COPY, CREATE VIEW, CREATE TABLE AS or INSERT, and where a "
    "session gets no notices. Less is an error that shows the reading. A session, a role (`ALTER ROLE … SET "
    "askwire.accept`) and a call (`ask('…', 'accept medium')`) may accept less, as far as `accept_least` "
    "lets them; `answer_confidence` holds in any case.",
    lambda _configured, asked: asked,
    strictness=neutral("`accept_least` bounds it for sessions and calls"),
)
ACCEPT_LEAST: Final = Setting(
    "accept_least",
    LOW,
    one_of(*LEVELS),
    "The lowest level that a session, a role or a call may accept with `accept`. With `high` an answer of "
    "less than high confidence is always an error where notices are not seen.",
    strictness=strictest_first(*LEVELS),
)
CONFIDENCE_SETTINGS: Final = (ANSWER_CONFIDENCE, ACCEPT, ACCEPT_LEAST)
"""In the order the documentation shows them."""
