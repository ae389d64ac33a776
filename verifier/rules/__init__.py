"""The checklist, one rule per file; a rule joins by standing in `RULES`."""

from __future__ import annotations

from typing import Final

from askwire.verifier.rules.extreme_used import extreme_used
from askwire.verifier.rules.negation_used import negation_used
from askwire.verifier.rules.not_all_null import not_all_null
from askwire.verifier.rules.not_empty import not_empty
from askwire.verifier.rules.not_zero import not_zero
from askwire.verifier.rules.numbers_used import numbers_used
from askwire.verifier.rules.one_number import one_number
from askwire.verifier.rules.quoted_used import quoted_used
from askwire.verifier.rules.top_k import top_k
from askwire.verifier.subject import Rule

RULES: Final[tuple[Rule, ...]] = (
    top_k,
    one_number,
    numbers_used,
    quoted_used,
    negation_used,
    extreme_used,
    not_empty,
    not_all_null,
    not_zero,
)
"""In the order their checks stand in a verdict: what the question demands, then what the result shows."""
