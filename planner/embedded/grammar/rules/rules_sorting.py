"""Rules for sorting: ORDER BY without a limit.

Owns: the ways to say by what, and in which direction.
Must not know: schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from askwire.planner.embedded.grammar.atoms import Sorting
from askwire.planner.embedded.grammar.scanning import AGGREGATES, Scan, each, mention_of, word_of

_DOWN: Final = r"(?:descending|desc|decreasing|descend|decrease|reverse)\w*"
_UP: Final = (
    r"(?:ascending|asc|increasing|ascend|increase|alphabetical|alphabetic|lexicographic|"
    r"lexicographical|lexical|chronological|alphabet|numerical)\w*"
)
_KEY: Final = (
    r"(?:(?:the|their|its|his|of|each|all|both) )*(?:M\d+ 's )?(?:(?P<agg{0}>AVG|SUM|MAX|MIN|COUNT)"
    r" (?:(?:of|the|their|different) )*)?M(?P<key{0}>\d+)"
)


def sorting(scan: Scan) -> None:
    """'ordered by M0 in descending order', 'in alphabetical order', 'from the oldest to the youngest'."""
    verb = (
        r"(?:(?:and )?(?:sort|sorted|ordered|order|rank|arrange|list|listed|arranged|ranked|"
        r"sorting|present|ordering|orderd)(?: (?:them|it|the result|the list|the M\d+|result|"
        r"these|M\d+))? )"
    )
    tail = (
        rf"(?: ?,? (?:in|from|by|with)? ?(?:an |a |the )?(?P<dir>{_DOWN}|{_UP})(?: {_DOWN}|"
        rf" {_UP})?(?: order)?)?"
    )
    keys = (
        _KEY.format("1")
        + (
            r"(?: (?:of|for|in) (?:(?:the|each|every|their|all) )*M\d+)?(?: (?:and|, then|then|"
            r"and then|,) (?:by )?"
        )
        + _KEY.format("2")
        + r")?"
    )

    def keyed(match: re.Match[str]) -> str:
        groups = match.groupdict()
        down = _direction(groups.get("dir") or groups.get("dir0") or groups.get("dir1"))
        if groups.get("high"):
            down = groups["high"] in {
                "MAX",
                "MOST",
                "high",
                "large",
                "big",
                "late",
                "long",
                "old",
                "recent",
                "z",
            }
        for n in ("1", "2"):
            if groups.get("key" + n) and groups["key" + n]:
                aggregate = AGGREGATES.get(groups["agg" + n] or "", "")
                scan.sorts.append(
                    Sorting(
                        int(groups["key" + n]),
                        down,
                        "" if aggregate == "count" else aggregate,
                        counted=aggregate == "count",
                    )
                )
        return "O"

    def plain(match: re.Match[str]) -> str:
        scan.sorts.append(Sorting(None, _direction(match.group("dir"))))
        shown = re.search(r"M\d+", match.group()) if match.start() == 0 else None
        # 'list the types in alphabetical order' says what is asked for, too
        return f"{shown.group()} O" if shown else "O"

    def worded(match: re.Match[str]) -> str:
        down = match.group("sup") in {
            "MAX",
            "MOST",
            "large",
            "high",
            "big",
            "late",
            "long",
            "old",
            "z",
            "recent",
            "last",
        }
        mention = match.group("m")
        scan.sorts.append(Sorting(int(mention[1:]) if mention else None, down))
        return "O"

    def span(match: re.Match[str]) -> str:
        adjective = match.group("adj") or ""
        if match.group("sup") in {"MOST", "LEAST"}:
            scan.sorts.append(Sorting(None, match.group("sup") == "MOST", counted=True))
            return "O"
        named = mention_of(match.groupdict().get("by"))
        if named is not None and "numeric" not in scan.kind(named):
            named = None
        scan.sorts.append(
            Sorting(
                scan.attribute(adjective) if adjective else named,
                match.group("sup") == "MAX",
                adjective=adjective,
            )
        )
        return "O"

    extremes = (
        r"(?:sort|sorted|ordered|order|rank|listed|list)? ?(?:by )?(?:M\d+ )?(?:from|starting "
        r"with|start with|beginning with|starting from) (?:the )?(?P<sup>MAX|MIN|MOST(?= to)|LEAST(?= to))"
        r"(?:~(?P<adj>\w+))?(?: M(?P<by>\d+))?"
        r"(?: (?:to|first)(?: the)?(?: (?:MAX|MIN|MOST|LEAST)(?:~\w+)?| end)?)?"
    )
    by_key_extremes = (
        verb
        + r"(?:by|on|according to|accord to|based on|in order of) "
        + _KEY.format("1")
        + (
            r" (?:in order )?from (?:the )?(?P<high>MAX|MIN|MOST|LEAST|high|low|large|small|"
            r"big|late|early|long|short|old|young|recent|a|z)(?:~\w+)? to (?:the )?(?:MAX|MIN|"
            r"MOST|LEAST|high|low|large|small|big|late|early|long|short|old|young|recent|a|z)"
            r"(?:~\w+)?"
        )
    )

    def often(match: re.Match[str]) -> str:
        down = bool(match.group("high")) or _direction(match.group("dir") or match.group("dir2"))
        scan.sorts.append(Sorting(None, down, counted=True))
        return "O"

    each(
        rf"(?:{verb})?(?:in |by |from )?(?:the )?(?:(?P<high>MOST) )?(?:(?P<dir>{_DOWN}|{_UP}) )?(?:order )?"
        rf"(?:of |by )(?:(?:their|its|the) )?(?:count|frequency|occurrence|COUNT|how often)"
        rf"(?: (?:in )?(?P<dir2>{_DOWN}|{_UP})(?: order)?)?(?= ?$| [.?])",
        scan,
        often,
    )
    each(by_key_extremes, scan, keyed)
    each(
        r"in (?:the )?order of "
        + _KEY.format("1")
        + (
            r"(?: (?:from (?:the )?(?P<high>MAX|MIN|MOST|LEAST|high|low|large|small)(?:~\w+)? "
            r"to (?:the )?(?:MAX|MIN|MOST|LEAST|high|low|large|small)(?:~\w+)?"
            rf"|(?:in )?(?P<dir>{_DOWN}|{_UP})))?"
        ),
        scan,
        keyed,
    )
    each(
        verb
        + (
            rf"?(?:\w+ )?(?:in|by|with|from) (?:an? |the )?(?P<dir>{_DOWN}|{_UP})(?: (?:{_UP}|{_DOWN})"
            r")?(?: order)? (?:of|by|according to|accord to|based on|on|for) "
        )
        + keys,
        scan,
        keyed,
    )
    each(
        verb
        + (
            rf"(?:in )?(?:an? )?(?P<dir0>{_DOWN}|{_UP})?(?: order)? ?(?:by|on|according to|accord "
            rf"to|based on|in order of|in term of|with respect to) (?:(?P<dir1>{_DOWN}|{_UP}) )?"
        )
        + keys
        + tail,
        scan,
        keyed,
    )
    each(
        r"(?P<start>M\d+) with (?:the )?(?P<sup>MAX|MIN)~(?P<adj>\w+)(?= ?$| [.?])",
        scan,
        lambda m: _starting(scan, m, span),
    )
    each(extremes, scan, span)
    each(
        verb
        + (
            r"(?:by |on )?(?P<m>M\d+ )?(?:in order )?from (?:the )?(?P<sup>MAX|MIN|MOST|LEAST|"
            r"large|high|big|late|long|old|small|low|early|short|young|recent|a|z|first|last)"
            r"(?:~\w+)? to (?:the )?(?:MAX|MIN|MOST|LEAST|small|low|early|short|young|large|"
            r"high|big|late|long|old|recent|a|z|first|last)(?:~\w+)?"
        ),
        scan,
        worded,
    )
    each(
        verb
        + (
            rf"?(?:,? ?(?:in|by|from) )?(?:an? |the )?(?P<dir>{_DOWN}|{_UP})(?: (?:{_UP}|{_DOWN})"
            r")?(?: order| by)?(?: of)?"
        ),
        scan,
        lambda m: plain(m) if m.group().strip() not in {"reverse"} else None,
    )


def _starting(scan: Scan, match: re.Match[str], make: Callable[[re.Match[str]], str]) -> str | None:
    """'all the clubs starting with the oldest', where clubs have a starting year."""
    mention = int(match["start"][1:])
    if word_of(scan, mention) not in {"starting", "beginning"}:
        return None
    scan.encoded.spent.add(mention)
    return make(match)


def _direction(text: str | None) -> bool:
    return bool(text and re.match(r"desc|decr|reverse", text))
