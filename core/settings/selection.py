"""The settings that choose how an ASK decides between readings whose answers differ.

Owns: these rows of the table, and the names of the strategies.
"""

from __future__ import annotations

from typing import Final

from askwire.core.settings.parsing import one_of, some_of
from askwire.core.settings.setting import Setting
from askwire.core.settings.strictness import Strictness, neutral

POSTERIOR: Final = "posterior"
SELECTION_NAMES: Final = (POSTERIOR, "si-tournament", "dpc", "apex", "wma", "rwma", "majority")


def _parse_allowed(value: str) -> frozenset[str] | None:
    return some_of(*SELECTION_NAMES)(value) if value.strip() else None


def _no_more(configured: frozenset[str] | None, asked: frozenset[str] | None) -> bool:
    # empty hangs on what else the operator gives: nothing but no strategy at all is known to be fewer
    return asked == configured or (asked is not None and asked <= (configured or frozenset()))


SELECTION: Final = Setting(
    "selection",
    POSTERIOR,
    one_of(*SELECTION_NAMES),
    "How an ASK decides between readings whose answers differ. `posterior` weighs all evidence, asks back "
    "where it does not suffice, and refuses what is too doubtful. The others are each one paper's rule, and "
    "what they choose is the answer: `si-tournament`, `dpc`, `apex` (these three need a `judge`), `wma`, "
    "`rwma`, `majority`. docs/selection.md has their rules. A session chooses among `selections`.",
    lambda _configured, asked: asked,
    strictness=neutral("`selections` bounds it for the operator and for sessions alike"),
)
SELECTIONS: Final = Setting(
    "selections",
    "",
    _parse_allowed,
    "The values that `selection` may have beside `posterior`, separated by commas. Empty: all of them, but "
    "none where the operator gives `on_ambiguity`, `ambiguity_margin`, `answer_confidence` or `max_error`, "
    "which hold under `posterior` alone.",
    strictness=Strictness("ordered", "fewer names than configured", _no_more),
)
JUDGE_ROWS: Final = Setting(
    "judge_rows",
    "few",
    one_of("few", "drawn"),
    "Which rows a judge by hand is shown: `few`, the smallest set found that tells two readings apart, with "
    "a row of every relation where that can be; `drawn`, as the paper on separating instances draws them, "
    "up to 42 times: M terms of what only the first reading rests on and N of the second, (3, 4) with sum, "
    "case and when, (1, 2) with count, else (1, 1).",
    strictness=neutral("either way the same rows may be read, and `egress` bounds what models see of them"),
)
SELECTION_SETTINGS: Final = (SELECTION, SELECTIONS, JUDGE_ROWS)
"""In the order the documentation shows them."""
