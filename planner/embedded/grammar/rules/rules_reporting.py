"""Rules for who stands above whom: who reports to X, the manager of X, each employee with their manager.

Owns: which of the two rows of one table a name belongs to. Must not know: schemas, except what the scan tells
of a mention.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from askwire.planner.embedded.grammar.atoms import IsValue
from askwire.planner.embedded.grammar.scanning import Scan, each, word_of

_NAME: Final = r"(?:(?:the|our) )?(?:M\d+ )?(?P<v>V\d+(?: V\d+)*)"
_WORD: Final = r"(?P<word>M\d+|[a-z]+)"
_LEAD: Final = r"(?:(?:please|show|list|give|find|me|us|the|all|name|tell|of) )*"
_END: Final = r"(?= ?$| [?.])"
_TO: Final = r"(?:report|reporting|reported|M\d+) (?:directly )?to"
_REPORTS: Final = frozenset({"report", "reports", "reporting", "reported"})
_BELOW: Final = frozenset({"reports", "subordinates", "subordinate", "team", "directs"})


def reporting(scan: Scan) -> None:
    """'who report to V0', 'the M0 of V0', 'who do V0 supervise', 'each M0 with their M1'."""
    if "V" in scan.line:
        _above(scan)
        _below(scan)
    _both(scan)


def _said(scan: Scan, symbol: str) -> str:
    return word_of(scan, int(symbol[1:])) if re.fullmatch(r"M\d+", symbol) else symbol


def _pair(scan: Scan, symbol: str) -> tuple[int, int] | None:
    """The mentions of those below and of those above, by a word for what the latter are or do."""
    word = _said(scan, symbol)
    if not word and re.fullmatch(r"M\d+", symbol):
        word = scan.encoded.mentions[int(symbol[1:])].words[-1]
    pair = scan.ranks_above("report" if word in _REPORTS | _BELOW else word)
    if pair is not None:
        scan.understood(word)
        if re.fullmatch(r"M\d+", symbol):
            scan.encoded.spent.add(int(symbol[1:]))
    return pair


def _values(scan: Scan, text: str, holder: int) -> str:
    """The conditions that values hold of the rows of `holder`."""
    return " ".join(scan.note(IsValue(int(n), holder=holder)) for n in re.findall(r"V(\d+)", text))


def _above(scan: Scan) -> None:
    """'who be the M0 of V0', 'V0 's M0', 'who do V0 report to', 'who supervise V0': the one above."""

    def boss(match: re.Match[str]) -> str | None:
        pair = _pair(scan, match["word"])
        if pair is None:
            return None
        below, above = pair
        scan.consumed(match.group())
        return f"which M{above} with M{below} {_values(scan, match['v'], below)}"

    who = rf"^(?:{_LEAD}|who be (?:the )?|what be (?:the )?(?:name of )?(?:the )?|which M\d+ be (?:the )?)"
    each(rf"{who}{_WORD} of {_NAME}{_END}", scan, boss)
    each(rf"{who}{_NAME} 's {_WORD}{_END}", scan, boss)
    each(
        rf"^(?:who|to (?:who|whom)|which M\d+|whom) do {_NAME} (?:directly )?{_WORD}(?: to)?{_END}",
        scan,
        _up(scan),
    )
    each(rf"^who {_WORD} {_NAME}{_END}", scan, lambda m: boss(m) if _does(scan, m["word"]) else None)
    each(rf"^who be {_NAME} {_WORD} by{_END}", scan, boss)


def _up(scan: Scan) -> Callable[[re.Match[str]], str | None]:
    """'who do V0 report to' asks for the one above, 'who do V0 supervise' for those below."""

    def either(match: re.Match[str]) -> str | None:
        pair = _pair(scan, match["word"])
        if pair is None:
            return None
        below, above = pair
        scan.consumed(match.group())
        if _said(scan, match["word"]) in _REPORTS:
            return f"which M{above} with M{below} {_values(scan, match['v'], below)}"
        return f"which M{below} with M{above} {_values(scan, match['v'], above)}"

    return either


def _does(scan: Scan, symbol: str) -> bool:
    """Whether a word is what somebody does, rather than what he is."""
    return _said(scan, symbol).endswith(("s", "ed", "e")) or not symbol.startswith("M")


def _below(scan: Scan) -> None:
    """'who report to V0', 'COUNT person report to V0', 'M0 managed by V0', 'V0 's reports': those below."""

    def team(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        pair = _pair(scan, groups.get("word") or "report")
        if pair is None:
            return None
        below, above = pair
        for mention in re.findall(r"M(\d+)", match.group()):
            scan.encoded.spent.add(int(mention))
        scan.consumed(match.group())
        scan.understood("people")
        count = "COUNT " if match.group().startswith("COUNT") else ""
        return f"{count or 'which '}M{below} with M{above} {_values(scan, match['v'], above)}"

    people = (
        r"(?:(?P<who>who|person|everyone|everybody|anyone|staff|M\d+|those) )?(?:(?:who|that|do|be|which) )*"
    )
    count = rf"(?:COUNT |{_LEAD}|which )"
    each(
        rf"^{count}{people}{_TO} {_NAME}{_END}",
        scan,
        lambda m: team(m) if _reports(scan, m.group()) else None,
    )
    each(
        rf"^{count}{people}{_WORD} by {_NAME}{_END}",
        scan,
        lambda m: team(m) if _said(scan, m["word"]).endswith("ed") or _done_to(scan, m["word"]) else None,
    )
    each(rf"^{count}{_NAME} 's (?:direct )?(?P<word>reports|subordinate|report|team){_END}", scan, team)
    each(rf"^{count}person (?:under|below) {_NAME}{_END}", scan, team)


def _reports(scan: Scan, text: str) -> bool:
    """Whether 'report to' is said, as words or as the name of a key."""
    said = re.search(r"(M\d+|[a-z]+) (?:directly )?to ", text)
    if said is None or _said(scan, said[1]) in _REPORTS:
        return said is not None
    return said[1][0] == "M" and scan.encoded.mentions[int(said[1][1:])].words[0] in _REPORTS


def _done_to(scan: Scan, symbol: str) -> bool:
    """'physicians supervised' as one mention of several words, of which the last is what is done to them."""
    if not re.fullmatch(r"M\d+", symbol):
        return False
    words = scan.encoded.mentions[int(symbol[1:])].words
    return len(words) > 1 and words[-1].endswith("ed")


def _both(scan: Scan) -> None:
    """'each M0 with their M1', where M1 stands above M0: the names of both."""

    def shown(match: re.Match[str]) -> str | None:
        pair = scan.ranks_above(_said(scan, match["word"]))
        if pair is None or not scan.same(int(match["m"]), pair[0]):
            return None
        scan.encoded.spent.update((int(match["m"]), int(match["word"][1:])))
        return f"show M{pair[0]} and M{pair[1]}"

    each(
        rf"^{_LEAD}(?:(?:each|every|of) )*M(?P<m>\d+) ,? ?(?:and|with|along with|together with|next to) "
        rf"(?:(?:their|its|his|the|her|name|of) )*(?P<word>M\d+)(?: 's name| name)?{_END}",
        scan,
        shown,
    )
