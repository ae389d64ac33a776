"""What is the worse the more there is of it: 'the worst delay' is the longest, 'the best' the shortest.

Owns: which measures these are, and turning a superlative round.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from askwire.language.text import listed
from askwire.planner.embedded.linking.linker import Mention
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_EXTREME: Final = re.compile(
    r"(?<!\S)(?P<sup>MAX~good|MIN~bad|MAX~bad)(?P<of>(?: (?:the|average|mean|avg|total|sum|AVG|SUM))*)"
    r" M(?P<m>\d+)(?!\S)"
)
_HARM: Final = frozenset(
    listed(
        """
        aqi pollution pollutant ozone emission smoke noise delay wait latency downtime outage error defect
        fault failure loss debt cost accident crash crime death fatality mortality injury unemployment
        poverty complaint turnover churn absence risk damage fine penalty temperature pm10 pm25
        """
    )
)
_NO_MEASURE: Final = frozenset(listed("year month week day date time hour code id number name type"))


def turned(line: str, mentions: Sequence[Mention], index: SchemaIndex) -> str:
    """The encoded line with the best and the worst of harms as the least and the most of them."""

    def turn(match: re.Match[str]) -> str:
        mention = mentions[int(match["m"])]
        best = [index.columns[o.index] for o in mention.options[:1] if not o.table]
        measured = best and best[0].kind == "number" and best[0].full[-1] not in _NO_MEASURE
        if not measured or not _HARM & {*mention.words, *best[0].full}:
            return match.group()
        return f"{'MIN' if match['sup'] == 'MAX~good' else 'MAX'}{match['of']} M{match['m']}"

    return _EXTREME.sub(turn, line)
