"""Clauses as short lines of text, for the trace and the examples of rules.

Owns: the wording: `M1 > N0`, `count of M2 >= 3`, `no M4 (M5 = D0)`, `top 3 by avg M1`.
"""

from __future__ import annotations

from askwire.planner.embedded.grammar.atoms import (
    OF_ROWS,
    AbsenceCondition,
    Atom,
    Beyond,
    Comparison,
    Contains,
    CountCondition,
    Either,
    FlagCondition,
    HintCondition,
    IsNull,
    IsValue,
    Operand,
    Output,
    SortKey,
    Superlative,
    Together,
)
from askwire.planner.embedded.grammar.context import RuleContext


def clauses(context: RuleContext) -> list[str]:
    """Every clause taken out so far, a line each."""
    found = [f"C{n}: {atom_shown(atom)}" for n, atom in enumerate(context.atoms)]
    found += [f"group by {_output(group)}" for group in context.groups]
    found += [f"group by {context.unit}"] if context.unit else []
    found += [f"sort by {_sorting(sort)}" for sort in context.sorts]
    found += [superlative_shown(one) for one in context.superlatives]
    found += [f"limit {context.limit}"] if context.limit is not None else []
    found += [f"place {context.nth}"] if context.nth != 1 else []
    found += [f"flag {flag}" for flag in sorted(context.flags)]
    return found + [f"C{place} stands inside another" for place in sorted(context.inner)]


def atom_shown(atom: Atom) -> str:
    """A condition as a line of text."""
    negated = "not " if getattr(atom, "negated", False) else ""
    match atom:
        case Comparison():
            left = f"{atom.aggregate} {_mention(atom.mention)}".strip()
            left += f" ({atom.adjective})" if atom.adjective else ""
            right = _operand(atom.operand) + (f" {atom.unit}s" if atom.unit else "")
            right += f" and {_operand(atom.high)}" if atom.high is not None else ""
            text = f"{left} {atom.operator} {right}{'' if atom.ever else ', or never'}"
        case IsValue():
            text = f"{_mention(atom.mention)} = V{atom.value}"
            text += f" of M{atom.holder}" if atom.holder is not None else ""
        case Contains():
            text = f"{_mention(atom.mention)} has {_operand(atom.operand)} {atom.where}"
        case CountCondition():
            high = f" and {atom.high}" if atom.high is not None else ""
            text = f"count of {_mention(atom.mention)} {atom.operator} {atom.number}{high}"
            if atom.percent:
                told = " and ".join(map(atom_shown, atom.part))
                text = f"percent of {_mention(atom.mention)} with {told} {atom.operator} {atom.percent}"
        case Beyond():
            against = f"{atom.aggregate} of all" if atom.aggregate else "that of one"
            against = f"{atom.aggregate} of that one" if atom.aggregate in OF_ROWS else against
            own = f"{atom.own} " if atom.own else ""
            text = f"{own}{_mention(atom.mention)} {atom.operator} {against}"
            text += f" ({atom.adjective})" if atom.adjective else ""
            text += f" within M{atom.within}" if atom.within is not None else ""
            text += _inner(atom.inner)
        case AbsenceCondition():
            text = f"{'has' if atom.held else 'has no'} M{atom.mention}{_inner(atom.inner)}"
        case Either():
            text = (" both and " if atom.both else " or ").join(atom_shown(p) for p in atom.parts)
        case Together():
            text = " and ".join(atom_shown(p) for p in atom.parts)
        case IsNull():
            text = f"M{atom.mention} is {'no ' if atom.negated else ''}null"
            return f"{text}, a moment" if atom.moment else text
        case FlagCondition():
            text = f"M{atom.mention} is true"
        case HintCondition():
            text = f"K{atom.given}"
    return negated + text


def superlative_shown(item: Superlative) -> str:
    """A superlative as a line of text."""
    by = "count of " if item.counted else f"{item.aggregate} " if item.aggregate else ""
    extra = [item.adjective] if item.adjective else []
    extra += ["per value"] if item.itself else []
    extra += ["summed"] if item.summed else []
    extra += [f"of M{item.owner}"] if item.owner is not None else []
    told = f" ({', '.join(extra)})" if extra else ""
    return f"{'top' if item.descending else 'bottom'} {item.limit} by {by}{_mention(item.mention)}{told}"


def _sorting(sort: SortKey) -> str:
    by = "count of " if sort.counted else f"{sort.aggregate} " if sort.aggregate else ""
    told = f" ({sort.adjective})" if sort.adjective else ""
    return f"{by}{_mention(sort.mention)}{told} {'down' if sort.descending else 'up'}"


def _output(output: Output) -> str:
    return _mention(output.mention) + (f" of M{output.owner}" if output.owner is not None else "")


def _inner(atoms: tuple[Atom, ...]) -> str:
    return f" where {' and '.join(atom_shown(a) for a in atoms)}" if atoms else ""


def _mention(mention: int | None) -> str:
    return "?" if mention is None else f"M{mention}"


def _operand(operand: Operand) -> str:
    return f"{operand.kind}{operand.number}"
