"""Rules for places in an order: the second most, the third highest, the bottom three.

Owns: which place is meant; what it is a place in, superlatives say. Must not know: schemas, except what the
scan tells of a mention.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.text import ORDINALS
from askwire.planner.embedded.grammar.atoms import Superlative
from askwire.planner.embedded.grammar.scanning import Scan, each, number_of, word_of

_PLACE: Final = re.compile(r"(\d+)(?:st|nd|rd|th)")
_NTH: Final = rf"(?:the )?(?:(?P<nth>{'|'.join(ORDINALS)}|first)|N(?P<n>\d+))"
_ASKED: Final = (
    r"^(?P<lead>(?:(?:what|which|show|give|find|list|tell|display|return|get|me|us|be|the|please) )*)"
)


def ranks(scan: Scan) -> None:
    """'second MAX~expensive M0', 'the 3rd MOST M0', 'third MAX M0' as a value."""
    # 'top 3 M0 per M1 by M2': by what, before in what
    each(
        r"(?P<top>(?:top|bottom|first|worst) (?:N\d+ )?M\d+) "
        r"(?P<of>(?:per|(?:in|for|of|within|by) (?:each|every)) M\d+) "
        r"(?P<by>(?:by|base on|in|on) (?:(?:the|their|MAX|MOST|SUM|AVG|COUNT|of) )*M\d+)",
        scan,
        lambda m: f"{m['top']} {m['by']} {m['of']}",
    )

    def value(match: re.Match[str]) -> str | None:
        mention = int(match["m"])
        place = _place(scan, match)
        kinds = scan.kind(mention)
        if place is None or "numeric!" not in kinds or "table!" in kinds:
            return None
        scan.nth = place
        scan.superlatives.append(Superlative(mention, match["sup"] == "MAX", adjective="value"))
        return f"{match['lead']}M{mention} S"

    each(rf"{_ASKED}{_NTH} (?P<sup>MAX|MIN) (?:different |distinct )?M(?P<m>\d+)(?! M)", scan, value)

    def placed(match: re.Match[str]) -> str | None:
        place = _place(scan, match)
        if place is None:
            return None
        scan.nth = place
        return match["sup"]

    each(
        rf"{_NTH} (?P<sup>(?:MAX|MIN)(?:~\w+)?|MOST|LEAST|MAXCOUNT|MINCOUNT)(?= |$)",
        scan,
        placed,
    )
    _by_participle(scan)


_PAID: Final = frozenset({"paid", "earning", "compensated"})
_RATED: Final = frozenset({"rated", "reviewed"})
_DOWN: Final = frozenset({"MAX", "MOST", "MAX~good", "top"})


def _by_participle(scan: Scan) -> None:
    """'the MAX paid M0', 'the MAX~good rated M0': by what they are paid, by how they are rated on average."""

    def graded(match: re.Match[str]) -> str | None:
        verb, owner = match["verb"], int(match["m"])
        other = int(verb[1:]) if verb[1:].isdigit() else None
        word = word_of(scan, other) if other is not None else verb
        if word not in _PAID | _RATED or "table!" not in scan.kind(owner):
            return None
        if word in _PAID and "person" not in scan.kind(owner):
            return None
        attribute = scan.attribute("paid" if word in _PAID else "good")
        if attribute is None:
            return None
        if other is not None:
            scan.encoded.spent.add(other)
        scan.understood(word)
        down = match["sup"] in _DOWN
        place = match["n"] or match["n2"]
        limit = number_of(scan, place) if place else 1
        if word in _RATED and not scan.belongs(attribute, owner):
            scan.superlatives.append(Superlative(attribute, down, max(1, limit), aggregate="avg"))
        else:
            adjective = "paid" if word in _PAID else "good"
            scan.superlatives.append(
                Superlative(attribute, down, max(1, limit), adjective=adjective, owner=owner)
            )
        return f"M{owner} S"

    each(
        r"(?:the )?(?:N(?P<n>\d+) )?(?P<sup>MAX|MIN|MOST|LEAST|MAX~good|MIN~bad|MAX~bad|top)"
        r"(?: N(?P<n2>\d+))?(?: |-)(?P<verb>M\d+|[a-z]+) M(?P<m>\d+)",
        scan,
        graded,
    )


def _place(scan: Scan, match: re.Match[str]) -> int | None:
    """The place that is said; a plain number says how many, not which."""
    if match["nth"]:
        scan.understood(match["nth"])
        return ORDINALS.get(match["nth"], 1)
    said = _PLACE.fullmatch(scan.encoded.numbers[int(match["n"])].lower)
    return int(said[1]) if said and 0 < int(said[1]) <= 1000 else None
