"""Rules for counts and averages as bounds: more than two orders, above the average.

Owns: conditions on groups and comparisons with aggregates.
Must not know: schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re
from dataclasses import replace

from askwire.planner.embedded.grammar.atoms import Beyond, Comparison, Counted, IsValue, Operand
from askwire.planner.embedded.grammar.scanning import (
    AGGREGATES,
    COMPARE,
    DET,
    FILL,
    MEASURES,
    OP,
    WHEN,
    Scan,
    each,
    mention_of,
    number_of,
)


def nested(scan: Scan) -> None:
    """'M0 above the average', 'older than the average age of all M1', 'GT MAX M1'."""

    def beyond(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        adjective = groups.get("adj") or ""
        mention = mention_of(groups.get("m")) if groups.get("m") else mention_of(groups.get("after"))
        if mention is not None and "column" not in scan.kind(mention):
            mention = mention_of(groups.get("after"))
        if mention is None and adjective:
            mention = scan.attribute(adjective)
        if mention is None and groups.get("verb"):
            mention = scan.attribute(MEASURES[groups["verb"]])
        if mention is None:
            # 'M0 whose M1 …, above the average': the last number named before
            named = re.findall(r"(?<!\S)M(\d+)", scan.line[: match.start()])
            numeric = [int(m) for m in named if "numeric" in scan.kind(int(m))]
            mention = numeric[-1] if numeric else None
        if mention is None:
            return None
        text = scan.note(
            Beyond(mention, COMPARE[match.group("op")], AGGREGATES[match.group("agg")], adjective)
        )
        if groups.get("m") and mention != mention_of(groups["m"]):
            text = f"M{groups['m']} {text}"
        return text

    each(
        (
            rf"(?:M(?P<m>\d+) (?:(?:be|have|of|with|a) )*|(?P<verb>{'|'.join(MEASURES)}) )?{OP} "
            r"(?:than )?(?:(?:that of|the|its|their) )*(?P<agg>AVG|MAX|MIN)(?: (?:(?:of|the|"
            r"for) )*M(?P<after>\d+))?(?: (?:of|for|in|across|among) (?:(?:all|the|any|other)"
            r" )*(?:M\d+)(?! (?:GT|LT|with|that|in|who)))?"
        ),
        scan,
        beyond,
    )


def count_conditions(scan: Scan) -> None:
    """'at least 3 M0', 'more than one M0', 'COUNT M0 GT N0', 'exactly two M0', 'M0 more than once'."""

    def counted(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        mention = mention_of(groups.get("m"))
        operator = COMPARE[groups.get("op") or "EQ"]
        if groups.get("adj") or groups.get("op") in {"BEFORE", "AFTER", "SINCE"}:
            return None
        if scan.money(Operand("N", int(match.group("n")))) and not groups.get("more"):
            return None  # 'how many claims are above $5,000': money counts no rows
        if mention is not None and "table" not in scan.kind(mention) and "numeric!" in scan.kind(mention):
            said = scan.note(Comparison(mention, operator, Operand("N", int(match.group("n")))))
            # 'how many drivers under 20': rows are asked for, not a number that a column holds
            return f"COUNT {said}" if match.start() == 0 and match.group().startswith("COUNT") else said
        if groups.get("more"):
            operator = ">=" if groups["more"] in {"more", "above", "GT"} else "<="
        if groups.get("agg") and groups["agg"] != "COUNT":
            return None
        return scan.note(Counted(mention, operator, number_of(scan, match.group("n"))))

    def aggregated(match: re.Match[str]) -> str | None:
        aggregate = AGGREGATES[match.group("agg")]
        mention = int(match.group("m"))
        said = match.groupdict().get("op") or "EQ"
        operator, operand = COMPARE[said], Operand("N", int(match.group("n")))
        if said in WHEN and scan.year(operand):
            return None  # 'total revenue since 2025'
        if match.group("agg") in {"MAX", "MIN"} and match.start() < 30 and "whose" not in scan.line:
            return None
        return scan.note(Comparison(mention, operator, operand, aggregate=aggregate))

    each(rf"COUNT (?:of )?{DET}M(?P<m>\d+) {FILL}{OP} (?:than )?N(?P<n>\d+)(?! M\d)", scan, counted)
    each(rf"{OP} N(?P<n>\d+) COUNT (?:of )?{DET}M(?P<m>\d+)", scan, counted)
    each(
        rf"(?:between )?N(?P<n>\d+) (?:to|and) N(?P<n2>\d+) (?:COUNT (?:of )?)?{DET}M(?P<m>\d+)",
        scan,
        lambda m: (
            scan.note(
                Counted(
                    int(m.group("m")),
                    "between",
                    number_of(scan, m.group("n")),
                    number_of(scan, m.group("n2")),
                )
            )
            if "table" in scan.kind(int(m.group("m"))) and "numeric!" not in scan.kind(int(m.group("m")))
            else None
        ),
    )
    each(
        rf"COUNT (?:of )?{DET}M(?P<m>\d+) (?:be )?between N(?P<n>\d+) and N(?P<n2>\d+)",
        scan,
        lambda m: scan.note(
            Counted(
                int(m.group("m")), "between", number_of(scan, m.group("n")), number_of(scan, m.group("n2"))
            )
        ),
    )
    each(
        (
            rf"(?P<agg>AVG|SUM|MAX|MIN) (?:of )?{DET}M(?P<m>\d+) (?:(?:be|of|have|that be|in|"
            rf"with|a) )*{OP} (?:than )?N(?P<n>\d+)"
        ),
        scan,
        aggregated,
    )
    each(
        rf"{OP} N(?P<n>\d+) {DET}M(?P<m>\d+) (?:on|in) (?P<agg>average|AVG)",
        scan,
        lambda m: scan.note(
            Comparison(
                int(m.group("m")), COMPARE[m.group("op")], Operand("N", int(m.group("n"))), aggregate="avg"
            )
        ),
    )
    each(rf"(?P<agg>AVG|SUM) {OP} N(?P<n>\d+) (?:of |in )?M(?P<m>\d+)", scan, aggregated)
    each(rf"{OP} N(?P<n>\d+) (?:time|occasion|{DET}(?:kind|type|sort) of)(?: M(?P<m>\d+))?", scan, counted)
    each(
        rf"{OP} (?P<once>once|twice)",
        scan,
        lambda m: scan.note(Counted(None, COMPARE[m.group("op")], 1 if m.group("once") == "once" else 2)),
    )
    each(
        rf"{OP} (?:a|one) M(?P<m>\d+)",
        scan,
        lambda m: (
            scan.note(Counted(int(m.group("m")), COMPARE[m.group("op")], 1))
            if "table" in scan.kind(int(m.group("m")))
            else None
        ),
    )
    each(
        rf"N(?P<n>\d+) or (?P<more>more|GT|above|fewer|less|LT)(?:~\w+)? (?:of )?{DET}M(?P<m>\d+)",
        scan,
        counted,
    )
    each(
        r"M(?P<m>\d+) (?:be |of )?N(?P<n>\d+) or (?P<more>more|GT|above|fewer|less|LT|older|later)(?:~\w+)?",
        scan,
        lambda m: scan.note(
            Comparison(
                int(m.group("m")),
                ">=" if m.group("more") not in {"fewer", "less", "LT"} else "<=",
                Operand("N", int(m.group("n"))),
            )
        ),
    )

    def typed(match: re.Match[str]) -> str | None:
        mention = int(match.group("m"))
        kinds = scan.kind(mention)
        if "numeric!" in kinds and "table!" not in kinds:
            return scan.note(
                Comparison(mention, COMPARE[match.group("op")], Operand("N", int(match.group("n"))))
            )
        if "table" in kinds or "column" in kinds:
            return scan.note(Counted(mention, COMPARE[match.group("op")], number_of(scan, match.group("n"))))
        return None

    each(
        rf"(?P<op>GT|GE|LT|LE|EQ) N(?P<n>\d+) (?:different |distinct |of )?{DET}M(?P<m>\d+)(?! (?:GT|LT))",
        scan,
        typed,
    )
    each(
        rf"(?:have|with|own|take|use|play|hold|win|won|has|contain) N(?P<n>\d+) {DET}M(?P<m>\d+)",
        scan,
        lambda m: _exact(scan, m),
    )


def _exact(scan: Scan, match: re.Match[str]) -> str | None:
    mention = int(match.group("m"))
    kinds = scan.kind(mention)
    if "numeric!" in kinds and "table!" not in kinds:
        return scan.note(Comparison(mention, "=", Operand("N", int(match.group("n")))))
    if "table" in kinds:
        return "with " + scan.note(Counted(mention, "=", number_of(scan, match.group("n"))))
    return None


def beyond_any(scan: Scan) -> None:
    """'M0 GT any M1 in C0': more than every one (or, for 'some', than the least) of a part of the rows."""

    def beyond(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        adjective = groups.get("adj") or ""
        mention = mention_of(groups.get("m"))
        lead = ""
        if groups.get("n") and (mention is None or "numeric" not in scan.kind(mention)):
            lead = f"M{mention} " if mention is not None else ""
            mention = mention_of(groups["n"])
        if mention is None or "numeric" not in scan.kind(mention):
            if adjective:
                mention = scan.attribute(adjective)
            elif groups.get("verb"):
                mention = scan.attribute(MEASURES[groups["verb"]])
        if mention is None:
            return None
        operator = COMPARE[match.group("op")]
        up = operator.startswith(">") != (groups["which"] == "some")
        if groups["which"] == "any":
            scan.flags.add("any_said")
        place = int(match.group("c"))
        scan.flags.add(f"inner{place}")
        return lead + scan.note(
            Beyond(mention, operator, "max" if up else "min", adjective, (scan.atoms[place],))
        )

    verbs = "|".join(MEASURES)

    def part_of_rows(match: re.Match[str]) -> str | None:
        said, place = scan.atoms[int(match["b"])], int(match["c"])
        if not isinstance(said, Beyond) or said.inner or "table!" not in scan.kind(int(match["t"])):
            return None
        scan.flags.add(f"inner{place}")
        scan.atoms[int(match["b"])] = replace(said, inner=(scan.atoms[place],))
        return f"C{match['b']}"

    # 'above the average resolution of songs in modern genre': the average of those
    each(
        r"C(?P<b>\d+) (?:of|for|among) (?:(?:all|the) )*M(?P<t>\d+) "
        r"(?:(?:in|with|from|that|be|who|have|whose|at|on|the) )+C(?P<c>\d+)(?: M\d+)?",
        scan,
        part_of_rows,
    )
    # 'older than at least one engineer', where the engineers are but a value
    each(
        rf"(?:M(?P<m>\d+) |(?P<verb>{verbs}) )?(?:(?:that|which|be|have|a) )*{OP} (?:M(?P<n>\d+) )?(?:than )?"
        r"(?P<which>any|all|every|some|at least one)(?: of)?(?: the)?(?: other)? C(?P<c>\d+)(?= |$)",
        scan,
        lambda m: beyond(m) if isinstance(scan.atoms[int(m["c"])], IsValue) else None,
    )
    each(
        (
            rf"(?:M(?P<m>\d+) |(?P<verb>{verbs}) )?(?:(?:that|which|be|have|a) )*{OP} (?:M(?P<n>\d+)"
            r" )?(?:than )?(?:(?:that|those|the M\d+) of |the |M\d+ of )*(?P<which>any|all|every|"
            r"some|at least one)(?: of)?(?: the)?(?: other)? M\d+ (?:(?:in|of|from|with|that|"
            r"be|at|on|by|who|the|have|whose|work|a|made|built|named|called|M\d+) )*C(?P<c>\d+)(?: M\d+)?"
        ),
        scan,
        beyond,
    )
