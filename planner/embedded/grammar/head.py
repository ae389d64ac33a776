"""What a question asks for, once its islands are taken out.

Owns: outputs, entities and context from the rest of the line, sentence by sentence. Must not know: schemas
beyond what a mention may be.

    'what be the M0 and M1 of M2 who M3 C0 ?' → outputs M0, M1 (of M2); entity M2; context M3
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from askwire.language.lexicon import ATTRIBUTES
from askwire.language.text import ORDINALS, listed
from askwire.planner.embedded.grammar.atoms import Frame, Lacking, Output, Superlative
from askwire.planner.embedded.grammar.scanning import Scan

_AGGREGATES: Final = {
    "AVG": "avg",
    "SUM": "sum",
    "MAX": "max",
    "MIN": "min",
    "AGO": "ago",
    "AGOFIRST": "ago first",
}
_OF: Final = frozenset(
    listed(
        """
    of for from in by on at to about among within under belonging across corresponding
    """
    )
)
_SEPARATORS: Final = frozenset({"and", ",", "or", "well", "as", "also", "both", "then"})
_LEAVE: Final = frozenset(
    listed(
        """
    that which who whose where with have when whom be do if without while than having own not under
    can
    """
    )
)
_REENTER: Final = frozenset(
    listed(
        """
    show list give return find tell what display get provide report sort compute
    """
    )
)
_LIGHT: Final = frozenset(
    listed(
        """
    the a all any its their his her some different distinct unique this these those each every me us
    of please are corresponding respective specific various type kind other
    """
    )
)
_POSSESSIVE: Final = frozenset({"their", "its", "his", "her"})
_ALL_INFO: Final = re.compile(
    r"(?<!\S)(?:all|the|every|full|complete|whole|entire|any) (?:(?:the|of) )*M(\d+)"
    r" (?:information|info|detail|details|data|record|records)(?!\S)"
)
_ALL_OF: Final = re.compile(
    r"(?<!\S)(?:(?:all|the|every|full|complete|whole|entire) )*(?:information|info|detail|"
    r"details|everything|data|record|attribute|column|field|content)"
    r"(?: (?:that|which) (?:be )?(?:available|stored|recorded|known))? (?:about|of|on|"
    r"for|regarding|concerning|from|in|related to|with) (?:(?:all|the|each|every|any|a) )*M(\d+)"
)


_LOST: Final = re.compile(
    rf"(?:GT|LT|GE|LE|NE|MOST|LEAST|BEFORE|AFTER|SINCE|MAXCOUNT|MINCOUNT)(?:~\w+)?|(?:MAX|MIN)~\w+|[NQDVK]\d+"
    rf"|not|no|never|without|neither|nor|except|once|twice|both|or|{'|'.join(ATTRIBUTES)}|{'|'.join(ORDINALS)}"
    r"|first|last|top|rate|ratio"
)
"""Symbols and words that change what is meant: where no rule took them, they are lost, and told so."""


_SHOWN_WITH: Final = tuple(
    f"{verb} {what} with" for verb in ("list", "show", "give") for what in ("the result", "result", "them")
)
"""How a second sentence begins that adds to what the first asks for."""


@dataclass
class _Walk:
    outputs: list[Output] = field(default_factory=list)
    entities: list[int] = field(default_factory=list)
    context: list[int] = field(default_factory=list)
    distinct: bool = False
    imperative: bool = False
    lost: list[str] = field(default_factory=list)
    listed: int = 0


_OPENING: Final = frozenset({"for", "of", "among", "from", "within"})


def _read(words: list[str], scan: Scan) -> _Walk:
    """A sentence as it is walked through; one that begins with 'for' says first of what it asks."""
    if words and words[0] in _OPENING and _REENTER & set(words[1:]):
        walk = _walk(words, scan, selecting=False)
        if walk.outputs:
            return walk
    return _walk(words, scan)


def _walk(words: list[str], scan: Scan, *, selecting: bool = True) -> _Walk:
    walk = _Walk()
    pending, owner, previous = list[str](), None, ""
    expecting_owner = False
    distinct_next, separated = False, True
    owned_from = 0
    if words and words[0] in _REENTER | {"count", "please"}:
        walk.imperative = True
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else ""
        if word in {"COUNT", *_AGGREGATES}:
            if not selecting and previous not in {"and", ","} and walk.outputs and word != "COUNT":
                walk.lost.append(word)
                previous = word
                continue
            selecting, expecting_owner = True, False
            pending.append("count" if word == "COUNT" else _AGGREGATES[word])
        elif word in {"different", "distinct", "unique"}:
            distinct_next = selecting
        elif word[0] == "M" and word[1:].isdigit():
            mention = int(word[1:])
            if not selecting:
                if previous in _POSSESSIVE and len(walk.outputs) > 0:
                    walk.outputs.append(Output(mention))
                else:
                    walk.context.append(mention)
            elif pending:
                walk.outputs += [Output(mention, p, owner, distinct_next and p == "count") for p in pending]
                pending, owner = [], None
            elif expecting_owner:
                for place in range(owned_from, len(walk.outputs)):
                    if walk.outputs[place].owner is None:
                        out = walk.outputs[place]
                        walk.outputs[place] = Output(
                            out.mention, out.aggregate, mention, out.distinct, out.star
                        )
                owned_from = len(walk.outputs)
                walk.entities.append(mention)
                expecting_owner = False
            elif (
                previous[:1] == "M"
                and previous[1:].isdigit()
                and walk.outputs
                and walk.outputs[-1].mention == int(previous[1:])
            ):
                last = walk.outputs.pop()
                both = {*scan.kind(mention)} >= {"table!"} and "table!" in scan.kind(int(previous[1:]))
                if both and "column" not in scan.kind(mention):
                    # 'tickets escalated to': the second says which, the first what
                    walk.outputs.append(last)
                    walk.context.append(mention)
                elif "table" in scan.kind(int(previous[1:])):
                    walk.entities.append(int(previous[1:]))
                    walk.outputs.append(Output(mention, last.aggregate, int(previous[1:])))
                else:
                    walk.outputs += [last]
                    walk.entities.append(mention)
            elif walk.outputs and not separated and walk.outputs[-1].mention is not None and owner is None:
                # 'cities the stations are in': a clause without its 'that'
                walk.context.append(mention)
                selecting = False
            else:
                walk.outputs.append(Output(mention, "", owner, distinct_next))
                walk.distinct = walk.distinct or distinct_next
                owner = None
            distinct_next = separated = False
        elif word == "'s":
            if walk.outputs and re.fullmatch(r"C\d+", previous):
                # 'employee Nancy Edwards 's phone': what stood before is whose it is
                walk.entities += [o.mention for o in walk.outputs if o.mention is not None]
                walk.outputs, selecting, separated = [], True, True
            elif walk.outputs and selecting and not walk.outputs[-1].aggregate:
                owner = walk.outputs.pop().mention
                if owner is not None:
                    walk.entities.append(owner)
            elif walk.entities:
                owner = walk.entities[-1]
        elif word in _OF and not (word == "corresponding" and (separated or previous in _POSSESSIVE)):
            expecting_owner = bool(walk.outputs) and selecting and not pending
        elif word == "and" and not selecting and walk.outputs and _asks_again(words, at, scan):
            selecting, separated, expecting_owner = True, True, False
            owned_from = len(walk.outputs)
        elif word == "both" and selecting and re.match(r"(?:(?:the|their) )*M\d", " ".join(words[at + 1 :])):
            walk.listed += 1  # 'list both the title and id' says nothing but 'and'
        elif word in _SEPARATORS or word in {"S", "O", "G"} or re.fullmatch(r"G\d+", word):
            separated = separated or word in {"and", ",", "or", "well"}
            if word in {"and", ","}:
                expecting_owner = False
        elif word in _REENTER and (walk.outputs or walk.context):
            selecting, expecting_owner = True, False
            separated = True
        elif (
            word in {"value", "size", "total", "amount"}
            and walk.outputs
            and walk.outputs[-1].aggregate == "avg"
            and "table!" in scan.kind(walk.outputs[-1].mention or 0)
        ):
            walk.outputs[-1] = replace(walk.outputs[-1], aggregate="per")
        elif (
            word in {"number", "count", "amount"}
            and selecting
            and at > 0
            and (previous in {"the", "and", ",", "COUNT", "total", "corresponding", "return", "list", "show"})
        ):
            if following in {"", "O", "S"} or following[:1] in {"G"} or following == "and":
                walk.outputs.append(Output(None, "count"))
        elif word == "be" and previous == "what":
            pass  # 'and what is the largest …' asks again
        elif word == "with" and selecting and walk.outputs and _shown_besides(words[at + 1 :], scan):
            separated, expecting_owner = True, False
        elif word in _LEAVE:
            if walk.outputs or walk.entities or pending:
                if pending and word in {"be", "do", "have"}:
                    walk.outputs += [Output(None, p) for p in pending if p == "count"]
                    pending = []
                selecting = False
            expecting_owner = False
        elif word in _LIGHT:
            pass
        elif re.fullmatch(r"C\d+", word):
            if walk.outputs and not expecting_owner and following not in {"and", ","}:
                selecting = selecting and following[:1] == "M"
        elif (
            selecting
            and walk.outputs
            and previous in {"and", "the"}
            and "and" in words[max(0, at - 2) : at]
            and re.fullmatch(r"M\d+", following)
            and "column!" in scan.kind(int(following[1:]))
        ):
            pass  # '…, details and coresponding M3': a word of no meaning before one more that is asked for
        elif walk.outputs and selecting and following not in _SEPARATORS | {"of", "for"}:
            # an unknown word after what is asked for begins the part that restricts it
            selecting = False
            expecting_owner = False
        previous = word
    if "count" in pending:
        walk.outputs.append(Output(None, "count"))
    walk.lost += [p.upper() for p in pending if p != "count"]
    lost = [w for w in words if _LOST.fullmatch(w)]
    for _ in range(walk.listed):
        lost.remove("both")
    walk.lost += lost
    return walk


def _shown_besides(rest: list[str], scan: Scan) -> bool:
    """'the last orders with customer name': whether only columns follow, to be shown as well."""
    text = " ".join(rest)
    if not re.fullmatch(
        r"(?:(?:the|their|its) )*M\d+(?: (?:and|,) (?:(?:the|their|its) )*M\d+)*(?: [SOG]\d*)*", text
    ):
        return False
    kinds = [scan.kind(int(n)) for n in re.findall(r"M(\d+)", text)]
    return all("column!" in k and "table!" not in k and "optional" not in k for k in kinds)


def _asks_again(words: list[str], at: int, scan: Scan) -> bool:
    """'… living in Rome and the names of their dogs': whether what follows 'and' is asked for as well."""
    rest = words[at + 1 : at + 5]
    while rest and rest[0] in {"the", "their", "also"}:
        rest = rest[1:]
    if len(rest) < 2 or not re.fullmatch(r"M\d+", rest[0]) or rest[1] != "of":
        return False
    return "column" in scan.kind(int(rest[0][1:]))


def _sentences(line: str) -> list[list[str]]:
    return [s.split() for s in re.split(r"(?<!\S)[.?!;:](?!\S)", line) if s.strip()]


def frame(scan: Scan) -> Frame:
    """The frame of a scanned question; outputs may be empty when the question only restricts."""
    line = scan.line
    stars = [int(m.group(1)) for m in _ALL_OF.finditer(line)]
    stars += [int(m.group(1)) for m in _ALL_INFO.finditer(line)]
    line = _ALL_INFO.sub(lambda m: f"STAR{m.group(1)}", line)
    line = _ALL_OF.sub(lambda m: f"STAR{m.group(1)}", line)
    line, shared = _shared(line, scan)
    sentences = _sentences(line)
    walks = [_read([w for w in s if not w.startswith("STAR")], scan) for s in sentences]
    outputs: list[Output] = []
    entities: list[int] = []
    context: list[int] = []
    distinct = any(w.distinct for w in walks)
    for number, walk in enumerate(walks):
        entities += walk.entities
        context += walk.context
        if number and walk.outputs and outputs:
            # a second sentence says what to show; the first then only said of what
            said = [o.mention for o in outputs if not o.aggregate and o.mention is not None]
            counted = [o for o in outputs if o.aggregate]
            entities = [*said, *(o.mention for o in counted if o.mention is not None), *entities]
            whose = next((m for m in entities if "table!" in scan.kind(m)), None)
            walk.outputs = [
                replace(o, owner=whose) if o.owner is None and o.mention not in {None, whose} else o
                for o in walk.outputs
            ]
            if sentences[number][0] == "also" or " ".join(sentences[number]).startswith(_SHOWN_WITH):
                outputs = (
                    [*walk.outputs, *outputs]
                    if not any(o.aggregate for o in walk.outputs) and counted == outputs
                    else [*outputs, *walk.outputs]
                )
                continue
            kept = [] if any(not o.aggregate for o in walk.outputs) and not _wants_count(walk) else counted
            outputs = list(walk.outputs) if not kept or _wants_count(walk) else [*outputs, *walk.outputs]
            if counted and _wants_count(walk):
                outputs = [counted[0] if o.aggregate == "count" and o.mention is None else o for o in outputs]
        else:
            outputs += walk.outputs
    for star in stars:
        outputs.append(Output(star, star=True))
        entities.insert(0, star)
    inner = {int(f[5:]) for f in scan.flags if f.startswith("inner")}
    placed = {int(n) for n in re.findall(r"(?<!\S)C(\d+)(?!\S)", scan.line)} - inner
    atoms = tuple(a for n, a in enumerate(scan.atoms) if n in placed)
    lacking = {a.mention for a in atoms if isinstance(a, Lacking)}
    return Frame(
        outputs=tuple(dict.fromkeys(outputs)),
        entities=tuple(dict.fromkeys(entities)),
        context=tuple(c for c in dict.fromkeys(context) if c not in lacking),
        atoms=atoms,
        groups=tuple(dict.fromkeys(scan.groups)),
        sorts=tuple(scan.sorts),
        superlative=_limited(scan),
        unit=scan.unit,
        distinct=distinct,
        limit=scan.limit,
        flags=frozenset(f for f in scan.flags if not f.startswith("inner")) | _places(scan.line),
        lost=(*(symbol for walk in walks for symbol in walk.lost), *_by_nothing(scan)),
        shared=shared,
    )


_BOTH: Final = re.compile(
    r"(?<!\S)both (?:used |shared )?(?:by |for |in |the |a )*M(?P<a>\d+) and "
    r"(?:by |for |in |the |a )*M(?P<b>\d+)(?!\S)"
    r"(?: (?:(?:live|living|in|it|there|them|be|locate|located|work|stay))*(?= |$))?"
)
_EITHER: Final = re.compile(
    r"(?<!\S)(?:used |be |either |of |by |for )+(?:the )?M(?P<a>\d+) or "
    r"(?:by |for |the |of )*M(?P<b>\d+)(?!\S)"
)


def _shared(line: str, scan: Scan) -> tuple[str, tuple[str, int, int] | None]:
    """'states with both owners and vets': the line without the two tables whose values are set together."""
    for operator, pattern in (("INTERSECT", _BOTH), ("UNION", _EITHER)):
        match = pattern.search(line)
        if match is None:
            continue
        first, second = int(match["a"]), int(match["b"])
        if first != second and all("table!" in scan.kind(m) for m in (first, second)):
            return line[: match.start()] + line[match.end() :], (operator, first, second)
    return line, None


def _limited(scan: Scan) -> Superlative | None:
    """The superlative, with the limit of 'top 5 domains with the most authors'."""
    if not scan.superlatives:
        return None
    first = replace(scan.superlatives[0], nth=scan.nth)
    if first.nth > 1:
        return replace(first, limit=1)
    return replace(first, limit=scan.limit) if scan.limit and first.limit == 1 else first


def _by_nothing(scan: Scan) -> tuple[str, ...]:
    """'top' where nothing says by what: any few rows are not the first ones."""
    return () if scan.limit is None or scan.superlatives or scan.sorts else ("top",)


def _places(line: str) -> frozenset[str]:
    """Whether the grouping is said before or after what is asked for."""
    group = re.search(r"(?<!\S)G\d*(?!\S)", line)
    asked = re.search(r"(?<!\S)(?:COUNT|AVG|SUM|MAX|MIN)(?!\S)", line)
    if group and asked:
        return frozenset({"group_said_first" if group.start() < asked.start() else "group_said_last"})
    return frozenset()


def _wants_count(walk: _Walk) -> bool:
    return any(o.aggregate == "count" for o in walk.outputs)
