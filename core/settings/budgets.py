"""The settings of what models may spend: calls, tokens and cost, of one ASK and of a role's day.

Owns: these rows of the table.
"""

from __future__ import annotations

from typing import Final

from askwire.core.settings.parsing import parse_float, parse_int
from askwire.core.settings.setting import Setting
from askwire.core.settings.strictness import CAP, smaller

ASK_CALLS: Final = Setting(
    "ask_calls",
    "40",
    parse_int,
    "Calls of models that one ASK may make; then NL005. 0: no limit.",
    smaller,
    strictness=CAP,
)
ASK_TOKENS: Final = Setting(
    "ask_tokens",
    "100000",
    parse_int,
    "Tokens that one ASK may use, of prompts and answers of all models together; then NL005. The option "
    "BUDGET of an ASK lowers it. 0: no limit.",
    smaller,
    strictness=CAP,
)
ASK_COST: Final = Setting(
    "ask_cost",
    "0",
    parse_float,
    "What one ASK may cost, in the currency of the experts' prices; then NL005. 0: no limit.",
    smaller,
    strictness=CAP,
)
DAY_CALLS: Final = Setting(
    "day_calls",
    "0",
    parse_int,
    "Calls of models per login role and day (UTC). 0: no limit.",
    smaller,
    strictness=CAP,
)
DAY_TOKENS: Final = Setting(
    "day_tokens",
    "0",
    parse_int,
    "Tokens of models per login role and day (UTC). 0: no limit.",
    smaller,
    strictness=CAP,
)
DAY_COST: Final = Setting(
    "day_cost",
    "0",
    parse_float,
    "Cost of models per login role and day (UTC). 0: no limit.",
    smaller,
    strictness=CAP,
)
BUDGET_SETTINGS: Final = (ASK_CALLS, ASK_TOKENS, ASK_COST, DAY_CALLS, DAY_TOKENS, DAY_COST)
"""In the order the documentation shows them."""
