"""How an ASK decides between readings: which strategies a session may choose, and what each is made of.

Owns: the check of the setting `selection`, and the strategies that need nothing but votes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from askwire.core.errors import InvalidSetting
from askwire.core.settings.selection import POSTERIOR, SELECTION, SELECTION_NAMES, SELECTIONS
from askwire.core.settings.table import (
    AMBIGUITY_MARGIN,
    ANSWER_CONFIDENCE,
    JUDGE_BY,
    MAX_ERROR,
    ON_AMBIGUITY,
    Settings,
)
from askwire.proxy.resolver.judging import Judges
from askwire.selector.strategy import Strategy
from askwire.selector.voting import Majority
from askwire.selector.weighted_majority import RandomizedMajority, WeightedMajority

JUDGED: Final = frozenset({"si-tournament", "dpc", "apex"})
"""Selections that a judge decides."""
_REFUSING: Final = (ON_AMBIGUITY, AMBIGUITY_MARGIN, ANSWER_CONFIDENCE, MAX_ERROR)
"""Rules of refusal, which hold under `posterior` alone."""


def allowed(operator: Settings) -> frozenset[str]:
    """The values that `selection` may have."""
    named = operator[SELECTIONS]
    if named is None:
        refuses = any(operator.given(setting.name) for setting in _REFUSING)
        named = frozenset() if refuses else frozenset(SELECTION_NAMES)
    return named | {POSTERIOR}


def check_selection(operator: Settings, asked: Settings, judging: Judges) -> None:
    """Raise InvalidSetting where an ASK cannot decide as its session asks it to.

    `operator` are the configured settings, `asked` those in force for the session.
    """
    selection = asked[SELECTION]
    if selection == POSTERIOR:
        return
    may = allowed(operator)
    if selection not in may:
        raise InvalidSetting(
            f'parameter "askwire.selection" cannot be "{selection}" here',
            detail=f"The operator allows: {', '.join(name for name in SELECTION_NAMES if name in may)}.",
            hint="RESET askwire.selection, or have the operator name it in the setting selections.",
        )
    if asked[MAX_ERROR] < 1:
        raise InvalidSetting(
            f'askwire.max_error is {asked[MAX_ERROR]:g}, which selection "{selection}" cannot hold',
            detail="Only the support that posterior gives an answer is calibrated on outcomes.",
            hint="SET askwire.selection = 'posterior', or max_error = 1 where the operator lets it.",
        )
    if selection not in JUDGED:
        return
    if missing := judging.lacks(asked):
        raise InvalidSetting(
            f'selection "{selection}" needs a judge, and {missing}',
            hint="The operator names an expert in the setting judge, with egress = rows; "
            "or SET askwire.selection to one that needs none: posterior, wma, rwma, majority.",
        )
    if selection == "dpc" and asked[JUDGE_BY] != "python":
        raise InvalidSetting(
            'selection "dpc" needs a judge that writes Python, and judge_by is "hand"',
            hint="The operator sets judge_by = python; or SET askwire.selection = 'si-tournament'.",
        )


def voting(selection: str, weights: Mapping[str, float]) -> Strategy:
    """The strategy of a selection that votes decide; `weights` are the experts', 1 where none is given."""
    if selection == "wma":
        return WeightedMajority(weights)
    return RandomizedMajority(weights) if selection == "rwma" else Majority()
