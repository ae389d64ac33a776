"""Rules for 'or' between conditions of different kinds: modern or sung in English, fall 2009 or spring 2010.

Owns: which conditions an 'or' holds apart. Must not know: schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.atoms import Atom, Either, Together
from askwire.planner.embedded.grammar.scanning import Scan, each

_LINK: Final = r"(?:(?:in|of|on|during|for|at|the|year|with|be) )*"
_WORDS_BETWEEN: Final = r"(?:(?!C\d|G\d|and |or |but |not |no |never |without |except )[a-zM][\w']* ){1,8}"
"""What may stand between 'or' and its second condition: no other conjunction, and nothing that denies."""


def pairs(scan: Scan) -> None:
    """'C0 C1 or in C2 C3', alike by pairs: one pair or the other ('fall 2009 or spring 2010')."""

    def paired(match: re.Match[str]) -> str | None:
        first, second, third, fourth = (scan.atoms[int(n)] for n in re.findall(r"C(\d+)", match.group()))
        if type(first) is not type(third) or type(second) is not type(fourth) or type(first) is type(second):
            return None
        parts = (Together((first, second)), Together((third, fourth)))
        return scan.note(Either(parts, both=match["both"] is not None))

    each(rf"C\d+ {_LINK}C\d+ ,? ?(?:or|(?P<both>and)) {_LINK}C\d+ {_LINK}C\d+", scan, paired)


def apart(scan: Scan) -> None:
    """'C0 or sung in C1', 'C0 or be specialized in by M2 C1': an 'or' far from its second condition."""

    def either(match: re.Match[str]) -> str:
        parts: tuple[Atom, ...] = (scan.atoms[int(match["a"])], scan.atoms[int(match["b"])])
        mentioned = re.findall(r"(?<!\S)M\d+", match["between"])
        return " ".join([scan.note(Either(parts, both=False)), *mentioned])

    each(rf"C(?P<a>\d+) ?,? or (?P<between>{_WORDS_BETWEEN})C(?P<b>\d+)", scan, either)
