"""Rules for values: is, named, containing, flags.

Owns: equality with what the data holds, and patterns of text.
Must not know: schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.atoms import (
    Comparison,
    Contains,
    Flagged,
    IsNull,
    IsValue,
    Operand,
    Told,
)
from askwire.planner.embedded.grammar.scanning import Scan, each, mention_of

_SAYING_WHICH: Final = frozenset(
    {"each", "every", "both", "these", "those", "this", "that", "such", "its", "their"}
)
"""Words behind 'containing' that are no text to look for."""


def patterns(scan: Scan) -> None:
    """'M0 contain the word Q0', 'start with the letter Q0', 'end with Q0'."""

    def like(match: re.Match[str]) -> str | None:
        verb = match.group("verb")
        where = "within"
        if verb.startswith(("start", "begin")):
            where = "start"
        elif verb.startswith("end"):
            where = "end"
        plain = match.groupdict().get("plain") or ""
        named = (match.groupdict().get("word") or "").strip() in {"letter", "character"}
        if plain in _SAYING_WHICH:
            return None
        if (
            len(plain) == 1
            and not named
            and not any(t.text in {plain.upper(), plain} - {"a"} for t in scan.encoded.tokens)
        ):
            return None
        if "k" not in match.groupdict():
            return _mentioned(scan, match, where, scan.quote(match.group("plain")))
        if verb in {"have", "include", "with"} and match.group("word") is None and match.group("k") != "Q":
            return None
        if (
            match.group("k") == "V"
            and match.group("word") is None
            and verb not in {"contain", "containing", "contained"}
            and where == "within"
        ):
            return None
        return _mentioned(scan, match, where, Operand(match.group("k"), int(match.group("n"))))

    lead = r"(?:M(?P<m>\d+) )?(?:(?:that|which|who|be|in|its) )*(?P<not>not )?"
    word = (
        r"(?: (?:the|a))?(?P<word> (?:word|substring|letter|phrase|string|character|prefix|"
        r"suffix|text|keyword))"
    )
    verbs = r"contain|containing|contained|start|starting|begin|beginning|end|ending"
    rest = (
        r"(?: (?:(?:as|a|an|the|substring|string|prefix|suffix|part|word) )*(?:in|within|of)"
        r" (?:part of )?(?:(?:its|their|his|her|the) )+M(?P<behind>\d+))?"
    )
    each(
        (
            rf"{lead}(?P<verb>{verbs}|include|including|have|with|like)(?: (?:with|in|by))?{word}?(?: "
            rf"(?:of|in it|named))? (?P<k>[QV])(?P<n>\d+){rest}"
        ),
        scan,
        like,
    )
    each(
        rf"{lead}(?P<verb>have|with|include) (?P<k>[QV])(?P<n>\d+) (?P<word>as|in part)(?: of)?"
        r" (?:(?:a|the|substring|string|prefix|suffix|part|word|in|of|its|their) )+M(?P<behind>\d+)",
        scan,
        like,
    )
    each(
        (
            rf"{lead}(?P<verb>{verbs}|include|including|have|with|like)(?: (?:with|in|by))?{word}(?: "
            rf"(?:of|in it|named))? (?P<plain>[a-z][\w.@-]*){rest}"
        ),
        scan,
        like,
    )
    each(
        (
            rf"{lead}(?P<verb>start|starting|begin|beginning|end|ending) (?:with|in|by)(?P<word>X)? "
            rf"(?P<plain>[a-z]){rest}"
        ),
        scan,
        like,
    )
    each(
        (
            rf"{lead}(?P<verb>contain|containing)(?P<word>X)? (?P<plain>(?!the|a|an|at|of|in|"
            rf"all|any|more|no|some)[a-z][\w.@-]*){rest}"
        ),
        scan,
        like,
    )


def _mentioned(scan: Scan, match: re.Match[str], where: str, operand: Operand) -> str:
    mention = mention_of(match.group("m"))
    lead = ""
    behind = mention_of(match.groupdict().get("behind"))
    if behind is not None and "column" in scan.kind(behind):
        # 'customers with the letter a in their names': the column stands behind
        lead, mention = f"M{mention} " if mention is not None else "", behind
        return lead + scan.note(Contains(mention, operand, where, bool(match.group("not"))))
    named = mention is not None and scan.encoded.mentions[mention].words == ("name",)
    whose = re.search(r"(?<!\S)M(\d+) (?:whose|with|have)(?: (?:a|the))? $", scan.line[: match.start()])
    if named and whose and {"column!", "table!"} & scan.kind(int(whose.group(1))) == {"column!"}:
        # 'a state whose name contains …', where the state is itself a column
        mention = int(whose.group(1))
    if mention is not None and "column" not in scan.kind(mention):
        lead, mention = f"M{mention} ", None
    return lead + scan.note(Contains(mention, operand, where, bool(match.group("not"))))


def before(match: re.Match[str]) -> str:
    """The line before a match."""
    return match.string[: match.start()]


def behind(match: re.Match[str]) -> str:
    """The line behind a match."""
    return match.string[match.end() :]


def values(scan: Scan) -> None:
    """'M0 be V0', 'V0 M0', 'V0'; 'not V0' is the business of `negations`."""

    def beside(match: re.Match[str]) -> str | None:
        mention = int(match.group("m"))
        if not scan.holds(mention, int(match.group("v"))):
            return None
        after = re.match(r" M(\d+)(?! (?:be|of|GT|LT|V\d|C\d))", behind(match))
        within = re.search(r" in (?:the )?(?:not )?V\d+$", match.group())
        if within and after and {"column!"} <= scan.kind(int(after[1])) - {"table!"}:
            # 'from the appelation in the Central Coast area': the area is called so
            return None if scan.holds(int(after[1]), int(match.group("v"))) else note_value(match)
        return note_value(match)

    def note_value(match: re.Match[str]) -> str:
        mention = int(match.group("m"))
        between = match.groupdict().get("not")
        return scan.note(IsValue(int(match.group("v")), mention, negated=bool(between)))

    link = (
        r"(?:(?:be|of|as|EQ|equal|to|name|named|called|call|like|value|in|have|a|an|the|"
        r"set|=|code|either|both|type|at|mark|marked) )*"
    )
    each(rf"M(?P<m>\d+) {link}(?P<not>not |other than |different from )?{link}V(?P<v>\d+)", scan, beside)
    each(
        (
            r"V(?P<v>\d+) (?:as |in |be |be the |for )?(?:their |its |the |his |a )?M(?P<m>\d+)"
            r"(?! (?:be|of|GT|LT|V\d|C\d))(?P<not>X)?"
        ),
        scan,
        lambda m: beside(m) if "column!" in scan.kind(int(m.group("m"))) else None,
    )
    each(r"V(?P<v>\d+)", scan, lambda m: scan.note(IsValue(int(m.group("v")))))
    each(r"K(?P<k>\d+)", scan, lambda m: scan.note(Told(int(m.group("k")))))
    each(
        r"M(?P<m>\d+) (?:(?:be|of|as|EQ|named|called|name|title|titled) )*Q(?P<q>\d+)",
        scan,
        lambda m: (
            scan.note(Comparison(int(m.group("m")), "=", Operand("Q", int(m.group("q")))))
            if "column" in scan.kind(int(m.group("m")))
            else None
        ),
    )
    each(r"Q(?P<q>\d+)", scan, lambda m: scan.note(Comparison(None, "=", Operand("Q", int(m.group("q"))))))
    each(
        r"M(?P<m>\d+) be (?P<not>not )?(?:null|missing|empty|unknown)",
        scan,
        lambda m: scan.note(IsNull(int(m.group("m")), bool(m.group("not")))),
    )


_TOLD_BY: Final = frozenset({"status", "gender", "sex", "flag"})
_ASKED: Final = re.compile(
    r"(?<!\S)(?:which|what|each|every|(?:COUNT|AVG|SUM|MAX|MIN)(?: different| distinct)?) $"
)
"""Behind these words a yes-or-no column is asked for; it says nothing of the rows."""


def flags(scan: Scan) -> None:
    """'official M0', 'active M1': a yes-or-no column named by its adjective."""

    def flagged(match: re.Match[str]) -> str | None:
        mention = int(match.group("m"))
        words = scan.encoded.mentions[mention].words
        itself = (len(words) == 1 or words[-1] in _TOLD_BY) and not re.match(r" M\d", behind(match))
        if "flag" not in scan.kind(mention) or (itself and _ASKED.search(before(match))):
            return None
        if re.match(r" of ", behind(match)) and re.search(r"(?:and|,|the) $", before(match)):
            return None  # '…, and gender of all customers' asks for it
        return scan.note(Flagged(mention, bool(match.group("not"))))

    each(r"(?P<not>not |non )?(?:the |an? )?M(?P<m>\d+)", scan, flagged)
