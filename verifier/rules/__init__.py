"""What the answer itself shows, one rule per file; a rule joins by standing in `RULES`.

What the question demands of the SQL is in `verifier.constraints`.
"""

from __future__ import annotations

from typing import Final

from askwire.verifier.rules.not_all_null import not_all_null
from askwire.verifier.rules.not_empty import not_empty
from askwire.verifier.rules.not_too_large import not_too_large
from askwire.verifier.rules.not_zero import not_zero
from askwire.verifier.rules.one_number import one_number
from askwire.verifier.subject import Rule

RULES: Final[tuple[Rule, ...]] = (one_number, not_empty, not_all_null, not_zero, not_too_large)
"""In the order their checks stand in a verdict, behind those of the constraints."""
