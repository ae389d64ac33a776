"""Rules for values: is, named, containing, flags.

Owns: equality with what the data holds, and patterns of text.
Must not know: schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re

from askwire.planner.embedded.atoms import Comparison, Contains, Flagged, IsNull, IsValue, Operand, Told
from askwire.planner.embedded.scanning import Scan, each, mention_of


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
        if len(plain) == 1 and not any(t.text in {plain.upper(), plain} - {"a"} for t in scan.encoded.tokens):
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
    rest = r"(?: (?:in|within) (?:its|their|the) (?:M\d+))?"
    each(
        (
            rf"{lead}(?P<verb>{verbs}|include|including|have|with|like)(?: (?:with|in|by))?{word}?(?: "
            rf"(?:of|in it|named))? (?P<k>[QV])(?P<n>\d+){rest}"
        ),
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
    named = mention is not None and scan.encoded.mentions[mention].words == ("name",)
    whose = re.search(r"(?<!\S)M(\d+) (?:whose|with|have)(?: (?:a|the))? $", scan.line[: match.start()])
    if named and whose and {"column!", "table!"} & scan.kind(int(whose.group(1))) == {"column!"}:
        # 'a state whose name contains …', where the state is itself a column
        mention = int(whose.group(1))
    if mention is not None and "column" not in scan.kind(mention):
        lead, mention = f"M{mention} ", None
    return lead + scan.note(Contains(mention, operand, where, bool(match.group("not"))))


def values(scan: Scan) -> None:
    """'M0 be V0', 'V0 M0', 'V0'; 'not V0' is the business of `negations`."""

    def beside(match: re.Match[str]) -> str | None:
        mention = int(match.group("m"))
        if not scan.holds(mention, int(match.group("v"))):
            return None
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


def flags(scan: Scan) -> None:
    """'official M0', 'active M1': a yes-or-no column named by its adjective."""

    def flagged(match: re.Match[str]) -> str | None:
        mention = int(match.group("m"))
        if "flag" not in scan.kind(mention):
            return None
        return scan.note(Flagged(mention, bool(match.group("not"))))

    each(r"(?P<not>not |non )?(?:the |an? )?M(?P<m>\d+)", scan, flagged)
