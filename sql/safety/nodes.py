"""Every node class of PostgreSQL's grammar, sorted into what may stand in a machine-written query.

`CHILDREN` are the expressions that are walked, `STRUCTURE` the parts of a query that `queries` takes apart.
All else is refused: `REFUSED` says why for each class known today, and a class unknown today is refused too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from pglast import ast

Node: TypeAlias = Any
"""A node of a parse tree. Typed loosely: to the library every attribute of a node is optional; the grammar,
which made the tree, guarantees more."""

_EXPRESSIONS: Final = (
    *(ast.A_ArrayExpr, ast.A_Const, ast.A_Expr, ast.A_Indices, ast.A_Indirection, ast.A_Star),
    *(ast.BoolExpr, ast.BooleanTest, ast.CTECycleClause, ast.CaseExpr, ast.CaseWhen, ast.CoalesceExpr),
    *(ast.CollateClause, ast.ColumnDef, ast.ColumnRef, ast.FuncCall, ast.GroupingFunc, ast.GroupingSet),
    *(ast.MinMaxExpr, ast.NamedArgExpr, ast.NullTest, ast.ResTarget, ast.RowExpr, ast.SQLValueFunction),
    *(ast.SortBy, ast.String, ast.SubLink, ast.TypeCast, ast.TypeName, ast.WindowDef),
    *(ast.JsonAggConstructor, ast.JsonArgument, ast.JsonArrayAgg, ast.JsonArrayConstructor),
    *(ast.JsonBehavior, ast.JsonFormat, ast.JsonFuncExpr, ast.JsonIsPredicate, ast.JsonKeyValue),
    *(ast.JsonObjectAgg, ast.JsonObjectConstructor, ast.JsonOutput, ast.JsonParseExpr, ast.JsonReturning),
    *(ast.JsonScalarExpr, ast.JsonSerializeExpr, ast.JsonValueExpr),
)

_NOT_WALKED: Final[Mapping[type, frozenset[str]]] = {
    ast.A_Const: frozenset(("val",)),
    ast.A_Expr: frozenset(("name",)),
    ast.CollateClause: frozenset(("collname",)),
    ast.ColumnRef: frozenset(("fields",)),
    ast.FuncCall: frozenset(("funcname",)),
    ast.SortBy: frozenset(("useOp",)),
    ast.SubLink: frozenset(("subselect", "operName")),
    ast.TypeName: frozenset(("names", "arrayBounds")),
}
"""Names and constants, which the check of their own node reads."""


def _pointers(node_class: type) -> tuple[str, ...]:
    slots = node_class.__slots__  # type: ignore[attr-defined]
    return tuple(name for name, slot in slots.items() if slot.c_type.endswith("*") and slot.c_type != "char*")


def _children(node_class: type) -> tuple[str, ...]:
    skipped = _NOT_WALKED.get(node_class, frozenset())
    return tuple(name for name in _pointers(node_class) if name not in skipped)


CHILDREN: Final[Mapping[type, tuple[str, ...]]] = {cls: _children(cls) for cls in _EXPRESSIONS}
"""The attributes that hold further expressions, by class of expression."""

PARTS: Final[Mapping[type, tuple[str, ...]]] = {
    cls: _pointers(cls)
    for cls in vars(ast).values()
    if isinstance(cls, type) and issubclass(cls, ast.Node) and isinstance(cls.__slots__, dict)  # type: ignore[attr-defined]
}
"""The attributes of every class of nodes that hold nodes, names and constants included."""

STRUCTURE: Final[frozenset[type]] = frozenset(
    (
        *(ast.RawStmt, ast.SelectStmt, ast.WithClause, ast.CommonTableExpr, ast.CTESearchClause),
        *(ast.RangeVar, ast.RangeSubselect, ast.RangeFunction, ast.RangeTableSample, ast.JoinExpr, ast.Alias),
        *(ast.Integer, ast.Float, ast.Boolean, ast.BitString),
    )
)
"""The parts of a query, and the values of constants."""

_REASONS: Final[Mapping[str, str]] = {
    "it changes data": """
        InsertStmt UpdateStmt DeleteStmt MergeStmt MergeAction MergeWhenClause MergeSupportFunc
        InferClause OnConflictClause ReturningClause ReturningOption ReturningExpr MultiAssignRef
        SetToDefault CopyStmt TruncateStmt CurrentOfExpr
    """,
    "it locks rows": """
        LockingClause
    """,
    "it makes a table": """
        IntoClause CreateTableAsStmt
    """,
    "it controls the session or a transaction": """
        TransactionStmt VariableSetStmt VariableShowStmt DiscardStmt PrepareStmt ExecuteStmt
        DeallocateStmt DeclareCursorStmt FetchStmt ClosePortalStmt ListenStmt NotifyStmt
        UnlistenStmt LockStmt ConstraintsSetStmt LoadStmt ExplainStmt
    """,
    "it runs code": """
        DoStmt CallStmt CallContext InlineCodeBlock PLAssignStmt ReturnStmt
    """,
    "it maintains the database": """
        VacuumStmt VacuumRelation ClusterStmt ReindexStmt CheckPointStmt RefreshMatViewStmt
    """,
    "it changes the schema": """
        AccessPriv AlterCollationStmt AlterDatabaseRefreshCollStmt AlterDatabaseSetStmt
        AlterDatabaseStmt AlterDefaultPrivilegesStmt AlterDomainStmt AlterEnumStmt
        AlterEventTrigStmt AlterExtensionContentsStmt AlterExtensionStmt AlterFdwStmt
        AlterForeignServerStmt AlterFunctionStmt AlterObjectDependsStmt AlterObjectSchemaStmt
        AlterOpFamilyStmt AlterOperatorStmt AlterOwnerStmt AlterPolicyStmt AlterPublicationStmt
        AlterRoleSetStmt AlterRoleStmt AlterSeqStmt AlterStatsStmt AlterSubscriptionStmt
        AlterSystemStmt AlterTSConfigurationStmt AlterTSDictionaryStmt AlterTableCmd
        AlterTableMoveAllStmt AlterTableSpaceOptionsStmt AlterTableStmt AlterTypeStmt
        AlterUserMappingStmt ATAlterConstraint CommentStmt CompositeTypeStmt Constraint CreateAmStmt
        CreateCastStmt CreateConversionStmt CreateDomainStmt CreateEnumStmt CreateEventTrigStmt
        CreateExtensionStmt CreateFdwStmt CreateForeignServerStmt CreateForeignTableStmt
        CreateFunctionStmt CreateOpClassItem CreateOpClassStmt CreateOpFamilyStmt CreatePLangStmt
        CreatePolicyStmt CreatePublicationStmt CreateRangeStmt CreateRoleStmt CreateSchemaStmt
        CreateSeqStmt CreateStatsStmt CreateStmt CreateSubscriptionStmt CreateTableSpaceStmt
        CreateTransformStmt CreateTrigStmt CreateUserMappingStmt CreatedbStmt DefElem DefineStmt
        DropOwnedStmt DropRoleStmt DropStmt DropSubscriptionStmt DropTableSpaceStmt
        DropUserMappingStmt DropdbStmt FunctionParameter GrantRoleStmt GrantStmt
        ImportForeignSchemaStmt IndexElem IndexStmt ObjectWithArgs PartitionBoundSpec PartitionCmd
        PartitionElem PartitionRangeDatum PartitionSpec PublicationObjSpec PublicationTable
        ReassignOwnedStmt RenameStmt ReplicaIdentityStmt RoleSpec RuleStmt SecLabelStmt StatsElem
        TableLikeClause TriggerTransition ViewStmt
    """,
    "it needs a parameter": """
        ParamRef
    """,
    "XML functions are not allowed": """
        XmlExpr XmlSerialize RangeTableFunc RangeTableFuncCol
    """,
    "JSON_TABLE and JSON_ARRAY of a query are not allowed": """
        JsonTable JsonTableColumn JsonTablePathSpec JsonArrayQueryConstructor
    """,
    "it belongs to planned statements, not to text": """
        Aggref AlternativeSubPlan ArrayCoerceExpr ArrayExpr CaseTestExpr CoerceToDomain
        CoerceToDomainValue CoerceViaIO CollateExpr ConvertRowtypeExpr Expr FieldSelect FieldStore
        FromExpr FuncExpr InferenceElem JsonConstructorExpr JsonExpr Node OnConflictExpr OpExpr
        Param Query RTEPermissionInfo RangeTblEntry RangeTblFunction RangeTblRef RelabelType
        RowCompareExpr RowMarkClause ScalarArrayOpExpr SetOperationStmt SortGroupClause SubPlan
        SubscriptingRef TableFunc TableSampleClause TargetEntry ValUnion Var WindowClause WindowFunc
        WindowFuncRunCondition WithCheckOption
    """,
}

REFUSED: Final[Mapping[str, str]] = {
    name: reason for reason, names in _REASONS.items() for name in names.split()
}
"""Why a class of node is refused, by the name of the class."""


def of(node: Node, *classes: type) -> bool:
    """Whether a node is of one of these classes."""
    return isinstance(node, classes)


def reason_against(node: Node) -> str:
    """One phrase that says why a node may not stand where it was found."""
    name = type(node).__name__
    reason = REFUSED.get(
        name, "it is not known to be safe" if name not in _STRUCTURE_NAMES else "it is misplaced"
    )
    return f"{_in_sql(name)} is not allowed: {reason}"


def _in_sql(name: str) -> str:
    """A statement as SQL writes it, `CREATE TABLE AS` for CreateTableAsStmt; other nodes by their class."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.removesuffix("Stmt")).upper() if "Stmt" in name else name


_STRUCTURE_NAMES: Final = frozenset(cls.__name__ for cls in STRUCTURE)
