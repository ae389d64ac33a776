"""Other frames for a question whose first frame leaves something out.

Owns: putting mentions that no part of a frame uses where they may belong, and the readings that English
leaves open ('than any'). Each frame is marked by a flag.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from askwire.planner.embedded.grammar.atoms import Beyond, Frame, Output
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.grammar.uses import uses

MAX_LEFT_MENTIONS: Final = 3
_OF: Final = frozenset({"of", "for", "from", "in", "'s"})


def repaired(
    frame: Frame, encoded: EncodedQuestion, kind: Callable[[int], frozenset[str]]
) -> Iterator[Frame]:
    """Further frames; `kind(mention)` says what a mention may be. None when nothing is left over."""
    used = {u.mention for u in uses(frame, encoded)}
    left = [n for n, m in enumerate(encoded.mentions) if n not in used | encoded.spent and m.start >= 0]
    if left and len(left) <= MAX_LEFT_MENTIONS:
        outputs, context = list(frame.outputs), list(frame.context)
        for mention in left:
            kinds = kind(mention)
            if "column" in kinds and "table!" not in kinds:
                outputs.append(Output(mention, owner=_owner(encoded, mention)))
            elif "table" in kinds:
                context.append(mention)
        shown = tuple(sorted(outputs, key=lambda o: _place(encoded, o)))
        flags = frame.flags | {"repaired"}
        if len(outputs) > len(frame.outputs) and frame.outputs:
            yield frame.with_(outputs=shown, context=tuple(context), flags=flags | {"repaired_output"})
        if len(context) > len(frame.context):
            yield frame.with_(context=tuple(context), flags=flags | {"repaired_context"})
    best = next((f for f in frame.flags if re.fullmatch(r"best_by\d+", f)), None)
    if best is not None and frame.superlative is not None:
        # 'the best customers' may be those who came most often
        often = replace(frame.superlative, mention=int(best[7:]), aggregate="", counted=True)
        yield frame.with_(superlative=often, flags=(frame.flags - {best}) | {"best_by_count"})
    if "any_said" in frame.flags:
        turned = tuple(_turned(a) if isinstance(a, Beyond) else a for a in frame.atoms)
        yield frame.with_(atoms=turned, flags=(frame.flags - {"any_said"}) | {"any_one"})


def _turned(atom: Beyond) -> Beyond:
    """'more than any' means more than one of them, or more than each."""
    if not atom.inner or atom.aggregate not in {"max", "min"}:
        return atom
    return replace(atom, aggregate="min" if atom.aggregate == "max" else "max")


def _owner(encoded: EncodedQuestion, mention: int) -> int | None:
    """The mention that follows behind 'of'."""
    end = encoded.mentions[mention].end
    if end < len(encoded.tokens) and encoded.tokens[end].lower in _OF:
        for number, other in enumerate(encoded.mentions):
            if end < other.start <= end + 3:
                return number
    return None


def _place(encoded: EncodedQuestion, output: Output) -> int:
    if output.mention is None:
        return 10_000
    start = encoded.mentions[output.mention].start
    return start if start >= 0 else 10_000
