"""Collecting facts: what single nodes of a statement say.

Owns: turning calls, operators and constants into facts, and putting all that was found together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from pglast import ast
from pglast.enums import A_Expr_Kind, BoolTestType, SortByDir

from askwire.sql.tracing.tree import strings
from askwire.verifier.effects import Call, Comparison, Effects, Ordering, Output, Place, call_name
from askwire.verifier.following import ReferenceReader

_FLIPPED: Final = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass
class Facts:
    """The facts of a statement as they are found; see `effects.Effects`."""

    calls: list[Call] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    orderings: list[Ordering] = field(default_factory=list)
    sets: list[str] = field(default_factory=list)
    groups: list[tuple[Any, ...]] = field(default_factory=list)
    sublinks: list[str] = field(default_factory=list)
    divisions: list[tuple[Any, Place]] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    windows: list[tuple[tuple[Any, bool], ...]] = field(default_factory=list)
    partitions: int = 0
    additions: int = 0
    negations: int = 0
    null_tests: int = 0
    outer_joins: int = 0
    distinct: bool = False
    star: bool = False

    def effects(
        self, following: ReferenceReader, outputs: Iterable[tuple[str, Any]], *, keyed: bool
    ) -> Effects:
        """Everything found, with the output columns of the statement."""
        shown = tuple(Output(name, node) for name, node in outputs)
        return Effects(
            calls=tuple(self.calls),
            comparisons=tuple(self.comparisons),
            orderings=tuple(self.orderings),
            outputs=shown,
            star=self.star,
            sets=tuple(self.sets),
            groups=tuple(self.groups),
            distinct=self.distinct,
            sublinks=tuple(self.sublinks),
            negations=self.negations,
            null_tests=self.null_tests,
            outer_joins=self.outer_joins,
            divisions=tuple(self.divisions),
            additions=self.additions,
            numbers=tuple(self.numbers),
            texts=tuple(self.texts),
            names=frozenset(following.names),
            relations=tuple(self.relations),
            sizes=tuple(self.sizes),
            keyed=keyed,
            windows=tuple(self.windows),
            partitions=self.partitions,
            meanings=following.meanings,
            columns=following.columns,
            references=tuple(following.references),
        )

    def add(self, node: Any, place: Place, *, negated: bool) -> None:
        """Take note of one node; `negated` when an odd number of NOTs stands above it."""
        match node:
            case ast.A_Const():
                self._constant(node)
            case ast.FuncCall():
                self.calls.append(
                    Call(
                        call_name(node),
                        node,
                        place,
                        bool(node.agg_distinct),
                        bool(node.agg_star),
                        node.over is not None,
                    )
                )
                if node.agg_within_group and node.agg_order:
                    keys = tuple((b.node, b.sortby_dir == SortByDir.SORTBY_DESC) for b in node.agg_order)
                    self.windows.append(keys)
            case ast.MinMaxExpr() if node.op is not None:
                self.calls.append(
                    Call(str(node.op.name).removeprefix("IS_").lower(), node, place, False, False, False)
                )
            case ast.NullTest():
                self.null_tests += 1
            case ast.BooleanTest():
                if node.booltesttype in {
                    BoolTestType.IS_NOT_TRUE,
                    BoolTestType.IS_FALSE,
                    BoolTestType.IS_NOT_UNKNOWN,
                }:
                    self.negations += 1
            case ast.A_Expr():
                self._operator(node, place, negated)

    def _operator(self, node: Any, place: Place, negated: bool) -> None:
        name = strings(node.name)[-1] if node.name else ""
        kind = node.kind
        if kind in {A_Expr_Kind.AEXPR_OP, A_Expr_Kind.AEXPR_OP_ANY, A_Expr_Kind.AEXPR_OP_ALL}:
            if name == "/":
                self.divisions.append((node, place))
            elif name == "+":
                self.additions += 1
            elif name in _FLIPPED or name == "!=":
                name = "<>" if name == "!=" else name
                name = _FLIPPED[name] if negated else name
                self.comparisons.append(Comparison(name, node.lexpr, node.rexpr, place))
            elif "~" in name:
                self.comparisons.append(
                    Comparison("like", node.lexpr, node.rexpr, place, negated ^ ("!" in name))
                )
        elif kind in {A_Expr_Kind.AEXPR_BETWEEN, A_Expr_Kind.AEXPR_BETWEEN_SYM}:
            self.comparisons.append(Comparison("between", node.lexpr, node.rexpr, place, negated))
        elif kind in {A_Expr_Kind.AEXPR_NOT_BETWEEN, A_Expr_Kind.AEXPR_NOT_BETWEEN_SYM}:
            self.comparisons.append(Comparison("between", node.lexpr, node.rexpr, place, not negated))
        elif kind == A_Expr_Kind.AEXPR_IN:
            self.comparisons.append(Comparison("in", node.lexpr, node.rexpr, place, negated ^ (name == "<>")))
        elif kind in {A_Expr_Kind.AEXPR_LIKE, A_Expr_Kind.AEXPR_ILIKE, A_Expr_Kind.AEXPR_SIMILAR}:
            self.comparisons.append(
                Comparison("like", node.lexpr, node.rexpr, place, negated ^ ("!" in name))
            )
        elif kind == A_Expr_Kind.AEXPR_DISTINCT:
            self.comparisons.append(Comparison("=" if negated else "<>", node.lexpr, node.rexpr, place))
        elif kind == A_Expr_Kind.AEXPR_NOT_DISTINCT:
            self.comparisons.append(Comparison("<>" if negated else "=", node.lexpr, node.rexpr, place))

    def _constant(self, node: Any) -> None:
        match node.val:
            case ast.Integer(ival=number):
                self.numbers.append(str(number or 0))
            case ast.Float(fval=str(number)):
                self.numbers.append(number)
            case ast.String(sval=str(text)):
                self.texts.append(text)
            case ast.Boolean(boolval=value):
                self.texts.append("true" if value else "false")
