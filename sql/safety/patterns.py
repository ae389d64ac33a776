"""How costly a regular expression can be, judged from its text.

PostgreSQL's engine builds automata: their size grows with nested counts, and back-references and
quantifiers within quantifiers make matching slow. A pattern within these limits stays cheap.
"""

from __future__ import annotations

import re
from typing import Final

MAX_LENGTH: Final = 1000
MAX_QUANTIFIERS: Final = 50
MAX_NESTING: Final = 10
MAX_STAR_HEIGHT: Final = 2
MAX_COUNT: Final = 1000
"""The counts of `{m,n}` along one nesting, multiplied."""

MAX_WILDCARDS: Final = 50

_TOKEN: Final = re.compile(
    r"\\(?P<escaped>[\s\S])|(?P<bracket>\[\^?\]?(?:\[[.:=].*?[.:=]\]|[^\]])*\]?)"
    r"|(?P<open>\((?:\?(?:[:=!]|<[=!]))?)|(?P<close>\))"
    r"|(?P<quantifier>[*+?]\??|\{(?P<low>\d+)(?:,(?P<high>\d*))?\}\??)|[\s\S]"
)


_BASIC: Final = re.compile(r"\\([(){}])")


def too_complex(pattern: str) -> str:
    r"""Why a regular expression is refused ('' when it is not).

    In a basic regular expression, which an option or a flag makes of any text, `\(` and `\{` are what `(`
    and `{` are in an advanced one: the text must be simple read either way.
    """
    if len(pattern) > MAX_LENGTH:
        return f"is longer than {MAX_LENGTH} characters"
    return _judge(pattern) or _judge(_BASIC.sub(r"\1", pattern))


def _judge(pattern: str) -> str:
    quantifiers = 0
    # Per open group: the star height and the count of what it holds.
    groups: list[tuple[int, int]] = [(0, 1)]
    height, count = 0, 1
    for match in _TOKEN.finditer(pattern):
        if match["escaped"]:
            if match["escaped"] in "123456789":
                return "has a back-reference"
            height, count = 0, 1
        elif match["open"]:
            groups.append((0, 1))
            height, count = 0, 1
            if len(groups) > MAX_NESTING:
                return f"nests deeper than {MAX_NESTING} groups"
        elif match["close"]:
            if len(groups) > 1:
                height, count = groups.pop()
        elif match["quantifier"]:
            quantifiers += 1
            height += 1
            count *= _repetitions(match)
            if count > MAX_COUNT:
                return f"repeats more than {MAX_COUNT} times"
            if height > MAX_STAR_HEIGHT:
                return "nests quantifiers"
        else:
            height, count = 0, 1
        best_height, best_count = groups[-1]
        groups[-1] = max(best_height, height), max(best_count, count)
    if quantifiers > MAX_QUANTIFIERS:
        return f"has more than {MAX_QUANTIFIERS} quantifiers"
    return ""


def _repetitions(match: re.Match[str]) -> int:
    if match["low"] is None:
        return 1
    # The engine itself refuses counts above 255; more digits need not be read.
    bounds = [int(bound[:4]) for bound in (match["low"], match["high"]) if bound]
    return max(1, *bounds)
