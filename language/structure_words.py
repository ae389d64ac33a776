"""Words that only say how an answer is built: 'hour of the day', 'two years ago', 'running total'.

Owns: which words of a question these are; they name no column, however like a name they look. Patterns are
linear, as all that run over questions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from askwire.language.text import Token

DAY_OF_WEEK: Final = "day week"
"""Stands among named words where a column holds days of the week."""
COUNTED_UNITS: Final = frozenset({"day", "hour", "minute"})
"""Units with which a name of several words may begin: `days_held`."""
UNIT: Final = r"(?:day|week|month|quarter|year|hour|minute)"
_STRUCTURE_PATTERNS: Final = tuple(
    re.compile(rf"(?<!\S)(?:{pattern})(?!\S)")
    for pattern in (
        # 'older than two years', '30 days ago', '18 years of age', 'more than a year ago'
        rf"(?:older|younger)(?: than)? (?:#|a|an) {UNIT}(?: of age)?",
        rf"(?:#|a|an) {UNIT} (?:ago|old|of age)",
        rf"for (?:(?:more|less|longer|at) (?:than|least|most)|over) (?:#|a|an) {UNIT}",
        r"(?:(?<=^)|(?<=the )|(?<=me )|(?<=show )|(?<=list ))bottom(?= #)",
        r"with (?:the|our|this) (?:company|firm|organization)(?= for )",
        # 'by hour of the day', 'which weekday'
        r"(?:hour|time) of (?:the |each )?day",
        r"day of (?:the |each )?week|weekday|day of week",
        rf"busiest {UNIT}",
        rf"(?:best|worst|top) {UNIT}(?= (?:for|in term of|by|of) )",
        r"(?:take|took|taking) (?:more|less|longer|over|under|at) (?:than |most |least )?#"
        r" (?:day|hour|minute)",
        r"(?<=per )(?:day|hour)|(?<=each )(?:day|hour)|(?<=by )(?:day|hour)",
        rf"(?:which|what|in which|in what) {UNIT}(?= (?:of (?:#|the year) )?"
        r"(?:have|do|be|with|see|bring|make|most|we|sell|saw|brought|made|sold|generate)(?: |$))",
        # 'running total', 'year over year', 'compared to the month before'
        r"running (?:total|sum|count)|cumulative(?: (?:total|sum|number|count))?",
        rf"(?:{UNIT} (?:over|on|to|by) {UNIT}|yoy|mom|qoq)(?: (?:change|growth|increase|decrease)(?= in ))?",
        rf"(?:compared (?:to|with)|versus|vs|over) (?:the )?(?:previous|last|prior) {UNIT}$",
        rf"from (?:one )?{UNIT} to (?:the next|{UNIT})",
        # 'average days between …', 'how many days since', 'in hours'
        r"(?:how many |the |number of )*(?:day|hour|minute|time)(?: elapsed| passed| that pass)*"
        r"(?= (?:between|since|until)(?: |$))",
        r"how many (?:day|hour|minute)(?= (?:ago|have passed|have it been|pass|do it take)(?: |$))",
        r"(?:(?<=since )|(?<=since the )|(?<=since our )|(?<=ago be )|(?<=ago be the )|(?<=ago be our ))"
        r"(?:last|first|latest|newest)",
        r"how many (?:day|hour|minute) do it take|how long do it take|how long ago|how many day ago",
        r"(?<= )in (?:day|hour|minute|second)(?= ?$| \?)",
    )
)


def structural(tokens: Sequence[Token], named: frozenset[str] = frozenset()) -> set[int]:
    """The tokens that are such words; `named` are words that name a column, and mean it.

    Of several words they begin with a unit, and mean the column where all are said: 'by days held'.
    """
    words = ["#" if t.kind == "number" else t.lemma if t.kind == "word" else t.lower for t in tokens]
    line = " ".join(w.replace(" ", "_") for w in words)
    names = tuple(f"{name} " for name in named if " " in name and name != DAY_OF_WEEK)
    found: set[int] = set()
    for pattern in _STRUCTURE_PATTERNS:
        for match in pattern.finditer(line):
            if DAY_OF_WEEK in named and match.group().startswith("day of"):
                continue
            if names and f"{line} ".startswith(names, match.end() - len(match.group().split()[-1])):
                continue
            first = line.count(" ", 0, match.start())
            last = line.count(" ", 0, max(match.start(), match.end() - 1))
            found.update(at for at in range(first, last + 1) if words[at] not in named | {"#"})
    return found
