"""Rules that join conditions: or, both, not, without.

Owns: boolean structure over conditions found before.
Must not know: schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from askwire.language.lexicon import EVENTS
from askwire.planner.embedded.grammar.atoms import (
    Atom,
    Comparison,
    Contains,
    Counted,
    Either,
    Flagged,
    IsValue,
    Lacking,
    Told,
)
from askwire.planner.embedded.grammar.scanning import Scan, each, word_of


def booleans(scan: Scan) -> None:
    """'C0 or C1', 'both C0 and C1', 'C0 and C1' for the same column."""

    def conditions(text: str) -> tuple[Atom, ...]:
        return tuple(scan.atoms[int(n)] for n in re.findall(r"C(\d+)", text))

    def shared(parts: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """'Paris or Rome' beside one column: the later values belong to the same mention."""
        first = parts[0]
        if not isinstance(first, IsValue):
            return parts
        mention = next((p.mention for p in parts if isinstance(p, IsValue) and p.mention is not None), None)
        return tuple(
            IsValue(p.value, mention, p.negated) if isinstance(p, IsValue) and p.mention is None else p
            for p in parts
        )

    def either(match: re.Match[str]) -> str:
        return scan.note(Either(shared(conditions(match.group())), False))

    def both(match: re.Match[str]) -> str:
        return scan.note(Either(shared(conditions(match.group())), True))

    filler = (
        r"(?:(?:in|have|with|be|a|the|by|at|from|who|that|whose|of|an|M\d+|for|on|on|either|"
        r"also|which|live|another|\w+ed|whom|have|do|to) ){0,4}"
    )
    each(
        rf"both (?:(?:in|from|at|with|by|on|for|a|an|the) ){{0,2}}C\d+ (?:M\d+ )?and {filler}C\d+", scan, both
    )
    each(
        rf"(?:either )?C\d+(?: , C\d+){{0,4}}(?: M\d+)? ?,? or {filler}C\d+(?: or {filler}C\d+)?",
        scan,
        either,
    )
    each(rf"C\d+(?: M\d+)? and also {filler}C\d+", scan, both)

    def same(match: re.Match[str]) -> str | None:
        parts = shared(conditions(match.group()))
        if all(isinstance(p, IsValue) for p in parts) and "same" not in scan.flags:
            first, second = parts[0], parts[1]
            if isinstance(first, IsValue) and isinstance(second, IsValue):
                columns = {h.column for h in scan.encoded.values[first.value].hits}
                if columns & {h.column for h in scan.encoded.values[second.value].hits}:
                    return scan.note(Either(parts, True))
        return None

    each(rf"C\d+(?: M\d+)? and {filler}C\d+", scan, same)


_PLACING: Final = frozenset({"located", "based", "situated", "living", "live", "lives", "placed"})


def negations(scan: Scan) -> None:
    """'not C0', 'no M0', 'without M0', 'never M0', 'not have any M0 C0', 'except C0'."""
    leaving = r"except for|except|excluding|exclude|other than"

    def negate(match: re.Match[str]) -> str | None:
        atom = scan.atoms[int(match.group("c"))]
        changed: Atom
        if isinstance(atom, (IsValue, Contains, Comparison, Flagged, Told)):
            changed = replace(atom, negated=True)
        elif isinstance(atom, Counted) and atom.mention is not None and atom.operator in {">", ">="}:
            changed = (
                replace(atom, negated=True)
                if re.match(leaving, match.group())
                else Counted(atom.mention, "<" if atom.operator == ">=" else "<=", atom.number)
            )
        else:
            return None
        scan.atoms[int(match.group("c"))] = changed
        scan.flags.add("negated")
        return f"C{match.group('c')}"

    def lacking(match: re.Match[str]) -> str | None:
        mention = int(match.group("m"))
        verb = re.match(r"never|not (?:be|have|do)? ?", match.group())
        done = word_of(scan, mention)
        if verb and done in EVENTS and not {"table", "moment", "flag"} & scan.kind(mention):
            # 'never been sold': no row records it, whatever column sounds like it
            event = scan.event(done)
            if event is not None:
                scan.encoded.spent.add(mention)
                mention = event
        single = re.fullmatch(r" (?:(?:in|at|from|on|the) )*C(\d+)", match.group("inner") or "")
        if done in _PLACING and single and not match.group("before"):
            # 'whose headquarters are not located in V0': what is denied is where
            scan.encoded.spent.add(mention)
            return negate(re.fullmatch(r"C(?P<c>\d+)", f"C{single.group(1)}"))  # type: ignore[arg-type]
        if "numeric" in scan.kind(mention) and "table" not in scan.kind(mention) and not verb:
            return None
        inner = []
        text = (match.group("before") or "") + (match.group("inner") or "")
        for place in re.findall(r"C(\d+)", text):
            inner.append(scan.atoms[int(place)])
            scan.flags.add(f"inner{place}")
        scan.flags.add("lacking")
        return scan.note(Lacking(mention, tuple(inner)))

    words = r"(?:(?!and |or |that |who |which |whose |but |with )[a-z]+ ){0,5}"
    inner = (
        r"(?P<inner>(?: (?:(?:in|on|with|by|that|which|who|be|from|at|the|have|for|of|as|"
        r"named|a|to|and|,) )*C\d+)*)"
    )
    # 'non-French singers': what is denied is said of them
    each(r"(?:not|non) C(?P<c>\d+)(?= M\d)", scan, negate)
    each(
        (
            rf"(?:not|never|no|without|nor|neither|{leaving}) (?:those )?(?:that |which |who |whose )?"
            rf"{words}(?P<before>C\d+ )?M(?P<m>\d+){inner}"
        ),
        scan,
        lacking,
    )

    def unmade(match: re.Match[str]) -> str | None:
        event = scan.event(match.group("verb"))
        if event is None:
            return None
        scan.flags.add("lacking")
        return scan.note(Lacking(event))

    each(
        r"(?:(?:that|which|who|have|be|do) )*(?:never|not yet|not)(?: (?:yet|ever|been|be|"
        r"have))* (?P<verb>[a-z]+)"
        r"(?: (?:yet|before|anything|any|at all|even once|by anyone|ever))*(?= ?(?:\?|\.|,|O|S|$))",
        scan,
        unmade,
    )
    each(
        (
            rf"(?:but )?(?:not|never|without|neither|nor|no|{leaving}) (?:those |that |which "
            rf"|who |whose )?{words}(?:with |with the )?(?:M\d+ )?C(?P<c>\d+)"
        ),
        scan,
        negate,
    )
